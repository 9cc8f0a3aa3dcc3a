// SPDX-License-Identifier: MIT
// What the probe's child may do while it builds a pipeline: compute, read and print.
//
// The child's build is extra: without the cache it would not happen. So it must leave no
// trace outside; a generator that counts its runs in a file would count twice. On Linux a
// seccomp filter ends the child at the first attempt to change anything outside of
// itself, and the run is then a bypass with that reason.

#ifndef HALIDECACHE_PROBE_SANDBOX_H
#define HALIDECACHE_PROBE_SANDBOX_H

#include <string>

namespace halidecache {

/** How many threads this process has; 1 where that cannot be told. */
int count_threads();

/** Has this process memory that a copy of it could change for it too? */
bool shares_memory();

/** What the child prints, kept from everybody, and what it could read and must not. */
struct Printed {
    int out = -1;
    int err = -1;
    int bait = -1;
};

/** Both before the fork and after it, so that the parent has what the child leaves. */
Printed open_printed();
void close_printed(Printed *printed);

/** Lets the child print into memory, keeps its reading from taking anything away from the
 *  process that it is a copy of, takes its core dumps, and from here on ends it, after a
 *  bypass message to `report`, when it tries to change anything outside of itself. */
void enter_sandbox(int report, const Printed &printed);

/** Has the child read from a pipe or a terminal, which the process itself is yet to read?
 */
bool has_taken_bait(const Printed &printed);

/** What was printed into one of them so far. */
std::string read_printed(int fd);

} // namespace halidecache

#endif
