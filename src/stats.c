// SPDX-License-Identifier: MIT
// Three kinds of files in the store's folder. Integers are little-endian.
//
// .events: records of 16 bytes, appended by whoever has something to count:
//    4  magic "HCE1"
//    1  event
//    1  reason, for a bypass
//    2  check sum of the other 14 bytes
//    8  nanoseconds saved (signed)
// Bytes that are no record, as after a write that was cut short, are skipped.
//
// .events.<id>: a former .events that waits to be folded. <id> is the time in decimal
// nanoseconds at which it was renamed, or more, so that ids always grow. A process that
// had opened it as .events may still append a record, so it waits for a minute before
// it is added to the totals and removed.
//
// .totals: what was folded so far, replaced as a whole:
//    8  magic "HLCTOTL1"
//    8  id of the last file that is in these totals
//    8  nanoseconds saved (signed)
//    4  number of event counts, then for each: 1 event, 8 count
//    4  number of reason counts, then for each: 1 reason, 8 count
//   32  SHA-256 of all that
// Events and reasons that this program does not know are kept. Damaged totals count as
// none.
//
// Folding holds .events.lock. When it is interrupted between the totals and the removal
// of the file in them, the id tells that the file is done.

#include "stats.h"

#include "lock.h"
#include "os.h"
#include "sha256.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    RECORD_SIZE = 16,
    COUNTERS = 256, // events and reasons are one byte
    FOLD_BYTES = 4096 * RECORD_SIZE,
    GRACE_S = 60,
    LOCK_TIMEOUT_MS = 1000,
    MAX_RETIRED = 64, // one, unless something went wrong
};

static const unsigned char record_magic[4] = {'H', 'C', 'E', '1'};
static const unsigned char totals_magic[8] = {'H', 'L', 'C', 'T', 'O', 'T', 'L', '1'};

struct totals {
    uint64_t folded_id;
    int64_t saved_ns;
    uint64_t events[COUNTERS];
    uint64_t reasons[COUNTERS];
};

static int64_t add_saturated(int64_t a, int64_t b)
{
    if (b > 0 && a > INT64_MAX - b) {
        return INT64_MAX;
    }
    if (b < 0 && a < INT64_MIN - b) {
        return INT64_MIN;
    }
    return a + b;
}

// ---- Records ------------------------------------------------------------------------

static uint16_t record_check_sum(const unsigned char record[RECORD_SIZE])
{
    uint32_t sum = 1;
    for (uint32_t i = 0; i < RECORD_SIZE; i++) {
        if (i != 6 && i != 7) {
            sum = (sum * 31 + record[i]) % 65521;
        }
    }
    return (uint16_t)sum;
}

static void record_make(unsigned char record[RECORD_SIZE], enum stats_event event,
                        enum bypass_reason reason, int64_t saved_ns)
{
    memcpy(record, record_magic, sizeof record_magic);
    record[4] = (unsigned char)event;
    record[5] = (unsigned char)reason;
    for (int i = 0; i < 8; i++) {
        record[8 + i] = (unsigned char)((uint64_t)saved_ns >> (8 * i));
    }
    const uint16_t sum = record_check_sum(record);
    record[6] = (unsigned char)(sum & 255);
    record[7] = (unsigned char)(sum >> 8);
}

static bool record_count(struct totals *totals, const unsigned char record[RECORD_SIZE])
{
    const uint16_t sum = record_check_sum(record);
    if (memcmp(record, record_magic, sizeof record_magic) != 0 ||
        record[6] != (sum & 255) || record[7] != sum >> 8) {
        return false;
    }
    struct reader reader = reader_make(record + 8, 8);
    totals->saved_ns = add_saturated(totals->saved_ns, (int64_t)reader_u64(&reader));
    totals->events[record[4]]++;
    if (record[4] == STATS_BYPASS) {
        totals->reasons[record[5]]++;
    }
    return true;
}

struct record_reader {
    struct totals *totals;
    struct buffer rest; // bytes that are not a whole record yet
};

static bool count_records(void *context, const void *data, size_t size)
{
    struct record_reader *reader = context;
    struct buffer *rest = &reader->rest;
    buffer_append(rest, data, size);
    size_t at = 0;
    while (rest->size - at >= RECORD_SIZE) {
        at += record_count(reader->totals, rest->data + at) ? RECORD_SIZE : 1;
    }
    memmove(rest->data, rest->data + at, rest->size - at);
    rest->size -= at;
    return true;
}

// Adds the records of a file, which may be missing. On failure nothing is added.
static bool add_events(struct totals *totals, const char *path, struct error *error)
{
    struct totals sum = *totals;
    struct record_reader reader = {.totals = &sum};
    const bool ok = os_read_pieces(path, count_records, &reader, NULL, error);
    const bool missing = !ok && errno == ENOENT;
    buffer_release(&reader.rest);
    if (ok) {
        *totals = sum;
    }
    return ok || missing;
}

void stats_record(const char *folder, enum stats_event event, enum bypass_reason reason,
                  int64_t saved_ns)
{
    unsigned char record[RECORD_SIZE];
    record_make(record, event, reason, saved_ns);
    char *path = mem_printf("%s/.events", folder);
    (void)os_append_file(path, record, sizeof record, NULL);
    free(path);
}

// ---- Totals -------------------------------------------------------------------------

static void append_counters(struct buffer *bytes, const uint64_t counters[COUNTERS])
{
    uint32_t count = 0;
    for (size_t i = 0; i < COUNTERS; i++) {
        count += counters[i] != 0;
    }
    buffer_append_u32(bytes, count);
    for (size_t i = 0; i < COUNTERS; i++) {
        if (counters[i] != 0) {
            buffer_append_u8(bytes, (uint8_t)i);
            buffer_append_u64(bytes, counters[i]);
        }
    }
}

static void read_counters(struct reader *reader, uint64_t counters[COUNTERS])
{
    const uint32_t count = reader_u32(reader);
    for (uint32_t i = 0; i < count && !reader->failed; i++) {
        const uint8_t which = reader_u8(reader);
        counters[which] = reader_u64(reader);
    }
}

static bool totals_parse(struct totals *totals, const struct buffer *bytes)
{
    struct digest digest;
    if (bytes->size < sizeof totals_magic + SHA256_SIZE ||
        memcmp(bytes->data, totals_magic, sizeof totals_magic) != 0 ||
        !sha256_of(bytes->data, bytes->size - SHA256_SIZE, &digest) ||
        memcmp(bytes->data + bytes->size - SHA256_SIZE, digest.bytes, SHA256_SIZE) != 0) {
        return false;
    }
    struct reader reader = reader_make(bytes->data, bytes->size - SHA256_SIZE);
    (void)reader_bytes(&reader, sizeof totals_magic);
    totals->folded_id = reader_u64(&reader);
    totals->saved_ns = (int64_t)reader_u64(&reader);
    read_counters(&reader, totals->events);
    read_counters(&reader, totals->reasons);
    return !reader.failed && reader.at == reader.size;
}

// Missing or damaged totals are zero; false when they are there and cannot be read.
static bool totals_load(struct totals *totals, const char *folder, struct error *error)
{
    *totals = (struct totals){0};
    struct buffer bytes = {0};
    char *path = mem_printf("%s/.totals", folder);
    const bool ok = os_read_file(path, &bytes, NULL, error) || errno == ENOENT;
    free(path);
    if (!totals_parse(totals, &bytes)) {
        *totals = (struct totals){0};
    }
    buffer_release(&bytes);
    return ok;
}

static bool totals_store(const struct totals *totals, const char *folder)
{
    struct buffer bytes = {0};
    buffer_append(&bytes, totals_magic, sizeof totals_magic);
    buffer_append_u64(&bytes, totals->folded_id);
    buffer_append_u64(&bytes, (uint64_t)totals->saved_ns);
    append_counters(&bytes, totals->events);
    append_counters(&bytes, totals->reasons);
    struct digest digest;
    bool ok = sha256_of(bytes.data, bytes.size, &digest);
    if (ok) {
        buffer_append(&bytes, digest.bytes, SHA256_SIZE);
        char *path = mem_printf("%s/.totals", folder);
        ok = os_replace_file(path, bytes.data, bytes.size, NULL);
        free(path);
    }
    buffer_release(&bytes);
    return ok;
}

// ---- Retired event files ------------------------------------------------------------

struct retired {
    uint64_t ids[MAX_RETIRED];
    size_t count;
};

static bool note_retired(void *context, const char *name)
{
    static const char prefix[] = ".events.";
    struct retired *retired = context;
    if (strncmp(name, prefix, sizeof prefix - 1) != 0) {
        return true;
    }
    const char *digits = name + sizeof prefix - 1;
    const size_t length = strlen(digits);
    if (length == 0 || length > 19 || strspn(digits, "0123456789") != length) {
        return true;
    }
    const uint64_t id = strtoull(digits, NULL, 10);
    if (id <= INT64_MAX) {
        retired->ids[retired->count] = id;
        retired->count++;
    }
    return retired->count < MAX_RETIRED;
}

static int by_id(const void *left, const void *right)
{
    const uint64_t *a = left;
    const uint64_t *b = right;
    return *a < *b ? -1 : *a > *b;
}

// In order, so that the last id that was folded tells of all of them.
static bool list_retired(struct retired *retired, const char *folder, struct error *error)
{
    retired->count = 0;
    const bool ok = os_list_directory(folder, note_retired, retired, error);
    qsort(retired->ids, retired->count, sizeof retired->ids[0], by_id);
    return ok;
}

static char *retired_path(const char *folder, uint64_t id)
{
    return mem_printf("%s/.events.%llu", folder, (unsigned long long)id);
}

// Folds one file; false when it is not to be folded yet, or cannot be.
static bool fold_one(struct totals *totals, const char *folder, uint64_t id,
                     int64_t now_ns, int64_t grace_ns)
{
    char *path = retired_path(folder, id);
    const int64_t age_ns = now_ns - (int64_t)id; // negative when a clock was put back
    bool done = id <= totals->folded_id;
    if (!done && (age_ns < 0 || age_ns >= grace_ns)) {
        struct totals sum = *totals;
        sum.folded_id = id;
        done = add_events(&sum, path, NULL) && totals_store(&sum, folder);
        if (done) {
            *totals = sum;
        }
    }
    done = done && os_remove_file(path, NULL);
    free(path);
    return done;
}

static void retire_events(const struct totals *totals, const char *folder,
                          uint64_t min_bytes, int64_t now_ns)
{
    struct file_status status;
    char *events = mem_printf("%s/.events", folder);
    if (os_stat(events, &status) && status.size >= min_bytes) {
        const uint64_t now = (uint64_t)now_ns;
        char *path =
            retired_path(folder, now > totals->folded_id ? now : totals->folded_id + 1);
        (void)os_rename(events, path, NULL);
        free(path);
    }
    free(events);
}

// ---- Reading and folding ------------------------------------------------------------

void stats_fold_with(const char *folder, uint64_t min_bytes, int64_t grace_ns)
{
    int handle = -1;
    char *lock = mem_printf("%s/.events.lock", folder);
    struct totals totals;
    struct retired retired;
    if (os_lock_try(lock, &handle) == LOCK_TAKEN) {
        const int64_t now_ns = os_wall_clock_ns();
        bool done =
            totals_load(&totals, folder, NULL) && list_retired(&retired, folder, NULL);
        for (size_t i = 0; done && i < retired.count; i++) {
            done = fold_one(&totals, folder, retired.ids[i], now_ns, grace_ns);
        }
        if (done) {
            retire_events(&totals, folder, min_bytes, now_ns);
        }
        os_lock_release(handle, lock, true);
    }
    free(lock);
}

void stats_fold(const char *folder)
{
    stats_fold_with(folder, FOLD_BYTES, (int64_t)GRACE_S * 1000000000);
}

static bool read_all(struct totals *totals, const char *folder, struct error *error)
{
    struct retired retired;
    if (!totals_load(totals, folder, error) || !list_retired(&retired, folder, error)) {
        return false;
    }
    bool ok = true;
    for (size_t i = 0; ok && i < retired.count; i++) {
        if (retired.ids[i] > totals->folded_id) {
            char *path = retired_path(folder, retired.ids[i]);
            ok = add_events(totals, path, error);
            free(path);
        }
    }
    if (ok) {
        char *path = mem_printf("%s/.events", folder);
        ok = add_events(totals, path, error);
        free(path);
    }
    return ok;
}

bool stats_read(const char *folder, struct stats *stats, struct error *error)
{
    *stats = (struct stats){0};
    // So that nobody folds meanwhile. A folder that cannot be written cannot be folded.
    int handle = -1;
    char *lock = mem_printf("%s/.events.lock", folder);
    const bool locked = lock_wait(lock, LOCK_TIMEOUT_MS, &handle) == LOCK_TAKEN;
    struct totals totals;
    const bool ok = read_all(&totals, folder, error);
    if (locked) {
        os_lock_release(handle, lock, true);
    }
    free(lock);
    if (!ok) {
        return false;
    }
    if (error != NULL) {
        error->text[0] = '\0'; // of files that are not there
    }
    stats->direct_hits = totals.events[STATS_DIRECT_HIT];
    stats->pipeline_hits = totals.events[STATS_PIPELINE_HIT];
    stats->misses = totals.events[STATS_MISS];
    stats->bypasses = totals.events[STATS_BYPASS];
    stats->errors = totals.events[STATS_ERROR];
    stats->time_saved_ns = totals.saved_ns;
    memcpy(stats->bypasses_by_reason, totals.reasons, sizeof stats->bypasses_by_reason);
    return true;
}
