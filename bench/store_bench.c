// SPDX-License-Identifier: MIT
//
// What the store costs as it grows: fills stores of several sizes, then times, in turns,
// a hit (open, read, verify) and a store of one more entry (open, write) in each; and
// a prune that has to remove 1 % of the largest. Prints JSON.
//
//   store_bench FOLDER RUNS PRUNES COUNT...

#define _GNU_SOURCE

#include "entry.h"
#include "os.h"
#include "prune.h"
#include "sha256.h"
#include "store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { OBJECT_SIZE = 1400, HEADER_SIZE = 400, MAX_SIZES = 8 };

struct samples {
    double *cpu_us;
    double *wall_us;
    size_t count;
};

struct size {
    char *folder;
    uint32_t entries;
    struct samples hit;
    struct samples put;
};

static void fail(const char *what, const struct error *error)
{
    (void)fprintf(stderr, "store_bench: %s: %s\n", what, error->text);
    exit(1);
}

// ---- Time ---------------------------------------------------------------------------

struct moment {
    struct timespec cpu;
    struct timespec wall;
};

static struct moment now(void)
{
    struct moment moment;
    (void)clock_gettime(CLOCK_MONOTONIC, &moment.wall);
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &moment.cpu);
    return moment;
}

static double microseconds(struct timespec from, struct timespec to)
{
    return (double)(to.tv_sec - from.tv_sec) * 1e6 +
           (double)(to.tv_nsec - from.tv_nsec) / 1e3;
}

static void add_sample(struct samples *samples, struct moment from)
{
    const struct moment to = now();
    samples->cpu_us[samples->count] = microseconds(from.cpu, to.cpu);
    samples->wall_us[samples->count++] = microseconds(from.wall, to.wall);
}

static struct samples new_samples(size_t capacity)
{
    return (struct samples){.cpu_us = mem_new(capacity, sizeof(double)),
                            .wall_us = mem_new(capacity, sizeof(double))};
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_values(const char *name, double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    printf("\"%s\": {\"median\": %.2f, \"q1\": %.2f, \"q3\": %.2f, \"min\": %.2f}", name,
           values[count / 2], values[count / 4], values[count * 3 / 4], values[0]);
}

static void print_samples(const char *name, const struct samples *samples)
{
    printf("\"%s\": {\"runs\": %zu, ", name, samples->count);
    print_values("cpu_us", samples->cpu_us, samples->count);
    printf(", ");
    print_values("wall_us", samples->wall_us, samples->count);
    printf("}");
}

// ---- Entries ------------------------------------------------------------------------

static struct digest key_of(uint32_t number)
{
    struct digest key;
    if (!sha256_of(&number, sizeof number, &key)) {
        fail("no SHA-256", &(struct error){{0}});
    }
    return key;
}

// A small entry as the cache stores it; every one has other bytes.
static void encode_entry(const struct digest *key, struct buffer *bytes)
{
    static unsigned char object[OBJECT_SIZE];
    static unsigned char header[HEADER_SIZE];
    memcpy(object, key->bytes, sizeof key->bytes);
    struct entry_output outputs[] = {{"object", object, sizeof object},
                                     {"c_header", header, sizeof header}};
    const struct entry entry = {.compile_ns = 1,
                                .components = "name 0\n",
                                .outputs = outputs,
                                .output_count = 2,
                                .out = header,
                                .err = header};
    struct error error = {{0}};
    bytes->size = 0;
    if (!entry_encode(&entry, key, bytes, &error)) {
        fail("cannot encode", &error);
    }
}

static struct store *open_store(const char *folder)
{
    struct error error = {{0}};
    struct store *store = store_open(folder, &error);
    if (store == NULL) {
        fail(folder, &error);
    }
    return store;
}

static void put(struct store *store, const struct digest *key, struct buffer *bytes)
{
    struct error error = {{0}};
    if (!store_write(store, STORE_ENTRY, key, bytes->data, bytes->size, &error)) {
        fail("cannot store", &error);
    }
}

static void fill(const char *folder, uint32_t first, uint32_t end)
{
    struct store *store = open_store(folder);
    struct buffer bytes = {0};
    for (uint32_t i = first; i < end; i++) {
        const struct digest key = key_of(i);
        encode_entry(&key, &bytes);
        put(store, &key, &bytes);
    }
    buffer_release(&bytes);
    store_close(store);
}

// ---- Measuring ----------------------------------------------------------------------

static void measure_hit(struct size *size, uint32_t run)
{
    const struct digest key = key_of((run * 2654435761u) % size->entries);
    struct buffer bytes = {0};
    struct entry entry;
    struct error error = {{0}};
    const struct moment from = now();
    struct store *store = open_store(size->folder);
    if (!store_read(store, STORE_ENTRY, &key, &bytes, &error) ||
        !entry_decode(&entry, &key, bytes.data, bytes.size, &error)) {
        fail("not a hit", &error);
    }
    entry_release(&entry);
    store_close(store);
    add_sample(&size->hit, from);
    buffer_release(&bytes);
}

// The new entry goes into a folder that exists in the smallest store too, and is removed
// again, so that the sizes stay.
static void measure_put(struct size *size, uint32_t run)
{
    struct digest key = key_of(UINT32_MAX - run);
    key.bytes[0] = key_of((run * 2654435761u) % size->entries).bytes[0];
    struct buffer bytes = {0};
    encode_entry(&key, &bytes);
    const struct moment from = now();
    struct store *store = open_store(size->folder);
    put(store, &key, &bytes);
    store_close(store);
    add_sample(&size->put, from);
    store = open_store(size->folder);
    struct error error = {{0}};
    if (!store_remove(store, STORE_ENTRY, &key, &error)) {
        fail("cannot remove", &error);
    }
    store_close(store);
    buffer_release(&bytes);
}

static void measure_prunes(const struct size *size, uint32_t prunes)
{
    struct samples samples = new_samples(prunes);
    uint64_t removed = 0;
    uint32_t next = size->entries;
    for (uint32_t i = 0; i < prunes; i++) {
        struct error error = {{0}};
        struct store *store = open_store(size->folder);
        struct store_usage usage;
        if (!store_usage(store, &usage, &error)) {
            fail("usage", &error);
        }
        const struct settings settings = {.max_size = usage.bytes - usage.bytes / 100};
        struct prune_result result;
        bool busy = false;
        const struct moment from = now();
        if (!prune_now(store, &settings, &result, &busy, &error) || busy) {
            fail("cannot prune", &error);
        }
        add_sample(&samples, from);
        store_close(store);
        removed = result.removed_files;
        fill(size->folder, next, next + (uint32_t)removed);
        next += (uint32_t)removed;
    }
    printf("  \"prune\": {\"entries\": %u, \"removed\": %llu, ", size->entries,
           (unsigned long long)removed);
    print_samples("time", &samples);
    printf("}\n");
}

int main(int argc, char **argv)
{
    if (argc < 5 || argc - 4 > MAX_SIZES) {
        (void)fprintf(stderr, "usage: store_bench FOLDER RUNS PRUNES COUNT...\n");
        return 2;
    }
    const uint32_t runs = (uint32_t)strtoul(argv[2], NULL, 10);
    const uint32_t prunes = (uint32_t)strtoul(argv[3], NULL, 10);
    struct size sizes[MAX_SIZES];
    const size_t count = (size_t)(argc - 4);
    for (size_t i = 0; i < count; i++) {
        sizes[i] = (struct size){.folder = mem_printf("%s/%s", argv[1], argv[i + 4]),
                                 .entries = (uint32_t)strtoul(argv[i + 4], NULL, 10),
                                 .hit = new_samples(runs),
                                 .put = new_samples(runs)};
        fill(sizes[i].folder, 0, sizes[i].entries);
    }
    for (uint32_t run = 0; run < runs; run++) {
        for (size_t i = 0; i < count; i++) {
            measure_hit(&sizes[(i + run) % count], run);
        }
        for (size_t i = 0; i < count; i++) {
            measure_put(&sizes[(i + run) % count], run);
        }
    }
    printf("{\n  \"sizes\": [\n");
    for (size_t i = 0; i < count; i++) {
        printf("    {\"entries\": %u, ", sizes[i].entries);
        print_samples("hit", &sizes[i].hit);
        printf(", ");
        print_samples("store", &sizes[i].put);
        printf("}%s\n", i + 1 < count ? "," : "");
    }
    printf("  ],\n");
    measure_prunes(&sizes[count - 1], prunes);
    printf("}\n");
    return fflush(stdout) == 0 ? 0 : 1;
}
