// SPDX-License-Identifier: MIT
// The first 72 bytes of the file .size, integers little-endian:
//
//   8  magic "HLCSIZE1"
//   8  number of stored files
//   8  of these, entries
//   8  their sizes together, in bytes
//   8  no file was last used before this time (nanoseconds since 1970)
//  32  SHA-256 of all that
//
// Anything else is no valid .size. It is made invalid by its first byte.

#include "folder.h"

#include "lock.h"

#include <stdlib.h>
#include <string.h>

enum {
    KEY_NAME_SIZE = 2 * (SHA256_SIZE - 1), // hexadecimal digits of a file's name
    SUMS_SIZE = 8 + 4 * 8,
    FILE_SIZE = SUMS_SIZE + SHA256_SIZE,
    LOCK_TIMEOUT_MS = 2000,
};

static const char size_magic[8] = {'H', 'L', 'C', 'S', 'I', 'Z', 'E', '1'};

static const char *const kind_suffixes[STORE_KINDS] = {
    [STORE_ENTRY] = ".entry",
    [STORE_MANIFEST] = ".manifest",
};

// ---- Names --------------------------------------------------------------------------

char *folder_path(const char *store, unsigned number)
{
    return mem_printf("%s/%02x", store, number);
}

// Digits as we write them, so that nothing else in a folder is taken for ours.
static int hex_value(char digit)
{
    if (digit >= '0' && digit <= '9') {
        return digit - '0';
    }
    return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

bool folder_parse_number(const char *name, unsigned *number)
{
    const int high = hex_value(name[0]);
    const int low = high < 0 ? -1 : hex_value(name[1]);
    if (low < 0 || name[2] != '\0') {
        return false;
    }
    *number = (unsigned)(high * 16 + low);
    return true;
}

char *folder_file_path(const char *store, enum store_kind kind, const struct digest *key)
{
    char hex[SHA256_HEX_SIZE];
    digest_to_hex(key, hex);
    const size_t length = strlen(store);
    const size_t suffix_size = strlen(kind_suffixes[kind]) + 1;
    char *path = mem_new(1, length + 4 + KEY_NAME_SIZE + suffix_size);
    memcpy(path, store, length);
    char *to = path + length;
    *to++ = '/';
    *to++ = hex[0];
    *to++ = hex[1];
    *to++ = '/';
    memcpy(to, hex + 2, KEY_NAME_SIZE);
    memcpy(to + KEY_NAME_SIZE, kind_suffixes[kind], suffix_size);
    return path;
}

bool folder_parse_file_name(const char *name, enum store_kind *kind)
{
    for (size_t i = 0; i < KEY_NAME_SIZE; i++) {
        if (hex_value(name[i]) < 0) {
            return false;
        }
    }
    for (int i = 0; i < STORE_KINDS; i++) {
        if (strcmp(name + KEY_NAME_SIZE, kind_suffixes[i]) == 0) {
            *kind = (enum store_kind)i;
            return true;
        }
    }
    return false;
}

// ---- Sums ---------------------------------------------------------------------------

static struct folder_size no_files(void)
{
    return (struct folder_size){.earliest_ns = INT64_MAX};
}

static void size_add(struct folder_size *size, enum store_kind kind, uint64_t bytes,
                     int64_t used_ns)
{
    size->files++;
    size->entries += kind == STORE_ENTRY;
    size->bytes += bytes;
    if (used_ns < size->earliest_ns) {
        size->earliest_ns = used_ns;
    }
}

static bool size_parse(const void *bytes, size_t length, struct folder_size *size)
{
    struct reader reader = reader_make(bytes, length);
    const unsigned char *magic = reader_bytes(&reader, sizeof size_magic);
    size->files = reader_u64(&reader);
    size->entries = reader_u64(&reader);
    size->bytes = reader_u64(&reader);
    size->earliest_ns = (int64_t)reader_u64(&reader);
    const unsigned char *stored = reader_bytes(&reader, SHA256_SIZE);
    struct digest digest;
    const bool ok = !reader.failed && memcmp(magic, size_magic, sizeof size_magic) == 0 &&
                    sha256_of(bytes, SUMS_SIZE, &digest) &&
                    memcmp(stored, digest.bytes, SHA256_SIZE) == 0;
    if (!ok) {
        *size = no_files();
    }
    return ok;
}

static bool size_format(const struct folder_size *size, struct buffer *bytes)
{
    buffer_append(bytes, size_magic, sizeof size_magic);
    buffer_append_u64(bytes, size->files);
    buffer_append_u64(bytes, size->entries);
    buffer_append_u64(bytes, size->bytes);
    buffer_append_u64(bytes, (uint64_t)size->earliest_ns);
    struct digest digest;
    if (!sha256_of(bytes->data, bytes->size, &digest)) {
        return false;
    }
    buffer_append(bytes, digest.bytes, SHA256_SIZE);
    return true;
}

static char *size_path(const char *folder)
{
    return mem_printf("%s/.size", folder);
}

// Without the lock: during a change, it is not valid.
static bool size_read(const char *folder, struct folder_size *size)
{
    struct buffer bytes = {0};
    char *path = size_path(folder);
    const bool ok = os_read_file(path, &bytes, NULL, NULL) &&
                    size_parse(bytes.data, bytes.size, size);
    free(path);
    buffer_release(&bytes);
    return ok;
}

bool folder_size_get(const char *path, struct folder_size *size, struct error *error)
{
    if (size_read(path, size)) {
        return true;
    }
    struct folder_change change;
    folder_change_begin(&change, path); // waits for a change that goes on meanwhile
    const bool ok = change.known || folder_scan(&change, NULL, NULL, error);
    *size = change.size;
    folder_change_end(&change);
    return ok;
}

// ---- Changes ------------------------------------------------------------------------

// Without the lock we can do no more than drop the sums.
static void size_drop(const char *folder)
{
    char *path = size_path(folder);
    (void)os_remove_file(path, NULL);
    free(path);
}

void folder_change_begin(struct folder_change *change, const char *path)
{
    *change = (struct folder_change){.path = path, .size = no_files()};
    char *size = size_path(path);
    change->locked = lock_wait(size, LOCK_TIMEOUT_MS, &change->lock) == LOCK_TAKEN;
    free(size);
    if (!change->locked) {
        size_drop(path);
        return;
    }
    unsigned char bytes[FILE_SIZE];
    const size_t got = os_lock_read(change->lock, bytes, sizeof bytes);
    change->known = size_parse(bytes, got, &change->size);
    // What cannot be made invalid cannot be trusted after a crash either.
    if (change->known && !os_lock_write(change->lock, "\0", 1)) {
        change->known = false;
        size_drop(path);
    }
}

void folder_change_add(struct folder_change *change, enum store_kind kind, uint64_t size,
                       int64_t used_ns)
{
    size_add(&change->size, kind, size, used_ns);
}

void folder_change_subtract(struct folder_change *change, enum store_kind kind,
                            uint64_t size)
{
    struct folder_size *sums = &change->size;
    const uint64_t entries = kind == STORE_ENTRY ? 1 : 0;
    if (sums->files < 1 || sums->entries < entries || sums->bytes < size) {
        change->known = false; // files came or went without us
        return;
    }
    sums->files--;
    sums->entries -= entries;
    sums->bytes -= size;
    if (sums->files == 0) {
        sums->earliest_ns = INT64_MAX;
    }
}

void folder_change_end(struct folder_change *change)
{
    if (!change->locked) {
        size_drop(change->path); // another process may have written it meanwhile
        return;
    }
    if (change->known) {
        struct buffer bytes = {0};
        if (size_format(&change->size, &bytes)) {
            // A write that fails leaves it invalid, whatever part of it was written.
            (void)os_lock_write(change->lock, bytes.data, bytes.size);
        }
        buffer_release(&bytes);
    }
    os_lock_release(change->lock, NULL, false);
}

// ---- Scan ---------------------------------------------------------------------------

struct scan {
    const char *folder;
    int64_t now_ns;
    struct folder_size size;
    void (*visit)(void *context, const struct folder_file *file);
    void *context;
};

static bool scan_file(void *context, const char *name)
{
    struct scan *scan = context;
    char *path = mem_printf("%s/%s", scan->folder, name);
    struct folder_file file = {.name = name, .path = path};
    if (os_stat(path, &file.status) && file.status.kind == FILE_REGULAR) {
        file.stored = folder_parse_file_name(name, &file.kind);
        if (file.stored) {
            const int64_t used_ns = file.status.mtime_ns;
            size_add(&scan->size, file.kind, file.status.size,
                     used_ns < scan->now_ns ? used_ns : scan->now_ns);
        }
        if (scan->visit != NULL) {
            scan->visit(scan->context, &file);
        }
    }
    free(path);
    return true;
}

bool folder_scan(struct folder_change *change,
                 void (*visit)(void *context, const struct folder_file *file),
                 void *context, struct error *error)
{
    struct scan scan = {.folder = change->path,
                        .now_ns = os_wall_clock_ns(),
                        .size = no_files(),
                        .visit = visit,
                        .context = context};
    if (!os_list_directory(change->path, scan_file, &scan, error)) {
        return false;
    }
    change->size = scan.size;
    change->known = change->locked;
    return true;
}
