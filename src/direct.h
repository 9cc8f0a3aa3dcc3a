// SPDX-License-Identifier: MIT
// Direct mode: a hit without starting the generator.
//
// When the generator has run once, the tracer has seen what it looked at: files, missing
// files, variables, libraries. Those and the command line decide the pipelines, and with
// that the key. If all of them are as they were, the key is as it was.

#ifndef HALIDECACHE_DIRECT_H
#define HALIDECACHE_DIRECT_H

#include "inquiry.h"
#include "job.h"
#include "sha256.h"

#include <stdbool.h>

/** The key of the command, if a manifest knows it and everything that it lists is
 *  unchanged. */
bool direct_find_key(struct job *job, struct digest *key);

/** To be called before the generator is started. One that was linked this very moment is
 *  given the clock tick that it takes to tell it from a later one. */
void direct_prepare(struct job *job);

/** Writes down for the next time what led to the key of this inquiry, if that can be told
 *  completely. */
void direct_remember(struct job *job, const struct inquiry *inquiry);

#endif
