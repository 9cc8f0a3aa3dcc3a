// SPDX-License-Identifier: MIT
// Waiting for a lock, but not for ever: a process that was stopped while it held one
// must not stop every build.

#ifndef HALIDECACHE_LOCK_H
#define HALIDECACHE_LOCK_H

#include "os.h"

/** os_lock_try, again and again until the lock is taken, cannot be had at all, or
 *  `timeout_ms` are over (LOCK_BUSY). Release it with os_lock_release. */
enum lock_result lock_wait(const char *path, unsigned timeout_ms, int *handle);

#endif
