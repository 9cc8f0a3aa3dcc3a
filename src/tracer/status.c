// SPDX-License-Identifier: MIT
// Looking at what is there without opening it.

#include "hook.h"

#include "records.h"

#include <errno.h>
#include <fcntl.h>
#include <features.h>
#include <sys/types.h>

static uint32_t link_itself(int flags)
{
    return (flags & AT_SYMLINK_NOFOLLOW) != 0 ? TRACE_LINK_ITSELF : 0;
}

// ---- stat ---------------------------------------------------------------------------

#define STAT(name, number)                                                               \
    HOOKED(int, name, (const char *path, void *to))                                      \
    {                                                                                    \
        const int result = REAL(name, int (*)(const char *, void *))(path, to);          \
        hook_note_path(CALLER, TRACE_STATUS, number, AT_FDCWD, path, result == 0);       \
        return result;                                                                   \
    }

// What stat() was called before glibc 2.33, with the version of `struct stat`.
#define XSTAT(name, number)                                                              \
    HOOKED(int, name, (int kind, const char *path, void *to))                            \
    {                                                                                    \
        const int result =                                                               \
            REAL(name, int (*)(int, const char *, void *))(kind, path, to);              \
        hook_note_path(CALLER, TRACE_STATUS, number, AT_FDCWD, path, result == 0);       \
        return result;                                                                   \
    }

#if __GLIBC_PREREQ(2, 33)
STAT(stat, 0)
STAT(stat64, 0)
STAT(lstat, TRACE_LINK_ITSELF)
STAT(lstat64, TRACE_LINK_ITSELF)
#endif
XSTAT(__xstat, 0)
XSTAT(__xstat64, 0)
XSTAT(__lxstat, TRACE_LINK_ITSELF)
XSTAT(__lxstat64, TRACE_LINK_ITSELF)

// Of an open file, its content is on record. The rest of its status tells something when
// the generator asks; Halide and libc only look for the size.
static void note_fd_status(const void *caller, int fd, bool ok)
{
    enum { STANDARD_STREAMS = 3 };
    const int saved = errno;
    if (ok && fd == 0 && hook_sees_own(caller)) {
        records_add_opaque("asks about standard input", "fstat", NULL);
    } else if (ok && fd >= STANDARD_STREAMS && hook_sees_own(caller)) {
        hook_note_fd(caller, TRACE_STATUS, 0, fd, true);
    }
    errno = saved;
}

#if __GLIBC_PREREQ(2, 33)
#define FSTAT(name)                                                                      \
    HOOKED(int, name, (int fd, void *to))                                                \
    {                                                                                    \
        const int result = REAL(name, int (*)(int, void *))(fd, to);                     \
        note_fd_status(CALLER, fd, result == 0);                                         \
        return result;                                                                   \
    }

FSTAT(fstat)
FSTAT(fstat64)
#endif

#define FXSTAT(name)                                                                     \
    HOOKED(int, name, (int kind, int fd, void *to))                                      \
    {                                                                                    \
        const int result = REAL(name, int (*)(int, int, void *))(kind, fd, to);          \
        note_fd_status(CALLER, fd, result == 0);                                         \
        return result;                                                                   \
    }

FXSTAT(__fxstat)
FXSTAT(__fxstat64)

static void note_statat(const void *caller, int folder, const char *path, int flags,
                        bool ok)
{
    if (path == NULL || path[0] == '\0') {
        note_fd_status(caller, folder, ok && (flags & AT_EMPTY_PATH) != 0);
    } else {
        hook_note_path(caller, TRACE_STATUS, link_itself(flags), folder, path, ok);
    }
}

#if __GLIBC_PREREQ(2, 33)
#define FSTATAT(name)                                                                    \
    HOOKED(int, name, (int folder, const char *path, void *to, int flags))               \
    {                                                                                    \
        const int result = REAL(name, int (*)(int, const char *, void *, int))(          \
            folder, path, to, flags);                                                    \
        note_statat(CALLER, folder, path, flags, result == 0);                           \
        return result;                                                                   \
    }

FSTATAT(fstatat)
FSTATAT(fstatat64)
#endif

#define FXSTATAT(name)                                                                   \
    HOOKED(int, name, (int kind, int folder, const char *path, void *to, int flags))     \
    {                                                                                    \
        const int result = REAL(name, int (*)(int, int, const char *, void *, int))(     \
            kind, folder, path, to, flags);                                              \
        note_statat(CALLER, folder, path, flags, result == 0);                           \
        return result;                                                                   \
    }

FXSTATAT(__fxstatat)
FXSTATAT(__fxstatat64)

#if __GLIBC_PREREQ(2, 28)
HOOKED(int, statx, (int folder, const char *path, int flags, unsigned mask, void *to))
{
    const int result = REAL(statx, int (*)(int, const char *, int, unsigned, void *))(
        folder, path, flags, mask, to);
    note_statat(CALLER, folder, path, flags, result == 0);
    return result;
}
#endif

// ---- access -------------------------------------------------------------------------

#define ACCESS(name)                                                                     \
    HOOKED(int, name, (const char *path, int mode))                                      \
    {                                                                                    \
        const int result = REAL(name, int (*)(const char *, int))(path, mode);           \
        hook_note_path(CALLER, TRACE_ACCESS, (uint32_t)mode, AT_FDCWD, path,             \
                       result == 0);                                                     \
        return result;                                                                   \
    }

ACCESS(access)
ACCESS(eaccess)
ACCESS(euidaccess)

HOOKED(int, faccessat, (int folder, const char *path, int mode, int flags))
{
    const int result =
        REAL(faccessat, int (*)(int, const char *, int, int))(folder, path, mode, flags);
    if (link_itself(flags) != 0) {
        hook_note_path(CALLER, TRACE_STATUS, TRACE_LINK_ITSELF, folder, path,
                       result == 0);
    } else {
        hook_note_path(CALLER, TRACE_ACCESS, (uint32_t)mode, folder, path, result == 0);
    }
    return result;
}

// ---- Symbolic links -----------------------------------------------------------------

// What a program gets of a target can be cut, so it is read again.
static void note_link(const void *caller, int folder, const char *path, bool ok)
{
    const int saved = errno;
    if (!ok && saved == EINVAL) {
        // It is there, and no link.
        hook_note_path(caller, TRACE_STATUS, TRACE_LINK_ITSELF, folder, path, true);
    } else if (!ok || path == NULL || path[0] == '\0') {
        hook_note_path(caller, TRACE_LINK, TRACE_LINK_ITSELF, folder, path, ok);
    } else if (hook_sees(caller)) {
        records_add_link(folder, path);
    }
    errno = saved;
}

#define READLINK(name, parameters, arguments, folder)                                    \
    HOOKED(ssize_t, name, parameters)                                                    \
    {                                                                                    \
        const ssize_t result = REAL(name, ssize_t(*) parameters) arguments;              \
        note_link(CALLER, folder, path, result >= 0);                                    \
        return result;                                                                   \
    }

READLINK(readlink, (const char *path, char *to, size_t size), (path, to, size), AT_FDCWD)
READLINK(readlinkat, (int folder, const char *path, char *to, size_t size),
         (folder, path, to, size), folder)
READLINK(__readlink_chk, (const char *path, char *to, size_t size, size_t limit),
         (path, to, size, limit), AT_FDCWD)
READLINK(__readlinkat_chk,
         (int folder, const char *path, char *to, size_t size, size_t limit),
         (folder, path, to, size, limit), folder)

static void note_resolved(const void *caller, const char *path, const char *resolved)
{
    const int saved = errno;
    if (resolved == NULL) {
        hook_note_path(caller, TRACE_RESOLVED, 0, AT_FDCWD, path, false);
    } else if (hook_sees(caller)) {
        records_add_path(TRACE_RESOLVED, 0, AT_FDCWD, path, resolved);
    }
    errno = saved;
}

#define REALPATH(name, parameters, arguments)                                            \
    HOOKED(char *, name, parameters)                                                     \
    {                                                                                    \
        char *resolved = REAL(name, char *(*)parameters) arguments;                      \
        note_resolved(CALLER, path, resolved);                                           \
        return resolved;                                                                 \
    }

REALPATH(realpath, (const char *path, char *to), (path, to))
REALPATH(__realpath_chk, (const char *path, char *to, size_t limit), (path, to, limit))
REALPATH(canonicalize_file_name, (const char *path), (path))
