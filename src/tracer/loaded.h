// SPDX-License-Identifier: MIT
// The libraries that are loaded, and how they came to be these and no others.

#ifndef HALIDECACHE_TRACER_LOADED_H
#define HALIDECACHE_TRACER_LOADED_H

/** Records all that is loaded now, and the ways on which it was found. */
void loaded_note(void);

#endif
