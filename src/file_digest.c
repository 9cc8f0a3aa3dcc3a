// SPDX-License-Identifier: MIT
//
// A remembered digest is a file of its own, named after a hash of the path:
//
//   8 bytes   "HCDIGEST"
//   u32       version of this format
//   sized     the path, as it was given
//   5 × u64   device, inode, size, mtime, ctime
//   32 bytes  SHA-256 of the content
//   u64       FNV-1a of all that stands before, against damage
//
// Anything else in it means: not remembered. Two paths with one hash replace each
// other's records, which costs time and nothing else.

#include "file_digest.h"

#include "buffer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct file_digest_memory {
    char *folder;
};

static const char magic[8] = {'H', 'C', 'D', 'I', 'G', 'E', 'S', 'T'};
enum { FORMAT_VERSION = 1 };
static const int64_t coarsest_tick_ns = 2000000000;

struct file_digest_memory *file_digest_memory_new(const char *folder)
{
    struct file_digest_memory *memory = mem_new(1, sizeof *memory);
    memory->folder = mem_strdup(folder);
    return memory;
}

void file_digest_memory_free(struct file_digest_memory *memory)
{
    if (memory != NULL) {
        free(memory->folder);
        free(memory);
    }
}

bool file_status_is_settled(const struct file_status *status, int64_t now_ns)
{
    return status->mtime_ns < now_ns - coarsest_tick_ns &&
           status->ctime_ns < now_ns - coarsest_tick_ns;
}

// ---- Reading ------------------------------------------------------------------------

struct reading {
    struct sha256 *sha256;
    const struct file_status *status; // of the file that is read
    uint64_t size;
    bool refused;
};

static bool add_piece(void *context, const void *data, size_t size)
{
    struct reading *reading = context;
    reading->size += size;
    // A device may have no end.
    reading->refused = reading->status->kind != FILE_REGULAR ||
                       !sha256_update(reading->sha256, data, size);
    return !reading->refused;
}

// Also tells how many bytes were read: not what the status says for the files of /proc.
static bool read_and_hash(const char *path, struct digest *digest,
                          struct file_status *status, uint64_t *size, struct error *error)
{
    struct reading reading = {.sha256 = sha256_new(), .status = status};
    if (reading.sha256 == NULL) {
        return error_set(error, "cannot compute SHA-256: libcrypto refuses");
    }
    bool ok = os_read_pieces(path, add_piece, &reading, status, error);
    if (reading.refused || (ok && !sha256_finish(reading.sha256, digest))) {
        ok = error_set(error, "cannot compute the SHA-256 of %s%s", path,
                       status->kind == FILE_REGULAR ? "" : ": not a regular file");
    }
    sha256_free(reading.sha256);
    *size = reading.size;
    if (!ok) {
        return false;
    }
    struct file_status after;
    if (!os_stat(path, &after)) {
        return error_set_errno(error, "cannot examine %s", path);
    }
    return file_status_equal(status, &after) ||
           error_set(error, "%s changed while it was read", path);
}

bool file_digest_read(const char *path, struct digest *digest, struct file_status *status,
                      struct error *error)
{
    struct file_status own = {0};
    uint64_t size = 0;
    return read_and_hash(path, digest, status == NULL ? &own : status, &size, error);
}

// ---- Remembering --------------------------------------------------------------------

static uint64_t fnv_1a(const void *data, size_t size)
{
    const unsigned char *bytes = data;
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * 0x100000001b3;
    }
    return hash;
}

static char *record_path(const struct file_digest_memory *memory, const char *path)
{
    return mem_printf("%s/%016" PRIx64, memory->folder, fnv_1a(path, strlen(path)));
}

static void append_key(struct buffer *record, const char *path,
                       const struct file_status *status)
{
    buffer_append(record, magic, sizeof magic);
    buffer_append_u32(record, FORMAT_VERSION);
    buffer_append_sized(record, path, strlen(path));
    buffer_append_u64(record, status->device);
    buffer_append_u64(record, status->inode);
    buffer_append_u64(record, status->size);
    buffer_append_u64(record, (uint64_t)status->mtime_ns);
    buffer_append_u64(record, (uint64_t)status->ctime_ns);
}

// The record must begin with the very bytes that would be written for this file now.
static bool parse_record(const struct buffer *record, const struct buffer *key,
                         struct digest *digest)
{
    const size_t hashed = key->size + SHA256_SIZE;
    if (record->size != hashed + 8 || memcmp(record->data, key->data, key->size) != 0) {
        return false;
    }
    struct reader sum = reader_make(record->data + hashed, 8);
    if (reader_u64(&sum) != fnv_1a(record->data, hashed)) {
        return false;
    }
    memcpy(digest->bytes, record->data + key->size, SHA256_SIZE);
    return true;
}

static bool recall(const struct file_digest_memory *memory, const char *path,
                   struct digest *digest)
{
    struct file_status status;
    if (!os_stat(path, &status) || status.kind != FILE_REGULAR) {
        return false;
    }
    struct buffer key = {0};
    append_key(&key, path, &status);
    char *name = record_path(memory, path);
    struct buffer record = {0};
    const bool found =
        os_read_file(name, &record, NULL, NULL) && parse_record(&record, &key, digest);
    buffer_release(&record);
    buffer_release(&key);
    free(name);
    return found;
}

static void remember(const struct file_digest_memory *memory, const char *path,
                     const struct file_status *status, const struct digest *digest)
{
    struct buffer record = {0};
    append_key(&record, path, status);
    buffer_append(&record, digest->bytes, SHA256_SIZE);
    buffer_append_u64(&record, fnv_1a(record.data, record.size));
    char *name = record_path(memory, path);
    // A record that cannot be written is only hashed again: nothing to report.
    if (!os_replace_file(name, record.data, record.size, NULL) && errno == ENOENT &&
        os_make_directories(memory->folder, NULL)) {
        (void)os_replace_file(name, record.data, record.size, NULL);
    }
    free(name);
    buffer_release(&record);
}

bool file_digest(const char *path, struct file_digest_memory *memory,
                 struct digest *digest, struct error *error)
{
    bool lasts = false;
    return file_digest_that_lasts(path, memory, digest, &lasts, error);
}

bool file_digest_that_lasts(const char *path, struct file_digest_memory *memory,
                            struct digest *digest, bool *lasts, struct error *error)
{
    *lasts = true;
    if (memory != NULL && recall(memory, path, digest)) {
        return true;
    }
    const int64_t now_ns = os_wall_clock_ns();
    struct file_status status = {0};
    uint64_t size = 0;
    if (!read_and_hash(path, digest, &status, &size, error)) {
        return false;
    }
    // Files that a kernel makes up as they are read have sizes and times that mean
    // nothing. They are empty by their status, or longer than what there is to read.
    *lasts = status.kind == FILE_REGULAR && size > 0 && size == status.size;
    if (memory != NULL && *lasts && file_status_is_settled(&status, now_ns)) {
        remember(memory, path, &status, digest);
    }
    return true;
}
