// SPDX-License-Identifier: MIT

#include "before.h"

#include "records.h"
#include "tracer.h"

#include <errno.h>
#include <stdbool.h>

// From a stub: keeps the registers that arguments are in, calls before_call with the
// `struct before`, the kept arguments and the return address, and jumps to the function
// that it returns.
#if defined(__x86_64__)
__asm__(".pushsection .text\n"
        ".globl before_enter\n"
        ".hidden before_enter\n"
        ".type before_enter, @function\n"
        ".p2align 4\n"
        "before_enter:\n"
        ".cfi_startproc\n"
        "pushq %rax\n" // for functions with variable arguments
        ".cfi_adjust_cfa_offset 8\n"
        "pushq %r9\n"
        ".cfi_adjust_cfa_offset 8\n"
        "pushq %r8\n"
        ".cfi_adjust_cfa_offset 8\n"
        "pushq %rcx\n"
        ".cfi_adjust_cfa_offset 8\n"
        "pushq %rdx\n"
        ".cfi_adjust_cfa_offset 8\n"
        "pushq %rsi\n"
        ".cfi_adjust_cfa_offset 8\n"
        "pushq %rdi\n"
        ".cfi_adjust_cfa_offset 8\n"
        "movq %r11, %rdi\n"
        "movq %rsp, %rsi\n"
        "movq 56(%rsp), %rdx\n"
        "call before_call\n"
        "movq %rax, %r11\n"
        "popq %rdi\n"
        ".cfi_adjust_cfa_offset -8\n"
        "popq %rsi\n"
        ".cfi_adjust_cfa_offset -8\n"
        "popq %rdx\n"
        ".cfi_adjust_cfa_offset -8\n"
        "popq %rcx\n"
        ".cfi_adjust_cfa_offset -8\n"
        "popq %r8\n"
        ".cfi_adjust_cfa_offset -8\n"
        "popq %r9\n"
        ".cfi_adjust_cfa_offset -8\n"
        "popq %rax\n"
        ".cfi_adjust_cfa_offset -8\n"
        "jmp *%r11\n"
        ".cfi_endproc\n"
        ".size before_enter, . - before_enter\n"
        ".popsection\n");
#elif defined(__aarch64__)
__asm__(".pushsection .text\n"
        ".globl before_enter\n"
        ".hidden before_enter\n"
        ".type before_enter, @function\n"
        ".p2align 4\n"
        "before_enter:\n"
        ".cfi_startproc\n"
        "stp x29, x30, [sp, #-96]!\n"
        ".cfi_def_cfa_offset 96\n"
        ".cfi_offset 29, -96\n"
        ".cfi_offset 30, -88\n"
        "mov x29, sp\n"
        "stp x0, x1, [sp, #16]\n"
        "stp x2, x3, [sp, #32]\n"
        "stp x4, x5, [sp, #48]\n"
        "stp x6, x7, [sp, #64]\n"
        "str x8, [sp, #80]\n"
        "mov x0, x16\n"
        "add x1, sp, #16\n"
        "mov x2, x30\n"
        "bl before_call\n"
        "mov x16, x0\n"
        "ldp x0, x1, [sp, #16]\n"
        "ldp x2, x3, [sp, #32]\n"
        "ldp x4, x5, [sp, #48]\n"
        "ldp x6, x7, [sp, #64]\n"
        "ldr x8, [sp, #80]\n"
        "ldp x29, x30, [sp], #96\n"
        ".cfi_restore 29\n"
        ".cfi_restore 30\n"
        ".cfi_def_cfa_offset 0\n"
        "br x16\n"
        ".cfi_endproc\n"
        ".size before_enter, . - before_enter\n"
        ".popsection\n");
#endif

__attribute__((used, visibility("hidden"))) real_function *
before_call(struct before *before, const uintptr_t *arguments, const void *from);

static long return_zero(void)
{
    return 0;
}

static void note(const struct before *before, const uintptr_t *arguments,
                 const void *from)
{
    const int saved = errno;
    if (tracer_is_active()) {
        const struct caller caller = callers_find(from);
        if ((before->from & 1U << caller.kind) != 0) {
            before->note(before, arguments, &caller);
        }
    }
    errno = saved;
}

// The dynamic linker may run other objects' code, to choose one of several versions of a
// function, before it has put the right addresses into this object. Then a pointer that
// the compiler has filled in is not yet true.
static bool is_relocated(void)
{
    static long (*const volatile pointer)(void) = return_zero;
    return pointer == return_zero;
}

real_function *before_call(struct before *before, const uintptr_t *arguments,
                           const void *from)
{
    if (!is_relocated()) {
        // That early libc has no environment either: getenv finds nothing.
        return (real_function *)return_zero;
    }
    real_function *real = atomic_load_explicit(&before->real, memory_order_relaxed);
    if (real == NULL) {
        real = real_find(before->name);
        atomic_store_explicit(&before->real, real, memory_order_relaxed);
    }
    note(before, arguments, from);
    return real;
}

void before_note_opaque(const struct before *before, const uintptr_t *arguments,
                        const struct caller *caller)
{
    (void)arguments;
    records_add_opaque(before->reason, before->name, caller->object);
}
