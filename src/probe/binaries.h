// SPDX-License-Identifier: MIT
// Which of the loaded binaries can change what Halide makes of a pipeline.

#ifndef HALIDECACHE_PROBE_BINARIES_H
#define HALIDECACHE_PROBE_BINARIES_H

#include "../tracer/trace.h"
#include "channel.h"
#include "loaded.h"

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace halidecache {

/** The binaries of this process at one moment. */
class Binaries {
public:
    /** Those that are loaded now. */
    Binaries();

    /** Their paths, the program as an empty string. */
    std::set<std::string> files() const;

    /** Does the program's call of generate_filter_main reach the Halide that this probe
     * is bound to? Not so when the program holds a static Halide that it does not export:
     * the probe then got a Halide of its own. All below is for when it does. */
    bool program_uses_this_halide() const;

    /** Does the program, or a library that is not Halide's, have a call of
     *  Pipeline::trace_pipeline(), or can that not be seen because the program holds
     *  Halide? It changes what is compiled, and a pipeline does not tell whether it was
     *  called. */
    bool program_may_trace_pipelines() const;

    /** Called from a destructor of the probe: is it sure that nobody but Halide, and what
     *  Halide needs, has destructors left to run, and that none so far has called exit()
     *  to set another status? */
    bool only_halide_is_left() const;

    /** The variables of the binary that holds Halide that are zero when it is loaded. */
    MemoryRange zeroed_memory_of_halide() const;

    /** The path of a loaded library that is not the file that has this path now, because
     *  it was replaced meanwhile; empty when there is none. */
    std::string find_replaced() const;

    /** Does a plugin (one that is not in `before`), or with `everything` also the
     *  program, have what it takes to look at files, variables or clocks? An
     *  autoscheduler in it may do so when the probe has spoken. Those that come with
     *  Halide look only at what the key has. */
    bool autoschedulers_may_look_around(const std::set<std::string> &before,
                                        bool everything) const;

    /** Sends every binary whose identity belongs into the key: the one that holds Halide
     *  and all that it needs; the plugins (those that are not in `before`) and all that
     *  they need; and whatever was loaded that the program does not need by its own link
     *  line, such as a preloaded library. What only the generator's own code uses shows
     *  in the pipeline. With `everything`, its libraries too, and the program. */
    void report(const std::set<std::string> &before, bool everything,
                const Messages &report) const;

private:
    const void *find_called(const char *symbol) const;
    bool others_provide_for_halide() const;

    std::vector<Binary> all_;
    // Indices; the number of all where there is none.
    size_t halide_;
    size_t probe_;
    trace_real_function *tracer_real_;
    size_t tracer_;
};

} // namespace halidecache

#endif
