// SPDX-License-Identifier: MIT
// A pipeline without its made-up names.
//
// Halide makes names from counters that compiling advances. When it builds the pipeline
// of the second target it has compiled that of the first one, which the probe's child has
// not, so the names differ, and with them the serialized pipelines. What is described
// here is all but the names, with every name as the number of its first appearance:
// enough to tell whether the generator has built for a later target what it was probed
// for.

#ifndef HALIDECACHE_PROBE_SHAPE_H
#define HALIDECACHE_PROBE_SHAPE_H

#include <string>

namespace Halide {
class Pipeline;
}

namespace halidecache {

/** Only for a copy of the process, and when all else was described: it locks the levels
 * of the schedule. */
std::string describe_shape(const Halide::Pipeline &pipeline);

} // namespace halidecache

#endif
