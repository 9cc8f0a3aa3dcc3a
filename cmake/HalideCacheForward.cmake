# SPDX-License-Identifier: MIT
# The add_custom_command of the patched helper file, which includes this at its end: a
# function runs under the policies of the place that defines it, and these have to be the
# ones that Halide's text asks for. So no policies here, and nothing that depends on one.

# Calls add_custom_command with the very same arguments, but with halide-cache before the
# programs that are generators. Arguments are handed on as code, because no list can hold
# an empty argument, or one with a semicolon, and stay what it is.
function(_halidecache_custom_command)
    # -g or -r: it is a generator that compiles a pipeline or a runtime. Other commands of
    # Halide's (lipo, copying a DLL) have neither.
    set(compiles FALSE)
    math(EXPR last "${ARGC} - 1")
    foreach (i RANGE ${last})
        if ("${ARGV${i}}" STREQUAL "-g" OR "${ARGV${i}}" STREQUAL "-r")
            set(compiles TRUE)
        endif ()
    endforeach ()

    set(code "add_custom_command(")
    set(is_program FALSE)
    foreach (i RANGE ${last})
        set(argument "${ARGV${i}}")
        if (is_program AND compiles)
            set(type "")
            set(python FALSE)
            if (TARGET "${argument}")
                get_target_property(type "${argument}" TYPE)
            elseif ("${argument}" STREQUAL "${CMAKE_COMMAND}")
                math(EXPR after "${i} + 3")
                if (after LESS ARGC AND "${ARGV${after}}" MATCHES "^PYTHONPATH=")
                    set(python TRUE)
                endif ()
            endif ()

            if ("${type}" STREQUAL "EXECUTABLE")
                _halidecache_prefix(prefix "${argument}")
                if (NOT "${prefix}" STREQUAL "")
                    # CMake replaces a target by its file in the first word only.
                    set(argument "$<TARGET_FILE:${argument}>")
                endif ()
            elseif (python)
                _halidecache_prefix(prefix "")
            else ()
                set(prefix "")
                set_property(GLOBAL PROPERTY _HalideCache_STRANGE_COMMANDS TRUE)
            endif ()
            string(APPEND code " ${prefix}")
        endif ()
        if ("${argument}" STREQUAL "COMMAND")
            set(is_program TRUE)
        else ()
            set(is_program FALSE)
        endif ()
        _halidecache_quote(argument "${argument}")
        string(APPEND code " ${argument}")
    endforeach ()
    cmake_language(EVAL CODE "${code})")
endfunction()
