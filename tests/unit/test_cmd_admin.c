// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "cmd_admin.h"
#include "stats.h"
#include "store.h"

#include "scratch.h"

#include <fcntl.h>

enum { MAX_ARGS = 8 };

struct output {
    int status;
    char *out;
    char *err;
};

static char *read_text(const char *path)
{
    struct buffer content = {0};
    assert_true(os_read_file(path, &content, NULL, NULL));
    buffer_append_u8(&content, '\0');
    return (char *)content.data;
}

static bool redirect(int stream, const char *path)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    return fd >= 0 && dup2(fd, stream) == stream;
}

// Runs a subcommand in a process of its own, with the arguments that the line has.
static struct output run(const char *scratch, int (*command)(int, char **),
                         const char *line)
{
    char *out = scratch_path(scratch, "out");
    char *err = scratch_path(scratch, "err");
    char *args = mem_strdup(line);
    char *argv[MAX_ARGS + 1] = {NULL};
    int argc = 0;
    for (char *arg = strtok(args, " "); arg != NULL && argc < MAX_ARGS;
         arg = strtok(NULL, " ")) {
        argv[argc] = arg;
        argc++;
    }
    (void)fflush(stdout);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(redirect(STDOUT_FILENO, out) && redirect(STDERR_FILENO, err)
                  ? command(argc, argv)
                  : 99);
    }
    struct output output = {.status = scratch_wait(child)};
    output.out = read_text(out);
    output.err = read_text(err);
    free(args);
    free(err);
    free(out);
    return output;
}

static void output_release(struct output *output)
{
    free(output->out);
    free(output->err);
}

static void check_contains(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        fail_msg("\"%s\" does not contain \"%s\"", text, part);
    }
}

// All of the exit status and a part of what is printed; on failure, one line.
static void check_run(const char *scratch, int (*command)(int, char **), const char *line,
                      int status, const char *expected)
{
    struct output output = run(scratch, command, line);
    assert_int_equal(output.status, status);
    if (status == 0) {
        check_contains(output.out, expected);
        assert_string_equal(output.err, "");
    } else {
        check_contains(output.err, expected);
        assert_ptr_equal(strchr(output.err, '\n'), output.err + strlen(output.err) - 1);
        assert_string_equal(output.out, "");
    }
    output_release(&output);
}

static int setup(void **state)
{
    (void)unsetenv("HL_CACHE_DIR");
    (void)unsetenv("HL_CACHE_MAX_SIZE");
    (void)unsetenv("HL_CACHE_MAX_AGE");
    (void)unsetenv("HALIDE_CACHE_PROBE_TIMEOUT");
    (void)unsetenv("HALIDE_CACHE_WAIT");
    return scratch_setup(state);
}

// A store with entries of 1000 bytes and something counted.
static char *make_cache(const char *scratch, unsigned entries)
{
    static const char data[1000];
    char *folder = scratch_path(scratch, "cache");
    struct store *store = store_open(folder, NULL);
    assert_non_null(store);
    for (unsigned i = 0; i < entries; i++) {
        const struct digest key = scratch_key(i);
        assert_true(store_write(store, STORE_ENTRY, &key, data, sizeof data, NULL));
    }
    store_close(store);
    stats_record(folder, STATS_DIRECT_HIT, BYPASS_NONE, 90500000000);
    stats_record(folder, STATS_DIRECT_HIT, BYPASS_NONE, -250000000);
    stats_record(folder, STATS_PIPELINE_HIT, BYPASS_NONE, 0);
    stats_record(folder, STATS_MISS, BYPASS_NONE, 0);
    stats_record(folder, STATS_BYPASS, BYPASS_OWN_MAIN, 0);
    stats_record(folder, STATS_BYPASS, BYPASS_OWN_MAIN, 0);
    stats_record(folder, STATS_BYPASS, BYPASS_THREADS, 0);
    stats_record(folder, STATS_ERROR, BYPASS_NONE, 0);
    assert_int_equal(setenv("HL_CACHE_DIR", folder, 1), 0);
    return folder;
}

static void test_json(void **state)
{
    char *folder = make_cache(*state, 3);
    assert_int_equal(setenv("HL_CACHE_MAX_SIZE", "5K", 1), 0);
    struct output output = run(*state, cmd_stats, "stats --json");
    assert_int_equal(output.status, 0);
    assert_string_equal(output.err, "");
    assert_string_equal(output.out, "{\n"
                                    "  \"direct_hits\": 2,\n"
                                    "  \"pipeline_hits\": 1,\n"
                                    "  \"misses\": 1,\n"
                                    "  \"bypasses\": 3,\n"
                                    "  \"errors\": 1,\n"
                                    "  \"entries\": 3,\n"
                                    "  \"size_bytes\": 3000,\n"
                                    "  \"max_size_bytes\": 5120,\n"
                                    "  \"time_saved_s\": 90.250,\n"
                                    "  \"bypass_reasons\": {\n"
                                    "    \"own-main\": 2,\n"
                                    "    \"threads\": 1\n"
                                    "  }\n"
                                    "}\n");
    output_release(&output);
    free(folder);
}

static void test_json_of_nothing(void **state)
{
    char *missing = scratch_path(*state, "missing");
    char *line = mem_printf("stats --json --dir %s", missing);
    struct output output = run(*state, cmd_stats, line);
    assert_int_equal(output.status, 0);
    check_contains(output.out, "\"time_saved_s\": 0.000,\n  \"bypass_reasons\": {}\n}\n");
    assert_false(scratch_exists(missing)); // a question creates nothing
    output_release(&output);
    free(line);
    free(missing);
}

static void test_negative_time(void **state)
{
    char *folder = make_cache(*state, 0);
    stats_record(folder, STATS_DIRECT_HIT, BYPASS_NONE, -90300000000);
    check_run(*state, cmd_stats, "stats --json", 0, "\"time_saved_s\": -0.050,");
    check_run(*state, cmd_stats, "stats", 0, "Time saved          -0.0 s\n");
    free(folder);
}

static void test_stats_for_people(void **state)
{
    char *folder = make_cache(*state, 3);
    assert_int_equal(setenv("HL_CACHE_MAX_SIZE", "6000", 1), 0);
    struct output output = run(*state, cmd_stats, "stats");
    assert_int_equal(output.status, 0);
    check_contains(output.out, folder);
    check_contains(output.out, "Hits                         3 (75.0 %)\n");
    check_contains(output.out, "  own-main                   2  the generator's main()");
    check_contains(output.out, "Size                2.9 KiB of 5.9 KiB (50.0 %)\n");
    check_contains(output.out, "Time saved          1 min 30 s\n");
    output_release(&output);
    free(folder);
}

static void test_prune(void **state)
{
    char *folder = make_cache(*state, 10);
    check_run(*state, cmd_prune, "prune", 0, "Removed 0 files (0 bytes). 10 files are");
    assert_int_equal(setenv("HL_CACHE_MAX_SIZE", "1K", 1), 0);
    check_run(*state, cmd_prune, "prune", 0,
              "Removed 9 files (8.8 KiB). 1 file is left (1000 bytes of 1.0 KiB).\n");
    char *lock = scratch_path(folder, ".lock");
    int handle = -1;
    assert_int_equal(os_lock_try(lock, &handle), LOCK_TAKEN);
    check_run(*state, cmd_prune, "prune", 0, "Another process is pruning");
    os_lock_release(handle, lock, true);
    free(lock);
    free(folder);
}

static void test_clear(void **state)
{
    char *folder = make_cache(*state, 2);
    check_run(*state, cmd_clear, "clear", 0, "Removed 2 files (2.0 KiB) and the stat");
    assert_int_equal(scratch_count(folder), 1); // CACHEDIR.TAG
    check_run(*state, cmd_clear, "clear", 0, "Removed 0 files (0 bytes)");
    assert_true(os_remove_tree(folder, NULL));
    check_run(*state, cmd_clear, "clear", 0, "There is no cache in");
    free(folder);
}

static void test_clear_refuses_other_folders(void **state)
{
    char *home = scratch_path(*state, "home");
    char *letter = scratch_path(home, "letter.txt");
    assert_true(os_make_directories(home, NULL));
    scratch_write(letter, "Dear ...");
    char *line = mem_printf("clear --dir %s", home);
    check_run(*state, cmd_clear, line, 1, "does not look like a folder that HalideCache");
    assert_true(scratch_exists(letter));
    free(line);
    line = mem_printf("clear --dir=%s", letter);
    check_run(*state, cmd_clear, line, 1, letter);
    assert_true(scratch_exists(letter));
    free(line);
    free(letter);
    free(home);
}

static void test_wrong_command_lines(void **state)
{
    check_run(*state, cmd_stats, "stats", 2, "set HL_CACHE_DIR");
    check_run(*state, cmd_prune, "prune", 2, "set HL_CACHE_DIR");
    check_run(*state, cmd_clear, "clear", 2, "set HL_CACHE_DIR");
    check_run(*state, cmd_clear, "clear --dir=", 2, "set HL_CACHE_DIR");
    check_run(*state, cmd_stats, "stats --dir", 2, "--dir needs a folder");
    check_run(*state, cmd_stats, "stats --fast", 2, "unknown argument \"--fast\"");
    check_run(*state, cmd_stats, "stats folder", 2, "unknown argument \"folder\"");
    check_run(*state, cmd_prune, "prune --json", 2, "unknown argument \"--json\"");
    check_run(*state, cmd_clear, "clear --all", 2, "halide-cache clear --help");
    char *file = scratch_path(*state, "file");
    scratch_write(file, "x");
    char *line = mem_printf("stats --dir %s", file);
    check_run(*state, cmd_stats, line, 1, "is not a folder");
    free(line);
    free(file);
}

static void test_help(void **state)
{
    check_run(*state, cmd_stats, "stats --help", 0, "usage: halide-cache stats");
    check_run(*state, cmd_prune, "prune -h", 0, "usage: halide-cache prune");
    check_run(*state, cmd_clear, "clear --help", 0, "usage: halide-cache clear");
}

static void test_warning_about_settings(void **state)
{
    char *folder = make_cache(*state, 0);
    assert_int_equal(setenv("HL_CACHE_MAX_SIZE", "10GB", 1), 0);
    struct output output = run(*state, cmd_stats, "stats --json");
    assert_int_equal(output.status, 0);
    check_contains(output.err, "halide-cache: warning: HL_CACHE_MAX_SIZE");
    check_contains(output.out, "\"max_size_bytes\": 1073741824,");
    output_release(&output);
    free(folder);
}

#define admin_test(test) cmocka_unit_test_setup_teardown(test, setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        admin_test(test_json),
        admin_test(test_json_of_nothing),
        admin_test(test_negative_time),
        admin_test(test_stats_for_people),
        admin_test(test_prune),
        admin_test(test_clear),
        admin_test(test_clear_refuses_other_folders),
        admin_test(test_wrong_command_lines),
        admin_test(test_help),
        admin_test(test_warning_about_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
