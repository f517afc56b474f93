/* SPDX-License-Identifier: BSD-3-Clause */
/* The time that ranks compute between two calls. */
#include "internal.h"

#include <time.h>
#include <x86intrin.h>

static double ns_per_tick;

static int64_t wall_ns(void)
{
    struct timespec now;

    clue_real_clock(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Ticks of the counter against the clock, for 2 ms. */
static void calibrate(void)
{
    int64_t began = wall_ns(), now;
    uint64_t ticks = __rdtsc();

    do
        now = wall_ns();
    while (now - began < 2000000);
    ns_per_tick = (double)(now - began) / (double)(__rdtsc() - ticks);
}

void clue_bursts_start(struct carrier *c)
{
    if (c->run->compute == CLUE_COMPUTE_MEASURED)
        calibrate();
}

void clue_burst_begin(struct rank *rank)
{
    rank->began_ticks = __rdtsc();
}

int64_t clue_burst_end(struct rank *rank, const void *site)
{
    (void)site;
    if (clue_carrier.run->compute != CLUE_COMPUTE_MEASURED)
        return 0;
    return (int64_t)((double)(__rdtsc() - rank->began_ticks) * ns_per_tick + 0.5);
}
