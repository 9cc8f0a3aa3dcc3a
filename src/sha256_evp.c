// SPDX-License-Identifier: MIT
//
// By the EVP interface, for a libcrypto without the functions of its own for SHA-256. The
// first use builds the tables of all digests that there are, which takes longer than to
// hash the outputs of a usual library.

#include "sha256.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdlib.h>

struct sha256 {
    EVP_MD_CTX *context;
};

// Reading openssl.cnf and registering what we never use costs more than hashing the
// outputs of a usual library. Harmless to call again.
static bool init_crypto_without_config(void)
{
    return OPENSSL_init_crypto(
               OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_LOAD_CRYPTO_STRINGS |
                   OPENSSL_INIT_NO_ADD_ALL_CIPHERS | OPENSSL_INIT_NO_ADD_ALL_DIGESTS |
                   OPENSSL_INIT_NO_ATEXIT,
               NULL) == 1;
}

struct sha256 *sha256_new(void)
{
    if (!init_crypto_without_config()) {
        return NULL;
    }
    struct sha256 *sha256 = malloc(sizeof *sha256);
    if (sha256 == NULL) {
        return NULL;
    }
    sha256->context = EVP_MD_CTX_new();
    if (sha256->context == NULL ||
        EVP_DigestInit_ex(sha256->context, EVP_sha256(), NULL) != 1) {
        sha256_free(sha256);
        return NULL;
    }
    return sha256;
}

void sha256_free(struct sha256 *sha256)
{
    if (sha256 != NULL) {
        EVP_MD_CTX_free(sha256->context);
        free(sha256);
    }
}

bool sha256_update(struct sha256 *sha256, const void *data, size_t size)
{
    return EVP_DigestUpdate(sha256->context, data, size) == 1;
}

bool sha256_finish(struct sha256 *sha256, struct digest *digest)
{
    unsigned size = 0;
    return EVP_DigestFinal_ex(sha256->context, digest->bytes, &size) == 1 &&
           size == SHA256_SIZE && EVP_DigestInit_ex(sha256->context, NULL, NULL) == 1;
}
