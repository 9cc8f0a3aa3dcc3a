// SPDX-License-Identifier: MIT
// What the generator really builds, told to the helper while it compiles: nothing is
// stored unless that is what the child built.

#ifndef HALIDECACHE_PROBE_CONFIRMATION_H
#define HALIDECACHE_PROBE_CONFIRMATION_H

#include "channel.h"
#include "name_counters.h"

namespace halidecache {

struct Confirmation {
    Request request;
    Messages talk; // closed when something fails: then nothing is confirmed
    NameCounters *name_counters = nullptr; // may be null
    void (*after_build)() = nullptr;       // called each time
};

/** From now on, whenever Halide makes this generator build a pipeline, sends what it
 *  consists of, in the same fields. */
void confirm_pipelines(const Confirmation &confirmation);

} // namespace halidecache

#endif
