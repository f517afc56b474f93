/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides after each step of a visit whether it goes on, and if not, whether the arm is adopted. */
#include "race_internal.h"

/* Returns whether the visit had a long step, and the budget does not allow a second one. */
static bool has_long(const struct portolan_race *r)
{
    double mean = r->visit_long_ns / fmax(1, r->visit_longs);

    return mean > race_left(r) && r->visit_longs > 0 && !race_is_spike(r, mean);
}

/* Returns whether the next step may exceed the budget, if it is as long as the shortest seen. */
static bool is_too_costly(const struct portolan_race *r, double excess_ns)
{
    if (r->is_patient && race_is_free(r, r->visited))
        return false;
    return (excess_ns > 0 && excess_ns > race_left(r)) || has_long(r);
}

/* Decides while only first steps were seen. */
static enum verdict judge_first(const struct portolan_race *r)
{
    const struct arm *a = r->visited;
    double usual = history_mean(&r->history), first = a->history.once_ns / a->history.once_steps;
    double share = first > hopeless * usual ? large_share : 1;

    if (!(first > usual) || share * race_left(r) > first - usual)
        return GO_ON;
    return a->state == ARM_DOUBTED ? LOSE : DOUBT;
}

/* Returns whether as many steps again are worth their cost, because they make the difference better
 * known. */
static bool is_worth_more(const struct portolan_race *r, const struct difference *d)
{
    const struct history *their = &r->visited->history;

    return their->n < LONGEST_BLOCK && their->n < 2 * r->history.n &&
           race_expected_gain(d) * r->limits.remaining_steps > fmax(0, d->point) * their->all_steps;
}

enum verdict race_judge(const struct portolan_race *r)
{
    const struct arm *a = r->visited;
    double usual = history_mean(&r->history), leaving = (double)r->move.n * r->limits.swap_ns;
    double least = fmax(r->o.hysteresis * usual, leaving / fmax(r->limits.remaining_steps, 1));
    bool is_new = a->state == ARM_UNTRIED || a->state == ARM_OPEN || r->is_patient;
    struct difference d;

    if (!a->history.n)
        return judge_first(r);
    d = race_compare(r, a);
    if (a->history.n >= KNOWN_STEPS && d.high < 0)
        return ADOPT;
    if (!is_too_costly(r, d.point)) {
        if (r->is_patient && a->history.stay < PATIENT_STEPS && r->visit_ns < r->patience_ns)
            return GO_ON;
        if (d.low <= -least && (a->history.n < a->block ||
                                (is_new && !r->is_moving &&
                                 (a->history.stay < race_round(r, a) || is_worth_more(r, &d)))))
            return GO_ON;
    }
    if (d.low > -least)
        return LOSE;
    if (d.point < 0 && is_new && !has_long(r))
        return ADOPT; /* an arm that lost before is adopted only if it is surely better now */
    return a->state == ARM_UNTRIED ? LEAVE_OPEN : LOSE;
}
