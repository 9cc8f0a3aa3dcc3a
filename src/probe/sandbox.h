// SPDX-License-Identifier: MIT
// What the probe's child may do while it builds a pipeline: compute, read and print.
//
// The child's build is extra: without the cache it would not happen. So it must leave no
// trace outside; a generator that counts its runs in a file would count twice. On Linux a
// seccomp filter ends the child at the first attempt to change anything outside of itself,
// and the run is then a bypass with that reason.

#ifndef HALIDECACHE_PROBE_SANDBOX_H
#define HALIDECACHE_PROBE_SANDBOX_H

#include <string>

namespace halidecache {

/** How many threads this process has; 1 where that cannot be told. */
int count_threads();

/** What the child prints, kept from everybody. */
struct Printed {
    int out = -1;
    int err = -1;
};

/** Lets the child print into memory and read from the null device, takes its core dumps,
 *  and from here on ends it, after a bypass message to `report`, when it tries to change
 *  anything outside of itself. */
Printed enter_sandbox(int report);

/** What was printed into one of them so far. */
std::string read_printed(int fd);

}  // namespace halidecache

#endif
