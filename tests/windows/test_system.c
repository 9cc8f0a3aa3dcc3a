// SPDX-License-Identifier: MIT
// What os_*_windows.c does, and the store on top of it. The unit tests in tests/unit need
// cmocka, fork and permissions; this program needs Windows, or Wine, and a folder:
//
//   test_system FOLDER              runs all tests in it; status 0, or 1 and what failed
//   test_system FOLDER fill N       stores N entries of 1000 bytes
//   test_system FOLDER count N      counts N bypasses
//   test_system FOLDER lock NAME    tries a lock there: the status is what came of it

#include "os.h"
#include "prune.h"
#include "stats.h"
#include "store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void check_at(int line, bool ok, const char *what)
{
    if (!ok) {
        (void)fprintf(stderr, "line %d: %s (errno %d)\n", line, what, errno);
        failures++;
    }
}

#define CHECK(condition) check_at(__LINE__, (condition), #condition)

static const char *self; // this program's file

static char *in(const char *folder, const char *name)
{
    return mem_printf("%s/%s", folder, name);
}

static bool holds(const char *path, const char *text)
{
    struct buffer content = {0};
    struct file_status status;
    const bool ok = os_read_file(path, &content, &status, NULL) &&
                    content.size == strlen(text) && status.size == content.size &&
                    memcmp(content.data, text, content.size) == 0;
    buffer_release(&content);
    return ok;
}

static bool write_text(const char *path, const char *text)
{
    return os_write_file(path, text, strlen(text), NULL);
}

static bool count_name(void *context, const char *name)
{
    (void)name;
    ++*(int *)context;
    return true;
}

static int names_in(const char *folder)
{
    int count = 0;
    return os_list_directory(folder, count_name, &count, NULL) ? count : -1;
}

// Runs this program once more, with one of its commands.
static bool run_again(const char *folder, const char *command, const char *argument)
{
    char *const argv[] = {(char *)self, (char *)folder, (char *)command, (char *)argument,
                          NULL};
    struct buffer out = {0};
    const bool ok = os_run(argv, NULL, &out, NULL);
    buffer_release(&out);
    return ok;
}

// ---- Files --------------------------------------------------------------------------

static void test_files(const char *folder)
{
    char *path = in(folder, "f\xc3\xbcr \xf0\x9f\x99\x82.txt");
    char *other = in(folder, "other");
    struct file_status status;
    errno = 0;
    CHECK(!os_stat(path, &status) && errno == ENOENT);
    CHECK(write_text(path, "some\ntext") && holds(path, "some\ntext"));
    CHECK(write_text(path, "") && holds(path, ""));
    CHECK(os_append_file(path, "ab", 2, NULL) && os_append_file(path, "cd", 2, NULL));
    CHECK(holds(path, "abcd"));
    CHECK(os_stat(path, &status) && status.kind == FILE_REGULAR && status.size == 4);
    CHECK(os_stat(folder, &status) && status.kind == FILE_DIRECTORY);
    CHECK(os_access(path) > 0 && os_access(other) == -1);
    const int64_t age_ns = os_wall_clock_ns() - status.mtime_ns;
    CHECK(age_ns > -INT64_C(5000000000) && age_ns < INT64_C(60000000000));
    CHECK(os_set_mtime(path, INT64_C(1234567890123456700)) && os_stat(path, &status) &&
          status.mtime_ns == INT64_C(1234567890123456700));
    CHECK(os_set_mtime(path, -1) && os_stat(path, &status) &&
          status.mtime_ns > INT64_C(1234567890123456700));
    CHECK(os_rename(path, other, NULL) && holds(other, "abcd") &&
          !os_stat(path, &status));
    struct error error = {""};
    CHECK(!os_rename(path, other, &error) && strstr(error.text, path) != NULL);
    CHECK(os_remove_file(other, NULL) && os_remove_file(other, NULL));
    CHECK(!os_read_file(other, &(struct buffer){0}, NULL, &error) && errno == ENOENT);
    CHECK(!os_stat("\xff", &status) && errno == EILSEQ);
    CHECK(os_stat("NUL", &status) && status.kind == FILE_OTHER);
    free(other);
    free(path);
}

static void test_read_at(const char *folder)
{
    char *path = in(folder, "parts");
    char part[4] = "";
    struct file_status status;
    CHECK(write_text(path, "0123456789"));
    const int handle = os_open_reading(path, &status, NULL);
    CHECK(handle >= 0 && status.size == 10);
    CHECK(os_read_at(handle, 7, part, 3) && memcmp(part, "789", 3) == 0);
    CHECK(os_read_at(handle, 0, part, 2) && memcmp(part, "019", 3) == 0);
    errno = EIO;
    CHECK(!os_read_at(handle, 8, part, 3) && errno == 0);
    CHECK(!os_read_at(handle, UINT64_MAX, part, 1) && errno == 0);
    os_close_reading(handle);
    CHECK(os_remove_file(path, NULL));
    free(path);
}

static void test_replace(const char *folder)
{
    char *path = in(folder, "replaced");
    CHECK(os_replace_file(path, "old", 3, NULL) && holds(path, "old"));
    CHECK(os_replace_file(path, "newer", 5, NULL) && holds(path, "newer"));
    CHECK(names_in(folder) == 1);
    CHECK(os_is_temporary_name("x" OS_TEMPORARY_MARK "1-2"));
    struct error error = {""};
    char *below = in(folder, "missing/file");
    CHECK(!os_replace_file(below, "x", 1, &error) && strstr(error.text, below) != NULL);
    CHECK(!os_replace_file(folder, "x", 1, NULL)); // it is a folder
    CHECK(os_remove_file(path, NULL) && names_in(folder) == 0);
    free(below);
    free(path);
}

static void test_folders(const char *folder)
{
    char *deep = in(folder, "a/b\\c d/\xc3\xbc/");
    char *file = in(folder, "a/file");
    char *below = in(folder, "a/file/below");
    char *top = in(folder, "a");
    struct error error = {""};
    CHECK(os_make_directories(deep, NULL) && os_make_directories(deep, NULL));
    CHECK(write_text(file, "x"));
    CHECK(!os_make_directories(file, &error) && strstr(error.text, file) != NULL);
    CHECK(!os_make_directories(below, NULL));
    CHECK(names_in(top) == 2 && names_in(deep) == 0);
    CHECK(names_in(file) == -1 && names_in(below) == 0);
    CHECK(!os_remove_folder(top) && errno == ENOTEMPTY);
    CHECK(!os_remove_file(top, NULL));
    CHECK(os_can_write_directory(top) && !os_can_write_directory(below));
    uint64_t bytes = 0;
    CHECK(os_free_space(file, &bytes) && bytes > 0);
    CHECK(os_remove_tree(top, NULL) && names_in(folder) == 0 &&
          os_remove_tree(top, NULL));
    free(top);
    free(below);
    free(file);
    free(deep);
}

// More than the 260 characters that a path may usually have.
static void test_long_path(const char *folder)
{
    char *path = mem_strdup(folder);
    for (int i = 0; i < 5; i++) {
        char *longer = mem_printf("%s/%080d", path, i);
        free(path);
        path = longer;
    }
    char *file = in(path, "file");
    CHECK(os_make_directories(path, NULL) && os_replace_file(file, "deep", 4, NULL));
    CHECK(holds(file, "deep") && names_in(path) == 1);
    char *top = mem_printf("%s/%080d", folder, 0);
    CHECK(os_remove_tree(top, NULL) && names_in(folder) == 0);
    free(top);
    free(file);
    free(path);
}

static void test_paths(void)
{
    char *own = os_own_folder();
    char *current = os_current_folder();
    char *absolute = os_absolute_path(self);
    CHECK(own != NULL && absolute != NULL && strncmp(absolute, own, strlen(own)) == 0);
    CHECK(current != NULL && current[0] != '\0');
    CHECK(os_absolute_path("missing") == NULL);
    char *found = os_find_program(self);
    CHECK(found != NULL && strcmp(found, self) == 0);
    CHECK(os_find_program("no-such-program") == NULL);
    char *cmd = os_find_program("cmd");
    CHECK(cmd != NULL && strstr(cmd, "cmd.exe") != NULL);
    CHECK(os_temporary_directory()[0] != '\0');
    CHECK(os_session_id() == os_session_id());
    free(cmd);
    free(found);
    free(absolute);
    free(current);
    free(own);
}

// ---- Locks --------------------------------------------------------------------------

static void test_locks(const char *folder)
{
    char *path = in(folder, "lock");
    char bytes[16] = "";
    int handle = -1;
    int second = -1;
    CHECK(os_lock_try(path, &handle) == LOCK_TAKEN);
    CHECK(os_lock_try(path, &second) == LOCK_BUSY);
    CHECK(!run_again(folder, "lock", "lock")); // nor by another process
    CHECK(os_lock_write(handle, "123456", 6) && os_lock_write(handle, "ab", 2));
    CHECK(os_lock_read(handle, bytes, sizeof bytes) == 6 && memcmp(bytes, "ab3", 3) == 0);
    CHECK(holds(path, "ab3456")); // while it is locked
    os_lock_release(handle, path, false);
    CHECK(run_again(folder, "lock", "lock")); // the lock went with that process
    CHECK(os_lock_try(path, &handle) == LOCK_TAKEN);
    CHECK(os_lock_read(handle, bytes, 2) == 2);
    // Whoever removes the file makes room for a new one with a lock of its own.
    os_lock_release(handle, path, true);
    CHECK(names_in(folder) == 0);
    CHECK(os_lock_try(path, &handle) == LOCK_TAKEN);
    CHECK(os_lock_read(handle, bytes, 2) == 0);
    os_lock_release(handle, path, true);
    char *below = in(folder, "missing/lock");
    CHECK(os_lock_try(below, &handle) == LOCK_UNAVAILABLE);
    CHECK(os_lock_try(folder, &handle) == LOCK_UNAVAILABLE);
    free(below);
    free(path);
}

// ---- Processes ----------------------------------------------------------------------

static void test_processes(void)
{
    char *const echo[] = {"cmd", "/c", "echo", "%HALIDECACHE_TEST%", NULL};
    char *const fails[] = {"cmd", "/c", "exit", "3", NULL};
    char *const missing[] = {"no-such-program", NULL};
    struct buffer out = {0};
    struct error error = {""};
    CHECK(os_run(echo, "HALIDECACHE_TEST=yes", &out, &error));
    CHECK(out.size >= 3 && memcmp(out.data, "yes", 3) == 0);
    CHECK(!os_run(fails, NULL, &out, &error) && strstr(error.text, "cmd") != NULL);
    CHECK(!os_run(missing, NULL, &out, &error));
    CHECK(os_variable("path") != NULL && os_variable("HALIDECACHE_TEST") == NULL);
    CHECK(os_variable_begins_with("Hl_Cache_Dir=x", "HL_CACHE_DIR="));
    const int64_t before_ns = os_monotonic_ns();
    os_sleep_ms(20);
    CHECK(os_monotonic_ns() - before_ns >= 10000000);
    buffer_release(&out);
}

// ---- The store ----------------------------------------------------------------------

static struct digest key_of(unsigned number)
{
    struct digest key;
    CHECK(sha256_of(&number, sizeof number, &key));
    return key;
}

static void fill(const char *folder, unsigned count)
{
    static const char content[1000] = "content";
    struct store *store = store_open(folder, NULL);
    CHECK(store != NULL);
    for (unsigned i = 0; store != NULL && i < count; i++) {
        const struct digest key = key_of(i);
        CHECK(store_write(store, STORE_ENTRY, &key, content, sizeof content, NULL));
    }
    store_close(store);
}

static void test_store(const char *folder)
{
    char *cache = in(folder, "cache");
    struct error error = {""};
    CHECK(store_open_existing(cache, &error) == NULL && error.text[0] == '\0');
    fill(cache, 20);
    struct store *store = store_open_existing(cache, &error);
    CHECK(store != NULL && store_is_ours(cache) && !store_is_ours("C:\\windows"));
    const struct digest first = key_of(0);
    struct buffer content = {0};
    CHECK(store_read(store, STORE_ENTRY, &first, &content, &error) &&
          content.size == 1000);
    CHECK(!store_read(store, STORE_MANIFEST, &first, &content, &error) &&
          error.text[0] == '\0');
    struct store_usage usage;
    CHECK(store_usage(store, &usage, &error) && usage.entries == 20 &&
          usage.bytes == 20000);
    CHECK(store_remove(store, STORE_ENTRY, &first, &error));
    const struct settings settings = {.max_size = 5000};
    struct prune_result result;
    bool busy = true;
    CHECK(prune_now(store, &settings, &result, &busy, &error) && !busy);
    CHECK(result.removed_files == 14 && result.left.entries == 5);
    CHECK(store_usage(store, &usage, &error) && usage.bytes == 5000);
    CHECK(store_clear(store, &error) && names_in(cache) == 1); // CACHEDIR.TAG
    store_close(store);
    CHECK(os_remove_tree(cache, NULL));
    buffer_release(&content);
    free(cache);
}

static void record(const char *folder, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        stats_record(folder, STATS_BYPASS, BYPASS_UNSUPPORTED_SYSTEM, 0);
    }
}

static void test_stats(const char *folder)
{
    struct stats stats;
    record(folder, 10);
    CHECK(run_again(folder, "count", "10"));
    stats_fold_with(folder, 0, 0); // puts the records aside
    record(folder, 5);
    stats_fold_with(folder, 0, 0); // and adds them
    CHECK(stats_read(folder, &stats, NULL) && stats.bypasses == 25);
    CHECK(stats.bypasses_by_reason[BYPASS_UNSUPPORTED_SYSTEM] == 25);
}

// ---- Main ---------------------------------------------------------------------------

static void run_tests(const char *folder)
{
    CHECK(os_remove_tree(folder, NULL) && os_make_directories(folder, NULL));
    test_files(folder);
    test_read_at(folder);
    test_replace(folder);
    test_folders(folder);
    test_long_path(folder);
    test_paths();
    test_locks(folder);
    test_processes();
    test_store(folder);
    test_stats(folder);
    CHECK(os_remove_tree(folder, NULL));
}

int main(int argc, char **argv)
{
    argv = os_arguments(&argc, argv);
    if (argc != 2 && argc != 4) {
        (void)fputs("usage: test_system FOLDER [fill N | count N | lock NAME]\n", stderr);
        return 2;
    }
    self = argv[0];
    const char *folder = argv[1];
    if (argc == 2) {
        run_tests(folder);
    } else if (strcmp(argv[2], "fill") == 0) {
        fill(folder, (unsigned)strtoul(argv[3], NULL, 10));
    } else if (strcmp(argv[2], "count") == 0) {
        record(folder, (unsigned)strtoul(argv[3], NULL, 10));
    } else {
        char *path = in(folder, argv[3]);
        int handle = -1;
        const enum lock_result result = os_lock_try(path, &handle);
        free(path);
        return (int)result;
    }
    return failures == 0 ? 0 : 1;
}
