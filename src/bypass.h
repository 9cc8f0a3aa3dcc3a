// SPDX-License-Identifier: MIT
// Why a command is run as if the cache were not there.

#ifndef HALIDECACHE_BYPASS_H
#define HALIDECACHE_BYPASS_H

// The numbers are stored with the statistics: never reuse one. docs/soundness.md lists
// them with what the user can do.
enum bypass_reason {
    BYPASS_NONE = 0,
    BYPASS_COMMAND_LINE = 1,       // not a command line that we fully understand
    BYPASS_NOT_A_GENERATOR = 2,    // a launcher, a script: not a program we can examine
    BYPASS_OWN_MAIN = 3,           // main() is not Halide's
    BYPASS_OUTPUT_KIND = 4,        // an output that the pipeline does not determine
    BYPASS_NO_PROBE = 5,           // no probe given, or it could not be loaded
    BYPASS_PROBE_TIMEOUT = 6,      // it did not answer in time
    BYPASS_BUILD_FAILED = 7,       // the generator throws or crashes while building
    BYPASS_CUSTOM_LOWERING = 8,    // custom lowering passes, or trace_pipeline()
    BYPASS_THREADS = 9,            // the generator has threads before it builds
    BYPASS_SIDE_EFFECTS = 10,      // it writes files, starts programs, ...
    BYPASS_NONDETERMINISTIC = 11,  // it did not build the pipeline that it was probed for
    BYPASS_UNKNOWN_IDENTITY = 12,  // a library that cannot be read
    BYPASS_UNKNOWN_GENERATOR = 13, // not in Halide's registry
    BYPASS_UNDECLARED_OUTPUT = 14, // it wrote files that the command does not name
    BYPASS_NO_CACHE_FOLDER = 15,   // the cache folder cannot be used
    BYPASS_UNSUPPORTED_SYSTEM = 16,
    BYPASS_AUTOSCHEDULER = 17, // one that may read what no param or variable names
    BYPASS_REASONS
};

/** A short name for statistics and scripts, such as "own-main"; never NULL. */
const char *bypass_name(enum bypass_reason reason);

/** One sentence for people; never NULL. */
const char *bypass_text(enum bypass_reason reason);

#endif
