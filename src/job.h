// SPDX-License-Identifier: MIT
// One generator command on its way through the cache: what is known of it so far.

#ifndef HALIDECACHE_JOB_H
#define HALIDECACHE_JOB_H

#include "bypass.h"
#include "file_digest.h"
#include "options.h"
#include "output_files.h"
#include "outputs.h"
#include "request.h"
#include "settings.h"
#include "stats.h"
#include "store.h"

#include <stdint.h>

/** What a bypass means: run the command, or, where it was only asked about, say why. */
enum on_bypass { ON_BYPASS_RUN, ON_BYPASS_EXPLAIN };

struct job {
    enum on_bypass on_bypass;
    struct run_options options;
    struct settings settings;
    char *const *command; // the generator and its arguments, NULL-terminated
    int command_argc;
    char *program; // where the system finds it
    struct request request;
    struct outputs outputs;
    struct store *store;
    struct file_digest_memory *memory;
    int64_t start_ns;      // by the clock that never goes back
    int64_t start_wall_ns; // when the generator is started, by the clock of files
};

/** Reads the options and settings of a subcommand that takes a generator's command line.
 *  False when the process should exit with `*exit_code`: there was help to show (`usage`)
 *  or an error. */
bool job_begin(struct job *job, int argc, char **argv, const char *usage, int *exit_code);

/** Understands the command line and opens the cache. Does not return when the command is
 * to be bypassed: this process then becomes the generator. */
void job_prepare(struct job *job);

/** Makes sure that the program is a generator that a probe can speak for; else does not
 *  return either. */
void job_require_generator(const struct job *job);

void job_release(struct job *job);

/** Runs the command as if we were not there; this process becomes it. (Or says why, and
 *  exits with status 1.) */
_Noreturn void job_bypass(const struct job *job, enum bypass_reason reason,
                          const char *detail);

/** Counts and logs a bypass of a command that is running already. */
void job_record_bypass(const struct job *job, enum bypass_reason reason,
                       const char *detail);

/** Counts an event. */
void job_record(const struct job *job, enum stats_event event, int64_t saved_ns);

/** Logs what became of the command. */
void job_log(const struct job *job, const char *what, const struct digest *key);

/** What --restat asks for. */
enum unchanged_output job_unchanged_outputs(const struct job *job);

#endif
