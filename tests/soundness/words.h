// SPDX-License-Identifier: MIT
// Growing lists of strings, NULL-terminated as exec wants them.

#ifndef HALIDECACHE_TESTS_WORDS_H
#define HALIDECACHE_TESTS_WORDS_H

#include <stddef.h>

/** Start with `{0}`. The list and its strings are owned by it. */
struct words {
    char **list; // NULL while nothing was added
    size_t count;
};

/** Appends `string`, which is consumed (mem_strdup one that is not yours). */
void words_add(struct words *words, char *string);

/** Appends the words of `text`, separated by spaces. "\s" in a word stands for a space.
 *  "{case}" and "{halide}" stand for these two folders. NULL has no words. */
void words_add_words(struct words *words, const char *text, const char *case_folder,
                     const char *halide);

/** Appends copies of all strings of a NULL-terminated list; NULL has none. */
void words_add_all(struct words *words, char *const *list);

/** All strings with a space between them, for messages. The caller frees it. */
char *words_join(char *const *list);

void words_release(struct words *words);

#endif
