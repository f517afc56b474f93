/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The dip of a series: how far its distribution is from the nearest one with a single mode
 * (Hartigan and Hartigan 1985, "The dip test of unimodality", Annals of Statistics 13). The section
 * numbers below are those of their algorithm.
 */
#include "series_internal.h"

#include <math.h>
#include <stdlib.h>

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

/* The points of F that its hull touches, of LOW … HIGH: from below (SIGN 1) or above (-1). */
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

/* The hull's height over point I, which lies between its contact points TOUCH[AT] and the next. */
static double height(const struct steps *s, const double *f, const size_t *touch, size_t n,
                     size_t at, size_t i)
{
    if (touch[at] == i || at + 1 == n)
        return f[touch[at]];
    return f[touch[at]] + slope(s, f, touch[at], touch[at + 1]) * (s->x[i] - s->x[touch[at]]);
}

/* The widest gap between the hulls at their contact points, and the window it leaves (iii, iv). */
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
static double distance(const struct steps *s, const double *f, const size_t *touch, size_t n,
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
        d = fmax(d, distance(&s, s.below, s.convex, s.n_convex, low, inner_low));
        d = fmax(d, distance(&s, s.upto, s.concave, s.n_concave, inner_high, high));
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
 * The logarithm of the chance of √n dip / (1 - 0.63 / √n) for values spread evenly, the hardest
 * case there is. The quantiles are those that Hartigan and Hartigan, and Maechler after them with
 * more trials, found by simulation; scaled so they agree within 2 % from n = 10 to 72,000.
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
