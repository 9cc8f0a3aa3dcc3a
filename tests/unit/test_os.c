// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>

static void check_content(const char *path, const char *expected)
{
    struct buffer content = {0};
    struct file_status status;
    assert_true(os_read_file(path, &content, &status, NULL));
    assert_int_equal(content.size, strlen(expected));
    assert_int_equal(status.size, content.size);
    if (content.size > 0) {
        assert_memory_equal(content.data, expected, content.size);
    }
    buffer_release(&content);
}

// ---- Reading and writing ------------------------------------------------------------

static void test_write_and_read(void **state)
{
    char *path = scratch_path(*state, "file");
    scratch_write(path, "some text");
    check_content(path, "some text");
    scratch_write(path, "");
    check_content(path, "");
    struct buffer content = {0};
    buffer_append_string(&content, "before ");
    scratch_write(path, "after");
    assert_true(os_read_file(path, &content, NULL, NULL));
    assert_int_equal(content.size, 12);
    assert_memory_equal(content.data, "before after", 12);
    buffer_release(&content);
    free(path);
}

static void check_unreadable(const char *path, int expected_errno)
{
    struct buffer content = {0};
    struct error error = {""};
    buffer_append_string(&content, "kept");
    errno = 0;
    assert_false(os_read_file(path, &content, NULL, &error));
    assert_int_equal(errno, expected_errno);
    assert_non_null(strstr(error.text, path));
    assert_int_equal(content.size, 4);
    buffer_release(&content);
}

static void test_read_failures(void **state)
{
    char *missing = scratch_path(*state, "missing");
    check_unreadable(missing, ENOENT);
    check_unreadable(*state, EISDIR);
    free(missing);
}

static void test_read_large_file(void **state)
{
    char *path = scratch_path(*state, "file");
    struct buffer large = {0};
    for (uint32_t i = 0; i < 300000; i++) {
        buffer_append_u32(&large, i);
    }
    assert_true(os_write_file(path, large.data, large.size, NULL));
    struct buffer content = {0};
    assert_true(os_read_file(path, &content, NULL, NULL));
    assert_int_equal(content.size, large.size);
    assert_memory_equal(content.data, large.data, large.size);
    buffer_release(&content);
    buffer_release(&large);
    free(path);
}

static bool collect(void *context, const void *data, size_t size)
{
    buffer_append(context, data, size);
    return true;
}

static bool refuse(void *context, const void *data, size_t size)
{
    (void)data;
    (void)size;
    ++*(int *)context;
    return false;
}

static void test_read_pieces(void **state)
{
    char *path = scratch_path(*state, "file");
    unsigned char *large = mem_new(1, 1000001);
    memset(large, 'x', 1000001);
    assert_true(os_write_file(path, large, 1000001, NULL));
    struct buffer content = {0};
    struct file_status status;
    assert_true(os_read_pieces(path, collect, &content, &status, NULL));
    assert_int_equal(content.size, 1000001);
    assert_int_equal(status.size, 1000001);
    assert_memory_equal(content.data, large, content.size);
    int calls = 0;
    assert_false(os_read_pieces(path, refuse, &calls, NULL, NULL));
    assert_int_equal(calls, 1);
    buffer_release(&content);
    free(large);
    free(path);
}

static void test_replace_keeps_old_readers(void **state)
{
    char *path = scratch_path(*state, "file");
    const mode_t mask = umask(022);
    assert_true(os_replace_file(path, "old", 3, NULL));
    const int fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    assert_true(os_replace_file(path, "newer", 5, NULL));
    (void)umask(mask);
    char old[8] = "";
    assert_int_equal(read(fd, old, sizeof old), 3);
    assert_string_equal(old, "old");
    (void)close(fd);
    check_content(path, "newer");
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0644);
    assert_int_equal(scratch_count(*state), 1);
    free(path);
}

static void test_replace_leaves_nothing_behind(void **state)
{
    struct error error = {""};
    char *folder = scratch_path(*state, "folder");
    char *inside = scratch_path(folder, "inside");
    assert_true(os_make_directories(folder, NULL));
    scratch_write(inside, "x");
    assert_false(os_replace_file(folder, "text", 4, &error)); // a folder is in the way
    assert_non_null(strstr(error.text, folder));
    assert_int_equal(scratch_count(*state), 1);
    char *nowhere = scratch_path(*state, "missing/file");
    assert_false(os_replace_file(nowhere, "text", 4, &error));
    assert_int_equal(scratch_count(*state), 1);
    free(nowhere);
    free(inside);
    free(folder);
}

// A reader that comes at any time sees one whole content.
static void test_replace_is_atomic(void **state)
{
    enum { SIZE = 100000, ROUNDS = 300 };
    char *path = scratch_path(*state, "file");
    unsigned char *data = mem_new(1, SIZE);
    assert_true(os_replace_file(path, data, SIZE, NULL));
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        bool ok = true;
        for (int i = 0; ok && i < ROUNDS; i++) {
            memset(data, i, SIZE);
            ok = os_replace_file(path, data, SIZE, NULL);
        }
        _exit(ok ? 0 : 1);
    }
    for (int i = 0; i < ROUNDS; i++) {
        struct buffer content = {0};
        assert_true(os_read_file(path, &content, NULL, NULL));
        assert_int_equal(content.size, SIZE);
        memset(data, content.data[0], SIZE);
        assert_memory_equal(content.data, data, SIZE);
        buffer_release(&content);
    }
    assert_int_equal(scratch_wait(child), 0);
    assert_int_equal(scratch_count(*state), 1);
    free(data);
    free(path);
}

static void test_appends_do_not_mix(void **state)
{
    enum { WRITERS = 4, LINES = 500, LINE = 32 };
    char *path = scratch_path(*state, "file");
    pid_t children[WRITERS];
    for (int i = 0; i < WRITERS; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            char line[LINE];
            memset(line, 'a' + i, LINE);
            bool ok = true;
            for (int n = 0; ok && n < LINES; n++) {
                ok = os_append_file(path, line, LINE, NULL);
            }
            _exit(ok ? 0 : 1);
        }
    }
    for (int i = 0; i < WRITERS; i++) {
        assert_int_equal(scratch_wait(children[i]), 0);
    }
    struct buffer content = {0};
    assert_true(os_read_file(path, &content, NULL, NULL));
    assert_int_equal(content.size, WRITERS * LINES * LINE);
    for (size_t at = 0; at < content.size; at += LINE) {
        char line[LINE];
        memset(line, content.data[at], LINE);
        assert_memory_equal(content.data + at, line, LINE);
    }
    buffer_release(&content);
    free(path);
}

// ---- Status -------------------------------------------------------------------------

static void test_mtime(void **state)
{
    char *path = scratch_path(*state, "file");
    scratch_write(path, "x");
    struct file_status status;
    assert_true(os_set_mtime(path, 1234567890123456789));
    assert_true(os_stat(path, &status));
    assert_true(status.mtime_ns == 1234567890123456789);
    const struct file_status before = status;
    assert_true(os_set_mtime(path, -1));
    assert_true(os_stat(path, &status));
    // The kernel's clock for files ticks slower than ours.
    assert_true(llabs(status.mtime_ns - os_wall_clock_ns()) < 10000000000);
    assert_false(file_status_equal(&before, &status));
    assert_true(file_status_equal(&status, &status));
    assert_int_equal(status.kind, FILE_REGULAR);
    assert_true(os_stat(*state, &status));
    assert_int_equal(status.kind, FILE_DIRECTORY);
    char *missing = scratch_path(*state, "missing");
    assert_false(os_set_mtime(missing, -1));
    assert_false(os_stat(missing, &status));
    assert_int_equal(errno, ENOENT);
    free(missing);
    free(path);
}

static void test_temporary_names(void **state)
{
    (void)state;
    assert_true(os_is_temporary_name("x.entry.halide-cache-tmp.Ab12Cd"));
    assert_false(os_is_temporary_name("x.entry"));
    assert_false(os_is_temporary_name("halide-cache"));
    assert_false(os_is_temporary_name(""));
}

// ---- Folders ------------------------------------------------------------------------

static void check_made(const char *folder, const char *name)
{
    char *path = scratch_path(folder, name);
    struct file_status status;
    assert_true(os_make_directories(path, NULL));
    assert_true(os_stat(path, &status));
    assert_int_equal(status.kind, FILE_DIRECTORY);
    assert_true(os_make_directories(path, NULL)); // again
    free(path);
}

static void test_make_directories(void **state)
{
    check_made(*state, "a");
    check_made(*state, "b/c/d/e");
    check_made(*state, "f/g/");
    check_made(*state, "with space/\xc3\xbc");
    char *file = scratch_path(*state, "file");
    char *below = scratch_path(*state, "file/below");
    scratch_write(file, "x");
    struct error error = {""};
    assert_false(os_make_directories(file, &error));
    assert_non_null(strstr(error.text, file));
    assert_false(os_make_directories(below, NULL));
    free(below);
    free(file);
}

static bool stop_at_once(void *context, const char *name)
{
    (void)name;
    ++*(int *)context;
    return false;
}

static void test_list(void **state)
{
    char *missing = scratch_path(*state, "missing");
    char *file = scratch_path(*state, "file");
    assert_int_equal(scratch_count(*state), 0);
    assert_int_equal(scratch_count(missing), 0);
    scratch_write(file, "x");
    check_made(*state, "folder");
    check_made(*state, ".hidden");
    assert_int_equal(scratch_count(*state), 3);
    int calls = 0;
    assert_true(os_list_directory(*state, stop_at_once, &calls, NULL));
    assert_int_equal(calls, 1);
    struct error error = {""};
    assert_false(os_list_directory(file, stop_at_once, &calls, &error));
    assert_non_null(strstr(error.text, file));
    free(file);
    free(missing);
}

static void test_remove_tree_follows_no_links(void **state)
{
    char *outside = scratch_path(*state, "outside");
    char *precious = scratch_path(*state, "outside/precious");
    char *tree = scratch_path(*state, "tree");
    check_made(*state, "outside");
    check_made(*state, "tree/deep/deeper");
    scratch_write(precious, "x");
    char *link_to_folder = scratch_path(*state, "tree/deep/link");
    char *link_to_file = scratch_path(*state, "tree/file-link");
    char *dangling = scratch_path(*state, "tree/dangling");
    char *file = scratch_path(*state, "tree/deep/deeper/file");
    assert_int_equal(symlink(outside, link_to_folder), 0);
    assert_int_equal(symlink(precious, link_to_file), 0);
    assert_int_equal(symlink("nowhere", dangling), 0);
    scratch_write(file, "x");
    assert_true(os_remove_tree(tree, NULL));
    assert_false(scratch_exists(tree));
    check_content(precious, "x");
    assert_true(os_remove_tree(tree, NULL)); // it is not there
    free(file);
    free(dangling);
    free(link_to_file);
    free(link_to_folder);
    free(tree);
    free(precious);
    free(outside);
}

static void test_remove_tree_under_a_writer(void **state)
{
    char *tree = scratch_path(*state, "tree");
    char *file = scratch_path(*state, "tree/a/file");
    char *folder = scratch_path(*state, "tree/a");
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        for (int i = 0; i < 100; i++) {
            (void)os_make_directories(folder, NULL);
            (void)os_replace_file(file, "x", 1, NULL);
        }
        _exit(0);
    }
    for (int i = 0; i < 30; i++) {
        (void)os_remove_tree(tree, NULL); // may give up, but must end
    }
    assert_int_equal(scratch_wait(child), 0);
    assert_true(os_remove_tree(tree, NULL));
    assert_false(scratch_exists(tree));
    free(folder);
    free(file);
    free(tree);
}

static bool cannot_write(const char *folder)
{
    char *path = scratch_path(folder, "file");
    const bool ok = !os_can_write_directory(folder) &&
                    !os_write_file(path, "x", 1, NULL) &&
                    !os_replace_file(path, "x", 1, NULL);
    free(path);
    return ok;
}

static void test_unwritable_folder(void **state)
{
    assert_true(os_can_write_directory(*state));
    assert_int_equal(chmod(*state, 0555), 0);
    assert_true(scratch_run_without_privileges(cannot_write, *state));
    assert_int_equal(chmod(*state, 0755), 0);
    assert_int_equal(scratch_count(*state), 0);
}

// ---- Locks --------------------------------------------------------------------------

static enum lock_result lock_in_child(const char *path)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int handle = -1;
        _exit((int)os_lock_try(path, &handle));
    }
    return (enum lock_result)scratch_wait(child);
}

static void test_lock_excludes_others(void **state)
{
    char *path = scratch_path(*state, "lock");
    int handle = -1;
    assert_int_equal(os_lock_try(path, &handle), LOCK_TAKEN);
    assert_int_equal(lock_in_child(path), LOCK_BUSY);
    int second = -1;
    assert_int_equal(os_lock_try(path, &second), LOCK_BUSY); // in this process, too
    os_lock_release(handle, path, false);
    assert_true(scratch_exists(path));
    assert_int_equal(lock_in_child(path), LOCK_TAKEN);
    assert_int_equal(os_lock_try(path, &handle), LOCK_TAKEN); // it went with the child
    os_lock_release(handle, path, true);
    assert_false(scratch_exists(path));
    assert_int_equal(lock_in_child(path), LOCK_TAKEN);
    free(path);
}

static void test_lock_of_a_killed_process(void **state)
{
    char *path = scratch_path(*state, "lock");
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int handle = -1;
        const char answer = os_lock_try(path, &handle) == LOCK_TAKEN ? 'y' : 'n';
        if (write(ready[1], &answer, 1) == 1) {
            (void)pause();
        }
        _exit(1);
    }
    char answer = 'n';
    assert_int_equal(read(ready[0], &answer, 1), 1);
    assert_int_equal(answer, 'y');
    assert_int_equal(lock_in_child(path), LOCK_BUSY);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(scratch_wait(child), -1);
    assert_int_equal(lock_in_child(path), LOCK_TAKEN);
    (void)close(ready[0]);
    (void)close(ready[1]);
    free(path);
}

static void test_content_of_a_locked_file(void **state)
{
    char *path = scratch_path(*state, "lock");
    char bytes[16] = "";
    int handle = -1;
    assert_int_equal(os_lock_try(path, &handle), LOCK_TAKEN);
    assert_int_equal(os_lock_read(handle, bytes, sizeof bytes), 0);
    assert_true(os_lock_write(handle, "123456", 6));
    assert_true(os_lock_write(handle, "ab", 2));
    assert_int_equal(os_lock_read(handle, bytes, sizeof bytes), 6);
    assert_string_equal(bytes, "ab3456");
    assert_int_equal(os_lock_read(handle, bytes, 3), 3);
    os_lock_release(handle, path, false);
    check_content(path, "ab3456");
    assert_int_equal(os_lock_try(path, &handle), LOCK_TAKEN);
    assert_int_equal(os_lock_read(handle, bytes, sizeof bytes), 6);
    os_lock_release(handle, path, true);
    free(path);
}

static void test_unavailable_lock(void **state)
{
    char *path = scratch_path(*state, "missing/lock");
    int handle = -1;
    assert_int_equal(os_lock_try(path, &handle), LOCK_UNAVAILABLE);
    free(path);
}

// Every process adds one to a number in a file, forty times, under the lock that is
// removed each time: no two may ever hold it at once.
static void test_removed_locks_still_exclude(void **state)
{
    enum { PROCESSES = 5, ROUNDS = 40 };
    char *lock = scratch_path(*state, "lock");
    char *number = scratch_path(*state, "number");
    scratch_write(number, "0");
    pid_t children[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] != 0) {
            continue;
        }
        for (int round = 0; round < ROUNDS;) {
            int handle = -1;
            if (os_lock_try(lock, &handle) != LOCK_TAKEN) {
                continue;
            }
            struct buffer content = {0};
            (void)os_read_file(number, &content, NULL, NULL);
            buffer_append_u8(&content, 0);
            char *text = mem_printf("%ld", strtol((char *)content.data, NULL, 10) + 1);
            (void)os_write_file(number, text, strlen(text), NULL);
            free(text);
            buffer_release(&content);
            os_lock_release(handle, lock, true);
            round++;
        }
        _exit(0);
    }
    for (int i = 0; i < PROCESSES; i++) {
        assert_int_equal(scratch_wait(children[i]), 0);
    }
    check_content(number, "200");
    free(number);
    free(lock);
}

// ---- Programs -----------------------------------------------------------------------

static void check_found(const char *name, const char *expected)
{
    char *found = os_find_program(name);
    if (expected == NULL) {
        assert_null(found);
    } else {
        assert_non_null(found);
        assert_string_equal(found, expected);
    }
    free(found);
}

static void test_find_program(void **state)
{
    char *first = scratch_path(*state, "first");
    char *second = scratch_path(*state, "second");
    char *plain = scratch_path(first, "tool");
    char *tool = scratch_path(second, "tool");
    char *folder = scratch_path(first, "folder");
    assert_true(os_make_directories(folder, NULL));
    assert_true(os_make_directories(second, NULL));
    scratch_write(plain, "not executable");
    scratch_write(tool, "#!/bin/sh\n");
    assert_int_equal(chmod(tool, 0755), 0);
    char *old = mem_strdup(getenv("PATH"));
    char *path = mem_printf("%s:%s", first, second);
    assert_int_equal(setenv("PATH", path, 1), 0);
    check_found("tool", tool);
    check_found("folder", NULL);
    check_found("missing", NULL);
    check_found("./anything", "./anything");
    assert_int_equal(setenv("PATH", old, 1), 0);
    free(path);
    free(old);
    free(folder);
    free(tool);
    free(plain);
    free(second);
    free(first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(test_write_and_read),
        scratch_test(test_read_failures),
        scratch_test(test_read_large_file),
        scratch_test(test_read_pieces),
        scratch_test(test_replace_keeps_old_readers),
        scratch_test(test_replace_leaves_nothing_behind),
        scratch_test(test_replace_is_atomic),
        scratch_test(test_appends_do_not_mix),
        scratch_test(test_mtime),
        scratch_test(test_temporary_names),
        scratch_test(test_make_directories),
        scratch_test(test_list),
        scratch_test(test_remove_tree_follows_no_links),
        scratch_test(test_remove_tree_under_a_writer),
        scratch_test(test_unwritable_folder),
        scratch_test(test_lock_excludes_others),
        scratch_test(test_lock_of_a_killed_process),
        scratch_test(test_content_of_a_locked_file),
        scratch_test(test_unavailable_lock),
        scratch_test(test_removed_locks_still_exclude),
        scratch_test(test_find_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
