// SPDX-License-Identifier: MIT
// The key: SHA-256 over named fields.
//
// A field is its name and the SHA-256 of its value. The key is the SHA-256 over the mode
// and then, for every field in order, the name with its length and the digest of the
// value: no two different lists of fields give the same bytes. The names and digests are
// kept as text, so that two keys can be compared field by field (`halide-cache key`,
// --verify).
//
// The fields themselves are chosen in two places: key_fields.c for what the helper knows,
// probe/fingerprint.cpp for what only the generator knows.

#ifndef HALIDECACHE_KEY_H
#define HALIDECACHE_KEY_H

#include "buffer.h"
#include "sha256.h"

#include <stdbool.h>
#include <stddef.h>

// Goes up whenever the same field names could carry different values than before.
#define KEY_SCHEMA "halide-cache key 1"

struct key;

/** Starts a key. `mode` keeps keys for different purposes apart ("pipeline", ...). Free
 *  with key_free, which accepts NULL. */
struct key *key_new(const char *mode);
void key_free(struct key *key);

/** Adds a field. */
void key_add(struct key *key, const char *name, const void *value, size_t size);
void key_add_digest(struct key *key, const char *name, const struct digest *of_value);
void key_add_string(struct key *key, const char *name, const char *value);

/** Notes that a field was made from a file, whose content counts, or only its identity.
 */
void key_note_file(struct key *key, bool identity_only, const char *path);

/** The noted files, in order, as records of u8 identity_only and a sized path. Owned by
 * the key. */
const struct buffer *key_files(const struct key *key);

/** Ends the key. False when libcrypto failed at any time. No more fields after this. */
bool key_finish(struct key *key, struct digest *digest);

/** One line a field: its name, a space, the digest of its value in hex. Owned by the
 *  key. */
const char *key_components(const struct key *key);

#endif
