// SPDX-License-Identifier: MIT
// The subcommands that look after a cache folder. `argv[0]` is the name of the
// subcommand. Each returns the exit status: 0, 1 when it failed, 2 for a wrong command
// line; then one line on standard error says why.

#ifndef HALIDECACHE_CMD_ADMIN_H
#define HALIDECACHE_CMD_ADMIN_H

/** Prints what happened to the commands so far and what the store holds. */
int cmd_stats(int argc, char **argv);

/** Removes what is beyond the limits. */
int cmd_prune(int argc, char **argv);

/** Removes everything. */
int cmd_clear(int argc, char **argv);

#endif
