// SPDX-License-Identifier: MIT
// What the files that implement os.h for POSIX systems share.

#ifndef HALIDECACHE_OS_POSIX_H
#define HALIDECACHE_OS_POSIX_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** open and read, again where a signal interrupts them; the descriptor does not survive
 *  an exec. */
int posix_open(const char *path, int flags, mode_t mode);
ssize_t posix_read(int fd, void *to, size_t size);

/** Writes all of it; false with errno. */
bool posix_write_all(int fd, const void *data, size_t size);

/** Closes a descriptor unless it is negative; keeps errno. */
void posix_close(int fd);

#endif
