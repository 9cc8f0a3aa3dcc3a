// SPDX-License-Identifier: MIT
// SHA-256 (FIPS 180-4) by OpenSSL's libcrypto: sha256_libcrypto.c, or sha256_evp.c.

#ifndef HALIDECACHE_SHA256_H
#define HALIDECACHE_SHA256_H

#include <stdbool.h>
#include <stddef.h>

enum { SHA256_SIZE = 32, SHA256_HEX_SIZE = 65 };

struct digest {
    unsigned char bytes[SHA256_SIZE];
};

struct sha256; // one running computation

/** Starts a computation; NULL when libcrypto refuses (no SHA-256 in a locked-down
 *  configuration, no memory). Free with sha256_free, which accepts NULL. */
struct sha256 *sha256_new(void);
void sha256_free(struct sha256 *sha256);

/** Adds bytes; false when libcrypto fails. */
bool sha256_update(struct sha256 *sha256, const void *data, size_t size);

/** Ends the computation and makes the object ready for the next one. */
bool sha256_finish(struct sha256 *sha256, struct digest *digest);

/** The digest of one piece of memory. */
bool sha256_of(const void *data, size_t size, struct digest *digest);

bool digest_equal(const struct digest *a, const struct digest *b);

/** Writes 64 lower-case hexadecimal digits and a NUL. */
void digest_to_hex(const struct digest *digest, char hex[SHA256_HEX_SIZE]);

#endif
