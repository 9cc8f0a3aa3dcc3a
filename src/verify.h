// SPDX-License-Identifier: MIT
// The self-check: a hit compiles all the same, and the two results are compared.

#ifndef HALIDECACHE_VERIFY_H
#define HALIDECACHE_VERIFY_H

#include "generator.h"
#include "hit.h"
#include "inquiry.h"

#include <stdbool.h>

/** Lets the generator compile what `found` claims to hold, and compares. The user gets
 * what the generator wrote. A difference is reported, with the fields of both keys, and
 * makes a status of 1. */
struct exit_status verify_hit(struct inquiry *inquiry, const struct found *found);

/** Would direct mode have found the same key, if any? If not, that is reported. */
bool verify_direct_key(struct job *job, const struct inquiry *inquiry);

#endif
