/* SPDX-License-Identifier: BSD-3-Clause */
/* For tests: the causes of master-worker, each planted in a scenario. */
#ifndef TEST_PLANTED_MASTER_WORKER_H
#define TEST_PLANTED_MASTER_WORKER_H

#include "planting.h"

enum { WORK = 10 * MS, ROUNDS = 60 };
static const char polls[] = "# the master polls\n";

/* A farm in which each worker asks ROUNDS times; SETUP and OWN are the master's work per task
   before and after handing it out; OWN is polling if the head says so. */
static void farm(struct portolan_text *t, int p, const char *head, const char *master_first,
                 double setup, double own, const char *master_last, const char *worker_work)
{
    const char *doing = strcmp(head, polls) ? "compute" : "poll";

    portolan_text_add(t, "ranks %d\n%son 0\n%srepeat %d\nrecv any tag 1\n", p, head, master_first,
                      (p - 1) * ROUNDS);
    if (setup > 0)
        portolan_text_add(t, "compute %.0fns\n", setup);
    portolan_text_add(t, "send sender tag 2 1000\n");
    if (own > 0)
        portolan_text_add(t, "%s %.0fns\n", doing, own);
    portolan_text_add(t,
                      "end\nrepeat %d\nrecv any tag 1\nend\n%selse\nrepeat %d as round\n"
                      "send 0 tag 1\nrecv 0 tag 2\n%s\nend\nsend 0 tag 1\nend\n",
                      p - 1, master_last, ROUNDS, worker_work);
}

/* Computes how long workers wait for tasks beyond START, by the run's time, *RUN. Workers ask in
 * turn; the master serves one after the other, SETUP before and OWN after handing out. */
static double farm_waiting(int workers, double setup, double own)
{
    double free_at = 0, asked[64] = {0}, waited = 0, end = 0;

    for (int k = 0; k < workers * ROUNDS; k++) {
        int w = 0;
        double got;

        for (int i = 1; i < workers; i++) /* who asked first */
            w = asked[i] < asked[w] ? i : w;
        got = (free_at > asked[w] ? free_at : asked[w]) + setup;
        waited += got - asked[w];
        free_at = got + own;
        asked[w] = got + WORK;
        end = asked[w] > end ? asked[w] : end;
        end = free_at > end ? free_at : end;
    }
    return waited / ((workers + 1) * end);
}

static double waiting_by_setup(const double *workers, double setup)
{
    return farm_waiting((int)*workers, setup, 0);
}

static double waiting_by_own(const double *workers, double own)
{
    return farm_waiting((int)*workers, 0, own);
}

/* Set-up is costly as such where it takes a fifth of a task's work; else there are too many
 * workers. */
static double plant_setup(struct portolan_text *t, int p, double share, bool is_costly)
{
    double workers = p - 1, setup = solve(waiting_by_setup, &workers, share, 0, 2 * WORK);

    if (isnan(setup) || (share > 0 && (setup >= 0.2 * WORK || p * setup < 0.8 * WORK) != is_costly))
        return NAN;
    farm(t, p, "", "", setup, 0, "", "compute 10ms");
    return waiting_by_setup(&workers, setup);
}

static double setup_costly(struct portolan_text *t, int p, double share)
{
    return plant_setup(t, p, share, true);
}

static double master_saturated(struct portolan_text *t, int p, double share)
{
    return plant_setup(t, p, share, false);
}

static double plant_own(struct portolan_text *t, int p, double share, const char *head)
{
    double workers = p - 1, own = solve(waiting_by_own, &workers, share, 0, 2 * WORK);

    if (isnan(own))
        return NAN;
    farm(t, p, head, "", 0, own, "", "compute 10ms");
    return waiting_by_own(&workers, own);
}

static double master_computes(struct portolan_text *t, int p, double share)
{
    return plant_own(t, p, share, "");
}

static double master_polls(struct portolan_text *t, int p, double share)
{
    return plant_own(t, p, share, polls);
}

/* So many workers never ask: of P * T they waste their own T each. */
static double unused_workers(struct portolan_text *t, int p, double share)
{
    int unused = (int)lround(share * p);

    if (p - unused < 2 || (share > 0 && !unused))
        return NAN;
    portolan_text_add(t,
                      "ranks %d\non 0\nrepeat %d\nrecv any tag 1\nsend sender tag 2 1000\nend\n"
                      "repeat %d\nrecv any tag 1\nend\nlet w = %d\nrepeat %d as i\n"
                      "send w + i tag 3\nend\nelse\non rank < %d\nrepeat %d\nsend 0 tag 1\n"
                      "recv 0 tag 2\ncompute 10ms\nend\nsend 0 tag 1\nelse\nrecv 0 tag 3\nend\n"
                      "end\n",
                      p, (p - 1 - unused) * ROUNDS, p - 1 - unused, p - unused, unused, p - unused,
                      ROUNDS);
    return (double)unused / p;
}

static double serial_start(struct portolan_text *t, int p, double share)
{
    double run = ROUNDS * (double)WORK, w = p - 1, b = floor(share * p * run / (w - share * p));
    char begin[40];

    if (b < 0)
        return NAN;
    snprintf(begin, sizeof begin, "compute %.0fns\n", b);
    farm(t, p, "", b > 0 ? begin : "", 0, 0, "", "compute 10ms");
    return w * b / (p * (run + b));
}

static double serial_finish(struct portolan_text *t, int p, double share)
{
    double run = ROUNDS * (double)WORK, w = p - 1, b = floor(share * p * run / (w - share * p));
    char end[40];

    if (b < 0)
        return NAN;
    snprintf(end, sizeof end, "compute %.0fns\n", b);
    farm(t, p, "", "", 0, 0, b > 0 ? end : "", "compute 10ms");
    return w * b / (p * (run + b));
}

/* Each task waits for two messages; the request's and the task's. */
static double fine_grain(struct portolan_text *t, int p, double share)
{
    double w = p - 1, latency = floor(share * p * WORK / (w - share * p) / 2);
    char head[80];

    if (latency < 0)
        return NAN;
    snprintf(head, sizeof head, "latency %.0fns\neager 1M\n", latency);
    farm(t, p, head, "", 0, 0, "", "compute 10ms");
    return w * ROUNDS * 2 * latency / (p * (ROUNDS * (WORK + 2 * latency) + latency));
}

/* Each task waits for its 1000 bytes. */
static double large_tasks(struct portolan_text *t, int p, double share)
{
    double w = p - 1, transfer = floor(share * p * WORK / (w - share * p));
    char head[80] = "";

    if (transfer < 0)
        return NAN;
    if (transfer > 0)
        snprintf(head, sizeof head, "bandwidth %.0f\neager 1M\n", 1e12 / transfer);
    farm(t, p, head, "", 0, 0, "", "compute 10ms");
    return w * transfer / (p * (WORK + transfer));
}

/* The last worker's last task takes longer. */
static double uneven_end(struct portolan_text *t, int p, double share)
{
    double run = ROUNDS * (double)WORK, d = floor(share * p * run / (p - 2 - share * p));
    char work[200];

    if (p < 3 || d < 0)
        return NAN;
    snprintf(work, sizeof work,
             "compute 10ms\non rank == size-1 and round == %d\ncompute %.0fns\nend", ROUNDS - 1, d);
    farm(t, p, "", "", 0, 0, "", d > 0 ? work : "compute 10ms");
    return (p - 2) * d / (p * (run + d));
}

/* One worker alone has a task in the last of few rounds. */
static double too_few_tasks(struct portolan_text *t, int p, double share)
{
    int w = p - 1, rounds = share > 0 ? (int)ceil((w - 1) / (p * share)) : 1;

    if (p < 3)
        return NAN;
    rounds = rounds < 2 && share > 0 ? 2 : rounds;
    portolan_text_add(
        t,
        "ranks %d\non 0\nrepeat %d\nrecv any tag 1\nsend sender tag 2\nend\n"
        "repeat %d\nrecv any tag 1\nend\nelse\nlet n = %d\non rank > 1\nlet n = %d\nend\n"
        "repeat n\nsend 0 tag 1\nrecv 0 tag 2\ncompute 10ms\nend\nsend 0 tag 1\nend\n",
        p, share > 0 ? w * (rounds - 1) + 1 : w, w, rounds, share > 0 ? rounds - 1 : rounds);
    return share > 0 ? (double)(w - 1) / (p * rounds) : 0;
}

#endif
