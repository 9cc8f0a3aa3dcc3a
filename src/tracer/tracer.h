// SPDX-License-Identifier: MIT
// Is this process traced, and what it started with.

#ifndef HALIDECACHE_TRACER_TRACER_H
#define HALIDECACHE_TRACER_TRACER_H

#include <stdbool.h>

/** When not, every function of the tracer does what the real one does, and nothing else.
 */
bool tracer_is_active(void);

/** A variable's value when the process started, or NULL. Only for those that the dynamic
 *  linker reads. */
const char *tracer_start_value(const char *name);

/** A variable's value now, or NULL; not recorded. */
const char *tracer_value(const char *name);

#endif
