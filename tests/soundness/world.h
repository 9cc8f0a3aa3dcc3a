// SPDX-License-Identifier: MIT
// The world of one case: a folder with the generator in it, and what can be done there.

#ifndef HALIDECACHE_TESTS_WORLD_H
#define HALIDECACHE_TESTS_WORLD_H

#include "buffer.h"
#include "case.h"
#include "process.h"
#include "words.h"

/** What the suite was built with; from the command line of the driver. */
struct tools {
    const char *helper;   // halide-cache
    const char *tracer;   // for direct mode; empty: there is none on this system
    const char *halide;   // the prefix of the Halide in use
    const char *prepared; // the probe and the unedited generators for it
    const char *sources;  // tests/soundness
    struct words
        compiler; // with the flags that the prepared generators were compiled with
};

struct world {
    const struct tools *tools;
    const struct test_case *test;
    char *folder;
    enum mode mode;
    const struct state *state; // that the last run with the cache was in
    const char *tracer;        // hooks may change it
    const char *cached_name;   // where commands with the cache run; hooks may change it
    unsigned user;             // that commands are run by; 0: as we are
    struct words environment;  // of every command; hooks may add
    const char *program;       // hooks may change it
    struct process_result cached; // the last run with the cache
    struct process_result plain;  // and the last without
};

/** Makes an empty folder for the case at `folder`, with its generator in it. */
void world_init(struct world *world, const struct tools *tools,
                const struct test_case *test, const char *folder);
void world_release(struct world *world);

/** "cache" or the like: the cache of the mode, in the case's folder. */
const char *world_cache(const struct world *world);

/** "<case>/<name>" as a new string. */
char *world_path(const struct world *world, const char *name);

/** Creates, replaces or, when `text` is NULL, removes a file in the case's folder. */
void world_write(const struct world *world, const char *name, const char *text);

/** The text of a file in the case's folder as a new string; it has to be there. */
char *world_read(const struct world *world, const char *name);

bool world_has(const struct world *world, const char *name);

/** Copies a file into the case's folder. */
void world_copy(const struct world *world, const char *from, const char *name);

/** Renames within the case's folder. */
void world_rename(const struct world *world, const char *from, const char *to);

/** Appends to a file in the case's folder. */
void world_append(const struct world *world, const char *name, const char *text);

/** Sets the variable for all commands from here on. */
void world_set(struct world *world, const char *variable);

/** Reads tests/soundness/<name> as a new string. */
char *world_source(const struct world *world, const char *name);

/** Replaces `from`, which is in `text` exactly once. A new string. */
char *world_edit(const char *text, const struct edit *edit);

/** Compiles and links the text of a generator's source to <case>/<program>. Both kinds of
 *  flags may be NULL; `flags` are for both. */
void world_compile(const struct world *world, const char *text, const char *program,
                   const char *flags, const char *link_flags);

/** Compiles a shared library without Halide. */
void world_compile_library(const struct world *world, const char *text, const char *name);

/** Compiles a shared library that uses Halide. */
void world_compile_plugin(const struct world *world, const char *text, const char *name);

/** Runs a command in the case's folder that must not fail. */
void world_must_run(const struct world *world, const char *words);

/** The generator's command line in a state, with the program. */
void world_command(const struct world *world, const struct state *state,
                   struct words *command);

/** Runs the generator in <case>/cached through the cache or in <case>/plain without. The
 *  folder is emptied first but for an empty folder "out". */
void world_run_cached(struct world *world, const struct state *state);
void world_run_plain(struct world *world, const struct state *state);

/** A command as one of these two runs it, for cases that do something meanwhile. `words`
 *  and `command` belong together; release both. */
struct started {
    struct words argv;
    struct words environment;
    char *folder;
    char *prints;
    struct command command;
    pid_t process;
};
void world_start(struct world *world, const struct state *state, bool cached,
                 struct started *started);
void world_finish(struct world *world, bool cached, struct started *started);

/** Waits until the file is there; ends the test when it does not come. */
void world_wait_for(const struct world *world, const char *name);

/** What the log says about the last command; the lines are new strings, or NULL. */
struct outcome_report {
    enum outcome outcome;
    enum bypass_reason reason;
    char *line;        // the deciding one
    char *no_manifest; // the one that says why there is none
};

/** Reads the log and starts a new one. */
void world_read_log(const struct world *world, struct outcome_report *report);
void outcome_report_release(struct outcome_report *report);

/** Ends the test unless the last command's outcome is this one, and unless there was a
 *  manifest or, where the case says so, none. `what` is for people. */
void world_expect(struct world *world, const char *what, enum outcome outcome,
                  enum bypass_reason reason, const char *detail);

/** Ends the test unless <case>/cached and the other folder, and the two results, are
 *  equal. */
void world_compare(const struct world *world, const char *what, const char *folder,
                   const struct process_result *result);

#endif
