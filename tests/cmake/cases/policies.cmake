# add_custom_command behaves by the policies of Halide's helper file, not by ours or the
# project's. Seen by CMP0175 of CMake 3.31: an argument that has no meaning is an error by
# the new behaviour, and worth a remark where the policy is not set, as in that file.

run("${CMAKE}" --version)
string(REGEX MATCH "[0-9]+\\.[0-9]+" version "${output}")
if (version VERSION_LESS 3.31)
    message("no such policy in CMake ${version}")
    return()
endif ()

copy_halide(doctored doctored)
set(HALIDE "${doctored}")
file(GLOB helper "${doctored}/lib*/cmake/HalideHelpers/HalideGeneratorHelpers.cmake")
file(READ "${helper}" original)
file(WRITE "${helper}" "${original}
function(add_odd_command target)
    add_custom_command(TARGET \${target} POST_BUILD COMMAND true DEPENDS nothing -g)
endfunction()
")
file(WRITE "${WORK}/project/CMakeLists.txt" [[
cmake_minimum_required(VERSION 3.28...${CMAKE_VERSION})
project(policies LANGUAGES CXX)
if (NOT "$ENV{FIND_HALIDECACHE}" STREQUAL "")
    find_package(HalideCache REQUIRED)
endif ()
find_package(Halide REQUIRED)
add_custom_target(t)
cmake_policy(GET CMP0175 value)
message(STATUS "the project has ${value}")
add_odd_command(t)
]])
set(arguments
    -D CMAKE_DISABLE_FIND_PACKAGE_Halide_Python=ON
    -D "HalideCache_DIR=${PACKAGE}"
    -D "Halide_CACHE_DIR=${CACHE_DIR}"
)
foreach (find IN ITEMS "" yes)
    set(ENV{FIND_HALIDECACHE} "${find}")
    configure("${WORK}/project" "build${find}" ${arguments})
    expect_contains("policy of the project" "the project has NEW" "${output}")
    expect_count("remarks" 1 "Policy CMP0175 is not set" "${output}")
endforeach ()
expect_contains("summary" "HalideCache: on" "${output}")
