// SPDX-License-Identifier: MIT
// All that a generator contributes to its outputs, as named fields of the key.

#ifndef HALIDECACHE_PROBE_FINGERPRINT_H
#define HALIDECACHE_PROBE_FINGERPRINT_H

#include "channel.h"

#include <cstddef>

namespace Halide {
class Pipeline;
namespace Internal {
class AbstractGenerator;
}
} // namespace Halide

namespace halidecache {

/** Loads the request's plugins as Halide is going to. Throws what Halide throws. */
void load_plugins(const Request &request);

/** Is this autoscheduler known before any plugin is loaded? */
bool has_own_autoscheduler(const std::string &name);

/** What the exception that is being handled says. */
std::string describe_current_exception();

/** Builds the pipeline of every target as Halide is going to, and sends what each
 * consists of. `*chooses_autoscheduler` is set when one has an autoscheduler that no
 * param names. False after a bypass message. Throws what the generator throws. */
bool report_pipelines(const Request &request, const Messages &report,
                      bool *chooses_autoscheduler);

/** Sends the fields of what the generator built for the target of this index. Takes names
 *  from Halide's counters. Throws what Halide throws. */
void send_fields(const Request &request, size_t index,
                 Halide::Internal::AbstractGenerator *generator,
                 const Halide::Pipeline &pipeline, const Messages &to);

/** Sends the targets of a runtime as Halide understands them. */
void report_runtime(const Request &request, const Messages &report);

/** An address inside the binary that holds Halide. */
const void *address_in_halide();

} // namespace halidecache

#endif
