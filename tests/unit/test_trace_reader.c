// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "trace_reader.h"

#include "scratch.h"

static void append_string(struct buffer *to, const char *text)
{
    buffer_append_sized(to, text, strlen(text));
    buffer_append_u8(to, 0);
}

static void append_record(struct buffer *to, uint32_t tag, uint32_t number,
                          const char *text, const char *second)
{
    buffer_append_u32(to, tag);
    buffer_append_u32(to, number);
    append_string(to, text);
    append_string(to, second);
}

static void append_batch(struct buffer *to)
{
    buffer_append_u32(to, TRACE_VERSION);
    append_record(to, TRACE_READ, 0, "/a", "");
    append_record(to, TRACE_LINK, 0, "/b", "c");
    append_record(to, TRACE_FAILED, 13, "/d", "");
    append_record(to, TRACE_SETS, 0, "", "");
    append_record(to, TRACE_END, 0, "", "");
}

static void check_next(struct trace_reader *reader, enum trace_tag tag, uint32_t number,
                       const char *text, const char *second)
{
    struct trace_record record;
    assert_true(trace_reader_next(reader, &record));
    assert_int_equal(record.tag, tag);
    assert_int_equal(record.number, number);
    assert_string_equal(record.text, text);
    assert_string_equal(record.second, second);
}

static void check_batch(struct trace_reader *reader)
{
    check_next(reader, TRACE_READ, 0, "/a", "");
    check_next(reader, TRACE_LINK, 0, "/b", "c");
    check_next(reader, TRACE_FAILED, 13, "/d", "");
    check_next(reader, TRACE_SETS, 0, "", "");
}

static bool read_to_the_end(const void *data, size_t size, size_t *count)
{
    struct trace_reader reader = trace_reader_make(data, size);
    struct trace_record record;
    *count = 0;
    while (trace_reader_next(&reader, &record)) {
        ++*count;
    }
    return trace_reader_is_complete(&reader);
}

static void test_batches_are_read(void **state)
{
    (void)state;
    struct buffer bytes = {0};
    append_batch(&bytes);
    append_batch(&bytes);
    struct trace_reader reader = trace_reader_make(bytes.data, bytes.size);
    struct trace_record record;
    check_batch(&reader);
    assert_false(trace_reader_is_complete(&reader));
    check_batch(&reader);
    assert_false(trace_reader_is_complete(&reader));
    assert_false(trace_reader_next(&reader, &record));
    assert_true(trace_reader_is_complete(&reader));
    assert_false(trace_reader_next(&reader, &record));
    buffer_release(&bytes);
}

static void test_nothing_is_not_complete(void **state)
{
    (void)state;
    size_t count = 0;
    assert_false(read_to_the_end(NULL, 0, &count));
    assert_int_equal(count, 0);
}

static void test_cut_bytes_are_not_complete(void **state)
{
    (void)state;
    struct buffer bytes = {0};
    size_t count = 0;
    append_batch(&bytes);
    const size_t size = bytes.size;
    append_batch(&bytes);
    for (size_t i = 0; i <= bytes.size; i++) {
        // In memory of its own, so that reading beyond the end is noticed.
        unsigned char *copy = mem_new(i, 1);
        memcpy(copy, bytes.data, i);
        assert_int_equal(read_to_the_end(copy, i, &count), i == size || i == bytes.size);
        free(copy);
    }
    buffer_release(&bytes);
}

static void check_damaged(const struct buffer *bytes)
{
    size_t count = 0;
    assert_false(read_to_the_end(bytes->data, bytes->size, &count));
}

static void test_damage_is_noticed(void **state)
{
    (void)state;
    struct buffer bytes = {0};
    append_batch(&bytes);
    bytes.data[0]++; // the version
    check_damaged(&bytes);
    bytes.data[0]--;
    bytes.data[4] = TRACE_TAGS; // the first tag
    check_damaged(&bytes);
    bytes.data[4] = TRACE_READ;
    bytes.data[12]++; // the first length: the NUL is one of its bytes
    check_damaged(&bytes);
    bytes.data[12] -= 2;
    check_damaged(&bytes);
    bytes.data[12]++;
    bytes.data[19] = 0xff; // far beyond the end
    check_damaged(&bytes);
    bytes.data[19] = 0;
    bytes.data[20] = 0; // a NUL in the text
    check_damaged(&bytes);
    bytes.data[20] = '/';
    size_t count = 0;
    assert_true(read_to_the_end(bytes.data, bytes.size, &count));
    buffer_append_u8(&bytes, 0); // something behind it
    check_damaged(&bytes);
    buffer_release(&bytes);
}

static void test_every_change_of_a_byte_is_survived(void **state)
{
    (void)state;
    struct buffer bytes = {0};
    append_batch(&bytes);
    for (size_t i = 0; i < bytes.size * 8; i++) {
        size_t count = 0;
        unsigned char *copy = mem_new(bytes.size, 1);
        memcpy(copy, bytes.data, bytes.size);
        copy[i / 8] ^= (unsigned char)(1U << (i % 8));
        (void)read_to_the_end(copy, bytes.size, &count);
        assert_true(count <= 5);
        free(copy);
    }
    buffer_release(&bytes);
}

static void test_tags_have_texts(void **state)
{
    (void)state;
    for (int tag = TRACE_END; tag < TRACE_TAGS; tag++) {
        assert_non_null(trace_tag_text((enum trace_tag)tag));
    }
    assert_non_null(trace_tag_text(TRACE_TAGS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_batches_are_read),
        cmocka_unit_test(test_nothing_is_not_complete),
        cmocka_unit_test(test_cut_bytes_are_not_complete),
        cmocka_unit_test(test_damage_is_noticed),
        cmocka_unit_test(test_every_change_of_a_byte_is_survived),
        cmocka_unit_test(test_tags_have_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
