// SPDX-License-Identifier: MIT

#include "spin.h"

#include "raw_call.h"

// The locks of this thread. Initial-exec: no allocation on first use. Volatile: a signal
// handler of this thread reads it too.
static _Thread_local volatile unsigned held __attribute__((tls_model("initial-exec")));

bool spin_lock(struct spin *spin)
{
    // Each try behind the first ones gives the processor away: some tens of milliseconds,
    // far more than any holder takes that is going to go on at all.
    enum { QUICK_TRIES = 64, TRIES = 20000 };
    if ((held & spin->bit) != 0 ||
        atomic_load_explicit(&spin->given_up, memory_order_relaxed)) {
        return false;
    }
    // Before the lock is taken, so that a signal in between finds it marked.
    held |= spin->bit;
    for (int i = 0; i < TRIES; i++) {
        if (!atomic_exchange_explicit(&spin->taken, true, memory_order_acquire)) {
            return true;
        }
        if (i >= QUICK_TRIES) {
            raw_yield();
        }
    }
    atomic_store_explicit(&spin->given_up, true, memory_order_relaxed);
    held &= ~spin->bit;
    return false;
}

void spin_unlock(struct spin *spin)
{
    atomic_store_explicit(&spin->taken, false, memory_order_release);
    held &= ~spin->bit;
}
