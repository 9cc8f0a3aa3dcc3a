# After an edit of a comment in a generator's source, Ninja compiles and runs the generator
# and stops there; Make does what it always does. The build after that has nothing to do.

set(source "${WORK}/source")
file(COPY "${PROJECTS}/small/" DESTINATION "${source}")
set(ENV{HALIDE_CACHE_LOG} "${WORK}/log")
configure(
    "${source}" build
    -D CMAKE_BUILD_TYPE=Release
    -D "HalideCache_DIR=${PACKAGE}"
    -D "Halide_CACHE_DIR=${CACHE_DIR}"
)
build(build)

# Builds, and sets <out> to what was done: the commands, one a line.
function (build_steps out)
    if (GENERATOR STREQUAL "Ninja")
        set(ENV{NINJA_STATUS} "step ")
    endif ()
    file(WRITE "${WORK}/log" "")
    run("${CMAKE}" --build "${WORK}/build" --verbose)
    string(REGEX MATCHALL "step [^\n]*" steps "${output}")
    set(${out} "${steps}" PARENT_SCOPE)
    # What says how a command ended; other lines say what there was besides.
    file(STRINGS "${WORK}/log" log REGEX "^([a-z]+ hit|miss|bypass) ")
    list(LENGTH log count)
    set(commands "${count}" PARENT_SCOPE)
    set(log "${log}" PARENT_SCOPE)
endfunction ()

function (expect_nothing_to_do when)
    if (GENERATOR STREQUAL "Ninja")
        run("${CMAKE}" --build "${WORK}/build" -- -n -d explain)
        expect_contains("a build ${when}" "ninja: no work to do." "${output}")
    else ()
        build_steps(steps)
        expect_equal("generators that run in a build ${when}" 0 "${commands}")
    endif ()
endfunction ()

function (edit_comment text)
    # Some file systems and make count in whole seconds.
    execute_process(COMMAND "${CMAKE_COMMAND}" -E sleep 1.1)
    edit_file("${source}/small_generator.cpp" "// Two pipelines" "// ${text} two pipelines")
    file(READ "${source}/small_generator.cpp" source_text)
    string(REPLACE "// ${text} two pipelines" "// Two pipelines, ${text}" source_text "${source_text}")
    file(WRITE "${source}/small_generator.cpp" "${source_text}")
endfunction ()

# The five libraries' commands run; archives and links of what uses them do not.
function (expect_cutoff what)
    build_steps(steps)
    foreach (step IN LISTS steps)
        if (NOT step MATCHES "small_generator")
            fail("${what}: a step that should not run" "only those of small_generator" "${step}")
        endif ()
    endforeach ()
    list(LENGTH steps count)
    math(EXPR expected "${commands} + 2")
    expect_equal("${what}: steps" "${expected}" "${count}")
endfunction ()

expect_nothing_to_do("after the first")
foreach (when IN ITEMS hits misses)
    edit_comment("${when}")
    if (when STREQUAL "misses")
        run("${HELPER}" clear "--dir=${CACHE_DIR}")
    endif ()
    if (GENERATOR STREQUAL "Ninja")
        expect_cutoff("${when}")
    else ()
        build_steps(steps)
    endif ()
    if (commands LESS 4)
        fail("number of generators that ran" "4 or 5" "${log}")
    endif ()
    expect_nothing_to_do("after ${when}")
endforeach ()
