/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides which experiment comes next, whether there is time for it, and what its runs mean. */
#include "internal.h"

#include <math.h>

int decide_next(const struct portolan_diagnosis *d)
{
    int next = 0;

    for (size_t i = 0; i < d->n_wanted; i++)
        if (!next || d->wanted[i].experiment < next)
            next = d->wanted[i].experiment;
    return next;
}

/* A sixth of the steps, in the middle: the first ones differ. Those in the middle often have more
   events: so the stream stays below a quarter of that of all steps. Few steps are recorded all. */
bool decide_window(int n_steps, int *first, int *last)
{
    int least = 4, count = n_steps / 6 > least ? n_steps / 6 : least;

    *first = (n_steps - count) / 2;
    *last = *first + count - 1;
    return n_steps >= 3 * least;
}

bool decide_to_begin(const struct portolan_experiment_options *o,
                     const struct portolan_experiments *e, double needed_s)
{
    double left = o->budget_s - e->spent_s;

    return o->budget_s < 0 || (left > 0 && !(needed_s > left));
}

const char *decide_to_repeat(const struct portolan_experiment_options *o,
                             const struct portolan_experiments *e)
{
    const struct portolan_diagnosis *d = e->all[e->n - 1];

    if (o->repeat || o->keep || (o->budget_s >= 0 && e->spent_s + e->last_s > o->budget_s))
        return NULL;
    return d->verdict == PORTOLAN_NOT_THE_PROGRAM ? d->why
           : d->runs_disagree                     ? d->disagreement
                                                  : NULL;
}

double decide_overhead(const struct portolan_experiment *made, int n, int64_t trial, double run_ns)
{
    double before = NAN;

    for (int i = 0; i < n; i++)
        if (made[i].title && made[i].trial != trial)
            before = made[i].run_ns;
    return run_ns / before - 1;
}
