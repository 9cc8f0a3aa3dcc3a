// SPDX-License-Identifier: MIT
// The options of the subcommands that take a generator's command line.

#ifndef HALIDECACHE_OPTIONS_H
#define HALIDECACHE_OPTIONS_H

#include "error.h"

#include <stdbool.h>

struct run_options {
    const char *folder; // --dir, else HL_CACHE_DIR; NULL when neither names one
    const char *probe;  // --probe; NULL: to be found
    const char *tracer; // --tracer; NULL: no direct mode
    bool restat;        // --restat
    bool verify;        // --verify, or HALIDE_CACHE_VERIFY=1
    int command_at;     // index of the generator in argv
};

enum options_result { OPTIONS_OK, OPTIONS_HELP, OPTIONS_BAD };

/** Reads the options up to the generator's command line, behind "--" or at the first
 *  argument that is no option. The strings are those of argv and the environment. */
enum options_result run_options_parse(struct run_options *options, int argc,
                                      char *const argv[], struct error *error);

#endif
