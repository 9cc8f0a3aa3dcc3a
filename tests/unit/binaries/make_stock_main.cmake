# Makes programs to tell stock ones from others:
#
#   cmake -DFORMAT=elf|macho "-DCOMPILER=<program;options>" [-DLINKER=<ld64.lld>]
#         [-DSTRIP=<program>] "-DLEVELS=<-O0;...>" -DOUTPUT=<folder>
#         -P make_stock_main.cmake
#
# The folder receives them and the file index.txt, with one line for each: "stock" or
# "own", a space, and the name. When the tools do not work for this there is no index.txt.

cmake_minimum_required(VERSION 3.25)

set(sources "${CMAKE_CURRENT_LIST_DIR}")
set(index "")

function(try result)
    execute_process(
        COMMAND ${ARGN}
        WORKING_DIRECTORY "${OUTPUT}"
        RESULT_VARIABLE status
        OUTPUT_QUIET ERROR_VARIABLE errors
    )
    if (status EQUAL 0)
        set(${result} TRUE PARENT_SCOPE)
    else ()
        set(${result} FALSE PARENT_SCOPE)
        set_property(GLOBAL PROPERTY last_errors "${ARGN}\n${errors}")
    endif ()
endfunction()

function(run)
    try(ok ${ARGN})
    if (NOT ok)
        get_property(errors GLOBAL PROPERTY last_errors)
        message(FATAL_ERROR "${errors}")
    endif ()
endfunction()

macro(note expected name)
    string(APPEND index "${expected} ${name}\n")
endmacro()

# Links objects to a program. ARGN: options and objects.
function(link name)
    if (FORMAT STREQUAL "elf")
        run(${COMPILER} -o ${name} ${ARGN})
    else ()
        run(${LINKER} -arch ${arch} -platform_version macos 11.0 11.0 -o ${name} ${ARGN}
            "${sources}/libSystem.tbd")
    endif ()
endfunction()

# Adds the program and, if its format allows that to be recognised, its stripped twin.
macro(add_program expected stripped_expected name)
    link(${name} ${ARGN})
    note(${expected} ${name})
    if (STRIP)
        run("${STRIP}" -o ${name}-stripped ${name})
        note(${stripped_expected} ${name}-stripped)
    endif ()
endmacro()

# ---- What the tools can do --------------------------------------------------------------

file(REMOVE_RECURSE "${OUTPUT}")
file(MAKE_DIRECTORY "${OUTPUT}")
execute_process(
    COMMAND ${COMPILER} -dumpmachine
    OUTPUT_VARIABLE machine
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
)
if (machine MATCHES "^x86_64-")
    set(arch x86_64)
    set(protections none full)
    set(protect -fcf-protection=)
elseif (machine MATCHES "^(aarch64|arm64)-")
    set(arch arm64)
    set(protections none standard)
    set(protect -mbranch-protection=)
else ()
    return()
endif ()

if (FORMAT STREQUAL "elf")
    if (NOT machine MATCHES "linux")
        return()
    endif ()
    set(pies -fno-pie -fPIE)
    set(nows lazy now)
    set(shared libfake_halide.so)
    try(works ${COMPILER} -shared -fPIC -O1 -o ${shared} "${sources}/fake_halide.c")
    if (NOT works)
        return()
    endif ()
else ()
    set(pies -fPIE)
    set(nows lazy)
    set(shared libfake_halide.dylib)
    try(works ${COMPILER} -O1 -c -o fake_shared.o "${sources}/fake_halide.c")
    if (NOT works)
        return()
    endif ()
    link(${shared} -dylib -install_name @rpath/${shared} fake_shared.o)
endif ()
run(${COMPILER} -O1 -ffunction-sections -c -o fake_halide.o "${sources}/fake_halide.c")

# musl's start is not one that can be recognised.
set(stripped stock)
if (machine MATCHES "musl" OR COMPILER MATCHES "musl")
    set(stripped own)
endif ()

set(few_levels ${LEVELS})
list(REMOVE_ITEM few_levels -O1 -Os)

# ---- Stock ones -------------------------------------------------------------------------

foreach (level IN LISTS LEVELS)
    foreach (pie IN LISTS pies)
        foreach (plt IN ITEMS -fplt -fno-plt)
            foreach (protection IN LISTS protections)
                set(name "stock${level}${pie}${plt}-${protection}")
                set(options ${level} ${pie} ${plt} "${protect}${protection}")
                run(${COMPILER} ${options} -c -o ${name}.o "${sources}/stock_main.c")
                foreach (now IN LISTS nows)
                    if (now STREQUAL "now" AND NOT level STREQUAL "-O2")
                        continue() # code and linking are independent
                    endif ()
                    set(link_options "")
                    if (FORMAT STREQUAL "elf")
                        string(REPLACE "-fno-pie" "-no-pie" pie_link "${pie}")
                        string(REPLACE "-fPIE" "-pie" pie_link "${pie_link}")
                        set(link_options ${pie_link} "${protect}${protection}" -Wl,-z,${now})
                    endif ()
                    add_program(stock ${stripped} "${name}-${now}" ${link_options}
                                ${name}.o ${shared})
                endforeach ()
            endforeach ()
        endforeach ()
    endforeach ()
endforeach ()

# A static Halide is recognised by its symbols.
foreach (level IN LISTS few_levels)
    if (FORMAT STREQUAL "elf")
        add_program(stock own "static${level}" "stock${level}-fPIE-fplt-none.o" -pie
                    fake_halide.o)
        add_program(stock own "static-no-pie${level}" "stock${level}-fno-pie-fplt-none.o"
                    -no-pie fake_halide.o)
        try(works ${COMPILER} -static -o "static-libc${level}"
            "stock${level}-fno-pie-fplt-none.o" fake_halide.o)
        if (works)
            note(stock "static-libc${level}")
        endif ()
    else ()
        add_program(stock own "static${level}" "stock${level}-fPIE-fplt-none.o" fake_halide.o)
    endif ()
endforeach ()

# ---- Others -----------------------------------------------------------------------------

foreach (level IN LISTS few_levels)
    foreach (case RANGE 1 19)
        set(name "own${level}-${case}")
        set(link_options "")
        if (case EQUAL 18 AND FORMAT STREQUAL "elf")
            set(link_options -Wl,-e,own_start)
        elseif (case EQUAL 18)
            set(link_options -e _own_start)
        endif ()
        run(${COMPILER} ${level} -DCASE=${case} -c -o ${name}.o "${sources}/own_main.c")
        if (FORMAT STREQUAL "elf")
            list(APPEND link_options -fPIE -pie)
        endif ()
        add_program(own own ${name} ${link_options} ${name}.o ${shared})
        # With Halide in the program: what could be told from its symbols.
        if (case MATCHES "^(1|4|5|13|14|18|19)$" AND level STREQUAL "-O2")
            link("${name}-static" ${link_options} ${name}.o fake_halide.o)
            note(own "${name}-static")
        endif ()
    endforeach ()
endforeach ()

file(WRITE "${OUTPUT}/index.txt" "${index}")
