// SPDX-License-Identifier: MIT
// A program for the tracer to watch (test_tracer.c runs it): it does one thing, its act,
// and then writes down what the tracer saw.

#ifndef HALIDECACHE_TESTS_TRACER_SUBJECT_H
#define HALIDECACHE_TESTS_TRACER_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>

struct act {
    const char *name;
    void (*run)(void);
};

// Each ends with an act without a name.
extern const struct act file_acts[];
extern const struct act library_acts[];
extern const struct act process_acts[];
extern const struct act thread_acts[];
extern const struct act variable_acts[];

/** Ends the program with a message when something is not as it has to be. */
#define CHECK(condition)                                                                 \
    do {                                                                                 \
        if (!(condition)) {                                                              \
            fail(__FILE__, __LINE__, #condition);                                        \
        }                                                                                \
    } while (0)

_Noreturn void fail(const char *file, int line, const char *condition);

/** Appends a batch of records to the output. */
void write_batch(void);

/** Is this process traced? */
bool is_traced(void);

/** "<folder of the test's libraries>/<name>", valid until the next call. */
const char *library_path(const char *name);

/** This program's own path. */
extern const char *subject_path;

#endif
