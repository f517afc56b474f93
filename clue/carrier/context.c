/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Switching between ranks: what a called function must keep (System V ABI, AMD64 supplement 3.2),
 * and the thread pointer.
 */
#include "internal.h"

#include <string.h>
#include <sys/auxv.h>

/* Whether the thread pointer can be written without a system call: bit 1 of AT_HWCAP2. */
__attribute__((visibility("hidden"))) int clue_has_fsgsbase;

__asm__(".text\n"
        ".hidden clue_switch\n.globl clue_switch\n.type clue_switch,@function\n"
        "clue_switch:\n"
        "\tpushq %rbp\n\tpushq %rbx\n\tpushq %r12\n\tpushq %r13\n\tpushq %r14\n\tpushq %r15\n"
        "\tsubq $8, %rsp\n\tstmxcsr (%rsp)\n\tfnstcw 4(%rsp)\n"
        "\tmovq %rsp, (%rdi)\n"
        "\tmovq (%rsi), %rsp\n"
        "\tmovq 8(%rsi), %rsi\n"
        "\tcmpl $0, clue_has_fsgsbase(%rip)\n\tje 1f\n"
        "\twrfsbase %rsi\n"
        "\tjmp 2f\n"
        "1:\tmovl $158, %eax\n\tmovl $0x1002, %edi\n\tsyscall\n" /* arch_prctl(ARCH_SET_FS) */
        "2:\tldmxcsr (%rsp)\n\tfldcw 4(%rsp)\n\taddq $8, %rsp\n"
        "\tpopq %r15\n\tpopq %r14\n\tpopq %r13\n\tpopq %r12\n\tpopq %rbx\n\tpopq %rbp\n"
        "\tret\n"
        ".size clue_switch,.-clue_switch\n"
        ".hidden clue_enter\n.globl clue_enter\n.type clue_enter,@function\n"
        "clue_enter:\n\tmovq %rdi, %rsp\n\txorl %edx, %edx\n\txorl %ebp, %ebp\n\tjmpq *%rsi\n"
        ".size clue_enter,.-clue_enter\n");

void clue_context_begin(void)
{
    clue_has_fsgsbase = (getauxval(AT_HWCAP2) & 2) != 0;
}

void clue_context_make(struct context *c, uint8_t *top, void *thread, void (*function)(void))
{
    void **frame = (void **)((uintptr_t)top / 16 * 16) - 2; /* so that FUNCTION finds it aligned */
    uint32_t control[2];

    *frame = (void *)(uintptr_t)function;
    frame -= 7;
    memset(frame, 0, 7 * sizeof *frame);
    __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(control[0]), "=m"(control[1]));
    memcpy(frame, control, 6);
    *c = (struct context){frame, thread};
}
