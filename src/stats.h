// SPDX-License-Identifier: MIT
// What happened to the commands, counted in the store's folder.
//
// A command appends one small record to the file .events, in one write, so that counting
// costs a hit three system calls and no lock. Whoever prunes, or asks for the numbers,
// folds the records into totals.

#ifndef HALIDECACHE_STATS_H
#define HALIDECACHE_STATS_H

#include "bypass.h"
#include "error.h"

#include <stdbool.h>
#include <stdint.h>

// The numbers are stored: never reuse one.
enum stats_event {
    STATS_DIRECT_HIT = 1,
    STATS_PIPELINE_HIT = 2,
    STATS_MISS = 3,
    STATS_BYPASS = 4,
    STATS_ERROR = 5, // the cache failed; the generator ran all the same
};

struct stats {
    uint64_t direct_hits;
    uint64_t pipeline_hits;
    uint64_t misses;
    uint64_t bypasses;
    uint64_t errors;
    int64_t time_saved_ns; // recorded compile times minus what the hits cost
    uint64_t bypasses_by_reason[BYPASS_REASONS];
};

/** Counts one event. `reason` counts for STATS_BYPASS, `saved_ns` for hits; else 0. A
 *  failure is no more than a lost count. */
void stats_record(const char *folder, enum stats_event event, enum bypass_reason reason,
                  int64_t saved_ns);

/** The totals so far. A store that was never used has zeros. */
bool stats_read(const char *folder, struct stats *stats, struct error *error);

/** Folds the records into the totals when there are many of them: puts them aside, and
 *  adds those to the totals that an earlier call put aside a minute ago or more. */
void stats_fold(const char *folder);

/** The same with other limits than "many" and a minute. A process that takes longer than
 *  `grace_ns` from opening .events to writing its record may lose that count. */
void stats_fold_with(const char *folder, uint64_t min_bytes, int64_t grace_ns);

#endif
