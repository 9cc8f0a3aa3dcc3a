// SPDX-License-Identifier: MIT

#include "sha256.h"

#include <string.h>

bool sha256_of(const void *data, size_t size, struct digest *digest)
{
    struct sha256 *sha256 = sha256_new();
    const bool ok = sha256 != NULL && sha256_update(sha256, data, size) &&
                    sha256_finish(sha256, digest);
    sha256_free(sha256);
    return ok;
}

bool digest_equal(const struct digest *a, const struct digest *b)
{
    return memcmp(a->bytes, b->bytes, SHA256_SIZE) == 0;
}

void digest_to_hex(const struct digest *digest, char hex[SHA256_HEX_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < SHA256_SIZE; i++) {
        hex[2 * i] = digits[digest->bytes[i] >> 4];
        hex[2 * i + 1] = digits[digest->bytes[i] & 15];
    }
    hex[SHA256_HEX_SIZE - 1] = '\0';
}
