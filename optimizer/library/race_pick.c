/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Picks what to try next. A move has a promise, the time that it may save per step, and a cost, the
 * excess of its visit and two swaps. Its value is the promise times the remaining steps, minus the
 * cost; the move with the largest value is picked, if the budget covers the cost. Remedies of a
 * diagnosis come first, then single instances, then pairs; at last, in long runs, a patient visit
 * to an arm whose slow steps may only have been its first ones.
 *
 * race_compare() gives the difference of two mean times with its interval. It treats usual and long
 * steps separately, because long ones are rare and their number is uncertain.
 */
#include "race_internal.h"

/* An alternative of which nothing is known may save the share HOPE of its instance's time, and may
 * make a step longer by the share FEAR. */
static const double hope = 0.25, fear = 1;
/* A remedy's gain is predicted, so only its set-up is feared. */
static const double fear_of_remedy = 0.25;
/* An alternative that was measured with one partner may save this share with another one. */
static const double change_of_mind = 0.2;
/* An arm that lost may have become better by the share SECOND_LOOK of a step, and is tried again;
 * all such visits together cost at most SHARE_OF_LOOKS of the budget. */
static const double second_look = 0.05, share_of_looks = 0.1;
enum { LEAST_WAIT = 64 };
/* A patient visit may cost this share of the budget; it needs SHORT_RUN times its length in
 * remaining steps. */
static const double share_of_patience = 0.5;
enum { SHORT_RUN = 40, LEAST_PATIENCE = 8, LEAST_REPETITION = 4 };
/* New alternatives may use this share of the budget; the rest is for trying arms again. */
static const double share_of_new = 0.8;

/*
 * Long steps that come by chance are assumed to be as frequent on both arms, with the weight of
 * this many observed ones. If they come regularly the weight is smaller: WEIGHT_OF_RULE after two
 * equal gaps, a quarter of it for each further one.
 */
static const double weight_of_chance = 400, weight_of_rule = 12;
/* The longest visit that waits for long steps: two of the longest periods. */
enum { LONGEST_ROUND = 201 };
/* A single long step that takes this share of a run decides: no run can afford two. */
static const double unaffordable = 0.1;

/*
 * Returns what long steps add to the mean step of HISTORY. Both arms together had COUNT of them,
 * with the mean excess MEAN, in STEPS steps; that counts with WEIGHT. *WIDTH: half the width of the
 * interval.
 */
static double add_longs(const struct history *history, double count, double mean, double steps,
                        double weight, double *width)
{
    double all = weight * steps / count + history->all_steps;

    *width = standard_errors * mean * sqrt(weight + history->longs) / all;
    return (weight * mean + history->long_ns) / all;
}

static double find_weight(const struct portolan_race *r, double gaps, double mean)
{
    if (mean * r->limits.share > unaffordable * race_budget(r))
        return 1;
    return gaps > 1 ? fmax(1, weight_of_rule * pow(0.25, gaps - 2)) : weight_of_chance;
}

struct difference race_compare(const struct portolan_race *r, const struct arm *a)
{
    const struct history *own = &r->history, *their = &a->history;
    double point = their->usual_ns - own->usual_ns, count = own->longs + their->longs;
    double width =
        own->usual_ns * hypot(history_width(own, own->noise), history_width(their, own->noise));

    if (count > 0) {
        double mean = (own->long_ns + their->long_ns) / count, wide[2];
        double steps = own->all_steps + their->all_steps;
        double weight =
            find_weight(r, fmax(history_regular_gaps(own), history_regular_gaps(their)), mean);

        point += add_longs(their, count, mean, steps, weight, &wide[0]) -
                 add_longs(own, count, mean, steps, weight, &wide[1]);
        width = hypot(width, hypot(wide[0], wide[1]));
    }
    return (struct difference){.low = point - width, .point = point, .high = point + width};
}

double race_round(const struct portolan_race *r, const struct arm *a)
{
    double count = r->history.longs + a->history.longs;
    double steps = r->history.all_steps + a->history.all_steps;
    double mean = (r->history.long_ns + a->history.long_ns) / steps;

    /* long steps that add little need not be waited for */
    return count > 0 && mean > r->o.hysteresis * r->history.usual_ns
               ? fmin(2 * steps / count + 1, LONGEST_ROUND)
               : 0;
}

double race_return_cost(const struct portolan_race *r)
{
    double once = history_once(&r->history);

    /* set-up at the beginning of the run is not due to the incumbent alone */
    return r->summary.visits || once > hopeless * history_mean(&r->history) ? once : 0;
}

bool race_is_own_drift(const struct portolan_race *r, size_t group, double factor)
{
    for (size_t i = 0; i < r->o.n_instances; i++) {
        double before = r->usual_share[i], growth = r->share[i] * factor - before;

        if (r->group[i] == group && growth / (factor - 1) > (1 + before) / 2 - 0.02)
            return true;
    }
    return false;
}

double race_budget(const struct portolan_race *r)
{
    /* the incumbent may be slow only for a while */
    double step = r->least_ns > 0 ? r->least_ns : history_mean(&r->history);
    double run = r->summary.elapsed_ns;

    if (!r->limits.is_open)
        run += r->limits.remaining_steps * fmax(step, 0); /* NaN: unknown */

    return r->limits.most_ns > 0 ? fmin(r->limits.share * run, r->limits.most_ns)
                                 : r->limits.share * run;
}

/* Returns whether an arm's long step looks like a spike, because an incumbent has had one, too. */
static bool is_excused(const struct portolan_race *r, const struct arm *a)
{
    return a->state == ARM_DOUBTED && race_is_spike(r, a->doubt_ns);
}

double race_left(const struct portolan_race *r)
{
    return race_budget(r) - race_cost(r) + r->free_ns;
}

/* The excess of an arm's step when it was last tried. Long steps may have made the incumbent slower
 * since, which says nothing about the arm. */
static double excess_of(const struct portolan_race *r, const struct arm *a)
{
    double usual = history_mean(&r->history);

    return fmax(0, a->ratio - 1) * (a->judged_ns > 0 ? fmin(usual, a->judged_ns) : usual);
}

int race_wait(const struct portolan_race *r, const struct arm *a)
{
    double cost = 2 * r->limits.swap_ns + 2 * excess_of(r, a), usual = history_mean(&r->history);
    double steps = cost * (double)r->n_arms / (share_of_looks * r->limits.share * usual);

    /*
     * waits less for the alternative that the run began with: no run shall be slower than with that
     */
    double least = a->is_beginning ? LEAST_WAIT : fmax(LEAST_WAIT, r->limits.remaining_steps / 8.);

    return steps < NEVER ? (int)fmax(least, steps) : NEVER;
}

/* The promise of a move that was never tried: the time saved per step. *EXCESS: what its step may
 * cost. */
static double promise_of_new(const struct portolan_race *r, const struct move *m, double *excess)
{
    double usual = history_mean(&r->history), product = 1, unknown_ns = 0;
    const struct belief *only = &r->beliefs[m->instance[0]][m->alternative[0]];
    double first = only->first_ns > 0 ? only->first_ns / usual : only->first;

    if (m->n == 1 && only->is_remedy) {
        *excess = fear_of_remedy * usual;
        return isinf(only->ratio) ? 0 : only->gain * usual;
    }
    for (size_t i = 0; i < m->n; i++) {
        const struct belief *b = &r->beliefs[m->instance[i]][m->alternative[i]];
        double inclusive_ns = r->inclusive_ns[m->instance[i]];

        if (b->is_sure || (m->n > 1 && isnan(b->ratio) && inclusive_ns > 0))
            return 0; /* a part that can be tried alone is tried alone first */
        unknown_ns += isnan(b->ratio) ? inclusive_ns : 0;
        product *= isnan(b->ratio) ? 1 : b->ratio;
    }
    if (m->n == 1 && first > 1)
        *excess = (first - 1) * usual * (1 + 1 / large_share);
    else
        *excess = unknown_ns > 0 ? fear * usual : fmax(0, product - 1) * usual;
    return unknown_ns > 0 ? hope * fmin(unknown_ns, usual)
                          : usual * (1 - (1 - change_of_mind) * product);
}

double race_expected_gain(const struct difference *d)
{
    double deviation = (d->point - d->low) / standard_errors, z = -d->point / deviation;

    return deviation * exp(-z * z / 2) / sqrt(2 * M_PI) - d->point * erfc(-z / M_SQRT2) / 2;
}

/* The promise of an arm after a drift: it may have stayed as it was, or drifted less than the
 * incumbent. */
static double promise_after_drift(const struct portolan_race *r, const struct arm *a)
{
    double usual = history_mean(&r->history), factor = usual / r->before_drift_ns;

    if (!a->history.n)
        return usual * (1 - (1 - change_of_mind) * a->ratio);
    if (!r->drifted_at || a->before_ns > factor * usual)
        return 0;
    return fmax(usual - a->before_ns, hope / 2 * usual);
}

/* Returns whether an arm that was equal to the incumbent may be better now, since the incumbent has
 * become slower. */
static bool has_slowed(const struct portolan_race *r, const struct arm *a)
{
    double least = history_mean(&r->history) * (1 - history_width(&r->history, r->history.noise));

    return a->wait == NEVER && a->judged_ns > 0 && least > a->judged_ns * (1 + r->o.hysteresis);
}

/* The promise of an arm that was tried, if it may be tried again now. *STEPS: for how many steps it
 * holds. */
static double promise_again(const struct portolan_race *r, const struct arm *a, double *excess,
                            double *steps)
{
    double usual = history_mean(&r->history), gain;
    struct difference d;

    *excess = excess_of(r, a);
    if (r->now < a->retry_at && !has_slowed(r, a))
        return 0;
    switch (a->state) {
    case ARM_OPEN:
        d = race_compare(r, a);
        *excess = *excess * (double)a->block;
        if (a->history.longs > 0 && !race_is_spike(r, a->history.long_ns / a->history.longs))
            /* in the worst case the long steps come again */
            *excess += a->history.long_ns * race_round(r, a) / a->history.all_steps;
        if (r->now - a->retry_at > race_wait(r, a))
            return second_look * usual;
        return a->history.n > 2 * r->history.n
                   ? 0
                   : race_expected_gain(&d); /* else the incumbent must be known better first */
    case ARM_STALE: /* a drift is expected to last as long as there was none before; each visit in
                       vain halves that */
        if (a->history.n)
            *steps = ldexp(fmin(*steps, r->calm), -a->vain);
        return promise_after_drift(r, a);
    case ARM_DOUBTED:
        *excess /= 4; /* since a spike was as long, the arm is probably not that slow */
        return is_excused(r, a) ? hope / 2 * usual : 0;
    default: /* an arm that lost: it may have been better before the drift */
        gain = usual * (1 - history_width(&r->history, r->history.noise)) - a->before_ns;
        if (a->before_ns > 0 && (gain > 0 || r->now - a->retry_at < race_wait(r, a)))
            return gain;
        return second_look * usual;
    }
}

/* Returns whether instance AT of the move is called, now or when the other one was tried alone. */
static bool is_called(const struct portolan_race *r, const struct move *m, size_t at)
{
    struct move other = {1, {m->instance[!at]}, {m->alternative[!at]}};
    const struct arm *alone = m->n > 1 ? race_find_arm(r, &other) : NULL;

    return r->inclusive_ns[m->instance[at]] > 0 || (alone && alone->called[m->instance[at]]);
}

static bool is_possible(const struct portolan_race *r, const struct move *m)
{
    for (size_t i = 0; i < m->n; i++) {
        const struct belief *b = &r->beliefs[m->instance[i]][m->alternative[i]];

        if (m->alternative[i] == r->incumbent[m->instance[i]] || !is_called(r, m, i) ||
            (b->is_remedy && b->most < r->o.hysteresis))
            return false;
    }
    return true;
}

/* The value of a visit: its gain over the rest of the run minus its cost; 0: not worth it, or too
 * costly. */
static double value_of(const struct portolan_race *r, const struct move *m)
{
    const struct arm *a = race_find_arm(r, m);
    bool is_new = !a || a->state == ARM_UNTRIED;
    double excess = 0, promise, cost, left = race_left(r), steps = r->limits.remaining_steps;

    if (!is_possible(r, m))
        return 0;
    promise = is_new ? promise_of_new(r, m, &excess) : promise_again(r, a, &excess, &steps);
    cost = 2 * (double)m->n * r->limits.swap_ns + excess + race_return_cost(r);
    if (is_new)
        left -= (1 - share_of_new) * race_budget(r);
    if (cost > left || !(promise > 0) || steps <= 2)
        return 0;
    return fmax(0, promise * (steps - 2) - cost);
}

/* Makes MOVE the BEST if its value is larger and it is allowed, which is asked last because it is
 * slow. */
static void keep_better(const struct portolan_race *r, const struct move *m, struct move *best,
                        double *value)
{
    double v = value_of(r, m);

    for (size_t i = 0; i < m->n && v > *value; i++)
        if (!r->o.may_run(r->o.arg, m->instance[i], (size_t)m->alternative[i]))
            return;
    if (v > *value) {
        *value = v;
        *best = *m;
    }
}

/*
 * Picks among changes of one instance: with REMEDIES only remedies that were not tried, else all.
 */
static void pick_one(struct portolan_race *r, bool remedies, struct move *best, double *value)
{
    for (size_t i = 0; i < r->o.n_instances; i++)
        for (size_t k = 0; k < r->o.n_alternatives[i]; k++) {
            const struct move m = {1, {i}, {(int32_t)k}};
            const struct arm *a = remedies ? race_find_arm(r, &m) : NULL;

            if (!remedies || (r->beliefs[i][k].is_remedy && (!a || a->state == ARM_UNTRIED)))
                keep_better(r, &m, best, value);
        }
}

double race_patience(const struct portolan_race *r, const struct arm *a)
{
    double share = a && a->is_beginning ? share_of_new : share_of_patience;

    if (race_is_free(r, a))
        return INFINITY;
    return fmin(share * race_budget(r), race_left(r));
}

/* The cost of a patient visit, which finds out whether a slow arm was only in its first steps;
 * INFINITY: that is known. */
static double cost_of_patience(const struct portolan_race *r, const struct move *m)
{
    const struct arm *a = race_find_arm(r, m);
    const struct belief *b = &r->beliefs[m->instance[0]][m->alternative[0]];
    double ratio = a && a->ratio > 0 ? a->ratio : b->ratio;
    /* a single slow step is cheap to confirm */
    double steps = a && a->history.n == 1 ? LEAST_REPETITION : LEAST_PATIENCE;
    double excess = fmax(0, ratio - 1) * history_mean(&r->history) * steps;

    if (isnan(ratio) || fabs(ratio - 1) < r->o.hysteresis || b->is_sure || !is_possible(r, m) ||
        (a && (a->state != ARM_LOST || a->longest_stay >= PATIENT_STEPS)))
        return INFINITY;
    return excess + 2 * r->limits.swap_ns + race_return_cost(r);
}

/* The number of steps that must remain for a patient visit. */
static int least_remaining(const struct portolan_race *r, const struct arm *a)
{
    return (race_is_free(r, a) ? 2 : SHORT_RUN) * PATIENT_STEPS;
}

/* When nothing else is left to try: picks the cheapest patient visit. */
static bool pick_patiently(struct portolan_race *r, struct move *best)
{
    double least = INFINITY, cost;
    bool found = false;

    for (size_t i = 0; i < r->o.n_instances; i++)
        for (size_t k = 0; k < r->o.n_alternatives[i]; k++) {
            const struct move m = {1, {i}, {(int32_t)k}};

            cost = cost_of_patience(r, &m);
            if (r->limits.remaining_steps < least_remaining(r, race_find_arm(r, &m)))
                continue;
            if (cost < least && cost < race_patience(r, race_find_arm(r, &m)) &&
                r->o.may_run(r->o.arg, i, k)) {
                least = cost;
                *best = m;
                found = true;
            }
        }
    return found;
}

bool race_pick(struct portolan_race *r, struct move *move)
{
    const struct portolan_race_options *o = &r->o;
    double value = 0;

    pick_one(r, true, move, &value);
    if (value <= 0)
        pick_one(r, false, move, &value);
    for (size_t p = 0; p < o->n_pairs && value <= 0; p++) {
        size_t i = o->pairs[p][0], j = o->pairs[p][1];

        for (size_t k = 0; k < o->n_alternatives[i]; k++)
            for (size_t l = 0; l < o->n_alternatives[j]; l++)
                keep_better(r, &(struct move){2, {i, j}, {(int32_t)k, (int32_t)l}}, move, &value);
    }
    r->is_patient = !(value > 0);
    return value > 0 || pick_patiently(r, move);
}
