# The ways to load the package: each has to use its own helper and its own sources.

set(steps "cache,halide,generator,runtime,lib:a")
set(arguments
    -D CMAKE_DISABLE_FIND_PACKAGE_Halide_Python=ON
    -D "Halide_CACHE_DIR=${CACHE_DIR}"
)
set(on "on, ${CACHE_DIR} (${MODES}, Halide ${HALIDE_VERSION}.0.0)")

# Two commands of `build` are run by this helper, and the probe is made of these sources.
function(expect_package helper sources)
    expect_summary("${on}")
    expect_warnings(0)
    read_build_files(text build)
    string(REGEX MATCHALL "[^\n]* run [^\n]*--dir=[^\n]*" commands "${text}")
    foreach (command IN LISTS commands)
        expect_contains("helper in the command" "${helper}" "${command}")
    endforeach ()
    expect_wrapped(2 build)
    string(REPLACE " " "$ " sources "${sources}")
    expect_contains("source of the probe" "${sources}/probe/all.cpp" "${text}")
    file(REMOVE_RECURSE "${WORK}/build")
endfunction()

# A build tree.
configure(steps build ${arguments} -D "STEPS=${steps}" -D "HalideCache_DIR=${PACKAGE}")
expect_package("${HELPER}" "${REPOSITORY}/src")

# An install prefix.
configure(steps build ${arguments} -D "STEPS=${steps}" -D "CMAKE_PREFIX_PATH=${PREFIX}")
expect_package("${PREFIX}/bin/halide-cache" "${PREFIX}/share/halidecache/src")

# One that was moved.
set(moved "${WORK}/moved ä 'prefix'")
file(COPY "${PREFIX}/" DESTINATION "${moved}")
configure(steps build ${arguments} -D "STEPS=${steps}" -D "CMAKE_PREFIX_PATH=${moved}")
expect_package("${moved}/bin/halide-cache" "${moved}/share/halidecache/src")

# Injected into a project that does not know of it, from the prefix and from the build
# tree; another one that a build tree remembers does not matter.
file(
    GLOB inject
    "${PREFIX}/lib*/cmake/HalideCache/HalideCacheInject.cmake"
    "${PREFIX}/lib/*/cmake/HalideCache/HalideCacheInject.cmake"
)
string(REPLACE "cache," "" unaware "${steps}")
configure(
    steps build ${arguments} -D "STEPS=${unaware}"
    -D "CMAKE_PROJECT_TOP_LEVEL_INCLUDES=${inject}" -D HalideCache_DIR=/nowhere
)
expect_package("${PREFIX}/bin/halide-cache" "${PREFIX}/share/halidecache/src")
configure(
    steps build ${arguments} -D "STEPS=${unaware}"
    -D "CMAKE_PROJECT_TOP_LEVEL_INCLUDES=${PACKAGE}/HalideCacheInject.cmake"
)
expect_package("${HELPER}" "${REPOSITORY}/src")

# Injected into one that finds another copy as well: the first serves the tree.
configure(
    steps build ${arguments} -D "STEPS=${unaware},sub" -D SUB_STEPS=cache
    -D "CMAKE_PROJECT_TOP_LEVEL_INCLUDES=${inject}"
)
expect_package("${PREFIX}/bin/halide-cache" "${PREFIX}/share/halidecache/src")

# Part of the user's tree, where the helper is built as well; find_package in a folder of
# the same tree does no harm.
foreach (order IN ITEMS FETCHED BEFORE AFTER)
    configure(
        subproject build ${arguments}
        -D "HalideCache_SOURCES=${REPOSITORY}" -D "ORDER=${order}"
        -D "HalideCache_DIR=${PACKAGE}"
    )
    expect_summary("${on}")
    expect_warnings(0)
    expect_wrapped(2 build)
    read_build_files(text build)
    expect_contains("helper" "${WORK}/build/halidecache/src/halide-cache run " "${text}")
endforeach ()
# The helper can be built there, and adds nothing to what the project installs.
build(build halidecache/src/halide-cache)
run("${CMAKE}" --install "${WORK}/build" --prefix "${WORK}/installed")
file(GLOB_RECURSE installed "${WORK}/installed/*")
expect_equal("installed files" "" "${installed}")

# Versions and components.
file(READ "${PACKAGE}/HalideCacheConfigVersion.cmake" text)
string(REGEX MATCH "PACKAGE_VERSION \"(([0-9]+)\\.([0-9]+)\\.[0-9]+)\"" version "${text}")
set(version "${CMAKE_MATCH_1}")
set(series "${CMAKE_MATCH_2}.${CMAKE_MATCH_3}")
math(EXPR next "${CMAKE_MATCH_3} + 1")
set(next "${CMAKE_MATCH_2}.${next}")

function(find_with result request)
    file(WRITE "${WORK}/find/CMakeLists.txt"
        "cmake_minimum_required(VERSION 3.28)\nproject(find LANGUAGES CXX)\n"
        "find_package(HalideCache ${request})\n"
        "message(STATUS \"found: \${HalideCache_FOUND} \${HalideCache_VERSION}\")\n"
        "message(STATUS \"why: \${HalideCache_NOT_FOUND_MESSAGE}\")\n"
    )
    configure("${WORK}/find" find-build -D "HalideCache_DIR=${PACKAGE}" -D Halide_CACHE_DIR=)
    expect_contains("find_package(HalideCache ${request})" "-- found: ${result}" "${output}")
    set(output "${output}" PARENT_SCOPE)
endfunction()
find_with("1 ${version}" "${series}")
find_with("1 ${version}" "${version} EXACT")
find_with("0" "${next}")
find_with("0" "COMPONENTS probe")
expect_contains("reason" "-- why: HalideCache has no components, `probe` was asked for." "${output}")
find_with("1 ${version}" "OPTIONAL_COMPONENTS probe")
expect_summary("off (Halide_CACHE_DIR is empty)")
find_with("1 ${version}" "QUIET")
expect_count("messages with QUIET" 0 "HalideCache:" "${output}")
