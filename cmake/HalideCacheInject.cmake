# SPDX-License-Identifier: MIT
# Loads the package found beside this file into a project that nobody edits:
#
#   cmake -DCMAKE_PROJECT_TOP_LEVEL_INCLUDES=<this file> -DHalide_CACHE_DIR=<folder> ...

# With no variables left in the project's top folder.
block()
    # Forced: a build tree may remember another one.
    set(HalideCache_DIR "${CMAKE_CURRENT_LIST_DIR}"
        CACHE PATH "The directory containing a CMake configuration file for HalideCache." FORCE
    )
    find_package(HalideCache CONFIG REQUIRED)
endblock()
