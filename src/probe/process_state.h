// SPDX-License-Identifier: MIT
// What Halide takes from the process rather than from the pipeline, and what a generator
// can have changed before main() or while it builds.

#ifndef HALIDECACHE_PROBE_PROCESS_STATE_H
#define HALIDECACHE_PROBE_PROCESS_STATE_H

#include "sandbox.h"

#include <set>
#include <string>

namespace halidecache {

/** Variables, locale and arithmetic as they are now. Changes nothing. */
std::string describe_process(const std::set<std::string> &variables_at_start);

/** Flushes all that is to be printed, by C and C++. */
void flush_streams();

/** Are warnings printed as Halide prints them, and is nobody told anything else about the
 *  compilation? The child only: it makes Halide warn. */
bool has_usual_reports(const Printed &printed);

} // namespace halidecache

#endif
