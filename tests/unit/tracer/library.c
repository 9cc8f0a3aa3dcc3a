// SPDX-License-Identifier: MIT
// The code of the libraries that the subject loads: as one that stands for Halide, as the
// probe, as neither. CMakeLists.txt tells what each is built with.

#define _GNU_SOURCE

#include "libraries.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef LIBRARY_IS_HALIDE
// What the library that holds Halide is known by.
library_function _ZN6Halide8Internal20generate_filter_mainEiPPc;

int _ZN6Halide8Internal20generate_filter_mainEiPPc(void)
{
    return ask_below();
}
#endif

int ask_everything(void)
{
    char byte = 0;
    struct utsname name;
    struct timespec now;
    return time(NULL) > 0 && clock_gettime(CLOCK_REALTIME, &now) == 0 &&
           getrandom(&byte, 1, 0) == 1 && getpid() > 0 && uname(&name) == 0 &&
           sysconf(_SC_NPROCESSORS_ONLN) > 0 && open("/dev/urandom", O_RDONLY) >= 0;
}

int fork_and_wait(void)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        _exit(3);
    }
    return waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3;
}

int move(void)
{
    return chdir("folder") == 0 && open("inner", O_RDONLY) >= 0 && chdir("..") == 0;
}

int read_file(void)
{
    return open("file", O_RDONLY) >= 0 && opendir("folder") != NULL &&
           getenv("UNSET") == NULL;
}

int load_deep(void)
{
    return dlopen("libtracer_deep.so", RTLD_LAZY) != NULL;
}
