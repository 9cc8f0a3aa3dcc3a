# SPDX-License-Identifier: MIT
# The only place that touches Halide's commands.
#
# Halide's helper file is copied with `add_custom_command` replaced by a function of ours,
# and the copy is included over the original: the user's own custom commands never come
# here. Every find_package(Halide) or find_package(HalideHelpers) loads the original again,
# so the copy has to follow it each time.

# Has _halidecache_notice called for every find_package(Halide).
function(_halidecache_watch_halide)
    variable_watch(HalideHelpers_FOUND _halidecache_notice)
    variable_watch(Halide_FOUND _halidecache_notice)
endfunction()

# Called by variable_watch on every use of a watched variable. Halide's config finds
# HalideHelpers before it defines Halide::Halide, so both are needed. What happens here
# happens also where Halide_CACHE_DIR is empty, for the folders where it is not.
function(_halidecache_notice variable access value)
    if (access STREQUAL "MODIFIED_ACCESS" AND value)
        if (variable STREQUAL "HalideHelpers_FOUND" OR NOT HalideHelpers_DIR)
            _halidecache_hook()
        endif ()
        if (variable STREQUAL "Halide_FOUND")
            _halidecache_look_at_halide()
        endif ()
    endif ()
endfunction()

# Puts the patched copy of the helper file in place of the original, which was loaded.
function(_halidecache_hook)
    set_property(GLOBAL PROPERTY _HalideCache_HOOKED "")
    set(helper_dir "${HalideHelpers_DIR}")
    if (NOT helper_dir)
        set(helper_dir "${Halide_DIR}")
    endif ()
    set(helper "${helper_dir}/HalideGeneratorHelpers.cmake")
    set(text "")
    if (EXISTS "${helper}")
        file(READ "${helper}" text)
    endif ()

    if (text MATCHES "Halide_CACHE_DIR|HL_CACHE_DIR")
        # Halide's own cache works on the same variable. It was made for this Halide, and
        # is already wired in; two caches would only store everything twice.
        _halidecache_say(
            "off: Halide ${HalideHelpers_VERSION} caches by itself, in Halide_CACHE_DIR"
        )
        return()
    endif ()

    set(name "(^|[^A-Za-z0-9_])add_custom_command")
    if (NOT text MATCHES "${name}[ \t\r\n]*\\([^()]*[ \t\r\n]COMMAND[^()]*[ \t\r\n]-g[ \t\r\n]"
        OR NOT text MATCHES "cmake_minimum_required[ \t]*\\("
    )
        string(CONCAT details
            "It looked for the add_custom_command that runs a generator with `-g`, in a file "
            "that begins with cmake_minimum_required: ${helper} (Halide "
            "${HalideHelpers_VERSION})."
        )
        _halidecache_turn_off(
            "Halide's helpers are not as HalideCache knows them" "${details}"
        )
        return()
    endif ()

    # The line numbers stay: messages that name the copy are right for the original too.
    string(
        REGEX REPLACE "${name}([ \t\r\n]*\\()" "\\1_halidecache_custom_command\\2"
        text "${text}"
    )
    string(REGEX REPLACE "([ \t\"\$\\()#])" "\\\\\\1" helper_dir "${helper_dir}")
    string(REPLACE "\${CMAKE_CURRENT_LIST_DIR}" "${helper_dir}" text "${text}")
    string(REPLACE "\${CMAKE_CURRENT_FUNCTION_LIST_DIR}" "${helper_dir}" text "${text}")

    get_property(module_dir GLOBAL PROPERTY _HalideCache_MODULE_DIR)
    _halidecache_quote(forward "${module_dir}/HalideCacheForward.cmake")
    _halidecache_quote(original "Made by HalideCache from ${helper}.")
    string(APPEND text "\n#${original}\ninclude(${forward})\n")

    string(SHA256 id "${helper}")
    string(SUBSTRING "${id}" 0 8 id)
    set(copy "${CMAKE_BINARY_DIR}/CMakeFiles/HalideCache/${id}/HalideGeneratorHelpers.cmake")
    set(previous "")
    if (EXISTS "${copy}")
        file(READ "${copy}" previous)
    endif ()
    if (NOT text STREQUAL previous)
        file(WRITE "${copy}" "${text}")
    endif ()

    # The files that it includes print their messages a second time unless told not to.
    set(CMAKE_FIND_PACKAGE_NAME HalideHelpers)
    set(HalideHelpers_FIND_QUIETLY TRUE)
    include("${copy}")
    set_property(GLOBAL PROPERTY _HalideCache_HOOKED "${helper}")
endfunction()
