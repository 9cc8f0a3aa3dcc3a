# SPDX-License-Identifier: MIT
# Runs one case: cmake -D CASE=<name> -D ... -P run_case.cmake
#
#   CASE        cases/<name>.cmake, which calls the commands below
#   CMAKE       the CMake that configures the projects
#   GENERATOR   its generator
#   HALIDE      the prefix of a Halide, HALIDE_VERSION its version
#   OTHER_HALIDE, OTHER_HALIDE_VERSION   another one, where there is one
#   HALIDE_WITHOUT_SERIALIZATION   the prefix of another one, where there is one
#   PACKAGE     the build tree of HalideCache
#   PREFIX      where it is installed
#   REPOSITORY  its sources
#   HELPER      the halide-cache program of the build tree
#   TRACER      the tracer there; empty where there is none
#   WORK        a folder of this case's own
#
# A case ends at its first difference, with the command, what was expected and what came.

cmake_minimum_required(VERSION 3.25)

# Nothing of the user's environment decides.
set(ENV{LC_ALL} C)
set(ENV{TZ} UTC)
foreach (
    variable IN ITEMS
    CMAKE_GENERATOR CMAKE_PREFIX_PATH CMAKE_BUILD_TYPE CMAKE_CONFIG_TYPE CMAKE_EXPORT_COMPILE_COMMANDS
    CMAKE_TOOLCHAIN_FILE CMAKE_CXX_COMPILER_LAUNCHER CXXFLAGS LDFLAGS DESTDIR MAKEFLAGS MAKELEVEL
    NINJA_STATUS Halide_ROOT HalideHelpers_ROOT HalideCache_ROOT HalideCache_DIR
    HL_CACHE_DIR HL_CACHE_MAX_SIZE HL_CACHE_MAX_AGE HL_TARGET
)
    unset(ENV{${variable}})
endforeach ()

file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}/home")
set(ENV{HOME} "${WORK}/home")
set(PROJECTS "${CMAKE_CURRENT_LIST_DIR}/projects")
set(CACHE_DIR "${WORK}/cache")
set(MODES "pipeline mode")
if (TRACER)
    set(MODES "direct and pipeline mode")
endif ()

# ---- Failing -------------------------------------------------------------------------

# What ran last, for the report.
set_property(GLOBAL PROPERTY last_command "")

function(fail what)
    get_property(command GLOBAL PROPERTY last_command)
    set(text "${what}")
    if (ARGC GREATER 1)
        string(APPEND text "\n---- expected\n${ARGV1}\n---- actual\n${ARGV2}\n----")
    endif ()
    # Not by message(FATAL_ERROR) alone: it would wrap and indent what has to be exact.
    message("FAILED: ${text}\ncommand: ${command}")
    message(FATAL_ERROR "case ${CASE} failed")
endfunction()

function(expect_equal what expected actual)
    if (NOT "${expected}" STREQUAL "${actual}")
        fail("${what}" "${expected}" "${actual}")
    endif ()
endfunction()

function(expect_contains what expected actual)
    string(FIND "${actual}" "${expected}" position)
    if (position EQUAL -1)
        fail("${what}: does not contain the text" "${expected}" "${actual}")
    endif ()
endfunction()

# How often a text (no regular expression) occurs.
function(count_text out text where)
    string(REPLACE "${text}" "" without "${where}")
    string(LENGTH "${text}" length)
    string(LENGTH "${where}" before)
    string(LENGTH "${without}" after)
    math(EXPR count "(${before} - ${after}) / ${length}")
    set(${out} "${count}" PARENT_SCOPE)
endfunction()

function(expect_count what count text where)
    count_text(actual "${text}" "${where}")
    if (NOT actual EQUAL count)
        fail("${what}: number of times that this text occurs: ${text}" "${count}" "${actual}, in\n${where}")
    endif ()
endfunction()

# Files with the same bytes; shows where they part.
function(expect_same_file what expected actual)
    file(READ "${expected}" expected_text)
    file(READ "${actual}" actual_text)
    expect_same_text("${what}" "${expected_text}" "${actual_text}")
endfunction()

function(expect_same_text what expected actual)
    if (NOT "${expected}" STREQUAL "${actual}")
        file(WRITE "${WORK}/expected.txt" "${expected}")
        file(WRITE "${WORK}/actual.txt" "${actual}")
        execute_process(
            COMMAND diff -U1 "${WORK}/expected.txt" "${WORK}/actual.txt"
            OUTPUT_VARIABLE difference
            ERROR_VARIABLE difference
        )
        string(SUBSTRING "${difference}" 0 4000 difference)
        fail("${what}: the first differences are\n${difference}")
    endif ()
endfunction()

# ---- Running -------------------------------------------------------------------------

# run(<command>...): fails unless it ends with 0. Sets `output` to both its streams.
function(run)
    set_property(GLOBAL PROPERTY last_command "${ARGV}")
    execute_process(
        COMMAND ${ARGV}
        RESULT_VARIABLE result
        OUTPUT_VARIABLE output
        ERROR_VARIABLE output
    )
    if (NOT result EQUAL 0)
        fail("exit status" "0" "${result}\n${output}")
    endif ()
    set(output "${output}" PARENT_SCOPE)
endfunction()

# configure(<project> <build> [<argument>...]): configures projects/<project>, or an
# absolute path, in ${WORK}/<build>. Sets `output`. Packages that have nothing to do with
# this are not looked for, to save time.
function(configure project build)
    _configure("${project}" "${build}" ${ARGN})
    if (NOT result EQUAL 0)
        fail("exit status" "0" "${result}\n${output}")
    endif ()
    set(output "${output}" PARENT_SCOPE)
endfunction()

# The same, when it has to fail.
function(configure_fails project build)
    _configure("${project}" "${build}" ${ARGN})
    if (NOT result EQUAL 1)
        fail("exit status" "1" "${result}\n${output}")
    endif ()
    set(output "${output}" PARENT_SCOPE)
endfunction()

function(_configure project build)
    cmake_path(ABSOLUTE_PATH project BASE_DIRECTORY "${PROJECTS}" NORMALIZE)
    cmake_path(ABSOLUTE_PATH build BASE_DIRECTORY "${WORK}" NORMALIZE)
    set(halide "")
    if (HALIDE)
        find_halide(halide "${HALIDE}")
    endif ()
    set(command
        "${CMAKE}" -S "${project}" -B "${build}" -G "${GENERATOR}" --no-warn-unused-cli
        -D CMAKE_DISABLE_FIND_PACKAGE_PNG=ON
        -D CMAKE_DISABLE_FIND_PACKAGE_JPEG=ON
        ${halide}
    )
    set_property(GLOBAL PROPERTY last_command "${command} ${ARGN}")
    execute_process(
        COMMAND ${command} ${ARGN}
        WORKING_DIRECTORY "${WORK}"
        RESULT_VARIABLE result
        OUTPUT_VARIABLE output
        ERROR_VARIABLE output
    )
    set(result "${result}" PARENT_SCOPE)
    set(output "${output}" PARENT_SCOPE)
endfunction()

# The arguments that lead to the Halide in a prefix.
function(find_halide out prefix)
    file(
        GLOB config
        "${prefix}/lib*/cmake/Halide*/HalideConfig.cmake"
        "${prefix}/lib*/*/cmake/Halide*/HalideConfig.cmake"
    )
    file(
        GLOB helpers
        "${prefix}/lib*/cmake/HalideHelpers*/HalideHelpersConfig.cmake"
        "${prefix}/lib*/*/cmake/HalideHelpers*/HalideHelpersConfig.cmake"
    )
    if (NOT config OR NOT helpers)
        fail("there is no Halide in ${prefix}")
    endif ()
    cmake_path(GET config PARENT_PATH config)
    cmake_path(GET helpers PARENT_PATH helpers)
    set(${out} -D "Halide_DIR=${config}" -D "HalideHelpers_DIR=${helpers}" PARENT_SCOPE)
endfunction()

# build(<build> [<target>...]). Sets `output`.
function(build build)
    set(targets "")
    if (ARGN)
        set(targets --target ${ARGN})
    endif ()
    cmake_path(ABSOLUTE_PATH build BASE_DIRECTORY "${WORK}" NORMALIZE)
    run("${CMAKE}" --build "${build}" ${targets})
    set(output "${output}" PARENT_SCOPE)
endfunction()

# ---- Looking at what was made --------------------------------------------------------

# All build files of a tree as one text.
function(read_build_files out build)
    cmake_path(ABSOLUTE_PATH build BASE_DIRECTORY "${WORK}" NORMALIZE)
    file(GLOB_RECURSE files "${build}/build.ninja" "${build}/impl-*.ninja" "${build}/build.make")
    set(text "")
    foreach (file IN LISTS files)
        file(READ "${file}" part)
        string(APPEND text "${part}")
    endforeach ()
    set(${out} "${text}" PARENT_SCOPE)
endfunction()

# The lines of a text in order. They may hold what CMake takes for parts of a list.
function(sort_lines out text)
    string(REPLACE ";" "<semicolon>" text "${text}")
    string(REPLACE "[" "<bracket>" text "${text}")
    string(REPLACE "]" "</bracket>" text "${text}")
    string(REPLACE "\\\n" "<continued>" text "${text}")
    string(REPLACE "\n" ";" text "${text}")
    list(SORT text)
    list(JOIN text "\n" text)
    set(${out} "${text}" PARENT_SCOPE)
endfunction()

# What the commands of a configure with the build tree's package have in front; `dir`
# and `probe` as they are written in the build files.
function(get_prefix out dir probe)
    set(more "")
    if (TRACER)
        string(APPEND more " --tracer=${TRACER}")
    endif ()
    if (GENERATOR MATCHES "Ninja")
        string(APPEND more " --restat")
    endif ()
    set(${out} "${HELPER} run --dir=${dir} --probe=${probe}${more} -- " PARENT_SCOPE)
endfunction()

# The number of commands that go through the helper.
function(count_wrapped out build)
    read_build_files(text "${build}")
    string(REGEX MATCHALL "halide-cache\"? run \"?--dir=" prefixes "${text}")
    list(LENGTH prefixes count)
    set(${out} "${count}" PARENT_SCOPE)
endfunction()

function(expect_wrapped count build)
    count_wrapped(actual "${build}")
    expect_equal("number of cached commands in ${build}" "${count}" "${actual}")
endfunction()

# The summary lines and warnings of ours in what a configure printed.
function(expect_summary line)
    string(REGEX MATCHALL "-- HalideCache: [^\n]*" lines "${output}")
    expect_equal("summary line" "-- HalideCache: ${line}" "${lines}")
endfunction()

function(expect_warnings count)
    string(REGEX MATCHALL "CMake Warning[^\n]*:\n[^\n]*\n?" warnings "${output}")
    list(LENGTH warnings actual)
    if (NOT actual EQUAL count)
        fail("number of warnings" "${count}" "${actual}, in\n${output}")
    endif ()
endfunction()

# ---- A Halide that is not quite one --------------------------------------------------

# Makes ${WORK}/<name>, a copy of HALIDE's CMake files with links to all the rest, and
# sets <out> to it, for a case to change.
function(copy_halide out name)
    set(copy "${WORK}/${name}")
    file(
        GLOB_RECURSE files
        RELATIVE "${HALIDE}"
        "${HALIDE}/bin/*" "${HALIDE}/include/*" "${HALIDE}/lib/*" "${HALIDE}/lib64/*"
        "${HALIDE}/share/*"
    )
    foreach (file IN LISTS files)
        cmake_path(GET file PARENT_PATH folder)
        file(MAKE_DIRECTORY "${copy}/${folder}")
        if (file MATCHES "\\.cmake$")
            file(COPY "${HALIDE}/${file}" DESTINATION "${copy}/${folder}")
        else ()
            file(CREATE_LINK "${HALIDE}/${file}" "${copy}/${file}" SYMBOLIC)
        endif ()
    endforeach ()
    set(${out} "${copy}" PARENT_SCOPE)
endfunction()

# Replaces a text in a file, and fails if it is not there.
function(edit_file file old new)
    file(READ "${file}" text)
    expect_contains("${file}" "${old}" "${text}")
    string(REPLACE "${old}" "${new}" text "${text}")
    file(WRITE "${file}" "${text}")
endfunction()

include("${CMAKE_CURRENT_LIST_DIR}/cases/${CASE}.cmake")
message("case ${CASE} passed")
