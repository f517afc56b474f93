/* SPDX-License-Identifier: BSD-3-Clause */
/* Assembly of folding for AArch64 (Procedure Call Standard for the Arm 64-bit Architecture). */
#include "internal.h"

#include <string.h>

/* ------------------------------------------------- switching between ranks */

enum { SAVED_WORDS = 22, SAVED_LINK = 11, SAVED_CONTROL = 20 };

/* Saves and restores what a called function must preserve (6.1), the rounding of floating-point
 * numbers, and the thread pointer. */
__asm__(".text\n"
        ".hidden clue_switch\n.globl clue_switch\n.type clue_switch,%function\n"
        "clue_switch:\n"
        "\tsub sp, sp, #176\n\tmrs x3, fpcr\n"
        "\tstp x19, x20, [sp]\n\tstp x21, x22, [sp, #16]\n\tstp x23, x24, [sp, #32]\n"
        "\tstp x25, x26, [sp, #48]\n\tstp x27, x28, [sp, #64]\n\tstp x29, x30, [sp, #80]\n"
        "\tstp d8, d9, [sp, #96]\n\tstp d10, d11, [sp, #112]\n\tstp d12, d13, [sp, #128]\n"
        "\tstp d14, d15, [sp, #144]\n\tstr x3, [sp, #160]\n"
        "\tmov x2, sp\n\tstr x2, [x0]\n"
        "\tldp x2, x4, [x1]\n\tmov sp, x2\n\tmsr tpidr_el0, x4\n"
        "\tldr x4, [sp, #160]\n\tcmp x3, x4\n\tb.eq 1f\n\tmsr fpcr, x4\n" /* which is slow */
        "1:\tldp x19, x20, [sp]\n\tldp x21, x22, [sp, #16]\n\tldp x23, x24, [sp, #32]\n"
        "\tldp x25, x26, [sp, #48]\n\tldp x27, x28, [sp, #64]\n\tldp x29, x30, [sp, #80]\n"
        "\tldp d8, d9, [sp, #96]\n\tldp d10, d11, [sp, #112]\n\tldp d12, d13, [sp, #128]\n"
        "\tldp d14, d15, [sp, #144]\n\tadd sp, sp, #176\n\tret\n"
        ".size clue_switch,.-clue_switch\n"
        ".hidden clue_enter\n.globl clue_enter\n.type clue_enter,%function\n"
        "clue_enter:\n\tmov sp, x0\n\tmov x16, x1\n\tmov x0, #0\n\tmov x29, #0\n\tmov x30, #0\n"
        "\tbr x16\n"
        ".size clue_enter,.-clue_enter\n");

/* Does nothing: any program may write the thread pointer. */
void clue_context_begin(void)
{
}

void clue_context_make(struct context *c, uint8_t *top, void *thread, void (*function)(void))
{
    uint64_t *frame = (uint64_t *)((uintptr_t)top / 16 * 16) - SAVED_WORDS;

    memset(frame, 0, SAVED_WORDS * sizeof *frame);
    frame[SAVED_LINK] = (uintptr_t)function;
    __asm__ volatile("mrs %0, fpcr" : "=r"(frame[SAVED_CONTROL]));
    *c = (struct context){frame, thread};
}

/* ------------------------------------------------- fronts */

__asm__(".text\n.hidden clue_front_stubs\n.globl clue_front_stubs\n.p2align 4\n"
        ".type clue_front_stubs,%function\n"
        "clue_front_stubs:\n"
        "\t.rept 64\n\t.p2align 4\n\tadr x16, .\n\tb 1f\n\t.endr\n"
        "1:\tstp x29, x30, [sp, #-224]!\n\tmov x29, sp\n"
        "\tstp x0, x1, [sp, #16]\n\tstp x2, x3, [sp, #32]\n\tstp x4, x5, [sp, #48]\n"
        "\tstp x6, x7, [sp, #64]\n\tstr x8, [sp, #80]\n"
        "\tstp q0, q1, [sp, #96]\n\tstp q2, q3, [sp, #128]\n\tstp q4, q5, [sp, #160]\n"
        "\tstp q6, q7, [sp, #192]\n"
        "\tmov x0, x16\n\tadd x1, sp, #16\n\tadd x2, sp, #8\n"
        "\tbl clue_front_enter\n"
        "\tmov x16, x0\n"
        "\tldp q6, q7, [sp, #192]\n\tldp q4, q5, [sp, #160]\n\tldp q2, q3, [sp, #128]\n"
        "\tldp q0, q1, [sp, #96]\n\tldr x8, [sp, #80]\n\tldp x6, x7, [sp, #64]\n"
        "\tldp x4, x5, [sp, #48]\n\tldp x2, x3, [sp, #32]\n\tldp x0, x1, [sp, #16]\n"
        "\tldp x29, x30, [sp], #224\n\tbr x16\n"
        ".size clue_front_stubs,.-clue_front_stubs\n"
        /* The function returns here; its results are in these registers. */
        ".hidden clue_front_back\n.globl clue_front_back\n.type clue_front_back,%function\n"
        "clue_front_back:\n"
        "\tstp x0, x1, [sp, #-80]!\n\tstp q0, q1, [sp, #16]\n\tstp q2, q3, [sp, #48]\n"
        "\tbl clue_front_leave\n"
        "\tmov x30, x0\n"
        "\tldp q2, q3, [sp, #48]\n\tldp q0, q1, [sp, #16]\n\tldp x0, x1, [sp], #80\n\tret\n"
        ".size clue_front_back,.-clue_front_back\n"
        ".hidden clue_front_nothing\n.globl clue_front_nothing\n"
        ".type clue_front_nothing,%function\n"
        "clue_front_nothing:\n"
        "\tmov x0, #0\n\tmov x1, #0\n\tmovi v0.2d, #0\n\tmovi v1.2d, #0\n\tmovi v2.2d, #0\n"
        "\tmovi v3.2d, #0\n\tret\n"
        ".size clue_front_nothing,.-clue_front_nothing\n");
_Static_assert(MOST_FRONTS == 64 && STUB_BYTES == 16, "as many as .rept makes");

/* ------------------------------------------------- names of images */

__asm__(".text\n.hidden clue_tls_descriptor\n.globl clue_tls_descriptor\n"
        ".type clue_tls_descriptor,%function\n"
        "clue_tls_descriptor:\n\tldr x0, [x0, #8]\n\tret\n"
        ".size clue_tls_descriptor,.-clue_tls_descriptor\n");

/* Replace exec(3)'s functions, some of which take any number of arguments: all are as the caller
 * left them when the real one is called. */
__asm__(".text\n"
        "1:\tstp x29, x30, [sp, #-96]!\n\tmov x29, sp\n\tstp x0, x1, [sp, #16]\n"
        "\tstp x2, x3, [sp, #32]\n\tstp x4, x5, [sp, #48]\n\tstp x6, x7, [sp, #64]\n"
        "\tstr x16, [sp, #80]\n\tbl clue_refuse_exec\n\tldr x16, [sp, #80]\n"
        "\tldp x6, x7, [sp, #64]\n\tldp x4, x5, [sp, #48]\n\tldp x2, x3, [sp, #32]\n"
        "\tldp x0, x1, [sp, #16]\n\tldp x29, x30, [sp], #96\n\tbr x16\n"
        ".irp name, execl, execlp, execle, execv, execvp, execvpe, execve, fexecve\n"
        ".hidden clue_\\name\n.globl clue_\\name\n.type clue_\\name,%function\n"
        "clue_\\name:\n\tadrp x16, :got:\\name\n\tldr x16, [x16, :got_lo12:\\name]\n\tb 1b\n"
        ".endr\n");
