// SPDX-License-Identifier: MIT
//
// The arena is only ever appended to. A record's bytes are complete before its place is
// published in the table, so looking something up, which is what nearly every call comes
// down to, takes no lock.

#include "records.h"

#include "raw_call.h"
#include "spin.h"

#include <stdatomic.h>
#include <string.h>

enum {
    ARENA_SIZE = 1 << 20,
    SMALL_SIZE = 1 << 10,
    BIG_SIZE = 1 << 15,
    END_SIZE = 512, // kept free for what ends a batch
    PATH_SIZE = 4096,
    MAX_PIECES = 4
};

// Zeroed memory that costs nothing until it is used.
static unsigned char arena[ARENA_SIZE];

// A slot holds where in the arena a record is; 0: it is free. Most generators have so few
// that the first table is enough, which is one page to be mapped and not one per record.
struct table {
    atomic_uint *slots;
    unsigned size;
};

static atomic_uint small_slots[SMALL_SIZE];
static atomic_uint big_slots[BIG_SIZE];
static const struct table small_table = {small_slots, SMALL_SIZE};
static const struct table big_table = {big_slots, BIG_SIZE};
static _Atomic(const struct table *) current_table = &small_table;

// Guarded by the lock, all of it.
static struct spin lock = {.bit = SPIN_RECORDS};
static size_t used;
static size_t batch_start;
static unsigned count;
static char base[PATH_SIZE];   // of a relative path
static char target[PATH_SIZE]; // of a link

static atomic_bool lost;
static atomic_bool full;

struct record {
    enum trace_tag tag;
    uint32_t number;
    unsigned pieces; // the text is these, one behind the other
    const char *piece[MAX_PIECES];
    size_t size[MAX_PIECES];
    size_t text_size;
    const char *second;
    size_t second_size;
};

static void add_piece(struct record *record, const char *piece, size_t size)
{
    record->piece[record->pieces] = piece;
    record->size[record->pieces] = size;
    record->pieces++;
    record->text_size += size;
}

static struct record make_record(enum trace_tag tag, uint32_t number, const char *second)
{
    return (struct record){.tag = tag,
                           .number = number,
                           .second = second,
                           .second_size = second == NULL ? 0 : strlen(second)};
}

// ---- Bytes --------------------------------------------------------------------------

static unsigned char *put_integer(unsigned char *to, uint64_t value, unsigned width)
{
    for (unsigned i = 0; i < width; i++) {
        *to++ = (unsigned char)(value >> (8 * i));
    }
    return to;
}

static uint64_t get_integer(const unsigned char *from, unsigned width)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < width; i++) {
        value |= (uint64_t)from[i] << (8 * i);
    }
    return value;
}

static unsigned char *put_bytes(unsigned char *to, const void *from, size_t size)
{
    if (size > 0) {
        memcpy(to, from, size);
    }
    return to + size;
}

static size_t encoded_size(const struct record *record)
{
    return 4 + 4 + 8 + record->text_size + 1 + 8 + record->second_size + 1;
}

static unsigned char *encode(unsigned char *to, const struct record *record)
{
    to = put_integer(to, (uint32_t)record->tag, 4);
    to = put_integer(to, record->number, 4);
    to = put_integer(to, record->text_size, 8);
    for (unsigned i = 0; i < record->pieces; i++) {
        to = put_bytes(to, record->piece[i], record->size[i]);
    }
    *to++ = 0;
    to = put_integer(to, record->second_size, 8);
    to = put_bytes(to, record->second, record->second_size);
    *to++ = 0;
    return to;
}

static bool is_encoded_at(const unsigned char *at, const struct record *record)
{
    if (get_integer(at, 4) != (uint32_t)record->tag ||
        get_integer(at + 4, 4) != record->number ||
        get_integer(at + 8, 8) != record->text_size) {
        return false;
    }
    at += 16;
    for (unsigned i = 0; i < record->pieces; i++) {
        if (memcmp(at, record->piece[i], record->size[i]) != 0) {
            return false;
        }
        at += record->size[i];
    }
    return get_integer(at + 1, 8) == record->second_size &&
           (record->second_size == 0 ||
            memcmp(at + 9, record->second, record->second_size) == 0);
}

// ---- The table ----------------------------------------------------------------------

// FNV-1a, in the 64-bit form.
static uint64_t hash_bytes(uint64_t hash, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3;
    }
    return hash;
}

static uint64_t hash_record(const struct record *record)
{
    uint64_t hash = 0xcbf29ce484222325 ^ ((uint64_t)record->number << 8 | record->tag);
    for (unsigned i = 0; i < record->pieces; i++) {
        hash = hash_bytes(hash, record->piece[i], record->size[i]);
    }
    hash = hash_bytes(hash, record->second, record->second_size);
    return hash ^ hash >> 32;
}

static const struct table *get_table(void)
{
    return atomic_load_explicit(&current_table, memory_order_acquire);
}

// The slot of this record, or the free one where it belongs (`*found` tells which).
static atomic_uint *find_slot(const struct table *table, const struct record *record,
                              bool *found)
{
    uint64_t slot = hash_record(record) % table->size;
    for (;; slot = (slot + 1) % table->size) {
        const unsigned at =
            atomic_load_explicit(&table->slots[slot], memory_order_acquire);
        if (at == 0 || is_encoded_at(arena + at, record)) {
            *found = at != 0;
            return &table->slots[slot];
        }
    }
}

static bool is_known(const struct record *record)
{
    bool found = false;
    (void)find_slot(get_table(), record, &found);
    return found;
}

static void start_batch(void)
{
    batch_start = used;
    used = (size_t)(put_integer(arena + used, TRACE_VERSION, 4) - arena);
}

static struct record decode(const unsigned char *at)
{
    struct record record = make_record((enum trace_tag)get_integer(at, 4),
                                       (uint32_t)get_integer(at + 4, 4), NULL);
    const size_t size = (size_t)get_integer(at + 8, 8);
    add_piece(&record, (const char *)at + 16, size);
    at += 16 + size + 1;
    record.second_size = (size_t)get_integer(at, 8);
    record.second = (const char *)at + 8;
    return record;
}

// With the lock. Who is looking something up in the small table meanwhile finds what was
// there before, or asks again with the lock.
static void use_big_table(void)
{
    for (unsigned i = 0; i < SMALL_SIZE; i++) {
        const unsigned at = atomic_load_explicit(&small_slots[i], memory_order_relaxed);
        if (at != 0) {
            bool found = false;
            const struct record record = decode(arena + at);
            atomic_store_explicit(find_slot(&big_table, &record, &found), at,
                                  memory_order_relaxed);
        }
    }
    atomic_store_explicit(&current_table, &big_table, memory_order_release);
}

static bool is_table_full(void)
{
    if (count == SMALL_SIZE / 4 * 3 && get_table() == &small_table) {
        use_big_table();
    }
    return count >= BIG_SIZE / 4 * 3;
}

// With the lock.
static void insert(const struct record *record)
{
    bool found = false;
    const bool table_full = is_table_full();
    atomic_uint *slot = find_slot(get_table(), record, &found);
    if (found) {
        return;
    }
    if (used == 0) {
        start_batch();
    }
    if (table_full || encoded_size(record) > ARENA_SIZE - END_SIZE ||
        used > ARENA_SIZE - END_SIZE - encoded_size(record)) {
        atomic_store_explicit(&full, true, memory_order_relaxed);
        return;
    }
    const unsigned at = (unsigned)used;
    used = (size_t)(encode(arena + used, record) - arena);
    count++;
    atomic_store_explicit(slot, at, memory_order_release);
}

static void add(const struct record *record)
{
    if (is_known(record)) {
        return;
    }
    if (!spin_lock(&lock)) {
        records_lose();
        return;
    }
    insert(record);
    spin_unlock(&lock);
}

void records_add(enum trace_tag tag, uint32_t number, const char *text,
                 const char *second)
{
    struct record record = make_record(tag, number, second);
    add_piece(&record, text, strlen(text));
    add(&record);
}

void records_add_cut(enum trace_tag tag, uint32_t number, const char *text, size_t size)
{
    struct record record = make_record(tag, number, NULL);
    add_piece(&record, text, strnlen(text, size));
    add(&record);
}

void records_add_opaque(const char *reason, const char *what, const char *object)
{
    struct record record = make_record(TRACE_OPAQUE, 0, object);
    add_piece(&record, reason, strlen(reason));
    add_piece(&record, " (", 2);
    add_piece(&record, what, strlen(what));
    add_piece(&record, ")", 1);
    add(&record);
}

bool records_have(enum trace_tag tag, uint32_t number, const char *text)
{
    struct record record = make_record(tag, number, NULL);
    add_piece(&record, text, strlen(text));
    return is_known(&record);
}

void records_lose(void)
{
    atomic_store_explicit(&lost, true, memory_order_relaxed);
}

// ---- Paths --------------------------------------------------------------------------

// With the lock: the path of an open file or the current folder, into `base`. False when
// that has no path.
static bool find_base(int fd)
{
    if (fd == AT_FDCWD) {
        // Other roots' folders come as "(unreachable)/…".
        return raw_getcwd(base, sizeof base) > 0 && base[0] == '/';
    }
    static const char folder[] = "/proc/self/fd/";
    char link[sizeof folder + 12];
    char digits[12];
    size_t length = 0;
    for (unsigned rest = (unsigned)fd; length == 0 || rest > 0; rest /= 10) {
        digits[length++] = (char)('0' + rest % 10);
    }
    char *to = link + (sizeof folder - 1);
    memcpy(link, folder, sizeof folder - 1);
    while (length > 0) {
        *to++ = digits[--length];
    }
    *to = '\0';
    const long size = fd < 0 ? -1 : raw_readlinkat(AT_FDCWD, link, base, sizeof base - 1);
    if (size <= 0) {
        return false;
    }
    base[size] = '\0';
    return base[0] == '/';
}

// With the lock: the whole path as the record's text. False when it cannot be known.
static bool add_path(struct record *record, int folder, const char *path)
{
    if (path[0] != '/') {
        if (!find_base(folder)) {
            return false;
        }
        const size_t size = strlen(base);
        add_piece(record, base, size == 1 ? 0 : size);
        add_piece(record, "/", 1);
    }
    add_piece(record, path, strlen(path));
    return true;
}

static void add_with_path(struct record *record, int folder, const char *path)
{
    if (!spin_lock(&lock)) {
        records_lose();
        return;
    }
    const bool ok = add_path(record, folder, path);
    if (ok) {
        insert(record);
    }
    spin_unlock(&lock);
    if (!ok) {
        records_add_opaque("uses a folder that has no path", path, NULL);
    }
}

void records_add_path(enum trace_tag tag, uint32_t number, int folder, const char *path,
                      const char *second)
{
    struct record record = make_record(tag, number, second);
    if (path[0] == '/') {
        add_piece(&record, path, strlen(path));
        add(&record);
    } else {
        add_with_path(&record, folder, path);
    }
}

void records_add_file(const char *path)
{
    records_add_path(raw_exists(path) ? TRACE_READ : TRACE_MISSING, 0, AT_FDCWD, path,
                     NULL);
}

void records_add_link(int folder, const char *path)
{
    if (!spin_lock(&lock)) {
        records_lose();
        return;
    }
    const long size = raw_readlinkat(folder, path, target, sizeof target - 1);
    struct record record = make_record(TRACE_LINK, 0, NULL);
    if (size > 0 && add_path(&record, folder, path)) {
        target[size] = '\0';
        record.second = target;
        record.second_size = (size_t)size;
        insert(&record);
    } else {
        records_lose();
    }
    spin_unlock(&lock);
}

static bool add_base(enum trace_tag tag, uint32_t number, int fd)
{
    if (!spin_lock(&lock)) {
        records_lose();
        return true;
    }
    const bool has_path = find_base(fd);
    if (has_path) {
        struct record record = make_record(tag, number, NULL);
        add_piece(&record, base, strlen(base));
        insert(&record);
    }
    spin_unlock(&lock);
    return has_path;
}

void records_add_fd(enum trace_tag tag, uint32_t number, int fd)
{
    (void)add_base(tag, number, fd);
}

void records_add_current_folder(void)
{
    if (!add_base(TRACE_FOLDER, 0, AT_FDCWD)) {
        records_add_opaque("uses a folder that has no path", "getcwd", NULL);
    }
}

// ---- Batches ------------------------------------------------------------------------

static size_t encode_opaque(unsigned char *to, const char *text)
{
    struct record record = make_record(TRACE_OPAQUE, 0, NULL);
    add_piece(&record, text, strlen(text));
    return (size_t)(encode(to, &record) - to);
}

static size_t encode_end(unsigned char *to)
{
    const struct record record = make_record(TRACE_END, 0, NULL);
    return (size_t)(encode(to, &record) - to);
}

// A batch that only says why there is no other.
static void take_refusal(const char *reason, const void **records, size_t *size)
{
    static unsigned char refusal[END_SIZE];
    size_t at = (size_t)(put_integer(refusal, TRACE_VERSION, 4) - refusal);
    at += encode_opaque(refusal + at, reason);
    at += encode_end(refusal + at);
    *records = refusal;
    *size = at;
}

void records_take(const void **records, size_t *size)
{
    static const char lost_text[] = "records were lost";
    if (!spin_lock(&lock)) {
        take_refusal(lost_text, records, size);
        return;
    }
    if (used == 0) {
        start_batch();
    }
    if (atomic_load_explicit(&full, memory_order_relaxed)) {
        take_refusal("too much", records, size);
    } else {
        if (atomic_load_explicit(&lost, memory_order_relaxed)) {
            used += encode_opaque(arena + used, lost_text);
        }
        used += encode_end(arena + used);
        *records = arena + batch_start;
        *size = used - batch_start;
        if (used > ARENA_SIZE - END_SIZE - END_SIZE) {
            atomic_store_explicit(&full, true, memory_order_relaxed);
        } else {
            start_batch();
        }
    }
    spin_unlock(&lock);
}
