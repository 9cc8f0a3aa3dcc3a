// SPDX-License-Identifier: MIT
// halide-cache run: one generator command, through the cache.

#ifndef HALIDECACHE_CMD_RUN_H
#define HALIDECACHE_CMD_RUN_H

int cmd_run(int argc, char **argv);

#endif
