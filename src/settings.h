// SPDX-License-Identifier: MIT
// The user's settings: the cache folder and its limits, from options and environment.

#ifndef HALIDECACHE_SETTINGS_H
#define HALIDECACHE_SETTINGS_H

#include "error.h"

#include <stdbool.h>
#include <stdint.h>

struct settings {
    uint64_t max_size;   // bytes; HL_CACHE_MAX_SIZE, default 1 GiB
    uint64_t max_age_s;  // seconds; HL_CACHE_MAX_AGE; 0: no limit
    unsigned timeout_ms; // how long a probe may take; HALIDE_CACHE_PROBE_TIMEOUT
    unsigned wait_ms;    // how long to wait for another job's compile; HALIDE_CACHE_WAIT
};

/** Reads a size: a number of bytes, or one with the suffix K, M or G (powers of 1024).
 *  False for anything else. */
bool settings_parse_size(const char *text, uint64_t *bytes);

/** Reads a whole number of seconds. False for anything else. */
bool settings_parse_seconds(const char *text, uint64_t *seconds);

/** Fills in the limits from the environment. For every variable that is set to
 *  something else, `complain` gets one sentence that names the variable, its value, what
 *  is accepted and the default that is used instead. */
void settings_from_environment(struct settings *settings,
                               void (*complain)(void *context, const char *message),
                               void *context);

#endif
