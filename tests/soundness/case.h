// SPDX-License-Identifier: MIT
// What a case of the suite is. The cases themselves are in cases_<channel>.c.
//
// Every case has two states of the world, "before" and "after". The first fills the
// cache; then the change is made for real, the command is run in the same folder with the
// cache (A) and in a fresh one without (B), and A has to be B: all files, their
// permissions, standard output, standard error and exit status, byte for byte. What the
// cache did is read from its log and has to be what the case expects. flow.c has the
// rest.
//
// All of that happens in pipeline mode and in direct mode, each with a cache of its own.
// In direct mode a repeated command has to hit without the generator being started,
// unless the case says what the log gives as the reason: no case falls back unnoticed.

#ifndef HALIDECACHE_TESTS_CASE_H
#define HALIDECACHE_TESTS_CASE_H

#include "bypass.h"

#include <stdbool.h>
#include <stddef.h>

struct world;

/** What the cache did with a command. */
enum outcome {
    OUTCOME_UNSET,
    HIT,          // in the mode's own way
    PIPELINE_HIT, // the generator was started
    DIRECT_HIT,   // it was not
    MISS,         // compiled and stored
    NOT_STORED,   // compiled, and the result was not fit to be stored
    BYPASS,       // for the `reason` of the case
    NO_LOG        // the command never got as far
};

enum mode { PIPELINE_MODE, DIRECT_MODE, MODES };

/** A replacement in the generator's source text; `from` has to be there exactly once. */
struct edit {
    const char *from;
    const char *to;
};

/** A file in the case's folder. Without a text it does not exist. */
struct test_file {
    const char *name;
    const char *text;
};

/** Commands run in a subfolder of the case's folder and write to its "out": everything of
 *  the case is at "../". Words are separated by spaces; see words.h. */
struct state {
    const char *arguments;   // instead of the default ones
    const char *more;        // behind the arguments
    const char *environment; // NAME=value ...
    const char *input;       // of standard input
    const char *no_manifest; // instead of the case's
    struct test_file files[4];
};

struct test_case {
    const char *name;           // "<channel>.<what>"
    const char *generator;      // its source: generators/<generator>.cpp
    const char *pipeline;       // -g of the default arguments
    const char *kinds;          // -e of the default arguments; NULL: see run.c
    const char *common;         // behind the arguments of both states
    const char *program;        // how it is called; NULL: "../gen"
    const char *flags;          // for compiling and linking it
    struct edit edits[4];       // make "after" from "before"
    const char *new_flags;      // instead of `flags`, for the edited source
    const char *new_link_flags; // more for linking it

    struct state before;
    struct state after; // arguments and input: as before where not given

    void (*prepare)(struct world *world); // makes the world of the case
    void (*change)(struct world *world);  // makes more of the change than the above
    void (*reset)(struct world *world);   // before every command
    void (*check)(struct world *world);   // at the end
    void (*run_all)(struct world *world); // instead of all steps but `prepare`

    enum outcome warm;     // of "before"; default: MISS
    enum outcome expected; // of "after"
    enum outcome directly; // the same in direct mode, where it is not `expected`
    enum bypass_reason reason;
    const char *detail; // in the line of the log of `expected`; NULL: anything
    // In the log's line "no manifest" in direct mode, which is then not possible. NULL:
    // it is.
    const char *no_manifest;

    bool incomparable; // two runs need not give the same: `check` has to judge
    bool one_way;      // going back to "before" is not meant to hit
    bool fails;        // the command itself has to fail, with and without the cache
    bool one_cache;    // direct mode gets what pipeline mode stored: it compiles for long
    bool own_modes;    // `run_all` goes through the modes by itself, with one cache
};

/** One channel. */
struct case_list {
    const struct test_case *cases;
    size_t count;
};

extern const struct case_list source_cases;
extern const struct case_list signature_cases;
extern const struct case_list command_cases;
extern const struct case_list machine_cases;
extern const struct case_list environment_cases;
extern const struct case_list plugin_cases;
extern const struct case_list behaviour_cases;
extern const struct case_list interference_cases;
extern const struct case_list sweep_cases;
extern const struct case_list direct_cases;
extern const struct case_list direct_run_cases;

#define CASE_LIST(array)                                                                 \
    {                                                                                    \
        array, sizeof(array) / sizeof(array)[0]                                          \
    }

#endif
