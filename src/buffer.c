// SPDX-License-Identifier: MIT

#include "buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *memory)
{
    if (memory == NULL) {
        (void)fputs("halide-cache: error: out of memory\n", stderr);
        abort();
    }
    return memory;
}

void *mem_new(size_t count, size_t size)
{
    return checked(calloc(count == 0 ? 1 : count, size));
}

char *mem_strndup(const char *string, size_t length)
{
    char *copy = checked(malloc(length + 1));
    memcpy(copy, string, length);
    copy[length] = '\0';
    return copy;
}

char *mem_strdup(const char *string)
{
    return mem_strndup(string, strlen(string));
}

char *mem_printf(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    va_list again;
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = checked(length < 0 ? NULL : malloc((size_t)length + 1));
    (void)vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

unsigned char *buffer_reserve(struct buffer *buffer, size_t more)
{
    if (buffer->capacity - buffer->size < more) {
        size_t capacity = buffer->capacity < 128 ? 256 : buffer->capacity * 2;
        if (capacity < buffer->size + more) {
            capacity = buffer->size + more;
        }
        buffer->data = checked(realloc(buffer->data, capacity));
        buffer->capacity = capacity;
    }
    return buffer->data + buffer->size;
}

void buffer_append(struct buffer *buffer, const void *data, size_t size)
{
    if (size > 0) {
        memcpy(buffer_reserve(buffer, size), data, size);
        buffer->size += size;
    }
}

void buffer_append_string(struct buffer *buffer, const char *string)
{
    buffer_append(buffer, string, strlen(string));
}

void buffer_append_u8(struct buffer *buffer, uint8_t value)
{
    buffer_append(buffer, &value, 1);
}

static void append_integer(struct buffer *buffer, uint64_t value, size_t width)
{
    unsigned char *to = buffer_reserve(buffer, width);
    for (size_t i = 0; i < width; i++) {
        to[i] = (unsigned char)(value >> (8 * i));
    }
    buffer->size += width;
}

void buffer_append_u32(struct buffer *buffer, uint32_t value)
{
    append_integer(buffer, value, 4);
}

void buffer_append_u64(struct buffer *buffer, uint64_t value)
{
    append_integer(buffer, value, 8);
}

void buffer_append_sized(struct buffer *buffer, const void *data, size_t size)
{
    buffer_append_u64(buffer, size);
    buffer_append(buffer, data, size);
}

void buffer_release(struct buffer *buffer)
{
    free(buffer->data);
    *buffer = (struct buffer){0};
}

struct reader reader_make(const void *data, size_t size)
{
    // An empty buffer has no memory, and to add even 0 to NULL is undefined.
    return (struct reader){.data = data == NULL ? (const void *)"" : data, .size = size};
}

const unsigned char *reader_bytes(struct reader *reader, size_t size)
{
    if (reader->failed || size > reader->size - reader->at) {
        reader->failed = true;
        return NULL;
    }
    const unsigned char *at = reader->data + reader->at;
    reader->at += size;
    return at;
}

static uint64_t read_integer(struct reader *reader, size_t width)
{
    const unsigned char *from = reader_bytes(reader, width);
    uint64_t value = 0;
    for (size_t i = 0; from != NULL && i < width; i++) {
        value |= (uint64_t)from[i] << (8 * i);
    }
    return value;
}

uint8_t reader_u8(struct reader *reader)
{
    return (uint8_t)read_integer(reader, 1);
}

uint32_t reader_u32(struct reader *reader)
{
    return (uint32_t)read_integer(reader, 4);
}

uint64_t reader_u64(struct reader *reader)
{
    return read_integer(reader, 8);
}

const unsigned char *reader_sized(struct reader *reader, size_t *size)
{
    const uint64_t length = reader_u64(reader);
    if (length > SIZE_MAX) {
        reader->failed = true;
    }
    *size = reader->failed ? 0 : (size_t)length;
    const unsigned char *bytes = reader_bytes(reader, *size);
    if (bytes == NULL) {
        *size = 0;
    }
    return bytes;
}

char *reader_new_string(struct reader *reader)
{
    size_t size = 0;
    const unsigned char *bytes = reader_sized(reader, &size);
    return bytes == NULL ? NULL : mem_strndup((const char *)bytes, size);
}
