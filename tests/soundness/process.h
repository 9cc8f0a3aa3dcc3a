// SPDX-License-Identifier: MIT
// Running a command and keeping what it prints.

#ifndef HALIDECACHE_TESTS_PROCESS_H
#define HALIDECACHE_TESTS_PROCESS_H

#include "buffer.h"

#include <stdbool.h>
#include <sys/types.h>

struct command {
    char *const *argv;
    char *const *environment;
    const char *folder; // where it runs
    const char *input;  // what its standard input holds; NULL: nothing
    const char *prints; // its streams go to "<prints>.out" and "<prints>.err"
    unsigned user;      // who it is run by, which takes root; 0: as we are
};

/** How a command ended, and what it printed. Release with process_result_release. */
struct process_result {
    int code;   // exit status, when `signal` is 0
    int signal; // the signal that ended it
    struct buffer out;
    struct buffer err;
};

/** Starts a command in a process group of its own. Exits with a message when that fails;
 *  a program that does not exist ends with the status 127. */
pid_t process_start(const struct command *command);

/** Waits for its end. */
void process_finish(pid_t process, const struct command *command,
                    struct process_result *result);

/** Both in one. */
void process_run(const struct command *command, struct process_result *result);

/** Is it still running? Does not take its status. */
bool process_is_running(pid_t process);

void process_result_release(struct process_result *result);

#endif
