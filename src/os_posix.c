// SPDX-License-Identifier: MIT
// os.h for POSIX systems: time and processes.

#define _GNU_SOURCE // environ, getsid

#include "os_posix.h"
#include "os.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/auxv.h>
#endif

#ifdef __APPLE__
extern char **environ;
#endif

enum { READ_PIECE = 64 * 1024 };

// ---- Shared with the other files ----------------------------------------------------

int posix_open(const char *path, int flags, mode_t mode)
{
    int fd = -1;
    do {
        fd = open(path, flags | O_CLOEXEC, mode);
    } while (fd < 0 && errno == EINTR);
    return fd;
}

ssize_t posix_read(int fd, void *to, size_t size)
{
    ssize_t got = -1;
    do {
        got = read(fd, to, size);
    } while (got < 0 && errno == EINTR);
    return got;
}

bool posix_write_all(int fd, const void *data, size_t size)
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

void posix_close(int fd)
{
    const int saved = errno;
    if (fd >= 0) {
        (void)close(fd);
    }
    errno = saved;
}

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

// ---- Processes ----------------------------------------------------------------------

char **os_environment(void)
{
    return environ;
}

const char *os_variable(const char *name)
{
    return getenv(name);
}

bool os_variable_begins_with(const char *variable, const char *start)
{
    return strncmp(variable, start, strlen(start)) == 0;
}

char **os_arguments(int *argc, char **argv)
{
    (void)argc;
    return argv;
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
    posix_close(ends[1]);
    ssize_t got = process > 0 ? 1 : 0;
    while (got > 0) {
        got = posix_read(ends[0], buffer_reserve(out, READ_PIECE), READ_PIECE);
        out->size += got > 0 ? (size_t)got : 0;
    }
    posix_close(ends[0]);
    int status = -1;
    while (process > 0 && waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    return (process > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0) ||
           error_set(error, "%s failed", argv[0]);
}

uint64_t os_session_id(void)
{
    return (uint64_t)getuid() << 32 | (uint32_t)getsid(0);
}

void os_describe_user(struct buffer *to)
{
    int count = getgroups(0, NULL);
    gid_t *groups = mem_new(count > 0 ? (size_t)count : 1, sizeof *groups);
    buffer_append_u64(to, geteuid());
    buffer_append_u64(to, getegid());
    count = getgroups(count, groups);
    for (int i = 0; i < count; i++) {
        buffer_append_u64(to, groups[i]);
    }
    free(groups);
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

bool os_loader_lists_libraries(void)
{
#ifdef __GLIBC__
    return true;
#else
    return false;
#endif
}
