// SPDX-License-Identifier: MIT
// Eight digits of a pattern are an instruction. Those that protect branches and return
// addresses, and nops, may come before any (see is_transparent). The letters:
//
//   C   a call: bl, or G and blr xN
//   J   a jump: b, or G and br xN
//   G   the page and the content of a pointer: adrp xN; ldr xN,[xN,#imm]
//   L   blr to the content of G
//   R   ret or retaa
//   M   main into x0: adrp x0 and ldr x0,[x0,#imm] or add x0,x0,#imm; or adr x0
//   S   adrp x16; ldr x17,[x16,#imm]; add x16,x16,#imm

#include "stock_code.h"

#include "binary.h"

static const char *const mains[] = {
    // Optimized.
    "J",
    "a9bf7bfd 910003fd a8c17bfd J",
    "a9bf7bfd 910003fd C a8c17bfd R",
    "a9bf7bfd C a8c17bfd R",
    "f81f0ffe C f84107fe R",
    "G a9bf7bfd 910003fd L a8c17bfd R",
    "G f81f0ffe L f84107fe R",
    // gcc -O0, with and without a frame pointer.
    "a9be7bfd 910003fd b9001fe0 f9000be1 f9400be1 b9401fe0 C a8c27bfd R",
    "f81e0ffe b9001fe0 f9000be1 f9400be1 b9401fe0 C f84207fe R",
    // clang -O0, with a frame pointer, without, and without on macOS.
    "d10083ff a9017bfd 910043fd b81fc3bf b9000be0 f90003e1 b9400be0 f94003e1 C "
    "a9417bfd 910083ff R",
    "d10083ff f9000bfe b9000fff b9000be0 f90003e1 b9400be0 f94003e1 C "
    "f9400bfe 910083ff R",
    "d10083ff a9017bfd b9000fff b9000be0 f90003e1 b9400be0 f94003e1 C "
    "a9417bfd 910083ff R",
    NULL,
};

static const char *const starts[] = {
    // glibc 2.34 and later.
    "d280001d d280001e aa0003e5 f94003e1 910023e2 910003e6 M d2800003 d2800004 C",
    NULL,
};

static const char *const stubs[] = {
    "S d61f0220",
    "S d503219f d61f0220", // with autia1716
    NULL,
};

static const char *const wrappers[] = {"J", NULL};

static const uint32_t opcode_b = 0x14000000;
static const uint32_t opcode_bl = 0x94000000;
static const uint32_t opcode_br = 0xd61f0000;  // | register << 5
static const uint32_t opcode_blr = 0xd63f0000; // | register << 5
static const uint32_t opcode_ret = 0xd65f03c0;
static const uint32_t opcode_retaa = 0xd65f0bff;

struct cursor {
    const struct code *code;
    size_t at;
    struct code_place pointer; // of the last G
    unsigned pointer_register;
};

static uint32_t bits(uint32_t word, unsigned low, unsigned count)
{
    return word >> low & ((1u << count) - 1);
}

static uint64_t sign_extended(uint64_t value, unsigned width)
{
    const uint64_t sign = (uint64_t)1 << (width - 1);
    return (value ^ sign) - sign;
}

static bool is_transparent(uint32_t word)
{
    static const uint32_t words[] = {
        0xd503201f,             // nop
        0xd503245f,             // bti c
        0xd503233f, 0xd50323bf, // paciasp, autiasp
        0xdac103fe, 0xdac113fe, // the same, written pacia x30,sp and autia x30,sp
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (words[i] == word) {
            return true;
        }
    }
    return false;
}

static bool take_word(struct cursor *cursor, uint32_t *word)
{
    do {
        if (cursor->code->size - cursor->at < 4) {
            return false;
        }
        *word = little_u32_at(cursor->code->bytes + cursor->at);
        cursor->at += 4;
    } while (is_transparent(*word));
    return true;
}

// The next instruction, where it is `opcode` under a mask.
static bool take_masked(struct cursor *cursor, uint32_t mask, uint32_t opcode,
                        uint32_t *word)
{
    struct cursor next = *cursor;
    if (!take_word(&next, word) || (*word & mask) != opcode) {
        return false;
    }
    *cursor = next;
    return true;
}

static bool take_exactly(struct cursor *cursor, uint32_t expected)
{
    uint32_t word = 0;
    return take_masked(cursor, 0xffffffff, expected, &word);
}

// b or bl: an offset of 26 bits, in words.
static bool take_branch(struct cursor *cursor, uint32_t opcode, struct code_place *place)
{
    uint32_t word = 0;
    if (!take_masked(cursor, 0xfc000000, opcode, &word)) {
        return false;
    }
    place->is_pointer = false;
    place->address = cursor->code->address + cursor->at - 4 +
                     sign_extended((uint64_t)bits(word, 0, 26) << 2, 28);
    return true;
}

// adr or adrp to a given register: an offset of 21 bits, in bytes or pages.
static bool take_address(struct cursor *cursor, bool page, unsigned reg,
                         uint64_t *address)
{
    uint32_t word = 0;
    const uint32_t opcode = (page ? 0x90000000 : 0x10000000) | reg;
    if (!take_masked(cursor, 0x9f00001f, opcode, &word)) {
        return false;
    }
    const uint64_t offset =
        sign_extended((uint64_t)bits(word, 5, 19) << 2 | bits(word, 29, 2), 21);
    const uint64_t here = cursor->code->address + cursor->at - 4;
    *address = page ? (here & ~(uint64_t)0xfff) + (offset << 12) : here + offset;
    return true;
}

// ldr xT,[xN,#imm]: the offset of a pointer in a page.
static bool take_load(struct cursor *cursor, unsigned to, unsigned from, uint64_t *offset)
{
    uint32_t word = 0;
    if (!take_masked(cursor, 0xffc003ff, 0xf9400000 | from << 5 | to, &word)) {
        return false;
    }
    *offset = bits(word, 10, 12) * (uint64_t)8;
    return true;
}

static bool take_pointer(struct cursor *cursor, struct code_place *place, unsigned page,
                         unsigned to)
{
    struct cursor next = *cursor;
    uint64_t address = 0;
    uint64_t offset = 0;
    if (!take_address(&next, true, page, &address) ||
        !take_load(&next, to, page, &offset)) {
        return false;
    }
    place->is_pointer = true;
    place->address = address + offset;
    *cursor = next;
    return true;
}

// G, to one of the registers that neither hold arguments nor survive a call.
static bool take_any_pointer(struct cursor *cursor)
{
    struct code_place pointer;
    for (unsigned reg = 2; reg < 18; reg++) {
        if (take_pointer(cursor, &pointer, reg, reg)) {
            cursor->pointer = pointer;
            cursor->pointer_register = reg;
            return true;
        }
    }
    return false;
}

static bool take_through_register(struct cursor *cursor, uint32_t opcode,
                                  struct code_place *place)
{
    *place = cursor->pointer;
    return cursor->pointer.is_pointer &&
           take_exactly(cursor, opcode | cursor->pointer_register << 5);
}

static bool take_call_or_jump(struct cursor *cursor, uint32_t direct, uint32_t indirect,
                              struct code_place *place)
{
    return take_branch(cursor, direct, place) ||
           (take_any_pointer(cursor) && take_through_register(cursor, indirect, place));
}

// add x<reg>,x<reg>,#imm: an offset in a page.
static bool take_add(struct cursor *cursor, unsigned reg, uint64_t *offset)
{
    uint32_t word = 0;
    if (!take_masked(cursor, 0xffc003ff, 0x91000000 | reg << 5 | reg, &word)) {
        return false;
    }
    *offset = bits(word, 10, 12);
    return true;
}

static bool take_main(struct cursor *cursor, struct code_place *place)
{
    uint64_t offset = 0;
    if (take_pointer(cursor, place, 0, 0)) {
        return true;
    }
    place->is_pointer = false;
    if (take_address(cursor, false, 0, &place->address)) {
        return true;
    }
    if (!take_address(cursor, true, 0, &place->address) ||
        !take_add(cursor, 0, &offset)) {
        return false;
    }
    place->address += offset;
    return true;
}

static bool take_stub(struct cursor *cursor, struct code_place *place)
{
    uint64_t offset = 0;
    return take_pointer(cursor, place, 16, 17) && take_add(cursor, 16, &offset);
}

static bool take_instruction(struct cursor *cursor, const char *digits)
{
    uint32_t expected = 0;
    for (size_t i = 0; i < 8; i++) {
        expected = expected << 4 | (uint32_t)pattern_digit(digits[i]);
    }
    return take_exactly(cursor, expected);
}

static bool take_letter(struct cursor *cursor, char letter, struct code_match *match)
{
    switch (letter) {
    case 'C':
        return take_call_or_jump(cursor, opcode_bl, opcode_blr, &match->callee);
    case 'J':
        return take_call_or_jump(cursor, opcode_b, opcode_br, &match->callee);
    case 'G':
        return take_any_pointer(cursor);
    case 'L':
        return take_through_register(cursor, opcode_blr, &match->callee);
    case 'R':
        return take_exactly(cursor, opcode_ret) || take_exactly(cursor, opcode_retaa);
    case 'M':
        return take_main(cursor, &match->argument);
    case 'S':
        return take_stub(cursor, &match->callee);
    default:
        return letter == ' ';
    }
}

static bool match_pattern(const char *pattern, const struct code *code,
                          struct code_match *match)
{
    struct cursor cursor = {.code = code};
    *match = (struct code_match){0};
    while (*pattern != '\0') {
        if (pattern_digit(*pattern) < 0) {
            if (!take_letter(&cursor, *pattern, match)) {
                return false;
            }
            pattern++;
        } else {
            if (!take_instruction(&cursor, pattern)) {
                return false;
            }
            pattern += 8;
        }
    }
    return true;
}

const struct code_patterns code_arm64 = {match_pattern, mains, starts, stubs, wrappers};
