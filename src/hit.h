// SPDX-License-Identifier: MIT
// Looking an entry up, and putting everything back as the generator left it.

#ifndef HALIDECACHE_HIT_H
#define HALIDECACHE_HIT_H

#include "buffer.h"
#include "entry.h"
#include "job.h"

#include <stdbool.h>

/** An entry with the bytes that it points into. */
struct found {
    struct buffer bytes;
    struct entry entry;
};

/** Reads and verifies the entry of a key. A damaged one is removed and counted as an
 * error. False on a miss; there is nothing to release then. */
bool hit_look_up(const struct job *job, const struct digest *key, struct found *found);

/** Writes the outputs and replays what was printed. False when that is not possible; then
 *  the generator has to run. */
bool hit_restore(const struct job *job, const struct found *found);

void hit_release(struct found *found);

#endif
