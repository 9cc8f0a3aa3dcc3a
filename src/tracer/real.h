// SPDX-License-Identifier: MIT
// The functions that the tracer's stand in front of.

#ifndef HALIDECACHE_TRACER_REAL_H
#define HALIDECACHE_TRACER_REAL_H

typedef void real_function(void);

/** What the process would call by this name if there were no tracer. Where there is
 *  nothing, a function that fails with ENOSYS. Keeps errno. */
real_function *real_find(const char *name);

#endif
