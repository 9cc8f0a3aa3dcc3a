// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "key.h"

#include "scratch.h"

struct field {
    const char *name;
    const char *value;
    size_t size;
};

#define FIELD(name, value)                                                               \
    {                                                                                    \
        name, value, sizeof(value) - 1                                                   \
    }

static struct digest digest_of(const char *mode, const struct field *fields, size_t count)
{
    struct key *key = key_new(mode);
    for (size_t i = 0; i < count; i++) {
        key_add(key, fields[i].name, fields[i].value, fields[i].size);
    }
    struct digest digest;
    assert_true(key_finish(key, &digest));
    key_free(key);
    return digest;
}

// Lists of fields that a careless concatenation would take for each other.
static void test_no_two_lists_collide(void **state)
{
    (void)state;
    static const struct {
        const char *mode;
        struct field fields[3];
        size_t count;
    } lists[] = {
        {"pipeline", {FIELD("", "")}, 0},
        {"direct", {FIELD("", "")}, 0},
        {"pipelin", {FIELD("e", "")}, 1},
        {"pipeline", {FIELD("", "")}, 1},
        {"pipeline", {FIELD("", ""), FIELD("", "")}, 2},
        {"pipeline", {FIELD("a", "b")}, 1},
        {"direct", {FIELD("a", "b")}, 1},
        {"pipeline", {FIELD("ab", "")}, 1},
        {"pipeline", {FIELD("", "ab")}, 1},
        {"pipeline", {FIELD("a", ""), FIELD("b", "")}, 2},
        {"pipeline", {FIELD("b", ""), FIELD("a", "")}, 2},
        {"pipeline", {FIELD("a", "b"), FIELD("c", "d")}, 2},
        {"pipeline", {FIELD("a", "bc"), FIELD("", "d")}, 2},
        {"pipeline", {FIELD("a", "bcd")}, 1},
        {"pipeline", {FIELD("a", "b"), FIELD("cd", "")}, 2},
        {"pipeline", {FIELD("a", "b\0")}, 1},
        {"pipeline", {FIELD("a", "\0b")}, 1},
        {"pipeline", {FIELD("a", "b"), FIELD("c", "d"), FIELD("", "")}, 3},
        {"pipeline", {FIELD("target/0", "host"), FIELD("target/1", "x")}, 2},
        {"pipeline", {FIELD("target/0", "x"), FIELD("target/1", "host")}, 2},
    };
    enum { LISTS = sizeof lists / sizeof lists[0] };
    struct digest digests[LISTS];
    for (size_t i = 0; i < LISTS; i++) {
        digests[i] = digest_of(lists[i].mode, lists[i].fields, lists[i].count);
        for (size_t j = 0; j < i; j++) {
            if (digest_equal(&digests[i], &digests[j])) {
                fail_msg("lists %zu and %zu have one key", i, j);
            }
        }
    }
}

// The value of a field that looks like the encoding of two must not be taken for them.
static void test_values_cannot_forge_fields(void **state)
{
    (void)state;
    struct digest of_b;
    assert_true(sha256_of("b", 1, &of_b));
    struct buffer forged = {0};
    buffer_append(&forged, of_b.bytes, sizeof of_b.bytes);
    buffer_append_sized(&forged, "c", 1);
    const struct field two[] = {FIELD("a", "b"), FIELD("c", "d")};
    const struct field one[] = {{"a", (const char *)forged.data, forged.size}};
    const struct digest a = digest_of("pipeline", two, 2);
    const struct digest b = digest_of("pipeline", one, 1);
    assert_false(digest_equal(&a, &b));
    buffer_release(&forged);
}

static void test_same_fields_same_key(void **state)
{
    (void)state;
    const struct field fields[] = {FIELD("a", "b"), FIELD("c", "d")};
    const struct digest a = digest_of("pipeline", fields, 2);
    const struct digest b = digest_of("pipeline", fields, 2);
    assert_true(digest_equal(&a, &b));
}

static void test_components(void **state)
{
    (void)state;
    struct key *key = key_new("pipeline");
    assert_string_equal(key_components(key), "");
    key_add_string(key, "name", "abc");
    key_add_string(key, "empty", "");
    assert_string_equal(
        key_components(key),
        "name ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n"
        "empty e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n");
    key_free(key);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_two_lists_collide),
        cmocka_unit_test(test_values_cannot_forge_fields),
        cmocka_unit_test(test_same_fields_same_key),
        cmocka_unit_test(test_components),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
