// SPDX-License-Identifier: MIT
// The one idiom for errors: a function that can fail takes a `struct error *` last,
// returns false (or NULL) and leaves one sentence there that a user can act on: what
// happened, to which file, why. Only the cmd_* files and main.c print it.

#ifndef HALIDECACHE_ERROR_H
#define HALIDECACHE_ERROR_H

#include <stdbool.h>

#if defined(__MINGW32__) && !defined(__clang__)
#define PRINTF_LIKE(text, first) __attribute__((format(gnu_printf, text, first)))
#elif defined(__GNUC__)
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#else
#define PRINTF_LIKE(text, first)
#endif

struct error {
    char text[1024]; // empty: no error; always terminated, cut when too long
};

/** Stores a message. `error` may be NULL (the caller does not care why). Always returns
 *  false, so that `return error_set(...)` reads well. Keeps errno. */
bool error_set(struct error *error, const char *format, ...) PRINTF_LIKE(2, 3);

/** Like error_set, with ": " and the text of the current errno appended. */
bool error_set_errno(struct error *error, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
