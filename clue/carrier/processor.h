/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parts of folding that depend on the processor: the numbers of relocations, where
 * thread-locals lie, its counter of time, registers of a signal. Assembly is in processor_NAME.c.
 */
#ifndef PORTOLAN_CLUE_PROCESSOR_H
#define PORTOLAN_CLUE_PROCESSOR_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#if defined(__x86_64__)
#define PROCESSOR_NAME "x86-64"
enum {
    PROCESSOR_MACHINE = EM_X86_64,
    RELOCATE_NONE = R_X86_64_NONE,
    RELOCATE_WORD = R_X86_64_64,
    RELOCATE_COPY = R_X86_64_COPY,
    RELOCATE_GLOBAL = R_X86_64_GLOB_DAT,
    RELOCATE_JUMP = R_X86_64_JUMP_SLOT,
    RELOCATE_RELATIVE = R_X86_64_RELATIVE,
    RELOCATE_CALL = R_X86_64_IRELATIVE,
    RELOCATE_TLS_OFFSET = R_X86_64_TPOFF64,
    RELOCATE_TLS_MODULE = R_X86_64_DTPMOD64,
    RELOCATE_TLS_PLACE = R_X86_64_DTPOFF64,
    RELOCATE_TLS_DESCRIPTOR = R_X86_64_TLSDESC,
    /* Thread-locals end at the thread pointer, where the descriptor of glibc begins. */
    TLS_IS_BELOW = true,
    TLS_RESERVED = 0,
    TLS_VECTOR_WORD = 1, /* word at the thread pointer with the address of the modules' vector */
    UNSAVED_BYTES = 128  /* bytes below the stack pointer that functions may use */
};
static inline uint64_t processor_ticks(void)
{
    return __builtin_ia32_rdtsc();
}
static inline uint64_t processor_pc(const ucontext_t *state)
{
    return (uint64_t)state->uc_mcontext.gregs[REG_RIP];
}
static inline uint64_t processor_sp(const ucontext_t *state)
{
    return (uint64_t)state->uc_mcontext.gregs[REG_RSP];
}

#elif defined(__aarch64__)
#define PROCESSOR_NAME "AArch64"
enum {
    PROCESSOR_MACHINE = EM_AARCH64,
    RELOCATE_NONE = R_AARCH64_NONE,
    RELOCATE_WORD = R_AARCH64_ABS64,
    RELOCATE_COPY = R_AARCH64_COPY,
    RELOCATE_GLOBAL = R_AARCH64_GLOB_DAT,
    RELOCATE_JUMP = R_AARCH64_JUMP_SLOT,
    RELOCATE_RELATIVE = R_AARCH64_RELATIVE,
    RELOCATE_CALL = R_AARCH64_IRELATIVE,
    RELOCATE_TLS_OFFSET = R_AARCH64_TLS_TPREL,
    RELOCATE_TLS_MODULE = R_AARCH64_TLS_DTPMOD,
    RELOCATE_TLS_PLACE = R_AARCH64_TLS_DTPREL,
    RELOCATE_TLS_DESCRIPTOR = R_AARCH64_TLSDESC,
    /* Thread-locals begin two words after the thread pointer, where the descriptor ends. */
    TLS_IS_BELOW = false,
    TLS_RESERVED = 16,
    TLS_VECTOR_WORD = 0,
    UNSAVED_BYTES = 512 /* a function that finds no room has not moved the stack pointer yet */
};
static inline uint64_t processor_ticks(void)
{
    uint64_t ticks;

    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}
static inline uint64_t processor_pc(const ucontext_t *state)
{
    return state->uc_mcontext.pc;
}
static inline uint64_t processor_sp(const ucontext_t *state)
{
    return state->uc_mcontext.sp;
}
#endif

/* The descriptor of a thread-local at a fixed place: its second word is the offset. */
int64_t clue_tls_descriptor(void) __attribute__((visibility("hidden")));

/* front.c: the addresses of MOST_FRONTS stubs say which function was called. */
enum { MOST_FRONTS = 64, STUB_BYTES = 16 };
extern uint8_t clue_front_stubs[] __attribute__((visibility("hidden")));
/* A function that was called through a stub returns here. */
extern uint8_t clue_front_back[] __attribute__((visibility("hidden")));
/* Replaces a function that is skipped; its result is 0. */
extern uint8_t clue_front_nothing[] __attribute__((visibility("hidden")));
/* Called by stubs with the arguments in the integer registers. */
const void *clue_front_enter(const uint8_t *stub, const uint64_t *arguments, const void **back)
    __attribute__((visibility("hidden")));
const void *clue_front_leave(void) __attribute__((visibility("hidden")));

/* program.c: called by the replacements of exec(3)'s functions. */
void clue_refuse_exec(void) __attribute__((visibility("hidden")));

#endif
