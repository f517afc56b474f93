/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fronts: what a program calls instead of a function that has a law. The clock of the burst stops,
 * the law says what the call takes, the function runs outside of the clock. All registers that pass
 * arguments and the stack are as the caller left them (System V ABI, AMD64 supplement 3.2.3), and
 * so a front fits every function: it does not call, it goes on into the function, which returns to
 * a second piece of code; the place where the caller goes on is kept meanwhile.
 */
#include "law.h"

#include <errno.h>
#include <string.h>

enum { STUB_BYTES = 16 };

/* One for each function that has a law; where it is, as in relocate.c. */
static struct front {
    struct burst_law *law;
    const struct image_set *set;
    uint32_t base;
    uint64_t value;
} fronts[MOST_FRONTS];
static size_t n_fronts;

extern uint8_t clue_front_stubs[] __attribute__((visibility("hidden")));
extern uint8_t clue_front_back[] __attribute__((visibility("hidden")));
extern uint8_t clue_front_nothing[] __attribute__((visibility("hidden")));
const void *clue_front_enter(const uint8_t *stub, const uint64_t *arguments, const void **back)
    __attribute__((visibility("hidden")));
const void *clue_front_leave(void) __attribute__((visibility("hidden")));

/* MOST_FRONTS stubs say by their address which one was called. */
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
        /* Here the function returns: its results are in these, or on the stack of the x87. */
        ".hidden clue_front_back\n.globl clue_front_back\n.type clue_front_back,@function\n"
        "clue_front_back:\n"
        "\tsubq $48, %rsp\n\tmovq %rax, (%rsp)\n\tmovq %rdx, 8(%rsp)\n"
        "\tmovups %xmm0, 16(%rsp)\n\tmovups %xmm1, 32(%rsp)\n"
        "\tcall clue_front_leave\n"
        "\tmovq %rax, %r11\n"
        "\tmovups 32(%rsp), %xmm1\n\tmovups 16(%rsp), %xmm0\n"
        "\tmovq 8(%rsp), %rdx\n\tmovq (%rsp), %rax\n\taddq $48, %rsp\n\tjmpq *%r11\n"
        ".size clue_front_back,.-clue_front_back\n"
        /* In the place of a function that is skipped. */
        ".hidden clue_front_nothing\n.globl clue_front_nothing\n"
        ".type clue_front_nothing,@function\n"
        "clue_front_nothing:\n"
        "\txorl %eax, %eax\n\txorl %edx, %edx\n\txorps %xmm0, %xmm0\n\txorps %xmm1, %xmm1\n\tret\n"
        ".size clue_front_nothing,.-clue_front_nothing\n");
_Static_assert(MOST_FRONTS == 64, "as many as .rept makes");

static const void *real_function(const struct front *f, const struct rank *rank)
{
    uint64_t in = f->base == CLUE_ABSOLUTE || !rank
                      ? 0
                      : (uint64_t)(uintptr_t)rank->base + f->set->images[f->base].offset;

    return (const void *)(uintptr_t)(in + f->value);
}

/* Where the call goes on; *BACK is where it returns. Functions that have a law and are called by
 * one that has are in the time of that. */
const void *clue_front_enter(const uint8_t *stub, const uint64_t *arguments, const void **back)
{
    const struct front *f = &fronts[(size_t)(stub - clue_front_stubs) / STUB_BYTES];
    struct rank *rank = clue_carrier.current;
    const void *real = real_function(f, rank);
    int error = errno;

    if (!rank || rank->depth)
        return real;
    rank->depth++;
    rank->fronts_ns += clue_burst_end(rank, *back);
    rank->routine = &f->law->routine;
    rank->site = *back;
    rank->was_switched = false;
    rank->fronts_ns += clue_law_time(f->law, rank, arguments);
    if (clue_carrier.run->laws->skips) {
        real = clue_front_nothing;
        rank->depth--;
        clue_burst_begin(rank);
    } else {
        rank->front_back = *back;
        *back = clue_front_back;
    }
    errno = error;
    return real;
}

const void *clue_front_leave(void)
{
    struct rank *rank = clue_carrier.current;

    rank->depth--;
    clue_burst_begin(rank);
    return rank->front_back;
}

/* What carrier itself has in its place, clocks and exit() say, is no function that computes. */
static bool is_own(uint32_t base, uint64_t value)
{
    Dl_info own, where;

    return base == CLUE_ABSOLUTE && dladdr(clue_front_stubs, &own) &&
           dladdr((const void *)(uintptr_t)value, &where) && own.dli_fbase == where.dli_fbase;
}

void clue_front(const struct image_set *set, const char *name, uint32_t *base, uint64_t *value)
{
    struct burst_law *law = clue_law_of_function(name);
    struct front front = {law, set, *base, *value};
    size_t i = 0;

    if (!law || is_own(*base, *value))
        return;
    while (i < n_fronts && (fronts[i].law != law || fronts[i].set != set ||
                            fronts[i].base != *base || fronts[i].value != *value))
        i++;
    if (i == MOST_FRONTS)
        return;
    if (i == n_fronts)
        fronts[n_fronts++] = front;
    law->is_front = true;
    *base = CLUE_ABSOLUTE;
    *value = (uint64_t)(uintptr_t)clue_front_stubs + i * STUB_BYTES;
}
