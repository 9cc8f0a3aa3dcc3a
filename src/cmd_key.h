// SPDX-License-Identifier: MIT
// halide-cache key: what the key of a command is made of.

#ifndef HALIDECACHE_CMD_KEY_H
#define HALIDECACHE_CMD_KEY_H

int cmd_key(int argc, char **argv);

#endif
