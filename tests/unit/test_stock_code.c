// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "stock_code.h"

#include "scratch.h"

// What compilers made of Halide's main(), before linking: so that the parts that name
// places are zero. On ARM64 each number is an instruction.
static const char *const x86_64_mains[] = {
    "e900000000",
    "ff2500000000",
    "50 e800000000 59 c3",
    "50 e800000000 5a c3",
    "50 ff1500000000 59 c3",
    "50 ff1500000000 5a c3",
    "55 4889e5 5d e900000000",
    "55 4889e5 5d ff2500000000",
    "55 4889e5 e800000000 5d c3",
    "55 4889e5 ff1500000000 5d c3",
    "4883ec08 e800000000 4883c408 c3",
    "4883ec08 ff1500000000 4883c408 c3",
    "4883ec18 897c240c 48893424 488b1424 8b44240c 4889d6 89c7 e800000000 4883c418 c3",
    "55 4889e5 4883ec10 897dfc 488975f0 488b55f0 8b45fc 4889d6 89c7 e800000000 c9 c3",
    "4883ec18 897c240c 48893424 488b1424 8b44240c 4889d6 89c7 ff1500000000 4883c418 c3",
    "55 4889e5 4883ec10 897dfc 488975f0 488b55f0 8b45fc 4889d6 89c7 ff1500000000 c9 c3",
    "4883ec18 897c240c 48893424 488b1424 8b44240c 4889d6 89c7 e800000000 90 4883c418 c3",
    "55 4889e5 4883ec10 897dfc 488975f0 488b55f0 8b45fc 4889d6 89c7 e800000000 90 c9 c3",
    "4883ec18 897c240c 48893424 488b1424 8b44240c 4889d6 89c7 ff1500000000 90 4883c418 "
    "c3",
    "55 4889e5 4883ec10 897dfc 488975f0 488b55f0 8b45fc 4889d6 89c7 ff1500000000 90 c9 "
    "c3",
    "4883ec18 c744241400000000 897c2410 4889742408 8b7c2410 488b742408 e800000000 "
    "4883c418 c3",
    "4883ec18 c744241400000000 897c2410 4889742408 8b7c2410 488b742408 ff1500000000 "
    "4883c418 c3",
    "55 4889e5 4883ec10 c745fc00000000 897df8 488975f0 8b7df8 488b75f0 e800000000 "
    "4883c410 5d c3",
    "55 4889e5 4883ec10 c745fc00000000 897df8 488975f0 8b7df8 488b75f0 ff1500000000 "
    "4883c410 5d c3",
    "4883ec08 67e800000000 4883c408 c3",
    "4883ec08 e800000000 90 4883c408 c3",
    "e900000000 90",
};

static const char *const arm64_mains[] = {
    "14000000",
    "90000010 f9400210 d61f0200",
    "d503233f d50323bf 14000000",
    "a9bf7bfd 910003fd a8c17bfd 14000000",
    "f81f0ffe 94000000 f84107fe d65f03c0",
    "90000010 f9400210 d503233f d50323bf d61f0200",
    "a9bf7bfd 910003fd 94000000 a8c17bfd d65f03c0",
    "90000002 f9400042 f81f0ffe d63f0040 f84107fe d65f03c0",
    "a9bf7bfd 910003fd a8c17bfd 90000010 f9400210 d61f0200",
    "d503233f a9bf7bfd 910003fd a8c17bfd d50323bf 14000000",
    "d503233f f81f0ffe 94000000 f84107fe d50323bf d65f03c0",
    "f81f0ffe 90000002 f9400042 d63f0040 f84107fe d65f03c0",
    "90000002 f9400042 a9bf7bfd 910003fd d63f0040 a8c17bfd d65f03c0",
    "a9bf7bfd 910003fd 90000002 f9400042 d63f0040 a8c17bfd d65f03c0",
    "d503233f a9bf7bfd 910003fd 94000000 a8c17bfd d50323bf d65f03c0",
    "90000002 f9400042 d503233f f81f0ffe d63f0040 f84107fe d50323bf d65f03c0",
    "d503233f a9bf7bfd 910003fd a8c17bfd d50323bf 90000010 f9400210 d61f0200",
    "d503233f f81f0ffe 90000002 f9400042 d63f0040 f84107fe d50323bf d65f03c0",
    "f81e0ffe b9001fe0 f9000be1 f9400be1 b9401fe0 94000000 f84207fe d65f03c0",
    "90000002 f9400042 d503233f a9bf7bfd 910003fd d63f0040 a8c17bfd d50323bf d65f03c0",
    "a9be7bfd 910003fd b9001fe0 f9000be1 f9400be1 b9401fe0 94000000 a8c27bfd d65f03c0",
    "d503233f a9bf7bfd 910003fd 90000002 f9400042 d63f0040 a8c17bfd d50323bf d65f03c0",
    "d503233f f81e0ffe b9001fe0 f9000be1 f9400be1 b9401fe0 94000000 f84207fe d50323bf "
    "d65f03c0",
    "f81e0ffe b9001fe0 f9000be1 f9400be1 b9401fe0 90000002 f9400042 d63f0040 f84207fe "
    "d65f03c0",
    "a9be7bfd 910003fd b9001fe0 f9000be1 f9400be1 b9401fe0 90000002 f9400042 d63f0040 "
    "a8c27bfd d65f03c0",
    "d10083ff f9000bfe b9000fff b9000be0 f90003e1 b9400be0 f94003e1 94000000 f9400bfe "
    "910083ff d65f03c0",
    "d503233f a9be7bfd 910003fd b9001fe0 f9000be1 f9400be1 b9401fe0 94000000 a8c27bfd "
    "d50323bf d65f03c0",
    "d10083ff a9017bfd 910043fd b81fc3bf b9000be0 f90003e1 b9400be0 f94003e1 94000000 "
    "a9417bfd 910083ff d65f03c0",
    "d503233f f81e0ffe b9001fe0 f9000be1 f9400be1 b9401fe0 90000002 f9400042 d63f0040 "
    "f84207fe d50323bf d65f03c0",
    "d503233f a9be7bfd 910003fd b9001fe0 f9000be1 f9400be1 b9401fe0 90000002 f9400042 "
    "d63f0040 a8c27bfd d50323bf d65f03c0",
    "d503233f d10083ff f9000bfe b9000fff b9000be0 f90003e1 b9400be0 f94003e1 94000000 "
    "f9400bfe 910083ff d50323bf d65f03c0",
    "d503233f d10083ff a9017bfd 910043fd b81fc3bf b9000be0 f90003e1 b9400be0 f94003e1 "
    "94000000 a9417bfd 910083ff d50323bf d65f03c0",
    "a9bf7bfd 94000000 a8c17bfd d65f03c0",
    "d10083ff a9017bfd b9000fff b9000be0 f90003e1 b9400be0 f94003e1 94000000 a9417bfd "
    "910083ff d65f03c0",
    "d503245f dac103fe a9bf7bfd 910003fd 94000000 a8c17bfd d65f0bff",
};

static const uint64_t address = 0x401000;

enum { MAX_CODE = 128 };

struct sample {
    const struct code_patterns *patterns;
    unsigned char bytes[MAX_CODE];
    size_t size;
};

static unsigned digit(char c)
{
    assert_true(pattern_digit(c) >= 0);
    return (unsigned)pattern_digit(c);
}

static struct sample sample_make(const struct code_patterns *patterns, const char *text)
{
    struct sample sample = {.patterns = patterns};
    for (; *text != '\0'; text++) {
        if (*text != ' ') {
            assert_in_range(sample.size, 0, MAX_CODE - 1);
            sample.bytes[sample.size++] =
                (unsigned char)(digit(text[0]) << 4 | digit(text[1]));
            text++;
        }
    }
    if (patterns == &code_arm64) {
        assert_int_equal(sample.size % 4, 0);
        for (size_t i = 0; i < sample.size; i += 4) { // to little-endian
            for (size_t k = 0; k < 2; k++) {
                const unsigned char byte = sample.bytes[i + k];
                sample.bytes[i + k] = sample.bytes[i + 3 - k];
                sample.bytes[i + 3 - k] = byte;
            }
        }
    }
    return sample;
}

static bool matches(const struct sample *sample, const char *const *list,
                    struct code_match *match)
{
    // On the heap, so that a sanitizer sees what is read behind it.
    unsigned char *copy = mem_new(1, sample->size);
    memcpy(copy, sample->bytes, sample->size);
    const struct code code = {.address = address, .bytes = copy, .size = sample->size};
    const bool result = code_match_any(sample->patterns, list, &code, match);
    free(copy);
    return result;
}

// ---- main() -------------------------------------------------------------------------

static bool contains(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

static bool calls_through_pointer(const struct code_patterns *patterns, const char *text)
{
    return patterns == &code_x86_64
               ? contains(text, "ff15") || contains(text, "ff25")
               : contains(text, "90000002") || contains(text, "90000010");
}

// How many bits of the code name the callee.
static unsigned operand_bits(const struct code_patterns *patterns, const char *text)
{
    if (patterns == &code_x86_64) {
        return 32;
    }
    return calls_through_pointer(patterns, text) ? 21 + 12 : 26;
}

static void check_every_bit(struct sample sample, unsigned expected)
{
    struct code_match original;
    assert_true(matches(&sample, sample.patterns->mains, &original));
    unsigned operands = 0;
    for (size_t bit = 0; bit < sample.size * 8; bit++) {
        struct code_match match;
        sample.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        if (matches(&sample, sample.patterns->mains, &match)) {
            assert_true(match.callee.address != original.callee.address);
            assert_int_equal(match.callee.is_pointer, original.callee.is_pointer);
            operands++;
        }
        sample.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    assert_int_equal(operands, expected);
}

static void check_main(const struct code_patterns *patterns, const char *text)
{
    struct sample sample = sample_make(patterns, text);
    struct code_match match;
    assert_true(matches(&sample, patterns->mains, &match));
    assert_int_equal(match.callee.is_pointer, calls_through_pointer(patterns, text));
    // A nop behind the last instruction, and what protects from branches, do not count.
    const bool plain = !contains(text, "d50") && !contains(text, " 90");
    if (plain) {
        check_every_bit(sample, operand_bits(patterns, text));
        for (size_t size = 0; size < sample.size; size++) {
            struct sample shorter = sample;
            shorter.size = size;
            assert_false(matches(&shorter, patterns->mains, &match));
        }
    }
    char *protected_text =
        mem_printf("%s %s", patterns == &code_x86_64 ? "f30f1efa" : "d503245f", text);
    sample = sample_make(patterns, protected_text);
    assert_true(matches(&sample, patterns->mains, &match));
    free(protected_text);
}

static void test_mains(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof x86_64_mains / sizeof x86_64_mains[0]; i++) {
        check_main(&code_x86_64, x86_64_mains[i]);
    }
    for (size_t i = 0; i < sizeof arm64_mains / sizeof arm64_mains[0]; i++) {
        check_main(&code_arm64, arm64_mains[i]);
    }
}

static void check_not_main(const struct code_patterns *patterns, const char *text)
{
    const struct sample sample = sample_make(patterns, text);
    struct code_match match;
    assert_false(matches(&sample, patterns->mains, &match));
}

static void test_other_mains(void **state)
{
    (void)state;
    check_not_main(&code_x86_64, "");
    check_not_main(&code_x86_64, "f30f1efa");
    check_not_main(&code_x86_64, "31c0 c3");             // return 0
    check_not_main(&code_x86_64, "ffcf e900000000");     // argc - 1
    check_not_main(&code_x86_64, "4883c608 e900000000"); // argv + 1
    check_not_main(&code_x86_64, "31d2 e900000000");     // a third argument
    check_not_main(&code_x86_64,
                   "4883ec08 e800000000 31c0 4883c408 c3"); // result dropped
    check_not_main(&code_x86_64, "4883ec08 e800000000 f7d8 4883c408 c3"); // negated
    check_not_main(&code_x86_64, "50 e800000000 59 e900000000");    // goes on elsewhere
    check_not_main(&code_x86_64, "50 e800000000 e800000000 59 c3"); // two calls
    check_not_main(&code_x86_64, "ffe0");                           // through a register
    check_not_main(&code_x86_64, "50 ffd0 59 c3");
    check_not_main(&code_arm64, "");
    check_not_main(&code_arm64, "52800000 d65f03c0");
    check_not_main(&code_arm64, "51000400 14000000");
    check_not_main(&code_arm64, "91002021 14000000");
    check_not_main(&code_arm64, "aa0003e2 14000000");
    check_not_main(&code_arm64, "a9bf7bfd 910003fd 94000000 52800000 a8c17bfd d65f03c0");
    check_not_main(&code_arm64, "a9bf7bfd 910003fd 94000000 94000000 a8c17bfd d65f03c0");
    check_not_main(&code_arm64, "90000010 f9400210 d61f0220"); // another register
    check_not_main(&code_arm64, "90000000 f9400000 d61f0000"); // one with an argument
    check_not_main(&code_arm64, "90000001 f9400021 d61f0020");
    check_not_main(&code_arm64, "d61f0200");
}

// ---- Places -------------------------------------------------------------------------

static void check_callee(const struct code_patterns *patterns, const char *const *list,
                         const char *text, uint64_t expected, bool is_pointer)
{
    const struct sample sample = sample_make(patterns, text);
    struct code_match match;
    assert_true(matches(&sample, list, &match));
    assert_true(match.callee.address == expected);
    assert_int_equal(match.callee.is_pointer, is_pointer);
}

static void test_callees(void **state)
{
    (void)state;
    const struct code_patterns *x86 = &code_x86_64;
    check_callee(x86, x86->mains, "e900000000", address + 5, false);
    check_callee(x86, x86->mains, "e9fbffffff", address, false);
    check_callee(x86, x86->mains, "e900000080", address + 5 - 0x80000000, false);
    check_callee(x86, x86->mains, "f30f1efae978563412", address + 9 + 0x12345678, false);
    check_callee(x86, x86->mains, "ff2578563412", address + 6 + 0x12345678, true);
    check_callee(x86, x86->mains, "50 ff1500010000 59c3", address + 7 + 0x100, true);
    const struct code_patterns *arm = &code_arm64;
    check_callee(arm, arm->mains, "14000000", address, false);
    check_callee(arm, arm->mains, "14000001", address + 4, false);
    check_callee(arm, arm->mains, "17ffffff", address - 4, false);
    check_callee(arm, arm->mains, "16000000", address - 0x8000000, false);
    check_callee(arm, arm->mains, "d503245f 14000002", address + 12, false);
    check_callee(arm, arm->mains, "f00000f0 f947e610 d61f0200", address + 0x1ffc8, true);
    check_callee(arm, arm->mains, "90800010 f9400210 d61f0200", address - 0x100000000,
                 true);
}

// ---- _start and the PLT -------------------------------------------------------------

static void check_start(const struct code_patterns *patterns, const char *text,
                        uint64_t argument, bool is_pointer)
{
    struct sample sample = sample_make(patterns, text);
    struct code_match match;
    assert_true(matches(&sample, patterns->starts, &match));
    assert_true(match.argument.address == argument);
    assert_int_equal(match.argument.is_pointer, is_pointer);
    while (sample.size-- > 0) {
        assert_false(matches(&sample, patterns->starts, &match));
    }
}

static void test_starts(void **state)
{
    (void)state;
    // glibc 2.28, linked at fixed addresses.
    check_start(&code_x86_64,
                "f30f1efa 31ed 4989d1 5e 4889e2 4883e4f0 50 54 49c7c010124000 "
                "48c7c1a0114000 48c7c760104000 ff15fa2e0000 f4",
                0x401060, false);
    // glibc 2.36: the same, by ld and by gold, and as the object has it.
    check_start(&code_x86_64,
                "31ed 4989d1 5e 4889e2 4883e4f0 50 54 4531c0 31c9 48c7c740104000 "
                "ff15672f0000 f4",
                0x401040, false);
    check_start(&code_x86_64,
                "31ed 4989d1 5e 4889e2 4883e4f0 50 54 4531c0 31c9 488d3dd5ffffff "
                "ff15a71a0000 f4",
                address + 27 - 43, false);
    check_start(&code_x86_64,
                "31ed 4989d1 5e 4889e2 4883e4f0 50 54 4531c0 31c9 488b3d00010000 "
                "ff1500000000 f4",
                address + 27 + 0x100, true);
    check_start(&code_arm64,
                "d503201f d280001d d280001e aa0003e5 f94003e1 910023e2 910003e6 90000000 "
                "910d0000 d2800003 d2800004 94000000",
                address + 0x340, false);
    check_start(&code_arm64,
                "d503201f d280001d d280001e aa0003e5 f94003e1 910023e2 910003e6 90000000 "
                "f9400400 d2800003 d2800004 94000000",
                address + 8, true);
    check_start(&code_arm64,
                "d503201f d280001d d280001e aa0003e5 f94003e1 910023e2 910003e6 d503201f "
                "10000080 d2800003 d2800004 94000000",
                address + 32 + 16, false);
}

static void test_stubs(void **state)
{
    (void)state;
    const struct code_patterns *x86 = &code_x86_64;
    const struct code_patterns *arm = &code_arm64;
    check_callee(x86, x86->stubs, "ff25ca2f0000 6800000000 e9e0ffffff",
                 address + 6 + 0x2fca, true);
    check_callee(x86, x86->stubs, "f30f1efa ff25ca2f0000", address + 10 + 0x2fca, true);
    check_callee(x86, x86->stubs, "f30f1efa f2ff25ca2f0000 0f1f440000",
                 address + 11 + 0x2fca, true);
    check_callee(x86, x86->stubs, "f30f1efa 41bb05000000 ff2548230000",
                 address + 16 + 0x2348, true);
    check_callee(arm, arm->stubs, "f00000f0 f947e611 913f2210 d61f0220",
                 address + 0x1ffc8, true);
    check_callee(arm, arm->stubs, "d503245f f00000f0 f947e611 913f2210 d61f0220",
                 address + 0x1ffc8, true);
    check_callee(arm, arm->stubs, "f00000f0 f947e611 913f2210 d503219f d61f0220",
                 address + 0x1ffc8, true);
    struct code_match match;
    const struct sample other = sample_make(arm, "f00000f0 f947e611 913f2210 d61f0200");
    assert_false(matches(&other, arm->stubs, &match));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mains),   cmocka_unit_test(test_other_mains),
        cmocka_unit_test(test_callees), cmocka_unit_test(test_starts),
        cmocka_unit_test(test_stubs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
