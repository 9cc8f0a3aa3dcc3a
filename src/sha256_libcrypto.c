// SPDX-License-Identifier: MIT
//
// By libcrypto's functions for this one digest. They are deprecated in favour of EVP,
// which runs the same code, but not before it has built the tables of all digests: a
// quarter of what a direct hit would cost then (docs/performance.md).

#define OPENSSL_SUPPRESS_DEPRECATED

#include "sha256.h"

#include <openssl/sha.h>
#include <stdlib.h>

struct sha256 {
    SHA256_CTX context;
};

struct sha256 *sha256_new(void)
{
    struct sha256 *sha256 = malloc(sizeof *sha256);
    if (sha256 != NULL && SHA256_Init(&sha256->context) != 1) {
        free(sha256);
        return NULL;
    }
    return sha256;
}

void sha256_free(struct sha256 *sha256)
{
    free(sha256);
}

bool sha256_update(struct sha256 *sha256, const void *data, size_t size)
{
    return SHA256_Update(&sha256->context, data, size) == 1;
}

bool sha256_finish(struct sha256 *sha256, struct digest *digest)
{
    return SHA256_Final(digest->bytes, &sha256->context) == 1 &&
           SHA256_Init(&sha256->context) == 1;
}
