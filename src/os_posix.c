// SPDX-License-Identifier: MIT
// os.h for POSIX systems.

#define _GNU_SOURCE // O_CLOEXEC, nanosecond times and flock on every libc

#include "os.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/auxv.h>
#endif

enum { COPY_PIECE = 256 * 1024 };

#ifdef __APPLE__
extern char **environ;
#endif

// ---- Time ---------------------------------------------------------------------------

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now = {0};
    (void)clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t os_wall_clock_ns(void)
{
    return clock_ns(CLOCK_REALTIME);
}

int64_t os_monotonic_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

void os_sleep_ms(unsigned milliseconds)
{
    const struct timespec time = {.tv_sec = milliseconds / 1000,
                                  .tv_nsec = (long)(milliseconds % 1000) * 1000000};
    (void)nanosleep(&time, NULL);
}

// ---- Files --------------------------------------------------------------------------

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

bool file_status_equal(const struct file_status *a, const struct file_status *b)
{
    return a->kind == b->kind && a->device == b->device && a->inode == b->inode &&
           a->size == b->size && a->mtime_ns == b->mtime_ns && a->ctime_ns == b->ctime_ns;
}

static int open_retrying(const char *path, int flags, mode_t mode)
{
    int fd = -1;
    do {
        fd = open(path, flags | O_CLOEXEC, mode);
    } while (fd < 0 && errno == EINTR);
    return fd;
}

static ssize_t read_retrying(int fd, void *to, size_t size)
{
    ssize_t got = -1;
    do {
        got = read(fd, to, size);
    } while (got < 0 && errno == EINTR);
    return got;
}

static bool write_all(int fd, const void *data, size_t size)
{
    const char *from = data;
    while (size > 0) {
        const ssize_t written = write(fd, from, size);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        if (written > 0) {
            from += written;
            size -= (size_t)written;
        }
    }
    return true;
}

static void close_quietly(int fd)
{
    const int saved = errno;
    if (fd >= 0) {
        (void)close(fd);
    }
    errno = saved;
}

static int open_for_reading(const char *path, struct file_status *status,
                            struct error *error)
{
    const int fd = open_retrying(path, O_RDONLY, 0);
    struct stat result;
    if (fd < 0) {
        error_set_errno(error, "cannot open %s", path);
        return -1;
    }
    if (fstat(fd, &result) != 0) {
        error_set_errno(error, "cannot examine %s", path);
        close_quietly(fd);
        return -1;
    }
    status_from(&result, status);
    return fd;
}

bool os_read_file(const char *path, struct buffer *content, struct file_status *status,
                  struct error *error)
{
    struct file_status own;
    if (status == NULL) {
        status = &own;
    }
    const int fd = open_for_reading(path, status, error);
    if (fd < 0) {
        return false;
    }
    const size_t before = content->size;
    // One byte more than the file's size, so that the end shows without another read.
    size_t room = status->kind == FILE_REGULAR ? (size_t)status->size + 1 : COPY_PIECE;
    for (;;) {
        unsigned char *to = buffer_reserve(content, room);
        const ssize_t got = read_retrying(fd, to, room);
        if (got < 0) {
            error_set_errno(error, "cannot read %s", path);
            close_quietly(fd);
            content->size = before;
            return false;
        }
        content->size += (size_t)got;
        if (got == 0 ||
            (status->kind == FILE_REGULAR && content->size - before == status->size)) {
            break;
        }
        room = COPY_PIECE;
    }
    close_quietly(fd);
    return true;
}

bool os_read_pieces(const char *path, bool (*use)(void *, const void *, size_t),
                    void *context, struct file_status *status, struct error *error)
{
    struct file_status own;
    const int fd = open_for_reading(path, status == NULL ? &own : status, error);
    if (fd < 0) {
        return false;
    }
    unsigned char *piece = mem_new(1, COPY_PIECE);
    ssize_t got = 0;
    bool ok = true;
    while (ok && (got = read_retrying(fd, piece, COPY_PIECE)) > 0) {
        ok = use(context, piece, (size_t)got);
    }
    if (got < 0) {
        ok = error_set_errno(error, "cannot read %s", path);
    }
    free(piece);
    close_quietly(fd);
    return ok;
}

int os_open_reading(const char *path, struct file_status *status, struct error *error)
{
    return open_for_reading(path, status, error);
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
    close_quietly(handle);
}

bool os_write_file(const char *path, const void *data, size_t size, struct error *error)
{
    const int fd = open_retrying(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd < 0) {
        return error_set_errno(error, "cannot create %s", path);
    }
    const bool written = write_all(fd, data, size);
    if (!written) {
        close_quietly(fd);
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

static const char temporary_mark[] = ".halide-cache-tmp.";

bool os_is_temporary_name(const char *name)
{
    return strstr(name, temporary_mark) != NULL;
}

bool os_replace_file(const char *path, const void *data, size_t size, struct error *error)
{
    char *temporary = mem_printf("%s%sXXXXXX", path, temporary_mark);
    const int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0) {
        error_set_errno(error, "cannot create a file beside %s", path);
        free(temporary);
        return false;
    }
    // mkstemp makes files private; an entry is to be as readable as its folder.
    const mode_t mask = umask(0);
    (void)umask(mask);
    bool ok = fchmod(fd, 0666 & ~mask) == 0 && write_all(fd, data, size);
    if (!ok) {
        close_quietly(fd);
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
    const int fd = open_retrying(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (fd < 0) {
        return error_set_errno(error, "cannot open %s", path);
    }
    const bool ok = write(fd, data, size) == (ssize_t)size;
    if (!ok) {
        error_set_errno(error, "cannot append to %s", path);
    }
    close_quietly(fd);
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

bool os_make_directories(const char *path, struct error *error)
{
    struct file_status status;
    // EEXIST for a file is a failure, for a folder that another process made it is not.
    if (mkdir(path, 0777) == 0 ||
        (errno == EEXIST && os_stat(path, &status) && status.kind == FILE_DIRECTORY)) {
        return true;
    }
    const char *slash = strrchr(path, '/');
    if (errno != ENOENT || slash == NULL || slash == path) {
        return error_set_errno(error, "cannot create the folder %s", path);
    }
    char *parent = mem_strndup(path, (size_t)(slash - path));
    const bool ok = os_make_directories(parent, error);
    free(parent);
    if (!ok) {
        return false;
    }
    if (slash[1] == '\0' || mkdir(path, 0777) == 0 || errno == EEXIST) {
        return true;
    }
    return error_set_errno(error, "cannot create the folder %s", path);
}

bool os_list_directory(const char *path, bool (*visit)(void *, const char *name),
                       void *context, struct error *error)
{
    DIR *directory = opendir(path);
    if (directory == NULL) {
        return errno == ENOENT ||
               error_set_errno(error, "cannot list the folder %s", path);
    }
    const struct dirent *entry = NULL;
    while (errno = 0, (entry = readdir(directory)) != NULL) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            !visit(context, entry->d_name)) {
            errno = 0;
            break;
        }
    }
    const bool ok =
        errno == 0 || error_set_errno(error, "cannot list the folder %s", path);
    (void)closedir(directory);
    return ok;
}

struct removal {
    const char *folder;
    struct error *error;
    bool ok;
};

static bool remove_one(void *context, const char *name)
{
    struct removal *removal = context;
    char *path = mem_printf("%s/%s", removal->folder, name);
    if (unlink(path) != 0 && errno != ENOENT) {
        // Linux says EISDIR for a folder, POSIX EPERM.
        if (errno == EISDIR || errno == EPERM) {
            removal->ok = os_remove_tree(path, removal->error) && removal->ok;
        } else {
            removal->ok = error_set_errno(removal->error, "cannot remove %s", path);
        }
    }
    free(path);
    return true;
}

bool os_remove_tree(const char *path, struct error *error)
{
    // A running build may add files while we remove them: a few rounds settle that.
    for (int round = 0;; round++) {
        struct removal removal = {.folder = path, .error = error, .ok = true};
        if (!os_list_directory(path, remove_one, &removal, error) || !removal.ok) {
            return false;
        }
        if (rmdir(path) == 0 || errno == ENOENT) {
            return true;
        }
        if ((errno != ENOTEMPTY && errno != EEXIST) || round == 9) {
            return error_set_errno(error, "cannot remove the folder %s", path);
        }
    }
}

bool os_free_space(const char *path, uint64_t *bytes)
{
    struct statvfs status;
    if (statvfs(path, &status) != 0) {
        return false;
    }
    *bytes = (uint64_t)status.f_bavail * (uint64_t)status.f_frsize;
    return true;
}

bool os_can_write_directory(const char *path)
{
    return access(path, W_OK | X_OK) == 0;
}

char *os_find_program(const char *name)
{
    if (strchr(name, '/') != NULL) {
        return mem_strdup(name);
    }
    const char *path = getenv("PATH");
    while (path != NULL && *path != '\0') {
        const size_t length = strcspn(path, ":");
        char *candidate = mem_printf("%.*s/%s", length == 0 ? 1 : (int)length,
                                     length == 0 ? "." : path, name);
        struct file_status status;
        if (os_stat(candidate, &status) && status.kind == FILE_REGULAR &&
            access(candidate, X_OK) == 0) {
            return candidate;
        }
        free(candidate);
        path += length + (path[length] == ':');
    }
    return NULL;
}

const char *os_temporary_directory(void)
{
    const char *folder = getenv("TMPDIR");
    return folder != NULL && folder[0] != '\0' ? folder : "/tmp";
}

uint64_t os_session_id(void)
{
    return (uint64_t)getuid() << 32 | (uint32_t)getsid(0);
}

// ---- Locks --------------------------------------------------------------------------

enum lock_result os_lock_try(const char *path, int *handle)
{
    for (int attempt = 0; attempt < 100; attempt++) {
        const int fd = open_retrying(path, O_RDWR | O_CREAT, 0666);
        if (fd < 0) {
            return LOCK_UNAVAILABLE;
        }
        if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
            const bool busy = errno == EWOULDBLOCK;
            close_quietly(fd);
            return busy ? LOCK_BUSY : LOCK_UNAVAILABLE;
        }
        struct stat locked;
        struct stat named;
        if (fstat(fd, &locked) == 0 && stat(path, &named) == 0 &&
            locked.st_dev == named.st_dev && locked.st_ino == named.st_ino) {
            *handle = fd;
            return LOCK_TAKEN;
        }
        close_quietly(fd); // its holder removed it between our open and our lock
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
    close_quietly(handle);
}

// ---- Processes ----------------------------------------------------------------------

char **os_environment(void)
{
    return environ;
}

void os_open_missing_streams(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
            // The lowest free number is the missing one.
            (void)open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY);
        }
    }
}

void os_become(char *const argv[])
{
    (void)execvp(argv[0], argv);
}

static _Noreturn void become_quietly(char *const argv[], const char *variable, int out)
{
    const int null = open("/dev/null", O_RDWR);
    if (null >= 0 && dup2(null, 0) >= 0 && dup2(null, 2) >= 0 && dup2(out, 1) >= 0) {
        char *copy = variable == NULL ? NULL : mem_strdup(variable);
        if (copy == NULL || putenv(copy) == 0) {
            (void)execvp(argv[0], argv);
        }
    }
    _exit(127);
}

bool os_run(char *const argv[], const char *variable, struct buffer *out,
            struct error *error)
{
    int ends[2];
    if (pipe(ends) != 0) {
        return error_set_errno(error, "cannot open a pipe");
    }
    const pid_t process = fork();
    if (process == 0) {
        become_quietly(argv, variable, ends[1]);
    }
    close_quietly(ends[1]);
    ssize_t got = process > 0 ? 1 : 0;
    while (got > 0) {
        got = read_retrying(ends[0], buffer_reserve(out, COPY_PIECE), COPY_PIECE);
        out->size += got > 0 ? (size_t)got : 0;
    }
    close_quietly(ends[0]);
    int status = -1;
    while (process > 0 && waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    return (process > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0) ||
           error_set(error, "%s failed", argv[0]);
}

char *os_absolute_path(const char *path)
{
    char *resolved = realpath(path, NULL);
    char *copy = resolved == NULL ? NULL : mem_strdup(resolved);
    free(resolved);
    return copy;
}

char *os_own_folder(void)
{
#ifdef __linux__
    char *path = os_absolute_path("/proc/self/exe");
    char *slash = path == NULL ? NULL : strrchr(path, '/');
    if (slash != NULL) {
        *slash = '\0';
    }
    return path;
#else
    return NULL;
#endif
}

char *os_current_folder(void)
{
    struct buffer path = {0};
    const char *result = NULL;
    size_t room = 256;
    do {
        room *= 2;
        result = getcwd((char *)buffer_reserve(&path, room), room);
    } while (result == NULL && errno == ERANGE);
    char *copy = result == NULL ? NULL : mem_strdup(result);
    buffer_release(&path);
    return copy;
}

void os_describe_cpu(struct buffer *to)
{
    struct utsname name;
    if (uname(&name) == 0) {
        buffer_append_string(to, name.machine);
    }
#if defined(__linux__)
    buffer_append_u64(to, getauxval(AT_HWCAP));
    buffer_append_u64(to, getauxval(AT_HWCAP2));
    const char *model = "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1";
    (void)os_read_file(model, to, NULL, NULL);
#endif
}
