# A package that ships the tracer has it used.

file(COPY "${PREFIX}/" DESTINATION "${WORK}/prefix")
file(
    GLOB targets
    "${WORK}/prefix/lib*/cmake/HalideCache/HalideCacheTargets.cmake"
    "${WORK}/prefix/lib/*/cmake/HalideCache/HalideCacheTargets.cmake"
)
file(READ "${targets}" text)
if (NOT text MATCHES "HalideCache::tracer")
    # Built without one, as on systems that have none.
    file(MAKE_DIRECTORY "${WORK}/prefix/lib/halidecache")
    file(WRITE "${WORK}/prefix/lib/halidecache/libhalidecache_tracer.so" "")
    file(APPEND "${targets}"
        "add_library(HalideCache::tracer MODULE IMPORTED)\n"
        "set_target_properties(HalideCache::tracer PROPERTIES IMPORTED_LOCATION \"${WORK}/prefix/lib/halidecache/libhalidecache_tracer.so\")\n"
    )
endif ()

configure(
    steps build
    -D CMAKE_DISABLE_FIND_PACKAGE_Halide_Python=ON
    -D "CMAKE_PREFIX_PATH=${WORK}/prefix"
    -D "Halide_CACHE_DIR=${CACHE_DIR}"
    -D STEPS=halide,generator,runtime,sub -D SUB_STEPS=cache,lib:a
)
expect_warnings(0)
read_build_files(text build)
string(REGEX MATCHALL " run --dir=[^ ]* --probe=[^ ]*\\.so --tracer=${WORK}/prefix/lib[^ ]*/halidecache/[^ ]*\\.so [^\n]*" commands "${text}")
list(LENGTH commands count)
expect_equal("commands with a tracer" 1 "${count}")
