// SPDX-License-Identifier: MIT
// The stored form of an entry. Integers are little-endian.
//
// Header:
//    8  magic "HLCENTRY"
//    4  version of this format, 1. Another version is no entry for us.
//    4  flags: 1: the streams are joined; all others are 0
//   32  the key, as stored: a file that was renamed or mixed up is noticed
//    8  size of the whole file
//    8  how long the generator took, in nanoseconds
//    4  number of outputs
//   40  the components: 8 size, 32 SHA-256
//   40  standard output, the same; with joined streams both
//   40  standard error, the same; with joined streams empty
//   per output:
//       8  size of the role, with the NUL behind it
//       .  the role
//      40  the output's 8 size, 32 SHA-256
//   32  SHA-256 of the header up to here
// Then the contents, in the header's order, one behind the other up to the end of the
// file: components (with the NUL behind them), standard output, standard error, outputs.
//
// So the header is verified before its sizes are used for anything, and each byte of the
// file goes through SHA-256 once.

#include "entry.h"

#include <stdlib.h>
#include <string.h>

enum {
    FORMAT_VERSION = 1, // the next one whenever anything above changes
    FLAG_JOINED = 1,
    BLOB_SIZE = 8 + SHA256_SIZE,     // a content's size and digest in the header
    MIN_OUTPUT_SIZE = 8 + BLOB_SIZE, // of an output in the header
    TOTAL_SIZE_AT = 8 + 4 + 4 + SHA256_SIZE,
};

static const unsigned char magic[8] = {'H', 'L', 'C', 'E', 'N', 'T', 'R', 'Y'};

// ---- Writing ------------------------------------------------------------------------

static bool append_digest(struct sha256 *sha256, const void *data, size_t size,
                          struct buffer *bytes)
{
    struct digest digest;
    if ((size > 0 && !sha256_update(sha256, data, size)) ||
        !sha256_finish(sha256, &digest)) {
        return false;
    }
    buffer_append(bytes, digest.bytes, SHA256_SIZE);
    return true;
}

static bool append_blob(struct sha256 *sha256, const void *data, size_t size,
                        struct buffer *bytes)
{
    buffer_append_u64(bytes, size);
    return append_digest(sha256, data, size, bytes);
}

static bool append_header(struct sha256 *sha256, const struct entry *entry,
                          const struct digest *key, const char *components,
                          struct buffer *bytes)
{
    const size_t start = bytes->size;
    buffer_append(bytes, magic, sizeof magic);
    buffer_append_u32(bytes, FORMAT_VERSION);
    buffer_append_u32(bytes, entry->streams_joined ? FLAG_JOINED : 0);
    buffer_append(bytes, key->bytes, SHA256_SIZE);
    uint64_t contents =
        (uint64_t)strlen(components) + 1 + entry->out_size + entry->err_size;
    uint64_t header = TOTAL_SIZE_AT + 8 + 8 + 4 + 3 * BLOB_SIZE + SHA256_SIZE;
    for (size_t i = 0; i < entry->output_count; i++) {
        header += MIN_OUTPUT_SIZE + strlen(entry->outputs[i].role) + 1;
        contents += entry->outputs[i].size;
    }
    buffer_reserve(bytes, (size_t)(header + contents));
    buffer_append_u64(bytes, header + contents);
    buffer_append_u64(bytes, entry->compile_ns);
    buffer_append_u32(bytes, (uint32_t)entry->output_count);
    bool ok = append_blob(sha256, components, strlen(components) + 1, bytes) &&
              append_blob(sha256, entry->out, entry->out_size, bytes) &&
              append_blob(sha256, entry->err, entry->err_size, bytes);
    for (size_t i = 0; ok && i < entry->output_count; i++) {
        const struct entry_output *output = &entry->outputs[i];
        buffer_append_sized(bytes, output->role, strlen(output->role) + 1);
        ok = append_blob(sha256, output->data, output->size, bytes);
    }
    return ok && append_digest(sha256, bytes->data + start, bytes->size - start, bytes);
}

bool entry_encode(const struct entry *entry, const struct digest *key,
                  struct buffer *bytes, struct error *error)
{
    if (entry->output_count > UINT32_MAX ||
        (entry->streams_joined && entry->err_size > 0)) {
        return error_set(error, "internal error: this entry cannot be stored");
    }
    const size_t start = bytes->size;
    const char *components = entry->components == NULL ? "" : entry->components;
    struct sha256 *sha256 = sha256_new();
    const bool ok =
        sha256 != NULL && append_header(sha256, entry, key, components, bytes);
    sha256_free(sha256);
    if (!ok) {
        bytes->size = start;
        return error_set(error, "libcrypto cannot compute SHA-256");
    }
    buffer_append(bytes, components, strlen(components) + 1);
    buffer_append(bytes, entry->out, entry->out_size);
    buffer_append(bytes, entry->err, entry->err_size);
    for (size_t i = 0; i < entry->output_count; i++) {
        buffer_append(bytes, entry->outputs[i].data, entry->outputs[i].size);
    }
    return true;
}

// ---- Reading ------------------------------------------------------------------------

// A content as the header describes it; its bytes are looked up later.
struct blob {
    uint64_t size;
    const unsigned char *digest;
};

static struct blob read_blob(struct reader *reader)
{
    struct blob blob = {.size = reader_u64(reader)};
    blob.digest = reader_bytes(reader, SHA256_SIZE);
    return blob;
}

struct decoding {
    struct reader reader;
    struct sha256 *sha256;
    struct entry *entry;
    struct blob components;
    struct blob out;
    struct blob err;
    struct blob *outputs; // as many as the entry's
    struct error *error;
};

static bool digest_is(struct sha256 *sha256, const void *data, size_t size,
                      const unsigned char *expected)
{
    struct digest digest;
    return (size == 0 || sha256_update(sha256, data, size)) &&
           sha256_finish(sha256, &digest) &&
           memcmp(digest.bytes, expected, SHA256_SIZE) == 0;
}

// Is it a string with one NUL, at its end?
static bool is_string(const unsigned char *bytes, size_t size)
{
    return bytes != NULL && size > 0 && memchr(bytes, '\0', size) == bytes + size - 1;
}

static bool decode_start(struct decoding *decoding, const struct digest *key)
{
    struct reader *reader = &decoding->reader;
    const unsigned char *start = reader_bytes(reader, sizeof magic);
    if (start == NULL || memcmp(start, magic, sizeof magic) != 0) {
        return error_set(decoding->error, "it is not an entry");
    }
    const uint32_t version = reader_u32(reader);
    if (!reader->failed && version != FORMAT_VERSION) {
        return error_set(decoding->error, "its format has version %u, not %d",
                         (unsigned)version, FORMAT_VERSION);
    }
    const uint32_t flags = reader_u32(reader);
    const unsigned char *stored_key = reader_bytes(reader, SHA256_SIZE);
    const uint64_t size = reader_u64(reader);
    decoding->entry->compile_ns = reader_u64(reader);
    if (reader->failed || size != reader->size) {
        return error_set(decoding->error, "it is cut off, or longer than it was stored");
    }
    if (memcmp(stored_key, key->bytes, SHA256_SIZE) != 0) {
        return error_set(decoding->error, "it belongs to another key");
    }
    decoding->entry->streams_joined = flags == FLAG_JOINED;
    return (flags & ~(uint32_t)FLAG_JOINED) == 0 ||
           error_set(decoding->error, "its header has unknown flags");
}

static bool decode_table(struct decoding *decoding)
{
    struct reader *reader = &decoding->reader;
    struct entry *entry = decoding->entry;
    const uint32_t count = reader_u32(reader);
    decoding->components = read_blob(reader);
    decoding->out = read_blob(reader);
    decoding->err = read_blob(reader);
    // A count that the rest of the file has no room for must not make us allocate.
    if (reader->failed || count > (reader->size - reader->at) / MIN_OUTPUT_SIZE) {
        return error_set(decoding->error, "its header is damaged");
    }
    entry->output_count = count;
    entry->outputs = mem_new(count, sizeof *entry->outputs);
    decoding->outputs = mem_new(count, sizeof *decoding->outputs);
    for (size_t i = 0; i < count; i++) {
        size_t size = 0;
        const unsigned char *role = reader_sized(reader, &size);
        decoding->outputs[i] = read_blob(reader);
        if (reader->failed || !is_string(role, size)) {
            return error_set(decoding->error, "its header is damaged");
        }
        entry->outputs[i].role = (const char *)role;
    }
    const size_t header_size = reader->at;
    const unsigned char *digest = reader_bytes(reader, SHA256_SIZE);
    return (digest != NULL &&
            digest_is(decoding->sha256, reader->data, header_size, digest)) ||
           error_set(decoding->error, "its header is damaged");
}

static bool decode_content(struct decoding *decoding, const struct blob *blob,
                           const char *what, const unsigned char **data, size_t *size)
{
    if (blob->size > decoding->reader.size) {
        return error_set(decoding->error, "its %s is damaged", what);
    }
    *size = (size_t)blob->size;
    *data = reader_bytes(&decoding->reader, *size);
    return (*data != NULL && digest_is(decoding->sha256, *data, *size, blob->digest)) ||
           error_set(decoding->error, "its %s is damaged", what);
}

static bool decode_contents(struct decoding *decoding)
{
    struct entry *entry = decoding->entry;
    const unsigned char *components = NULL;
    size_t components_size = 0;
    if (!decode_content(decoding, &decoding->components, "list of components",
                        &components, &components_size) ||
        !decode_content(decoding, &decoding->out, "standard output", &entry->out,
                        &entry->out_size) ||
        !decode_content(decoding, &decoding->err, "standard error", &entry->err,
                        &entry->err_size)) {
        return false;
    }
    for (size_t i = 0; i < entry->output_count; i++) {
        struct entry_output *output = &entry->outputs[i];
        if (!decode_content(decoding, &decoding->outputs[i], output->role, &output->data,
                            &output->size)) {
            return false;
        }
    }
    entry->components = (const char *)components;
    return (is_string(components, components_size) &&
            !(entry->streams_joined && entry->err_size > 0) &&
            decoding->reader.at == decoding->reader.size) ||
           error_set(decoding->error, "its contents do not fit its header");
}

bool entry_decode(struct entry *entry, const struct digest *key, const void *bytes,
                  size_t size, struct error *error)
{
    *entry = (struct entry){0};
    struct decoding decoding = {.reader = reader_make(bytes, size),
                                .sha256 = sha256_new(),
                                .entry = entry,
                                .error = error};
    const bool ok = (decoding.sha256 != NULL ||
                     error_set(error, "libcrypto cannot compute SHA-256")) &&
                    decode_start(&decoding, key) && decode_table(&decoding) &&
                    decode_contents(&decoding);
    free(decoding.outputs);
    sha256_free(decoding.sha256);
    if (!ok) {
        entry_release(entry);
    }
    return ok;
}

void entry_release(struct entry *entry)
{
    free(entry->outputs);
    *entry = (struct entry){0};
}
