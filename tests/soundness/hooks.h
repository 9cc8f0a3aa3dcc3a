// SPDX-License-Identifier: MIT
// Steps that several cases share and that a table cannot describe.

#ifndef HALIDECACHE_TESTS_HOOKS_H
#define HALIDECACHE_TESTS_HOOKS_H

#include "world.h"

/** The file table.txt gets another time and another inode, and keeps its bytes. */
void hook_rewrite_table(struct world *world);

#endif
