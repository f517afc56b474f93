/* SPDX-License-Identifier: BSD-3-Clause */
/* What a visit has shown so far, and whether it goes on. */
#include "race_internal.h"

/* Whether the visit had a long step of which the budget allows no second one. */
static bool has_long(const struct portolan_race *r)
{
    double mean = r->visit_long_ns / fmax(1, r->visit_longs);

    return mean > race_left(r) && r->visit_longs > 0 && !race_is_spike(r, mean);
}

/* Whether the next step may exceed the budget, if it is as long as the shortest seen. */
static bool is_too_costly(const struct portolan_race *r, double excess_ns)
{
    if (r->is_patient && race_is_free(r, r->visited))
        return false;
    return (excess_ns > 0 && excess_ns > race_left(r)) || has_long(r);
}

/* Before an ordinary step was seen. */
static enum verdict judge_first(const struct portolan_race *r)
{
    const struct arm *a = r->visited;
    double usual = record_mean(&r->record), first = a->record.once_ns / a->record.once_steps;
    double share = first > hopeless * usual ? large_share : 1;

    if (!(first > usual) || share * race_left(r) > first - usual)
        return GO_ON;
    return a->state == ARM_DOUBTED ? LOSE : DOUBT;
}

/* Whether as many steps again are worth what they cost, to know the difference better. */
static bool is_worth_more(const struct portolan_race *r, const struct difference *d)
{
    const struct record *their = &r->visited->record;

    return their->n < LONGEST_BLOCK && their->n < 2 * r->record.n &&
           race_expected_gain(d) * r->limits.remaining_steps > fmax(0, d->point) * their->all_steps;
}

enum verdict race_judge(const struct portolan_race *r)
{
    const struct arm *a = r->visited;
    double usual = record_mean(&r->record), leaving = (double)r->move.n * r->limits.swap_ns;
    double least = fmax(r->o.hysteresis * usual, leaving / fmax(r->limits.remaining_steps, 1));
    bool is_new = a->state == ARM_UNTRIED || a->state == ARM_OPEN || r->is_patient;
    struct difference d;

    if (!a->record.n)
        return judge_first(r);
    d = race_compare(r, a);
    if (a->record.n >= KNOWN_STEPS && d.high < 0)
        return ADOPT;
    if (!is_too_costly(r, d.point)) {
        if (r->is_patient && a->record.stay < PATIENT_STEPS && r->visit_ns < r->patience_ns)
            return GO_ON;
        if (d.low <= -least && (a->record.n < a->block ||
                                (is_new && !r->is_moving &&
                                 (a->record.stay < race_round(r, a) || is_worth_more(r, &d)))))
            return GO_ON;
    }
    if (d.low > -least)
        return LOSE;
    if (d.point < 0 && is_new && !has_long(r))
        return ADOPT; /* what was found worse before must surely be better now */
    return a->state == ARM_UNTRIED ? LEAVE_OPEN : LOSE;
}
