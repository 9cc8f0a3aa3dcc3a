// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "request.h"

#include "scratch.h"

enum { MOST_ARGUMENTS = 24 };

// Splits at '|': arguments may hold spaces.
static int split_arguments(char *line, char *argv[MOST_ARGUMENTS])
{
    int argc = 0;
    for (char *piece = line; piece != NULL && argc < MOST_ARGUMENTS; argc++) {
        char *end = strchr(piece, '|');
        argv[argc] = piece;
        if (end != NULL) {
            *end++ = '\0';
        }
        piece = end;
    }
    return argc;
}

// The request as one line, to compare whole.
static char *describe(const struct request *request)
{
    struct buffer text = {0};
    buffer_append_string(&text, request->is_runtime ? "runtime" : "generator");
    char *names =
        mem_printf(" %s %s %s %s t=%s d=%d v=%d kinds=", request->generator,
                   request->function, request->base_name, request->output_folder,
                   request->timeout, request->gradient, request->verbose);
    buffer_append_string(&text, names);
    free(names);
    for (int i = 0; i < OUTPUT_KINDS; i++) {
        if ((request->kinds >> i & 1) != 0) {
            buffer_append_string(&text, output_kind_name((enum output_kind)i));
            buffer_append_u8(&text, ',');
        }
    }
    for (size_t i = 0; i < request->param_count; i++) {
        char *param =
            mem_printf(" %s=[%s]", request->params[i].name, request->params[i].value);
        buffer_append_string(&text, param);
        free(param);
    }
    for (size_t i = 0; i < request->target_count; i++) {
        buffer_append_string(&text, " @");
        buffer_append_string(&text, request->targets[i]);
    }
    for (size_t i = 0; i < request->plugin_count; i++) {
        buffer_append_string(&text, " +");
        buffer_append_string(&text, request->plugins[i]);
    }
    buffer_append_u8(&text, '\0');
    return (char *)text.data;
}

static void check_one(const char *arguments, const char *extra, const char *expected)
{
    char *line = mem_strdup(arguments);
    char *argv[MOST_ARGUMENTS];
    const int argc = split_arguments(line, argv);
    struct request request;
    struct error error = {""};
    if (!request_parse(&request, argc, argv, extra, &error)) {
        fail_msg("'%s' is refused: %s", arguments, error.text);
    }
    char *description = describe(&request);
    assert_string_equal(description, expected);
    free(description);
    request_release(&request);
    free(line);
}

static void check_refused(const char *arguments)
{
    char *line = mem_strdup(arguments);
    char *argv[MOST_ARGUMENTS];
    const int argc = split_arguments(line, argv);
    struct request request;
    struct error error = {""};
    if (request_parse(&request, argc, argv, NULL, &error)) {
        fail_msg("'%s' is accepted", arguments);
    }
    assert_true(error.text[0] != '\0');
    request_release(&request);
    free(line);
}

static void test_what_cmake_emits(void **state)
{
    (void)state;
    check_one("-n|blur|-d|0|-g|blur_gen|-f|blur|-e|c_header,object|-o|.|"
              "target=host-no_runtime",
              NULL,
              "generator blur_gen blur blur . t=900 d=0 v=0 kinds=c_header,object, "
              "@host-no_runtime");
    check_one("-n|a|-d|1|-g|g|-f|ns::a|-e|object|-p|/x/liba.so,b|-o|.|"
              "target=x86-64-linux-avx2,x86-64-linux|autoscheduler=A|z=1|b=2",
              NULL,
              "generator g ns::a a . t=900 d=1 v=0 kinds=object, autoscheduler=[A] b=[2] "
              "z=[1] @x86-64-linux-avx2 @x86-64-linux +/x/liba.so +b");
    check_one("-r|rt|-o|.|-e|object|target=host", NULL,
              "runtime   rt . t=900 d=0 v=0 kinds=object, @host");
}

static void test_defaults(void **state)
{
    (void)state;
    check_one("-g|g|-o|out|target=host", NULL,
              "generator g g g out t=900 d=0 v=0 "
              "kinds=c_header,registration,static_library, @host");
    check_one("-g|g|-o|out|target=host|-e|", NULL,
              "generator g g g out t=900 d=0 v=0 "
              "kinds=c_header,registration,static_library, @host");
    check_one("-g|g|-f|a::b::c|-o|out|target=host|-e|o", NULL,
              "generator g a::b::c c out t=900 d=0 v=0 kinds=object, @host");
}

static void test_later_ones_win(void **state)
{
    (void)state;
    check_one("-g|a|-g|b|-o|x|-o|y|target=host|target=arm-64-linux|p=1|p=2|-e|o|-e|h",
              NULL,
              "generator b b b y t=900 d=0 v=0 kinds=c_header, p=[2] @arm-64-linux");
}

static void test_older_kind_names(void **state)
{
    (void)state;
    check_one("-g|g|-o|.|target=host|-e|o,h,html,cpp,py.c", NULL,
              "generator g g g . t=900 d=0 v=0 "
              "kinds=c_header,c_source,object,python_extension,stmt_html, @host");
}

static void test_extra_outputs(void **state)
{
    (void)state;
    check_one("-g|g|-o|.|target=host|-e|o", "stmt,assembly",
              "generator g g g . t=900 d=0 v=0 kinds=assembly,object,stmt, @host");
    check_one("-g|g|-o|.|target=host", "stmt",
              "generator g g g . t=900 d=0 v=0 kinds=stmt, @host");
    check_one("-g|g|-o|.|target=host|-e|o", "",
              "generator g g g . t=900 d=0 v=0 kinds=object, @host");
}

static void test_odd_values(void **state)
{
    (void)state;
    check_one("-g|g|-o|a b/$x|target=host|-e|o|p=a b;c\"d\"$e\\f|q=\xc3\xa4", NULL,
              "generator g g g a b/$x t=900 d=0 v=0 kinds=object, p=[a b;c\"d\"$e\\f] "
              "q=[\xc3\xa4] @host");
    check_one("-g|g|-o|.|target=host|-e|o|-p|,a,,b,", NULL,
              "generator g g g . t=900 d=0 v=0 kinds=object, @host +a +b");
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "",
        "-g|g|-o|.",                                  // no target
        "-o|.|target=host",                           // neither -g nor -r
        "-g|g|-r|r|-o|.|target=host",                 // both
        "-g|g|target=host",                           // no -o
        "-g|g|-o||target=host",                       // empty -o
        "-g|g|-o|.|target=host|-x|1",                 // unknown flag
        "-g|g|-o|.|target=host|-s|Adams2019",         // no longer a flag
        "-g|g|-o|.|target=host|-e",                   // no value
        "-g|g|-o|.|target=host|-",                    // no flag at all
        "-g|g|-o|.|target=host|--help",               //
        "-g|g|-o|.|target=host|word",                 // no '='
        "-g|g|-o|.|target=host|",                     // an empty argument
        "-g|g|-o|.|target=host|p=",                   // an empty value
        "-g|g|-o|.|target=host|=v",                   // an empty name
        "-g|g|-o|.|target=host|a=b=c",                // two '='
        "-g|g|-o|.|target=host|-e|object,",           // an empty kind
        "-g|g|-o|.|target=host|-e|,object",           //
        "-g|g|-o|.|target=host|-e|OBJECT",            // kinds are lower case
        "-g|g|-o|.|target=host|-e|nonsense",          //
        "-g|g|-o|.|target=host|-d|2",                 //
        "-g|g|-o|.|target=host|-v|yes",               //
        "-g|g|-o|.|target=host|-t|abc",               //
        "-g|g|-o|.|target=host|-t|-1",                //
        "-g|g|-o|.|target=host|-t|99999999999999999", //
        "-g|g|-n|a/b|-o|.|target=host",               // a base name is no path
        "-g|g|-n|a\\b|-o|.|target=host",              //
        "-g|g|-o|.|target=host,host",                 // twice the same
        "-g|g|-o|.|target=host,",                     // an empty target
        "-g|g|-o|.|target=a/b",                       //
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        check_refused(lines[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_cmake_emits), cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_later_ones_win),   cmocka_unit_test(test_older_kind_names),
        cmocka_unit_test(test_extra_outputs),    cmocka_unit_test(test_odd_values),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
