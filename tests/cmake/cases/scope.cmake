# Loading the package, finding Halide and adding libraries leave no variable behind that
# would not be there without the package, and change none.

set(arguments
    -D CMAKE_DISABLE_FIND_PACKAGE_Halide_Python=ON
    -D "HalideCache_DIR=${PACKAGE}"
    -D "Halide_CACHE_DIR=${CACHE_DIR}"
)
set(ENV{FIND_HALIDECACHE} "")
configure(scope build ${arguments})
file(RENAME "${WORK}/build" "${WORK}/without")

set(ENV{FIND_HALIDECACHE} yes)
configure(scope build ${arguments})
expect_warnings(0)
expect_wrapped(2 build)

# What find_package itself sets for every package, and our cache variables: the switch,
# and internal ones.
set(allowed "(HalideCache_(CONFIG|CONSIDERED_CONFIGS|CONSIDERED_VERSIONS|DIR|FOUND|VERSION|VERSION_MAJOR|VERSION_MINOR|VERSION_PATCH|VERSION_TWEAK|VERSION_COUNT)|_HalideCache_(SERIALIZATION|PROBE_COMPILES)_[0-9a-f]+|Halide_CACHE_DIR)")

foreach (stage IN ITEMS start cache halide runtime library)
    file(READ "${WORK}/without/${stage}.txt" without)
    file(READ "${WORK}/build/${stage}.txt" with)
    foreach (text IN ITEMS without with)
        string(REGEX REPLACE "\n${allowed}=[^\n]*" "" ${text} "\n${${text}}")
    endforeach ()
    expect_same_text("variables at ${stage}" "${without}" "${with}")
endforeach ()
