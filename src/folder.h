// SPDX-License-Identifier: MIT
// One of the store's folders: the names in it, and what its files add up to.
//
// The sums are kept in the file .size. Whoever adds or removes a file holds a lock on
// .size meanwhile, and .size is not valid while its folder changes:
//
//   folder_change_begin   takes the lock, reads the sums, makes .size invalid
//   ...                   one file is renamed into place or removed; folder_change_add
//                         and folder_change_subtract say what it was
//   folder_change_end     writes the sums, releases the lock
//
// So a process that is killed on the way leaves no wrong sums but none, and the next one
// that needs them counts the files of this one folder. The same happens when .size is
// damaged, and after a change on a file system that cannot lock. (The file is written in
// place: to create two more files for every one that is stored can cost more than all
// the rest.)

#ifndef HALIDECACHE_FOLDER_H
#define HALIDECACHE_FOLDER_H

#include "error.h"
#include "os.h"
#include "store.h"

#include <stdbool.h>
#include <stdint.h>

/** Enough for the name of any stored file and its NUL. */
enum { FOLDER_FILE_NAME_SIZE = 80 };

/** "<store>/<2 hex>" for a number below STORE_FOLDERS, as a new string. */
char *folder_path(const char *store, unsigned number);

/** Is it the name of one of the store's folders, and which? */
bool folder_parse_number(const char *name, unsigned *number);

/** The path of the file of this kind and key, as a new string. */
char *folder_file_path(const char *store, enum store_kind kind, const struct digest *key);

/** Is it the name of a stored file (without folder), and of which kind? */
bool folder_parse_file_name(const char *name, enum store_kind *kind);

struct folder_size {
    uint64_t files;
    uint64_t entries; // of the files, those of kind STORE_ENTRY
    uint64_t bytes;
    int64_t earliest_ns; // none of the files was last used before; INT64_MAX: no files
};

/** The sums of one folder: from .size, else counted (and kept, where that can be done).
 *  A folder that does not exist holds nothing. */
bool folder_size_get(const char *path, struct folder_size *size, struct error *error);

/** A change of one folder, from folder_change_begin to folder_change_end. */
struct folder_change {
    const char *path;        // not owned
    struct folder_size size; // what the folder holds now, if `known`
    bool known;
    bool locked;
    int lock;
};

/** Never fails: without the lock the sums are not known, and dropped. */
void folder_change_begin(struct folder_change *change, const char *path);
void folder_change_add(struct folder_change *change, enum store_kind kind, uint64_t size,
                       int64_t used_ns);
void folder_change_subtract(struct folder_change *change, enum store_kind kind,
                            uint64_t size);
void folder_change_end(struct folder_change *change);

/** What folder_scan found. */
struct folder_file {
    const char *name;
    const char *path;
    bool stored;          // a stored file; else one of the folder's private files
    enum store_kind kind; // if `stored`
    struct file_status status;
};

/** Counts the folder's files, inside a change, so that the sums are right and known
 *  afterwards. `visit`, which may be NULL, sees every file, and may remove those that
 *  are not `stored`. */
bool folder_scan(struct folder_change *change,
                 void (*visit)(void *context, const struct folder_file *file),
                 void *context, struct error *error);

#endif
