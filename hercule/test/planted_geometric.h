/* SPDX-License-Identifier: BSD-3-Clause */
/* For tests: the causes of geometric, each planted in a scenario. */
#ifndef TEST_PLANTED_GEOMETRIC_H
#define TEST_PLANTED_GEOMETRIC_H

#include "planting.h"

enum { ITERATIONS = 64, CELLS = 10 * MS };

/* Writes EXCHANGE and WORK in turn, then global operations, which cost log2(P) messages. */
static void geometric(struct portolan_text *t, int p, const char *head, const char *exchange,
                      const char *work, int reductions)
{
    portolan_text_add(t,
                      "ranks %d\n%srepeat %d as iteration\n%s%s\nrepeat %d\nallreduce\nend\nend\n",
                      p, head, ITERATIONS, exchange, work, reductions);
}

/* The first iteration has messages without bytes, which shows what the bytes cost. */
static const char with_neighbours[] =
    "on rank > 0\nirecv rank-1 as r\nend\non rank < size-1\nirecv rank+1 as r\nend\n"
    "let b = 1000 * (iteration > 0)\n"
    "on rank > 0\nisend rank-1 b as r\nend\non rank < size-1\nisend rank+1 b as r\nend\nwaitall\n";

static double plant_imbalance(struct portolan_text *t, int p, double share, const char *where)
{
    double w = p - 1, d = floor(share * p * CELLS / (w - share * p));
    char work[100];

    if (d < 0)
        return NAN;
    snprintf(work, sizeof work, "compute 10ms + %.0fns * (%s)", d, where);
    geometric(t, p, "", with_neighbours, work, 1);
    return w * d / (p * (CELLS + d));
}

static double static_imbalance(struct portolan_text *t, int p, double share)
{
    return plant_imbalance(t, p, share, "rank == 0");
}

static double varying_imbalance(struct portolan_text *t, int p, double share)
{
    return plant_imbalance(t, p, share, "rank == iteration % size");
}

static double large_surface(struct portolan_text *t, int p, double share)
{
    double m = floor(share / (1 - share) * CELLS);
    char head[80] = "";

    if (m > 0)
        snprintf(head, sizeof head, "bandwidth %.0f\neager 1M\n", 1e12 / m);
    geometric(t, p, head, with_neighbours, "compute 10ms", 1);
    return (ITERATIONS - 1) * m / (ITERATIONS * CELLS + (ITERATIONS - 1) * m);
}

/* Each message and global operation takes M. */
static void with_latency(struct portolan_text *t, int p, double m, const char *exchange,
                         const char *eager, int reductions)
{
    char head[80] = "";

    if (m > 0)
        snprintf(head, sizeof head, "latency %.0fns\neager %s\n", m, eager);
    geometric(t, p, head, exchange, "compute 10ms", reductions);
}

static double not_overlapped(struct portolan_text *t, int p, double share)
{
    double m = floor(share / (1 - share) * CELLS);

    with_latency(t, p, m, with_neighbours, "1M", 0);
    return m / (CELLS + m);
}

static double global_operations(struct portolan_text *t, int p, double share)
{
    double all = 20 * log2(p), m = floor(share / (all - (all + 1) * share) * CELLS);

    with_latency(t, p, m, with_neighbours, "1M", 20);
    return all * m / (CELLS + (all + 1) * m);
}

/* Pairs of ranks: ten messages there, then ten back, each of which keeps both. */
static double many_messages(struct portolan_text *t, int p, double share)
{
    double m = floor(share * CELLS / (18 - 20 * share));

    with_latency(t, p, m,
                 "on rank % 2 == 0\nrepeat 10\nsend rank+1 8\nend\nrepeat 10\nrecv rank+1\nend\n"
                 "else\nrepeat 10\nrecv rank-1\nend\nrepeat 10\nsend rank-1 8\nend\nend\n",
                 "0", 0);
    return 18 * m / (CELLS + 20 * m);
}

/* From rank to rank and back: whoever does not transfer waits for the 2 (P - 1) transfers. */
static double ordered_exchange(struct portolan_text *t, int p, double share)
{
    double w = p - 1, all = 2 * w + log2(p);
    double m = floor(share * p * CELLS / (2 * w * w - share * p * all));

    if (p < 4 || m < 0)
        return NAN;
    with_latency(
        t, p, m,
        "on rank > 0\nrecv rank-1\nend\non rank < size-1\nsend rank+1 8\nrecv rank+1\nend\n"
        "on rank > 0\nsend rank-1 8\nend\n",
        "1M", 1);
    return 2 * w * w * m / (p * (CELLS + all * m));
}

#endif
