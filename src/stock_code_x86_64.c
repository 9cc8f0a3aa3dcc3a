// SPDX-License-Identifier: MIT
// Two digits of a pattern are a byte, ?? any byte. An endbr64 may come first. The
// letters:
//
//   C   a call: e8 rel32, ff 15 rel32 (through a pointer), what linkers make of the
//       latter (67 e8 rel32, or a nop after it), and nops after it
//   J   a jump: e9 rel32, ff 25 rel32 (through a pointer)
//   M   main into rdi: mov rdi,imm32; lea rdi,[rip+rel32]; mov rdi,[rip+rel32]

#include "stock_code.h"

#include "binary.h"

#include <string.h>

static const char *const mains[] = {
    // Optimized.
    "J",
    "55 4889e5 5d J",
    "50 C 59 c3",
    "50 C 5a c3",
    "4883ec08 C 4883c408 c3",
    "55 4889e5 C 5d c3",
    // gcc -O0, with and without a frame pointer.
    "55 4889e5 4883ec10 897dfc 488975f0 488b55f0 8b45fc 4889d6 89c7 C c9 c3",
    "4883ec18 897c240c 48893424 488b1424 8b44240c 4889d6 89c7 C 4883c418 c3",
    // clang -O0, with and without a frame pointer.
    "55 4889e5 4883ec10 c745fc00000000 897df8 488975f0 8b7df8 488b75f0 C 4883c410 5d c3",
    "4883ec18 c744241400000000 897c2410 4889742408 8b7c2410 488b742408 C 4883c418 c3",
    NULL,
};

static const char *const starts[] = {
    "31ed 4989d1 5e 4889e2 4883e4f0 50 54 4531c0 31c9 M C f4", // glibc 2.34 and later
    // Before, with the addresses of __libc_csu_fini and __libc_csu_init.
    "31ed 4989d1 5e 4889e2 4883e4f0 50 54 49c7c0???????? 48c7c1???????? M C f4",
    "31ed 4989d1 5e 4889e2 4883e4f0 50 54 4c8d05???????? 488d0d???????? M C f4",
    NULL,
};

static const char *const stubs[] = {
    "J",              // .plt, .plt.got, .plt.sec
    "f2 J",           // the same with bnd
    "41bb???????? J", // mold: r11 is the entry's number
    NULL,
};

static const char *const wrappers[] = {NULL};

static const unsigned char endbr64[4] = {0xf3, 0x0f, 0x1e, 0xfa};

// What is not matched yet.
struct cursor {
    const struct code *code;
    size_t at;
};

static bool skip_bytes(struct cursor *cursor, const void *bytes, size_t size)
{
    if (size > cursor->code->size - cursor->at ||
        memcmp(cursor->code->bytes + cursor->at, bytes, size) != 0) {
        return false;
    }
    cursor->at += size;
    return true;
}

static bool take_i32(struct cursor *cursor, uint64_t *sign_extended)
{
    if (cursor->code->size - cursor->at < 4) {
        return false;
    }
    const uint64_t value = little_u32_at(cursor->code->bytes + cursor->at);
    *sign_extended = (value ^ 0x80000000) - 0x80000000;
    cursor->at += 4;
    return true;
}

// The instruction `opcode` and an address relative to its end.
static bool take_relative(struct cursor *cursor, const char *opcode, size_t opcode_size,
                          bool is_pointer, struct code_place *place)
{
    struct cursor next = *cursor;
    uint64_t relative = 0;
    if (!skip_bytes(&next, opcode, opcode_size) || !take_i32(&next, &relative)) {
        return false;
    }
    place->address = next.code->address + next.at + relative;
    place->is_pointer = is_pointer;
    *cursor = next;
    return true;
}

static bool take_call(struct cursor *cursor, struct code_place *place)
{
    if (!take_relative(cursor, "\xe8", 1, false, place) &&
        !take_relative(cursor, "\x67\xe8", 2, false, place) &&
        !take_relative(cursor, "\xff\x15", 2, true, place)) {
        return false;
    }
    while (skip_bytes(cursor, "\x90", 1)) {
    }
    return true;
}

static bool take_jump(struct cursor *cursor, struct code_place *place)
{
    return take_relative(cursor, "\xe9", 1, false, place) ||
           take_relative(cursor, "\xff\x25", 2, true, place);
}

static bool take_main(struct cursor *cursor, struct code_place *place)
{
    if (take_relative(cursor, "\x48\x8d\x3d", 3, false, place) ||
        take_relative(cursor, "\x48\x8b\x3d", 3, true, place)) {
        return true;
    }
    place->is_pointer = false;
    return skip_bytes(cursor, "\x48\xc7\xc7", 3) && take_i32(cursor, &place->address);
}

static bool take_byte(struct cursor *cursor, const char *digits)
{
    if (cursor->at == cursor->code->size) {
        return false;
    }
    const int byte = cursor->code->bytes[cursor->at++];
    return digits[0] == '?' ||
           byte == pattern_digit(digits[0]) * 16 + pattern_digit(digits[1]);
}

static bool take_letter(struct cursor *cursor, char letter, struct code_match *match)
{
    switch (letter) {
    case 'C':
        return take_call(cursor, &match->callee);
    case 'J':
        return take_jump(cursor, &match->callee);
    case 'M':
        return take_main(cursor, &match->argument);
    default:
        return letter == ' ';
    }
}

static bool match_pattern(const char *pattern, const struct code *code,
                          struct code_match *match)
{
    struct cursor cursor = {.code = code};
    *match = (struct code_match){0};
    (void)skip_bytes(&cursor, endbr64, sizeof endbr64);
    while (*pattern != '\0') {
        if (pattern_digit(*pattern) < 0 && *pattern != '?') {
            if (!take_letter(&cursor, *pattern, match)) {
                return false;
            }
            pattern++;
        } else {
            if (!take_byte(&cursor, pattern)) {
                return false;
            }
            pattern += 2;
        }
    }
    return true;
}

const struct code_patterns code_x86_64 = {match_pattern, mains, starts, stubs, wrappers};
