// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "subject.h"

#include "tracer/trace.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef SUBJECT_USES_ENVIRON
// Code that goes through the variables by itself.
char **subject_variables(void);
char **subject_variables(void)
{
    return environ;
}
#endif

const char *subject_path;
static const char *output;

_Noreturn void fail(const char *file, int line, const char *condition)
{
    (void)fprintf(stderr, "%s:%d: not so: %s\n", file, line, condition);
    _exit(99);
}

static void take(const void **records, size_t *size)
{
    union {
        void *object;
        trace_take_function *function;
    } found;
    *records = NULL;
    *size = 0;
    found.object = dlsym(RTLD_DEFAULT, TRACE_TAKE);
    if (found.object != NULL) {
        found.function(records, size);
    }
}

void write_batch(void)
{
    const void *records = NULL;
    size_t size = 0;
    take(&records, &size);
    const int fd = open(output, O_WRONLY | O_CREAT | O_APPEND, 0644);
    CHECK(fd >= 0 && (size == 0 || write(fd, records, size) == (ssize_t)size));
    CHECK(close(fd) == 0);
}

bool is_traced(void)
{
    const void *records = NULL;
    size_t size = 0;
    take(&records, &size);
    return size > 0;
}

const char *library_path(const char *name)
{
    static char path[4096];
    const char *slash = strrchr(subject_path, '/');
    (void)snprintf(path, sizeof path, "%.*s/%s", (int)(slash - subject_path),
                   subject_path, name);
    return path;
}

// Before main, and before the initializers of the libraries that need no others are known
// to have run.
__attribute__((constructor)) static void act_early(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "early") == 0) {
        (void)open("file", O_RDONLY);
        CHECK(getenv("EARLY") == NULL);
    }
}

static bool run_act(const struct act *acts, const char *name)
{
    for (; acts->name != NULL; acts++) {
        if (strcmp(acts->name, name) == 0) {
            acts->run();
            return true;
        }
    }
    return false;
}

static bool names_variable(const char *variable, const char *name)
{
    return strncmp(variable, name, strlen(name)) == 0 && variable[strlen(name)] == '=';
}

// The variables as main() gets them.
static void print_hidden_variables(char **variables)
{
    for (; *variables != NULL; variables++) {
        if (names_variable(*variables, "LD_PRELOAD") ||
            names_variable(*variables, TRACE_ACTIVE) ||
            names_variable(*variables, "AFTER")) {
            (void)printf("%s\n", *variables);
        }
    }
    (void)fflush(stdout);
}

int main(int argc, char **argv, char **variables)
{
    if (argc != 3) {
        return 2;
    }
    subject_path = argv[0];
    output = argv[2];
    if (strcmp(argv[1], "print_variables") == 0) {
        print_hidden_variables(variables);
    } else if (strcmp(argv[1], "nothing") != 0 && strcmp(argv[1], "early") != 0 &&
               !run_act(file_acts, argv[1]) && !run_act(library_acts, argv[1]) &&
               !run_act(process_acts, argv[1]) && !run_act(thread_acts, argv[1]) &&
               !run_act(variable_acts, argv[1])) {
        (void)fprintf(stderr, "no act %s\n", argv[1]);
        return 2;
    }
    write_batch();
    return 0;
}
