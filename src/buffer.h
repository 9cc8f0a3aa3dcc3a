// SPDX-License-Identifier: MIT
// Growing byte strings, and a bounds-checked reader for bytes that came from outside.
// Integers are little-endian and of fixed width, whatever the machine, because both
// the key and the files of the store are made of these.

#ifndef HALIDECACHE_BUFFER_H
#define HALIDECACHE_BUFFER_H

#include "error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Allocates zeroed memory for `count` objects of `size` bytes; the caller frees it with
 *  free(). Never returns NULL: out of memory ends the process with a message. */
void *mem_new(size_t count, size_t size);

/** Copies a string, or the first `length` bytes of one; the caller frees it. */
char *mem_strdup(const char *string);
char *mem_strndup(const char *string, size_t length);

/** Prints into a new string; the caller frees it. */
char *mem_printf(const char *format, ...) PRINTF_LIKE(1, 2);

/** Start with `{0}`. `data` is owned by the buffer and moves when it grows. */
struct buffer {
    unsigned char *data;
    size_t size;
    size_t capacity;
};

/** Makes room for `more` bytes behind `size`; returns where they start. */
unsigned char *buffer_reserve(struct buffer *buffer, size_t more);

void buffer_append(struct buffer *buffer, const void *data, size_t size);
void buffer_append_string(struct buffer *buffer, const char *string); // without its NUL
void buffer_append_u8(struct buffer *buffer, uint8_t value);
void buffer_append_u32(struct buffer *buffer, uint32_t value);
void buffer_append_u64(struct buffer *buffer, uint64_t value);

/** Appends a u64 length and then the bytes, so that no two sequences of byte strings
 *  run together to the same bytes. */
void buffer_append_sized(struct buffer *buffer, const void *data, size_t size);

/** Frees the memory and leaves an empty buffer; accepts an empty one. */
void buffer_release(struct buffer *buffer);

/** Reads from memory that the reader does not own. The first read beyond the end sets
 *  `failed`; from then on every read returns zeros or NULL, so that a caller can read a
 *  whole structure and look at `failed` once. */
struct reader {
    const unsigned char *data;
    size_t size;
    size_t at;
    bool failed;
};

struct reader reader_make(const void *data, size_t size);
uint8_t reader_u8(struct reader *reader);
uint32_t reader_u32(struct reader *reader);
uint64_t reader_u64(struct reader *reader);

/** The next `size` bytes, inside the reader's memory; NULL (and `failed`) if there are
 *  fewer. */
const unsigned char *reader_bytes(struct reader *reader, size_t size);

/** What buffer_append_sized wrote: its length into `*size`, its start returned. */
const unsigned char *reader_sized(struct reader *reader, size_t *size);

/** The same as a new string (cut at an embedded NUL); the caller frees it. NULL when
 *  the reader failed. */
char *reader_new_string(struct reader *reader);

#endif
