/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many steps pass between two cuts, and which cuts store, so that a program pays at most 1 %
 * for them and its store grows with the logarithm of its steps (docs/decisions/0069). All ranks
 * compute it from the same numbers, which travel with the cuts.
 */
#include "recorder_internal.h"

#include <portolan/record.h>

#include <limits.h>
#include <math.h>

/* The share of the time that cuts may take; of long steps, only when they have taken so much. */
static const double share = 0.01, grace_ns = 1e8;
/* So many cuts after a change are stored singly; later ones hold at most this share of all. */
enum { SINGLE = 16, SHARE = 256 };
/* Weight of the newest cut in the usual cost; longest group because of former costs, in groups. */
enum { SMOOTHING = 8, LONGEST = 100 };

void pace_begin(struct portolan_recorder *r, int next_step)
{
    struct pace *p = &r->state->pace;
    double now_ns = r->source->now_ns ? r->source->now_ns(r->source->self) : 0;
    double paused_ns = portolan_probe_paused_ns();

    p->group = p->visits && next_step > p->step ? next_step - p->step : 1;
    p->step = next_step;
    p->cost_ns = p->visits ? fmax(0, paused_ns - p->paused_ns) : 0;
    p->between_ns = p->visits ? fmax(0, now_ns - p->entered_ns - p->cost_ns) : 0;
    p->paused_ns = paused_ns;
    p->entered_ns = now_ns;
    p->visits++;
    p->is_grouped = p->is_grouped || (r->group_ns > 0 && p->group > 1);
}

void pace_fill(const struct portolan_recorder *r, double *values)
{
    values[1] = r->state->pace.between_ns;
    values[2] = -r->state->pace.cost_ns; /* the rank that came last did not wait for others */
}

void pace_take(struct portolan_recorder *r, const double *values)
{
    struct pace *p = &r->state->pace;
    double cost_ns = -values[2];
    int n = p->visits - 2; /* in the first one the store was read, in this one the cost came */

    p->waited_ns += p->cost_ns - cost_ns;
    p->step_ns = values[1] / p->group;
    p->elapsed_ns += values[1];
    p->fresh++;
    if (n < 1)
        return;
    p->visit_ns += (cost_ns - p->visit_ns) / (n < SMOOTHING ? n : SMOOTHING);
    p->least_ns = n > 1 ? fmin(p->least_ns, cost_ns) : cost_ns;
    p->costs_ns += cost_ns;
}

bool pace_stores(const struct portolan_recorder *r)
{
    const struct pace *p = &r->state->pace;

    return !(r->group_ns > 0) || r->stores_all || p->fresh < SINGLE ||
           r->state->n_pending >= p->visits / SHARE || portolan_record_is_on();
}

static int steps_in(double ns, double step_ns)
{
    return ns <= step_ns ? 1 : ns < step_ns * (INT_MAX / 2) ? (int)ceil(ns / step_ns) : INT_MAX / 2;
}

int portolan_recorder_pace(const struct portolan_recorder *r, int *least)
{
    const struct pace *p = &r->state->pace;
    double debt_ns = (p->costs_ns + p->visit_ns) / share - p->elapsed_ns, ration_ns;
    int steps = r->assembly ? portolan_assembly_steps(r->assembly) : 0, n;

    *least = 1;
    if (!(r->group_ns > 0) || p->visits < 2)
        return 1;
    ration_ns = fmax(p->visit_ns / share, fmin(debt_ns, LONGEST * r->group_ns));
    if (p->step_ns < r->group_ns)
        n = steps_in(fmax(r->group_ns, ration_ns), p->step_ns);
    else
        n = debt_ns > grace_ns / share ? steps_in(ration_ns, p->step_ns) : 1;
    if (steps > 0 && n > steps - p->step % steps) /* the end is seen exactly */
        n = steps - p->step % steps;
    *least = r->cohort->size > 1 ? n : steps_in(ration_ns, p->step_ns);
    return n;
}
