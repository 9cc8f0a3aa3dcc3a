// SPDX-License-Identifier: MIT
// The part of generator.h that is the same on every system.

#include "generator.h"

#include "os.h"

static bool is_ours(const char *variable)
{
    static const char *const ours[] = {
        "HL_CACHE_DIR=", "HL_CACHE_MAX_SIZE=", "HL_CACHE_MAX_AGE=", "HALIDE_CACHE_"};
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
        if (os_variable_begins_with(variable, ours[i])) {
            return true;
        }
    }
    return false;
}

void generator_clean_environment(void)
{
    char **from = os_environment();
    char **to = from;
    for (; from != NULL && *from != NULL; from++) {
        if (!is_ours(*from)) {
            *to++ = *from;
        }
    }
    if (to != NULL) {
        *to = NULL;
    }
}
