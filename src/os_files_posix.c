// SPDX-License-Identifier: MIT
// os.h for POSIX systems: files.

#define _GNU_SOURCE // O_CLOEXEC and nanosecond times on every libc

#include "os.h"
#include "os_posix.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- Status -------------------------------------------------------------------------

static void status_from(const struct stat *from, struct file_status *to)
{
#ifdef __APPLE__
    const struct timespec mtime = from->st_mtimespec;
    const struct timespec ctime = from->st_ctimespec;
#else
    const struct timespec mtime = from->st_mtim;
    const struct timespec ctime = from->st_ctim;
#endif
    to->kind = S_ISREG(from->st_mode)   ? FILE_REGULAR
               : S_ISDIR(from->st_mode) ? FILE_DIRECTORY
                                        : FILE_OTHER;
    to->device = (uint64_t)from->st_dev;
    to->inode = (uint64_t)from->st_ino;
    to->size = (uint64_t)from->st_size;
    to->mtime_ns = (int64_t)mtime.tv_sec * 1000000000 + mtime.tv_nsec;
    to->ctime_ns = (int64_t)ctime.tv_sec * 1000000000 + ctime.tv_nsec;
}

bool os_stat(const char *path, struct file_status *status)
{
    struct stat result;
    if (stat(path, &result) != 0) {
        return false;
    }
    status_from(&result, status);
    return true;
}

bool os_stat_link(const char *path, struct file_status *status)
{
    struct stat result;
    if (lstat(path, &result) != 0) {
        return false;
    }
    status_from(&result, status);
    return true;
}

char *os_read_link(const char *path)
{
    struct buffer target = {0};
    ssize_t got = -1;
    size_t room = 256;
    do {
        room *= 2;
        got = readlink(path, (char *)buffer_reserve(&target, room), room);
    } while (got == (ssize_t)room);
    char *result = got < 0 ? NULL : mem_strndup((const char *)target.data, (size_t)got);
    buffer_release(&target);
    return result;
}

int os_access(const char *path)
{
    if (access(path, F_OK) != 0) {
        return -1;
    }
    return (access(path, R_OK) == 0 ? 4 : 0) | (access(path, W_OK) == 0 ? 2 : 0) |
           (access(path, X_OK) == 0 ? 1 : 0);
}

int os_open_reading(const char *path, struct file_status *status, struct error *error)
{
    const int fd = posix_open(path, O_RDONLY, 0);
    struct stat result;
    if (fd < 0) {
        error_set_errno(error, "cannot open %s", path);
        return -1;
    }
    if (fstat(fd, &result) != 0) {
        error_set_errno(error, "cannot examine %s", path);
        posix_close(fd);
        return -1;
    }
    status_from(&result, status);
    return fd;
}

int64_t os_read_next(int handle, void *to, size_t size)
{
    return posix_read(handle, to, size);
}

bool os_read_at(int handle, uint64_t offset, void *to, size_t size)
{
    unsigned char *at = to;
    while (size > 0) {
        if (offset > INT64_MAX) {
            errno = 0;
            return false;
        }
        const ssize_t got = pread(handle, at, size, (off_t)offset);
        if (got == 0) {
            errno = 0;
            return false;
        }
        if (got < 0 && errno != EINTR) {
            return false;
        }
        if (got > 0) {
            at += got;
            offset += (uint64_t)got;
            size -= (size_t)got;
        }
    }
    return true;
}

void os_close_reading(int handle)
{
    posix_close(handle);
}

bool os_write_file(const char *path, const void *data, size_t size, struct error *error)
{
    const int fd = posix_open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd < 0) {
        return error_set_errno(error, "cannot create %s", path);
    }
    const bool written = posix_write_all(fd, data, size);
    if (!written) {
        posix_close(fd);
    }
    if (!written || close(fd) != 0) {
        error_set_errno(error, "cannot write %s", path);
        const int saved = errno;
        (void)unlink(path);
        errno = saved;
        return false;
    }
    return true;
}

bool os_replace_file(const char *path, const void *data, size_t size, struct error *error)
{
    char *temporary = mem_printf("%s%sXXXXXX", path, OS_TEMPORARY_MARK);
    const int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0) {
        error_set_errno(error, "cannot create a file beside %s", path);
        free(temporary);
        return false;
    }
    // mkstemp makes files private; an entry is to be as readable as its folder.
    const mode_t mask = umask(0);
    (void)umask(mask);
    bool ok = fchmod(fd, 0666 & ~mask) == 0 && posix_write_all(fd, data, size);
    if (!ok) {
        posix_close(fd);
    } else {
        ok = close(fd) == 0;
    }
    if (!ok || rename(temporary, path) != 0) {
        error_set_errno(error, "cannot write %s", path);
        const int saved = errno;
        (void)unlink(temporary);
        errno = saved;
        ok = false;
    }
    free(temporary);
    return ok;
}

bool os_append_file(const char *path, const void *data, size_t size, struct error *error)
{
    const int fd = posix_open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (fd < 0) {
        return error_set_errno(error, "cannot open %s", path);
    }
    const bool ok = write(fd, data, size) == (ssize_t)size;
    if (!ok) {
        error_set_errno(error, "cannot append to %s", path);
    }
    posix_close(fd);
    return ok;
}

bool os_remove_file(const char *path, struct error *error)
{
    return unlink(path) == 0 || errno == ENOENT ||
           error_set_errno(error, "cannot remove %s", path);
}

bool os_rename(const char *from, const char *to, struct error *error)
{
    return rename(from, to) == 0 ||
           error_set_errno(error, "cannot rename %s to %s", from, to);
}

bool os_set_mtime(const char *path, int64_t mtime_ns)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_nsec = UTIME_NOW}};
    if (mtime_ns >= 0) {
        times[1].tv_sec = (time_t)(mtime_ns / 1000000000);
        times[1].tv_nsec = (long)(mtime_ns % 1000000000);
    }
    return utimensat(AT_FDCWD, path, times, 0) == 0;
}
