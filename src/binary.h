// SPDX-License-Identifier: MIT
// A binary file of which only parts are read. Nothing in it is trusted: every access
// names its place and size, and yields NULL where the file does not have it.

#ifndef HALIDECACHE_BINARY_H
#define HALIDECACHE_BINARY_H

#include "buffer.h"
#include "error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct binary;

/** Opens a regular file; NULL on failure. Free with binary_close, which accepts NULL. */
struct binary *binary_open(const char *path, struct error *error);
void binary_close(struct binary *binary);

/** The size of the file when it was opened. */
uint64_t binary_size(const struct binary *binary);

/** `size` bytes (at least one) at `offset`, valid until the next call; NULL when the file
 *  ends before, or cannot be read. Neighbouring accesses share one read. */
const unsigned char *binary_at(struct binary *binary, uint64_t offset, size_t size);

/** Calls `visit` with every entry of a table of `size` bytes, until it returns false.
 * False when the table is not all in the file, or cannot be read. `visit` must not use
 * the file. */
bool binary_visit(struct binary *binary, uint64_t offset, uint64_t size,
                  size_t entry_size,
                  bool (*visit)(void *context, const unsigned char *entry),
                  void *context);

/** Appends a range of the file and a NUL, as for the names of symbols. */
bool binary_read_strings(struct binary *binary, uint64_t offset, uint64_t size,
                         struct buffer *strings);

/** Stores a message and returns true when binary_at failed to read what is there. */
bool binary_failed(const struct binary *binary, struct error *error);

/** Does the range lie within the first `limit` bytes of something? */
bool range_is_within(uint64_t offset, uint64_t size, uint64_t limit);

/** An integer of `width` bytes, at most eight. */
uint64_t integer_at(const unsigned char *at, size_t width, bool big_endian);

/** A little-endian one of four. */
uint32_t little_u32_at(const unsigned char *at);

#endif
