// SPDX-License-Identifier: MIT

#include "trace_reader.h"

#include <string.h>

struct trace_reader trace_reader_make(const void *data, size_t size)
{
    return (struct trace_reader){.bytes = reader_make(data, size)};
}

static const char *read_string(struct reader *reader)
{
    size_t size = 0;
    const unsigned char *bytes = reader_sized(reader, &size);
    const unsigned char *end = reader_bytes(reader, 1);
    if (end == NULL || *end != '\0' || memchr(bytes, '\0', size) != NULL) {
        reader->failed = true;
        return NULL;
    }
    return (const char *)bytes;
}

// Enters the next batch. False at the end of the bytes, or when it is of another version.
static bool start_batch(struct trace_reader *reader)
{
    if (reader->bytes.at == reader->bytes.size) {
        return false;
    }
    if (reader_u32(&reader->bytes) != TRACE_VERSION) {
        reader->bytes.failed = true;
    }
    reader->in_batch = !reader->bytes.failed;
    return reader->in_batch;
}

bool trace_reader_next(struct trace_reader *reader, struct trace_record *record)
{
    while (!reader->bytes.failed && (reader->in_batch || start_batch(reader))) {
        const uint32_t tag = reader_u32(&reader->bytes);
        record->number = reader_u32(&reader->bytes);
        record->text = read_string(&reader->bytes);
        record->second = read_string(&reader->bytes);
        if (reader->bytes.failed || tag >= TRACE_TAGS) {
            reader->bytes.failed = true;
        } else if (tag == TRACE_END) {
            reader->in_batch = false;
        } else {
            record->tag = (enum trace_tag)tag;
            return true;
        }
    }
    return false;
}

bool trace_reader_is_complete(const struct trace_reader *reader)
{
    return !reader->bytes.failed && !reader->in_batch && reader->bytes.at > 0 &&
           reader->bytes.at == reader->bytes.size;
}

const char *trace_tag_text(enum trace_tag tag)
{
    static const char *const texts[TRACE_TAGS] = {
        [TRACE_END] = "ends",
        [TRACE_READ] = "reads",
        [TRACE_MISSING] = "does not find",
        [TRACE_FAILED] = "fails to use",
        [TRACE_STATUS] = "looks at",
        [TRACE_ACCESS] = "has access to",
        [TRACE_LINK] = "follows",
        [TRACE_RESOLVED] = "resolves",
        [TRACE_LISTED] = "lists",
        [TRACE_WRITTEN] = "changes",
        [TRACE_VARIABLE] = "reads the variable",
        [TRACE_SETS] = "sets the variable",
        [TRACE_ENVIRONMENT] = "can read all variables, in",
        [TRACE_FOLDER] = "asks for its folder",
        [TRACE_LOADED] = "loads",
        [TRACE_OPAQUE] = "cannot be replayed:",
    };
    return tag < TRACE_TAGS ? texts[tag] : "does something unknown to";
}
