// SPDX-License-Identifier: MIT
// Functions of which it is enough to know that they are called, and with what.
//
//   BEFORE(symbol, note, from, reason)
//
// puts a function `symbol` in front of the real one. It calls `note` and then *jumps* to
// the real one, with every register and the stack as its caller left them. So it does not
// matter what parameters the function has (execl, syscall, clone), that it returns twice
// (vfork), or that it looks where it is called from (dlopen), none of which a function in
// C could pass on.

#ifndef HALIDECACHE_TRACER_BEFORE_H
#define HALIDECACHE_TRACER_BEFORE_H

#include "callers.h"
#include "real.h"

#include <stdatomic.h>
#include <stdint.h>

struct before;

/** Called when a caller of one of the kinds in `from` calls. `arguments` are the first
 * six that are integers or pointers. */
typedef void before_note(const struct before *before, const uintptr_t *arguments,
                         const struct caller *caller);

struct before {
    const char *name;
    before_note *note;
    unsigned from; // FROM_…
    const char *reason;
    _Atomic(real_function *) real;
};

/** Notes that this cannot be replayed, and `reason`. */
before_note before_note_opaque;

// The stubs load the address of their `struct before` and go to before_enter (before.c).
// Both are in the same object and need no relocation.
#if defined(__x86_64__)
#define BEFORE_STUB_CODE(symbol)                                                         \
    "endbr64\n"                                                                          \
    "leaq before_" #symbol "(%rip), %r11\n"                                              \
    "jmp before_enter\n"
#elif defined(__aarch64__)
#define BEFORE_STUB_CODE(symbol)                                                         \
    "hint #34\n" /* bti c */                                                             \
    "adrp x16, before_" #symbol "\n"                                                     \
    "add x16, x16, :lo12:before_" #symbol "\n"                                           \
    "b before_enter\n"
#endif

#define BEFORE(symbol, note_function, from_kinds, why)                                   \
    __attribute__((used, visibility("hidden"))) struct before before_##symbol = {        \
        .name = #symbol,                                                                 \
        .note = (note_function),                                                         \
        .from = (from_kinds),                                                            \
        .reason = (why)};                                                                \
    __asm__(".pushsection .text\n"                                                       \
            ".globl " #symbol "\n"                                                       \
            ".type " #symbol ", @function\n"                                             \
            ".p2align 4\n" #symbol ":\n"                                                 \
            ".cfi_startproc\n" BEFORE_STUB_CODE(symbol) ".cfi_endproc\n"                 \
                                                        ".size " #symbol                 \
                                                        ", . - " #symbol "\n"            \
                                                        ".popsection\n")

#endif
