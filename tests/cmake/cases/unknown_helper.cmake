# Helper files that are not as we know them: one warning, or a line, and a build that
# works uncached.

set(arguments
    -D CMAKE_DISABLE_FIND_PACKAGE_Halide_Python=ON
    -D "HalideCache_DIR=${PACKAGE}"
    -D "Halide_CACHE_DIR=${CACHE_DIR}"
    -D STEPS=cache,halide,generator,runtime,lib:a,sub,lib:b
    -D SUB_STEPS=halide,lib:s
)
copy_halide(doctored doctored)
set(HALIDE "${doctored}")
file(GLOB helper "${doctored}/lib*/cmake/HalideHelpers/HalideGeneratorHelpers.cmake")
file(READ "${helper}" original)

# The same file in another place, with a name that has to be escaped.
set(HALIDE "${WORK}/odd (1) 'h' \"d\" # \$x ä")
file(COPY "${doctored}/" DESTINATION "${HALIDE}")
configure(steps build ${arguments})
expect_summary("on, ${CACHE_DIR} (${MODES}, Halide ${HALIDE_VERSION}.0.0)")
expect_warnings(0)
expect_wrapped(4 build)
set(HALIDE "${doctored}")

# The commands are made in another way.
string(REPLACE "add_custom_command(" "cmake_language(CALL add_custom_command " text "${original}")
file(WRITE "${helper}" "${text}")
configure(steps build ${arguments})
expect_warnings(1)
string(REGEX REPLACE "[ \n]+" " " flowing "${output}")
expect_contains("warning" "HalideCache: off: Halide's helpers are not as HalideCache knows them." "${flowing}")
expect_contains("file" "${helper}" "${flowing}")
expect_contains("consequence" "The build goes on, uncached." "${flowing}")
expect_summary("off: Halide's helpers are not as HalideCache knows them")
expect_wrapped(0 build)
build(build a.update)

# The file has gone.
file(RENAME "${helper}" "${helper}.txt")
cmake_path(GET helper PARENT_PATH folder)
file(WRITE "${folder}/Renamed.cmake" "${original}")
edit_file("${folder}/HalideHelpersConfig.cmake" "HalideGeneratorHelpers" "Renamed")
configure(steps build ${arguments})
expect_warnings(1)
expect_summary("off: Halide's helpers are not as HalideCache knows them")
expect_wrapped(0 build)
edit_file("${folder}/HalideHelpersConfig.cmake" "Renamed" "HalideGeneratorHelpers")

# The seam is there, but programs are started in an unknown way.
string(REPLACE "COMMAND \${ARG_COMMAND}" "COMMAND /usr/bin/env X=1 \$<TARGET_FILE:\${ARG_COMMAND}>" text "${original}")
string(REPLACE "COMMAND Halide::GenRT" "COMMAND /usr/bin/env X=1 \$<TARGET_FILE:Halide::GenRT>" text "${text}")
file(WRITE "${helper}" "${text}")
configure(steps build ${arguments})
expect_warnings(1)
string(REGEX REPLACE "[ \n]+" " " flowing "${output}")
expect_contains("warning" "HalideCache: No generator command was recognised" "${flowing}")
expect_wrapped(0 build)
build(build a.update)

# A Halide that caches by itself, in the same variable: it is left to it.
string(REPLACE "COMMAND \${ARG_COMMAND}" "COMMAND \${CMAKE_COMMAND} -E env HL_CACHE_DIR=\${Halide_CACHE_DIR} -- \$<TARGET_FILE:\${ARG_COMMAND}>" text "${original}")
file(WRITE "${helper}" "${text}")
configure(steps build ${arguments})
expect_warnings(0)
expect_summary("off: Halide ${HALIDE_VERSION}.0.0 caches by itself, in Halide_CACHE_DIR")
expect_wrapped(0 build)
read_build_files(text build)
count_text(count "HL_CACHE_DIR=${CACHE_DIR}" "${text}")
expect_equal("commands that Halide caches" 3 "${count}")
