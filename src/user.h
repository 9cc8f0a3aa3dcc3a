// SPDX-License-Identifier: MIT
// Who a command is run by.

#ifndef HALIDECACHE_USER_H
#define HALIDECACHE_USER_H

#include "buffer.h"

/** Appends what decides about the rights to files: the user and all groups. */
void user_describe(struct buffer *to);

#endif
