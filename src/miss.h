// SPDX-License-Identifier: MIT
// Letting the generator compile, watching it, and storing what it wrote.

#ifndef HALIDECACHE_MISS_H
#define HALIDECACHE_MISS_H

#include "entry.h"
#include "generator.h"
#include "inquiry.h"

#include <stdbool.h>

/** The run that compiles. */
struct compilation {
    const struct inquiry *inquiry;
    struct output_state *state; // of the outputs
    struct entry entry;         // what came of it; points into `state` and the generator
    struct exit_status status;
    bool complete; // it succeeded and wrote all it should: `entry` is filled
    // As the generator itself reports it:
    struct buffer pipelines; // what it really compiled
    bool ended;              // main() was over,
    struct digest *at_end;   // the outputs were this,
    size_t printed_at_end;   // and so much was printed
};

/** Lets the generator go on and waits for its end. Free with compilation_release. */
void compilation_run(struct compilation *compilation, const struct inquiry *inquiry);

/** Was this run what the key says, and nothing more? If not, `*reason` tells. */
bool compilation_is_as_probed(const struct compilation *compilation,
                              enum bypass_reason *reason);

void compilation_release(struct compilation *compilation);

/** The whole of a miss. Returns how the generator ended; `*stored` tells whether there is
 * an entry now. */
struct exit_status miss_compile_and_store(struct inquiry *inquiry, bool *stored);

#endif
