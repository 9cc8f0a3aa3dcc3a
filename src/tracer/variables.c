// SPDX-License-Identifier: MIT
// The environment, and what libc itself reads because of what is in it.

#include "before.h"
#include "records.h"
#include "tracer.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static void note_variable(const struct before *before, const uintptr_t *arguments,
                          const struct caller *caller)
{
    (void)before;
    (void)caller;
    records_add(TRACE_VARIABLE, 0, (const char *)arguments[0], NULL);
}

static void note_set(const struct before *before, const uintptr_t *arguments,
                     const struct caller *caller)
{
    const char *name = (const char *)arguments[0];
    (void)before;
    (void)caller;
    if (name != NULL) {
        records_add_cut(TRACE_SETS, 0, name, strcspn(name, "="));
    }
}

static void note_clear(const struct before *before, const uintptr_t *arguments,
                       const struct caller *caller)
{
    (void)before;
    (void)arguments;
    (void)caller;
    records_add(TRACE_SETS, 0, "", NULL);
}

BEFORE(getenv, note_variable, FROM_ALL, "");
BEFORE(secure_getenv, note_variable, FROM_ALL, "");
BEFORE(setenv, note_set, FROM_ALL, "");
BEFORE(unsetenv, note_set, FROM_ALL, "");
BEFORE(putenv, note_set, FROM_ALL, "");
BEFORE(clearenv, note_clear, FROM_ALL, "");

// Functions that read a variable inside of libc. `reason` is its name.
static void note_its_variable(const struct before *before, const uintptr_t *arguments,
                              const struct caller *caller)
{
    (void)arguments;
    (void)caller;
    records_add(TRACE_VARIABLE, 0, before->reason, NULL);
}

BEFORE(getopt, note_its_variable, FROM_ALL, "POSIXLY_CORRECT");
BEFORE(getopt_long, note_its_variable, FROM_ALL, "POSIXLY_CORRECT");
BEFORE(getopt_long_only, note_its_variable, FROM_ALL, "POSIXLY_CORRECT");

// ---- The current folder -------------------------------------------------------------

static void note_current_folder(const struct before *before, const uintptr_t *arguments,
                                const struct caller *caller)
{
    (void)before;
    (void)arguments;
    (void)caller;
    records_add_current_folder();
}

static void note_current_folder_and_variable(const struct before *before,
                                             const uintptr_t *arguments,
                                             const struct caller *caller)
{
    records_add(TRACE_VARIABLE, 0, "PWD", NULL);
    note_current_folder(before, arguments, caller);
}

BEFORE(getcwd, note_current_folder, FROM_ALL, "");
BEFORE(__getcwd_chk, note_current_folder, FROM_ALL, "");
BEFORE(getwd, note_current_folder, FROM_ALL, "");
BEFORE(__getwd_chk, note_current_folder, FROM_ALL, "");
BEFORE(get_current_dir_name, note_current_folder_and_variable, FROM_ALL, "");

// ---- Locales ------------------------------------------------------------------------

static bool is_builtin_locale(const char *name)
{
    return name == NULL || name[0] == '\0' || strcmp(name, "C") == 0 ||
           strcmp(name, "POSIX") == 0;
}

// The files of a locale are read by libc inside, so only the one without files can be
// replayed.
static void note_locale(const struct before *before, const uintptr_t *arguments,
                        const struct caller *caller)
{
    static const char *const variables[] = {
        "LC_ALL",     "LANG",         "LC_CTYPE",       "LC_NUMERIC",       "LC_TIME",
        "LC_COLLATE", "LC_MONETARY",  "LC_MESSAGES",    "LC_PAPER",         "LC_NAME",
        "LC_ADDRESS", "LC_TELEPHONE", "LC_MEASUREMENT", "LC_IDENTIFICATION"};
    const char *name = (const char *)arguments[1];
    bool builtin = is_builtin_locale(name);
    if (name != NULL && name[0] == '\0') {
        for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
            records_add(TRACE_VARIABLE, 0, variables[i], NULL);
            builtin = builtin && is_builtin_locale(tracer_value(variables[i]));
        }
    }
    if (!builtin) {
        records_add_opaque(before->reason, before->name, caller->object);
    }
}

BEFORE(setlocale, note_locale, FROM_ALL, "uses a locale");
BEFORE(newlocale, note_locale, FROM_ALL, "uses a locale");
BEFORE(__newlocale, note_locale, FROM_ALL, "uses a locale");
BEFORE(catopen, before_note_opaque, FROM_ALL, "uses a message catalog");
BEFORE(iconv_open, before_note_opaque, FROM_ALL, "loads character sets");

// ---- The time zone ------------------------------------------------------------------

static void note_zone(const struct before *before, const uintptr_t *arguments,
                      const struct caller *caller)
{
    (void)arguments;
    records_add(TRACE_VARIABLE, 0, "TZ", NULL);
    if (tracer_value("TZ") != NULL) {
        // It may name a file, here or elsewhere.
        records_add_opaque(before->reason, before->name, caller->object);
    } else if (!records_have(TRACE_READ, 0, "/etc/localtime")) {
        records_add_file("/etc/localtime");
    }
}

BEFORE(localtime, note_zone, FROM_ALL, "uses a time zone");
BEFORE(localtime_r, note_zone, FROM_ALL, "uses a time zone");
BEFORE(mktime, note_zone, FROM_ALL, "uses a time zone");
BEFORE(timelocal, note_zone, FROM_ALL, "uses a time zone");
BEFORE(ctime, note_zone, FROM_ALL, "uses a time zone");
BEFORE(ctime_r, note_zone, FROM_ALL, "uses a time zone");
BEFORE(tzset, note_zone, FROM_ALL, "uses a time zone");
BEFORE(strftime, note_zone, FROM_ALL, "uses a time zone");
BEFORE(strftime_l, note_zone, FROM_ALL, "uses a time zone");
BEFORE(__strftime_l, note_zone, FROM_ALL, "uses a time zone");
BEFORE(wcsftime, note_zone, FROM_ALL, "uses a time zone");
