// SPDX-License-Identifier: MIT
// Keeping the store within its limits.
//
// Every folder of the store keeps the number, the total size and the earliest use of its
// files in a small file, .size, so that neither a store nor a prune has to look at every
// file. A prune looks into the folders whose earliest use is longest ago and removes the
// least recently used files it finds there. Up to a few thousand files it looks at all of
// them, and the order is exact; beyond, it is that of a large sample.

#ifndef HALIDECACHE_PRUNE_H
#define HALIDECACHE_PRUNE_H

#include "error.h"
#include "settings.h"
#include "store.h"

#include <stdbool.h>
#include <stdint.h>

struct prune_result {
    uint64_t removed_files;
    uint64_t removed_bytes;
    struct store_usage left;
};

/** Prunes if the last prune was at least 60 seconds ago and no other process prunes
 *  now; else returns at once. Failures are nobody's concern but the next prune's. */
void prune_if_due(struct store *store, const struct settings *settings);

/** Prunes now. Waits for nobody: when another process prunes, `*busy` is set and
 *  nothing is removed. Also sweeps temporary files that killed processes left behind. */
bool prune_now(struct store *store, const struct settings *settings,
               struct prune_result *result, bool *busy, struct error *error);

#endif
