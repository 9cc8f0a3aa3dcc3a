# What changes when the cache is on, with every keyword of Halide's functions.

set(PROJECT everything)
set(MORE_ARGUMENTS "")
include("${CMAKE_CURRENT_LIST_DIR}/compare_on_off.cmake")
