/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The exact best segmentation of a sequence (Bellman 1961; Bai and Perron 2003). Sums of squares
 * come from an orthogonal factor that takes in row after row (Gentleman's square-root-free Givens
 * rotations, AS 75), for several beginnings at a time, so that the processor works on all of them
 * at once. No table of m² is kept: as soon as a beginning's costs are known they are used up.
 */
#include "segment_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 8, TERMS = MODEL_TERMS };
typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));
typedef int64_t lane_bits __attribute__((vector_size(LANES * sizeof(int64_t))));

/* The factor D^1/2 R of the rows so far, with the right-hand side as last column. */
struct factor {
    lanes rss;
    lanes d[TERMS];
    lanes r[TERMS][TERMS + 1];
};

/* Takes in a row of weight W (0 or 1). */
static inline void append(struct factor *f, size_t k, const double *row, const lanes *w)
{
    lanes x[TERMS + 1], weight = *w;

    for (size_t c = 0; c <= k; c++)
        x[c] = row[c] - (lanes){0};
    for (size_t i = 0; i < k; i++) {
        lanes xi = x[i], weighted, before = f->d[i] + NOTHING, inverse, keep, take;
        lane_bits real = xi * xi > DEPENDENT * row[i] * row[i] - (lanes){0};

        xi = (lanes)((lane_bits)xi & real);
        weighted = weight * xi;
        f->d[i] = before + weighted * xi;
        inverse = 1 / f->d[i];
        keep = before * inverse;
        take = weighted * inverse;
        weight *= keep;
        for (size_t c = i + 1; c <= k; c++) {
            lanes old = f->r[i][c];

            f->r[i][c] = keep * old + take * x[c];
            x[c] -= xi * old;
        }
    }
    f->rss += weight * x[k] * x[k];
}

static inline void append_unit(struct factor *f, const struct segment_problem *p, size_t unit,
                               const lanes *w)
{
    for (size_t row = p->unit[unit]; row < p->unit[unit + 1]; row++)
        append(f, p->k, p->rows + row * (p->k + 1), w);
    if (p->base)
        f->rss += *w * p->base[unit];
}

static void empty(struct factor *f, size_t k)
{
    f->rss = (lanes){0};
    for (size_t i = 0; i < k; i++) {
        f->d[i] = (lanes){0};
        for (size_t c = 0; c <= k; c++)
            f->r[i][c] = (lanes){0};
    }
}

/* ---- constants, and what it costs that none is negative ---- */

/*
 * Constants of all lanes; a sign bit in ANY where one is negative. Where rows do not tell a
 * constant it is arbitrary, and so is good if it leaves the others positive.
 */
static inline void solve(const struct factor *f, size_t k, lanes *c, lane_bits *any)
{
    lane_bits negative = {0};

    for (size_t i = k; i-- > 0;) {
        c[i] = f->r[i][k];
        for (size_t j = i + 1; j < k; j++)
            c[i] -= f->r[i][j] * c[j];
        negative |= (lane_bits)c[i];
    }
    *any = negative;
}

static void take_triangle(const struct factor *f, size_t k, size_t lane, struct triangle *t)
{
    t->k = k;
    for (size_t i = 0; i < k; i++) {
        double length = f->d[i][lane] > EMPTY_LENGTH ? sqrt(f->d[i][lane]) : 0;

        for (size_t c = 0; c < k; c++)
            t->column[c][i] = c < i ? 0 : c == i ? length : length * f->r[i][c][lane];
        t->rhs[i] = length * f->r[i][k][lane];
    }
}

/* The squares left when no constant is negative. */
static inline void judge(const struct factor *f, const struct segment_problem *p, lanes *rss)
{
    lanes c[TERMS];
    lane_bits negative;

    *rss = f->rss;
    if (!p->nonnegative)
        return;
    solve(f, p->k, c, &negative);
    for (size_t lane = 0; lane < LANES; lane++) {
        struct triangle t;
        double one[TERMS];

        if (negative[lane] >= 0)
            continue;
        if (p->k <= 2) {
            (*rss)[lane] +=
                squares_of_two(p->k, f->d[0][lane], f->r[0][p->k][lane], f->r[0][1][lane],
                               p->k > 1 ? f->d[1][lane] : 0, p->k > 1 ? f->r[1][2][lane] : 0);
            continue;
        }
        for (size_t j = 0; j < p->k; j++)
            one[j] = c[j][lane];
        take_triangle(f, p->k, lane, &t);
        (*rss)[lane] += triangle_constrain(&t, one);
    }
}

/* ---- the dynamic program ---- */

/* For s + 1 segments ending with each unit: the least squares, and where the last one begins. */
struct table {
    size_t n, max;
    size_t wide;   /* n, rounded up to whole LANES */
    double *best;  /* max × wide */
    double *begin; /* max × wide; units, as numbers of the same width */
    double *cost;  /* n × LANES: of segments from each of the beginnings in work */
    double *line;  /* wide: of one beginning */
};

/* The costs of all segments that begin with FIRST … FIRST + LANES - 1. */
static void find_costs(const struct segment_problem *p, struct table *t, size_t first)
{
    struct factor f;
    lanes w = {0}, rss;

    empty(&f, p->k);
    for (size_t u = first; u < t->n; u++) {
        if (u - first < LANES)
            w[u - first] = 1;
        append_unit(&f, p, u, &w);
        judge(&f, p, &rss);
        memcpy(t->cost + u * LANES, &rss, sizeof rss);
    }
}

/* The first unit with which a segment from unit FIRST may end; n = none. */
static size_t first_end(const struct segment_problem *p, size_t first)
{
    const size_t *count = p->count ? p->count : p->unit;
    size_t end = first + p->least_units - 1;

    while (end < p->n_units && count[end + 1] - count[first] < p->least_points)
        end++;
    return end < p->n_units ? end : p->n_units;
}

/* Of each two the smaller sum, and where it came from. As wide as every processor can compare. */
typedef double pair __attribute__((vector_size(2 * sizeof(double))));
typedef int64_t pair_bits __attribute__((vector_size(2 * sizeof(int64_t))));

static inline void take_better(double *best, double *begin, const double *cost, double before,
                               double from)
{
    pair old, now, at, here = from - (pair){0};
    pair_bits better;

    memcpy(&now, cost, sizeof now);
    memcpy(&old, best, sizeof old);
    memcpy(&at, begin, sizeof at);
    now += before;
    better = now < old;
    old = (pair)(((pair_bits)now & better) | ((pair_bits)old & ~better));
    at = (pair)(((pair_bits)here & better) | ((pair_bits)at & ~better));
    memcpy(best, &old, sizeof old);
    memcpy(begin, &at, sizeof at);
}

static void use_costs(const struct segment_problem *p, struct table *t, size_t begin, size_t lane)
{
    size_t end = first_end(p, begin), first = end - end % LANES;

    for (size_t u = first; u < t->wide; u++)
        t->line[u] = u < end || u >= t->n ? INFINITY : t->cost[u * LANES + lane];
    for (size_t s = begin ? 1 : 0; s < (begin ? t->max : 1); s++) {
        double before = s ? t->best[(s - 1) * t->wide + begin - 1] : 0;

        if (before == INFINITY)
            break;
        for (size_t u = first; u < t->wide; u += 2)
            take_better(t->best + s * t->wide + u, t->begin + s * t->wide + u, t->line + u, before,
                        (double)begin);
    }
}

static void trace(const struct table *t, struct segment_solution *out)
{
    out->n = 0;
    for (size_t s = 0; s < t->max && t->best[s * t->wide + t->n - 1] < INFINITY; s++, out->n++) {
        size_t end = t->n;

        out->rss[s] = t->best[s * t->wide + t->n - 1];
        out->begin[s][s + 1] = t->n;
        for (size_t i = s + 1; i-- > 0;)
            end = out->begin[s][i] = (size_t)t->begin[i * t->wide + end - 1];
    }
}

enum portolan_status segment_solve(const struct segment_problem *p, struct segment_solution *out)
{
    struct table t = {.n = p->n_units, .max = p->max < MODEL_PIECES ? p->max : MODEL_PIECES};
    bool good;

    t.wide = (t.n + LANES - 1) / LANES * LANES;
    t.best = portolan_calloc(t.wide * t.max, 2 * sizeof *t.best);
    t.cost = portolan_calloc(t.wide * (LANES + 1), sizeof *t.cost);
    good = t.best && t.cost;
    t.begin = t.best + t.wide * t.max;
    t.line = t.cost + t.wide * LANES;
    for (size_t i = 0; good && i < t.wide * t.max; i++)
        t.best[i] = INFINITY;
    for (size_t first = 0; good && first < t.n; first += LANES) {
        find_costs(p, &t, first);
        for (size_t lane = 0; lane < LANES && first + lane < t.n; lane++)
            use_costs(p, &t, first + lane, lane);
    }
    if (good)
        trace(&t, out);
    free(t.best);
    free(t.cost);
    return good ? PORTOLAN_OK : PORTOLAN_ENOMEM;
}
