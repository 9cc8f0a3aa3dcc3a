// SPDX-License-Identifier: MIT
// Digests of whole files, remembered between runs for files that do not change.
//
// A remembered digest counts when path, device, inode, size, mtime and ctime are the
// same, and all of the file's times are older than the record by more than a clock tick
// of the file system: a file that changes again within one tick has the same times.

#ifndef HALIDECACHE_FILE_DIGEST_H
#define HALIDECACHE_FILE_DIGEST_H

#include "error.h"
#include "os.h"
#include "sha256.h"

#include <stdbool.h>

struct file_digest_memory;

/** Remembers in files below `folder`, which is created at the first need. Free with
 *  file_digest_memory_free, which accepts NULL. */
struct file_digest_memory *file_digest_memory_new(const char *folder);
void file_digest_memory_free(struct file_digest_memory *memory);

/** Reads and hashes the file now. If `status` is not NULL it receives the status of the
 *  file that was read; a file that changes while it is read is an error. */
bool file_digest_read(const char *path, struct digest *digest, struct file_status *status,
                      struct error *error);

/** The same, from memory where that counts. `memory` may be NULL. */
bool file_digest(const char *path, struct file_digest_memory *memory,
                 struct digest *digest, struct error *error);

/** The same. `*lasts`: the content changes with the status only. It does not for files
 * that a kernel makes up as they are read, such as those in /sys. */
bool file_digest_that_lasts(const char *path, struct file_digest_memory *memory,
                            struct digest *digest, bool *lasts, struct error *error);

/** Can a status taken at `now_ns` be trusted to tell this file from one that is written
 *  later? No, while its times are within two seconds (the coarsest tick in use, that of
 *  FAT) of now or in the future. */
bool file_status_is_settled(const struct file_status *status, int64_t now_ns);

#endif
