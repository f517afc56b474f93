/* SPDX-License-Identifier: BSD-3-Clause */
/* Spikes, drift and two places, on the logarithms of the values: times are skewed to the right. */
#include "models_internal.h"
#include <portolan/series.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* At least one in LEAST_SHARE of all rows belongs to a place. */
enum { ALL_PAIRS = 400, LEAST_MODES = 10, LEAST_SHARE = 10 };

/* A smaller relative change from end to end does not matter, however significant. */
static const double least_change = 0.01;
/* The level of significance for drift and for two places. */
static const double significance = 0.01;
/* A spike is off by at least this factor. */
static const double least_factor = 1.5;

struct series {
    size_t n;
    double spread;         /* robust, of the logarithms */
    double *r;             /* logarithms in the order of time */
    double *sorted, *work; /* n values; room for the slopes of pairs */
    bool *spike;
    struct portolan_series_report *report;
};

/* ---- drift ---- */

/* Sorts V and counts the pairs that were in the wrong order; equal values count as in order. */
static double sort_counting(double *v, double *work, size_t n)
{
    size_t half = n / 2, i = 0, j = half, k = 0;
    double wrong;

    if (n < 2)
        return 0;
    wrong = sort_counting(v, work, half) + sort_counting(v + half, work, n - half);
    while (i < half || j < n) {
        if (j == n || (i < half && v[i] <= v[j])) {
            work[k++] = v[i++];
        } else {
            wrong += (double)(half - i);
            work[k++] = v[j++];
        }
    }
    memcpy(v, work, n * sizeof *v);
    return wrong;
}

/* The median slope of pairs of rows: of all pairs, or of those half a series apart. */
static double find_slope(const struct series *s)
{
    size_t n = 0, half = s->n / 2;

    if (s->n <= ALL_PAIRS) {
        for (size_t i = 0; i < s->n; i++)
            for (size_t j = i + 1; j < s->n; j++)
                s->work[n++] = (s->r[j] - s->r[i]) / (double)(j - i);
    } else {
        for (size_t i = 0; i + half < s->n; i++)
            s->work[n++] = (s->r[i + half] - s->r[i]) / (double)half;
    }
    return portolan_sort_to_median(n, s->work);
}

/* Mann 1945, Kendall 1975: the rank correlation with time, and its variance with ties. */
static void find_drift(struct series *s)
{
    struct portolan_series_drift *d = &s->report->drift;
    double n = (double)s->n, pairs = n * (n - 1) / 2, tied = 0, discordant, variance, score, slope;

    d->probability = NAN;
    if (s->n < 4)
        return;
    memcpy(s->sorted, s->r, s->n * sizeof *s->r);
    discordant = sort_counting(s->sorted, s->work, s->n);
    variance = n * (n - 1) * (2 * n + 5);
    for (size_t i = 0, end; i < s->n; i = end) {
        double t;

        for (end = i + 1; end < s->n && s->sorted[end] == s->sorted[i];)
            end++;
        t = (double)(end - i);
        tied += t * (t - 1) / 2;
        variance -= t * (t - 1) * (2 * t + 5);
    }
    score = pairs - tied - 2 * discordant;
    /* Continuity correction by 1 towards 0: the score changes in steps of 2. */
    score -= score > 0 ? 1 : score < 0 ? -1 : 0;
    d->probability = variance > 0 ? erfc(fabs(score) / sqrt(variance / 18) / sqrt(2)) : 1;
    slope = find_slope(s);
    d->slope = expm1(slope);
    d->change = expm1(slope * (n - 1));
    d->is_there = d->probability < significance && fabs(d->change) > least_change;
}

/* ---- spikes ---- */

/* The places that rows may be near: one, which may drift, or two. */
struct places {
    double at[2];
    double trend; /* per row, around the middle of the series */
    size_t n;
};

static double distance(const struct series *s, const struct places *p, size_t i)
{
    double r = s->r[i] - p->trend * ((double)i - (double)(s->n - 1) / 2), off = r - p->at[0];

    return p->n > 1 && fabs(r - p->at[1]) < fabs(off) ? r - p->at[1] : off;
}

/* Marks the rows far from every place; returns their number. */
static size_t mark_spikes(struct series *s, const struct places *p)
{
    double cut;
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++)
        s->work[i] = fabs(distance(s, p, i));
    s->spread = 1.4826 * portolan_sort_to_median(s->n, s->work);
    cut = fmax(6 * s->spread, log(least_factor));
    for (size_t i = 0; i < s->n; i++) {
        s->spike[i] = fabs(distance(s, p, i)) > cut;
        n += s->spike[i];
    }
    return n;
}

static struct places one_place(const struct series *s)
{
    struct places p = {.n = 1};

    p.trend = s->report->drift.is_there ? log1p(s->report->drift.slope) : 0;
    for (size_t i = 0; i < s->n; i++)
        s->work[i] = s->r[i] - p.trend * ((double)i - (double)(s->n - 1) / 2);
    p.at[0] = portolan_sort_to_median(s->n, s->work);
    return p;
}

static void report_spikes(struct series *s, const struct places *p)
{
    struct portolan_series_spikes *k = &s->report->spikes;
    size_t n = 0;

    k->largest = k->factor = NAN;
    for (size_t i = 0; i < s->n; i++) {
        double off = distance(s, p, i);

        if (!s->spike[i])
            continue;
        if (k->n_kept < PORTOLAN_SERIES_SPIKES_KEPT)
            k->row[k->n_kept++] = i;
        if (off > 0)
            s->work[n++] = exp(off);
        else
            k->n_small++;
    }
    if (n) {
        k->factor = portolan_sort_to_median(n, s->work);
        k->largest = s->work[n - 1];
    }
    k->n = n;
    k->share = (double)(n + k->n_small) / (double)s->n;
}

/*
 * ---- the dip: how far a distribution is from the nearest one with a single mode (Hartigan and
 * Hartigan 1985, "The dip test of unimodality", Annals of Statistics 13); the section numbers below
 * are those of their algorithm ----
 */

/* Distinct values with the shares of rows below and up to each. */
struct steps {
    size_t n;
    double *x, *below, *upto;
    size_t *convex, *concave; /* contact points of both hulls in the window */
    size_t n_convex, n_concave;
};

static enum portolan_status make_steps(size_t n, const double *sorted, struct steps *s)
{
    double *all = portolan_calloc(n, 3 * sizeof *all);
    size_t *hulls = portolan_calloc(n, 2 * sizeof *hulls);

    *s = (struct steps){.x = all, .convex = hulls};
    if (!all || !hulls)
        return PORTOLAN_ENOMEM;
    s->below = all + n;
    s->upto = all + 2 * n;
    s->concave = hulls + n;
    for (size_t i = 0; i < n; i++) {
        if (!i || sorted[i] != sorted[i - 1]) {
            s->x[s->n] = sorted[i];
            s->below[s->n++] = (double)i / (double)n;
        }
        s->upto[s->n - 1] = (double)(i + 1) / (double)n;
    }
    return PORTOLAN_OK;
}

static double slope(const struct steps *s, const double *f, size_t a, size_t b)
{
    return (f[b] - f[a]) / (s->x[b] - s->x[a]);
}

/* Finds the points LOW … HIGH where F's hull touches F, from below (SIGN 1) or above (-1). */
static size_t hull(const struct steps *s, const double *f, size_t low, size_t high, double sign,
                   size_t *touch)
{
    size_t n = 0;

    for (size_t i = low; i <= high; i++) {
        while (n > 1 && sign * slope(s, f, touch[n - 2], touch[n - 1]) >=
                            sign * slope(s, f, touch[n - 1], i))
            n--;
        touch[n++] = i;
    }
    return n;
}

/* The height of the hull at point I, which lies between contact points TOUCH[AT] and the next. */
static double height(const struct steps *s, const double *f, const size_t *touch, size_t n,
                     size_t at, size_t i)
{
    if (touch[at] == i || at + 1 == n)
        return f[touch[at]];
    return f[touch[at]] + slope(s, f, touch[at], touch[at + 1]) * (s->x[i] - s->x[touch[at]]);
}

/* The widest gap between the hulls at their contact points; sets the next window (iii, iv). */
static double widest(const struct steps *s, size_t *low, size_t *high)
{
    double most = -1;

    for (size_t i = 0, at = 0; i < s->n_convex; i++) {
        size_t point = s->convex[i];
        double gap;

        while (at + 1 < s->n_concave && s->concave[at + 1] <= point)
            at++;
        gap = height(s, s->upto, s->concave, s->n_concave, at, point) - s->below[point];
        if (gap > most) {
            most = gap;
            *low = point;
            *high = s->concave[at] >= point || at + 1 == s->n_concave ? s->concave[at]
                                                                      : s->concave[at + 1];
        }
    }
    for (size_t i = 0, at = 0; i < s->n_concave; i++) {
        size_t point = s->concave[i];
        double gap;

        while (at + 1 < s->n_convex && s->convex[at + 1] <= point)
            at++;
        gap = s->upto[point] - height(s, s->below, s->convex, s->n_convex, at, point);
        if (gap > most) {
            most = gap;
            *low = s->convex[at];
            *high = point;
        }
    }
    return most;
}

/* How far the distribution is from a hull within FIRST … LAST (vi). */
static double hull_distance(const struct steps *s, const double *f, const size_t *touch, size_t n,
                            size_t first, size_t last)
{
    double most = 0;

    for (size_t i = first, at = 0; i <= last; i++) {
        double h;

        while (at + 1 < n && touch[at + 1] <= i)
            at++;
        h = height(s, f, touch, n, at, i);
        most = fmax(most, fmax(fabs(s->upto[i] - h), fabs(s->below[i] - h)));
    }
    return most;
}

enum portolan_status series_dip(size_t n, const double *sorted, double *dip)
{
    struct steps s;
    enum portolan_status status = make_steps(n, sorted, &s);
    size_t low = 0, high = s.n ? s.n - 1 : 0;
    double d = 1 / (double)n;

    for (bool more = !status && s.n > 1; more;) {
        size_t inner_low = low, inner_high = high;
        double gap;

        s.n_convex = hull(&s, s.below, low, high, 1, s.convex);
        s.n_concave = hull(&s, s.upto, low, high, -1, s.concave);
        gap = widest(&s, &inner_low, &inner_high);
        more = gap > d;
        if (!more)
            break;
        d = fmax(d, hull_distance(&s, s.below, s.convex, s.n_convex, low, inner_low));
        d = fmax(d, hull_distance(&s, s.upto, s.concave, s.n_concave, inner_high, high));
        more = inner_low > low || inner_high < high;
        low = inner_low;
        high = inner_high;
    }
    *dip = d / 2;
    free(s.x);
    free(s.convex);
    return status;
}

/*
 * The probability of √n dip / (1 - 0.63 / √n) for uniform values, the hardest case with one mode;
 * its logarithm is interpolated. The quantiles are those that Hartigan and Hartigan, and later
 * Maechler with more trials, found by simulation; so scaled, they agree within 2 % from n = 10 to
 * 72,000.
 */
double series_dip_probability(size_t n, double dip)
{
    static const struct {
        double at, log_chance;
    } knots[] = {{0.250, 0},       {0.4248, -1.204}, {0.456, -1.609},
                 {0.5035, -2.303}, {0.5455, -2.996}, {0.631, -4.605},
                 {0.732, -6.908},  {0.832, -9.210},  {0.911, -11.513}};
    enum { LAST = sizeof knots / sizeof *knots - 1 };
    double root = sqrt((double)n), at = root * dip / (1 - 0.63 / root), part;
    size_t i = 0;

    if (at <= knots[0].at)
        return 1;
    while (i + 1 < LAST && knots[i + 1].at < at)
        i++;
    part = (at - knots[i].at) / (knots[i + 1].at - knots[i].at);
    return exp(knots[i].log_chance + part * (knots[i + 1].log_chance - knots[i].log_chance));
}

/* ---- two places ---- */

/*
 * The ticks of a coarse clock look like many places, so equal values are spread over the smallest
 * gap between different ones: a gap of values, not of logarithms, since ticks are equally long.
 */
static void spread_ties(double *logs, size_t n)
{
    double least = INFINITY;

    for (size_t i = 1; i < n; i++)
        if (logs[i] > logs[i - 1])
            least = fmin(least, exp(logs[i]) - exp(logs[i - 1]));
    if (least == INFINITY)
        return;
    least = fmin(least, exp(logs[0]));
    for (size_t i = 0, end; i < n; i = end) {
        double value = logs[i];

        for (end = i + 1; end < n && logs[end] == value;)
            end++;
        for (size_t j = i; j < end && end - i > 1; j++)
            logs[j] = log(exp(value) + least * (((double)(j - i) + 0.5) / (double)(end - i) - 0.5));
    }
}

/* Splits the sorted values so that the squares around two means are least; *APART: how well. */
static size_t part_in_two(const double *v, size_t n, double *apart)
{
    double sum = 0, left = 0, best = -1;
    size_t at = 0;

    for (size_t i = 0; i < n; i++)
        sum += v[i];
    for (size_t i = 1; i < n; i++) {
        double gain;

        left += v[i - 1];
        gain = left * left / (double)i + (sum - left) * (sum - left) / (double)(n - i);
        if (gain > best) {
            best = gain;
            at = i;
        }
    }
    *apart = 0;
    if (at) {
        double mean[2] = {0}, squares[2] = {0};

        for (size_t i = 0; i < n; i++)
            mean[i >= at] += v[i] / (double)(i < at ? at : n - at);
        for (size_t i = 0; i < n; i++)
            squares[i >= at] += pow(v[i] - mean[i >= at], 2) / (double)(i < at ? at : n - at);
        *apart = sqrt(2) * (mean[1] - mean[0]) / sqrt(squares[0] + squares[1] + 1e-300);
    }
    return at;
}

/* Sorts the values that are not spikes; returns their number. */
static size_t take_values(struct series *s)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++)
        if (!s->spike[i])
            s->sorted[n++] = s->r[i];
    portolan_sort_numbers(n, s->sorted);
    return n;
}

/*
 * Splits the values in two. A part smaller than a tenth becomes spikes, which were not found
 * before: two places widen the spread, so that spikes do not stand out.
 */
static size_t part_values(struct series *s, size_t *n, double *apart)
{
    size_t at = 0;

    for (int round = 0; round < 5; round++) {
        double cut;

        *n = take_values(s);
        if (*n < 4 || !(at = part_in_two(s->sorted, *n, apart)) ||
            (LEAST_SHARE * at >= *n && LEAST_SHARE * (*n - at) >= *n))
            return at;
        cut = s->sorted[at - 1] / 2 + s->sorted[at] / 2;
        for (size_t i = 0; i < s->n; i++)
            s->spike[i] = s->spike[i] || (s->r[i] > cut) == (2 * at > *n);
    }
    return at;
}

static enum portolan_status find_modes(struct series *s)
{
    struct portolan_series_modes *m = &s->report->modes;
    size_t n = 0, at;
    double apart = 0;
    enum portolan_status status;

    m->dip = m->probability = m->low = m->high = m->low_share = NAN;
    at = part_values(s, &n, &apart);
    if (n < 4 || !at)
        return PORTOLAN_OK;
    m->low = exp(portolan_median_of_sorted(at, s->sorted));
    m->high = exp(portolan_median_of_sorted(n - at, s->sorted + at));
    m->low_share = (double)at / (double)s->n;
    spread_ties(s->sorted, n);
    if ((status = series_dip(n, s->sorted, &m->dip)))
        return status;
    m->probability = series_dip_probability(n, m->dip);
    m->is_bimodal = n >= LEAST_MODES && m->probability < significance && apart >= 2 &&
                    LEAST_SHARE * at >= n && LEAST_SHARE * (n - at) >= n;
    return PORTOLAN_OK;
}

/* Spikes and places depend on each other: many spikes near each other are a place. */
static enum portolan_status find_places(struct series *s)
{
    const struct portolan_series_modes *m = &s->report->modes;
    struct places p = one_place(s);
    enum portolan_status status;

    s->report->place = exp(p.at[0]);
    if (LEAST_SHARE * mark_spikes(s, &p) > s->n)
        memset(s->spike, 0, s->n * sizeof *s->spike);
    s->report->spread = expm1(s->spread);
    if ((status = find_modes(s)))
        return status;
    if (m->is_bimodal)
        p = (struct places){.n = 2, .at = {log(m->low), log(m->high)}};
    mark_spikes(s, &p);
    report_spikes(s, &p);
    return PORTOLAN_OK;
}

/* ---- the whole ---- */

static enum portolan_status check_rows(size_t n, const double *y, const double *expected,
                                       struct portolan_error *err)
{
    if (!n || !y)
        return portolan_error_set(err, PORTOLAN_EINVAL, "a series needs at least one row");
    for (size_t i = 0; i < n; i++) {
        double r = expected ? y[i] / expected[i] : y[i];

        if (!(y[i] > 0) || (expected && !(expected[i] > 0)) || !isfinite(r) || !(r > 0))
            return portolan_error_set(err, PORTOLAN_EINVAL,
                                      "row %zu of a series is not positive or not finite", i + 1);
    }
    return PORTOLAN_OK;
}

enum portolan_status portolan_series_inspect(size_t n, const double *y, const double *expected,
                                             struct portolan_series_report *report,
                                             struct portolan_error *err)
{
    struct portolan_series_report made = {.n = n};
    struct series s = {.n = n, .report = &made};
    struct portolan_arena memory = {0};
    size_t pairs = n <= ALL_PAIRS && n > 1 ? n * (n - 1) / 2 : 0;
    enum portolan_status status = check_rows(n, y, expected, err);

    if (status)
        return status;
    s.r = portolan_arena_alloc(&memory, n, sizeof *s.r);
    s.sorted = portolan_arena_alloc(&memory, n, sizeof *s.sorted);
    s.work = portolan_arena_alloc(&memory, pairs > n ? pairs : n, sizeof *s.work);
    s.spike = portolan_arena_alloc(&memory, n, sizeof *s.spike);
    if (memory.failed) {
        status = PORTOLAN_ENOMEM;
    } else {
        for (size_t i = 0; i < n; i++)
            s.r[i] = log(expected ? y[i] / expected[i] : y[i]);
        find_drift(&s);
        status = find_places(&s);
    }
    portolan_arena_clear(&memory);
    if (status)
        return portolan_error_set(err, status, "no memory for a series of %zu rows", n);
    *report = made;
    return PORTOLAN_OK;
}
