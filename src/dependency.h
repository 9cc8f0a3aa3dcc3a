// SPDX-License-Identifier: MIT
// One thing that a generator looked at, and whether it is still the same.

#ifndef HALIDECACHE_DEPENDENCY_H
#define HALIDECACHE_DEPENDENCY_H

#include "buffer.h"
#include "file_digest.h"
#include "os.h"
#include "sha256.h"

#include <stdbool.h>
#include <stdint.h>

// The numbers are stored: never reuse one.
enum dependency_kind {
    DEPENDS_ON_CONTENT = 1,  // of a file; of a folder: that it is one
    DEPENDS_ON_IDENTITY = 2, // of a binary (identity.h)
    DEPENDS_ON_STATUS =
        3, // times, size and number of a file; of a folder: that it is one
    DEPENDS_ON_MISSING = 4,  // nothing there
    DEPENDS_ON_ACCESS = 5,   // what this user may do with it
    DEPENDS_ON_LINK = 6,     // where a symbolic link leads
    DEPENDS_ON_RESOLVED = 7, // the path without links
    DEPENDS_ON_LISTING = 8,  // the names in a folder, in their order, and their kinds
    DEPENDS_ON_VARIABLE = 9, // its value, or that it is not set
    DEPENDS_ON_WHOLE_STATUS = 10, // STATUS, also of a folder
};

struct dependency {
    enum dependency_kind kind;
    const char *name;     // a path, or a variable's name
    struct digest digest; // of what it was like
    // For CONTENT and IDENTITY, the file's status when that was so, and when that was
    // looked at. A file whose status is the same, and was settled by then, is not read
    // again.
    struct file_status status;
    int64_t seen_ns;
};

/** Finds out what it is like now: `kind` and `name` are given, the rest is filled in.
 * False when that cannot be told. `memory` remembers digests of files; it may be NULL. */
bool dependency_look(struct dependency *dependency, struct file_digest_memory *memory);

enum dependency_check { DEPENDENCY_SAME, DEPENDENCY_SAME_BUT_NEW, DEPENDENCY_CHANGED };

/** Is it still as it was? SAME_BUT_NEW: yes, but the file had to be read to see that, and
 *  `dependency` has its status now. */
enum dependency_check dependency_check(struct dependency *dependency);

/** From when on a change of this file would show in its times: before that, it could get
 *  the same ones once more. Times that are not finer than a second count as the whole
 *  second. */
int64_t dependency_settles_ns(const struct file_status *status);

void dependency_encode(const struct dependency *dependency, struct buffer *to);

/** Reads what dependency_encode wrote; `name` points into the reader's memory. */
bool dependency_decode(struct dependency *dependency, struct reader *from);

#endif
