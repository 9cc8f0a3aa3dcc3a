// SPDX-License-Identifier: MIT
// Whose code is it that calls? Clocks, random numbers and the like only tell something
// about the generator when its own code asks for them: Halide reads clocks all the time,
// to print how long things took.
//
// It shows in the return address. A function whose last act it is to call another one and
// to return what that returns may leave its own caller's address there (a tail call). So
// a clock is missed when a function of the generator that Halide calls returns the time
// and does nothing else.

#ifndef HALIDECACHE_TRACER_CALLERS_H
#define HALIDECACHE_TRACER_CALLERS_H

enum caller_kind {
    CALLER_OWN,     // the program, and every library that is none of the following
    CALLER_HALIDE,  // the library that holds Halide, and what it needs
    CALLER_SYSTEM,  // the C and C++ libraries
    CALLER_NOBODY,  // code in no file: pipelines that Halide compiled and runs
    CALLER_IGNORED, // the probe, and the tracer
};

/** Sets of kinds. */
enum {
    FROM_OWN = 1 << CALLER_OWN,
    FROM_HALIDE = 1 << CALLER_HALIDE,
    FROM_SYSTEM = 1 << CALLER_SYSTEM,
    FROM_NOBODY = 1 << CALLER_NOBODY,
    FROM_ALL = FROM_OWN | FROM_HALIDE | FROM_SYSTEM | FROM_NOBODY
};

struct caller {
    enum caller_kind kind;
    const char *object; // its path; empty: the program
    const void *address;
};

/** Whose code is at this return address? What cannot be told is the generator's own. */
struct caller callers_find(const void *address);

/** Objects come and go: do not rely on what is known about addresses. */
void callers_forget(void);

#endif
