// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "bypass.h"
#include "settings.h"

#include "scratch.h"

static const uint64_t invalid = UINT64_MAX - 12345; // no result of any test

static void check_size(const char *text, uint64_t expected)
{
    uint64_t bytes = invalid;
    assert_int_equal(settings_parse_size(text, &bytes), expected != invalid);
    assert_true(bytes == expected);
}

static void test_sizes(void **state)
{
    (void)state;
    check_size("0", 0);
    check_size("1", 1);
    check_size("007", 7);
    check_size("123456789012", 123456789012);
    check_size("1K", 1024);
    check_size("1k", 1024);
    check_size("3M", (uint64_t)3 << 20);
    check_size("3m", (uint64_t)3 << 20);
    check_size("10G", (uint64_t)10 << 30);
    check_size("10g", (uint64_t)10 << 30);
    check_size("0G", 0);
    check_size("18446744073709551615", UINT64_MAX);
    check_size("17179869183G", (uint64_t)17179869183 << 30);
}

static void test_wrong_sizes(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        " ",
        "K",
        "G",
        "10GB",
        "10KiB",
        "10T",
        "1.5G",
        "1,5G",
        "abc",
        "-1",
        "+1",
        " 1",
        "1 ",
        "1 G",
        "1GG",
        "1G ",
        "0x10",
        "1e9",
        "10b",
        "1KM",
        "\n",
        "1\n",
        "1G\n",
        "١",
        "NaN",
        "--",
        "18446744073709551616",
        "99999999999999999999999999",
        "17179869184G",
        "18014398509481984K",
        "17592186044416M",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        check_size(texts[i], invalid);
    }
}

static void check_seconds(const char *text, uint64_t expected)
{
    uint64_t seconds = invalid;
    assert_int_equal(settings_parse_seconds(text, &seconds), expected != invalid);
    assert_true(seconds == expected);
}

static void test_seconds(void **state)
{
    (void)state;
    check_seconds("0", 0);
    check_seconds("604800", 604800);
    check_seconds("18446744073709551615", UINT64_MAX);
    check_seconds("18446744073709551616", invalid);
    check_seconds("", invalid);
    check_seconds("7d", invalid);
    check_seconds("1K", invalid);
    check_seconds("1.5", invalid);
    check_seconds("-1", invalid);
    check_seconds(" 1", invalid);
}

struct complaints {
    int count;
    char last[1024];
};

static void note_complaint(void *context, const char *message)
{
    struct complaints *complaints = context;
    complaints->count++;
    (void)snprintf(complaints->last, sizeof complaints->last, "%s", message);
}

static void unset_all(void)
{
    (void)unsetenv("HL_CACHE_MAX_SIZE");
    (void)unsetenv("HL_CACHE_MAX_AGE");
    (void)unsetenv("HALIDE_CACHE_PROBE_TIMEOUT");
    (void)unsetenv("HALIDE_CACHE_WAIT");
}

// Reads the settings with one variable set, or none, and compares the complaint's parts.
static struct settings check_environment(const char *name, const char *value,
                                         const char *accepted, const char *fallback)
{
    unset_all();
    if (name != NULL) {
        assert_int_equal(setenv(name, value, 1), 0);
    }
    struct complaints complaints = {0};
    struct settings settings;
    settings_from_environment(&settings, note_complaint, &complaints);
    assert_int_equal(complaints.count, accepted != NULL);
    if (accepted != NULL) {
        char *start = mem_printf("%s is set to \"%s\"", name, value);
        assert_memory_equal(complaints.last, start, strlen(start));
        assert_non_null(strstr(complaints.last, accepted));
        assert_non_null(strstr(complaints.last, fallback));
        free(start);
    }
    unset_all();
    return settings;
}

static void check_default(const char *name, const char *value, const char *accepted,
                          const char *fallback)
{
    const struct settings settings = check_environment(name, value, accepted, fallback);
    assert_true(settings.max_size == (uint64_t)1 << 30);
    assert_true(settings.max_age_s == 0);
    assert_int_equal(settings.timeout_ms, 60000);
    assert_int_equal(settings.wait_ms, 120000);
}

static void test_defaults(void **state)
{
    (void)state;
    check_default(NULL, NULL, NULL, NULL);
}

static void test_accepted_variables(void **state)
{
    (void)state;
    struct settings settings = check_environment("HL_CACHE_MAX_SIZE", "5M", NULL, NULL);
    assert_true(settings.max_size == (uint64_t)5 << 20);
    settings = check_environment("HL_CACHE_MAX_AGE", "3600", NULL, NULL);
    assert_true(settings.max_age_s == 3600);
    settings = check_environment("HALIDE_CACHE_PROBE_TIMEOUT", "5", NULL, NULL);
    assert_int_equal(settings.timeout_ms, 5000);
    settings = check_environment("HALIDE_CACHE_PROBE_TIMEOUT", "4294967", NULL, NULL);
    assert_true(settings.timeout_ms == 4294967000);
    settings = check_environment("HALIDE_CACHE_WAIT", "7", NULL, NULL);
    assert_int_equal(settings.wait_ms, 7000);
    settings = check_environment("HALIDE_CACHE_WAIT", "0", NULL, NULL); // do not wait
    assert_int_equal(settings.wait_ms, 0);
}

static void test_complaints(void **state)
{
    (void)state;
    static const char *const sizes[] = {"10GB", "abc", "-1", "", "99999999999999999999"};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        check_default("HL_CACHE_MAX_SIZE", sizes[i], "K, M or G", "1G");
    }
    static const char *const ages[] = {"7d", "", "1.5", "-1", "1K"};
    for (size_t i = 0; i < sizeof ages / sizeof ages[0]; i++) {
        check_default("HL_CACHE_MAX_AGE", ages[i], "seconds", "no limit");
    }
    static const char *const timeouts[] = {"0", "", "1m", "-5", "4294968"};
    for (size_t i = 0; i < sizeof timeouts / sizeof timeouts[0]; i++) {
        check_default("HALIDE_CACHE_PROBE_TIMEOUT", timeouts[i], "seconds", "60");
    }
    static const char *const waits[] = {"", "1m", "-5", "4294968"};
    for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++) {
        check_default("HALIDE_CACHE_WAIT", waits[i], "seconds", "120");
    }
}

static void test_complaints_of_all_variables(void **state)
{
    (void)state;
    assert_int_equal(setenv("HL_CACHE_MAX_SIZE", "x", 1), 0);
    assert_int_equal(setenv("HL_CACHE_MAX_AGE", "x", 1), 0);
    assert_int_equal(setenv("HALIDE_CACHE_PROBE_TIMEOUT", "x", 1), 0);
    assert_int_equal(setenv("HALIDE_CACHE_WAIT", "x", 1), 0);
    struct complaints complaints = {0};
    struct settings settings;
    settings_from_environment(&settings, note_complaint, &complaints);
    assert_int_equal(complaints.count, 4);
    settings_from_environment(&settings, NULL, NULL);
    assert_true(settings.max_size == (uint64_t)1 << 30);
    unset_all();
}

// ---- bypass.h -----------------------------------------------------------------------

static void test_bypass_names(void **state)
{
    (void)state;
    for (int i = 0; i < BYPASS_REASONS; i++) {
        const char *name = bypass_name((enum bypass_reason)i);
        assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz-"), strlen(name));
        assert_string_not_equal(name, "unknown");
        assert_true(strlen(bypass_text((enum bypass_reason)i)) > 10);
        for (int other = 0; other < i; other++) {
            assert_string_not_equal(name, bypass_name((enum bypass_reason)other));
        }
    }
    assert_string_equal(bypass_name(BYPASS_OWN_MAIN), "own-main");
    assert_string_equal(bypass_name((enum bypass_reason)255), "unknown");
    assert_string_equal(bypass_name((enum bypass_reason) - 1), "unknown");
    assert_non_null(bypass_text((enum bypass_reason)255));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_wrong_sizes),
        cmocka_unit_test(test_seconds),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_accepted_variables),
        cmocka_unit_test(test_complaints),
        cmocka_unit_test(test_complaints_of_all_variables),
        cmocka_unit_test(test_bypass_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
