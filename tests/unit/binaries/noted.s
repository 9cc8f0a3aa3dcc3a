// SPDX-License-Identifier: MIT
// A build ID in an object: there are sections, and no segments.
    .section .note.gnu.build-id, "a", @note
    .p2align 2
    .long 4
    .long 16
    .long 3
    .asciz "GNU"
    .quad 0x8877665544332211
    .quad 0x00ffeeddccbbaa99
