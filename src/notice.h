// SPDX-License-Identifier: MIT
// What the cache tells the user while a build runs.

#ifndef HALIDECACHE_NOTICE_H
#define HALIDECACHE_NOTICE_H

#include "error.h"

/** Prints "halide-cache: error: ..." to standard error, in one write. */
void notice_error(const char *format, ...) PRINTF_LIKE(1, 2);

/** Prints "halide-cache: warning: ..." unless another command of this login session said
 *  the very same within the last minute: a build of a hundred commands says it once. */
void notice_warn_once(const char *format, ...) PRINTF_LIKE(1, 2);

/** Appends a line about one command to the file that HALIDE_CACHE_LOG names, if it names
 *  one. */
void notice_log(const char *format, ...) PRINTF_LIKE(1, 2);

#endif
