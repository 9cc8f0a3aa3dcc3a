// SPDX-License-Identifier: MIT
// An entry: what one run of a generator produced, as the bytes of one stored file.

#ifndef HALIDECACHE_ENTRY_H
#define HALIDECACHE_ENTRY_H

#include "buffer.h"
#include "error.h"
#include "sha256.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Which of a generator's output files it is, without the names that one command gave
 *  them: "c_header", "object", "object/0", "object/wrapper" (see outputs.h). */
struct entry_output {
    const char *role;
    const unsigned char *data;
    size_t size; // bytes
};

struct entry {
    uint64_t compile_ns;    // how long the generator took to make this
    const char *components; // the key's fields and their digests, as text (see key.h)
    struct entry_output *outputs;
    size_t output_count;
    // What the generator printed. Where both streams went to the same file their order
    // matters, and all of it is in `out`.
    bool streams_joined;
    const unsigned char *out;
    size_t out_size;
    const unsigned char *err;
    size_t err_size;
};

/** Appends the stored form of the entry under this key. */
bool entry_encode(const struct entry *entry, const struct digest *key,
                  struct buffer *bytes, struct error *error);

/** Reads the stored form and verifies all of it: the version, that it belongs to the
 *  key, every length and every digest. On success `entry` points into `bytes`, which
 *  must outlive it, and entry_release frees what it allocated. On failure `error` says
 *  what is wrong and there is nothing to release. */
bool entry_decode(struct entry *entry, const struct digest *key, const void *bytes,
                  size_t size, struct error *error);

void entry_release(struct entry *entry);

#endif
