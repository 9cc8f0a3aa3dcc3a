// SPDX-License-Identifier: MIT
// The sums of trace.h.

#ifndef HALIDECACHE_TRACER_STATUS_SUM_H
#define HALIDECACHE_TRACER_STATUS_SUM_H

#include "raw_call.h"
#include "trace.h"

#include <sys/stat.h>

static inline uint32_t status_sum(const struct stat *status)
{
    enum { SECOND = 1000000000 };
    return trace_sum((uint64_t)status->st_dev, (uint64_t)status->st_ino,
                     (uint64_t)status->st_size,
                     (int64_t)status->st_mtim.tv_sec * SECOND + status->st_mtim.tv_nsec,
                     (int64_t)status->st_ctim.tv_sec * SECOND + status->st_ctim.tv_nsec);
}

/** The sum of what is at a path now, or of an open file when the path is empty; 0 when
 *  that cannot be told. `flags` are AT_SYMLINK_NOFOLLOW or none. Of a folder, only
 *  `whole` has the times, and says so by TRACE_WHOLE_FOLDER. */
static inline uint32_t status_sum_at(int folder, const char *path, int flags, bool whole)
{
    struct stat status;
    if (raw_call(SYS_newfstatat, folder, (long)path, (long)&status, flags | AT_EMPTY_PATH,
                 0, 0) != 0) {
        return 0;
    }
    if ((status.st_mode & S_IFMT) != S_IFDIR) {
        return status_sum(&status);
    }
    return whole ? status_sum(&status) | TRACE_WHOLE_FOLDER : TRACE_SOME_FOLDER;
}

#endif
