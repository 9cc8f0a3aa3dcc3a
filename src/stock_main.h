// SPDX-License-Identifier: MIT
// Is a generator's main() the one that Halide ships?
//
// A pipeline key is made from the command line and from what Halide's registry builds
// for it. A main() of the user's own could change the arguments, build something else,
// or rewrite the outputs afterwards. Halide's GenGen.cpp does nothing but pass its
// arguments to Halide::Internal::generate_filter_main(int, char **), and compilers turn
// that into one of a few short sequences: those are what we accept.

#ifndef HALIDECACHE_STOCK_MAIN_H
#define HALIDECACHE_STOCK_MAIN_H

#include "error.h"

#include <stdbool.h>

/** True when main() is Halide's for certain. False with an empty `error` when it is not
 *  or cannot be told (another system, architecture or compiler), with a message when the
 *  file cannot be read. */
bool stock_main_in_file(const char *path, struct error *error);

#endif
