// SPDX-License-Identifier: MIT
// What one generator command asks for, read from its own command line.
//
// The rules are those of generate_filter_main in Halide's src/Generator.cpp (versions 19
// to 21). Whatever Halide would refuse, or what is not understood here to the last
// character, is no request: the command is then run untouched.

#ifndef HALIDECACHE_REQUEST_H
#define HALIDECACHE_REQUEST_H

#include "error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The kinds of output, in the order of Halide's OutputFileType (Halide.h).
enum output_kind {
    OUTPUT_ASSEMBLY,
    OUTPUT_BITCODE,
    OUTPUT_C_HEADER,
    OUTPUT_C_SOURCE,
    OUTPUT_COMPILER_LOG,
    OUTPUT_CONCEPTUAL_STMT,
    OUTPUT_CONCEPTUAL_STMT_HTML,
    OUTPUT_CPP_STUB,
    OUTPUT_DEVICE_CODE,
    OUTPUT_FEATURIZATION,
    OUTPUT_FUNCTION_INFO_HEADER,
    OUTPUT_HLPIPE,
    OUTPUT_LLVM_ASSEMBLY,
    OUTPUT_OBJECT,
    OUTPUT_PYTHON_EXTENSION,
    OUTPUT_PYTORCH_WRAPPER,
    OUTPUT_REGISTRATION,
    OUTPUT_SCHEDULE,
    OUTPUT_STATIC_LIBRARY,
    OUTPUT_STMT,
    OUTPUT_STMT_HTML,
    OUTPUT_KINDS
};

/** Halide's name of the kind, as after -e: "c_header". */
const char *output_kind_name(enum output_kind kind);

struct param {
    char *name;
    char *value;
};

struct request {
    bool is_runtime;      // -r: a runtime of its own, no generator
    char *generator;      // -g; empty for a runtime
    char *function;       // -f, or what Halide takes without one
    char *base_name;      // -n, or what Halide takes without one; for a runtime: -r
    char *output_folder;  // -o, as given
    char *timeout;        // -t, as given
    bool gradient;        // -d
    bool verbose;         // -v
    uint32_t kinds;       // bit set of 1 << enum output_kind: -e and HL_EXTRA_OUTPUTS
    struct param *params; // sorted by name, each once, without target
    size_t param_count;
    char **targets; // as given, in order
    size_t target_count;
    char **plugins; // -p, as given, in order
    size_t plugin_count;
};

/** Reads the arguments behind the program's name. `extra_outputs` is the value of
 *  HL_EXTRA_OUTPUTS or NULL. False when the command line is not understood: `error`
 *  says what about it. Free with request_release, also after a failure. */
bool request_parse(struct request *request, int argc, char *const argv[],
                   const char *extra_outputs, struct error *error);

void request_release(struct request *request);

#endif
