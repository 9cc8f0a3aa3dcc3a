// SPDX-License-Identifier: MIT
// Comparing folders.

#ifndef HALIDECACHE_TESTS_TREE_H
#define HALIDECACHE_TESTS_TREE_H

#include "buffer.h"

/** Appends one line for everything that differs between two folders: names, kinds,
 *  permissions, bytes. Nothing when they are equal. */
void tree_compare(const char *a, const char *b, struct buffer *differences);

/** Copies a folder with all below it; `to` must not exist. Ends the test on failure. */
void tree_copy(const char *from, const char *to);

/** Copies a file with its permissions. Ends the test on failure. */
void tree_copy_file(const char *from, const char *to);

#endif
