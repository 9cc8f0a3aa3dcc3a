// SPDX-License-Identifier: MIT

#include "options.h"

#include "os.h"

#include <stdlib.h>
#include <string.h>

// Recognises "--name VALUE" and "--name=VALUE" at argv[*at], and moves *at to the last
// argument that it used. A missing value leaves *value NULL.
static bool takes_value(const char *name, char *const argv[], int *at, const char **value)
{
    const size_t length = strlen(name);
    const char *argument = argv[*at];
    if (strncmp(argument, name, length) != 0) {
        return false;
    }
    if (argument[length] == '=') {
        *value = argument + length + 1;
        return true;
    }
    if (argument[length] != '\0') {
        return false;
    }
    *value = argv[*at + 1];
    *at += *value != NULL;
    return true;
}

static bool is_set(const char *variable)
{
    const char *value = os_variable(variable);
    return value != NULL && value[0] != '\0' && strcmp(value, "0") != 0;
}

// Reads one option at argv[*at], and moves *at to the last argument that it used.
static bool read_option(struct run_options *options, char *const argv[], int *at,
                        struct error *error)
{
    const char *option = argv[*at];
    const char **to = NULL;
    const char *value = NULL;
    if (strcmp(option, "--restat") == 0) {
        options->restat = true;
        return true;
    }
    if (strcmp(option, "--verify") == 0) {
        options->verify = true;
        return true;
    }
    if (takes_value("--dir", argv, at, &value)) {
        to = &options->folder;
    } else if (takes_value("--probe", argv, at, &value)) {
        to = &options->probe;
    } else if (takes_value("--tracer", argv, at, &value)) {
        to = &options->tracer;
    } else {
        return error_set(error,
                         "'%s' is no option here; accepted are --dir DIR, --probe FILE, "
                         "--tracer FILE, --restat, --verify and --help, then -- and the "
                         "generator's command line",
                         option);
    }
    if (value == NULL || value[0] == '\0') {
        return error_set(error, "the option '%s' needs a value", option);
    }
    *to = value;
    return true;
}

enum options_result run_options_parse(struct run_options *options, int argc,
                                      char *const argv[], struct error *error)
{
    *options = (struct run_options){.folder = os_variable("HL_CACHE_DIR"),
                                    .verify = is_set("HALIDE_CACHE_VERIFY")};
    int at = 1;
    for (; at < argc && argv[at][0] == '-'; at++) {
        if (strcmp(argv[at], "--") == 0) {
            at++;
            break;
        }
        if (strcmp(argv[at], "--help") == 0 || strcmp(argv[at], "-h") == 0) {
            return OPTIONS_HELP;
        }
        if (!read_option(options, argv, &at, error)) {
            return OPTIONS_BAD;
        }
    }
    if (options->folder != NULL && options->folder[0] == '\0') {
        options->folder = NULL;
    }
    if (at >= argc) {
        error_set(error, "no command: give -- and the generator's command line");
        return OPTIONS_BAD;
    }
    options->command_at = at;
    return OPTIONS_OK;
}
