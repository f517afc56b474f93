/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `make check` runs each benchmark once in a short form, which only shows that it still works: the
 * environment has PORTOLAN_BENCH_SHORT then.
 */
#ifndef BENCH_SHORT_H
#define BENCH_SHORT_H

#include <stdlib.h>

/* How often a benchmark repeats something: N times, or a hundredth of that in the short form. */
static inline int bench_times(int n)
{
    return getenv("PORTOLAN_BENCH_SHORT") ? (n + 99) / 100 : n;
}

#endif
