# The commands of a universal binary: those of the generators only.

set(PROJECT fat)
set(MORE_ARGUMENTS
    -D CMAKE_DISABLE_FIND_PACKAGE_Halide_Python=ON
    -C "${WORK}/fat.cmake"
)
file(WRITE "${WORK}/fat.cmake"
    "set(Halide_CMAKE_TARGET x86-64-linux arm-64-linux CACHE STRING \"\")\n"
    "set(LIPO /bin/true CACHE FILEPATH \"\")\n"
)
include("${CMAKE_CURRENT_LIST_DIR}/compare_on_off.cmake")
if (expected LESS 6 OR NOT without MATCHES "/bin/true -create")
    fail("not the commands of a universal binary" "generators and lipo" "${without}")
endif ()
