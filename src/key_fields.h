// SPDX-License-Identifier: MIT
// The key's fields that the helper knows; those that only the generator knows come from
// the probe (probe/fingerprint.cpp). docs/soundness.md has the whole table.

#ifndef HALIDECACHE_KEY_FIELDS_H
#define HALIDECACHE_KEY_FIELDS_H

#include "error.h"
#include "file_digest.h"
#include "key.h"
#include "request.h"

#include <stdbool.h>

/** What the command line asks for. */
void key_add_request(struct key *key, const struct request *request);

/** The variables that Halide, LLVM and the C library look at. */
void key_add_variables(struct key *key);

/** The variables that decide which libraries are loaded. */
void key_add_loader_variables(struct key *key);

/** The content of files that those of key_add_variables name. False when one of them
 *  cannot be read. */
bool key_add_variable_files(struct key *key, struct file_digest_memory *memory,
                            struct error *error);

/** The content of files that the autoscheduler's params name, such as weights. */
bool key_add_param_files(struct key *key, const struct request *request,
                         struct file_digest_memory *memory, struct error *error);

/** A loaded binary, by its identity. */
bool key_add_binary(struct key *key, const char *path, struct file_digest_memory *memory,
                    struct error *error);

/** A loaded plugin, by its content. */
bool key_add_plugin(struct key *key, const char *path, struct file_digest_memory *memory,
                    struct error *error);

/** A file, by its content. */
bool key_add_file(struct key *key, const char *field, const char *path,
                  struct file_digest_memory *memory, struct error *error);

#endif
