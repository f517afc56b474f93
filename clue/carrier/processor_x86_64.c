/* SPDX-License-Identifier: BSD-3-Clause */
/* Assembly of folding for x86-64 (System V ABI, AMD64 supplement). */
#include "internal.h"

#include <string.h>
#include <sys/auxv.h>

/* ------------------------------------------------- switching between ranks */

/* Is not 0 if the thread pointer can be written without a system call: bit 1 of AT_HWCAP2. */
__attribute__((visibility("hidden"))) int clue_has_fsgsbase;

/* Saves and restores what a called function must preserve (3.2), and the thread pointer. */
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

/* ------------------------------------------------- fronts */

__asm__(".text\n.hidden clue_front_stubs\n.globl clue_front_stubs\n.p2align 4\n"
        ".type clue_front_stubs,@function\n"
        "clue_front_stubs:\n"
        "\t.rept 64\n\t.p2align 4\n\tleaq 0(%rip), %r11\n\tjmp 1f\n\t.endr\n"
        "1:\tpushq %rbp\n\tmovq %rsp, %rbp\n\tsubq $192, %rsp\n"
        "\tmovq %rdi, (%rsp)\n\tmovq %rsi, 8(%rsp)\n\tmovq %rdx, 16(%rsp)\n"
        "\tmovq %rcx, 24(%rsp)\n\tmovq %r8, 32(%rsp)\n\tmovq %r9, 40(%rsp)\n"
        "\tmovq %rax, 48(%rsp)\n\tmovq %r10, 56(%rsp)\n"
        "\tmovups %xmm0, 64(%rsp)\n\tmovups %xmm1, 80(%rsp)\n\tmovups %xmm2, 96(%rsp)\n"
        "\tmovups %xmm3, 112(%rsp)\n\tmovups %xmm4, 128(%rsp)\n\tmovups %xmm5, 144(%rsp)\n"
        "\tmovups %xmm6, 160(%rsp)\n\tmovups %xmm7, 176(%rsp)\n"
        "\tmovq %r11, %rdi\n\tmovq %rsp, %rsi\n\tleaq 8(%rbp), %rdx\n"
        "\tcall clue_front_enter\n"
        "\tmovq %rax, %r11\n"
        "\tmovups 176(%rsp), %xmm7\n\tmovups 160(%rsp), %xmm6\n\tmovups 144(%rsp), %xmm5\n"
        "\tmovups 128(%rsp), %xmm4\n\tmovups 112(%rsp), %xmm3\n\tmovups 96(%rsp), %xmm2\n"
        "\tmovups 80(%rsp), %xmm1\n\tmovups 64(%rsp), %xmm0\n"
        "\tmovq 56(%rsp), %r10\n\tmovq 48(%rsp), %rax\n"
        "\tmovq 40(%rsp), %r9\n\tmovq 32(%rsp), %r8\n\tmovq 24(%rsp), %rcx\n"
        "\tmovq 16(%rsp), %rdx\n\tmovq 8(%rsp), %rsi\n\tmovq (%rsp), %rdi\n"
        "\tleave\n\tjmpq *%r11\n"
        ".size clue_front_stubs,.-clue_front_stubs\n"
        /* The function returns here, with results in these registers, or on the stack of the
         * x87. */
        ".hidden clue_front_back\n.globl clue_front_back\n.type clue_front_back,@function\n"
        "clue_front_back:\n"
        "\tsubq $48, %rsp\n\tmovq %rax, (%rsp)\n\tmovq %rdx, 8(%rsp)\n"
        "\tmovups %xmm0, 16(%rsp)\n\tmovups %xmm1, 32(%rsp)\n"
        "\tcall clue_front_leave\n"
        "\tmovq %rax, %r11\n"
        "\tmovups 32(%rsp), %xmm1\n\tmovups 16(%rsp), %xmm0\n"
        "\tmovq 8(%rsp), %rdx\n\tmovq (%rsp), %rax\n\taddq $48, %rsp\n\tjmpq *%r11\n"
        ".size clue_front_back,.-clue_front_back\n"
        /* Replaces a function that is skipped. */
        ".hidden clue_front_nothing\n.globl clue_front_nothing\n"
        ".type clue_front_nothing,@function\n"
        "clue_front_nothing:\n"
        "\txorl %eax, %eax\n\txorl %edx, %edx\n\txorps %xmm0, %xmm0\n\txorps %xmm1, %xmm1\n\tret\n"
        ".size clue_front_nothing,.-clue_front_nothing\n");
_Static_assert(MOST_FRONTS == 64 && STUB_BYTES == 16, "as many as .rept makes");

/* ------------------------------------------------- names of images */

__asm__(".text\n.hidden clue_tls_descriptor\n.globl clue_tls_descriptor\n"
        ".type clue_tls_descriptor,@function\n"
        "clue_tls_descriptor:\n\tmovq 8(%rax), %rax\n\tret\n"
        ".size clue_tls_descriptor,.-clue_tls_descriptor\n");

/* Replace exec(3)'s functions, some of which take any number of arguments: all are as the caller
 * left them when the real one is called. */
__asm__(".text\n"
        "1:\tpushq %rdi\n\tpushq %rsi\n\tpushq %rdx\n\tpushq %rcx\n\tpushq %r8\n\tpushq %r9\n"
        "\tpushq %rax\n\tpushq %r11\n\tsubq $8, %rsp\n\tcall clue_refuse_exec\n\taddq $8, %rsp\n"
        "\tpopq %r11\n\tpopq %rax\n\tpopq %r9\n\tpopq %r8\n\tpopq %rcx\n\tpopq %rdx\n\tpopq %rsi\n"
        "\tpopq %rdi\n\tjmpq *%r11\n"
        ".irp name, execl, execlp, execle, execv, execvp, execvpe, execve, fexecve\n"
        ".hidden clue_\\name\n.globl clue_\\name\n.type clue_\\name,@function\n"
        "clue_\\name:\n\tmovq \\name@GOTPCREL(%rip), %r11\n\tjmp 1b\n.endr\n");
