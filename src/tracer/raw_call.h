// SPDX-License-Identifier: MIT
// System calls of the tracer's own. They neither touch errno nor go through functions
// that the tracer, or anybody else in the process, has replaced, and they are safe in
// signal handlers.

#ifndef HALIDECACHE_TRACER_RAW_CALL_H
#define HALIDECACHE_TRACER_RAW_CALL_H

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/** What the kernel returned: a negative errno on failure. Registers: syscall(2). */
static inline long raw_call(long number, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
    long result = 0;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc #0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory");
    return x0;
#else
#error "the tracer does not know this machine"
#endif
}

/** The length of the current folder's path with its NUL, or negative. */
static inline long raw_getcwd(char *to, size_t size)
{
    return raw_call(SYS_getcwd, (long)to, (long)size, 0, 0, 0, 0);
}

/** The length of a link's target, which gets no NUL, or negative. */
static inline long raw_readlinkat(int folder, const char *path, char *to, size_t size)
{
    return raw_call(SYS_readlinkat, folder, (long)path, (long)to, (long)size, 0, 0);
}

/** Is there something, or may we not look? (What is not known to be missing exists.) */
static inline bool raw_exists(const char *path)
{
    enum { NO_ENTRY = 2, NOT_A_FOLDER = 20 };
    const long result = raw_call(SYS_faccessat, AT_FDCWD, (long)path, F_OK, 0, 0, 0);
    return result != -NO_ENTRY && result != -NOT_A_FOLDER;
}

static inline void raw_sleep(long nanoseconds)
{
    const struct timespec time = {.tv_nsec = nanoseconds};
    (void)raw_call(SYS_nanosleep, (long)&time, 0, 0, 0, 0, 0);
}

#endif
