// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "file_digest.h"

#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>

// As file_digest.c describes its records: 8 + 4 + (8 + path) + 40 bytes, then the digest
// and the check sum.
enum { RECORD_BEFORE_PATH = 12, RECORD_AFTER_PATH = 40, RECORD_SUM_SIZE = 8 };

static void check_digest(const char *path, struct file_digest_memory *memory,
                         const char *content)
{
    struct digest expected;
    struct digest digest;
    struct error error = {""};
    assert_true(sha256_of(content, strlen(content), &expected));
    assert_true(file_digest(path, memory, &digest, &error));
    assert_string_equal(error.text, "");
    assert_true(digest_equal(&digest, &expected));
}

static bool keep_name(void *context, const char *name)
{
    char **kept = context;
    free(*kept);
    *kept = mem_strdup(name);
    return true;
}

// The path of the only record.
static char *find_record(const char *folder)
{
    char *name = NULL;
    assert_int_equal(scratch_count(folder), 1);
    assert_true(os_list_directory(folder, keep_name, &name, NULL));
    char *path = scratch_path(folder, name);
    free(name);
    return path;
}

static void fix_sum(struct buffer *record)
{
    uint64_t hash = 0xcbf29ce484222325;
    record->size -= RECORD_SUM_SIZE;
    for (size_t i = 0; i < record->size; i++) {
        hash = (hash ^ record->data[i]) * 0x100000001b3;
    }
    buffer_append_u64(record, hash);
}

static void read_record(const char *path, struct buffer *record)
{
    record->size = 0;
    assert_true(os_read_file(path, record, NULL, NULL));
}

static void write_record(const char *path, const struct buffer *record)
{
    assert_true(os_write_file(path, record->data, record->size, NULL));
}

// ---- Reading ------------------------------------------------------------------------

static void test_read(void **state)
{
    static const char *const texts[] = {"", "a", "some text\n"};
    char *path = scratch_path(*state, "file");
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        scratch_write(path, texts[i]);
        struct digest digest;
        struct digest expected;
        struct file_status status;
        assert_true(sha256_of(texts[i], strlen(texts[i]), &expected));
        assert_true(file_digest_read(path, &digest, &status, NULL));
        assert_true(digest_equal(&digest, &expected));
        assert_int_equal(status.size, strlen(texts[i]));
        assert_true(file_digest_read(path, &digest, NULL, NULL));
        assert_true(digest_equal(&digest, &expected));
        check_digest(path, NULL, texts[i]);
    }
    free(path);
}

static void check_failure(const char *path, const char *expected)
{
    struct digest digest;
    struct error error = {""};
    assert_false(file_digest(path, NULL, &digest, &error));
    assert_non_null(strstr(error.text, path));
    assert_non_null(strstr(error.text, expected));
    assert_false(file_digest(path, NULL, &digest, NULL));
}

static void test_failures(void **state)
{
    char *missing = scratch_path(*state, "missing");
    check_failure(missing, strerror(ENOENT));
    check_failure(*state, strerror(EISDIR));
    if (scratch_exists("/dev/zero")) {
        check_failure("/dev/zero", "not a regular file");
    }
    free(missing);
}

// A process that writes to the file until it is killed.
static pid_t start_writer(const char *path)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const int fd = open(path, O_WRONLY | O_CLOEXEC);
        while (fd >= 0 && pwrite(fd, "x", 1, 0) == 1) {
        }
        _exit(1);
    }
    return child;
}

static void test_change_while_reading(void **state)
{
    char *path = scratch_path(*state, "large");
    scratch_write(path, "");
    assert_int_equal(truncate(path, (off_t)32 * 1024 * 1024), 0);
    const pid_t writer = start_writer(path);
    struct error error = {""};
    struct digest digest;
    bool ok = true;
    for (int i = 0; i < 100 && ok; i++) {
        ok = file_digest_read(path, &digest, NULL, &error);
    }
    assert_int_equal(kill(writer, SIGKILL), 0);
    assert_int_equal(scratch_wait(writer), -1);
    assert_false(ok);
    assert_non_null(strstr(error.text, "changed while it was read"));
    free(path);
}

// ---- When times can be trusted ------------------------------------------------------

static void check_settled(int64_t mtime_ns, int64_t ctime_ns, bool expected)
{
    const int64_t now_ns = 1700000000000000000;
    const struct file_status status = {.kind = FILE_REGULAR,
                                       .mtime_ns = now_ns + mtime_ns,
                                       .ctime_ns = now_ns + ctime_ns};
    assert_int_equal(file_status_is_settled(&status, now_ns), expected);
}

static void test_settled(void **state)
{
    (void)state;
    const int64_t tick = 2000000000;
    check_settled(-tick - 1, -tick - 1, true);
    check_settled(-1000 * tick, -tick - 1, true);
    check_settled(-tick, -tick - 1, false);
    check_settled(-tick - 1, -tick, false);
    check_settled(0, 0, false);
    check_settled(-1000 * tick, -1, false);
    check_settled(1000 * tick, -1000 * tick, false);
    check_settled(-1000 * tick, 1000 * tick, false);
}

// ---- Remembering --------------------------------------------------------------------

static void test_fresh_files_are_not_remembered(void **state)
{
    char *path = scratch_path(*state, "file");
    char *folder = scratch_path(*state, "memory");
    struct file_digest_memory *memory = file_digest_memory_new(folder);
    const int64_t start_ns = os_monotonic_ns();
    scratch_write(path, "one");
    check_digest(path, memory, "one");
    scratch_write(path, "two"); // of the same size, within the same tick
    check_digest(path, memory, "two");
    // Its modification time can be set, its change time cannot.
    assert_true(os_set_mtime(path, 1000000000));
    check_digest(path, memory, "two");
    if (os_monotonic_ns() - start_ns < 1900000000) { // not on a machine that stalled
        assert_false(scratch_exists(folder));
    }
    file_digest_memory_free(memory);
    free(folder);
    free(path);
}

static void test_made_up_files_are_not_remembered(void **state)
{
    char *folder = scratch_path(*state, "memory");
    struct file_digest_memory *memory = file_digest_memory_new(folder);
    static const char *const paths[] = {"/proc/version", "/proc/sys/kernel/ostype",
                                        "/sys/kernel/mm/transparent_hugepage/enabled"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct digest digest;
        if (scratch_exists(paths[i])) {
            assert_true(file_digest(paths[i], memory, &digest, NULL));
        }
    }
    assert_false(scratch_exists(folder));
    file_digest_memory_free(memory);
    free(folder);
}

// A folder for each test, with the file "file" that holds "old", a link to it, and an
// empty file. All of them are made before the first test, so that there is one wait for
// their times to settle.
struct old_files {
    char *scratch;
    int taken;
};

enum { OLD_FOLDERS = 8 };

static void make_old_files(const char *folder)
{
    char *path = scratch_path(folder, "file");
    char *other = scratch_path(folder, "other name");
    char *empty = scratch_path(folder, "empty");
    assert_true(os_make_directories(folder, NULL));
    scratch_write(path, "old");
    scratch_write(empty, "");
    assert_int_equal(link(path, other), 0);
    free(empty);
    free(other);
    free(path);
}

static int setup_old_files(void **state)
{
    struct old_files *files = mem_new(1, sizeof *files);
    if (scratch_setup((void **)&files->scratch) != 0) {
        free(files);
        return -1;
    }
    for (int i = 0; i < OLD_FOLDERS; i++) {
        char *folder = mem_printf("%s/%d", files->scratch, i);
        make_old_files(folder);
        free(folder);
    }
    os_sleep_ms(2100);
    *state = files;
    return 0;
}

static int teardown_old_files(void **state)
{
    struct old_files *files = *state;
    const int result = scratch_teardown((void **)&files->scratch);
    free(files);
    return result;
}

// What a test takes of the old files: one folder, and the record of "file" in "memory".
struct remembered {
    char *path;
    char *other; // the link
    char *empty;
    char *folder;
    char *record_path;
    struct file_digest_memory *memory;
};

static struct remembered remember(void **state)
{
    struct old_files *files = *state;
    assert_in_range(files->taken, 0, OLD_FOLDERS - 1);
    char *scratch = mem_printf("%s/%d", files->scratch, files->taken++);
    struct remembered remembered = {
        .path = scratch_path(scratch, "file"),
        .other = scratch_path(scratch, "other name"),
        .empty = scratch_path(scratch, "empty"),
        .folder = scratch_path(scratch, "below/memory"),
    };
    free(scratch);
    remembered.memory = file_digest_memory_new(remembered.folder);
    check_digest(remembered.path, remembered.memory, "old");
    remembered.record_path = find_record(remembered.folder);
    return remembered;
}

static void forget(struct remembered *remembered)
{
    file_digest_memory_free(remembered->memory);
    free(remembered->record_path);
    free(remembered->folder);
    free(remembered->empty);
    free(remembered->other);
    free(remembered->path);
}

// Writes another digest into the record, so that it shows whether it is used.
static void forge(const struct remembered *remembered, const char *content)
{
    struct buffer record = {0};
    struct digest digest;
    read_record(remembered->record_path, &record);
    assert_true(sha256_of(content, strlen(content), &digest));
    memcpy(record.data + record.size - RECORD_SUM_SIZE - SHA256_SIZE, digest.bytes,
           SHA256_SIZE);
    fix_sum(&record);
    write_record(remembered->record_path, &record);
    buffer_release(&record);
}

static void test_remembered(void **state)
{
    struct remembered remembered = remember(state);
    forge(&remembered, "forged");
    check_digest(remembered.path, remembered.memory, "forged");
    check_digest(remembered.path, NULL, "old");
    // It outlives the process, as another object stands for.
    struct file_digest_memory *again = file_digest_memory_new(remembered.folder);
    check_digest(remembered.path, again, "forged");
    file_digest_memory_free(again);
    // Another path of the same file has a record of its own.
    check_digest(remembered.other, remembered.memory, "old");
    assert_int_equal(scratch_count(remembered.folder), 2);
    check_digest(remembered.path, remembered.memory, "forged");
    forget(&remembered);
}

static void test_record_of_another_path(void **state)
{
    struct remembered remembered = remember(state);
    forge(&remembered, "forged");
    struct buffer record = {0};
    read_record(remembered.record_path, &record);
    // As if both names had one hash.
    assert_int_equal(unlink(remembered.record_path), 0);
    check_digest(remembered.other, remembered.memory, "old");
    char *other_record = find_record(remembered.folder);
    write_record(other_record, &record);
    check_digest(remembered.other, remembered.memory, "old");
    buffer_release(&record);
    free(other_record);
    forget(&remembered);
}

static void test_changed_files(void **state)
{
    struct remembered remembered = remember(state);
    struct file_status before;
    forge(&remembered, "forged");
    assert_true(os_stat(remembered.path, &before));
    // Replaced by a file of the same size and time.
    assert_true(os_replace_file(remembered.path, "new", 3, NULL));
    assert_true(os_set_mtime(remembered.path, before.mtime_ns));
    check_digest(remembered.path, remembered.memory, "new");
    scratch_write(remembered.path, "longer");
    assert_true(os_set_mtime(remembered.path, before.mtime_ns));
    check_digest(remembered.path, remembered.memory, "longer");
    assert_int_equal(unlink(remembered.path), 0);
    struct digest digest;
    assert_false(file_digest(remembered.path, remembered.memory, &digest, NULL));
    forget(&remembered);
}

static void test_touched_file(void **state)
{
    struct remembered remembered = remember(state);
    forge(&remembered, "forged");
    struct file_status before;
    assert_true(os_stat(remembered.path, &before));
    assert_true(os_set_mtime(remembered.path, before.mtime_ns)); // changes its ctime
    check_digest(remembered.path, remembered.memory, "old");
    forget(&remembered);
}

static void test_damaged_records(void **state)
{
    struct remembered remembered = remember(state);
    struct buffer record = {0};
    forge(&remembered, "forged");
    read_record(remembered.record_path, &record);
    const size_t size = record.size;
    for (size_t length = 0; length < size; length++) {
        record.size = length;
        write_record(remembered.record_path, &record);
        check_digest(remembered.path, remembered.memory, "old");
    }
    record.size = size;
    for (size_t at = 0; at < size; at++) {
        record.data[at] ^= 0x10;
        write_record(remembered.record_path, &record);
        check_digest(remembered.path, remembered.memory, "old");
        record.data[at] ^= 0x10;
    }
    buffer_append_u8(&record, 0);
    write_record(remembered.record_path, &record);
    check_digest(remembered.path, remembered.memory, "old");
    // And it was written anew each time.
    read_record(remembered.record_path, &record);
    assert_int_equal(record.size, size);
    forge(&remembered, "forged");
    check_digest(remembered.path, remembered.memory, "forged");
    buffer_release(&record);
    forget(&remembered);
}

// Whatever differs in a record that is whole in itself, it is not for this file.
static void test_records_of_other_files(void **state)
{
    struct remembered remembered = remember(state);
    struct buffer record = {0};
    forge(&remembered, "forged");
    read_record(remembered.record_path, &record);
    for (size_t at = 0; at < record.size - RECORD_SUM_SIZE - SHA256_SIZE; at++) {
        record.data[at] ^= 1;
        fix_sum(&record);
        write_record(remembered.record_path, &record);
        check_digest(remembered.path, remembered.memory, "old");
        record.data[at] ^= 1;
    }
    fix_sum(&record);
    write_record(remembered.record_path, &record);
    check_digest(remembered.path, remembered.memory, "forged");
    assert_int_equal(record.size, RECORD_BEFORE_PATH + 8 + strlen(remembered.path) +
                                      RECORD_AFTER_PATH + SHA256_SIZE + RECORD_SUM_SIZE);
    buffer_release(&record);
    forget(&remembered);
}

static void test_empty_files_are_not_remembered(void **state)
{
    struct remembered remembered = remember(state);
    check_digest(remembered.empty, remembered.memory, "");
    assert_int_equal(scratch_count(remembered.folder), 1);
    forget(&remembered);
}

static void test_impossible_folder(void **state)
{
    struct remembered remembered = remember(state);
    char *impossible = scratch_path(remembered.path, "memory");
    struct file_digest_memory *memory = file_digest_memory_new(impossible);
    check_digest(remembered.path, memory, "old");
    file_digest_memory_free(memory);
    file_digest_memory_free(NULL);
    free(impossible);
    forget(&remembered);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(test_read),
        scratch_test(test_failures),
        scratch_test(test_change_while_reading),
        cmocka_unit_test(test_settled),
        scratch_test(test_fresh_files_are_not_remembered),
        scratch_test(test_made_up_files_are_not_remembered),
    };
    const struct CMUnitTest tests_with_old_files[] = {
        cmocka_unit_test(test_remembered),
        cmocka_unit_test(test_record_of_another_path),
        cmocka_unit_test(test_changed_files),
        cmocka_unit_test(test_touched_file),
        cmocka_unit_test(test_damaged_records),
        cmocka_unit_test(test_records_of_other_files),
        cmocka_unit_test(test_empty_files_are_not_remembered),
        cmocka_unit_test(test_impossible_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) +
           cmocka_run_group_tests(tests_with_old_files, setup_old_files,
                                  teardown_old_files);
}
