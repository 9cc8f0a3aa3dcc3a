// SPDX-License-Identifier: MIT
// Vectors: FIPS 180-2 appendix B (abc, 448 bits, a million a) and NIST's "SHA-256
// Additional Test Vectors" and its 896-bit example.

#define _GNU_SOURCE

#include "scratch.h"

static void check_one(const void *data, size_t size, const char *expected)
{
    struct digest digest;
    char hex[SHA256_HEX_SIZE];
    assert_true(sha256_of(data, size, &digest));
    digest_to_hex(&digest, hex);
    assert_string_equal(hex, expected);
}

static void check_text(const char *text, const char *expected)
{
    check_one(text, strlen(text), expected);
}

static void check_repeated(int byte, size_t count, const char *expected)
{
    unsigned char *data = mem_new(count, 1);
    memset(data, byte, count);
    check_one(data, count, expected);
    free(data);
}

static void test_published_vectors(void **state)
{
    (void)state;
    check_text("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check_text("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check_text("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
               "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    check_text("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
               "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
               "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    check_repeated('a', 1000000,
                   "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void test_odd_sizes(void **state)
{
    (void)state;
    check_one("\xbd", 1,
              "68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b");
    check_one("\xc9\x8c\x8e\x55", 4,
              "7abc22c0ae5af26ce93dbb94433a0e0b2e119d014f8e7f65bd56c61ccccd9504");
    check_repeated(0, 55,
                   "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7");
    check_repeated(0, 56,
                   "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb");
    check_repeated(0, 57,
                   "65a16cb7861335d5ace3c60718b5052e44660726da4cd13bb745381b235a1785");
    check_repeated(0, 64,
                   "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b");
    check_repeated(0, 1000,
                   "541b3e9daa09b20bf85fa273e5cbd3e80185aa4ec298e765db87742b70138a53");
    check_repeated(0x41, 1000,
                   "c2e686823489ced2017f6059b8b239318b6364f6dcd835d0a519105a1eadd6e4");
    check_repeated(0x55, 1005,
                   "f4d62ddec0f3dd90ea1380fa16a5ff8dc4c54b21740650f24afc4120903552b0");
}

static void test_pieces_make_the_whole(void **state)
{
    (void)state;
    unsigned char data[300];
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = (unsigned char)(i * 31);
    }
    struct digest whole;
    assert_true(sha256_of(data, sizeof data, &whole));
    struct sha256 *sha256 = sha256_new();
    assert_non_null(sha256);
    for (size_t split = 0; split <= sizeof data; split++) {
        struct digest digest;
        assert_true(sha256_update(sha256, data, split));
        assert_true(sha256_update(sha256, data + split, sizeof data - split));
        assert_true(sha256_finish(sha256, &digest)); // and ready for the next
        assert_true(digest_equal(&digest, &whole));
    }
    for (size_t i = 0; i < sizeof data; i++) {
        assert_true(sha256_update(sha256, data + i, 1));
    }
    struct digest digest;
    assert_true(sha256_finish(sha256, &digest));
    assert_true(digest_equal(&digest, &whole));
    sha256_free(sha256);
    sha256_free(NULL);
}

static void test_digest_equal_sees_every_bit(void **state)
{
    (void)state;
    const struct digest digest = scratch_key(1);
    for (size_t bit = 0; bit < 8 * SHA256_SIZE; bit++) {
        struct digest other = digest;
        assert_true(digest_equal(&digest, &other));
        other.bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_false(digest_equal(&digest, &other));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_vectors),
        cmocka_unit_test(test_odd_sizes),
        cmocka_unit_test(test_pieces_make_the_whole),
        cmocka_unit_test(test_digest_equal_sees_every_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
