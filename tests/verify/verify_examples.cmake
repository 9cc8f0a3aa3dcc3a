# SPDX-License-Identifier: MIT
# Builds the examples' libraries twice with one cache: the second time into the emptied
# folder and with HALIDE_CACHE_VERIFY=1, so that every hit compiles too and fails if it
# differs.
#
#   cmake -D CMAKE=... -D HALIDE=<prefix> -D PACKAGE=<build tree> -D EXAMPLES=<folder>
#         -D WORK=<folder> -P verify_examples.cmake

cmake_minimum_required(VERSION 3.25)

set(ENV{LC_ALL} C)
foreach (variable IN ITEMS HL_CACHE_DIR HL_CACHE_MAX_SIZE HL_CACHE_MAX_AGE HL_TARGET HALIDE_CACHE_VERIFY HALIDE_CACHE_LOG)
    unset(ENV{${variable}})
endforeach ()
file(REMOVE_RECURSE "${WORK}")
file(GLOB halide_dir "${HALIDE}/lib*/cmake/Halide" "${HALIDE}/lib*/*/cmake/Halide")
file(GLOB helpers_dir "${HALIDE}/lib*/cmake/HalideHelpers" "${HALIDE}/lib*/*/cmake/HalideHelpers")

function (run)
    execute_process(
        COMMAND ${ARGV}
        RESULT_VARIABLE result
        OUTPUT_VARIABLE output
        ERROR_VARIABLE output
    )
    if (NOT result EQUAL 0)
        message("${output}")
        message(FATAL_ERROR "exit status ${result} of: ${ARGV}")
    endif ()
endfunction ()

# The number of lines of a log that start with a text.
function (count_lines out file start)
    file(STRINGS "${file}" lines REGEX "^${start}")
    list(LENGTH lines count)
    set(${out} "${count}" PARENT_SCOPE)
endfunction ()

run("${CMAKE}" -S "${EXAMPLES}" -B "${WORK}/build" -G Ninja
    -D "Halide_DIR=${halide_dir}" -D "HalideHelpers_DIR=${helpers_dir}"
    -D "HalideCache_DIR=${PACKAGE}" -D "Halide_CACHE_DIR=${WORK}/cache"
    -D CMAKE_BUILD_TYPE=Debug
)
file(READ "${WORK}/build/build.ninja" ninja)
string(REGEX MATCHALL "halide-cache\"? run " commands "${ninja}")
list(LENGTH commands commands)
if (commands LESS 20)
    message(FATAL_ERROR "${commands} commands of the examples go through the cache")
endif ()

set(ENV{HALIDE_CACHE_LOG} "${WORK}/first.log")
run("${CMAKE}" --build "${WORK}/build")

# What the commands wrote goes, the programs stay.
file(GLOB_RECURSE outputs
    "${WORK}/build/*.o" "${WORK}/build/*.a" "${WORK}/build/*.h" "${WORK}/build/*.registration.cpp"
    "${WORK}/build/*.stmt" "${WORK}/build/*.html" "${WORK}/build/*.s" "${WORK}/build/*.ll"
)
list(FILTER outputs EXCLUDE REGEX "/CMakeFiles/")
file(REMOVE ${outputs})
set(ENV{HALIDE_CACHE_LOG} "${WORK}/second.log")
set(ENV{HALIDE_CACHE_VERIFY} 1)
run("${CMAKE}" --build "${WORK}/build")

count_lines(verified "${WORK}/second.log" "verified ")
count_lines(others "${WORK}/second.log" "(direct hit|pipeline hit|miss|bypass|verification failed|error) ")
if (NOT verified EQUAL commands OR NOT others EQUAL 0)
    file(READ "${WORK}/second.log" log)
    message("${log}")
    message(FATAL_ERROR "${verified} of ${commands} commands were verified, ${others} were something else")
endif ()
message("${verified} of ${commands} commands verified")
