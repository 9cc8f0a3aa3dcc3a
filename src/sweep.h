// SPDX-License-Identifier: MIT
// Removing what processes left behind that did not come to their end.

#ifndef HALIDECACHE_SWEEP_H
#define HALIDECACHE_SWEEP_H

#include "os.h"

#include <stdint.h>

/** Removes a file of ours if it is a temporary file, or a lock that nobody holds, and was
 *  not touched for an hour. `name` is the last part of `path`. Leaves all else alone. */
void sweep_file(const char *name, const char *path, const struct file_status *status,
                int64_t now_ns);

/** Does the same in the store's folders beside those of the stored files, and removes
 *  what was remembered there too long ago. */
void sweep_side_folders(const char *store, int64_t now_ns);

#endif
