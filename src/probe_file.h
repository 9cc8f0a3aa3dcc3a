// SPDX-License-Identifier: MIT
// Which probe to use: it has to be compiled against the generator's Halide.

#ifndef HALIDECACHE_PROBE_FILE_H
#define HALIDECACHE_PROBE_FILE_H

#include "error.h"

/** The absolute path of the probe as a new string: `given` if it is not NULL (that is
 *  what CMake does); else the one of the build tree that the program lies in; else one in
 *  the cache folder for the Halide that the program loads, which is compiled there with
 *  c++ or $CXX if it is the first time. NULL when there is none: `error` says why. */
char *probe_file_find(const char *given, const char *program, const char *folder,
                      struct error *error);

#endif
