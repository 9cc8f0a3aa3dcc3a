// SPDX-License-Identifier: MIT
// The files that a request is going to write: Halide's naming rules.

#ifndef HALIDECACHE_OUTPUTS_H
#define HALIDECACHE_OUTPUTS_H

#include "request.h"

#include <stddef.h>

/** One file. The role says which output it is whatever the command calls it: the kind's
 *  name, for one of several targets with "/<number>", and "object/wrapper" and
 *  "object/runtime" for what Halide adds for several targets. */
struct output {
    char *role;
    char *path;
};

struct outputs {
    struct output *list;
    size_t count;
};

/** All files that the request must leave behind, in a fixed order. Free with
 *  outputs_release. (compute_output_files and compile_multitarget in Halide's
 *  src/Generator.cpp and src/Module.cpp.) */
struct outputs outputs_of_request(const struct request *request);
void outputs_release(struct outputs *outputs);

/** Is the content of this kind of output the same whatever -o and the working folder
 *  are? Headers and wrappers are not: their include guards and #include lines are made
 *  from the path. */
bool output_kind_ignores_folder(enum output_kind kind);

/** Kinds that are not a function of the pipeline and so cannot be cached: logs of times,
 *  and what the generator builds anew for itself. */
bool output_kind_is_cacheable(enum output_kind kind);

#endif
