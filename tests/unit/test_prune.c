// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "folder.h"
#include "prune.h"

#include "scratch.h"

#include <signal.h>

enum { SIZE = 1000, HOUR_S = 3600, YEAR_S = 365 * 24 * HOUR_S };

static const int64_t second_ns = 1000000000;
static const uint64_t no_limit = UINT64_MAX;

static struct store *open_store(const char *folder)
{
    struct store *store = store_open(folder, NULL);
    assert_non_null(store);
    return store;
}

static char *entry_path(struct store *store, unsigned number)
{
    const struct digest key = scratch_key(number);
    return folder_file_path(store_folder(store), STORE_ENTRY, &key);
}

static void set_age(const char *path, int64_t age_s)
{
    assert_true(os_set_mtime(path, os_wall_clock_ns() - age_s * second_ns));
}

// Stores an entry of SIZE bytes that was last used so long ago.
static void put(struct store *store, unsigned number, int64_t age_s)
{
    static const char data[SIZE];
    const struct digest key = scratch_key(number);
    assert_true(store_write(store, STORE_ENTRY, &key, data, SIZE, NULL));
    char *path = entry_path(store, number);
    set_age(path, age_s);
    free(path);
}

// Removes the kept sums, so that they are counted again with the times we set.
static void forget_sums(struct store *store)
{
    for (unsigned i = 0; i < STORE_FOLDERS; i++) {
        char *folder = folder_path(store_folder(store), i);
        char *size = scratch_path(folder, ".size");
        assert_true(os_remove_file(size, NULL));
        free(size);
        free(folder);
    }
}

static bool is_stored(struct store *store, unsigned number)
{
    char *path = entry_path(store, number);
    const bool exists = scratch_exists(path);
    free(path);
    return exists;
}

// Of the entries 0 to `count` - 1, exactly those from `first` on must be there.
static void check_left(struct store *store, unsigned first, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(is_stored(store, i), i >= first);
    }
    struct store_usage usage;
    assert_true(store_usage(store, &usage, NULL));
    assert_int_equal(usage.files, count - first);
    assert_int_equal(usage.entries, count - first);
    assert_int_equal(usage.bytes, (count - first) * SIZE);
}

static struct settings limits(uint64_t max_size, uint64_t max_age_s)
{
    return (struct settings){.max_size = max_size, .max_age_s = max_age_s};
}

// Prunes and compares the result with what is there.
static struct prune_result prune(struct store *store, struct settings settings)
{
    struct prune_result result;
    bool busy = true;
    struct error error = {""};
    if (!prune_now(store, &settings, &result, &busy, &error)) {
        fail_msg("%s", error.text);
    }
    assert_false(busy);
    struct store_usage usage;
    assert_true(store_usage(store, &usage, NULL));
    assert_int_equal(result.left.files, usage.files);
    assert_int_equal(result.left.entries, usage.entries);
    assert_int_equal(result.left.bytes, usage.bytes);
    return result;
}

// ---- Size ---------------------------------------------------------------------------

static void test_least_recently_used_go_first(void **state)
{
    struct store *store = open_store(*state);
    for (unsigned i = 0; i < 100; i++) {
        put(store, i, (int64_t)(200 - i) * 60);
    }
    struct prune_result result = prune(store, limits(100 * SIZE, 0));
    assert_int_equal(result.removed_files, 0); // exactly at the limit
    check_left(store, 0, 100);
    result = prune(store, limits(70 * SIZE, 0));
    assert_int_equal(result.removed_files, 30);
    assert_int_equal(result.removed_bytes, 30 * SIZE);
    check_left(store, 30, 100);
    result = prune(store, limits(50 * SIZE - 1, 0)); // no room for the 50th
    assert_int_equal(result.removed_files, 21);
    check_left(store, 51, 100);
    prune(store, limits(0, 0));
    check_left(store, 100, 100);
    store_close(store);
}

// What the next prune goes by: after one that removed files, the earliest use of those
// that are left, not of those that are gone.
static void test_earliest_use_is_kept(void **state)
{
    struct store *store = open_store(*state);
    const int64_t now_ns = os_wall_clock_ns();
    for (unsigned i = 0; i < 1000; i++) {
        put(store, i, (int64_t)(1000 - i) * HOUR_S);
    }
    forget_sums(store);
    prune(store, limits(500 * SIZE, 0));
    check_left(store, 500, 1000);
    for (unsigned i = 0; i < STORE_FOLDERS; i++) {
        char *folder = folder_path(*state, i);
        struct folder_size size;
        assert_true(folder_size_get(folder, &size, NULL));
        assert_true(size.files == 0
                        ? size.earliest_ns == INT64_MAX
                        : size.earliest_ns >= now_ns - 500 * HOUR_S * second_ns);
        free(folder);
    }
    store_close(store);
}

static void test_a_read_counts_as_use(void **state)
{
    struct store *store = open_store(*state);
    for (unsigned i = 0; i < 10; i++) {
        put(store, i, (int64_t)(20 - i) * HOUR_S);
    }
    const struct digest key = scratch_key(0);
    struct buffer content = {0};
    assert_true(store_read(store, STORE_ENTRY, &key, &content, NULL));
    buffer_release(&content);
    prune(store, limits(3 * SIZE, 0));
    for (unsigned i = 0; i < 10; i++) {
        assert_int_equal(is_stored(store, i), i == 0 || i >= 8);
    }
    store_close(store);
}

static void test_manifests_count(void **state)
{
    static const char data[SIZE];
    struct store *store = open_store(*state);
    for (unsigned i = 0; i < 10; i++) {
        put(store, i, (int64_t)(20 - i) * HOUR_S);
        const struct digest key = scratch_key(i);
        char *path = folder_file_path(*state, STORE_MANIFEST, &key);
        assert_true(store_write(store, STORE_MANIFEST, &key, data, SIZE, NULL));
        set_age(path, (int64_t)(20 - i) * HOUR_S + 60);
        free(path);
    }
    const struct prune_result result = prune(store, limits(5 * SIZE, 0));
    assert_int_equal(result.removed_files, 15);
    assert_int_equal(result.left.files, 5);
    assert_int_equal(result.left.entries, 3); // 7, 8 and 9; the manifests of 8 and 9
    store_close(store);
}

// ---- Age ----------------------------------------------------------------------------

static void test_age(void **state)
{
    struct store *store = open_store(*state);
    for (unsigned i = 0; i < 50; i++) {
        put(store, i, (int64_t)(50 - i) * HOUR_S - 60);
    }
    forget_sums(store);
    prune(store, limits(no_limit, 0));
    check_left(store, 0, 50);
    prune(store, limits(no_limit, YEAR_S));
    check_left(store, 0, 50);
    prune(store, limits(no_limit, UINT64_MAX));
    check_left(store, 0, 50);
    prune(store, limits(no_limit, 20 * HOUR_S)); // whatever the size is
    check_left(store, 30, 50);
    prune(store, limits(10 * SIZE, 15 * HOUR_S)); // both: the size asks for more
    check_left(store, 40, 50);
    prune(store, limits(8 * SIZE, 5 * HOUR_S)); // the age asks for more
    check_left(store, 45, 50);
    store_close(store);
}

// ---- When ---------------------------------------------------------------------------

static void test_debounce(void **state)
{
    struct store *store = open_store(*state);
    char *stamp = scratch_path(*state, ".last_prune");
    const struct settings settings = limits(5 * SIZE, 0);
    for (unsigned i = 0; i < 10; i++) {
        put(store, i, (int64_t)(20 - i) * HOUR_S);
    }
    prune_if_due(store, &settings); // the first time
    check_left(store, 5, 10);
    put(store, 10, 0);
    static const struct {
        int64_t age_s;
        bool due;
    } cases[] = {{0, false},
                 {55, false},
                 {-55, false},
                 {65, true},
                 {YEAR_S, true},
                 {-HOUR_S, true},
                 {-10 * (int64_t)YEAR_S, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        put(store, 5, 100 * HOUR_S); // too much again
        set_age(stamp, cases[i].age_s);
        prune_if_due(store, &settings);
        assert_int_equal(is_stored(store, 5), !cases[i].due);
        struct file_status status;
        assert_true(os_stat(stamp, &status));
        const int64_t age_ns = os_wall_clock_ns() - status.mtime_ns;
        assert_true(!cases[i].due || llabs(age_ns) < 30 * second_ns);
    }
    put(store, 5, 100 * HOUR_S);
    prune(store, settings); // asked for: at once
    assert_false(is_stored(store, 5));
    free(stamp);
    store_close(store);
}

static void test_another_process_prunes(void **state)
{
    struct store *store = open_store(*state);
    char *lock = scratch_path(*state, ".lock");
    for (unsigned i = 0; i < 10; i++) {
        put(store, i, HOUR_S);
    }
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int handle = -1;
        if (os_lock_try(lock, &handle) == LOCK_TAKEN && write(ready[1], "x", 1) == 1) {
            (void)pause();
        }
        _exit(1);
    }
    char answer = 0;
    assert_int_equal(read(ready[0], &answer, 1), 1);
    const struct settings settings = limits(SIZE, 0);
    struct prune_result result;
    bool busy = false;
    assert_true(prune_now(store, &settings, &result, &busy, NULL));
    assert_true(busy);
    assert_int_equal(result.removed_files, 0);
    prune_if_due(store, &settings);
    check_left(store, 0, 10);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(scratch_wait(child), -1);
    assert_int_equal(prune(store, settings).removed_files, 9);
    (void)close(ready[0]);
    (void)close(ready[1]);
    free(lock);
    store_close(store);
}

// ---- What went wrong ----------------------------------------------------------------

static void test_damaged_sizes(void **state)
{
    struct store *store = open_store(*state);
    for (unsigned i = 0; i < 100; i++) {
        put(store, i, (int64_t)(200 - i) * 60);
    }
    for (unsigned i = 0; i < STORE_FOLDERS; i++) {
        char *folder = folder_path(*state, i);
        char *size = scratch_path(folder, ".size");
        if (scratch_exists(size)) {
            scratch_write(size, i % 2 == 0 ? "" : "garbage");
        }
        free(size);
        free(folder);
    }
    assert_int_equal(prune(store, limits(60 * SIZE, 0)).removed_files, 40);
    check_left(store, 40, 100);
    store_close(store);
}

// Files that came and went without us: the sums are valid and wrong.
static void test_wrong_sums_heal(void **state)
{
    static const char data[SIZE];
    struct store *store = open_store(*state);
    for (unsigned i = 0; i < 10; i++) {
        put(store, i, HOUR_S);
    }
    char *gone = entry_path(store, 0);
    assert_true(os_remove_file(gone, NULL));
    const struct digest key = scratch_key(1); // beside one that is counted
    char *come = folder_file_path(*state, STORE_MANIFEST, &key);
    scratch_write(come, "12345");
    const struct prune_result result = prune(store, limits(no_limit, 0));
    assert_int_equal(result.removed_files, 0);
    assert_int_equal(result.left.files, 10);
    assert_int_equal(result.left.entries, 9);
    assert_int_equal(result.left.bytes, 9 * SIZE + 5);
    assert_true(os_write_file(gone, data, SIZE, NULL));
    free(come);
    free(gone);
    store_close(store);
}

static void test_future_times(void **state)
{
    struct store *store = open_store(*state);
    put(store, 0, -10 * (int64_t)YEAR_S); // stored when a clock was wrong
    put(store, 1, 5);
    put(store, 2, -2);
    prune(store, limits(no_limit, HOUR_S));
    check_left(store, 0, 3);
    char *path = entry_path(store, 0);
    struct file_status status;
    assert_true(os_stat(path, &status));
    assert_true(status.mtime_ns <= os_wall_clock_ns()); // it grows old from now on
    set_age(path, 2 * HOUR_S);
    prune(store, limits(no_limit, HOUR_S));
    check_left(store, 1, 3);
    free(path);
    store_close(store);
}

static void test_future_times_do_not_win(void **state)
{
    struct store *store = open_store(*state);
    put(store, 0, -10 * (int64_t)YEAR_S);
    prune(store, limits(no_limit, 0));
    os_sleep_ms(20); // longer than a tick of the clock for files
    static const char data[SIZE];
    for (unsigned i = 1; i < 5; i++) {
        const struct digest key = scratch_key(i);
        assert_true(store_write(store, STORE_ENTRY, &key, data, SIZE, NULL));
    }
    prune(store, limits(4 * SIZE, 0));
    check_left(store, 1, 5);
    store_close(store);
}

static char *put_file(const char *folder, const char *name, int64_t age_s)
{
    char *path = scratch_path(folder, name);
    scratch_write(path, "x");
    set_age(path, age_s);
    return path;
}

static void check_swept(struct store *store, const char *folder)
{
    char *stale = put_file(folder, "abc.entry.halide-cache-tmp.abcdef", 2 * HOUR_S);
    char *fresh = put_file(folder, "abc.entry.halide-cache-tmp.abcdeg", HOUR_S / 2);
    char *future = put_file(folder, "abc.entry.halide-cache-tmp.abcdeh", -YEAR_S);
    char *stale_lock = put_file(folder, "abc.lock", 2 * HOUR_S);
    char *fresh_lock = put_file(folder, "abd.lock", HOUR_S / 2);
    char *held_lock = put_file(folder, "abe.lock", 2 * HOUR_S);
    char *strange = put_file(folder, "notes.txt", YEAR_S);
    int handle = -1;
    assert_int_equal(os_lock_try(held_lock, &handle), LOCK_TAKEN);
    prune(store, limits(no_limit, 0));
    assert_false(scratch_exists(stale));
    assert_true(scratch_exists(fresh));
    assert_true(scratch_exists(future));
    assert_false(scratch_exists(stale_lock));
    assert_true(scratch_exists(fresh_lock));
    assert_true(scratch_exists(held_lock));
    assert_true(scratch_exists(strange));
    struct file_status status;
    assert_true(os_stat(future, &status) && status.mtime_ns <= os_wall_clock_ns());
    os_lock_release(handle, held_lock, true);
    free(strange);
    free(held_lock);
    free(fresh_lock);
    free(stale_lock);
    free(future);
    free(fresh);
    free(stale);
}

static void test_sweep(void **state)
{
    struct store *store = open_store(*state);
    put(store, 0, HOUR_S);
    const struct digest key = scratch_key(0);
    char *folder = folder_path(*state, key.bytes[0]);
    check_swept(store, folder);
    check_swept(store, *state);
    check_left(store, 0, 1);
    free(folder);
    store_close(store);
}

static void test_sweep_of_side_folders(void **state)
{
    enum { DAY_S = 24 * HOUR_S };
    struct store *store = open_store(*state);
    char *flights = scratch_path(*state, ".flights");
    char *digests = scratch_path(*state, ".digests");
    char *probes = scratch_path(*state, ".probes");
    assert_true(os_make_directories(flights, NULL));
    assert_true(os_make_directories(digests, NULL));
    assert_true(os_make_directories(probes, NULL));
    const struct {
        char *path;
        bool stays;
    } files[] = {
        {put_file(flights, "abc", 2 * HOUR_S), false},
        {put_file(flights, "abd", HOUR_S / 2), true},
        {put_file(flights, "abe", 2 * HOUR_S), true}, // held
        {put_file(digests, "abc", 20 * DAY_S), true},
        {put_file(digests, "abd", 40 * DAY_S), false},
        {put_file(digests, "abd.halide-cache-tmp.abcdef", 2 * HOUR_S), false},
        {put_file(probes, "abc.so", YEAR_S), true},
    };
    const size_t count = sizeof files / sizeof files[0];
    int handle = -1;
    assert_int_equal(os_lock_try(files[2].path, &handle), LOCK_TAKEN);
    prune(store, limits(no_limit, 0));
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(scratch_exists(files[i].path), files[i].stays);
    }
    os_lock_release(handle, NULL, false);
    for (size_t i = 0; i < count; i++) {
        free(files[i].path);
    }
    free(probes);
    free(digests);
    free(flights);
    store_close(store);
}

static void test_vanished_store(void **state)
{
    char *folder = scratch_path(*state, "cache");
    struct store *store = open_store(folder);
    put(store, 0, HOUR_S);
    assert_true(os_remove_tree(folder, NULL));
    const struct settings settings = limits(0, 0);
    prune_if_due(store, &settings);
    struct prune_result result;
    bool busy = true;
    struct error error = {""};
    assert_false(prune_now(store, &settings, &result, &busy, &error));
    assert_false(busy);
    assert_non_null(strstr(error.text, folder));
    assert_false(scratch_exists(folder));
    store_close(store);
    free(folder);
}

static unsigned folder_of(unsigned number)
{
    return scratch_key(number).bytes[0];
}

static bool prunes_the_rest(const char *path)
{
    struct store *store = store_open(path, NULL);
    const struct settings settings = limits(0, 0);
    struct prune_result result;
    bool busy = true;
    struct error error = {""};
    const bool ok = store != NULL &&
                    prune_now(store, &settings, &result, &busy, &error) && !busy &&
                    result.removed_files == 9 && result.left.files == 1;
    store_close(store);
    return ok;
}

// One folder cannot be changed: that is no failure, and the others are pruned.
static void test_failing_removal(void **state)
{
    struct store *store = open_store(*state);
    for (unsigned i = 0; i < 10; i++) {
        put(store, i, (int64_t)(20 - i) * HOUR_S);
        assert_true(i == 0 || folder_of(i) != folder_of(0));
    }
    for (unsigned i = 10; i-- > 0;) {
        char *folder = folder_path(*state, folder_of(i));
        assert_int_equal(chmod(folder, i == 0 ? 0555 : 0777), 0);
        free(folder);
    }
    assert_int_equal(chmod(*state, 0777), 0);
    assert_true(scratch_run_without_privileges(prunes_the_rest, *state));
    char *folder = folder_path(*state, folder_of(0));
    assert_int_equal(chmod(folder, 0755), 0);
    free(folder);
    assert_true(is_stored(store, 0));
    store_close(store);
}

// ---- Many files ---------------------------------------------------------------------

enum { MANY = 6000 };

static void put_stale_file(struct store *store, unsigned folder_number)
{
    char *folder = folder_path(store_folder(store), folder_number);
    free(put_file(folder, "x.halide-cache-tmp.abcdef", 2 * HOUR_S));
    free(folder);
}

static unsigned count_stale_files(struct store *store)
{
    unsigned count = 0;
    for (unsigned i = 0; i < STORE_FOLDERS; i++) {
        char *folder = folder_path(store_folder(store), i);
        char *path = scratch_path(folder, "x.halide-cache-tmp.abcdef");
        count += scratch_exists(path);
        free(path);
        free(folder);
    }
    return count;
}

// Entry i was used for the last time i hours and a half after the first. Put into place
// without the store, which takes less time; it counts them when it needs to.
static void put_many(struct store *store)
{
    static const char data[SIZE];
    for (unsigned i = 0; i < STORE_FOLDERS; i++) {
        char *folder = folder_path(store_folder(store), i);
        assert_true(os_make_directories(folder, NULL));
        free(folder);
        put_stale_file(store, i);
    }
    for (unsigned i = 0; i < MANY; i++) {
        char *path = entry_path(store, i);
        assert_true(os_write_file(path, data, SIZE, NULL));
        set_age(path, (int64_t)(MANY - i) * HOUR_S - HOUR_S / 2);
        free(path);
    }
}

// Removes a tenth. By exact order these were 0 to 599.
static void check_sampled(struct store *store)
{
    const struct settings settings = limits((MANY - 600) * SIZE, 0);
    prune_if_due(store, &settings);
    struct store_usage usage;
    assert_true(store_usage(store, &usage, NULL));
    assert_int_equal(usage.files, MANY - 600);
    assert_int_equal(usage.bytes, (MANY - 600) * SIZE);
    unsigned youngest = 0;
    unsigned removed_of_oldest = 0;
    for (unsigned i = 0; i < MANY; i++) {
        if (!is_stored(store, i)) {
            youngest = i;
            removed_of_oldest += i < 600;
        }
    }
    assert_true(youngest < MANY / 4);
    assert_true(removed_of_oldest > 400);
    // It looked for no more than it needed: at 4096 files, of 23 or so in each folder.
    assert_in_range(count_stale_files(store), 40, 120);
}

static void test_many_files(void **state)
{
    struct store *store = open_store(*state);
    char *stamp = scratch_path(*state, ".last_prune");
    put_many(store);
    struct settings settings = limits(no_limit, 0);
    prune_if_due(store, &settings); // within the limits: a look at a few folders
    assert_in_range(count_stale_files(store), STORE_FOLDERS - 4, STORE_FOLDERS - 1);
    assert_true(os_remove_file(stamp, NULL));
    check_sampled(store);
    assert_true(os_remove_file(stamp, NULL));
    settings = limits(no_limit, (MANY - 3000) * HOUR_S);
    prune_if_due(store, &settings); // by age: exact
    check_left(store, 3000, MANY);
    const struct prune_result result = prune(store, limits(10 * SIZE, 0));
    assert_int_equal(result.removed_files, MANY - 3000 - 10);
    check_left(store, MANY - 10, MANY);
    free(stamp);
    store_close(store);
}

// ---- Under running builds -----------------------------------------------------------

static bool write_and_read(const char *folder, unsigned worker)
{
    static const char data[SIZE];
    struct store *store = store_open(folder, NULL);
    bool ok = store != NULL;
    for (unsigned i = 0; ok && i < 300; i++) {
        struct digest key = {{0}};
        key.bytes[0] = (unsigned char)(i % 4); // few folders, so that they collide
        key.bytes[1] = (unsigned char)(i + worker * 100);
        struct buffer content = {0};
        ok = store_write(store, STORE_ENTRY, &key, data, 1 + i, NULL) &&
             (!store_read(store, STORE_ENTRY, &key, &content, NULL) || content.size > 0);
        buffer_release(&content);
    }
    store_close(store);
    return ok;
}

static void test_prune_under_writers(void **state)
{
    enum { WORKERS = 4 };
    struct store *store = open_store(*state);
    pid_t workers[WORKERS];
    for (unsigned i = 0; i < WORKERS; i++) {
        workers[i] = fork();
        assert_true(workers[i] >= 0);
        if (workers[i] == 0) {
            _exit(write_and_read(*state, i) ? 0 : 1);
        }
    }
    const struct settings settings = limits(2000, 0);
    struct prune_result result;
    bool busy = false;
    for (int i = 0; i < 50; i++) {
        assert_true(prune_now(store, &settings, &result, &busy, NULL));
        os_sleep_ms(1);
    }
    for (size_t i = 0; i < WORKERS; i++) {
        assert_int_equal(scratch_wait(workers[i]), 0);
    }
    struct store_usage kept;
    struct store_usage counted;
    assert_true(store_usage(store, &kept, NULL));
    forget_sums(store);
    assert_true(store_usage(store, &counted, NULL));
    assert_int_equal(kept.files, counted.files);
    assert_int_equal(kept.bytes, counted.bytes);
    prune(store, settings);
    assert_true(store_usage(store, &kept, NULL));
    assert_true(kept.bytes <= 2000);
    store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(test_least_recently_used_go_first),
        scratch_test(test_earliest_use_is_kept),
        scratch_test(test_a_read_counts_as_use),
        scratch_test(test_manifests_count),
        scratch_test(test_age),
        scratch_test(test_debounce),
        scratch_test(test_another_process_prunes),
        scratch_test(test_damaged_sizes),
        scratch_test(test_wrong_sums_heal),
        scratch_test(test_future_times),
        scratch_test(test_future_times_do_not_win),
        scratch_test(test_sweep),
        scratch_test(test_sweep_of_side_folders),
        scratch_test(test_vanished_store),
        scratch_test(test_failing_removal),
        scratch_test(test_many_files),
        scratch_test(test_prune_under_writers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
