// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "output_files.h"

#include "scratch.h"

// Two outputs in the scratch folder.
struct fixture {
    struct output list[2];
    struct outputs outputs;
};

static struct fixture *fixture_new(const char *folder)
{
    struct fixture *fixture = mem_new(1, sizeof *fixture);
    fixture->list[0] = (struct output){"object", scratch_path(folder, "a.o")};
    fixture->list[1] = (struct output){"c_header", scratch_path(folder, "a.h")};
    fixture->outputs = (struct outputs){.list = fixture->list, .count = 2};
    return fixture;
}

static void fixture_free(struct fixture *fixture)
{
    free(fixture->list[0].path);
    free(fixture->list[1].path);
    free(fixture);
}

static struct entry_output stored_outputs[2] = {
    {"object", (const unsigned char *)"code", 4},
    {"c_header", (const unsigned char *)"header\n#endif\n", 14},
};

static struct entry stored(void)
{
    return (struct entry){.outputs = stored_outputs, .output_count = 2};
}

static void check_content(const char *path, const char *expected)
{
    struct buffer content = {0};
    assert_true(os_read_file(path, &content, NULL, NULL));
    assert_int_equal(content.size, strlen(expected));
    assert_memory_equal(content.data, expected, content.size);
    buffer_release(&content);
}

static int64_t mtime_of(const char *path)
{
    struct file_status status;
    assert_true(os_stat(path, &status));
    return status.mtime_ns;
}

static const int64_t long_ago_ns = INT64_C(1000000000) * 1000000000;

static void test_restore(void **state)
{
    struct fixture *fixture = fixture_new(*state);
    const struct entry entry = stored();
    assert_true(output_files_restore(&fixture->outputs, &entry, UNCHANGED_TOUCH, NULL));
    check_content(fixture->list[0].path, "code");
    check_content(fixture->list[1].path, "header\n#endif\n");
    fixture_free(fixture);
}

static void test_restore_keeps_or_touches_what_is_the_same(void **state)
{
    struct fixture *fixture = fixture_new(*state);
    const struct entry entry = stored();
    scratch_write(fixture->list[0].path, "code");
    scratch_write(fixture->list[1].path, "headex");
    assert_true(os_set_mtime(fixture->list[0].path, long_ago_ns));
    assert_true(os_set_mtime(fixture->list[1].path, long_ago_ns));
    assert_true(output_files_restore(&fixture->outputs, &entry, UNCHANGED_KEEP, NULL));
    assert_true(mtime_of(fixture->list[0].path) == long_ago_ns);
    assert_true(mtime_of(fixture->list[1].path) > long_ago_ns);
    check_content(fixture->list[1].path, "header\n#endif\n");
    assert_true(output_files_restore(&fixture->outputs, &entry, UNCHANGED_TOUCH, NULL));
    assert_true(mtime_of(fixture->list[0].path) > long_ago_ns);
    fixture_free(fixture);
}

static void test_restore_needs_the_same_outputs(void **state)
{
    struct fixture *fixture = fixture_new(*state);
    struct entry entry = stored();
    entry.output_count = 1;
    assert_false(output_files_restore(&fixture->outputs, &entry, UNCHANGED_KEEP, NULL));
    struct entry_output others[2] = {stored_outputs[0], stored_outputs[1]};
    others[1].role = "stmt";
    entry = (struct entry){.outputs = others, .output_count = 2};
    assert_false(output_files_restore(&fixture->outputs, &entry, UNCHANGED_KEEP, NULL));
    struct file_status status;
    assert_false(os_stat(fixture->list[0].path, &status)); // nothing was written
    fixture_free(fixture);
}

static void test_restore_into_a_missing_folder_fails(void **state)
{
    char *missing = scratch_path(*state, "missing");
    struct fixture *fixture = fixture_new(missing);
    const struct entry entry = stored();
    struct error error = {""};
    assert_false(output_files_restore(&fixture->outputs, &entry, UNCHANGED_KEEP, &error));
    assert_non_null(strstr(error.text, fixture->list[0].path));
    fixture_free(fixture);
    free(missing);
}

static void test_collect(void **state)
{
    struct fixture *fixture = fixture_new(*state);
    struct output_state *before = output_state_take(&fixture->outputs);
    scratch_write(fixture->list[0].path, "");
    scratch_write(fixture->list[1].path, "header\n#endif\n");
    struct entry entry = {0};
    assert_true(output_files_collect(&fixture->outputs, before, &entry, NULL));
    assert_int_equal(entry.output_count, 2);
    assert_string_equal(entry.outputs[0].role, "object");
    assert_int_equal(entry.outputs[0].size, 0);
    assert_int_equal(entry.outputs[1].size, 14);
    assert_memory_equal(entry.outputs[1].data, "header\n#endif\n", 14);
    output_state_free(before);
    fixture_free(fixture);
}

static void test_collect_misses_what_was_not_written(void **state)
{
    struct fixture *fixture = fixture_new(*state);
    scratch_write(fixture->list[1].path, "of an earlier run");
    struct output_state *before = output_state_take(&fixture->outputs);
    struct entry entry = {0};
    struct error error = {""};
    scratch_write(fixture->list[0].path, "code");
    assert_false(output_files_collect(&fixture->outputs, before, &entry, &error));
    assert_non_null(strstr(error.text, fixture->list[1].path));
    output_state_free(before);

    before = output_state_take(&fixture->outputs);
    assert_true(os_remove_file(fixture->list[0].path, NULL));
    assert_false(output_files_collect(&fixture->outputs, before, &entry, &error));
    assert_non_null(strstr(error.text, fixture->list[0].path));
    output_state_free(before);
    fixture_free(fixture);
}

static void test_collect_misses_a_header_without_its_end(void **state)
{
    struct fixture *fixture = fixture_new(*state);
    struct output_state *before = output_state_take(&fixture->outputs);
    scratch_write(fixture->list[0].path, "code");
    scratch_write(fixture->list[1].path, "header\n#end");
    struct entry entry = {0};
    struct error error = {""};
    assert_false(output_files_collect(&fixture->outputs, before, &entry, &error));
    assert_non_null(strstr(error.text, fixture->list[1].path));
    output_state_free(before);
    fixture_free(fixture);
}

static void test_collect_takes_regular_files_only(void **state)
{
    struct fixture *fixture = fixture_new(*state);
    struct output_state *before = output_state_take(&fixture->outputs);
    assert_true(os_make_directories(fixture->list[0].path, NULL));
    scratch_write(fixture->list[1].path, "header\n#endif\n");
    struct entry entry = {0};
    assert_false(output_files_collect(&fixture->outputs, before, &entry, NULL));
    output_state_free(before);
    fixture_free(fixture);
}

static void test_settle(void **state)
{
    struct fixture *fixture = fixture_new(*state);
    scratch_write(fixture->list[0].path, "code");
    scratch_write(fixture->list[1].path, "old");
    assert_true(os_set_mtime(fixture->list[0].path, long_ago_ns));
    assert_true(os_set_mtime(fixture->list[1].path, long_ago_ns));
    struct output_state *before = output_state_take(&fixture->outputs);
    scratch_write(fixture->list[0].path, "code");
    scratch_write(fixture->list[1].path, "header\n#endif\n");
    struct entry entry = {0};
    assert_true(output_files_collect(&fixture->outputs, before, &entry, NULL));
    output_files_settle(&fixture->outputs, before, &entry, UNCHANGED_TOUCH);
    assert_true(mtime_of(fixture->list[0].path) > long_ago_ns);
    output_files_settle(&fixture->outputs, before, &entry, UNCHANGED_KEEP);
    assert_true(mtime_of(fixture->list[0].path) == long_ago_ns);
    assert_true(mtime_of(fixture->list[1].path) > long_ago_ns);
    output_state_free(before);
    fixture_free(fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(test_restore),
        scratch_test(test_restore_keeps_or_touches_what_is_the_same),
        scratch_test(test_restore_needs_the_same_outputs),
        scratch_test(test_restore_into_a_missing_folder_fails),
        scratch_test(test_collect),
        scratch_test(test_collect_misses_what_was_not_written),
        scratch_test(test_collect_misses_a_header_without_its_end),
        scratch_test(test_collect_takes_regular_files_only),
        scratch_test(test_settle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
