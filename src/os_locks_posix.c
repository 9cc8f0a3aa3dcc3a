// SPDX-License-Identifier: MIT
// os.h for POSIX systems: locks.

#define _GNU_SOURCE // flock on every libc

#include "os.h"
#include "os_posix.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum lock_result os_lock_try(const char *path, int *handle)
{
    for (int attempt = 0; attempt < 100; attempt++) {
        const int fd = posix_open(path, O_RDWR | O_CREAT, 0666);
        if (fd < 0) {
            return LOCK_UNAVAILABLE;
        }
        if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
            const bool busy = errno == EWOULDBLOCK;
            posix_close(fd);
            return busy ? LOCK_BUSY : LOCK_UNAVAILABLE;
        }
        struct stat locked;
        struct stat named;
        if (fstat(fd, &locked) == 0 && stat(path, &named) == 0 &&
            locked.st_dev == named.st_dev && locked.st_ino == named.st_ino) {
            *handle = fd;
            return LOCK_TAKEN;
        }
        posix_close(fd); // its holder removed it between our open and our lock
    }
    return LOCK_UNAVAILABLE;
}

size_t os_lock_read(int handle, void *data, size_t size)
{
    ssize_t got = -1;
    do {
        got = pread(handle, data, size, 0);
    } while (got < 0 && errno == EINTR);
    return got < 0 ? 0 : (size_t)got;
}

bool os_lock_write(int handle, const void *data, size_t size)
{
    ssize_t written = -1;
    do {
        written = pwrite(handle, data, size, 0);
    } while (written < 0 && errno == EINTR);
    return written == (ssize_t)size;
}

void os_lock_release(int handle, const char *path, bool remove)
{
    if (remove) {
        (void)unlink(path);
    }
    posix_close(handle);
}
