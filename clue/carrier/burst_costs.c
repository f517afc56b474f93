/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures, when a run begins, what measuring bursts and touching pages cost. */
#include "burst.h"

#include <portolan/stats.h>

#include <math.h>
#include <sys/mman.h>

/* Compares the tick counter with the clock for 2 ms. */
static void calibrate(struct burst_costs *costs)
{
    int64_t began = clue_real_ns(CLOCK_MONOTONIC), now;
    uint64_t ticks = processor_ticks();

    do
        now = clue_real_ns(CLOCK_MONOTONIC);
    while (now - began < 2000000);
    costs->ns_per_tick = (double)(now - began) / (double)(processor_ticks() - ticks);
}

/* Measures how much longer a page takes that is touched first, and giving it back. */
static void measure_pages(struct burst_costs *costs)
{
    enum { PAGES = 64, ROUNDS = 9 };
    size_t bytes = PAGES * PAGE;
    double touch_ns[ROUNDS], give_back_ns[ROUNDS];

    for (int i = 0; i < ROUNDS; i++) {
        char *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        int64_t at[4];

        for (int k = 0; k < 4; k++) {
            at[k] = clue_real_ns(CLOCK_MONOTONIC);
            for (size_t p = 0; k < 2 && pages != MAP_FAILED && p < PAGES; p++)
                ((volatile char *)pages)[p * PAGE] = 1;
            if (k == 2 && pages != MAP_FAILED)
                munmap(pages, bytes);
        }
        touch_ns[i] = fmax(0, (double)(2 * at[1] - at[0] - at[2]) / PAGES);
        give_back_ns[i] = (double)(at[3] - at[2]) / PAGES;
    }
    costs->touch_ns = portolan_sort_to_median(ROUNDS, touch_ns);
    costs->give_back_ns = portolan_sort_to_median(ROUNDS, give_back_ns);
}

/* Two tasks: one calls, the other runs during its calls. */
static struct {
    struct context caller, other;
    uint64_t began, took;
    _Alignas(16) uint8_t stack[16384];
} nothing;

static void __attribute__((noinline)) nothing_begins(void)
{
    nothing.began = processor_ticks();
}

static int __attribute__((noinline)) call_nothing(bool is_switched)
{
    nothing.took = processor_ticks() - nothing.began;
    if (is_switched)
        clue_switch(&nothing.caller, &nothing.other);
    nothing_begins();
    return is_switched;
}

/* Returns from as many nested functions as a task may between its calls: after a switch the
 * processor's return predictions are wrong. */
static int __attribute__((noinline)) run_other(int depth)
{
    if (depth)
        return 1 + run_other(depth - 1);
    clue_switch(&nothing.other, &nothing.caller);
    return 1;
}

static void begin_other(void)
{
    for (volatile int n = 0;; n += run_other(4))
        ;
}

/* Returns the ticks between the end of a call and the begin of the next. */
static double empty_ticks(bool is_switched)
{
    enum { ROUNDS = 301 };
    double ticks[ROUNDS];
    volatile int n = 0;

    nothing.caller.thread = __builtin_thread_pointer();
    clue_context_make(&nothing.other, nothing.stack + sizeof nothing.stack, nothing.caller.thread,
                      begin_other);
    call_nothing(is_switched);
    for (int i = 0; i < ROUNDS; i++) {
        n += call_nothing(is_switched);
        ticks[i] = (double)nothing.took;
    }
    return portolan_sort_to_median(ROUNDS, ticks);
}

static double now_ns(void)
{
    return (double)clue_real_ns(CLOCK_MONOTONIC);
}

static double clock_ns(void)
{
    enum { ROUNDS = 301 };
    double ns[ROUNDS], last = now_ns();

    for (int i = 0; i < ROUNDS; i++) {
        double now = now_ns();

        ns[i] = now - last;
        last = now;
    }
    return portolan_sort_to_median(ROUNDS, ns);
}

void burst_costs_measure(struct burst_costs *costs)
{
    calibrate(costs);
    measure_pages(costs);
    costs->empty[false] = empty_ticks(false);
    costs->empty[true] = empty_ticks(true);
    costs->clock_ns = clock_ns();
}
