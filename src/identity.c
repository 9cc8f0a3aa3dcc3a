// SPDX-License-Identifier: MIT

#include "identity.h"

#include "identity_formats.h"

#include <string.h>

bool mark_is_unique(const unsigned char *mark, size_t size)
{
    // The shortest hash in use is the 8 bytes of lld's --build-id=fast.
    return size >= 8 && memcmp(mark, mark + 1, size - 1) != 0;
}

void append_hex(struct buffer *buffer, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
        buffer_append_u8(buffer, (uint8_t)digits[bytes[i] >> 4]);
        buffer_append_u8(buffer, (uint8_t)digits[bytes[i] & 15]);
    }
}

void append_uuid(struct buffer *buffer, const unsigned char *uuid)
{
    static const size_t parts[] = {4, 2, 2, 2, 6};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (i > 0) {
            buffer_append_string(buffer, "-");
        }
        append_hex(buffer, uuid, parts[i]);
        uuid += parts[i];
    }
}

static char *identity_by_mark(struct binary *binary)
{
    static char *(*const formats[])(struct binary *) = {
        identity_of_elf,
        identity_of_macho,
        identity_of_pe,
    };
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        char *identity = formats[i](binary);
        if (identity != NULL) {
            return identity;
        }
    }
    return NULL;
}

char *identity_of_file(const char *path, struct file_digest_memory *memory,
                       struct error *error)
{
    struct binary *binary = binary_open(path, error);
    if (binary == NULL) {
        return NULL;
    }
    char *identity = identity_by_mark(binary);
    binary_close(binary);
    if (identity != NULL) {
        return identity;
    }
    struct digest digest;
    if (!file_digest(path, memory, &digest, error)) {
        return NULL;
    }
    char hex[SHA256_HEX_SIZE];
    digest_to_hex(&digest, hex);
    return mem_printf("sha256:%s", hex);
}
