// SPDX-License-Identifier: MIT

#include "lock.h"

// Often at first, for locks that are held for an instant; a compile takes seconds.
static unsigned poll_ms(int64_t waited_ms)
{
    return waited_ms < 20 ? 1 : waited_ms < 500 ? 5 : 20;
}

enum lock_result lock_wait(const char *path, unsigned timeout_ms, int *handle)
{
    const int64_t start_ns = os_monotonic_ns();
    for (;;) {
        const enum lock_result result = os_lock_try(path, handle);
        const int64_t waited_ms = (os_monotonic_ns() - start_ns) / 1000000;
        if (result != LOCK_BUSY || waited_ms >= timeout_ms) {
            return result;
        }
        os_sleep_ms(poll_ms(waited_ms));
    }
}
