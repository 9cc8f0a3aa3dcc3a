# Cross compiling: off, with the reason; with a probe of the native build, on for what runs
# on this machine.

set(arguments
    -D CMAKE_DISABLE_FIND_PACKAGE_Halide_Python=ON
    -D "HalideCache_DIR=${PACKAGE}"
    -D "Halide_CACHE_DIR=${CACHE_DIR}"
)

# The native build makes the generators, and a probe.
configure(steps native ${arguments} -D STEPS=cache,halide,generator,runtime,lib:a)
build(native gen halidecache_probe)
set(probe "${WORK}/native/CMakeFiles/HalideCache/halide-cache-probe.so")

# CMake believes that it cross compiles when it is told the system.
set(cross
    -D CMAKE_SYSTEM_NAME=Linux
    -D CMAKE_SYSTEM_PROCESSOR=x86_64
    -D "steps-halide_generators_ROOT=${WORK}/native"
)
configure(steps build ${arguments} ${cross} -D STEPS=cache,helpers,generator,runtime,lib:a)
expect_warnings(1)
expect_summary("off: cross compiling")
string(REGEX REPLACE "[ \n]+" " " flowing "${output}")
expect_contains("way out" "Set HalideCache_PROBE to the one that the native build" "${flowing}")
expect_wrapped(0 build)

configure(
    steps build ${arguments} ${cross} -D STEPS=cache,helpers,generator,runtime,lib:a
    -D "HalideCache_PROBE=${probe}"
)
expect_warnings(0)
expect_summary("on, ${CACHE_DIR} (${MODES}, Halide ${HALIDE_VERSION}.0.0, probe ${probe})")
expect_wrapped(2 build)
read_build_files(text build)
get_prefix(prefix "${CACHE_DIR}" "${probe}")
expect_count("commands with that probe" 2 "${prefix}" "${text}")
expect_contains("generator of the native build" "${prefix}${WORK}/native/gen -n a " "${text}")

# A generator that is built for the other machine is run in an emulator, by CMake: it
# cannot load the probe, and is left alone. Halide's own program is not.
file(REMOVE_RECURSE "${WORK}/build")
configure(
    steps build ${arguments} ${cross} -D STEPS=cache,halide,generator,runtime,lib:a
    -U steps-halide_generators_ROOT
    -D "HalideCache_PROBE=${probe}" -D "CMAKE_CROSSCOMPILING_EMULATOR=/usr/bin/env"
)
expect_wrapped(1 build)
read_build_files(text build)
expect_contains("emulated generator" "&& /usr/bin/env ${WORK}/build/gen -n a " "${text}")
expect_contains("runtime" "${prefix}" "${text}")

configure(steps build ${arguments} ${cross} -D STEPS=cache,helpers,runtime -D HalideCache_PROBE=/nowhere/probe.so)
expect_warnings(1)
expect_summary("off: HalideCache_PROBE does not exist")
expect_wrapped(0 build)
