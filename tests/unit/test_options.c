// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "options.h"

#include "scratch.h"

static enum options_result parse(struct run_options *options, struct error *error,
                                 char *const *argv)
{
    int argc = 0;
    while (argv[argc] != NULL) {
        argc++;
    }
    return run_options_parse(options, argc, argv, error);
}

static void test_forms(void **state)
{
    (void)state;
    struct run_options options;
    assert_int_equal(unsetenv("HL_CACHE_DIR"), 0);

    char *const separate[] = {"run",      "--dir", "d",   "--probe", "p",
                              "--restat", "--",    "gen", "-g",      NULL};
    assert_int_equal(parse(&options, NULL, separate), OPTIONS_OK);
    assert_string_equal(options.folder, "d");
    assert_string_equal(options.probe, "p");
    assert_true(options.restat);
    assert_int_equal(options.command_at, 7);

    char *const joined[] = {"run", "--dir=d=e", "--probe=p", "gen", "--dir", "x", NULL};
    assert_int_equal(parse(&options, NULL, joined), OPTIONS_OK);
    assert_string_equal(options.folder, "d=e");
    assert_false(options.restat);
    assert_int_equal(options.command_at, 3);
}

static void test_folder_from_environment(void **state)
{
    (void)state;
    struct run_options options;
    char *const bare[] = {"run", "--", "gen", NULL};
    char *const given[] = {"run", "--dir", "mine", "gen", NULL};
    assert_int_equal(setenv("HL_CACHE_DIR", "theirs", 1), 0);
    assert_int_equal(parse(&options, NULL, bare), OPTIONS_OK);
    assert_string_equal(options.folder, "theirs");
    assert_int_equal(parse(&options, NULL, given), OPTIONS_OK);
    assert_string_equal(options.folder, "mine");
    assert_int_equal(setenv("HL_CACHE_DIR", "", 1), 0);
    assert_int_equal(parse(&options, NULL, bare), OPTIONS_OK);
    assert_null(options.folder);
    assert_int_equal(unsetenv("HL_CACHE_DIR"), 0);
}

static void test_wrong(void **state)
{
    (void)state;
    static char *const lines[][6] = {
        {"run", NULL},
        {"run", "--", NULL},
        {"run", "--dir", NULL},
        {"run", "--dir=", "gen", NULL},
        {"run", "--dir", "", "gen", NULL},
        {"run", "--dirx", "d", "gen", NULL},
        {"run", "--restat=1", "gen", NULL},
        {"run", "-x", "gen", NULL},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct run_options options;
        struct error error = {""};
        assert_int_equal(parse(&options, &error, lines[i]), OPTIONS_BAD);
        assert_true(error.text[0] != '\0');
    }
}

static void test_help(void **state)
{
    (void)state;
    struct run_options options;
    char *const help[] = {"run", "--dir", "d", "--help", NULL};
    char *const of_the_generator[] = {"run", "gen", "--help", NULL};
    assert_int_equal(parse(&options, NULL, help), OPTIONS_HELP);
    assert_int_equal(parse(&options, NULL, of_the_generator), OPTIONS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_folder_from_environment),
        cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_help),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
