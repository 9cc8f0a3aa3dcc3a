// SPDX-License-Identifier: MIT
// One compile for identical jobs.
//
// A build that starts from nothing runs many commands with one key at the same time:
// every library's own runtime is the same. The first of them takes off and compiles; the
// others wait for it to land, and restore what it stored. The lock is one of the
// operating system's, so it goes with a process that dies; a time limit bounds the wait
// for one that was stopped; and where files cannot be locked, everybody compiles.

#ifndef HALIDECACHE_FLIGHT_H
#define HALIDECACHE_FLIGHT_H

#include "sha256.h"

#include <stdbool.h>

struct flight;

/** Takes off for a key, once nobody else is in the air with it, or after `wait_ms`
 *  milliseconds. After that the caller looks whether the outputs are there by now. Free
 *  with flight_land. NULL where there can be no lock, or the wait was in vain. */
struct flight *flight_take_off(const char *folder, const struct digest *key,
                               unsigned wait_ms);

/** Lets the next one go; accepts NULL. */
void flight_land(struct flight *flight);

#endif
