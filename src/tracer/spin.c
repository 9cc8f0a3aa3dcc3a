// SPDX-License-Identifier: MIT

#include "spin.h"

#include "raw_call.h"

// The locks of this thread. Initial-exec: no allocation on first use. Volatile: a signal
// handler of this thread reads it too.
static _Thread_local volatile unsigned held __attribute__((tls_model("initial-exec")));

static bool try_lock(struct spin *spin)
{
    return !atomic_exchange_explicit(&spin->taken, true, memory_order_acquire);
}

// Who has the lock needs less than a microsecond, once it gets to run.
static bool wait_for_lock(struct spin *spin)
{
    enum { QUICK_TRIES = 100, TRIES = 32, FIRST_NS = 10000, LONGEST_NS = 5000000 };
    long pause_ns = FIRST_NS;
    for (int i = 0; i < QUICK_TRIES; i++) {
        if (try_lock(spin)) {
            return true;
        }
    }
    // Together a tenth of a second.
    for (int i = 0; i < TRIES; i++) {
        raw_sleep(pause_ns);
        pause_ns = pause_ns * 2 > LONGEST_NS ? LONGEST_NS : pause_ns * 2;
        if (try_lock(spin)) {
            return true;
        }
    }
    return false;
}

bool spin_lock(struct spin *spin)
{
    if ((held & spin->bit) != 0 ||
        atomic_load_explicit(&spin->given_up, memory_order_relaxed)) {
        return false;
    }
    // Before the lock is taken, so that a signal in between finds it marked.
    held |= spin->bit;
    if (try_lock(spin) || wait_for_lock(spin)) {
        return true;
    }
    held &= ~spin->bit;
    atomic_store_explicit(&spin->given_up, true, memory_order_relaxed);
    return false;
}

void spin_unlock(struct spin *spin)
{
    atomic_store_explicit(&spin->taken, false, memory_order_release);
    held &= ~spin->bit;
}
