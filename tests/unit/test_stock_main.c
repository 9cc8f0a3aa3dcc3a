// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "stock_main.h"

#include "binaries.h"

#include <errno.h>

// ---- What toolchains make -----------------------------------------------------------

static void check_one(const char *expected, const char *path)
{
    struct error error = {"left over"};
    const bool stock = stock_main_in_file(path, &error);
    assert_string_equal(error.text, "");
    if (stock != (strcmp(expected, "stock") == 0)) {
        fail_msg("%s is not %s", path, expected);
    }
}

static void check_toolchain(const char *folder)
{
    assert_true(check_index(folder, check_one) > 0);
}

static void test_gcc(void **state)
{
    (void)state;
    check_toolchain(TEST_BINARIES "/stock-main/gcc");
}

static void test_clang(void **state)
{
    (void)state;
    check_toolchain(TEST_BINARIES "/stock-main/clang");
}

static void test_gcc_arm64(void **state)
{
    (void)state;
    check_toolchain(TEST_BINARIES "/stock-main/gcc-arm64");
}

static void test_clang_arm64(void **state)
{
    (void)state;
    check_toolchain(TEST_BINARIES "/stock-main/clang-arm64");
}

static void test_musl(void **state)
{
    (void)state;
    check_toolchain(TEST_BINARIES "/stock-main/musl");
}

static void test_gold(void **state)
{
    (void)state;
    check_toolchain(TEST_BINARIES "/stock-main/gold");
}

static void test_lld(void **state)
{
    (void)state;
    check_toolchain(TEST_BINARIES "/stock-main/lld");
}

static void test_mold(void **state)
{
    (void)state;
    check_toolchain(TEST_BINARIES "/stock-main/mold");
}

static void test_macos_x86_64(void **state)
{
    (void)state;
    check_toolchain(TEST_BINARIES "/stock-main/macos-x86_64");
}

static void test_macos_arm64(void **state)
{
    (void)state;
    check_toolchain(TEST_BINARIES "/stock-main/macos-arm64");
}

// ---- Fat files ----------------------------------------------------------------------

static void append_big_u32(struct buffer *buffer, size_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8) {
        buffer_append_u8(buffer, (uint8_t)(value >> shift));
    }
}

static struct buffer read_sample(const char *name)
{
    struct buffer content = {0};
    char *path = mem_printf("%s/stock-main/%s", TEST_BINARIES, name);
    const bool found = os_read_file(path, &content, NULL, NULL);
    free(path);
    if (!found) {
        (void)printf("no toolchain made %s\n", name);
        skip();
    }
    return content;
}

static void check_fat(const char *folder, const char *first, const char *second,
                      const char *expected)
{
    enum { ALIGNMENT = 16384 };
    struct buffer slices[2] = {read_sample(first), read_sample(second)};
    struct buffer fat = {0};
    append_big_u32(&fat, 0xcafebabe);
    append_big_u32(&fat, 2);
    size_t offset = ALIGNMENT;
    for (size_t i = 0; i < 2; i++) {
        buffer_append(&fat, slices[i].data + 7, 1); // cputype, which is little-endian
        buffer_append(&fat, "\0\0", 2);
        buffer_append(&fat, slices[i].data + 4, 1);
        append_big_u32(&fat, 0);
        append_big_u32(&fat, offset);
        append_big_u32(&fat, slices[i].size);
        append_big_u32(&fat, 14);
        offset += slices[i].size + (ALIGNMENT - slices[i].size % ALIGNMENT);
    }
    for (size_t i = 0; i < 2; i++) {
        while (fat.size % ALIGNMENT != 0) {
            buffer_append_u8(&fat, 0);
        }
        buffer_append(&fat, slices[i].data, slices[i].size);
        if (fat.size % ALIGNMENT == 0) {
            buffer_append_u8(&fat, 0);
        }
        buffer_release(&slices[i]);
    }
    char *path = scratch_path(folder, "fat");
    assert_true(os_write_file(path, fat.data, fat.size, NULL));
    check_one(expected, path);
    free(path);
    buffer_release(&fat);
}

static void test_fat(void **state)
{
    static const char x86_stock[] = "macos-x86_64/stock-O2-fPIE-fplt-none-lazy";
    static const char arm_stock[] = "macos-arm64/stock-O2-fPIE-fplt-none-lazy";
    check_fat(*state, x86_stock, arm_stock, "stock");
    check_fat(*state, x86_stock, "macos-arm64/own-O2-1", "own");
    check_fat(*state, "macos-x86_64/own-O2-2", arm_stock, "own");
}

// ---- Anything else ------------------------------------------------------------------

static void test_other_files(void **state)
{
    static const char *const texts[] = {"", "\177ELF", "#!/bin/sh\n", "MZ", "!<arch>\n"};
    char *path = scratch_path(*state, "file");
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        scratch_write(path, texts[i]);
        check_one("own", path);
    }
    free(path);
}

static void test_unreadable_files(void **state)
{
    char *missing = scratch_path(*state, "missing");
    struct error error = {""};
    assert_false(stock_main_in_file(missing, &error));
    assert_non_null(strstr(error.text, missing));
    assert_non_null(strstr(error.text, strerror(ENOENT)));
    error.text[0] = '\0';
    assert_false(stock_main_in_file(*state, &error));
    assert_non_null(strstr(error.text, *state));
    assert_false(stock_main_in_file(missing, NULL));
    free(missing);
}

static void check_no_crash(const char *path)
{
    struct error error = {""};
    (void)stock_main_in_file(path, &error);
    assert_string_equal(error.text, "");
}

static void check_damaged_sample(const char *folder, const char *name)
{
    struct buffer original = read_sample(name);
    check_damaged(folder, &original, check_no_crash);
    buffer_release(&original);
}

static void test_damaged_elf(void **state)
{
    check_damaged_sample(*state, "gcc/stock-O2-fPIE-fplt-none-lazy");
    check_damaged_sample(*state, "gcc/static-O2");
}

static void test_damaged_macho(void **state)
{
    check_damaged_sample(*state, "macos-arm64/stock-O2-fPIE-fplt-none-lazy");
    check_damaged_sample(*state, "macos-x86_64/static-O2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gcc),
        cmocka_unit_test(test_clang),
        cmocka_unit_test(test_gcc_arm64),
        cmocka_unit_test(test_clang_arm64),
        cmocka_unit_test(test_musl),
        cmocka_unit_test(test_gold),
        cmocka_unit_test(test_lld),
        cmocka_unit_test(test_mold),
        cmocka_unit_test(test_macos_x86_64),
        cmocka_unit_test(test_macos_arm64),
        scratch_test(test_fat),
        scratch_test(test_other_files),
        scratch_test(test_unreadable_files),
        scratch_test(test_damaged_elf),
        scratch_test(test_damaged_macho),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
