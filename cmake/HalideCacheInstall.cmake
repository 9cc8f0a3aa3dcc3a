# SPDX-License-Identifier: MIT
# Install rules, and the package in the build tree. Not installed itself.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(HalideCache_INSTALL_CMAKEDIR "${CMAKE_INSTALL_LIBDIR}/cmake/HalideCache"
    CACHE STRING "Where the CMake package goes, relative to the install prefix"
)
set(HalideCache_INSTALL_SOURCEDIR "${CMAKE_INSTALL_DATADIR}/halidecache/src"
    CACHE STRING "Where the probe's sources go, relative to the install prefix"
)
mark_as_advanced(HalideCache_INSTALL_CMAKEDIR HalideCache_INSTALL_SOURCEDIR)

install(
    TARGETS halide-cache
    EXPORT HalideCacheTargets
    RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
)
if (TARGET halidecache_tracer)
    set_target_properties(halidecache_tracer PROPERTIES EXPORT_NAME tracer)
    install(
        TARGETS halidecache_tracer
        EXPORT HalideCacheTargets
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/halidecache"
    )
endif ()
install(
    EXPORT HalideCacheTargets
    NAMESPACE HalideCache::
    DESTINATION "${HalideCache_INSTALL_CMAKEDIR}"
)
install(
    FILES
        cmake/HalideCache.cmake
        cmake/HalideCacheCommand.cmake
        cmake/HalideCacheForward.cmake
        cmake/HalideCacheHook.cmake
        cmake/HalideCacheInject.cmake
        cmake/HalideCacheProbe.cmake
        cmake/HalideCacheSerialization.cpp
    DESTINATION "${HalideCache_INSTALL_CMAKEDIR}"
)
# The probe is compiled where it is used, against the Halide that is used there.
install(
    DIRECTORY src/probe
    DESTINATION "${HalideCache_INSTALL_SOURCEDIR}"
    FILES_MATCHING PATTERN "*.cpp" PATTERN "*.h"
)
install(FILES src/bypass.h DESTINATION "${HalideCache_INSTALL_SOURCEDIR}")
install(FILES src/tracer/trace.h DESTINATION "${HalideCache_INSTALL_SOURCEDIR}/tracer")

# It is a program of the machine that builds: the word size of what is built says nothing.
write_basic_package_version_file(
    "${PROJECT_BINARY_DIR}/HalideCacheConfigVersion.cmake"
    COMPATIBILITY SameMinorVersion
    ARCH_INDEPENDENT
)

# The file that find_package looks for has to be called like the package. Twice: to be
# installed, and for the build tree, where everything lies where it was made.
function(_halidecache_configure_package file destination)
    configure_package_config_file(
        HalideCache-config.cmake.in "${file}"
        INSTALL_DESTINATION "${destination}"
        PATH_VARS modules sources
        NO_SET_AND_CHECK_MACRO
        NO_CHECK_REQUIRED_COMPONENTS_MACRO
        ${ARGN}
    )
endfunction()

set(modules "${HalideCache_INSTALL_CMAKEDIR}")
set(sources "${HalideCache_INSTALL_SOURCEDIR}")
_halidecache_configure_package(
    "${PROJECT_BINARY_DIR}/install/HalideCacheConfig.cmake" "${HalideCache_INSTALL_CMAKEDIR}"
)
install(
    FILES
        "${PROJECT_BINARY_DIR}/install/HalideCacheConfig.cmake"
        "${PROJECT_BINARY_DIR}/HalideCacheConfigVersion.cmake"
    DESTINATION "${HalideCache_INSTALL_CMAKEDIR}"
)

set(modules "${PROJECT_SOURCE_DIR}/cmake")
set(sources "${PROJECT_SOURCE_DIR}/src")
_halidecache_configure_package(
    "${PROJECT_BINARY_DIR}/HalideCacheConfig.cmake" "${PROJECT_BINARY_DIR}"
    INSTALL_PREFIX "${PROJECT_BINARY_DIR}"
)
configure_file(cmake/HalideCacheInject.cmake "${PROJECT_BINARY_DIR}/HalideCacheInject.cmake" COPYONLY)
export(
    EXPORT HalideCacheTargets
    NAMESPACE HalideCache::
    FILE "${PROJECT_BINARY_DIR}/HalideCacheTargets.cmake"
)
