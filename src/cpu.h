// SPDX-License-Identifier: MIT
// What kind of processor this is: "host" in a target means its features.

#ifndef HALIDECACHE_CPU_H
#define HALIDECACHE_CPU_H

#include "buffer.h"

/** Appends bytes that are the same on processors with the same model and features, and
 *  different on others. */
void cpu_describe(struct buffer *to);

#endif
