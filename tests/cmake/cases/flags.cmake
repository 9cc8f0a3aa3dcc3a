# The probe is built as it has to be, whatever the project asks for.

configure(
    flags build
    -D CMAKE_DISABLE_FIND_PACKAGE_Halide_Python=ON
    -D "HalideCache_DIR=${PACKAGE}"
    -D "Halide_CACHE_DIR=${CACHE_DIR}"
    -D CMAKE_BUILD_TYPE=Debug
)
expect_summary("on, ${CACHE_DIR} (${MODES}, Halide ${HALIDE_VERSION}.0.0)")
build(build halidecache_probe)

# In its own folder, and nowhere else.
set(probe "${WORK}/build/CMakeFiles/HalideCache/halide-cache-probe.so")
file(GLOB_RECURSE probes "${WORK}/build/*probe*.so" "${WORK}/build/*probe*.plugin")
expect_equal("probes" "${probe}" "${probes}")

# Loaded into a program that is not instrumented, a sanitizer's runtime would end it.
run(ldd "${probe}")
expect_count("libraries" 0 "libasan" "${output}")
expect_contains("libraries" "libHalide" "${output}")

# Halide's own program can load it.
file(GLOB gengen "${HALIDE}/bin/gengen")
file(MAKE_DIRECTORY "${WORK}/runtime")
run("${gengen}" -p "${probe}" -r rt -e object -o "${WORK}/runtime" target=host)

# It hides what is its own.
run(nm -D --defined-only "${probe}")
expect_count("exported symbols" 0 "halidecache" "${output}")

# Tools and people that look at all of the project do not see it.
file(READ "${WORK}/build/compile_commands.json" commands)
expect_count("compile_commands.json" 0 "probe" "${commands}")
run("${CMAKE}" --install "${WORK}/build" --prefix "${WORK}/installed")
expect_count("install script" 0 "probe" "${output}")
file(REMOVE "${probe}")
run("${CMAKE}" --build "${WORK}/build" --target help)
read_build_files(text build)
string(REGEX MATCH "\nbuild all: [^\n]*" all "${text}")
expect_count("targets of all" 0 "halidecache_probe" "${all}")
