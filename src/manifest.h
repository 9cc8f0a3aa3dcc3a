// SPDX-License-Identifier: MIT
// What a direct lookup has to check: for one request, the sets of things that the
// generator looked at, each with the key that they led to. Several, so that switching
// back and forth between two branches hits both ways.

#ifndef HALIDECACHE_MANIFEST_H
#define HALIDECACHE_MANIFEST_H

#include "buffer.h"
#include "dependency.h"
#include "sha256.h"

#include <stdbool.h>

enum { MANIFEST_VARIANTS = 8 };

/** The key, and dependencies as dependency_encode writes them. */
struct manifest_variant {
    struct digest key;
    const unsigned char *dependencies;
    size_t size; // bytes
};

struct manifest {
    struct manifest_variant variants[MANIFEST_VARIANTS]; // the last used one first
    size_t count;
};

/** Reads a manifest and verifies that its bytes are those that were written for this
 *  request. The variants point into `bytes`. False leaves an empty manifest. */
bool manifest_decode(struct manifest *manifest, const struct digest *request,
                     const void *bytes, size_t size);

/** Appends the stored form. */
bool manifest_encode(const struct manifest *manifest, const struct digest *request,
                     struct buffer *to);

/** Puts a variant first. It takes the place of one that differs in nothing but the times
 * of files; else, when there are too many, of the one that was not used for longest. */
void manifest_put_first(struct manifest *manifest,
                        const struct manifest_variant *variant);

/** Checks a variant. True when all is as it was. Then `*renewed` is empty, or holds the
 *  dependencies to store instead, because files had to be read again. */
bool manifest_variant_holds(const struct manifest_variant *variant,
                            struct buffer *renewed);

#endif
