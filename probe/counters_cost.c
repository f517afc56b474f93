/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters: what reading them adds to a call. */
#include "counters.h"

#include <stdlib.h>

#define BATCHES 15
#define CALLS   40

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* In the free frame above all calls of the thread, which has its event sets then. */
static double batch_ns(struct probe_thread *t, struct portolan_probe_node *node)
{
    struct portolan_probe_frame *f = t->hot.top;
    uint64_t before = probe_wall_ns();

    f->node = node;
    for (int i = 0; i < CALLS; i++) {
        probe_counters_start(t, f);
        probe_counters_stop(t, f);
    }
    return (double)(probe_wall_ns() - before) / CALLS;
}

static double measure(struct probe_thread *t)
{
    struct portolan_probe_node node = {0};
    double batch[BATCHES];

    batch_ns(t, &node); /* makes the event sets */
    for (int i = 0; i < BATCHES; i++)
        batch[i] = batch_ns(t, &node);
    free(node.counters);
    qsort(batch, BATCHES, sizeof *batch, compare);
    return batch[BATCHES / 2];
}

double probe_counters_cost_ns(void)
{
    struct probe_thread *t = portolan_probe_counters_count() ? probe_thread_self() : NULL;
    static unsigned measured;
    static double cost_ns;

    if (!t || t->hot.top == t->hot.limit)
        return 0.0;
    if (measured != probe_counters_generation())
        cost_ns = measure(t);
    measured = probe_counters_generation();
    return cost_ns;
}
