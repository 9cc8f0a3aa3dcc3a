// SPDX-License-Identifier: MIT
// The output files on disk: taking them over after a run, putting them back on a hit.

#ifndef HALIDECACHE_OUTPUT_FILES_H
#define HALIDECACHE_OUTPUT_FILES_H

#include "entry.h"
#include "error.h"
#include "outputs.h"

#include <stdbool.h>

/** What to do with a file that already has the bytes it should have. */
enum unchanged_output {
    UNCHANGED_TOUCH, // give it a new time, as the generator would (Make needs that)
    UNCHANGED_KEEP   // leave its time, so that Ninja stops there (restat)
};

/** The state of the outputs before a run. */
struct output_state;

/** Takes the state; never fails. Free with output_state_free, which accepts NULL. */
struct output_state *output_state_take(const struct outputs *outputs);
void output_state_free(struct output_state *state);

/** Reads the outputs after a successful run into `entry`, whose `outputs` then point
 *  into memory owned by `state`. False when one of them is missing, is not a regular
 *  file or was not written by this run: there is nothing to store then. */
bool output_files_collect(const struct outputs *outputs, struct output_state *state,
                          struct entry *entry, struct error *error);

/** With UNCHANGED_KEEP, gives the outputs that have the bytes from before the run their
 *  old time. */
void output_files_settle(const struct outputs *outputs, const struct output_state *state,
                         const struct entry *entry, enum unchanged_output unchanged);

/** Writes the entry's outputs. False when the entry does not have exactly these outputs
 *  or one cannot be written; the generator then has to run. */
bool output_files_restore(const struct outputs *outputs, const struct entry *entry,
                          enum unchanged_output unchanged, struct error *error);

#endif
