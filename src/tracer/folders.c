// SPDX-License-Identifier: MIT
// Reading folders.

#include "hook.h"

#include "before.h"
#include "records.h"

#include <errno.h>
#include <fcntl.h>
#include <features.h>
#include <string.h>
#include <sys/types.h>

HOOKED(void *, opendir, (const char *path))
{
    void *folder = REAL(opendir, void *(*)(const char *))(path);
    hook_note_path(CALLER, TRACE_LISTED, 0, AT_FDCWD, path, folder != NULL);
    return folder;
}

HOOKED(void *, fdopendir, (int fd))
{
    void *folder = REAL(fdopendir, void *(*)(int))(fd);
    hook_note_fd(CALLER, TRACE_LISTED, 0, fd, folder != NULL);
    return folder;
}

typedef int filter_function(const void *entry);
typedef int compare_function(const void *a, const void *b);

#define SCANDIR(name)                                                                    \
    HOOKED(int, name,                                                                    \
           (const char *path, void *names, filter_function *filter,                      \
            compare_function *compare))                                                  \
    {                                                                                    \
        const int count =                                                                \
            REAL(name, int (*)(const char *, void *, filter_function *,                  \
                               compare_function *))(path, names, filter, compare);       \
        hook_note_path(CALLER, TRACE_LISTED, 0, AT_FDCWD, path, count >= 0);             \
        return count;                                                                    \
    }

SCANDIR(scandir)
SCANDIR(scandir64)

#define SCANDIRAT(name)                                                                  \
    HOOKED(int, name,                                                                    \
           (int folder, const char *path, void *names, filter_function *filter,          \
            compare_function *compare))                                                  \
    {                                                                                    \
        const int count = REAL(name, int (*)(int, const char *, void *,                  \
                                             filter_function *, compare_function *))(    \
            folder, path, names, filter, compare);                                       \
        hook_note_path(CALLER, TRACE_LISTED, 0, folder, path, count >= 0);               \
        return count;                                                                    \
    }

SCANDIRAT(scandirat)
SCANDIRAT(scandirat64)

#define GETDIRENTRIES(name)                                                              \
    HOOKED(ssize_t, name, (int fd, char *to, size_t size, off_t *at))                    \
    {                                                                                    \
        const ssize_t got =                                                              \
            REAL(name, ssize_t(*)(int, char *, size_t, off_t *))(fd, to, size, at);      \
        hook_note_fd(CALLER, TRACE_LISTED, 0, fd, got >= 0);                             \
        return got;                                                                      \
    }

GETDIRENTRIES(getdirentries)
GETDIRENTRIES(getdirentries64)

#if __GLIBC_PREREQ(2, 30)
HOOKED(ssize_t, getdents64, (int fd, void *to, size_t size))
{
    const ssize_t got = REAL(getdents64, ssize_t(*)(int, void *, size_t))(fd, to, size);
    hook_note_fd(CALLER, TRACE_LISTED, 0, fd, got >= 0);
    return got;
}
#endif

// A pattern that lists one folder says which. Others list what they meet.
static void note_glob(const struct before *before, const uintptr_t *arguments,
                      const struct caller *caller)
{
    const char *pattern = (const char *)arguments[0];
    const char *special = strpbrk(pattern, "*?[\\{~");
    const char *slash = strrchr(pattern, '/');
    if (special != NULL && slash == NULL && pattern[0] != '~') {
        records_add_path(TRACE_LISTED, 0, AT_FDCWD, ".", NULL);
    } else if (special != NULL && pattern[0] == '/' && special > slash) {
        records_add_cut(TRACE_LISTED, 0, pattern,
                        slash == pattern ? 1 : (size_t)(slash - pattern));
    } else {
        records_add_opaque(before->reason, before->name, caller->object);
    }
}

BEFORE(glob, note_glob, FROM_ALL, "searches folders");
BEFORE(glob64, note_glob, FROM_ALL, "searches folders");

// These look at everything below a folder, and at every file there, inside of libc.
BEFORE(ftw, before_note_opaque, FROM_ALL, "walks through folders");
BEFORE(ftw64, before_note_opaque, FROM_ALL, "walks through folders");
BEFORE(nftw, before_note_opaque, FROM_ALL, "walks through folders");
BEFORE(nftw64, before_note_opaque, FROM_ALL, "walks through folders");
BEFORE(fts_open, before_note_opaque, FROM_ALL, "walks through folders");
#if __GLIBC_PREREQ(2, 23)
BEFORE(fts64_open, before_note_opaque, FROM_ALL, "walks through folders");
#endif
