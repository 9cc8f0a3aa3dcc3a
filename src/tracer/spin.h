// SPDX-License-Identifier: MIT
// A lock for code that runs inside of other people's calls: in signal handlers, in forked
// copies of processes with threads, in threads of any priority. So nobody waits for it
// without a limit, and a thread that holds it already does not get it again: both mean
// that a record is lost, which the caller has to report.

#ifndef HALIDECACHE_TRACER_SPIN_H
#define HALIDECACHE_TRACER_SPIN_H

#include <stdatomic.h>
#include <stdbool.h>

struct spin {
    atomic_bool taken;
    atomic_bool given_up; // nobody waits a second time
    unsigned bit;         // a different one for every lock
};

enum { SPIN_RECORDS = 1, SPIN_CALLERS = 2, SPIN_LOADED = 4 };

/** False when this thread has it, or another one does not give it back. */
bool spin_lock(struct spin *spin);
void spin_unlock(struct spin *spin);

#endif
