// SPDX-License-Identifier: MIT
// Where the counters stand that Halide makes names from.
//
// unique_name (Halide's Util.cpp) has a table of counters and picks one by the hash of
// the name's start. Names that lowering makes up show in several outputs, so two
// processes whose counters differ write different ones. They differ when a generator does
// more with Halide than to build what it returns, such as to compile something for its
// own use.
//
// The table has no name that others see; it is found among Halide's variables by what is
// in it.

#ifndef HALIDECACHE_PROBE_NAME_COUNTERS_H
#define HALIDECACHE_PROBE_NAME_COUNTERS_H

#include "loaded.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

namespace halidecache {

// Halide's kMaxUniqueCounters.
constexpr size_t kNameCounters = 1 << 14;

using NameCounters = std::array<std::atomic<int>, kNameCounters>;

/** Where in these variables of Halide's the table is; null when that cannot be told
 * without doubt. Advances some counters, so it is only for a copy of the process, which
 * has it where the process has. */
NameCounters *find_name_counters(const MemoryRange &zeroed);

/** "<number of the counter>:<value> " for all that are not at zero. A null table is one
 * that was not found: the counters are then advanced to see where they were. */
std::string describe_name_counters(const NameCounters *table);

/** Puts the counters back, at its end, to where they were at its start. Only for when
 * there is one thread. */
class NameCountersKeeper {
public:
    explicit NameCountersKeeper(NameCounters *table);
    ~NameCountersKeeper();
    NameCountersKeeper(const NameCountersKeeper &) = delete;
    NameCountersKeeper &operator=(const NameCountersKeeper &) = delete;

private:
    NameCounters *table_;
    std::vector<int> values_;
};

} // namespace halidecache

#endif
