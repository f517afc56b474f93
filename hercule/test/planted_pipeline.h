/* SPDX-License-Identifier: BSD-3-Clause */
/* For tests: the causes of pipeline, each planted in a scenario. */
#ifndef TEST_PLANTED_PIPELINE_H
#define TEST_PLANTED_PIPELINE_H

#include "planting.h"

/* So many blocks that fill and drain is no finding. */
static int enough_blocks(int p)
{
    return 52 * (p - 1);
}

/* WORK: what each rank computes for a block, whose number is `block`. */
static void pipeline(struct portolan_text *t, int p, int blocks, const char *head, const char *work)
{
    portolan_text_add(t,
                      "ranks %d\n%srepeat %d as block\non rank > 0\nrecv rank-1\nend\n%s\n"
                      "on rank < size-1\nsend rank+1 1000\nend\nend\n",
                      p, head, blocks, work);
}

static double blocks_too_large(struct portolan_text *t, int p, double share)
{
    int n = share > 0 ? (int)((p - 1) * (1 / share - 1)) : enough_blocks(p);

    if (n < 2)
        return NAN;
    pipeline(t, p, n, "", "compute 1ms");
    return (p - 1.0) / (n + p - 1);
}

/* Time of the pipeline when a message keeps sender and receiver for M, but the first of each rank
   for FIRST: the send begins when both are there. */
static double pipeline_run(int p, int n, double c, double m, double first)
{
    double ready[64] = {0}, end = 0; /* when each stage may receive or begin its next block */

    for (int k = 0; k < n; k++)
        for (int r = 0; r < p; r++) {
            double sent; /* stage r's work on block k ends here, then the message meets r + 1 */

            sent = ready[r] + c;
            ready[r] = sent;
            if (r + 1 < p) {
                double begin = sent > ready[r + 1] ? sent : ready[r + 1];

                ready[r] = ready[r + 1] = begin + (k ? m : first);
            }
            end = ready[r] > end ? ready[r] : end;
        }
    return end;
}

/* For few handshakes to be worth a change there must be far too many blocks. */
static int many_blocks(int p, double share)
{
    if (share == 0 || p > 16)
        return enough_blocks(p);
    return enough_blocks(p) * (p == 2 ? 100 : share < 0.1 ? 32 : 1);
}

/* FIXED: ranks, blocks. A stage in the middle receives and sends each block; all wait for it. */
static double handshake_share(const double *fixed, double m)
{
    int p = (int)fixed[0], n = (int)fixed[1];

    return (p > 2 ? 2 : 1) * n * m / pipeline_run(p, n, MS, m, m);
}

static double blocks_too_small(struct portolan_text *t, int p, double share)
{
    const double fixed[] = {p, many_blocks(p, share)};
    double m = solve(handshake_share, fixed, share, 0, MS);
    char head[80];

    if (isnan(m))
        return NAN;
    snprintf(head, sizeof head, "latency %.0fns\neager 0\n", m);
    pipeline(t, p, (int)fixed[1], m > 0 ? head : "", "compute 1ms");
    return handshake_share(fixed, m);
}

/* Already the best number of blocks: m = p c / (2 n), where 2 m (p - 1) / p is what a message takes
   of a rank on average. Each stage waits for p - 1 blocks, and for the messages of others. */
static double sweeps_too_short(struct portolan_text *t, int p, double share)
{
    int n = share > 0 ? (int)((p - 1) / share) - (2 * p - 1) : enough_blocks(p);
    double m = share > 0 && n > 1 ? floor(p * (double)MS / (2 * n)) : 0;
    char head[80];

    if (n < 2)
        return NAN;
    snprintf(head, sizeof head, "latency %.0fns\neager 0\n", m);
    pipeline(t, p, n, m > 0 ? head : "", "compute 1ms");
    return (p - 1) * (p * (double)MS + (p - 2) * m) / (p * pipeline_run(p, n, MS, m, m));
}

/* FIXED: ranks, blocks. The first block has no bytes, which shows what bytes cost. */
static double bytes_share(const double *fixed, double m)
{
    int p = (int)fixed[0], n = (int)fixed[1];

    return (p > 2 ? 2 : 1) * (n - 1) * m / pipeline_run(p, n, MS, m, 0);
}

static double messages_slow(struct portolan_text *t, int p, double share)
{
    const double fixed[] = {p, enough_blocks(p)};
    double m = solve(bytes_share, fixed, share, 0, MS);

    if (isnan(m))
        return NAN;
    portolan_text_add(t, "ranks %d\n", p);
    if (m > 0)
        portolan_text_add(t, "bandwidth %.9f\neager 0\n", 1e12 / m);
    portolan_text_add(
        t,
        "repeat %d as block\nlet b = 1000 * (block > 0)\non rank > 0\nrecv rank-1\nend\n"
        "compute 1ms\non rank < size-1\nsend rank+1 b\nend\nend\n",
        enough_blocks(p));
    return bytes_share(fixed, m);
}

static double slow_stage(struct portolan_text *t, int p, double share)
{
    double n = enough_blocks(p), c = MS;
    double d = floor(share * p * (n + p - 1) * c / ((p - 1 - share * p) * n));
    char work[100];

    if (d < 0)
        return NAN;
    snprintf(work, sizeof work, "compute 1ms + %.0fns * (rank == %d)", d, p / 2);
    pipeline(t, p, (int)n, "", work);
    return (p - 1) * n * d / (p * (n * (c + d) + (p - 1) * c));
}

static double unequal_blocks(struct portolan_text *t, int p, double share)
{
    double n = enough_blocks(p), c = MS, f = (p - 1) * (1 - 1 / n);
    double d = floor(share * (n + p - 1) * c / (f - share * p));
    char work[100];

    if (d < 0)
        return NAN;
    snprintf(work, sizeof work, "compute 1ms + %.0fns * (block == %d)", d, (int)n / 2);
    pipeline(t, p, (int)n, "", work);
    return f * d / ((n + p - 1) * c + p * d);
}

/* Each sweep goes the other way. */
static double direction_changes(struct portolan_text *t, int p, double share)
{
    int sweeps = share == 0 ? 1 : p > 16 ? 11 : 31;
    int n = share > 0 ? (int)((p - 1) * ((sweeps - 1.) / sweeps / share - 1)) : enough_blocks(p);

    if (n < 6)
        return NAN;
    portolan_text_add(t,
                      "ranks %d\nrepeat %d as sweep\nlet way = 1 - 2 * (sweep %% 2)\nrepeat %d\n"
                      "on rank-way >= 0 and rank-way < size\nrecv rank-way\nend\ncompute 1ms\n"
                      "on rank+way >= 0 and rank+way < size\nsend rank+way\nend\nend\nend\n",
                      p, sweeps, n);
    return (sweeps - 1) * (p - 1.0) / (sweeps * (n + p - 1.0));
}

/* Rank 0 does something else before each tenth block. */
static double delay_from_outside(struct portolan_text *t, int p, double share)
{
    double n = enough_blocks(p), c = MS, w = p - 1, times = floor((n + 4) / 10);
    double d = floor(share * p * (n + w) * c / ((w - share * p) * times));
    char work[100];

    if (d < 0)
        return NAN;
    snprintf(work, sizeof work, "compute 1ms + %.0fns * (rank == 0 and block %% 10 == 5)", d);
    pipeline(t, p, (int)n, "", work);
    return w * times * d / (p * ((n + w) * c + times * d));
}

#endif
