// SPDX-License-Identifier: MIT
// Creating, changing and removing what is in the file system, other than by opening it.

#include "hook.h"

#include <fcntl.h>
#include <features.h>
#include <sys/types.h>

struct timespec;
struct timeval;

#define CHANGE(name, parameters, arguments, folder)                                      \
    HOOKED(int, name, parameters)                                                        \
    {                                                                                    \
        const int result = REAL(name, int(*) parameters) arguments;                      \
        hook_note_changed(CALLER, folder, path, result == 0);                            \
        return result;                                                                   \
    }

#define CHANGE_FD(name, parameters, arguments)                                           \
    HOOKED(int, name, parameters)                                                        \
    {                                                                                    \
        const int result = REAL(name, int(*) parameters) arguments;                      \
        hook_note_changed_fd(CALLER, fd, result == 0);                                   \
        return result;                                                                   \
    }

CHANGE(unlink, (const char *path), (path), AT_FDCWD)
CHANGE(unlinkat, (int folder, const char *path, int flags), (folder, path, flags), folder)
CHANGE(remove, (const char *path), (path), AT_FDCWD)
CHANGE(rmdir, (const char *path), (path), AT_FDCWD)
CHANGE(mkdir, (const char *path, mode_t mode), (path, mode), AT_FDCWD)
CHANGE(mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode), folder)
CHANGE(mkfifo, (const char *path, mode_t mode), (path, mode), AT_FDCWD)
CHANGE(mkfifoat, (int folder, const char *path, mode_t mode), (folder, path, mode),
       folder)
#if __GLIBC_PREREQ(2, 33)
CHANGE(mknod, (const char *path, mode_t mode, dev_t device), (path, mode, device),
       AT_FDCWD)
CHANGE(mknodat, (int folder, const char *path, mode_t mode, dev_t device),
       (folder, path, mode, device), folder)
#endif
CHANGE(__xmknod, (int kind, const char *path, mode_t mode, dev_t *device),
       (kind, path, mode, device), AT_FDCWD)
CHANGE(__xmknodat, (int kind, int folder, const char *path, mode_t mode, dev_t *device),
       (kind, folder, path, mode, device), folder)
CHANGE(symlink, (const char *target, const char *path), (target, path), AT_FDCWD)
CHANGE(symlinkat, (const char *target, int folder, const char *path),
       (target, folder, path), folder)

CHANGE(chmod, (const char *path, mode_t mode), (path, mode), AT_FDCWD)
CHANGE(lchmod, (const char *path, mode_t mode), (path, mode), AT_FDCWD)
CHANGE(fchmodat, (int folder, const char *path, mode_t mode, int flags),
       (folder, path, mode, flags), folder)
CHANGE_FD(fchmod, (int fd, mode_t mode), (fd, mode))
CHANGE(chown, (const char *path, uid_t user, gid_t group), (path, user, group), AT_FDCWD)
CHANGE(lchown, (const char *path, uid_t user, gid_t group), (path, user, group), AT_FDCWD)
CHANGE(fchownat, (int folder, const char *path, uid_t user, gid_t group, int flags),
       (folder, path, user, group, flags), folder)
CHANGE_FD(fchown, (int fd, uid_t user, gid_t group), (fd, user, group))

CHANGE(truncate, (const char *path, off_t size), (path, size), AT_FDCWD)
CHANGE(truncate64, (const char *path, off_t size), (path, size), AT_FDCWD)
CHANGE_FD(ftruncate, (int fd, off_t size), (fd, size))
CHANGE_FD(ftruncate64, (int fd, off_t size), (fd, size))

CHANGE(utime, (const char *path, const void *times), (path, times), AT_FDCWD)
CHANGE(utimes, (const char *path, const struct timeval *times), (path, times), AT_FDCWD)
CHANGE(lutimes, (const char *path, const struct timeval *times), (path, times), AT_FDCWD)
CHANGE_FD(futimes, (int fd, const struct timeval *times), (fd, times))
CHANGE_FD(futimens, (int fd, const struct timespec *times), (fd, times))
CHANGE(futimesat, (int folder, const char *path, const struct timeval *times),
       (folder, path, times), folder)

HOOKED(int, utimensat,
       (int folder, const char *path, const struct timespec *times, int flags))
{
    const int result = REAL(utimensat, int (*)(int, const char *, const struct timespec *,
                                               int))(folder, path, times, flags);
    if (path == NULL) {
        hook_note_changed_fd(CALLER, folder, result == 0);
    } else {
        hook_note_changed(CALLER, folder, path, result == 0);
    }
    return result;
}

// ---- Two paths ----------------------------------------------------------------------

// The old name is gone, the new one is what it was. Which of the two was missing when it
// fails, the call does not say: then both are taken for it, and what is there after all
// shows when they are looked at.
static void note_two(const void *caller, enum trace_tag first_tag, int first_folder,
                     const char *first, int second_folder, const char *second, bool ok)
{
    hook_note_path(caller, first_tag, 0, first_folder, first, ok);
    hook_note_changed(caller, second_folder, second, ok);
}

HOOKED(int, rename, (const char *from, const char *to))
{
    const int result = REAL(rename, int (*)(const char *, const char *))(from, to);
    note_two(CALLER, TRACE_WRITTEN, AT_FDCWD, from, AT_FDCWD, to, result == 0);
    return result;
}

HOOKED(int, renameat, (int from_folder, const char *from, int to_folder, const char *to))
{
    const int result = REAL(renameat, int (*)(int, const char *, int, const char *))(
        from_folder, from, to_folder, to);
    note_two(CALLER, TRACE_WRITTEN, from_folder, from, to_folder, to, result == 0);
    return result;
}

#if __GLIBC_PREREQ(2, 28)
HOOKED(int, renameat2,
       (int from_folder, const char *from, int to_folder, const char *to, unsigned flags))
{
    const int result =
        REAL(renameat2, int (*)(int, const char *, int, const char *, unsigned))(
            from_folder, from, to_folder, to, flags);
    note_two(CALLER, TRACE_WRITTEN, from_folder, from, to_folder, to, result == 0);
    return result;
}
#endif

HOOKED(int, link, (const char *from, const char *to))
{
    const int result = REAL(link, int (*)(const char *, const char *))(from, to);
    note_two(CALLER, TRACE_READ, AT_FDCWD, from, AT_FDCWD, to, result == 0);
    return result;
}

HOOKED(int, linkat,
       (int from_folder, const char *from, int to_folder, const char *to, int flags))
{
    const int result = REAL(linkat, int (*)(int, const char *, int, const char *, int))(
        from_folder, from, to_folder, to, flags);
    note_two(CALLER, TRACE_READ, from_folder, from, to_folder, to, result == 0);
    return result;
}
