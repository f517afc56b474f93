/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * base: how fast the processor computes now. Two processors of a machine, or two virtual machines,
 * may share a core, and then each takes up to twice as long for work that keeps its units busy.
 * Who compares two runs asks before and after each. One thread at a time.
 */
#ifndef PORTOLAN_PACE_H
#define PORTOLAN_PACE_H

enum { PORTOLAN_PACE_SAMPLES = 15, PORTOLAN_PACE_ROUNDS = 32, PORTOLAN_PACE_NUMBERS = 1024 };

/** Nanoseconds that a fixed piece of work takes, by the clock NOW: the median of some samples. */
static inline double portolan_pace_ns(double (*now)(void))
{
    static unsigned from[PORTOLAN_PACE_NUMBERS + 2], to[PORTOLAN_PACE_NUMBERS + 2];
    double sorted[PORTOLAN_PACE_SAMPLES];

    for (int n = 0; n < PORTOLAN_PACE_SAMPLES; n++) {
        double start = now(), took;
        int at = n;

        for (int round = 0; round < PORTOLAN_PACE_ROUNDS; round++) {
            for (int i = 1; i <= PORTOLAN_PACE_NUMBERS; i++)
                to[i] = 3 * from[i] + from[i - 1] + from[i + 1];
            __asm__ volatile("" ::"r"(from), "r"(to) : "memory");
        }
        took = now() - start;
        for (; at > 0 && sorted[at - 1] > took; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = took;
    }
    return sorted[PORTOLAN_PACE_SAMPLES / 2];
}

#endif
