// SPDX-License-Identifier: MIT
//
// The stored form, integers little-endian:
//
//   8 bytes   "HLCMANI" and a version
//   32 bytes  the request's digest
//   u32       number of variants
//   each:     32 bytes key, u64 size of the dependencies, the dependencies
//   32 bytes  SHA-256 of everything before

#include "manifest.h"

#include <string.h>

static const unsigned char magic[8] = {'H', 'L', 'C', 'M', 'A', 'N', 'I', 2};

bool manifest_decode(struct manifest *manifest, const struct digest *request,
                     const void *bytes, size_t size)
{
    manifest->count = 0;
    struct digest digest;
    if (size < sizeof digest.bytes ||
        !sha256_of(bytes, size - sizeof digest.bytes, &digest) ||
        memcmp((const char *)bytes + size - sizeof digest.bytes, digest.bytes,
               sizeof digest.bytes) != 0) {
        return false;
    }
    struct reader reader = reader_make(bytes, size - sizeof digest.bytes);
    const unsigned char *start = reader_bytes(&reader, sizeof magic);
    const unsigned char *of_request = reader_bytes(&reader, sizeof request->bytes);
    const uint32_t count = reader_u32(&reader);
    if (reader.failed || memcmp(start, magic, sizeof magic) != 0 ||
        memcmp(of_request, request->bytes, sizeof request->bytes) != 0 ||
        count > MANIFEST_VARIANTS) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct manifest_variant *variant = &manifest->variants[i];
        const unsigned char *key = reader_bytes(&reader, sizeof variant->key.bytes);
        variant->dependencies = reader_sized(&reader, &variant->size);
        if (reader.failed) {
            return false;
        }
        memcpy(variant->key.bytes, key, sizeof variant->key.bytes);
    }
    if (reader.at != reader.size) {
        return false;
    }
    manifest->count = count;
    return true;
}

bool manifest_encode(const struct manifest *manifest, const struct digest *request,
                     struct buffer *to)
{
    const size_t start = to->size;
    buffer_append(to, magic, sizeof magic);
    buffer_append(to, request->bytes, sizeof request->bytes);
    buffer_append_u32(to, (uint32_t)manifest->count);
    for (size_t i = 0; i < manifest->count; i++) {
        const struct manifest_variant *variant = &manifest->variants[i];
        buffer_append(to, variant->key.bytes, sizeof variant->key.bytes);
        buffer_append_sized(to, variant->dependencies, variant->size);
    }
    struct digest digest;
    const bool ok = sha256_of(to->data + start, to->size - start, &digest);
    buffer_append(to, digest.bytes, sizeof digest.bytes);
    return ok;
}

// The same things looked at, and found the same, whenever that was.
static bool same_dependencies(const struct manifest_variant *a,
                              const struct manifest_variant *b)
{
    struct reader from_a = reader_make(a->dependencies, a->size);
    struct reader from_b = reader_make(b->dependencies, b->size);
    while (from_a.at < from_a.size && from_b.at < from_b.size) {
        struct dependency in_a;
        struct dependency in_b;
        if (!dependency_decode(&in_a, &from_a) || !dependency_decode(&in_b, &from_b) ||
            in_a.kind != in_b.kind || strcmp(in_a.name, in_b.name) != 0 ||
            !digest_equal(&in_a.digest, &in_b.digest)) {
            return false;
        }
    }
    return from_a.at == from_a.size && from_b.at == from_b.size;
}

void manifest_put_first(struct manifest *manifest, const struct manifest_variant *variant)
{
    const struct manifest_variant first = *variant; // it may be one of ours
    size_t gone = manifest->count;
    for (size_t i = 0; i < manifest->count; i++) {
        const struct manifest_variant *other = &manifest->variants[i];
        if (digest_equal(&other->key, &first.key) && same_dependencies(other, &first)) {
            gone = i;
            break;
        }
    }
    if (gone == manifest->count && manifest->count < MANIFEST_VARIANTS) {
        manifest->count++;
    } else if (gone == manifest->count) {
        gone--;
    }
    memmove(&manifest->variants[1], &manifest->variants[0],
            gone * sizeof manifest->variants[0]);
    manifest->variants[0] = first;
}

bool manifest_variant_holds(const struct manifest_variant *variant,
                            struct buffer *renewed)
{
    struct reader reader = reader_make(variant->dependencies, variant->size);
    bool any_new = false;
    renewed->size = 0;
    while (reader.at < reader.size) {
        const size_t start = reader.at;
        struct dependency dependency;
        if (!dependency_decode(&dependency, &reader)) {
            return false;
        }
        switch (dependency_check(&dependency)) {
        case DEPENDENCY_SAME:
            if (any_new) {
                buffer_append(renewed, variant->dependencies + start, reader.at - start);
            }
            break;
        case DEPENDENCY_SAME_BUT_NEW:
            if (!any_new) {
                buffer_append(renewed, variant->dependencies, start);
            }
            any_new = true;
            dependency_encode(&dependency, renewed);
            break;
        case DEPENDENCY_CHANGED:
            renewed->size = 0;
            return false;
        }
    }
    return true;
}
