// SPDX-License-Identifier: MIT
// Reads what the tracer recorded (tracer/trace.h). The bytes come from another process
// and are checked.
//
//   struct trace_reader reader = trace_reader_make(bytes, size);
//   struct trace_record record;
//   while (trace_reader_next(&reader, &record)) {
//       ...
//   }
//   if (!trace_reader_is_complete(&reader)) {
//       // what came so far tells nothing
//   }

#ifndef HALIDECACHE_TRACE_READER_H
#define HALIDECACHE_TRACE_READER_H

#include "buffer.h"
#include "tracer/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace_record {
    enum trace_tag tag; // never TRACE_END
    uint32_t number;
    const char *text;   // both inside the bytes that are read,
    const char *second; // with a NUL behind them and none before
};

struct trace_reader {
    struct reader bytes;
    bool in_batch;
};

/** Reads `size` bytes that are kept by the caller: batches, one behind the other. */
struct trace_reader trace_reader_make(const void *data, size_t size);

/** Gets the next record of this batch or the ones behind it. False when there are no
 * more, or something is wrong. */
bool trace_reader_next(struct trace_reader *reader, struct trace_record *record);

/** Did the bytes end where a batch ends, with nothing wrong before, and was there one? */
bool trace_reader_is_complete(const struct trace_reader *reader);

/** What a tag is called in messages to the user: "reads", "is missing", ... */
const char *trace_tag_text(enum trace_tag tag);

#endif
