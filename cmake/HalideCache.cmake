# SPDX-License-Identifier: MIT
#[=======================================================================[.rst:
HalideCache
-----------

Caches what Halide generators compile. Load it with::

  find_package(HalideCache REQUIRED)

before or after ``find_package(Halide)``, or, for a project that nobody is to
edit, by ``-DCMAKE_PROJECT_TOP_LEVEL_INCLUDES=<dir>/HalideCacheInject.cmake``.

When ``Halide_CACHE_DIR`` names a folder, the generator and runtime commands
that ``add_halide_library``, ``add_halide_runtime`` and
``add_halide_python_extension_library`` issue from there on are run by
``halide-cache``. When it is empty, nothing is changed. There is no command to
call. ``docs/cmake.md`` describes the mechanism and its limits.

Variables
^^^^^^^^^

``Halide_CACHE_DIR``
  Cache variable, the folder of the cache; default ``$ENV{HL_CACHE_DIR}``. A
  normal variable of the same name wins where it is set, so that a subfolder
  can choose another folder or none.

``HalideCache_PROBE``
  A probe that was built before, for builds that cannot compile one: cross
  compiling. It has to be made for the Halide that the generators are linked to.

Targets
^^^^^^^

``HalideCache::halide-cache``
  The helper program.

``halidecache_probe``
  The plugin that is loaded into generators, not part of ``all``. It exists
  where caching is on.

The other files
^^^^^^^^^^^^^^^

``HalideCacheHook.cmake``     notices Halide and patches its helper file
``HalideCacheForward.cmake``  ``add_custom_command`` in the patched file
``HalideCacheCommand.cmake``  what is put in front of a generator
``HalideCacheProbe.cmake``    is this Halide usable, and the probe for it
``HalideCacheInject.cmake``   for projects that nobody edits

All functions are private, and what they remember lies in global properties
``_HalideCache_*``, which CMake forgets with every configure.
#]=======================================================================]

# The first copy that is loaded serves the whole tree: two would patch each other.
get_property(_HalideCache_loaded GLOBAL PROPERTY _HalideCache_MODULE_DIR)
if (_HalideCache_loaded)
    unset(_HalideCache_loaded)
    return()
endif ()
unset(_HalideCache_loaded)

# No cmake_minimum_required: it would set a variable of whoever includes this.
cmake_policy(VERSION 3.25)

set_property(GLOBAL PROPERTY _HalideCache_MODULE_DIR "${CMAKE_CURRENT_LIST_DIR}")

include("${CMAKE_CURRENT_LIST_DIR}/HalideCacheCommand.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/HalideCacheHook.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/HalideCacheProbe.cmake")

##
# Loading: once per find_package(HalideCache) or add_subdirectory
##

# Defines the user's switch and, when it is set, hooks into Halide. `source_dir` holds the
# probe's sources.
function(_halidecache_load source_dir)
    set(Halide_CACHE_DIR "$ENV{HL_CACHE_DIR}"
        CACHE PATH "Folder of the Halide generator cache. Empty: no caching."
    )
    if (NOT HalideCache_FIND_QUIETLY)
        set_property(GLOBAL PROPERTY _HalideCache_TALK TRUE)
    endif ()

    # Not if (Halide_CACHE_DIR): that takes a path that ends in -NOTFOUND for false.
    _halidecache_is_on(is_on)
    if (NOT is_on)
        get_property(said GLOBAL PROPERTY _HalideCache_SAID)
        if (NOT said AND Halide_CACHE_DIR STREQUAL "")
            _halidecache_say("off (Halide_CACHE_DIR is empty)")
        elseif (NOT said)
            _halidecache_say("off (Halide_CACHE_DIR is ${Halide_CACHE_DIR})")
        endif ()
        return()
    endif ()
    if (CMAKE_HOST_WIN32)
        # No warning: there is nothing that could be done about it.
        _halidecache_say("off: generators cannot be cached on Windows, the probe needs fork()")
        return()
    endif ()
    _halidecache_cache_dir(dir)

    if (NOT CMAKE_GENERATOR MATCHES "Ninja|Makefiles")
        _halidecache_turn_off("the CMake generator ${CMAKE_GENERATOR} is not supported"
            "Ninja, Ninja Multi-Config and the Makefile generators are."
        )
        return()
    endif ()

    get_property(loaded GLOBAL PROPERTY _HalideCache_PROGRAM SET)
    if (NOT loaded)
        set_property(GLOBAL PROPERTY _HalideCache_SOURCE_DIR "${source_dir}")
        _halidecache_locate(program HalideCache::halide-cache)
        set_property(GLOBAL PROPERTY _HalideCache_PROGRAM "${program}")
        set(tracer "")
        if (TARGET HalideCache::tracer)
            _halidecache_locate(tracer HalideCache::tracer)
        endif ()
        set_property(GLOBAL PROPERTY _HalideCache_TRACER "${tracer}")
        cmake_language(DEFER DIRECTORY "${CMAKE_SOURCE_DIR}" CALL _halidecache_report)
        _halidecache_watch_halide()
    endif ()

    # Halide may have been found before.
    if (COMMAND add_halide_library)
        _halidecache_hook()
    endif ()
    _halidecache_look_at_halide()
endfunction()

# The file of a target of ours. An imported target is visible in the folder that found
# the package only, and commands may be added in others: hence its path. One that is built
# in this tree is visible everywhere, and its generator expression makes what uses it
# depend on it (without running a generator again when it changes).
function(_halidecache_locate out target)
    get_target_property(imported "${target}" IMPORTED)
    if (imported)
        get_target_property(location "${target}" LOCATION)
    else ()
        set(location "$<TARGET_FILE:${target}>")
    endif ()
    set(${out} "${location}" PARENT_SCOPE)
endfunction()

# At the end of the top folder: what could not be said before.
function(_halidecache_report)
    get_property(decided GLOBAL PROPERTY _HalideCache_SAID)
    if (NOT decided)
        get_property(hooked GLOBAL PROPERTY _HalideCache_HOOKED)
        if (hooked)
            _halidecache_say(
                "off: HalideHelpers were found, but no Halide::Halide to make a probe for"
            )
        else ()
            _halidecache_say("off: no Halide was found")
        endif ()
        return()
    endif ()

    get_property(strange GLOBAL PROPERTY _HalideCache_STRANGE_COMMANDS)
    get_property(wrapped GLOBAL PROPERTY _HalideCache_WRAPPED)
    get_property(helper GLOBAL PROPERTY _HalideCache_HOOKED)
    if (strange AND NOT wrapped)
        string(CONCAT details
            "${helper} starts its generators in a way that HalideCache does not know: the "
            "first word of their commands should be an executable target, or Python's "
            "`cmake -E env PYTHONPATH=... --`. The build goes on, uncached."
        )
        _halidecache_warn("No generator command was recognised" "${details}")
    endif ()
endfunction()

##
# Messages
##

# The summary line, once per configure and text.
function(_halidecache_say text)
    get_property(said GLOBAL PROPERTY _HalideCache_SAID)
    string(SHA256 id "${text}")
    if (id IN_LIST said)
        return()
    endif ()
    set_property(GLOBAL APPEND PROPERTY _HalideCache_SAID "${id}")
    get_property(talk GLOBAL PROPERTY _HalideCache_TALK)
    if (talk)
        message(STATUS "HalideCache: ${text}")
    endif ()
endfunction()

# A warning, once per configure and headline.
function(_halidecache_warn headline details)
    get_property(warned GLOBAL PROPERTY _HalideCache_WARNED)
    string(SHA256 id "${headline}")
    if (NOT id IN_LIST warned)
        set_property(GLOBAL APPEND PROPERTY _HalideCache_WARNED "${id}")
        message(WARNING "HalideCache: ${headline}.\n${details}")
    endif ()
endfunction()

# The user asked for caching and does not get it: a warning with the details, and the
# summary line.
function(_halidecache_turn_off reason details)
    _halidecache_warn("off: ${reason}" "${details} The build goes on, uncached.")
    _halidecache_say("off: ${reason}")
endfunction()
