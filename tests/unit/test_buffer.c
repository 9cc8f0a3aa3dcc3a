// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "scratch.h"

static void check_bytes(const struct buffer *buffer, const void *bytes, size_t size)
{
    assert_int_equal(buffer->size, size);
    assert_memory_equal(buffer->data, bytes, size);
}

static void test_integers_are_little_endian(void **state)
{
    (void)state;
    struct buffer buffer = {0};
    buffer_append_u8(&buffer, 0x01);
    buffer_append_u32(&buffer, 0x02030405);
    buffer_append_u64(&buffer, 0x060708090a0b0c0d);
    check_bytes(&buffer, "\x01\x05\x04\x03\x02\x0d\x0c\x0b\x0a\x09\x08\x07\x06", 13);
    struct reader reader = reader_make(buffer.data, buffer.size);
    assert_int_equal(reader_u8(&reader), 0x01);
    assert_int_equal(reader_u32(&reader), 0x02030405);
    assert_true(reader_u64(&reader) == 0x060708090a0b0c0d);
    assert_false(reader.failed);
    assert_int_equal(reader.at, buffer.size);
    buffer_release(&buffer);
    assert_null(buffer.data);
    assert_int_equal(buffer.size, 0);
}

static void check_integer(uint64_t value)
{
    struct buffer buffer = {0};
    buffer_append_u64(&buffer, value);
    buffer_append_u32(&buffer, (uint32_t)value);
    buffer_append_u8(&buffer, (uint8_t)value);
    struct reader reader = reader_make(buffer.data, buffer.size);
    assert_true(reader_u64(&reader) == value);
    assert_true(reader_u32(&reader) == (uint32_t)value);
    assert_true(reader_u8(&reader) == (uint8_t)value);
    assert_false(reader.failed);
    buffer_release(&buffer);
}

static void test_integers_survive(void **state)
{
    (void)state;
    check_integer(0);
    check_integer(1);
    check_integer(127);
    check_integer(128);
    check_integer(UINT8_MAX);
    check_integer(UINT32_MAX);
    check_integer((uint64_t)UINT32_MAX + 1);
    check_integer(INT64_MAX);
    check_integer((uint64_t)1 << 63);
    check_integer(UINT64_MAX);
}

static void test_buffer_grows(void **state)
{
    (void)state;
    struct buffer buffer = {0};
    for (unsigned i = 0; i < 100000; i++) {
        buffer_append_u8(&buffer, (uint8_t)(i * 7));
    }
    assert_int_equal(buffer.size, 100000);
    for (unsigned i = 0; i < 100000; i++) {
        assert_int_equal(buffer.data[i], (uint8_t)(i * 7));
    }
    unsigned char *room = buffer_reserve(&buffer, 1000000);
    assert_ptr_equal(room, buffer.data + 100000);
    assert_true(buffer.capacity >= 1100000);
    assert_int_equal(buffer.size, 100000);
    buffer_release(&buffer);
    buffer_release(&buffer);
}

static void test_append_nothing(void **state)
{
    (void)state;
    struct buffer buffer = {0};
    buffer_append(&buffer, NULL, 0);
    buffer_append_string(&buffer, "");
    assert_int_equal(buffer.size, 0);
    buffer_append_string(&buffer, "text");
    check_bytes(&buffer, "text", 4);
    buffer_release(&buffer);
}

static void check_differs(const char *a1, const char *a2, const char *b1, const char *b2)
{
    struct buffer a = {0};
    struct buffer b = {0};
    buffer_append_sized(&a, a1, strlen(a1));
    buffer_append_sized(&a, a2, strlen(a2));
    buffer_append_sized(&b, b1, strlen(b1));
    buffer_append_sized(&b, b2, strlen(b2));
    assert_true(a.size != b.size || memcmp(a.data, b.data, a.size) != 0);
    buffer_release(&a);
    buffer_release(&b);
}

static void test_sized_strings_do_not_run_together(void **state)
{
    (void)state;
    check_differs("ab", "c", "a", "bc");
    check_differs("", "abc", "abc", "");
    check_differs("a", "", "", "a");
}

static void test_sized_strings_are_read_back(void **state)
{
    (void)state;
    struct buffer buffer = {0};
    buffer_append_sized(&buffer, "one", 3);
    buffer_append_sized(&buffer, "", 0);
    buffer_append_sized(&buffer, "t\0wo", 4);
    buffer_append_sized(&buffer, "three", 5);
    struct reader reader = reader_make(buffer.data, buffer.size);
    size_t size = 99;
    assert_memory_equal(reader_sized(&reader, &size), "one", 3);
    assert_int_equal(size, 3);
    assert_non_null(reader_sized(&reader, &size));
    assert_int_equal(size, 0);
    char *text = reader_new_string(&reader);
    assert_string_equal(text, "t");
    free(text);
    text = reader_new_string(&reader);
    assert_string_equal(text, "three");
    free(text);
    assert_false(reader.failed);
    assert_null(reader_new_string(&reader));
    assert_true(reader.failed);
    buffer_release(&buffer);
}

static void test_failed_reader_stays_failed(void **state)
{
    (void)state;
    struct reader reader = reader_make("\x01\x02\x03", 3);
    assert_int_equal(reader_u32(&reader), 0);
    assert_true(reader.failed);
    assert_int_equal(reader_u8(&reader), 0); // though there is one
    assert_true(reader_u64(&reader) == 0);
    assert_null(reader_bytes(&reader, 1));
    size_t size = 99;
    assert_null(reader_sized(&reader, &size));
    assert_int_equal(size, 0);
}

static void check_hostile_length(uint64_t length)
{
    struct buffer buffer = {0};
    buffer_append_u64(&buffer, length);
    buffer_append_string(&buffer, "12345678");
    struct reader reader = reader_make(buffer.data, buffer.size);
    size_t size = 99;
    assert_null(reader_sized(&reader, &size));
    assert_int_equal(size, 0);
    assert_true(reader.failed);
    buffer_release(&buffer);
}

static void test_hostile_lengths(void **state)
{
    (void)state;
    check_hostile_length(9);
    check_hostile_length(UINT32_MAX);
    check_hostile_length(SIZE_MAX - 7); // its end would wrap around to a small number
    check_hostile_length(SIZE_MAX);
    check_hostile_length((uint64_t)1 << 63);
}

static void test_empty_reader(void **state)
{
    (void)state;
    struct reader reader = reader_make(NULL, 0);
    assert_non_null(reader_bytes(&reader, 0));
    assert_false(reader.failed);
    assert_int_equal(reader_u8(&reader), 0);
    assert_true(reader.failed);
}

static void test_memory(void **state)
{
    (void)state;
    unsigned char *zeros = mem_new(10, 3);
    for (size_t i = 0; i < 30; i++) {
        assert_int_equal(zeros[i], 0);
    }
    free(zeros);
    free(mem_new(0, 8));
    char *text = mem_strndup("halide", 3);
    assert_string_equal(text, "hal");
    free(text);
    text = mem_printf("%s-%d-%0500d", "x", 7, 1);
    assert_int_equal(strlen(text), 504);
    assert_memory_equal(text, "x-7-000", 7);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers_are_little_endian),
        cmocka_unit_test(test_integers_survive),
        cmocka_unit_test(test_buffer_grows),
        cmocka_unit_test(test_append_nothing),
        cmocka_unit_test(test_sized_strings_do_not_run_together),
        cmocka_unit_test(test_sized_strings_are_read_back),
        cmocka_unit_test(test_failed_reader_stays_failed),
        cmocka_unit_test(test_hostile_lengths),
        cmocka_unit_test(test_empty_reader),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
