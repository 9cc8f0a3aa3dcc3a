// SPDX-License-Identifier: MIT

#include "options.h"

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

enum options_result run_options_parse(struct run_options *options, int argc,
                                      char *const argv[], struct error *error)
{
    *options = (struct run_options){.folder = getenv("HL_CACHE_DIR")};
    int at = 1;
    for (; at < argc && argv[at][0] == '-'; at++) {
        const char *value = "";
        const char *option = argv[at];
        if (strcmp(option, "--") == 0) {
            at++;
            break;
        }
        if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0) {
            return OPTIONS_HELP;
        }
        if (strcmp(option, "--restat") == 0) {
            options->restat = true;
        } else if (takes_value("--dir", argv, &at, &value)) {
            options->folder = value;
        } else if (takes_value("--probe", argv, &at, &value)) {
            options->probe = value;
        } else {
            error_set(error,
                      "'%s' is no option of 'run'; accepted are --dir DIR, --probe FILE, "
                      "--restat and --help, then -- and the generator's command",
                      option);
            return OPTIONS_BAD;
        }
        if (value == NULL || (strcmp(option, "--restat") != 0 && value[0] == '\0')) {
            error_set(error, "the option '%s' needs a value", option);
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
