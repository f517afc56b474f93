/* SPDX-License-Identifier: BSD-3-Clause */
/* The times of one alternative's steps: what is usual, what long steps add, and whether they are no
 * longer as they were. */
#include "race_internal.h"

#include <portolan/stats.h>

/* Before enough steps are known their spread is taken for this, with the weight of so many. */
static const double guessed_noise = 0.1, weight_of_guess = 3;
static const double least_width = 0.002;
/* A step is long when it is this share, and so many deviations, above the usual time. */
static const double long_share = 0.25, long_deviations = 5;
/* The gaps between long steps are equal if their variance is at most this share of their square. */
static const double regular = 0.02;
/* Of so few steps most may be long. */
enum { FEW = 6 };
/* Drift: of the last N steps so many are far from usual, by this share and so many deviations, and
 * are no spikes. */
static const struct {
    size_t n, far;
    double share, deviations, spike;
} drifts[] = {{4, 4, 0.2, 3, INFINITY}, {8, 5, 0.1, 1.8, 2}};

/* The work has changed if the last steps differ by this share from those before. */
static const double moved = 0.05;

/* The place of the group of steps number BACK before the last, which is 0. */
static size_t at(const struct record *r, size_t back)
{
    return (r->n - 1 - back) % RECORD_MOST;
}

/* What N groups of steps say that end BACK before the last. */
struct level {
    double usual_ns, noise, size, long_steps, long_ns;
};

/* Above this a step is long: a low quartile tells what is usual even if most steps are long. */
static double find_limit(const struct record *r, size_t back, size_t n)
{
    double sorted[RECORD_MOST], low, noise = r->noise > 0 ? r->noise : r->guess;

    for (size_t i = 0; i < n; i++)
        sorted[i] = r->ns[at(r, back + i)];
    portolan_sort_to_median(n, sorted);
    low = sorted[(n - 1) / 4];
    if (n < FEW && r->first_ns > 0)
        low = fmin(low, r->first_ns);
    return low * (1 + record_far(noise > 0 ? noise : guessed_noise));
}

/* The deviation of a group's mean from USUAL, with that of a guess as long as they are few. */
static double find_noise(const struct record *r, double squares, const struct level *l)
{
    double seen = l->size > 1 ? sqrt(squares * l->size / (l->size - 1)) / l->usual_ns : 0;
    double n = l->size > 2 ? l->size : 0;

    return (weight_of_guess * (r->guess > 0 ? r->guess : guessed_noise) + n * seen) /
           (weight_of_guess + n);
}

static struct level level_of(const struct record *r, size_t back, size_t n)
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
    l.usual_ns = weights > 0 ? sum / weights : limit; /* the first step alone was usual */
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

static void summarize(struct record *r)
{
    struct level l = level_of(r, 0, record_size(r));

    r->usual_ns = l.usual_ns;
    r->noise = l.noise;
    r->size = l.size;
    r->longs = l.long_steps + r->old_longs;
    r->long_ns = l.long_ns + r->old_long_ns;
}

/* Before the oldest is forgotten: what remains of it is whether it was long. */
static void retire(struct record *r)
{
    size_t oldest = at(r, RECORD_MOST - 1);
    double more = r->ns[oldest] - r->usual_ns;

    if (more > r->usual_ns * record_far(r->noise)) {
        r->old_longs++;
        r->old_long_ns += more * r->steps[oldest];
    }
}

static void append(struct record *r, double ns, double steps)
{
    if (r->n >= RECORD_MOST)
        retire(r);
    r->ns[r->n % RECORD_MOST] = ns;
    r->steps[r->n % RECORD_MOST] = steps;
    r->n++;
    r->all_steps += steps;
}

double record_width(const struct record *r, double noise)
{
    return fmax(least_width, standard_errors * noise / sqrt(r->size));
}

static void note_gap(struct record *r)
{
    double gap = r->all_steps - r->last_long;

    if (r->last_long > 0) {
        r->gaps++;
        r->gap_sum += gap;
        r->gap_squares += gap * gap;
    }
    r->last_long = r->all_steps;
}

double record_regular_gaps(const struct record *r)
{
    double n = r->gaps, mean = r->gap_sum / n;

    return n > 1 && r->gap_squares / (mean * mean) - n < regular * (n - 1) ? n : 0;
}

bool record_add(struct record *r, double ns, double steps, bool is_first)
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

void record_shift(struct record *r, double ns)
{
    for (size_t i = 0; i < record_size(r); i++)
        r->ns[i] = fmax(r->ns[i] + ns, 0);
    if (r->first_ns > 0)
        r->first_ns = fmax(r->first_ns + ns, 0);
    r->usual_ns = fmax(r->usual_ns + ns, 0);
}

int record_drift(const struct record *r, size_t *n)
{
    size_t all = record_size(r);

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

bool record_moves(const struct record *r, size_t n)
{
    size_t before = record_size(r) - n;

    return r->n > n &&
           fabs(level_of(r, 0, n).usual_ns / level_of(r, n, before).usual_ns - 1) > moved;
}

double record_far(double noise)
{
    return fmax(long_share, long_deviations * noise);
}

size_t record_falls(const struct record *r, size_t n, double noise)
{
    double least = fmin(r->first_ns > 0 ? r->first_ns : INFINITY, n ? r->ns[at(r, n - 1)] : 0);

    for (size_t back = n; back-- > 1; least = fmin(least, r->ns[at(r, back - 1)])) {
        double most = 0;

        for (size_t i = 0; i < back; i++)
            most = fmax(most, r->ns[at(r, i)]);
        if (most < least * (1 - record_far(noise)))
            return back;
    }
    return 0;
}

/* The steps of the last N groups. */
static double steps_of(const struct record *r, size_t n)
{
    double steps = 0;

    for (size_t back = 0; back < n; back++)
        steps += r->steps[at(r, back)];
    return steps;
}

void record_keep(struct record *r, size_t n)
{
    struct record kept = {.guess = r->noise > 0 ? r->noise : r->guess,
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
        if (ns > r->usual_ns * (1 + record_far(r->noise))) { /* they are usual now */
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

void record_warm_up(struct record *r, size_t n)
{
    double warm = r->stay - steps_of(r, n);

    r->once_ns += (warm - r->once_steps) * record_mean(r);
    r->once_steps = r->warm = warm;
    record_keep(r, n);
}
