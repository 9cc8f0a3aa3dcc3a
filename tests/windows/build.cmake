# SPDX-License-Identifier: MIT
# Builds the helper and the programs beside this file for Windows:
#
#   cmake -D ... -P build.cmake
#
#   REPOSITORY        the sources
#   WORK              a folder of its own
#   GENERATOR         the CMake generator
#   MAKE_PROGRAM      its program
#   DLLTOOL           x86_64-w64-mingw32-dlltool
#   OPENSSL_INCLUDES  the folders that hold openssl/ on this machine
#   LIBCRYPTO         a libcrypto for Windows, or nothing: what is built cannot run then
#
# Every warning is an error.

cmake_minimum_required(VERSION 3.25)

function(run)
    execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}/openssl/include" "${WORK}/openssl/lib")

# The declarations are those of Windows too, but /usr/include must not come with them.
foreach (folder IN LISTS OPENSSL_INCLUDES)
    if (EXISTS "${folder}/openssl")
        file(COPY "${folder}/openssl" DESTINATION "${WORK}/openssl/include")
    endif ()
endforeach ()
set(dll libcrypto-3-x64.dll)
if (LIBCRYPTO)
    cmake_path(GET LIBCRYPTO FILENAME dll)
endif ()
run("${DLLTOOL}" --dllname "${dll}" --input-def "${CMAKE_CURRENT_LIST_DIR}/libcrypto.def"
    --output-lib "${WORK}/openssl/lib/libcrypto.dll.a"
)

run("${CMAKE_COMMAND}" -S "${REPOSITORY}" -B "${WORK}/build" -G "${GENERATOR}"
    "-DCMAKE_MAKE_PROGRAM=${MAKE_PROGRAM}"
    "-DCMAKE_TOOLCHAIN_FILE=${CMAKE_CURRENT_LIST_DIR}/mingw.cmake"
    "-DCMAKE_RUNTIME_OUTPUT_DIRECTORY=${WORK}/programs"
    -DCMAKE_BUILD_TYPE=Release -DHalideCache_STRICT=ON -DHalideCache_INSTALL=OFF
    "-DOPENSSL_ROOT_DIR=${WORK}/openssl"
)
run("${CMAKE_COMMAND}" --build "${WORK}/build")
if (LIBCRYPTO)
    file(COPY "${LIBCRYPTO}" DESTINATION "${WORK}/programs")
endif ()
