/* SPDX-License-Identifier: BSD-3-Clause */
/* For tests: a program of each paradigm, with knobs that plant causes. */
#ifndef TEST_PROGRAMS_H
#define TEST_PROGRAMS_H

#include "leaves.h"

/* Writes a scenario for P ranks; AMOUNTS of each knob, 0: healthy, 1: as long as all the work.
   JITTER is an expression that work is multiplied by. */
typedef void write_fn(struct portolan_text *t, int p, const double *amounts, const char *jitter);

static void write_farm(struct portolan_text *t, int p, const double *x, const char *jitter)
{
    enum { ROUNDS = 60 };
    double run = ROUNDS * 10e6;

    portolan_text_add(t, "ranks %d\n%s", p, x[3] > 0 ? "" : "latency 0\n");
    if (x[3] > 0)
        portolan_text_add(t, "bandwidth %.0f\neager 1M\n", 1e12 / (x[3] * 10e6));
    portolan_text_add(
        t,
        "on 0\ncompute %.0fns\nrepeat %d\nrecv any tag 1\nsend sender tag 2 1000\nend\n"
        "repeat %d\nrecv any tag 1\nend\ncompute %.0fns\nelse\nrepeat %d as round\n"
        "send 0 tag 1\nrecv 0 tag 2\ncompute 10ms * %s + %.0fns * (rank == 1 and "
        "round == %d)\nend\nsend 0 tag 1\nend\n",
        x[0] * run, (p - 1) * ROUNDS, p - 1, x[1] * run, ROUNDS, jitter, x[2] * run, ROUNDS - 1);
}

static void write_pipeline(struct portolan_text *t, int p, const double *x, const char *jitter)
{
    int n = x[2] > 0 ? (int)((p - 1) / x[2]) : 60 * (p - 1);
    double c = 60e6 * (p - 1) / n; /* the work stays as it is */

    portolan_text_add(t,
                      "ranks %d\nrepeat %d as block\non rank > 0\nrecv rank-1\nend\n"
                      "compute (%.0fns + %.0fns * (rank == %d)) * %s + %.0fns * (block == %d)\n"
                      "on rank < size-1\nsend rank+1 1000\nend\nend\n",
                      p, n, c, x[0] * c, p / 2, jitter, x[1] * n * c / (p - 1), n / 2);
}

static void write_tree_rank(struct portolan_text *t, int rank, int p, const double *x,
                            const char *jitter)
{
    int width = 1, from;
    double size = 1e8;

    for (int w = p; w > 1 && rank % w; w /= 2)
        size *= rank % w >= w / 2 ? 1 + x[2] : 1 - x[2];
    while (rank % (2 * width) == 0 && 2 * width <= p)
        width *= 2;
    from = rank ? rank - width : -1;
    portolan_text_add(t, "on %d\n", rank);
    if (from >= 0)
        portolan_text_add(t, "recv %d tag 3\n", from);
    for (int w = width; w > 1; w /= 2) {
        if (x[0] > 0)
            portolan_text_add(t, "compute %.0fns\n", x[0] * 5e7 * w / p);
        portolan_text_add(t, "send %d tag 3 1000\n", rank + w / 2);
        size *= 1 - x[2];
    }
    portolan_text_add(t, "compute %.0fns * %s\n", size, jitter);
    for (int w = 2; w <= width; w *= 2) {
        portolan_text_add(t, "recv %d tag 4\n", rank + w / 2);
        if (x[1] > 0)
            portolan_text_add(t, "compute %.0fns\n", x[1] * 5e7 * w / p);
    }
    if (from >= 0)
        portolan_text_add(t, "send %d tag 4 1000\n", from);
    portolan_text_add(t, "end\n");
}

static void write_tree(struct portolan_text *t, int p, const double *x, const char *jitter)
{
    const double with[] = {x[0], x[1], x[2] / 4};

    portolan_text_add(t, "ranks %d\n", p);
    if (x[3] > 0)
        portolan_text_add(t, "latency %.0fns\neager 1M\n", x[3] * 1e8 / (2 * log2(p)));
    for (int rank = 0; rank < p; rank++)
        write_tree_rank(t, rank, p, with, jitter);
}

static void write_domain(struct portolan_text *t, int p, const double *x, const char *jitter)
{
    portolan_text_add(t, "ranks %d\n", p);
    if (x[2] > 0)
        portolan_text_add(t, "bandwidth %.0f\neager 1M\n", 1e12 / (x[2] * 1e7));
    portolan_text_add(
        t,
        "repeat 64 as i\non rank > 0\nirecv rank-1 as r\nend\non rank < size-1\nirecv rank+1 as r\n"
        "end\nlet b = 1000 * (i > 0)\non rank > 0\nisend rank-1 b as r\nend\n"
        "on rank < size-1\nisend rank+1 b as r\nend\nwaitall\n"
        "compute 10ms * %s + %.0fns * (rank == 0 and i %% 2 == 0) + "
        "%.0fns * (i %% 2 == 1 and rank == floor(i / 2) %% size)\nallreduce\nend\n",
        jitter, 2 * x[0] * 1e7, 2 * x[1] * 1e7);
}

static const struct program {
    const char *name;
    write_fn *write;
    size_t n; /* knobs */
    const char *causes[4];
} programs[] = {
    {"master-worker",
     write_farm,
     4,
     {"serial-start", "serial-finish", "uneven-end", "large-tasks"}},
    {"pipeline", write_pipeline, 3, {"slow-stage", "unequal-blocks", "blocks-too-large"}},
    {"divide-and-conquer",
     write_tree,
     4,
     {"costly-split", "costly-merge", "uneven-division", "too-deep"}},
    {"geometric", write_domain, 3, {"static-imbalance", "varying-imbalance", "large-surface"}},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

static void run_scenario(struct run *run, write_fn *write, int p, const double *amounts,
                         const char *jitter, int seed)
{
    struct portolan_text t = {0};

    portolan_text_add(&t, "seed %d\n", seed);
    write(&t, p, amounts, jitter);
    run_trace(run, t.bytes);
    portolan_text_clear(&t);
}

#endif
