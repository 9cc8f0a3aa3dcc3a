# SPDX-License-Identifier: MIT
# What is put in front of a generator command.

# Is caching wanted where this is called?
function(_halidecache_is_on out)
    set(on TRUE)
    if (NOT DEFINED Halide_CACHE_DIR
        OR Halide_CACHE_DIR STREQUAL ""
        OR Halide_CACHE_DIR MATCHES "^(0|OFF|NO|N|FALSE|IGNORE|NOTFOUND)$"
    )
        set(on FALSE)
    endif ()
    set(${out} "${on}" PARENT_SCOPE)
endfunction()

# Halide_CACHE_DIR as an absolute path. Stops the configure at a value that cannot be
# meant; warns, once, of a folder that cannot be made.
function(_halidecache_cache_dir out)
    set(dir "${Halide_CACHE_DIR}")
    if (dir MATCHES "\\$[<(]")
        # `$(` would be a variable of make or Ninja, which CMake does not take for text.
        message(
            FATAL_ERROR
            "Halide_CACHE_DIR is `${dir}`: no generator expression and no variable of the "
            "build tool is possible here, all commands use the same folder."
        )
    elseif (dir MATCHES "[\r\n]")
        message(
            FATAL_ERROR "Halide_CACHE_DIR is `${dir}`: no line break is possible here."
        )
    elseif (dir MATCHES "^~(/|$)" AND NOT "$ENV{HOME}" STREQUAL "")
        # CMake does this by itself for `-D Halide_CACHE_DIR=~/...` only.
        string(REGEX REPLACE "^~" "" dir "${dir}")
        set(dir "$ENV{HOME}${dir}")
    elseif (dir MATCHES "^~")
        message(
            FATAL_ERROR
            "Halide_CACHE_DIR is `${dir}`: only `~/` is understood, write the folder out."
        )
    endif ()
    cmake_path(ABSOLUTE_PATH dir BASE_DIRECTORY "${CMAKE_BINARY_DIR}" NORMALIZE)

    string(SHA256 id "${dir}")
    get_property(tried GLOBAL PROPERTY _HalideCache_TRIED_${id})
    if (NOT tried)
        set_property(GLOBAL PROPERTY _HalideCache_TRIED_${id} TRUE)
        if (NOT IS_DIRECTORY "${dir}")
            # file(MAKE_DIRECTORY) would end the configure.
            execute_process(
                COMMAND "${CMAKE_COMMAND}" -E make_directory "${dir}"
                RESULT_VARIABLE result
                OUTPUT_QUIET
                ERROR_QUIET
            )
            if (NOT result EQUAL 0 OR NOT IS_DIRECTORY "${dir}")
                string(CONCAT details
                    "Halide_CACHE_DIR names it. Unless it appears before the build, the build "
                    "is going to be uncached."
                )
                _halidecache_warn("the folder ${dir} cannot be made" "${details}")
            endif ()
        endif ()
    endif ()
    set(${out} "${dir}" PARENT_SCOPE)
endfunction()

# The code of one argument whose value is exactly `value`: a bracket argument, in which
# nothing has a meaning. The line break at its start is not part of it; it is there because
# CMake would drop one that the value begins with.
function(_halidecache_quote out value)
    set(equals "=")
    while (TRUE)
        string(FIND "${value}" "]${equals}" position)
        if (position EQUAL -1)
            break()
        endif ()
        string(APPEND equals "=")
    endwhile ()
    set(${out} "[${equals}[\n${value}]${equals}]" PARENT_SCOPE)
endfunction()

# The code of the arguments that make a command go through the cache, to stand before its
# program. Empty when the command is to be left alone. `target` is the generator's target;
# empty for a Python generator.
function(_halidecache_prefix out target)
    set(${out} "" PARENT_SCOPE)
    _halidecache_is_on(is_on)
    if (NOT is_on)
        return()
    endif ()
    if (CMAKE_CROSSCOMPILING)
        # Only what was built for the machine that builds can load the probe. What is not
        # imported is built for the other one, and CMake runs it in an emulator.
        set(imported FALSE)
        if (target)
            get_target_property(imported "${target}" IMPORTED)
        endif ()
        if (NOT imported)
            return()
        endif ()
    endif ()
    _halidecache_get_probe(probe)
    if (NOT probe)
        return()
    endif ()

    _halidecache_cache_dir(dir)
    get_property(program GLOBAL PROPERTY _HalideCache_PROGRAM)
    get_property(tracer GLOBAL PROPERTY _HalideCache_TRACER)
    _halidecache_quote(code "${program}")
    string(APPEND code " run")
    foreach (option IN ITEMS dir probe tracer)
        if (NOT ${option} STREQUAL "")
            _halidecache_quote(argument "--${option}=${${option}}")
            string(APPEND code " ${argument}")
        endif ()
    endforeach ()
    if (CMAKE_GENERATOR MATCHES "Ninja")
        # Ninja looks at the outputs again and goes no further where they are as they were.
        # make would run the command each time: there, outputs always become newer.
        string(APPEND code " --restat")
    endif ()
    string(APPEND code " --")
    set(${out} "${code}" PARENT_SCOPE)
    set_property(GLOBAL PROPERTY _HalideCache_WRAPPED TRUE)
endfunction()
