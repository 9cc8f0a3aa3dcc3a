# With an empty Halide_CACHE_DIR a build tree is, byte for byte, the one of a configure
# without the package, but for the list of files that make CMake configure again and the
# cache variables of the package.

set(arguments -D "HalideCache_DIR=${PACKAGE}" -D Halide_CACHE_DIR=)
configure(everything build ${arguments})
expect_count("output without the package" 0 "HalideCache:" "${output}")
file(RENAME "${WORK}/build" "${WORK}/without")

set(ENV{FIND_HALIDECACHE} yes)
configure(everything build ${arguments})
expect_summary("off (Halide_CACHE_DIR is empty)")
expect_warnings(0)

# All files, but for the compiler's identification and its log.
function(list_files out folder)
    file(GLOB_RECURSE files RELATIVE "${folder}" LIST_DIRECTORIES true "${folder}/*")
    list(FILTER files EXCLUDE REGEX "^CMakeFiles/([0-9.]+(/|$)|CMakeConfigureLog\\.yaml$)")
    list(SORT files)
    set(${out} "${files}" PARENT_SCOPE)
endfunction()
list_files(expected "${WORK}/without")
list_files(actual "${WORK}/build")
expect_equal("files" "${expected}" "${actual}")

# The package's files as they stand in that list.
file(GLOB package_files "${PACKAGE}/HalideCache*.cmake" "${REPOSITORY}/cmake/*")
set(stripped "")
foreach (file IN LISTS actual)
    if (IS_DIRECTORY "${WORK}/build/${file}")
        continue()
    endif ()
    file(READ "${WORK}/without/${file}" without)
    file(READ "${WORK}/build/${file}" with)
    if (file STREQUAL "CMakeCache.txt")
        foreach (text IN ITEMS without with)
            string(
                REGEX REPLACE "(//[^\n]*\n)+(HalideCache_DIR|Halide_CACHE_DIR):[^\n]*\n\n" ""
                ${text} "${${text}}"
            )
        endforeach ()
    endif ()
    if (NOT without STREQUAL with)
        list(APPEND stripped "${file}")
        foreach (package_file IN LISTS package_files)
            string(REPLACE " ${package_file}" "" with "${with}")       # build.ninja
            string(REPLACE "  \"${package_file}\"\n" "" with "${with}") # Makefile.cmake
        endforeach ()
    endif ()
    if (file STREQUAL "CMakeFiles/Makefile2")
        # CMake writes the dependencies of a target in the order of their addresses in
        # memory: two runs of the same configure differ in the order of these lines.
        sort_lines(without "${without}")
        sort_lines(with "${with}")
    endif ()
    expect_same_text("${file}" "${without}" "${with}")
endforeach ()

# Only the file that holds the list may have needed it.
if (GENERATOR STREQUAL "Ninja")
    set(list_file build.ninja)
elseif (GENERATOR STREQUAL "Ninja Multi-Config")
    set(list_file CMakeFiles/common.ninja)
else ()
    set(list_file CMakeFiles/Makefile.cmake)
    list(REMOVE_ITEM stripped CMakeFiles/Makefile2)
endif ()
expect_equal("files that differ" "${list_file}" "${stripped}")
