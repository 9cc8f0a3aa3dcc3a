// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "entry.h"

#include "scratch.h"

// Where things are in the stored form, see entry.c.
enum { VERSION_AT = 8, FLAGS_AT = 12, SIZE_AT = 48, COUNT_AT = 64, TABLE_AT = 188 };

static const unsigned char object[] = "\x7f"
                                      "ELF\0object";

static struct entry_output outputs[] = {
    {"c_header", (const unsigned char *)"#pragma once\n", 13},
    {"object", object, sizeof object},
    {"empty", NULL, 0},
};

static struct entry sample(void)
{
    return (struct entry){.compile_ns = 1234567890123,
                          .components = "generator abc\ntarget def\n",
                          .outputs = outputs,
                          .output_count = sizeof outputs / sizeof outputs[0],
                          .out = (const unsigned char *)"said\n",
                          .out_size = 5,
                          .err = (const unsigned char *)"warned\n",
                          .err_size = 7};
}

static struct buffer encode(const struct entry *entry, const struct digest *key)
{
    struct buffer bytes = {0};
    assert_true(entry_encode(entry, key, &bytes, NULL));
    return bytes;
}

static void check_equal(const struct entry *a, const struct entry *b)
{
    assert_true(a->compile_ns == b->compile_ns);
    assert_string_equal(a->components, b->components);
    assert_int_equal(a->streams_joined, b->streams_joined);
    assert_int_equal(a->out_size, b->out_size);
    assert_true(a->out_size == 0 || memcmp(a->out, b->out, a->out_size) == 0);
    assert_int_equal(a->err_size, b->err_size);
    assert_true(a->err_size == 0 || memcmp(a->err, b->err, a->err_size) == 0);
    assert_int_equal(a->output_count, b->output_count);
    for (size_t i = 0; i < a->output_count; i++) {
        const struct entry_output *x = &a->outputs[i];
        const struct entry_output *y = &b->outputs[i];
        assert_string_equal(x->role, y->role);
        assert_int_equal(x->size, y->size);
        assert_true(x->size == 0 || memcmp(x->data, y->data, x->size) == 0);
    }
}

static void check_round_trip(const struct entry *entry)
{
    const struct digest key = scratch_key(1);
    struct buffer bytes = encode(entry, &key);
    struct entry decoded;
    struct error error = {""};
    assert_true(entry_decode(&decoded, &key, bytes.data, bytes.size, &error));
    check_equal(&decoded, entry);
    entry_release(&decoded);
    entry_release(&decoded);
    buffer_release(&bytes);
}

// The bytes as a copy of exactly their size, so that a sanitizer sees a read beyond.
static void check_rejected(const struct buffer *bytes, size_t size,
                           const struct digest *key, const char *expected)
{
    unsigned char *copy = malloc(size == 0 ? 1 : size);
    assert_non_null(copy);
    if (size > 0) {
        memcpy(copy, bytes->data, size);
    }
    struct entry decoded;
    struct error error = {""};
    assert_false(entry_decode(&decoded, key, copy, size, &error));
    assert_null(decoded.outputs);
    assert_int_not_equal(error.text[0], '\0');
    if (expected != NULL && strstr(error.text, expected) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", error.text, expected);
    }
    free(copy);
}

// ---- Round trips --------------------------------------------------------------------

static void test_round_trip(void **state)
{
    (void)state;
    struct entry entry = sample();
    check_round_trip(&entry);
    entry.compile_ns = UINT64_MAX;
    entry.components = "";
    entry.output_count = 1;
    check_round_trip(&entry);
}

static void test_joined_streams(void **state)
{
    (void)state;
    const struct digest key = scratch_key(1);
    struct entry entry = sample();
    entry.streams_joined = true;
    struct buffer bytes = {0};
    struct error error = {""};
    assert_false(entry_encode(&entry, &key, &bytes, &error)); // what would stderr be?
    assert_int_equal(bytes.size, 0);
    entry.err_size = 0;
    check_round_trip(&entry);
}

static void test_nothing_at_all(void **state)
{
    (void)state;
    const struct entry entry = {.components = ""};
    check_round_trip(&entry);
}

static void test_no_components(void **state)
{
    (void)state;
    const struct digest key = scratch_key(1);
    struct entry entry = sample();
    entry.components = NULL;
    struct buffer bytes = encode(&entry, &key);
    struct entry decoded;
    assert_true(entry_decode(&decoded, &key, bytes.data, bytes.size, NULL));
    assert_string_equal(decoded.components, "");
    entry_release(&decoded);
    buffer_release(&bytes);
}

static void test_many_and_large_outputs(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    unsigned char *data = mem_new(1, 100000);
    for (size_t i = 0; i < 100000; i++) {
        data[i] = (unsigned char)(i * i);
    }
    struct entry_output *many = mem_new(COUNT, sizeof *many);
    char **roles = mem_new(COUNT, sizeof *roles);
    for (size_t i = 0; i < COUNT; i++) {
        roles[i] = mem_printf("object/%zu", i);
        many[i] = (struct entry_output){roles[i], data + i, i * 50};
    }
    struct entry entry = sample();
    entry.outputs = many;
    entry.output_count = COUNT;
    check_round_trip(&entry);
    for (size_t i = 0; i < COUNT; i++) {
        free(roles[i]);
    }
    free(roles);
    free(many);
    free(data);
}

static void test_encode_appends(void **state)
{
    (void)state;
    const struct digest key = scratch_key(1);
    const struct entry entry = sample();
    struct buffer bytes = {0};
    buffer_append_string(&bytes, "before");
    assert_true(entry_encode(&entry, &key, &bytes, NULL));
    struct entry decoded;
    assert_true(entry_decode(&decoded, &key, bytes.data + 6, bytes.size - 6, NULL));
    check_equal(&decoded, &entry);
    entry_release(&decoded);
    buffer_release(&bytes);
}

// ---- Damage -------------------------------------------------------------------------

static void test_every_flipped_byte(void **state)
{
    (void)state;
    const struct digest key = scratch_key(1);
    const struct entry entry = sample();
    struct buffer bytes = encode(&entry, &key);
    static const unsigned char masks[] = {0x01, 0x80, 0xff};
    for (size_t at = 0; at < bytes.size; at++) {
        for (size_t i = 0; i < sizeof masks; i++) {
            bytes.data[at] ^= masks[i];
            check_rejected(&bytes, bytes.size, &key, NULL);
            bytes.data[at] ^= masks[i];
        }
    }
    struct entry decoded;
    assert_true(entry_decode(&decoded, &key, bytes.data, bytes.size, NULL));
    entry_release(&decoded);
    buffer_release(&bytes);
}

static void test_every_truncation(void **state)
{
    (void)state;
    const struct digest key = scratch_key(1);
    const struct entry entry = sample();
    struct buffer bytes = encode(&entry, &key);
    for (size_t size = 0; size < bytes.size; size++) {
        check_rejected(&bytes, size, &key, NULL);
    }
    buffer_append_u8(&bytes, 0);
    check_rejected(&bytes, bytes.size, &key, "longer than it was stored");
    buffer_release(&bytes);
}

static void test_what_errors_say(void **state)
{
    (void)state;
    const struct digest key = scratch_key(1);
    const struct digest other = scratch_key(2);
    const struct entry entry = sample();
    struct buffer bytes = encode(&entry, &key);
    check_rejected(&bytes, bytes.size, &other, "another key");
    bytes.data[VERSION_AT]++;
    check_rejected(&bytes, bytes.size, &key, "version 2");
    bytes.data[VERSION_AT]--;
    bytes.data[bytes.size - 1] ^= 1;
    check_rejected(&bytes, bytes.size, &key, "its object is damaged");
    bytes.data[bytes.size - 1] ^= 1;
    bytes.data[0] = 'x';
    check_rejected(&bytes, bytes.size, &key, "not an entry");
    buffer_release(&bytes);
}

// ---- Hostile files: with the right digests ------------------------------------------

static void put_u64(struct buffer *bytes, size_t at, uint64_t value)
{
    for (size_t i = 0; i < 8; i++) {
        bytes->data[at + i] = (unsigned char)(value >> 8 * i);
    }
}

// Makes the header's digest right again.
static void sign_header(struct buffer *bytes, size_t header_size)
{
    struct digest digest;
    assert_true(sha256_of(bytes->data, header_size, &digest));
    memcpy(bytes->data + header_size, digest.bytes, SHA256_SIZE);
}

static size_t header_size_of(const struct entry *entry)
{
    size_t size = TABLE_AT;
    for (size_t i = 0; i < entry->output_count; i++) {
        size += 8 + strlen(entry->outputs[i].role) + 1 + 8 + SHA256_SIZE;
    }
    return size;
}

static void check_hostile_u64(size_t at, uint64_t value)
{
    const struct digest key = scratch_key(1);
    const struct entry entry = sample();
    struct buffer bytes = encode(&entry, &key);
    put_u64(&bytes, at, value);
    sign_header(&bytes, header_size_of(&entry));
    check_rejected(&bytes, bytes.size, &key, NULL);
    buffer_release(&bytes);
}

static void test_hostile_lengths(void **state)
{
    (void)state;
    static const uint64_t values[] = {0,
                                      1,
                                      6,
                                      1000,
                                      UINT32_MAX,
                                      INT64_MAX,
                                      INT64_MAX + (uint64_t)1,
                                      UINT64_MAX,
                                      UINT64_MAX - 7,
                                      UINT64_MAX - TABLE_AT};
    const size_t first_role = TABLE_AT;
    const size_t first_output = TABLE_AT + 8 + 9;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        check_hostile_u64(SIZE_AT, values[i]);
        check_hostile_u64(COUNT_AT + 4, values[i]);      // components
        check_hostile_u64(COUNT_AT + 4 + 40, values[i]); // standard output
        check_hostile_u64(COUNT_AT + 4 + 80, values[i]); // standard error
        check_hostile_u64(first_role, values[i]);
        check_hostile_u64(first_output, values[i]);
    }
}

static void test_hostile_counts(void **state)
{
    (void)state;
    const struct digest key = scratch_key(1);
    const struct entry entry = sample();
    static const uint32_t counts[] = {0, 1, 2, 4, 5, 1000, 1 << 20, UINT32_MAX};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        struct buffer bytes = encode(&entry, &key);
        for (size_t byte = 0; byte < 4; byte++) {
            bytes.data[COUNT_AT + byte] = (unsigned char)(counts[i] >> 8 * byte);
        }
        sign_header(&bytes, header_size_of(&entry));
        check_rejected(&bytes, bytes.size, &key, NULL);
        buffer_release(&bytes);
    }
}

static void check_patched(size_t at, unsigned char value, const char *expected)
{
    const struct digest key = scratch_key(1);
    const struct entry entry = sample();
    struct buffer bytes = encode(&entry, &key);
    bytes.data[at] = value;
    sign_header(&bytes, header_size_of(&entry));
    check_rejected(&bytes, bytes.size, &key, expected);
    buffer_release(&bytes);
}

static void test_hostile_fields(void **state)
{
    (void)state;
    check_patched(FLAGS_AT, 2, "unknown flags");
    check_patched(FLAGS_AT + 3, 0x80, "unknown flags");
    check_patched(FLAGS_AT, 1, "do not fit"); // joined, and standard error not empty
    check_patched(TABLE_AT + 8 + 8, 'x', "header");  // a role without its NUL
    check_patched(TABLE_AT + 8 + 3, '\0', "header"); // and with two
}

// Random bytes behind a right start: any answer but a crash, and never a yes.
static void test_random_headers(void **state)
{
    (void)state;
    const struct digest key = scratch_key(1);
    const struct entry entry = sample();
    struct buffer bytes = encode(&entry, &key);
    const size_t header = header_size_of(&entry);
    for (unsigned round = 0; round < 20000; round++) {
        const struct digest random = scratch_key(1000 + round);
        struct buffer copy = {0};
        buffer_append(&copy, bytes.data, bytes.size);
        for (size_t i = 0; i < 8; i++) {
            const size_t at =
                COUNT_AT + (random.bytes[2 * i] + i * 256) % (header - COUNT_AT);
            copy.data[at] = random.bytes[2 * i + 1];
        }
        sign_header(&copy, header);
        if (memcmp(copy.data, bytes.data, bytes.size) != 0) {
            check_rejected(&copy, copy.size, &key, NULL);
        }
        buffer_release(&copy);
    }
    buffer_release(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_joined_streams),
        cmocka_unit_test(test_nothing_at_all),
        cmocka_unit_test(test_no_components),
        cmocka_unit_test(test_many_and_large_outputs),
        cmocka_unit_test(test_encode_appends),
        cmocka_unit_test(test_every_flipped_byte),
        cmocka_unit_test(test_every_truncation),
        cmocka_unit_test(test_what_errors_say),
        cmocka_unit_test(test_hostile_lengths),
        cmocka_unit_test(test_hostile_counts),
        cmocka_unit_test(test_hostile_fields),
        cmocka_unit_test(test_random_headers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
