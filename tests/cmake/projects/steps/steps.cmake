# Steps, separated by commas:
#
#   cache, halide, helpers   find that package
#   quiet                    find Halide, and say nothing
#   halide14                 find Halide 14, which insists on PNG otherwise
#   generator                a Halide generator
#   runtime, lib:<name>      a runtime; a library of that generator and runtime
#   lib14:<name>             a library of Halide 14, which has no add_halide_runtime
#   sub                      the subfolder
#   project                  project(), as a tree within a tree has it
#   windows                  from here on, CMake runs on Windows
#   off, on                  Halide_CACHE_DIR is empty for this folder, is set again

string(REPLACE "," ";" STEPS "${STEPS}")
foreach (step IN LISTS STEPS)
    if (step STREQUAL "cache")
        find_package(HalideCache REQUIRED)
    elseif (step STREQUAL "halide")
        find_package(Halide REQUIRED)
    elseif (step STREQUAL "quiet")
        find_package(Halide REQUIRED QUIET)
    elseif (step STREQUAL "halide14")
        find_package(Halide REQUIRED COMPONENTS Halide)
    elseif (step STREQUAL "helpers")
        find_package(HalideHelpers REQUIRED)
    elseif (step STREQUAL "generator")
        add_halide_generator(gen SOURCES "${CMAKE_CURRENT_LIST_DIR}/../everything/gen.cpp")
    elseif (step STREQUAL "runtime")
        add_halide_runtime(rt)
    elseif (step MATCHES "^lib:(.*)$")
        add_halide_library(${CMAKE_MATCH_1} FROM gen GENERATOR scale USE_RUNTIME rt)
    elseif (step MATCHES "^lib14:(.*)$")
        add_halide_library(${CMAKE_MATCH_1} FROM gen GENERATOR scale)
    elseif (step STREQUAL "sub")
        add_subdirectory(sub)
    elseif (step STREQUAL "project")
        project(inner LANGUAGES CXX)
    elseif (step STREQUAL "windows")
        set(CMAKE_HOST_WIN32 TRUE)
    elseif (step STREQUAL "off")
        set(Halide_CACHE_DIR "")
    elseif (step STREQUAL "on")
        unset(Halide_CACHE_DIR)
    else ()
        message(FATAL_ERROR "unknown step ${step}")
    endif ()
endforeach ()
