// SPDX-License-Identifier: MIT
//
// Runs one case of the soundness suite, by its name. CMake registers a test for every
// name that it finds in cases_*.c.
//
//   case.h        what a case is
//   cases_*.c     the cases, one file per channel
//   generators/   the generators that they use and edit
//   flow.c        the steps of a case
//   world.c       the folder of a case: files, compiling
//   run.c         running the generator there, with the cache and without
//   outcome.c     what the cache did, by its log
//   process.c     running a command
//   tree.c        comparing and copying folders
//   words.c       lists of words

#include "case.h"
#include "failure.h"
#include "flow.h"
#include "os.h"
#include "world.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct case_list *const channels[] = {
    &source_cases,      &signature_cases, &command_cases,    &machine_cases,
    &environment_cases, &plugin_cases,    &behaviour_cases,  &interference_cases,
    &sweep_cases,       &direct_cases,    &direct_run_cases,
};
enum { CHANNELS = sizeof channels / sizeof channels[0] };

static const char usage[] =
    "usage: soundness --helper FILE --tracer FILE --halide PREFIX --prepared DIR\n"
    "                 --sources DIR --work DIR CASE -- COMPILER FLAGS...\n"
    "       soundness --count HOW_MANY_CASES_THERE_HAVE_TO_BE\n"
    "\n"
    "An empty --tracer: there is none, so there is no direct mode to test.\n";

_Noreturn void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vfprintf(stderr, format, arguments);
    va_end(arguments);
    (void)fputs("\n", stderr);
    exit(1);
}

static const struct test_case *find_case(const char *name, size_t *count)
{
    const struct test_case *found = NULL;
    *count = 0;
    for (size_t i = 0; i < CHANNELS; i++) {
        for (size_t j = 0; j < channels[i]->count; j++, ++*count) {
            if (strcmp(channels[i]->cases[j].name, name) == 0) {
                if (found != NULL) {
                    fail("two cases are called %s", name);
                }
                found = &channels[i]->cases[j];
            }
        }
    }
    return found;
}

struct arguments {
    struct tools tools;
    const char *work;
    const char *name;
};

static bool read_arguments(int argc, char **argv, struct arguments *arguments)
{
    const struct {
        const char *name;
        const char **value;
    } options[] = {{"--helper", &arguments->tools.helper},
                   {"--tracer", &arguments->tools.tracer},
                   {"--halide", &arguments->tools.halide},
                   {"--prepared", &arguments->tools.prepared},
                   {"--sources", &arguments->tools.sources},
                   {"--work", &arguments->work}};
    enum { OPTIONS = sizeof options / sizeof options[0] };
    int at = 1;
    for (size_t i = 0; i < OPTIONS; i++, at += 2) {
        if (at + 1 >= argc || strcmp(argv[at], options[i].name) != 0) {
            return false;
        }
        *options[i].value = argv[at + 1];
    }
    if (at + 2 >= argc || strcmp(argv[at + 1], "--") != 0) {
        return false;
    }
    arguments->name = argv[at];
    words_add_all(&arguments->tools.compiler, argv + at + 2);
    return true;
}

int main(int argc, char **argv)
{
    size_t count = 0;
    if (argc == 3 && strcmp(argv[1], "--count") == 0) {
        (void)find_case("", &count);
        if (strtoul(argv[2], NULL, 10) != count) {
            fail("%s cases are registered of %zu", argv[2], count);
        }
        return 0;
    }
    struct arguments arguments = {.work = NULL};
    if (!read_arguments(argc, argv, &arguments)) {
        (void)fputs(usage, stderr);
        return 2;
    }
    const struct test_case *test = find_case(arguments.name, &count);
    if (test == NULL) {
        fail("there is no case %s", arguments.name);
    }
    flow_run(&arguments.tools, test, arguments.work);
    struct error error = {{0}};
    if (!os_remove_tree(arguments.work, &error)) {
        fail("%s", error.text);
    }
    words_release(&arguments.tools.compiler);
    return 0;
}
