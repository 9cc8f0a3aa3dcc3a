// SPDX-License-Identifier: MIT

#include "error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void format_into(struct error *error, const char *format, va_list args)
{
    if (vsnprintf(error->text, sizeof error->text, format, args) < 0) {
        error->text[0] = '\0';
    }
}

bool error_set(struct error *error, const char *format, ...)
{
    const int saved = errno;
    if (error != NULL) {
        va_list args;
        va_start(args, format);
        format_into(error, format, args);
        va_end(args);
    }
    errno = saved;
    return false;
}

bool error_set_errno(struct error *error, const char *format, ...)
{
    const int saved = errno;
    if (error != NULL) {
        va_list args;
        va_start(args, format);
        format_into(error, format, args);
        va_end(args);
        const size_t used = strlen(error->text);
        (void)snprintf(error->text + used, sizeof error->text - used, ": %s",
                       strerror(saved));
    }
    errno = saved;
    return false;
}
