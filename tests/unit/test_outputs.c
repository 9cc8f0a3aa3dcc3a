// SPDX-License-Identifier: MIT
//
// The expected names are what the generators of Halide 19.0.0 and 21.0.0 wrote.

#define _GNU_SOURCE

#include "outputs.h"

#include "scratch.h"

static void check_one(const char *kinds, const char *targets, const char *base,
                      bool is_runtime, const char *expected)
{
    char *target = mem_printf("target=%s", targets);
    char *argv[] = {(char *)(is_runtime ? "-r" : "-n"),
                    (char *)base,
                    "-o",
                    "out",
                    "-e",
                    (char *)kinds,
                    target,
                    "-g",
                    "g"};
    struct request request;
    assert_true(request_parse(&request, is_runtime ? 7 : 9, argv, NULL, NULL));
    struct outputs outputs = outputs_of_request(&request);
    struct buffer text = {0};
    for (size_t i = 0; i < outputs.count; i++) {
        buffer_append_string(&text, outputs.list[i].role);
        buffer_append_u8(&text, '=');
        buffer_append_string(&text, outputs.list[i].path);
        buffer_append_u8(&text, ' ');
    }
    buffer_append_u8(&text, '\0');
    assert_string_equal((const char *)text.data, expected);
    buffer_release(&text);
    outputs_release(&outputs);
    request_release(&request);
    free(target);
}

static void test_one_target(void **state)
{
    (void)state;
    check_one("object,c_header", "host", "base", false,
              "c_header=out/base.h object=out/base.o ");
    check_one("assembly,bitcode,c_source,conceptual_stmt,conceptual_stmt_html,"
              "function_info_header,llvm_assembly,python_extension,pytorch_wrapper,"
              "registration,schedule,static_library,stmt,stmt_html,featurization",
              "host", "base", false,
              "assembly=out/base.s bitcode=out/base.bc "
              "c_source=out/base.halide_generated.cpp "
              "conceptual_stmt=out/base.conceptual.stmt "
              "conceptual_stmt_html=out/base.conceptual.stmt.html "
              "featurization=out/base.featurization "
              "function_info_header=out/base.function_info.h llvm_assembly=out/base.ll "
              "python_extension=out/base.py.cpp pytorch_wrapper=out/base.pytorch.h "
              "registration=out/base.registration.cpp schedule=out/base.schedule.h "
              "static_library=out/base.a stmt=out/base.stmt "
              "stmt_html=out/base.stmt.html ");
}

static void test_several_targets(void **state)
{
    (void)state;
    check_one("object,c_header,stmt", "x86-64-linux-avx2,x86-64-linux", "base", false,
              "c_header=out/base.h object/0=out/base-x86-64-linux-avx2.o "
              "object/1=out/base-x86-64-linux.o object/wrapper=out/base_wrapper.o "
              "object/runtime=out/base_runtime.o "
              "stmt/0=out/base-x86-64-linux-avx2.stmt "
              "stmt/1=out/base-x86-64-linux.stmt ");
    check_one("object", "x86-64-linux-avx2-no_runtime,x86-64-linux-no_runtime", "base",
              false,
              "object/0=out/base-x86-64-linux-avx2-no_runtime.o "
              "object/1=out/base-x86-64-linux-no_runtime.o "
              "object/wrapper=out/base_wrapper.o ");
    check_one("static_library,c_source,registration", "x86-64-linux-avx2,x86-64-linux",
              "base", false,
              "c_source=out/base.halide_generated.cpp "
              "registration=out/base.registration.cpp static_library=out/base.a ");
}

static void test_suffix_goes_before_the_first_dot(void **state)
{
    (void)state;
    check_one("object", "x86-64-linux-avx2-no_runtime,x86-64-linux-no_runtime", "a.b",
              false,
              "object/0=out/a-x86-64-linux-avx2-no_runtime.b.o "
              "object/1=out/a-x86-64-linux-no_runtime.b.o "
              "object/wrapper=out/a_wrapper.b.o ");
}

static void test_windows(void **state)
{
    (void)state;
    check_one("object,static_library", "x86-64-windows", "base", false,
              "object=out/base.obj static_library=out/base.lib ");
}

static void test_runtime(void **state)
{
    (void)state;
    check_one("object", "host", "rt", true, "object=out/rt.o ");
    check_one("object", "x86-64-linux-avx2,x86-64-linux", "rt", true, "object=out/rt.o ");
    check_one("", "host", "rt", true, "static_library=out/rt.a ");
    check_one("python_extension,c_header,stmt", "host", "rt", true,
              "python_extension=out/rt.py.cpp ");
    check_one("c_header", "host", "rt", true, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_target),
        cmocka_unit_test(test_several_targets),
        cmocka_unit_test(test_suffix_goes_before_the_first_dot),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_runtime),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
