# SPDX-License-Identifier: MIT
# Is the Halide that is visible here usable, and the probe that belongs to it.

# The Halide versions that the probe is known to fit, from the first to before the last.
# For others it is compiled once while configuring, so that a Halide whose interface has
# changed means an uncached build and not a broken one.
set_property(GLOBAL PROPERTY _HalideCache_KNOWN_FROM 19)
set_property(GLOBAL PROPERTY _HalideCache_KNOWN_BEFORE 22)

# The path, or generator expression, of the probe for generators that are used here; empty
# when there is none. Says once what is on, or off and why.
function(_halidecache_get_probe out)
    set(${out} "" PARENT_SCOPE)
    get_property(hooked GLOBAL PROPERTY _HalideCache_HOOKED)
    _halidecache_is_on(is_on)
    if (NOT hooked OR NOT is_on)
        return()
    endif ()
    _halidecache_halide_version(version)

    get_property(program GLOBAL PROPERTY _HalideCache_PROGRAM)
    if (CMAKE_CROSSCOMPILING AND program MATCHES "\\$<")
        string(CONCAT details
            "HalideCache is a part of this tree, so that its helper is built for another "
            "machine than this. Use an installed one, by find_package, and set "
            "HalideCache_PROBE."
        )
        _halidecache_turn_off("cross compiling" "${details}")
        return()
    elseif (HalideCache_PROBE)
        cmake_path(
            ABSOLUTE_PATH HalideCache_PROBE
            BASE_DIRECTORY "${CMAKE_BINARY_DIR}"
            OUTPUT_VARIABLE probe
        )
        if (EXISTS "${probe}")
            _halidecache_say_on("Halide ${version}, probe ${probe}")
            set(${out} "${probe}" PARENT_SCOPE)
        else ()
            _halidecache_turn_off("HalideCache_PROBE does not exist" "It is ${probe}.")
        endif ()
        return()
    elseif (CMAKE_CROSSCOMPILING)
        string(CONCAT details
            "The generators run on this machine, and so must the probe, which this build "
            "compiles for another one. Set HalideCache_PROBE to the one that the native "
            "build of the generators has made (its target is halidecache_probe)."
        )
        _halidecache_turn_off("cross compiling" "${details}")
        return()
    endif ()

    if (TARGET Halide::Halide)
        _halidecache_halide_location(location)
        string(SHA256 id "${location}")
        string(SUBSTRING "${id}" 0 8 id)
        get_property(known GLOBAL PROPERTY _HalideCache_PROBE_${id} SET)
        if (NOT known)
            _halidecache_check_halide(reason details "${location}" "${version}")
            set(probe "")
            if (reason STREQUAL "")
                _halidecache_add_probe(probe "${id}")
                set_property(GLOBAL APPEND PROPERTY _HalideCache_PROBES "${probe}")
                _halidecache_say_on("Halide ${version}")
            else ()
                _halidecache_turn_off("${reason}" "${details}")
            endif ()
            set_property(GLOBAL PROPERTY _HalideCache_PROBE_${id} "${probe}")
        endif ()
        get_property(probe GLOBAL PROPERTY _HalideCache_PROBE_${id})
    else ()
        # Imported targets are visible in the folder that finds their package and below.
        # Where generators are used in another folder than they are made in, there is no
        # doubt as long as the whole tree has one Halide.
        get_property(probe GLOBAL PROPERTY _HalideCache_PROBES)
        list(LENGTH probe count)
        if (NOT count EQUAL 1)
            return()
        endif ()
    endif ()
    set(${out} "${probe}" PARENT_SCOPE)
endfunction()

# Makes the probe as soon as Halide is found, in the folder that found it: others may not
# see it. A project that enables C++ later only is looked at when it adds a library.
function(_halidecache_look_at_halide)
    get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
    if (TARGET Halide::Halide AND "CXX" IN_LIST languages)
        _halidecache_get_probe(probe)
    endif ()
endfunction()

# In pipeline mode the probe tells what a generator is going to compile. Direct mode, which
# does not start the generator, needs the tracer to know what it looked at.
function(_halidecache_say_on what)
    _halidecache_cache_dir(dir)
    get_property(tracer GLOBAL PROPERTY _HalideCache_TRACER)
    if (tracer STREQUAL "")
        set(modes "pipeline mode")
    else ()
        set(modes "direct and pipeline mode")
    endif ()
    _halidecache_say("on, ${dir} (${modes}, ${what})")
endfunction()

function(_halidecache_halide_version out)
    set(version "${Halide_VERSION}")
    if (NOT version)
        set(version "${HalideHelpers_VERSION}")
    endif ()
    if (NOT version)
        set(version "of unknown version")
    endif ()
    set(${out} "${version}" PARENT_SCOPE)
endfunction()

# The library file of Halide::Halide; empty when it has none yet, being built in this tree.
function(_halidecache_halide_location out)
    set(location "")
    get_target_property(imported Halide::Halide IMPORTED)
    if (imported)
        get_target_property(location Halide::Halide LOCATION)
    endif ()
    set(${out} "${location}" PARENT_SCOPE)
endfunction()

# Why there can be no probe for Halide::Halide; empty when there can.
function(_halidecache_check_halide out_reason out_details location version)
    set(reason "")
    set(details "")
    get_target_property(type Halide::Halide TYPE)
    get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
    if (NOT "CXX" IN_LIST languages)
        set(reason "C++ is not enabled")
        set(details "The probe is a small C++ library: add CXX to the languages of project().")
    elseif (NOT location)
        set(reason "Halide is built in this tree")
        set(details "HalideCache works with an installed Halide.")
    elseif (type STREQUAL "STATIC_LIBRARY" OR location MATCHES "\\.(a|lib)$")
        set(reason "Halide is a static library")
        string(CONCAT details
            "The probe is loaded into the generators and has to share libHalide with them "
            "(${location}). Use a Halide with shared libraries, and leave Halide_SHARED_LIBS ON."
        )
    else ()
        _halidecache_check_serialization(answer "${location}")
        if (NOT answer STREQUAL "yes")
            set(reason "Halide ${version} has no serialization")
            string(CONCAT details
                "${answer} HalideCache needs a Halide built with WITH_SERIALIZATION=ON, the "
                "default since 17 (${location})."
            )
        else ()
            get_property(from GLOBAL PROPERTY _HalideCache_KNOWN_FROM)
            get_property(before GLOBAL PROPERTY _HalideCache_KNOWN_BEFORE)
            if (NOT version VERSION_GREATER_EQUAL from OR NOT version VERSION_LESS before)
                _halidecache_check_probe(compiles "${location}")
                if (NOT compiles)
                    set(reason "the probe does not compile with Halide ${version}")
                    string(CONCAT details
                        "HalideCache does not know this version. What the compiler says is in "
                        "${CMAKE_BINARY_DIR}/CMakeFiles/CMakeConfigureLog.yaml."
                    )
                endif ()
            endif ()
        endif ()
    endif ()
    set(${out_reason} "${reason}" PARENT_SCOPE)
    set(${out_details} "${details}" PARENT_SCOPE)
endfunction()

# A name for what was found out about this very libHalide with this compiler; the arguments
# behind are what else it depends on.
function(_halidecache_memo out what location)
    file(TIMESTAMP "${location}" time "%s" UTC)
    string(SHA256 id
        "${location}|${time}|${CMAKE_CXX_COMPILER}|${CMAKE_CXX_COMPILER_VERSION}|${CMAKE_CXX_FLAGS}|${ARGN}"
    )
    string(SUBSTRING "${id}" 0 16 id)
    set(${out} "_HalideCache_${what}_${id}" PARENT_SCOPE)
endfunction()

# `yes`, or what is missing.
function(_halidecache_check_serialization out location)
    _halidecache_memo(memo SERIALIZATION "${location}")
    if (NOT DEFINED CACHE{${memo}})
        get_property(module_dir GLOBAL PROPERTY _HalideCache_MODULE_DIR)
        set(CMAKE_TRY_COMPILE_TARGET_TYPE EXECUTABLE)
        _halidecache_neutral_flags(flags)
        try_run(
            result compiled
            SOURCES "${module_dir}/HalideCacheSerialization.cpp"
            NO_CACHE
            COMPILE_DEFINITIONS ${flags}
            LINK_OPTIONS ${flags}
            LINK_LIBRARIES Halide::Halide
            CXX_STANDARD 17
            CXX_STANDARD_REQUIRED TRUE
            RUN_OUTPUT_VARIABLE output
        )
        set(answer "yes")
        if (NOT compiled)
            string(CONCAT answer
                "A call of Halide::serialize_pipeline does not link, see "
                "${CMAKE_BINARY_DIR}/CMakeFiles/CMakeConfigureLog.yaml."
            )
        elseif (output MATCHES "not supported")
            # Whatever else the program says or does, such as not being able to start, is
            # no proof of anything.
            string(STRIP "${output}" answer)
        endif ()
        set(${memo} "${answer}" CACHE INTERNAL "")
    endif ()
    set(${out} "$CACHE{${memo}}" PARENT_SCOPE)
endfunction()

# Does the probe compile with a Halide that it is not known to fit?
function(_halidecache_check_probe out location)
    _halidecache_probe_source(source)
    cmake_path(GET source PARENT_PATH folder)
    file(GLOB parts "${folder}/*")
    set(digests "")
    foreach (part IN LISTS parts)
        file(SHA256 "${part}" digest)
        list(APPEND digests "${digest}")
    endforeach ()
    _halidecache_memo(memo PROBE_COMPILES "${location}" ${digests})
    if (NOT DEFINED CACHE{${memo}})
        set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
        _halidecache_neutral_flags(flags)
        try_compile(
            compiled
            SOURCES "${source}"
            NO_CACHE
            COMPILE_DEFINITIONS ${flags}
            LINK_LIBRARIES Halide::Halide
            CXX_STANDARD 17
            CXX_STANDARD_REQUIRED TRUE
        )
        set(${memo} "${compiled}" CACHE INTERNAL "")
    endif ()
    set(${out} "$CACHE{${memo}}" PARENT_SCOPE)
endfunction()

function(_halidecache_probe_source out)
    get_property(source_dir GLOBAL PROPERTY _HalideCache_SOURCE_DIR)
    set(${out} "${source_dir}/probe/all.cpp" PARENT_SCOPE)
endfunction()

# Flags for compiler and linker that take back what a project may ask for by
# CMAKE_CXX_FLAGS or add_compile_options and what the probe cannot be built with:
# warnings as errors, and everything that is only right for the generators themselves. (A
# sanitizer's runtime, loaded into Halide's own programs by the probe, would end them.)
# And what makes it slow to compile: it is compiled in every build folder.
function(_halidecache_neutral_flags out)
    set(flags "")
    if (CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
        list(APPEND flags
            -O1
            -g0
            -w
            -Wno-error
            -fexceptions
            -frtti
            -fno-lto
            -fno-sanitize=all
            -fno-profile-arcs
            -fno-test-coverage
        )
    endif ()
    if (CMAKE_CXX_COMPILER_ID MATCHES "Clang")
        list(APPEND flags -fno-profile-instr-generate -fno-coverage-mapping -noprofilelib)
    endif ()
    set(${out} "${flags}" PARENT_SCOPE)
endfunction()

# Adds the probe for Halide::Halide to this folder and returns its file as a generator
# expression. A command that contains it depends on the target, but does not run again
# when the file changes.
function(_halidecache_add_probe out id)
    set(target halidecache_probe)
    # `halide-cache run` without --probe, by hand, looks for it there too (src/probe_file.c).
    set(folder "${CMAKE_BINARY_DIR}/CMakeFiles/HalideCache")
    if (TARGET "${target}")
        string(APPEND target "_${id}")
        string(APPEND folder "/${id}")
    endif ()
    _halidecache_probe_source(source)
    _halidecache_neutral_flags(flags)
    add_library("${target}" MODULE EXCLUDE_FROM_ALL "${source}")
    set_property(TARGET "${target}" APPEND PROPERTY COMPILE_OPTIONS ${flags})
    set_property(TARGET "${target}" APPEND PROPERTY LINK_OPTIONS ${flags})

    # Every property that a variable or the folder may have set to what does not suit.
    set_target_properties(
        "${target}" PROPERTIES
        # Only that: link_libraries() may have added a target with flags.
        LINK_LIBRARIES Halide::Halide
        CXX_STANDARD 17
        CXX_STANDARD_REQUIRED ON
        CXX_EXTENSIONS OFF
        CXX_VISIBILITY_PRESET hidden
        VISIBILITY_INLINES_HIDDEN ON
        POSITION_INDEPENDENT_CODE ON
        PREFIX ""
        OUTPUT_NAME halide-cache-probe
        SUFFIX .so
        LIBRARY_OUTPUT_DIRECTORY "${folder}"
        INTERPROCEDURAL_OPTIMIZATION OFF
        UNITY_BUILD OFF
        DISABLE_PRECOMPILE_HEADERS ON
        CXX_SCAN_FOR_MODULES OFF
        COMPILE_WARNING_AS_ERROR OFF
        LINK_WARNING_AS_ERROR OFF
        EXPORT_COMPILE_COMMANDS OFF
        CXX_CLANG_TIDY ""
        CXX_CPPCHECK ""
        CXX_CPPLINT ""
        CXX_ICSTAT ""
        CXX_INCLUDE_WHAT_YOU_USE ""
        LINK_WHAT_YOU_USE OFF
        AUTOMOC OFF
        AUTORCC OFF
        AUTOUIC OFF
        SYSTEM ON
    )
    foreach (config IN LISTS CMAKE_CONFIGURATION_TYPES CMAKE_BUILD_TYPE)
        string(TOUPPER "${config}" upper)
        set(config_folder "${folder}")
        if (CMAKE_CONFIGURATION_TYPES)
            string(APPEND config_folder "/${config}")
        endif ()
        set_target_properties(
            "${target}" PROPERTIES
            LIBRARY_OUTPUT_DIRECTORY_${upper} "${config_folder}"
            INTERPROCEDURAL_OPTIMIZATION_${upper} OFF
            ${upper}_POSTFIX ""
        )
    endforeach ()
    set(${out} "$<TARGET_FILE:${target}>" PARENT_SCOPE)
endfunction()
