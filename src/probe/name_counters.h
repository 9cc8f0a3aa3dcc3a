// SPDX-License-Identifier: MIT
// Where the counters stand that Halide makes names from.
//
// unique_name (Halide's Util.cpp) has a table of counters and picks one by the hash of
// the name's start. Names that lowering makes up show in several outputs, so two
// processes whose counters differ write different ones. They differ when a generator does
// more with Halide than to build what it returns, such as to compile something for its
// own use.

#ifndef HALIDECACHE_PROBE_NAME_COUNTERS_H
#define HALIDECACHE_PROBE_NAME_COUNTERS_H

#include <string>

namespace halidecache {

/** "<number of the counter>:<value> " for all that are not at zero. Advances some of
 * them, so it is only for the child, after it has built everything. */
std::string describe_name_counters();

} // namespace halidecache

#endif
