// SPDX-License-Identifier: MIT
// The few machine code sequences that stock_main.c recognises, by architecture.
//
// They are written down as patterns: the code in hexadecimal digits (on ARM64: whole
// instructions, most significant digit first), and capital letters for what differs from
// program to program; each architecture's file explains its own. All were taken from
// what gcc 11 and 12, clang 13, 14 and 16, glibc 2.36, and the linkers bfd, gold, lld
// and mold make. A pattern covers a function from its first instruction to the one that
// leaves it, and there is no branch in between: nothing else can happen in there.

#ifndef HALIDECACHE_STOCK_CODE_H
#define HALIDECACHE_STOCK_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The bytes from an address on, as many as the file has, or enough for any pattern. */
struct code {
    uint64_t address;
    const unsigned char *bytes;
    size_t size;
};

enum { CODE_ENOUGH = 128 };

/** A place that code names: of other code, or (`is_pointer`) of a pointer to it. */
struct code_place {
    uint64_t address;
    bool is_pointer;
};

struct code_match {
    struct code_place callee;   // what it calls or jumps to
    struct code_place argument; // what it passes as the first argument
};

struct code_patterns {
    /** Does the code begin with the pattern? */
    bool (*match)(const char *pattern, const struct code *code, struct code_match *match);

    // Lists that end with NULL.
    const char *const *mains;  // passes on its arguments and returns the result
    const char *const *starts; // glibc's _start: argument main, callee __libc_start_main
    const char *const *stubs;  // jumps to what a pointer says: an entry of a PLT
    const char *const *wrappers; // glibc's __wrap_main: jumps to main
};

extern const struct code_patterns code_x86_64;
extern const struct code_patterns code_arm64;

/** Does the code begin with one of the patterns? */
bool code_match_any(const struct code_patterns *patterns, const char *const *list,
                    const struct code *code, struct code_match *match);

// ---- For the patterns' files --------------------------------------------------------

/** The value of a hexadecimal digit in lower case, or -1. */
int pattern_digit(char c);

#endif
