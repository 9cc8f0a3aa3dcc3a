// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "stats.h"

#include "scratch.h"

#include <fcntl.h>
#include <signal.h>

static struct stats read_stats(const char *folder)
{
    struct stats stats;
    struct error error = {"?"};
    assert_true(stats_read(folder, &stats, &error));
    assert_string_equal(error.text, "");
    return stats;
}

static void check_zero(const char *folder)
{
    const struct stats stats = read_stats(folder);
    const struct stats zero = {0};
    assert_memory_equal(&stats, &zero, sizeof zero);
}

static void record_some(const char *folder)
{
    stats_record(folder, STATS_DIRECT_HIT, BYPASS_NONE, 1500000000);
    stats_record(folder, STATS_DIRECT_HIT, BYPASS_NONE, 500000000);
    stats_record(folder, STATS_PIPELINE_HIT, BYPASS_NONE, -200000000);
    stats_record(folder, STATS_MISS, BYPASS_NONE, 0);
    stats_record(folder, STATS_BYPASS, BYPASS_OWN_MAIN, 0);
    stats_record(folder, STATS_BYPASS, BYPASS_THREADS, 0);
    stats_record(folder, STATS_BYPASS, BYPASS_OWN_MAIN, 0);
    stats_record(folder, STATS_ERROR, BYPASS_NONE, 0);
}

// What record_some recorded, so many times.
static void check_some(const char *folder, uint64_t times)
{
    const struct stats stats = read_stats(folder);
    assert_int_equal(stats.direct_hits, 2 * times);
    assert_int_equal(stats.pipeline_hits, times);
    assert_int_equal(stats.misses, times);
    assert_int_equal(stats.bypasses, 3 * times);
    assert_int_equal(stats.bypasses_by_reason[BYPASS_OWN_MAIN], 2 * times);
    assert_int_equal(stats.bypasses_by_reason[BYPASS_THREADS], times);
    assert_int_equal(stats.bypasses_by_reason[BYPASS_NO_PROBE], 0);
    assert_int_equal(stats.errors, times);
    assert_true(stats.time_saved_ns == (int64_t)times * 1800000000);
}

static void fold(const char *folder)
{
    stats_fold_with(folder, 1, 0); // puts aside
    stats_fold_with(folder, 1, 0); // adds to the totals
}

static void test_no_store(void **state)
{
    char *missing = scratch_path(*state, "missing");
    check_zero(missing);
    check_zero(*state);
    stats_record(missing, STATS_MISS, BYPASS_NONE, 0); // no more than a lost count
    stats_fold(missing);
    assert_false(scratch_exists(missing));
    assert_int_equal(scratch_count(*state), 0);
    free(missing);
}

static void test_record_and_read(void **state)
{
    record_some(*state);
    check_some(*state, 1);
    check_some(*state, 1); // reading changes nothing
    record_some(*state);
    check_some(*state, 2);
}

static void test_fold(void **state)
{
    char *events = scratch_path(*state, ".events");
    char *totals = scratch_path(*state, ".totals");
    record_some(*state);
    stats_fold(*state); // not many
    assert_true(scratch_exists(events));
    assert_false(scratch_exists(totals));
    for (uint64_t times = 2; times < 6; times++) {
        stats_fold_with(*state, 1, 0);
        assert_false(scratch_exists(events));
        check_some(*state, times - 1);
        stats_fold_with(*state, 1, 0);
        assert_true(scratch_exists(totals));
        assert_int_equal(scratch_count(*state), 1);
        check_some(*state, times - 1);
        record_some(*state);
        check_some(*state, times);
    }
    free(totals);
    free(events);
}

static void test_fold_many(void **state)
{
    char *events = scratch_path(*state, ".events");
    for (int i = 0; i < 4096; i++) {
        stats_record(*state, STATS_MISS, BYPASS_NONE, 0);
    }
    stats_fold(*state);
    assert_false(scratch_exists(events));
    stats_fold(*state); // within the minute
    char *totals = scratch_path(*state, ".totals");
    assert_false(scratch_exists(totals));
    assert_int_equal(read_stats(*state).misses, 4096);
    free(totals);
    free(events);
}

// A process that opened .events before it was put aside, and writes after.
static void test_late_record(void **state)
{
    char *events = scratch_path(*state, ".events");
    char *other = scratch_path(*state, "other");
    assert_true(os_make_directories(other, NULL));
    record_some(other);
    record_some(*state);
    const int fd = open(events, O_WRONLY | O_APPEND);
    assert_true(fd >= 0);
    stats_fold_with(*state, 1, 1000000000000);
    char *other_events = scratch_path(other, ".events");
    struct buffer records = {0};
    assert_true(os_read_file(other_events, &records, NULL, NULL));
    assert_int_equal(write(fd, records.data, records.size), (ssize_t)records.size);
    (void)close(fd);
    stats_fold_with(*state, 1, 1000000000000);
    check_some(*state, 2);
    fold(*state);
    check_some(*state, 2);
    buffer_release(&records);
    free(other_events);
    free(other);
    free(events);
}

static bool note_name(void *context, const char *name)
{
    *(char **)context = mem_strdup(name);
    return false;
}

// The path of the only file in the folder, as after a first fold.
static char *only_file(const char *folder)
{
    char *name = NULL;
    assert_int_equal(scratch_count(folder), 1);
    assert_true(os_list_directory(folder, note_name, &name, NULL));
    char *path = scratch_path(folder, name);
    free(name);
    return path;
}

// Killed between writing the totals and removing what is in them.
static void test_crash_while_folding(void **state)
{
    record_some(*state);
    stats_fold_with(*state, 1, 0);
    char *retired = only_file(*state);
    struct buffer records = {0};
    assert_true(os_read_file(retired, &records, NULL, NULL));
    stats_fold_with(*state, 1, 0);
    assert_false(scratch_exists(retired));
    assert_true(os_write_file(retired, records.data, records.size, NULL));
    check_some(*state, 1); // not counted again
    record_some(*state);
    fold(*state);
    check_some(*state, 2);
    fold(*state);
    check_some(*state, 2);
    assert_int_equal(scratch_count(*state), 1);
    buffer_release(&records);
    free(retired);
}

static void append_text(const char *path, const char *text)
{
    assert_true(os_append_file(path, text, strlen(text), NULL));
}

static void test_damaged_records(void **state)
{
    char *events = scratch_path(*state, ".events");
    append_text(events, "garbage");
    record_some(*state);
    append_text(events, "HCE1"); // a write that was cut short
    record_some(*state);
    append_text(events, "HCE1 but not a record at all, though long enough");
    record_some(*state);
    append_text(events, "HCE1\x01");
    check_some(*state, 3);
    fold(*state);
    check_some(*state, 3);
    free(events);
}

static void test_large_event_file(void **state)
{
    char *events = scratch_path(*state, ".events");
    append_text(events, "odd"); // records then lie across the pieces it is read in
    struct buffer records = {0};
    stats_record(*state, STATS_MISS, BYPASS_NONE, 0);
    struct buffer one = {0};
    assert_true(os_read_file(events, &one, NULL, NULL));
    for (int i = 0; i < 50000; i++) {
        buffer_append(&records, one.data + 3, one.size - 3);
    }
    assert_true(os_append_file(events, records.data, records.size, NULL));
    assert_int_equal(read_stats(*state).misses, 50001);
    buffer_release(&one);
    buffer_release(&records);
    free(events);
}

static void test_damaged_totals(void **state)
{
    char *totals = scratch_path(*state, ".totals");
    record_some(*state);
    fold(*state);
    struct buffer bytes = {0};
    assert_true(os_read_file(totals, &bytes, NULL, NULL));
    for (size_t at = 0; at < bytes.size; at++) {
        bytes.data[at] ^= 0x10;
        assert_true(os_write_file(totals, bytes.data, bytes.size, NULL));
        check_zero(*state);
        bytes.data[at] ^= 0x10;
        assert_true(os_write_file(totals, bytes.data, at, NULL));
        check_zero(*state);
    }
    record_some(*state);
    fold(*state);
    check_some(*state, 1); // counting starts again
    buffer_release(&bytes);
    free(totals);
}

static void test_extreme_times(void **state)
{
    for (int i = 0; i < 3; i++) {
        stats_record(*state, STATS_DIRECT_HIT, BYPASS_NONE, INT64_MAX);
    }
    assert_true(read_stats(*state).time_saved_ns == INT64_MAX);
    for (int i = 0; i < 3; i++) {
        stats_record(*state, STATS_DIRECT_HIT, BYPASS_NONE, INT64_MIN);
    }
    assert_true(read_stats(*state).time_saved_ns == INT64_MIN);
}

static void test_strange_names(void **state)
{
    static const char *const names[] = {".events.", ".events.x", ".events.12x",
                                        ".events.9999999999999999999",
                                        ".events.99999999999999999999999"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *path = scratch_path(*state, names[i]);
        scratch_write(path, "x");
        free(path);
    }
    record_some(*state);
    fold(*state);
    check_some(*state, 1);
}

static void test_unreadable(void **state)
{
    char *events = scratch_path(*state, ".events");
    assert_true(os_make_directories(events, NULL)); // a folder is in the way
    struct stats stats;
    struct error error = {""};
    assert_false(stats_read(*state, &stats, &error));
    assert_non_null(strstr(error.text, events));
    free(events);
}

// Eight processes record while a ninth folds and this one reads; no count may be lost.
static void test_concurrent_recording(void **state)
{
    enum { PROCESSES = 8, EVENTS = 1000, GRACE_MS = 400 };
    pid_t children[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            for (int n = 0; n < EVENTS; n++) {
                stats_record(*state, n % 2 == 0 ? STATS_DIRECT_HIT : STATS_BYPASS,
                             n % 2 == 0 ? BYPASS_NONE : BYPASS_THREADS, n % 2 == 0);
                os_sleep_ms(1);
            }
            _exit(0);
        }
    }
    const pid_t folder = fork();
    assert_true(folder >= 0);
    if (folder == 0) {
        for (int n = 0; n < 10000; n++) {
            stats_fold_with(*state, 1, (int64_t)GRACE_MS * 1000000);
            os_sleep_ms(1);
        }
        _exit(0);
    }
    uint64_t before = 0;
    for (int n = 0; n < 100; n++) {
        const uint64_t now = read_stats(*state).direct_hits;
        assert_true(now >= before);
        before = now;
        os_sleep_ms(5);
    }
    for (int i = 0; i < PROCESSES; i++) {
        assert_int_equal(scratch_wait(children[i]), 0);
    }
    os_sleep_ms(2 * GRACE_MS); // for what is aside
    assert_int_equal(kill(folder, SIGKILL), 0);
    assert_int_equal(scratch_wait(folder), -1);
    const struct stats stats = read_stats(*state);
    assert_int_equal(stats.direct_hits, PROCESSES * EVENTS / 2);
    assert_int_equal(stats.bypasses, PROCESSES * EVENTS / 2);
    assert_int_equal(stats.bypasses_by_reason[BYPASS_THREADS], PROCESSES * EVENTS / 2);
    assert_true(stats.time_saved_ns == PROCESSES * EVENTS / 2);
    char *totals = scratch_path(*state, ".totals");
    assert_true(scratch_exists(totals)); // folding did happen
    free(totals);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(test_no_store),
        scratch_test(test_record_and_read),
        scratch_test(test_fold),
        scratch_test(test_fold_many),
        scratch_test(test_late_record),
        scratch_test(test_crash_while_folding),
        scratch_test(test_damaged_records),
        scratch_test(test_large_event_file),
        scratch_test(test_damaged_totals),
        scratch_test(test_extreme_times),
        scratch_test(test_strange_names),
        scratch_test(test_unreadable),
        scratch_test(test_concurrent_recording),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
