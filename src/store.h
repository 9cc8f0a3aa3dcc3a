// SPDX-License-Identifier: MIT
// The store: bytes by key in one folder of the file system.
//
//   <folder>/CACHEDIR.TAG          tells backup programs to skip the folder
//   <folder>/<2 hex>/<62 hex>.<kind>   one file per key; the kinds are listed below
//   <folder>/<2 hex>/.size         what the files beside it add up to (see folder.h)
//   <folder>/.events, .totals      counters (see stats.h)
//   <folder>/.last_prune           its time is that of the last prune
//   <folder>/.lock                 held by the one process that prunes or clears
//   <folder>/.digests, .flights, .probes   folders of file_digest.h, flight.h and
//                                          probe_file.h
//
// A file is written under a temporary name in its own folder and renamed, so a reader
// sees a whole file or none. What is inside a file is its writer's business: entry.h
// and manifest.h verify what they read. Removing the folder, at any moment, clears the
// store; the next write makes it again.
//
// Read, write and remove by key and kind are all that the rest of the program asks of a
// store, so that another engine can stand behind the same three calls.

#ifndef HALIDECACHE_STORE_H
#define HALIDECACHE_STORE_H

#include "buffer.h"
#include "error.h"
#include "sha256.h"

#include <stdbool.h>
#include <stdint.h>

enum store_kind {
    STORE_ENTRY,    // the outputs of one key
    STORE_MANIFEST, // what a direct lookup has to check
    STORE_KINDS
};

enum { STORE_FOLDERS = 256 };

struct store;

/** Opens the store in `folder`, which is created with its parents when it is missing.
 *  NULL when it cannot be created or is no folder. A folder that can be read and not
 *  written opens; only writes fail. Free with store_close. */
struct store *store_open(const char *folder, struct error *error);

/** The same for a folder that is there; creates nothing. NULL with an empty `error` when
 *  there is none. */
struct store *store_open_existing(const char *folder, struct error *error);

void store_close(struct store *store); // accepts NULL

/** The folder as it was given to store_open; owned by the store. */
const char *store_folder(const struct store *store);

/** Appends what is stored to `content` and marks it as used now. False when there is
 *  nothing (`error` empty) or it cannot be read (`error` says why). */
bool store_read(struct store *store, enum store_kind kind, const struct digest *key,
                struct buffer *content, struct error *error);

/** Stores bytes, replacing what was there. */
bool store_write(struct store *store, enum store_kind kind, const struct digest *key,
                 const void *data, size_t size, struct error *error);

/** Removes what is stored, as after a failed verification; true also when nothing is. */
bool store_remove(struct store *store, enum store_kind kind, const struct digest *key,
                  struct error *error);

/** What the store holds, from the sizes kept per folder. */
struct store_usage {
    uint64_t files;
    uint64_t entries; // of the files, those of kind STORE_ENTRY
    uint64_t bytes;
};

bool store_usage(struct store *store, struct store_usage *usage, struct error *error);

/** Removes everything in the folder, but not the folder and its CACHEDIR.TAG. A build
 *  that runs meanwhile only misses. */
bool store_clear(struct store *store, struct error *error);

/** May this folder be cleared? Only if it has the CACHEDIR.TAG that store_open writes
 *  into a folder that was empty, or holds nothing (but private files of ours): a
 *  mistyped name must not cost a home folder. True also when there is no folder. */
bool store_is_ours(const char *folder);

#endif
