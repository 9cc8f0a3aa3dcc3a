# Builds the generator and the probe of projects/small, for the tests in ../integration.

configure(
    small build
    -D CMAKE_BUILD_TYPE=Release
    -D "HalideCache_DIR=${PACKAGE}"
    -D "Halide_CACHE_DIR=${CACHE_DIR}"
)
build(build small_generator halidecache_probe)
