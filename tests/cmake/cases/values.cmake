# What Halide_CACHE_DIR may be, and what is said otherwise.

set(arguments
    -D CMAKE_DISABLE_FIND_PACKAGE_Halide_Python=ON
    -D "HalideCache_DIR=${PACKAGE}"
    -D STEPS=cache,halide,generator,runtime,lib:a
)
function(on out dir)
    set(${out} "on, ${dir} (${MODES}, Halide ${HALIDE_VERSION}.0.0)" PARENT_SCOPE)
endfunction()

# expect_value(<argument that sets it> <folder that it means>)
function(expect_value argument dir)
    configure(steps build ${arguments} -U Halide_CACHE_DIR ${argument})
    on(line "${dir}")
    expect_summary("${line}")
    expect_warnings(0)
    expect_wrapped(2 build)
    read_build_files(text build)
    get_prefix(prefix "${dir}" "${WORK}/build/CMakeFiles/HalideCache/halide-cache-probe.so")
    expect_count("commands" 2 "${prefix}" "${text}")
    if (NOT IS_DIRECTORY "${dir}")
        fail("the folder was not made" "${dir}" "")
    endif ()
endfunction()

# The default is the environment's.
set(ENV{HL_CACHE_DIR} "${WORK}/from_environment")
expect_value("-DUNUSED=1" "${WORK}/from_environment")
unset(ENV{HL_CACHE_DIR})

expect_value("-DHalide_CACHE_DIR=${CACHE_DIR}" "${CACHE_DIR}")
expect_value("-DHalide_CACHE_DIR=${CACHE_DIR}/a/../b/" "${CACHE_DIR}/b")

# As every path on CMake's command line: relative to where the user is, ~ is the home.
expect_value("-DHalide_CACHE_DIR=relative" "${WORK}/relative")
expect_value("-DHalide_CACHE_DIR=~/cache" "${WORK}/home/cache")
# In other places (a preset, a variable with a type): to the top of the build tree.
expect_value("-DHalide_CACHE_DIR:PATH=relative" "${WORK}/build/relative")
expect_value("-DHalide_CACHE_DIR:STRING=~/cache2" "${WORK}/home/cache2")

# Off.
foreach (value IN ITEMS OFF 0 FALSE NO)
    configure(steps build ${arguments} -U Halide_CACHE_DIR "-DHalide_CACHE_DIR:STRING=${value}")
    expect_summary("off (Halide_CACHE_DIR is ${value})")
    expect_wrapped(0 build)
endforeach ()

# Mistakes.
function(expect_error value message)
    configure_fails(steps build ${arguments} -U Halide_CACHE_DIR "-DHalide_CACHE_DIR:STRING=${value}")
    string(REGEX REPLACE "[ \n]+" " " flowing "${output}")
    expect_contains("error" "Halide_CACHE_DIR is `${value}`: ${message}" "${flowing}")
endfunction()
expect_error("/x/$<CONFIG>" "no generator expression and no variable")
expect_error("/x/$(CONFIG)" "no generator expression and no variable")
expect_error("~somebody/cache" "only `~/` is understood")

# A folder that cannot be made: the helper says so again, and the build goes on.
file(WRITE "${WORK}/file" "")
configure(steps build ${arguments} -U Halide_CACHE_DIR "-DHalide_CACHE_DIR=${WORK}/file/cache")
expect_warnings(1)
string(REGEX REPLACE "[ \n]+" " " flowing "${output}")
expect_contains("warning" "HalideCache: the folder ${WORK}/file/cache cannot be made." "${flowing}")
expect_wrapped(2 build)
configure(steps build ${arguments} -U Halide_CACHE_DIR "-DHalide_CACHE_DIR=${WORK}/file")
expect_warnings(1)
expect_wrapped(2 build)

# CMake generators that we do not know.
file(WRITE "${WORK}/xcode.cmake" "set(CMAKE_GENERATOR Xcode)\n")
configure(steps build ${arguments} "-DCMAKE_PROJECT_steps_INCLUDE=${WORK}/xcode.cmake" -U Halide_CACHE_DIR "-DHalide_CACHE_DIR=${CACHE_DIR}")
expect_summary("off: the CMake generator Xcode is not supported")
expect_warnings(1)
expect_wrapped(0 build)
