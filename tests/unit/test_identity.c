// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "identity.h"

#include "binaries.h"

#include <ctype.h>
#include <errno.h>

static char *identity(const char *path)
{
    struct error error = {""};
    char *result = identity_of_file(path, NULL, &error);
    assert_string_equal(error.text, "");
    assert_non_null(result);
    return result;
}

static void check_identity(const char *path, const char *expected)
{
    char *result = identity(path);
    assert_string_equal(result, expected);
    free(result);
}

static char *content_identity(const char *path)
{
    struct digest digest;
    char hex[SHA256_HEX_SIZE];
    assert_true(file_digest_read(path, &digest, NULL, NULL));
    digest_to_hex(&digest, hex);
    return mem_printf("sha256:%s", hex);
}

static void check_content_identity(const char *path)
{
    char *expected = content_identity(path);
    check_identity(path, expected);
    free(expected);
}

static void write_sample(const char *path, const struct buffer *sample)
{
    assert_true(os_write_file(path, sample->data, sample->size, NULL));
}

// ---- What toolchains make -----------------------------------------------------------

// "macho:" and the slices' identities without it.
static char *join_slices(const char *path, const char *names)
{
    const char *slash = strrchr(path, '/');
    char *joined = mem_strdup("macho:");
    while (*names != '\0') {
        const size_t length = strcspn(names, ",");
        char *slice =
            mem_printf("%.*s/%.*s", (int)(slash - path), path, (int)length, names);
        char *one = identity(slice);
        const char *comma = joined[strlen(joined) - 1] == ':' ? "" : ",";
        char *longer = mem_printf("%s%s%s", joined, comma, one + strlen("macho:"));
        free(one);
        free(slice);
        free(joined);
        joined = longer;
        names += length + (names[length] == ',');
    }
    return joined;
}

// A "0" in the shape stands for any hexadecimal digit, a "*" at the end for more of them.
static bool has_shape(const char *text, const char *shape)
{
    for (; *shape != '\0' && *shape != '*'; shape++, text++) {
        const bool digit =
            isxdigit((unsigned char)*text) && !isupper((unsigned char)*text);
        if (*shape == '0' ? !digit : *text != *shape) {
            return false;
        }
    }
    return *shape == '*' ? strspn(text, "0123456789abcdef") == strlen(text)
                         : *text == '\0';
}

static void check_shape(const char *path, const char *text, const char *shape)
{
    if (!has_shape(text, shape)) {
        fail_msg("%s has the identity %s, which does not look like %s", path, text,
                 shape);
    }
}

static void check_one(const char *expected, const char *path)
{
    char *result = identity(path);
    if (strcmp(expected, "elf") == 0) {
        check_shape(path, result, "elf:0000000000000000*");
    } else if (strcmp(expected, "macho") == 0) {
        const char *uuid = strchr(result, '=');
        assert_non_null(uuid);
        check_shape(path, uuid, "=00000000-0000-0000-0000-000000000000");
    } else if (strcmp(expected, "pe") == 0) {
        check_shape(path, result, "pe:00000000-0000-0000-0000-000000000000-1");
    } else if (strcmp(expected, "sha256") == 0) {
        check_content_identity(path);
    } else if (expected[0] == '+') {
        char *joined = join_slices(path, expected + 1);
        assert_string_equal(result, joined);
        free(joined);
    } else {
        check_identity(path, expected);
    }
    free(result);
}

static void test_toolchains(void **state)
{
    (void)state;
    (void)check_index(TEST_BINARIES "/identity", check_one);
}

// ---- ELF files made here ------------------------------------------------------------

// Also of Mach-O files.
struct kind {
    bool is_64;
    bool big_endian;
};

static void append_integer(struct buffer *buffer, uint64_t value, size_t width, bool big)
{
    for (size_t i = 0; i < width; i++) {
        const size_t byte = big ? width - 1 - i : i;
        buffer_append_u8(buffer, (uint8_t)(value >> (8 * byte)));
    }
}

static void append_word(struct buffer *buffer, struct kind kind, uint64_t value)
{
    append_integer(buffer, value, kind.is_64 ? 8 : 4, kind.big_endian);
}

static void append_u32(struct buffer *buffer, struct kind kind, uint64_t value)
{
    append_integer(buffer, value, 4, kind.big_endian);
}

static void append_u16(struct buffer *buffer, struct kind kind, uint64_t value)
{
    append_integer(buffer, value, 2, kind.big_endian);
}

static void append_elf_header(struct buffer *elf, struct kind kind, size_t segments)
{
    const unsigned char ident[16] = {
        0x7f, 'E', 'L', 'F', kind.is_64 ? 2 : 1, kind.big_endian ? 2 : 1, 1};
    buffer_append(elf, ident, sizeof ident);
    append_u16(elf, kind, 3);
    append_u16(elf, kind, 62);
    append_u32(elf, kind, 1);
    append_word(elf, kind, 0);                    // entry
    append_word(elf, kind, kind.is_64 ? 64 : 52); // segments
    append_word(elf, kind, 0);                    // sections
    append_u32(elf, kind, 0);
    append_u16(elf, kind, kind.is_64 ? 64 : 52);
    append_u16(elf, kind, kind.is_64 ? 56 : 32);
    append_u16(elf, kind, segments);
    append_u16(elf, kind, kind.is_64 ? 64 : 40);
    append_u16(elf, kind, 0);
    append_u16(elf, kind, 0);
}

static void append_note_segment(struct buffer *elf, struct kind kind, uint64_t offset,
                                uint64_t size, uint64_t alignment)
{
    append_u32(elf, kind, 4);
    if (kind.is_64) {
        append_u32(elf, kind, 4);
    }
    append_word(elf, kind, offset);
    append_word(elf, kind, offset);
    append_word(elf, kind, offset);
    append_word(elf, kind, size);
    append_word(elf, kind, size);
    if (!kind.is_64) {
        append_u32(elf, kind, 4);
    }
    append_word(elf, kind, alignment);
}

static void append_note(struct buffer *elf, struct kind kind, const char *name,
                        uint32_t type, const void *content, size_t size, size_t alignment)
{
    const size_t name_size = strlen(name) + 1;
    append_u32(elf, kind, name_size);
    append_u32(elf, kind, size);
    append_u32(elf, kind, type);
    buffer_append(elf, name, name_size);
    while (elf->size % alignment != 0) {
        buffer_append_u8(elf, 0);
    }
    buffer_append(elf, content, size);
    while (elf->size % alignment != 0) {
        buffer_append_u8(elf, 0);
    }
}

static const unsigned char id[20] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd,
                                     0xef, 0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54,
                                     0x32, 0x10, 0xaa, 0xbb, 0xcc, 0xdd};

// One segment with other notes before the build ID.
static struct buffer make_elf(struct kind kind, size_t alignment)
{
    struct buffer elf = {0};
    const uint64_t offset = kind.is_64 ? 64 + 56 : 52 + 32;
    struct buffer notes = {0};
    append_note(&notes, kind, "Other", 3, "abc", 3, alignment);
    append_note(&notes, kind, "GNU", 1, id, 16, alignment);
    append_note(&notes, kind, "", 3, NULL, 0, alignment);
    append_note(&notes, kind, "GNU", 3, id, sizeof id, alignment);
    append_note(&notes, kind, "GNU", 3, id, 16, alignment);
    append_elf_header(&elf, kind, 1);
    append_note_segment(&elf, kind, offset, notes.size, alignment);
    buffer_append(&elf, notes.data, notes.size);
    buffer_release(&notes);
    return elf;
}

static void test_elf(void **state)
{
    char *path = scratch_path(*state, "file");
    for (unsigned i = 0; i < 4; i++) {
        const struct kind kind = {.is_64 = (i & 1) != 0, .big_endian = (i & 2) != 0};
        for (size_t alignment = 4; alignment <= 8; alignment += 4) {
            struct buffer elf = make_elf(kind, alignment);
            write_sample(path, &elf);
            check_identity(path, "elf:0123456789abcdeffedcba9876543210aabbccdd");
            buffer_release(&elf);
        }
    }
    free(path);
}

static void check_build_id(const char *path, const void *content, size_t size,
                           const char *expected)
{
    const struct kind kind = {.is_64 = true};
    struct buffer elf = {0};
    append_elf_header(&elf, kind, 1);
    append_note_segment(&elf, kind, 64 + 56, 12 + 4 + (size + 3) / 4 * 4, 4);
    append_note(&elf, kind, "GNU", 3, content, size, 4);
    write_sample(path, &elf);
    if (expected == NULL) {
        check_content_identity(path);
    } else {
        check_identity(path, expected);
    }
    buffer_release(&elf);
}

static void test_build_ids(void **state)
{
    static const unsigned char zeros[20];
    char *path = scratch_path(*state, "file");
    check_build_id(path, id, 8, "elf:0123456789abcdef");
    check_build_id(path, id, 7, NULL);
    check_build_id(path, id, 1, NULL);
    check_build_id(path, id, 0, NULL);
    check_build_id(path, zeros, 20, NULL);
    check_build_id(path, "xxxxxxxxxxxxxxxx", 16, NULL);
    unsigned char large[80];
    for (size_t i = 0; i < sizeof large; i++) {
        large[i] = (unsigned char)i;
    }
    check_build_id(path, large, 80, NULL);
    check_build_id(path, large, 64,
                   "elf:000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
                   "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f");
    free(path);
}

// All segments are the same large range of small notes.
static void test_endless_notes(void **state)
{
    const size_t segments = 65534;
    const size_t notes = 100000;
    const struct kind kind = {.is_64 = true};
    char *path = scratch_path(*state, "file");
    struct buffer elf = {0};
    append_elf_header(&elf, kind, segments);
    for (size_t i = 0; i < segments; i++) {
        append_note_segment(&elf, kind, 64 + segments * 56, notes * 12, 4);
    }
    for (size_t i = 0; i < notes * 3; i++) {
        append_u32(&elf, kind, 0);
    }
    write_sample(path, &elf);
    const int64_t start_ns = os_monotonic_ns();
    check_content_identity(path);
    assert_true(os_monotonic_ns() - start_ns < 10000000000);
    buffer_release(&elf);
    free(path);
}

// ---- Mach-O files made here ---------------------------------------------------------

static struct buffer make_macho(struct kind kind, uint32_t cpu, uint32_t subtype,
                                const void *uuid)
{
    struct buffer macho = {0};
    append_u32(&macho, kind, kind.is_64 ? 0xfeedfacf : 0xfeedface);
    append_u32(&macho, kind, cpu);
    append_u32(&macho, kind, subtype);
    append_u32(&macho, kind, 6);
    append_u32(&macho, kind, 3);
    append_u32(&macho, kind, 16 + 24 + 24);
    append_u32(&macho, kind, 0);
    if (kind.is_64) {
        append_u32(&macho, kind, 0);
    }
    append_u32(&macho, kind, 0x1d); // LC_CODE_SIGNATURE
    append_u32(&macho, kind, 16);
    append_u32(&macho, kind, 0);
    append_u32(&macho, kind, 0);
    for (int i = 0; i < 2; i++) { // the first one counts
        append_u32(&macho, kind, 0x1b);
        append_u32(&macho, kind, 24);
        buffer_append(&macho, i == 0 ? uuid : "fedcba9876543210", 16);
    }
    return macho;
}

static const struct kind macho_kind = {.is_64 = true};

static void check_macho(const char *path, struct buffer macho, const char *expected)
{
    write_sample(path, &macho);
    if (expected == NULL) {
        check_content_identity(path);
    } else {
        check_identity(path, expected);
    }
    buffer_release(&macho);
}

#define ID_AS_UUID "01234567-89ab-cdef-fedc-ba9876543210"

static void test_macho(void **state)
{
    char *path = scratch_path(*state, "file");
    struct kind kind = {0};
    check_macho(path, make_macho(kind, 7, 3, id), "macho:i386=" ID_AS_UUID);
    kind.big_endian = true;
    check_macho(path, make_macho(kind, 18, 0, id), "macho:ppc=" ID_AS_UUID);
    kind.is_64 = true;
    check_macho(path, make_macho(kind, 0x01000012, 0, id), "macho:ppc64=" ID_AS_UUID);
    kind.big_endian = false;
    check_macho(path, make_macho(kind, 0x01000007, 3, id), "macho:x86_64=" ID_AS_UUID);
    check_macho(path, make_macho(kind, 0x01000007, 8, id), "macho:x86_64h=" ID_AS_UUID);
    check_macho(path, make_macho(kind, 0x0100000c, 0, id), "macho:arm64=" ID_AS_UUID);
    check_macho(path, make_macho(kind, 0x0100000c, 0x80000002, id),
                "macho:arm64e=" ID_AS_UUID);
    check_macho(path, make_macho(kind, 99, 7, id), "macho:cpu-63-7=" ID_AS_UUID);
    check_macho(path, make_macho(kind, 0x01000007, 3, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
                NULL);
    free(path);
}

struct slice {
    struct buffer content;
    uint64_t size; // as the header says
};

static struct buffer make_fat(bool is_64, const struct slice *slices, size_t count)
{
    const struct kind kind = {.is_64 = is_64, .big_endian = true};
    struct buffer fat = {0};
    append_u32(&fat, kind, is_64 ? 0xcafebabf : 0xcafebabe);
    append_u32(&fat, kind, count);
    uint64_t offset = 8 + count * (is_64 ? 32 : 20);
    for (size_t i = 0; i < count; i++) {
        append_u32(&fat, kind, 0);
        append_u32(&fat, kind, 0);
        append_word(&fat, kind, offset);
        append_word(&fat, kind, slices[i].size);
        append_u32(&fat, kind, 0);
        if (is_64) {
            append_u32(&fat, kind, 0);
        }
        offset += slices[i].content.size;
    }
    for (size_t i = 0; i < count; i++) {
        buffer_append(&fat, slices[i].content.data, slices[i].content.size);
    }
    return fat;
}

static struct slice make_slice(struct buffer content)
{
    return (struct slice){.content = content, .size = content.size};
}

static void test_fat(void **state)
{
    char *path = scratch_path(*state, "file");
    struct slice slices[3] = {
        make_slice(make_macho(macho_kind, 0x01000007, 3, id)),
        make_slice(make_macho(macho_kind, 0x0100000c, 0, "0123456789abcdef")),
        make_slice(make_macho(macho_kind, 0x0100000c, 2, "0000000000000000")),
    };
    for (int is_64 = 0; is_64 < 2; is_64++) {
        check_macho(path, make_fat(is_64 != 0, slices, 2),
                    "macho:x86_64=" ID_AS_UUID
                    ",arm64=30313233-3435-3637-3839-616263646566");
        check_macho(path, make_fat(is_64 != 0, slices, 1), "macho:x86_64=" ID_AS_UUID);
        check_macho(path, make_fat(is_64 != 0, slices, 0), NULL);
        check_macho(path, make_fat(is_64 != 0, slices, 3), NULL); // one without a mark
        slices[1].size++;
        check_macho(path, make_fat(is_64 != 0, slices, 2), NULL);
        slices[1].size = slices[1].content.size - 1;
        check_macho(path, make_fat(is_64 != 0, slices, 2),
                    "macho:x86_64=" ID_AS_UUID
                    ",arm64=30313233-3435-3637-3839-616263646566");
        slices[1].size = UINT64_MAX;
        check_macho(path, make_fat(is_64 != 0, slices, 2), NULL);
        slices[1].size = slices[1].content.size;
    }
    for (size_t i = 0; i < 3; i++) {
        buffer_release(&slices[i].content);
    }
    scratch_write(path, "\xca\xfe\xba\xbe with the number of a Java class");
    check_content_identity(path);
    free(path);
}

// ---- PE files made here -------------------------------------------------------------

static void put_u32(struct buffer *buffer, size_t at, uint32_t value)
{
    for (size_t i = 0; i < 4; i++) {
        buffer->data[at + i] = (unsigned char)(value >> (8 * i));
    }
}

static struct buffer make_pe(bool is_64, uint32_t debug_type, uint32_t age)
{
    enum { PE_AT = 0x40, OPTIONAL_AT = PE_AT + 24, ADDRESS = 0x1000, SECTION_AT = 0x200 };
    enum { ENTRY_AT = 0x10, RECORD_AT = 0x40, SECTION_SIZE = 0x100 };
    const size_t count_at = OPTIONAL_AT + (is_64 ? 108 : 92);
    const size_t section_at = count_at + 4 + (size_t)16 * 8;
    const size_t debug_at = count_at + 4 + (size_t)6 * 8;
    struct buffer pe = {0};
    pe.size = SECTION_AT + SECTION_SIZE;
    pe.capacity = pe.size;
    pe.data = mem_new(1, pe.size);
    memcpy(pe.data, "MZ", 2);
    put_u32(&pe, 0x3c, PE_AT);
    memcpy(pe.data + PE_AT, "PE", 2);
    put_u32(&pe, PE_AT + 6, 1); // sections
    put_u32(&pe, PE_AT + 20, (uint32_t)(section_at - OPTIONAL_AT));
    put_u32(&pe, OPTIONAL_AT, is_64 ? 0x20b : 0x10b);
    put_u32(&pe, count_at, 16);
    put_u32(&pe, debug_at, ADDRESS + ENTRY_AT);
    put_u32(&pe, debug_at + 4, 28);
    put_u32(&pe, section_at + 8, SECTION_SIZE);
    put_u32(&pe, section_at + 12, ADDRESS);
    put_u32(&pe, section_at + 16, SECTION_SIZE);
    put_u32(&pe, section_at + 20, SECTION_AT);
    put_u32(&pe, SECTION_AT + ENTRY_AT + 12, debug_type);
    put_u32(&pe, SECTION_AT + ENTRY_AT + 16, 30);
    put_u32(&pe, SECTION_AT + ENTRY_AT + 20, ADDRESS + RECORD_AT);
    put_u32(&pe, SECTION_AT + ENTRY_AT + 24, SECTION_AT + RECORD_AT);
    memcpy(pe.data + SECTION_AT + RECORD_AT, "RSDS", 4);
    memcpy(pe.data + SECTION_AT + RECORD_AT + 4, id, 16);
    put_u32(&pe, SECTION_AT + RECORD_AT + 20, age);
    memcpy(pe.data + SECTION_AT + RECORD_AT + 24, "x.pdb", 6);
    return pe;
}

static void test_pe(void **state)
{
    char *path = scratch_path(*state, "file");
    check_macho(path, make_pe(false, 2, 1), "pe:67452301-ab89-efcd-fedc-ba9876543210-1");
    check_macho(path, make_pe(true, 2, 4294967295),
                "pe:67452301-ab89-efcd-fedc-ba9876543210-4294967295");
    check_macho(path, make_pe(true, 16, 1), NULL);
    free(path);
}

// ---- Anything else ------------------------------------------------------------------

static void test_other_files(void **state)
{
    static const char *const texts[] = {
        "", "x", "#!/bin/sh\n", "\177ELF", "MZ", "\xfe\xed\xfa\xce", "!<arch>\n"};
    char *path = scratch_path(*state, "file");
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        scratch_write(path, texts[i]);
        check_content_identity(path);
    }
    scratch_write(path, "abc");
    check_identity(path, "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61"
                         "f20015ad");
    free(path);
}

static void test_unreadable_files(void **state)
{
    char *missing = scratch_path(*state, "missing");
    struct error error = {""};
    assert_null(identity_of_file(missing, NULL, &error));
    assert_non_null(strstr(error.text, missing));
    assert_non_null(strstr(error.text, strerror(ENOENT)));
    error.text[0] = '\0';
    assert_null(identity_of_file(*state, NULL, &error));
    assert_non_null(strstr(error.text, *state));
    assert_null(identity_of_file(missing, NULL, NULL));
    free(missing);
}

static void check_some_identity(const char *path)
{
    char *result = identity(path);
    assert_true(strncmp(result, "elf:", 4) == 0 || strncmp(result, "macho:", 6) == 0 ||
                strncmp(result, "pe:", 3) == 0 || strncmp(result, "sha256:", 7) == 0);
    free(result);
}

static void check_damaged_sample(const char *folder, struct buffer sample)
{
    check_damaged(folder, &sample, check_some_identity);
    buffer_release(&sample);
}

static void test_damaged_samples(void **state)
{
    for (unsigned i = 0; i < 4; i++) {
        const struct kind kind = {.is_64 = (i & 1) != 0, .big_endian = (i & 2) != 0};
        check_damaged_sample(*state, make_elf(kind, 4));
        check_damaged_sample(*state, make_macho(kind, 7, 3, id));
    }
    struct slice slices[2] = {make_slice(make_macho(macho_kind, 0x01000007, 3, id)),
                              make_slice(make_macho(macho_kind, 0x0100000c, 0, id))};
    check_damaged_sample(*state, make_fat(false, slices, 2));
    check_damaged_sample(*state, make_fat(true, slices, 2));
    buffer_release(&slices[0].content);
    buffer_release(&slices[1].content);
    check_damaged_sample(*state, make_pe(false, 2, 1));
    check_damaged_sample(*state, make_pe(true, 2, 1));
}

static void test_damaged_files(void **state)
{
    static const char *const names[] = {"gcc.so",       "noted.o",    "i386.so",
                                        "powerpc64.so", "mips.so",    "x86_64.dylib",
                                        "i386.dll",     "x86_64.dll", "mingw.dll"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *path = mem_printf("%s/identity/%s", TEST_BINARIES, names[i]);
        struct buffer original = {0};
        if (os_read_file(path, &original, NULL, NULL)) {
            check_damaged(*state, &original, check_some_identity);
        }
        buffer_release(&original);
        free(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_toolchains),
        scratch_test(test_elf),
        scratch_test(test_build_ids),
        scratch_test(test_endless_notes),
        scratch_test(test_macho),
        scratch_test(test_fat),
        scratch_test(test_pe),
        scratch_test(test_other_files),
        scratch_test(test_unreadable_files),
        scratch_test(test_damaged_samples),
        scratch_test(test_damaged_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
