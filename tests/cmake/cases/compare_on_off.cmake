# Included by cases; not one of its own. PROJECT is configured with and without.
#
# With the cache on, the generator and runtime commands, all of them and no others, get
# the helper in front and wait for the probe; nothing else in the build files changes, and
# Halide's output variables have the same values.

set(ENV{FIND_HALIDECACHE} "")
set(arguments -D "HalideCache_DIR=${PACKAGE}" -D "Halide_CACHE_DIR=${CACHE_DIR}" ${MORE_ARGUMENTS})
configure(${PROJECT} build ${arguments})
file(RENAME "${WORK}/build" "${WORK}/without")

set(ENV{FIND_HALIDECACHE} yes)
configure(${PROJECT} build ${arguments})
expect_summary("on, ${CACHE_DIR} (${MODES}, Halide ${HALIDE_VERSION}.0.0)")
expect_warnings(0)
expect_same_file("output variables" "${WORK}/without/variables.txt" "${WORK}/build/variables.txt")

read_build_files(without without)
read_build_files(with build)

# Every command of Halide's: the project's own begins in another way.
string(REGEX MATCHALL "/(gen|gengen|gen\\.py) -[nr] " commands "${without}")
list(LENGTH commands expected)
expect_wrapped("${expected}" build)

# Take back exactly what we add.
if (GENERATOR MATCHES "Ninja")
    set(probe_file "CMakeFiles/HalideCache/halide-cache-probe.so")
    if (GENERATOR STREQUAL "Ninja")
        get_prefix(prefix "${CACHE_DIR}" "${WORK}/build/${probe_file}")
        string(REPLACE "${prefix}" "" with "${with}")
        set(probes "${probe_file}")
    else ()
        set(probes "")
        foreach (config IN ITEMS Debug Release RelWithDebInfo)
            list(APPEND probes "CMakeFiles/HalideCache/${config}/halide-cache-probe.so")
            get_prefix(prefix "${CACHE_DIR}" "${WORK}/build/CMakeFiles/HalideCache/${config}/halide-cache-probe.so")
            string(REPLACE "${prefix}" "" with "${with}")
        endforeach ()
    endif ()

    # The probe's own statements: from their build or rule line to the next empty line.
    foreach (text IN ITEMS without with)
        string(REGEX REPLACE "\n#[^\n]*" "\n" ${text} "\n${${text}}")
        string(REGEX REPLACE "\n\n+" "\n\n" ${text} "${${text}}")
    endforeach ()
    string(
        REGEX REPLACE
        "\n(build|rule) (CMakeFiles/halidecache_probe\\.dir/|CMakeFiles/HalideCache/|cmake_object_order_depends_target_halidecache_probe|halidecache_probe|halide-cache-probe|CXX_[A-Z_]*__halidecache_probe_)[^\n]*(\n [^\n]*)*\n"
        "" with "${with}"
    )

    # What is left of it: an input of phony targets, and behind ||.
    foreach (probe IN LISTS probes)
        string(REPLACE " ${probe}" "" with "${with}")
    endforeach ()
    string(REGEX REPLACE " cmake_object_order_depends_target_halidecache_probe[A-Za-z_]*" "" with "${with}")
    string(REGEX REPLACE " \\|\\|\n" "\n" with "${with}")

    file(GLOB package_files "${PACKAGE}/HalideCache*.cmake" "${REPOSITORY}/cmake/*")
    foreach (file IN LISTS package_files)
        string(REPLACE " ${file}" "" with "${with}")
    endforeach ()
    string(REGEX REPLACE " CMakeFiles/HalideCache/[0-9a-f]*/HalideGeneratorHelpers\\.cmake" "" with "${with}")
    expect_same_text("build statements" "${without}" "${with}")
else ()
    # The recipes and their dependencies; make orders targets in another file.
    get_prefix(prefix "${CACHE_DIR}" "${WORK}/build/CMakeFiles/HalideCache/halide-cache-probe.so")
    file(GLOB_RECURSE files RELATIVE "${WORK}/without" "${WORK}/without/build.make")
    foreach (file IN LISTS files)
        file(READ "${WORK}/without/${file}" without)
        file(READ "${WORK}/build/${file}" with)
        # CMake shortens the path of the first word of a recipe.
        string(REPLACE "${prefix}${WORK}/build/" "./" with "${with}")
        string(REPLACE "${prefix}" "" with "${with}")
        expect_same_text("${file}" "${without}" "${with}")
    endforeach ()
    file(GLOB_RECURSE more RELATIVE "${WORK}/build" "${WORK}/build/build.make")
    list(REMOVE_ITEM more ${files})
    expect_equal("targets that were added" "CMakeFiles/halidecache_probe.dir/build.make" "${more}")
endif ()
