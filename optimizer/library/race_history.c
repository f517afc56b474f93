/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeps the times of one alternative's steps, and finds the usual time, what long steps add, and
 * drift.
 *
 * A step is long if it exceeds a limit above the lower quartile, which works even if most steps are
 * long. The usual time is the mean of the others, the noise their deviation. Only the last groups
 * are kept; of older ones, the number and excess of the long ones. Drift is found by comparing the
 * last four, or eight, groups with those before.
 */
#include "race_internal.h"

#include <portolan/stats.h>

/* The spread that is assumed before steps are known, and the number of steps that it counts for. */
static const double guessed_noise = 0.1, weight_of_guess = 3;
static const double least_width = 0.002;
/* A step is long if it exceeds the usual time by this share and by this many deviations. */
static const double long_share = 0.25, long_deviations = 5;
/*
 * Gaps between long steps are equal if their variance is at most this share of their squared mean.
 */
static const double regular = 0.02;
/* Fewer steps than this may all be long, so that the first step bounds the limit, too. */
enum { FEW = 6 };
/* Drift: of the last N groups FAR are longer, or shorter, than usual by this SHARE and this many
 * DEVIATIONS, and take less than SPIKE times the usual time. */
static const struct {
    size_t n, far;
    double share, deviations, spike;
} drifts[] = {{4, 4, 0.2, 3, INFINITY}, {8, 5, 0.1, 1.8, 2}};

/* The work has changed if the last steps differ from those before by this share. */
static const double moved = 0.05;

/* The index of a group in the ring; BACK 0 is the last one, 1 the one before it. */
static size_t at(const struct history *r, size_t back)
{
    return (r->n - 1 - back) % HISTORY_MOST;
}

/* The mean and spread of a range of groups. */
struct level {
    double usual_ns, noise, size, long_steps, long_ns;
};

/* The time above which a step is long, from the lower quartile of the N groups that end BACK before
 * the last. */
static double find_limit(const struct history *r, size_t back, size_t n)
{
    double sorted[HISTORY_MOST], low, noise = r->noise > 0 ? r->noise : r->guess;

    for (size_t i = 0; i < n; i++)
        sorted[i] = r->ns[at(r, back + i)];
    portolan_sort_to_median(n, sorted);
    low = sorted[(n - 1) / 4];
    if (n < FEW && r->first_ns > 0)
        low = fmin(low, r->first_ns);
    return low * (1 + history_far(noise > 0 ? noise : guessed_noise));
}

/* The relative deviation of a group's mean, combined with the guess as long as groups are few. */
static double find_noise(const struct history *r, double squares, const struct level *l)
{
    double seen = l->size > 1 ? sqrt(squares * l->size / (l->size - 1)) / l->usual_ns : 0;
    double n = l->size > 2 ? l->size : 0;

    return (weight_of_guess * (r->guess > 0 ? r->guess : guessed_noise) + n * seen) /
           (weight_of_guess + n);
}

static struct level level_of(const struct history *r, size_t back, size_t n)
{
    double limit = find_limit(r, back, n), weights = 0, sum = 0, squares = 0, heavy = 0;
    struct level l = {0};

    for (size_t i = back; i < back + n; i++) {
        double ns = r->ns[at(r, i)], steps = r->steps[at(r, i)];

        if (ns > limit)
            continue;
        weights += steps;
        heavy += steps * steps;
        sum += steps * ns;
    }
    l.usual_ns =
        weights > 0 ? sum / weights : limit; /* only the first step after the swap was usual */
    l.size = heavy > 0 ? weights * weights / heavy : 1;
    for (size_t i = back; i < back + n; i++) {
        double more = r->ns[at(r, i)] - l.usual_ns, steps = r->steps[at(r, i)];

        if (r->ns[at(r, i)] <= limit) {
            squares += steps * more * more / weights;
        } else {
            l.long_steps++;
            l.long_ns += steps * more;
        }
    }
    l.noise = find_noise(r, squares, &l);
    return l;
}

static void summarize(struct history *r)
{
    struct level l = level_of(r, 0, history_size(r));

    r->usual_ns = l.usual_ns;
    r->noise = l.noise;
    r->size = l.size;
    r->longs = l.long_steps + r->old_longs;
    r->long_ns = l.long_ns + r->old_long_ns;
}

/* Adds the oldest group to the counts of long ones, before it is overwritten. */
static void retire(struct history *r)
{
    size_t oldest = at(r, HISTORY_MOST - 1);
    double more = r->ns[oldest] - r->usual_ns;

    if (more > r->usual_ns * history_far(r->noise)) {
        r->old_longs++;
        r->old_long_ns += more * r->steps[oldest];
    }
}

static void append(struct history *r, double ns, double steps)
{
    if (r->n >= HISTORY_MOST)
        retire(r);
    r->ns[r->n % HISTORY_MOST] = ns;
    r->steps[r->n % HISTORY_MOST] = steps;
    r->n++;
    r->all_steps += steps;
}

double history_width(const struct history *r, double noise)
{
    return fmax(least_width, standard_errors * noise / sqrt(r->size));
}

static void note_gap(struct history *r)
{
    double gap = r->all_steps - r->last_long;

    if (r->last_long > 0) {
        r->gaps++;
        r->gap_sum += gap;
        r->gap_squares += gap * gap;
    }
    r->last_long = r->all_steps;
}

double history_regular_gaps(const struct history *r)
{
    double n = r->gaps, mean = r->gap_sum / n;

    return n > 1 && r->gap_squares / (mean * mean) - n < regular * (n - 1) ? n : 0;
}

bool history_add(struct history *r, double ns, double steps, bool is_first)
{
    double before = r->longs;

    r->stay = is_first ? steps : r->stay + steps;
    if (is_first || r->stay <= r->warm) {
        r->first_ns = r->first_ns > 0 ? fmin(r->first_ns, ns) : ns;
        r->once_ns = (is_first ? 0 : r->once_ns) + ns * steps;
        r->once_steps = r->stay;
        return false;
    }
    append(r, ns, steps);
    summarize(r);
    if (r->longs > before)
        note_gap(r);
    return r->longs > before;
}

void history_shift(struct history *r, double ns)
{
    for (size_t i = 0; i < history_size(r); i++)
        r->ns[i] = fmax(r->ns[i] + ns, 0);
    if (r->first_ns > 0)
        r->first_ns = fmax(r->first_ns + ns, 0);
    r->usual_ns = fmax(r->usual_ns + ns, 0);
}

int history_drift(const struct history *r, size_t *n)
{
    size_t all = history_size(r);

    for (size_t i = 0; i < sizeof drifts / sizeof *drifts && all > 2 * drifts[i].n; i++) {
        struct level before = level_of(r, drifts[i].n, all - drifts[i].n);
        double usual = before.usual_ns;
        double far = usual * fmax(drifts[i].share, drifts[i].deviations * before.noise);
        size_t longer = 0, shorter = 0;

        *n = drifts[i].n;
        for (size_t back = 0; back < *n; back++) {
            longer +=
                r->ns[at(r, back)] > usual + far && r->ns[at(r, back)] < usual * drifts[i].spike;
            shorter += r->ns[at(r, back)] < usual - far;
        }
        if (longer >= drifts[i].far || shorter >= drifts[i].far)
            return longer >= drifts[i].far ? 1 : -1;
    }
    return 0;
}

bool history_moves(const struct history *r, size_t n)
{
    size_t before = history_size(r) - n;

    return r->n > n &&
           fabs(level_of(r, 0, n).usual_ns / level_of(r, n, before).usual_ns - 1) > moved;
}

double history_far(double noise)
{
    return fmax(long_share, long_deviations * noise);
}

size_t history_falls(const struct history *r, size_t n, double noise)
{
    double least = fmin(r->first_ns > 0 ? r->first_ns : INFINITY, n ? r->ns[at(r, n - 1)] : 0);

    for (size_t back = n; back-- > 1; least = fmin(least, r->ns[at(r, back - 1)])) {
        double most = 0;

        for (size_t i = 0; i < back; i++)
            most = fmax(most, r->ns[at(r, i)]);
        if (most < least * (1 - history_far(noise)))
            return back;
    }
    return 0;
}

/* The number of steps in the last N groups. */
static double steps_of(const struct history *r, size_t n)
{
    double steps = 0;

    for (size_t back = 0; back < n; back++)
        steps += r->steps[at(r, back)];
    return steps;
}

void history_keep(struct history *r, size_t n)
{
    struct history kept = {.guess = r->noise > 0 ? r->noise : r->guess,
                           .stay = r->stay,
                           .warm = r->warm,
                           .once_ns = r->once_ns,
                           .once_steps = r->once_steps,
                           .all_steps = r->all_steps,
                           .old_longs = r->longs,
                           .old_long_ns = r->long_ns,
                           .last_long = r->last_long,
                           .gaps = r->gaps,
                           .gap_sum = r->gap_sum,
                           .gap_squares = r->gap_squares};

    for (size_t back = n; back-- > 0;) {
        double ns = r->ns[at(r, back)], steps = r->steps[at(r, back)];

        kept.all_steps -= steps;
        if (ns >
            r->usual_ns *
                (1 + history_far(r->noise))) { /* long before, such a time is usual from now on */
            kept.old_longs--;
            kept.old_long_ns -= (ns - r->usual_ns) * steps;
        }
        append(&kept, ns, steps);
    }
    kept.old_longs = fmax(0, kept.old_longs);
    kept.old_long_ns = fmax(0, kept.old_long_ns);
    kept.longs = kept.old_longs;
    kept.long_ns = kept.old_long_ns;
    if (n)
        summarize(&kept);
    *r = kept;
}

void history_warm_up(struct history *r, size_t n)
{
    double warm = r->stay - steps_of(r, n);

    r->once_ns += (warm - r->once_steps) * history_mean(r);
    r->once_steps = r->warm = warm;
    history_keep(r, n);
}
