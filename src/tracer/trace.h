// SPDX-License-Identifier: MIT
// What the tracer saw a generator do, as bytes. C and C++.
//
// The helper starts the generator with
//
//   LD_PRELOAD=<tracer>            or <tracer>:<what was there>
//   HALIDE_CACHE_TRACE=1
//
// The tracer takes both away again before the generator can see them. Whoever is in the
// process gets the records by
//
//   dlsym(RTLD_DEFAULT, TRACE_TAKE)      a trace_take_function
//
// and sees past the tracer's functions to those they stand in front of by
//
//   dlsym(RTLD_DEFAULT, TRACE_REAL)      a trace_real_function
//
// Each call hands over a batch: what was seen since the one before. A record that was in
// an earlier batch does not come again, so a reader adds the batches up. A forked copy
// has what was seen until the fork, and goes on by itself.
//
// Integers are little-endian. A string is a u64 length, its bytes and a NUL behind them;
// there is none among the bytes.
//
// Batch:   u32 TRACE_VERSION, then records up to and with TRACE_END
// Record:  u32 tag, u32 number, string text, string second; what is not mentioned below
//          is 0 or empty
//
// Records come in the order in which things happened for the first time. So a file that
// was WRITTEN before it was READ is no input, and likewise a variable after SETS.
//
// Paths are absolute and as they were used: a relative one is joined with the folder it
// was relative to, and no symbolic link in it is resolved. By the time somebody looks,
// they may lead elsewhere, and to something that is older than the run. So where there is
// a status to see, a sum of it (trace_sum) is in `number`; 0: it is not known.
//
// What no preload library can see, because the C library does it inside or because there
// is no call: system calls and clock instructions in the program's own machine code, the
// third argument of main(), addresses and AT_RANDOM, functions that were fetched by dlsym
// from libc itself, and reading open files that were inherited (but for standard input).

#ifndef HALIDECACHE_TRACE_H
#define HALIDECACHE_TRACE_H

#include <stddef.h>
#include <stdint.h>

enum { TRACE_VERSION = 2 };

enum trace_tag {
    // The last record of a batch. Without it bytes are lost.
    TRACE_END = 0,

    // text: the path of a file that was opened for reading. Its content counts. It can be
    // a folder, if that was opened without O_DIRECTORY to be used as the start of others.
    // number: its sum.
    TRACE_READ = 1,

    // text: a path where nothing was found. number: TRACE_LINK_ITSELF when a symbolic
    // link that leads nowhere would have been found.
    TRACE_MISSING = 2,

    // text: a path. number: the errno of an attempt that failed otherwise.
    TRACE_FAILED = 3,

    // text: a path whose status was looked at, all of it. number: its sum; with
    // TRACE_LINK_ITSELF when a symbolic link was not followed, and with
    // TRACE_WHOLE_FOLDER
    // when it is a folder and its times count too.
    TRACE_STATUS = 4,

    // text: a path. number: what access() found to be allowed, R_OK | W_OK | X_OK. Only
    // that, that it exists, and whether it is a folder were looked at.
    TRACE_ACCESS = 5,

    // text: a symbolic link. second: where it leads, as readlink() says. The link can be
    // /proc/self/exe: that is the generator.
    TRACE_LINK = 6,

    // text: a path. second: what realpath() makes of it.
    TRACE_RESOLVED = 7,

    // text: a folder whose names were read, and with each, what kind of thing it is.
    // number: its sum.
    TRACE_LISTED = 8,

    // text: a path where something was created, changed or removed.
    TRACE_WRITTEN = 9,

    // text: the name of an environment variable that was read, set or not.
    TRACE_VARIABLE = 10,

    // text: the name of an environment variable that the generator sets or removes; empty
    // when it removed all of them.
    TRACE_SETS = 11,

    // text: the object (empty: the program) that can read the environment as a whole,
    // past getenv(): any variable may matter.
    TRACE_ENVIRONMENT = 12,

    // text: the current folder, which was asked for.
    TRACE_FOLDER = 13,

    // text: the path of a loaded program or library. number: its sum.
    TRACE_LOADED = 14,

    // text: what was done that cannot be replayed. second: the object that did it (empty:
    // the program). One of these, and the run tells nothing about the next one.
    TRACE_OPAQUE = 15,

    TRACE_TAGS
};

enum {
    TRACE_LINK_ITSELF = 1,
    TRACE_WHOLE_FOLDER = 2,
    TRACE_FLAGS = TRACE_LINK_ITSELF | TRACE_WHOLE_FOLDER,
    TRACE_SOME_FOLDER = 4 // the sum of a folder of which the times do not count
};

/** What tells two states of a file apart, in 32 bits of which TRACE_FLAGS are free; never
 *  0. */
static inline uint32_t trace_sum(uint64_t device, uint64_t inode, uint64_t size,
                                 int64_t mtime_ns, int64_t ctime_ns)
{
    const uint64_t parts[] = {device, inode, size, (uint64_t)mtime_ns,
                              (uint64_t)ctime_ns};
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        hash = (hash ^ parts[i]) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 32;
    }
    const uint32_t sum = (uint32_t)hash & ~(uint32_t)TRACE_FLAGS;
    return sum == 0 ? TRACE_SOME_FOLDER * 2 : sum;
}

#define TRACE_ACTIVE "HALIDE_CACHE_TRACE"
#define TRACE_TAKE "halidecache_tracer_take"

/** Sets `*records` and `*size` to a batch, valid until the next call; to NULL and 0 in a
 *  process that is not traced. */
typedef void trace_take_function(const void **records, size_t *size);

#define TRACE_REAL "halidecache_tracer_real"

/** The function that the process would call by this name if there were no tracer; one of
 *  the tracer's own when there is none. Only for names of functions that it has. */
typedef void (*trace_real_function(const char *name))(void);

#endif
