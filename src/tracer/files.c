// SPDX-License-Identifier: MIT
// Opening files.

#include "hook.h"

#include "records.h"
#include "status_sum.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

// Files whose content is no content. True when `path` is one, and is dealt with.
static bool note_special(const void *caller, const char *path)
{
    if (starts_with(path, "/proc/")) {
        if (strcmp(path, "/proc/cpuinfo") == 0) {
            return false;
        }
        records_add_opaque("opens", path, NULL);
        return true;
    }
    if (!starts_with(path, "/dev/")) {
        return false;
    }
    if (strcmp(path, "/dev/random") == 0 || strcmp(path, "/dev/urandom") == 0) {
        if (hook_sees_own(caller)) {
            records_add_opaque("reads random numbers", path, NULL);
        }
    } else if (strcmp(path, "/dev/null") != 0 && strcmp(path, "/dev/zero") != 0 &&
               strcmp(path, "/dev/full") != 0) {
        records_add_opaque("opens", path, NULL);
    }
    return true;
}

enum { READS = 1, WRITES = 2 };

static void note_success(int folder, const char *path, unsigned what, int fd)
{
    if ((what & READS) != 0) {
        records_add_path(TRACE_READ, status_sum_at(fd, "", 0, false), folder, path, NULL);
    }
    if ((what & WRITES) != 0) {
        records_add_path(TRACE_WRITTEN, 0, folder, path, NULL);
    }
}

// What does open() with these flags do to a file? What is neither new nor emptied comes
// through, if not to the program then into the file.
static unsigned what_flags_do(int flags)
{
    const bool creates = (flags & O_CREAT) != 0;
    const bool starts_empty =
        (flags & O_TRUNC) != 0 || (creates && (flags & O_EXCL) != 0);
    const bool writes =
        (flags & O_ACCMODE) != O_RDONLY || creates || (flags & O_TRUNC) != 0;
    return (starts_empty ? 0U : READS) | (writes ? WRITES : 0U);
}

static void note_open(const void *caller, int folder, const char *path, int flags, int fd)
{
    const int saved = errno;
    const bool ok = fd >= 0;
    if (hook_sees(caller) && path != NULL && (ok || saved != EFAULT) && path[0] != '\0') {
        if (!ok) {
            hook_note_failure(saved, 0, folder, path);
        } else if ((flags & (O_DIRECTORY | O_PATH)) != 0) {
            // Also O_TMPFILE, which is a file without a name in this folder.
            records_add_path(TRACE_ACCESS, 0, folder, path, NULL);
        } else if (!note_special(caller, path)) {
            note_success(folder, path, what_flags_do(flags), fd);
        }
    }
    errno = saved;
}

// ---- open ---------------------------------------------------------------------------

// The parameter that open() has for files it creates.
static unsigned mode_of(int flags, va_list rest)
{
    return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE
               ? va_arg(rest, unsigned)
               : 0;
}

#define OPEN(name)                                                                       \
    HOOKED(int, name, (const char *path, int flags, ...))                                \
    {                                                                                    \
        va_list rest;                                                                    \
        va_start(rest, flags);                                                           \
        const unsigned mode = mode_of(flags, rest);                                      \
        va_end(rest);                                                                    \
        const int fd = REAL(name, int (*)(const char *, int, ...))(path, flags, mode);   \
        note_open(CALLER, AT_FDCWD, path, flags, fd);                                    \
        return fd;                                                                       \
    }

OPEN(open)
OPEN(open64)
OPEN(__open)
OPEN(__open64)

#define OPENAT(name)                                                                     \
    HOOKED(int, name, (int folder, const char *path, int flags, ...))                    \
    {                                                                                    \
        va_list rest;                                                                    \
        va_start(rest, flags);                                                           \
        const unsigned mode = mode_of(flags, rest);                                      \
        va_end(rest);                                                                    \
        const int fd =                                                                   \
            REAL(name, int (*)(int, const char *, int, ...))(folder, path, flags, mode); \
        note_open(CALLER, folder, path, flags, fd);                                      \
        return fd;                                                                       \
    }

OPENAT(openat)
OPENAT(openat64)

// What -D_FORTIFY_SOURCE makes of calls without a mode.
#define OPEN_2(name)                                                                     \
    HOOKED(int, name, (const char *path, int flags))                                     \
    {                                                                                    \
        const int fd = REAL(name, int (*)(const char *, int))(path, flags);              \
        note_open(CALLER, AT_FDCWD, path, flags, fd);                                    \
        return fd;                                                                       \
    }

OPEN_2(__open_2)
OPEN_2(__open64_2)

#define OPENAT_2(name)                                                                   \
    HOOKED(int, name, (int folder, const char *path, int flags))                         \
    {                                                                                    \
        const int fd = REAL(name, int (*)(int, const char *, int))(folder, path, flags); \
        note_open(CALLER, folder, path, flags, fd);                                      \
        return fd;                                                                       \
    }

OPENAT_2(__openat_2)
OPENAT_2(__openat64_2)

#define CREAT(name)                                                                      \
    HOOKED(int, name, (const char *path, mode_t mode))                                   \
    {                                                                                    \
        const int fd = REAL(name, int (*)(const char *, mode_t))(path, mode);            \
        note_open(CALLER, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, fd);             \
        return fd;                                                                       \
    }

CREAT(creat)
CREAT(creat64)

// ---- fopen --------------------------------------------------------------------------

// The flags for open() that belong to a mode of fopen().
static int flags_of_mode(const char *mode)
{
    const int access = strchr(mode, '+') != NULL ? O_RDWR : O_WRONLY;
    const int exclusive = strchr(mode, 'x') != NULL ? O_EXCL : 0;
    switch (mode[0]) {
    case 'w':
        return access | O_CREAT | O_TRUNC | exclusive;
    case 'a':
        return access | O_CREAT | O_APPEND | exclusive;
    default:
        return access == O_RDWR ? O_RDWR : O_RDONLY;
    }
}

static void note_fopen(const void *caller, const char *path, const char *mode, FILE *file)
{
    if (mode == NULL) {
        return;
    }
    note_open(caller, AT_FDCWD, path, flags_of_mode(mode),
              file == NULL ? -1 : fileno(file));
    if (file != NULL && strstr(mode, "ccs=") != NULL && hook_sees(caller)) {
        const int saved = errno;
        records_add_opaque("loads character sets", mode, NULL);
        errno = saved;
    }
}

#define FOPEN(name)                                                                      \
    HOOKED(FILE *, name, (const char *path, const char *mode))                           \
    {                                                                                    \
        FILE *file = REAL(name, FILE * (*)(const char *, const char *))(path, mode);     \
        note_fopen(CALLER, path, mode, file);                                            \
        return file;                                                                     \
    }

FOPEN(fopen)
FOPEN(fopen64)
FOPEN(_IO_fopen)
FOPEN(setmntent)

#define FREOPEN(name)                                                                    \
    HOOKED(FILE *, name, (const char *path, const char *mode, FILE *stream))             \
    {                                                                                    \
        FILE *file = REAL(name, FILE * (*)(const char *, const char *, FILE *))(         \
            path, mode, stream);                                                         \
        note_fopen(CALLER, path, mode, file);                                            \
        return file;                                                                     \
    }

FREOPEN(freopen)
FREOPEN(freopen64)

// ---- Temporary files ----------------------------------------------------------------

#define MKSTEMP(name, parameters, arguments)                                             \
    HOOKED(int, name, parameters)                                                        \
    {                                                                                    \
        const int fd = REAL(name, int(*) parameters) arguments;                          \
        hook_note_changed(CALLER, AT_FDCWD, path, fd >= 0);                              \
        return fd;                                                                       \
    }

MKSTEMP(mkstemp, (char *path), (path))
MKSTEMP(mkstemp64, (char *path), (path))
MKSTEMP(mkostemp, (char *path, int flags), (path, flags))
MKSTEMP(mkostemp64, (char *path, int flags), (path, flags))
MKSTEMP(mkstemps, (char *path, int suffix), (path, suffix))
MKSTEMP(mkstemps64, (char *path, int suffix), (path, suffix))
MKSTEMP(mkostemps, (char *path, int suffix, int flags), (path, suffix, flags))
MKSTEMP(mkostemps64, (char *path, int suffix, int flags), (path, suffix, flags))

HOOKED(char *, mkdtemp, (char *path))
{
    char *result = REAL(mkdtemp, char *(*)(char *))(path);
    hook_note_changed(CALLER, AT_FDCWD, path, result != NULL);
    return result;
}
