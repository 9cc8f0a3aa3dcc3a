// SPDX-License-Identifier: MIT
//
// The format (glibc, sysdeps/generic/dl-cache.h): "glibc-ld.so.cache1.1", u32 number of
// entries, 24 bytes that are not needed here; then the entries, of 24 bytes each: u32
// flags, u32 where the name is, u32 where the path is, 12 more bytes. Integers are the
// machine's; places count from the magic, and strings end with a NUL. The entries are
// sorted, the greatest name first. Up to glibc 2.31 an older table stands in front of it:
// "ld.so-1.7.0", one byte of padding, u32 number of entries, 12 bytes for each; the new
// one starts at the next multiple of 8.

#include "library_cache.h"

#include "raw_call.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { HEADER_SIZE = 48, ENTRY_SIZE = 24, OLD_HEADER_SIZE = 16, OLD_ENTRY_SIZE = 12 };

static uint32_t u32_at(const unsigned char *at)
{
    uint32_t value = 0;
    memcpy(&value, at, sizeof value);
    return value;
}

static bool starts_with(const unsigned char *at, size_t size, const char *magic)
{
    const size_t length = strlen(magic);
    return size >= length && memcmp(at, magic, length) == 0;
}

static void find_table(struct library_cache *cache)
{
    size_t start = 0;
    if (starts_with(cache->file, cache->file_size, "ld.so-1.7.0") &&
        cache->file_size >= OLD_HEADER_SIZE) {
        start = OLD_HEADER_SIZE + (size_t)u32_at(cache->file + 12) * OLD_ENTRY_SIZE;
        start = (start + 7) / 8 * 8;
    }
    const unsigned char *table = cache->file + start;
    if (start > cache->file_size || cache->file_size - start < HEADER_SIZE ||
        !starts_with(table, HEADER_SIZE, "glibc-ld.so.cache1.1")) {
        return;
    }
    cache->size = cache->file_size - start;
    cache->count = u32_at(table + 20);
    if (cache->count <= (cache->size - HEADER_SIZE) / ENTRY_SIZE) {
        cache->table = table;
    }
}

struct library_cache library_cache_open(void)
{
    struct library_cache cache = {0};
    struct stat status;
    const long fd = raw_call(SYS_openat, AT_FDCWD, (long)LIBRARY_CACHE_PATH,
                             O_RDONLY | O_CLOEXEC, 0, 0, 0);
    if (fd < 0) {
        return cache;
    }
    if (raw_call(SYS_fstat, fd, (long)&status, 0, 0, 0, 0) == 0 && status.st_size > 0) {
        const long at =
            raw_call(SYS_mmap, 0, status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (at > 0 || at < -4095) {
            cache.file = (const unsigned char *)at;
            cache.file_size = (size_t)status.st_size;
            find_table(&cache);
        }
    }
    (void)raw_call(SYS_close, fd, 0, 0, 0, 0, 0);
    return cache;
}

void library_cache_close(struct library_cache *cache)
{
    if (cache->file != NULL) {
        (void)raw_call(SYS_munmap, (long)cache->file, (long)cache->file_size, 0, 0, 0, 0);
    }
    *cache = (struct library_cache){0};
}

static const char *string_at(const struct library_cache *cache, size_t entry,
                             size_t field)
{
    const size_t at = u32_at(cache->table + HEADER_SIZE + entry * ENTRY_SIZE + field);
    return at < cache->size && memchr(cache->table + at, '\0', cache->size - at) != NULL
               ? (const char *)(cache->table + at)
               : "";
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static unsigned read_number(const char **at)
{
    unsigned number = 0;
    for (; is_digit(**at); (*at)++) {
        number = number * 10 + (unsigned)(**at - '0');
    }
    return number;
}

// The order of names: numbers in them by their value, and after everything else.
static int compare(const char *a, const char *b)
{
    while (*a != '\0') {
        if (is_digit(*a) != is_digit(*b)) {
            return is_digit(*a) ? 1 : -1;
        }
        if (is_digit(*a)) {
            const unsigned number_a = read_number(&a);
            const unsigned number_b = read_number(&b);
            if (number_a != number_b) {
                return number_a < number_b ? -1 : 1;
            }
        } else if (*a != *b) {
            break;
        } else {
            a++;
            b++;
        }
    }
    return (unsigned char)*a - (unsigned char)*b;
}

bool library_cache_has(const struct library_cache *cache, const char *name,
                       const char *path)
{
    enum { NAME = 4, PATH = 8 };
    if (cache->table == NULL) {
        return false;
    }
    size_t low = 0;
    size_t high = cache->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare(string_at(cache, middle, NAME), name) > 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < cache->count && strcmp(string_at(cache, low, NAME), name) == 0; low++) {
        if (path == NULL || strcmp(string_at(cache, low, PATH), path) == 0) {
            return true;
        }
    }
    return false;
}
