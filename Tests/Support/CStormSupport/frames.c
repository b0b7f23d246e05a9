// SPDX-License-Identifier: Apache-2.0
#include "CStormSupport.h"

// The register gets an address that looks like one of a stack, and that nothing is mapped at. The unwinder is told where the
// frame really is, as it is by every compiler.
#if defined(__x86_64__)
__asm__(
    ".text\n"
    ".globl storm_call_without_frame_pointer\n"
    ".type storm_call_without_frame_pointer, @function\n"
    "storm_call_without_frame_pointer:\n"
    ".cfi_startproc\n"
    "pushq %rbp\n"
    ".cfi_def_cfa_offset 16\n"
    ".cfi_offset %rbp, -16\n"
    "movabsq $0x00007fffdeadbe00, %rbp\n"
    "callq *%rdi\n"
    "popq %rbp\n"
    ".cfi_def_cfa_offset 8\n"
    "retq\n"
    ".cfi_endproc\n"
    ".size storm_call_without_frame_pointer, .-storm_call_without_frame_pointer\n");
#elif defined(__aarch64__)
__asm__(
    ".text\n"
    ".globl storm_call_without_frame_pointer\n"
    ".type storm_call_without_frame_pointer, %function\n"
    "storm_call_without_frame_pointer:\n"
    ".cfi_startproc\n"
    "stp x29, x30, [sp, #-16]!\n"
    ".cfi_def_cfa_offset 16\n"
    ".cfi_offset x29, -16\n"
    ".cfi_offset x30, -8\n"
    "mov x29, #0xbe00\n"
    "movk x29, #0xdead, lsl #16\n"
    "movk x29, #0x7fff, lsl #32\n"
    "blr x0\n"
    "ldp x29, x30, [sp], #16\n"
    ".cfi_def_cfa_offset 0\n"
    "ret\n"
    ".cfi_endproc\n"
    ".size storm_call_without_frame_pointer, .-storm_call_without_frame_pointer\n");
#endif
