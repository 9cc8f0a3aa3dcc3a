// SPDX-License-Identifier: MIT

#include "key.h"

#include <stdlib.h>
#include <string.h>

struct key {
    struct sha256 *sha256;
    struct buffer fields;     // what the key is the digest of
    struct buffer components; // the same for people; NUL-terminated
    struct buffer files;
    bool failed;
};

struct key *key_new(const char *mode)
{
    struct key *key = mem_new(1, sizeof *key);
    key->sha256 = sha256_new();
    key->failed = key->sha256 == NULL;
    buffer_append_sized(&key->fields, KEY_SCHEMA, strlen(KEY_SCHEMA));
    buffer_append_sized(&key->fields, mode, strlen(mode));
    buffer_append_u8(&key->components, '\0');
    return key;
}

void key_free(struct key *key)
{
    if (key != NULL) {
        sha256_free(key->sha256);
        buffer_release(&key->fields);
        buffer_release(&key->components);
        buffer_release(&key->files);
        free(key);
    }
}

void key_add_digest(struct key *key, const char *name, const struct digest *of_value)
{
    buffer_append_sized(&key->fields, name, strlen(name));
    buffer_append(&key->fields, of_value->bytes, sizeof of_value->bytes);
    char hex[SHA256_HEX_SIZE];
    digest_to_hex(of_value, hex);
    key->components.size--;
    buffer_append_string(&key->components, name);
    buffer_append_u8(&key->components, ' ');
    buffer_append_string(&key->components, hex);
    buffer_append(&key->components, "\n", 2);
}

void key_add(struct key *key, const char *name, const void *value, size_t size)
{
    struct digest digest;
    key->failed = key->failed || !sha256_update(key->sha256, value, size) ||
                  !sha256_finish(key->sha256, &digest);
    if (!key->failed) {
        key_add_digest(key, name, &digest);
    }
}

void key_add_string(struct key *key, const char *name, const char *value)
{
    key_add(key, name, value, strlen(value));
}

void key_note_file(struct key *key, bool identity_only, const char *path)
{
    buffer_append_u8(&key->files, identity_only);
    buffer_append_sized(&key->files, path, strlen(path));
}

const struct buffer *key_files(const struct key *key)
{
    return &key->files;
}

bool key_finish(struct key *key, struct digest *digest)
{
    return !key->failed &&
           sha256_update(key->sha256, key->fields.data, key->fields.size) &&
           sha256_finish(key->sha256, digest);
}

const char *key_components(const struct key *key)
{
    return (const char *)key->components.data;
}
