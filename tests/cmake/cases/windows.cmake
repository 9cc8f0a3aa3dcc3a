# Where CMake runs on Windows the package says so in one line, and that is all: the build is
# the one without it, and there is no cache folder.

set(steps halide,generator,runtime,lib:a)
set(arguments
    -D CMAKE_DISABLE_FIND_PACKAGE_Halide_Python=ON
    -D "HalideCache_DIR=${PACKAGE}"
    -D "Halide_CACHE_DIR=${CACHE_DIR}"
)
configure(steps build ${arguments} -D "STEPS=windows,${steps}")
file(READ "${WORK}/build/build.ninja" without)
file(REMOVE_RECURSE "${WORK}/build")

configure(steps build ${arguments} -D "STEPS=windows,cache,${steps}")
expect_summary("off: generators cannot be cached on Windows, the probe needs fork()")
expect_warnings(0)
file(READ "${WORK}/build/build.ninja" with)
file(GLOB package_files "${PACKAGE}/HalideCache*.cmake" "${REPOSITORY}/cmake/*")
foreach (file IN LISTS package_files)
    string(REPLACE " ${file}" "" with "${with}") # what makes CMake configure again
endforeach ()
expect_same_text("build.ninja" "${without}" "${with}")
if (EXISTS "${CACHE_DIR}")
    fail("there is a cache folder")
endif ()
