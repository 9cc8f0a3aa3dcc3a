# SPDX-License-Identifier: MIT
# Build, remove the build folder, build again: all hits, and all outputs the same bytes as
# those of an uncached build.

set(project small)
set(ENV{HALIDE_CACHE_LOG} "${WORK}/log")
file(WRITE "${WORK}/log" "")

# Copies what generators wrote to ${WORK}/<to>.
function(keep_outputs from to)
    file(
        GLOB_RECURSE files
        RELATIVE "${WORK}/${from}"
        "${WORK}/${from}/*.o" "${WORK}/${from}/*.h" "${WORK}/${from}/*.stmt"
        "${WORK}/${from}/*.registration.cpp"
    )
    list(FILTER files EXCLUDE REGEX "CMakeFiles/")
    list(LENGTH files count)
    if (count LESS 15)
        fail("number of outputs" "15 or more" "${files}")
    endif ()
    foreach (file IN LISTS files)
        cmake_path(GET file PARENT_PATH folder)
        file(COPY "${WORK}/${from}/${file}" DESTINATION "${WORK}/${to}/${folder}")
    endforeach ()
    set(outputs "${files}" PARENT_SCOPE)
endfunction()

function(expect_same_outputs what)
    set(expected "${outputs}")
    keep_outputs(build "${what}")
    expect_equal("outputs of the ${what} build" "${expected}" "${outputs}")
    foreach (file IN LISTS outputs)
        file(SHA256 "${WORK}/uncached/${file}" before)
        file(SHA256 "${WORK}/${what}/${file}" after)
        expect_equal("${file} of the ${what} build" "${before}" "${after}")
    endforeach ()
endfunction()

# Lines of the log that begin with a word, since the last look.
function(count_log out regex)
    file(STRINGS "${WORK}/log" lines REGEX "${regex}")
    list(LENGTH lines count)
    set(${out} "${count}" PARENT_SCOPE)
endfunction()

configure("${project}" build -D CMAKE_BUILD_TYPE=Release -D "HalideCache_DIR=${PACKAGE}")
build(build)
keep_outputs(build uncached)
count_log(count "")
expect_equal("commands through the helper without a cache" 0 "${count}")

set(cache -D CMAKE_BUILD_TYPE=Release -D "HalideCache_DIR=${PACKAGE}" -D "Halide_CACHE_DIR=${CACHE_DIR}")
file(REMOVE_RECURSE "${WORK}/build")
configure("${project}" build ${cache})
build(build)
expect_same_outputs(cold)
count_wrapped(commands build)
count_log(misses "^miss ")
count_log(hits "^(direct|pipeline) hit ")
count_log(bypasses "^bypass ")
math(EXPR all "${misses} + ${hits}")
if (NOT GENERATOR MATCHES "Multi-Config")
    # (There the commands are written once for every configuration.)
    expect_equal("commands through the helper" "${commands}" "${all}")
endif ()
expect_equal("bypasses" 0 "${bypasses}")

file(WRITE "${WORK}/log" "")
file(REMOVE_RECURSE "${WORK}/build")
configure("${project}" build ${cache})
build(build)
expect_same_outputs(warm)
count_log(misses "^miss ")
count_log(hits "^(direct|pipeline) hit ")
expect_equal("misses of the second build" 0 "${misses}")
expect_equal("hits of the second build" "${all}" "${hits}")
