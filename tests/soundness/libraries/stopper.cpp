// SPDX-License-Identifier: MIT
// A library for LD_PRELOAD that stops a generator: before main() when START is set, and
// where it opens a file whose path ends in STOP. It then writes the process number into
// ../stopped, and goes on when ../go appears. With GATE set it writes nothing, because the
// copy that the probe works in may not, and goes on when the pipe ../gate is closed.
//
// With NO_FORK set the generator cannot start processes.
//
// It can also end one: LEAVE is like STOP, and the generator says that it succeeded; with
// FAIL set it fails at the very end, when the file of that name is there. It leaves the
// helper alone, which has it preloaded too.

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

namespace {

using Open = int (*)(const char *, int, ...);
using FileOpen = FILE *(*)(const char *, const char *);

void wait_at_gate() {
    const auto real_open = reinterpret_cast<Open>(dlsym(RTLD_NEXT, "open"));
    const int gate = real_open("../gate", O_RDONLY);
    char byte;
    while (gate >= 0 && read(gate, &byte, 1) > 0) {
    }
    close(gate);
}

bool is_helper() {
    return strcmp(program_invocation_short_name, "halide-cache") == 0;
}

bool ends_in(const char *path, const char *variable) {
    const char *end = getenv(variable);
    return end != nullptr && strlen(path) >= strlen(end) &&
           strcmp(path + strlen(path) - strlen(end), end) == 0;
}

void stop() {
    if (is_helper()) {
        return;
    }
    if (getenv("GATE") != nullptr) {
        wait_at_gate();
        return;
    }
    const auto real_open = reinterpret_cast<Open>(dlsym(RTLD_NEXT, "open"));
    const int file = real_open("../stopped.part", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    dprintf(file, "%d\n", getpid());
    close(file);
    rename("../stopped.part", "../stopped");
    while (access("../go", F_OK) != 0) {
        usleep(2000);
    }
}

void stop_if_wanted(const char *path) {
    static bool has_stopped = false;
    if (!has_stopped && ends_in(path, "STOP")) {
        has_stopped = true;
        stop();
    }
    if (!is_helper() && ends_in(path, "LEAVE")) {
        _exit(0);
    }
}

int open_as(const char *name, const char *path, int flags, mode_t mode) {
    stop_if_wanted(path);
    return reinterpret_cast<Open>(dlsym(RTLD_NEXT, name))(path, flags, mode);
}

mode_t mode_in(int flags, va_list arguments) {
    return (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

extern "C" {

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_in(flags, arguments);
    va_end(arguments);
    return open_as("open", path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_in(flags, arguments);
    va_end(arguments);
    return open_as("open64", path, flags, mode);
}

FILE *fopen(const char *path, const char *mode) {
    stop_if_wanted(path);
    return reinterpret_cast<FileOpen>(dlsym(RTLD_NEXT, "fopen"))(path, mode);
}

FILE *fopen64(const char *path, const char *mode) {
    stop_if_wanted(path);
    return reinterpret_cast<FileOpen>(dlsym(RTLD_NEXT, "fopen64"))(path, mode);
}

pid_t fork() {
    if (getenv("NO_FORK") != nullptr && !is_helper()) {
        errno = EAGAIN;
        return -1;
    }
    return reinterpret_cast<pid_t (*)()>(dlsym(RTLD_NEXT, "fork"))();
}

__attribute__((constructor)) void stop_before_main() {
    if (getenv("START") != nullptr) {
        stop();
    }
}

__attribute__((destructor)) void fail_after_main() {
    const char *file = getenv("FAIL");
    if (file != nullptr && !is_helper() && access(file, F_OK) == 0) {
        _exit(3);
    }
}
}
