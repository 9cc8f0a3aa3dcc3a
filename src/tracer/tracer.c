// SPDX-License-Identifier: MIT
//
// The tracer: a library that is preloaded into a generator and keeps a record of what the
// generator reads, asks and does (trace.h says what, and how it is used).
//
//   tracer.c          this file: start, and handing over what was seen
//   records.c         the memory for it
//   hook.h            functions of which the result counts, written in C
//   before.c          functions of which the call counts, and the jump to the real ones
//   real.c            finding these
//   files.c           opening files
//   folders.c         reading folders
//   status.c          looking at what is there
//   changes.c         creating, changing, removing
//   variables.c       the environment, and what libc reads because of it
//   nondeterminism.c  clocks, random numbers, what is particular to process and machine
//   processes.c       other processes, the network, everything else that leads outside
//   loaded.c          libraries
//   library_search.c  where they are found, with library_cache.c
//   callers.c         whose code is it that calls
//   image.c           loaded objects in memory
//   spin.c            the lock
//
// It runs inside of other people's calls: it does not allocate in them, does not change
// errno, holds no files open, and never waits without a limit. When something cannot be
// recorded, that goes on record.

#include "tracer.h"

#include "hook.h"
#include "loaded.h"
#include "records.h"
#include "trace.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NOT_STARTED, INACTIVE, ACTIVE };

static atomic_int state;

// The variables that decide which libraries are loaded, and in which order.
static const char *const linker_variables[] = {
    "GLIBC_TUNABLES", "LD_ASSUME_KERNEL", "LD_AUDIT",   "LD_DYNAMIC_WEAK",
    "LD_HWCAP_MASK",  "LD_LIBRARY_PATH",  "LD_PRELOAD", "LD_ORIGIN_PATH"};
enum { LINKER_VARIABLES = sizeof linker_variables / sizeof linker_variables[0] };
static const char *start_values[LINKER_VARIABLES];

// ---- Start --------------------------------------------------------------------------

// The value, when `variable` is "<name>=<value>".
static const char *value_in(const char *variable, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(variable, name, length) == 0 && variable[length] == '='
               ? variable + length + 1
               : NULL;
}

static const char *find_value(char *const *variables, const char *name)
{
    for (; variables != NULL && *variables != NULL; variables++) {
        const char *value = value_in(*variables, name);
        if (value != NULL) {
            return value;
        }
    }
    return NULL;
}

// The variable without the first library of its list, which is us; NULL when nothing else
// was there.
static char *without_tracer(char *variable)
{
    static const char name[] = "LD_PRELOAD=";
    char *rest = variable + strcspn(variable, ": ");
    if (*rest == '\0') {
        return NULL;
    }
    rest -= sizeof name - 2;
    memcpy(rest, name, sizeof name - 1);
    return rest;
}

// Takes back what the helper put into the environment. In place, like unsetenv, because
// the program gets this very array.
static void clean_environment(char **variables)
{
    char **to = variables;
    for (char **from = variables; *from != NULL; from++) {
        char *variable = *from;
        if (value_in(variable, TRACE_ACTIVE) != NULL) {
            continue;
        }
        if (value_in(variable, "LD_PRELOAD") != NULL) {
            variable = without_tracer(variable);
        }
        if (variable != NULL) {
            *to++ = variable;
        }
    }
    *to = NULL;
}

static void start(char **variables)
{
    const char *active = find_value(variables, TRACE_ACTIVE);
    int expected = NOT_STARTED;
    if (!atomic_compare_exchange_strong(&state, &expected, INACTIVE) || active == NULL ||
        strcmp(active, "1") != 0) {
        return;
    }
    clean_environment(variables);
    for (size_t i = 0; i < LINKER_VARIABLES; i++) {
        start_values[i] = find_value(variables, linker_variables[i]);
        records_add(TRACE_VARIABLE, 0, linker_variables[i], NULL);
    }
    atomic_store(&state, ACTIVE);
}

// Linked with -z initfirst: before the initializers of all other libraries, and so before
// libc has its `environ`. Where another library has the same wish, one of our functions
// may be called first.
__attribute__((constructor)) static void initialize(int argc, char **argv,
                                                    char **variables)
{
    (void)argc;
    (void)argv;
    if (variables != NULL) {
        start(variables);
    }
}

bool tracer_is_active(void)
{
    int now = atomic_load_explicit(&state, memory_order_acquire);
    if (now == NOT_STARTED && environ != NULL) {
        start(environ);
        now = atomic_load_explicit(&state, memory_order_acquire);
    }
    return now == ACTIVE;
}

const char *tracer_start_value(const char *name)
{
    for (size_t i = 0; i < LINKER_VARIABLES; i++) {
        if (strcmp(linker_variables[i], name) == 0) {
            return start_values[i];
        }
    }
    return NULL;
}

const char *tracer_value(const char *name)
{
    return find_value(environ, name);
}

// ---- Handing over -------------------------------------------------------------------

// getc() and its like are not ours, but they leave a trace.
static void note_standard_input(void)
{
    if (stdin != NULL && stdin->_IO_read_base != NULL) {
        records_add_opaque("reads standard input", "stdin", NULL);
    }
}

HOOKED(real_function *, halidecache_tracer_real, (const char *name))
{
    return real_find(name);
}

HOOKED(void, halidecache_tracer_take, (const void **records, size_t *size))
{
    const int saved = errno;
    *records = NULL;
    *size = 0;
    if (tracer_is_active()) {
        loaded_note();
        note_standard_input();
        records_take(records, size);
    }
    errno = saved;
}
