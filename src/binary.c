// SPDX-License-Identifier: MIT

#include "binary.h"

#include "os.h"

#include <errno.h>
#include <stdlib.h>

// Headers and notes of a usual file, and all of a small one, are within one window.
enum { WINDOW_SIZE = 16 * 1024 };
enum { PIECE_SIZE = 64 * 1024 }; // of a table that is read from its start to its end

struct binary {
    char *path;
    int handle;
    int read_errno; // of a read that failed; 0: none did
    uint64_t size;
    uint64_t window_offset;
    struct buffer window; // the bytes of the file at window_offset
};

struct binary *binary_open(const char *path, struct error *error)
{
    struct file_status status;
    const int handle = os_open_reading(path, &status, error);
    if (handle < 0) {
        return NULL;
    }
    if (status.kind != FILE_REGULAR) {
        os_close_reading(handle);
        error_set(error, "%s is not a file", path);
        return NULL;
    }
    struct binary *binary = mem_new(1, sizeof *binary);
    binary->path = mem_strdup(path);
    binary->handle = handle;
    binary->size = status.size;
    return binary;
}

void binary_close(struct binary *binary)
{
    if (binary != NULL) {
        os_close_reading(binary->handle);
        buffer_release(&binary->window);
        free(binary->path);
        free(binary);
    }
}

uint64_t binary_size(const struct binary *binary)
{
    return binary->size;
}

bool range_is_within(uint64_t offset, uint64_t size, uint64_t limit)
{
    return offset <= limit && size <= limit - offset;
}

static bool move_window(struct binary *binary, uint64_t offset, size_t size)
{
    const uint64_t start = offset - offset % WINDOW_SIZE;
    const uint64_t rest = binary->size - start;
    uint64_t wanted = offset - start + size;
    wanted += (WINDOW_SIZE - wanted % WINDOW_SIZE) % WINDOW_SIZE;
    if (wanted > rest) {
        wanted = rest;
    }
    if (wanted > SIZE_MAX) {
        return false;
    }
    binary->window.size = 0;
    binary->window_offset = start;
    unsigned char *to = buffer_reserve(&binary->window, (size_t)wanted);
    if (!os_read_at(binary->handle, start, to, (size_t)wanted)) {
        binary->read_errno = errno; // 0 when the file became shorter
        return false;
    }
    binary->window.size = (size_t)wanted;
    return true;
}

const unsigned char *binary_at(struct binary *binary, uint64_t offset, size_t size)
{
    if (size == 0 || !range_is_within(offset, size, binary->size)) {
        return NULL;
    }
    if (offset < binary->window_offset ||
        !range_is_within(offset - binary->window_offset, size, binary->window.size)) {
        if (!move_window(binary, offset, size)) {
            return NULL;
        }
    }
    return binary->window.data + (offset - binary->window_offset);
}

bool binary_visit(struct binary *binary, uint64_t offset, uint64_t size,
                  size_t entry_size,
                  bool (*visit)(void *context, const unsigned char *entry), void *context)
{
    if (!range_is_within(offset, size, binary->size)) {
        return false;
    }
    const uint64_t end = offset + size - size % entry_size;
    while (offset < end) {
        size_t piece = PIECE_SIZE - PIECE_SIZE % entry_size;
        if (end - offset < piece) {
            piece = (size_t)(end - offset);
        }
        const unsigned char *entries = binary_at(binary, offset, piece);
        if (entries == NULL) {
            return false;
        }
        for (size_t at = 0; at < piece; at += entry_size) {
            if (!visit(context, entries + at)) {
                return true;
            }
        }
        offset += piece;
    }
    return true;
}

bool binary_read_strings(struct binary *binary, uint64_t offset, uint64_t size,
                         struct buffer *strings)
{
    if (size > SIZE_MAX) {
        return false;
    }
    const unsigned char *data = binary_at(binary, offset, (size_t)size);
    if (data == NULL) {
        return false;
    }
    buffer_append(strings, data, (size_t)size);
    buffer_append_u8(strings, 0);
    return true;
}

bool binary_failed(const struct binary *binary, struct error *error)
{
    if (binary->read_errno == 0) {
        return false;
    }
    errno = binary->read_errno;
    error_set_errno(error, "cannot read %s", binary->path);
    return true;
}

uint64_t integer_at(const unsigned char *at, size_t width, bool big_endian)
{
    uint64_t value = 0;
    for (size_t i = 0; i < width; i++) {
        value = value << 8 | at[big_endian ? i : width - 1 - i];
    }
    return value;
}

uint32_t little_u32_at(const unsigned char *at)
{
    return (uint32_t)integer_at(at, 4, false);
}
