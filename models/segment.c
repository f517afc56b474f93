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

/* Nothing, but no division by 0; what is left of a row that others explain. */
static const double nothing = 1e-140, dependent = 1e-20;

/* Takes in a row of weight W (0 or 1). */
static inline void append(struct factor *f, size_t k, const double *row, const lanes *w)
{
    lanes x[TERMS + 1], weight = *w;

    for (size_t c = 0; c <= k; c++)
        x[c] = row[c] - (lanes){0};
    for (size_t i = 0; i < k; i++) {
        lanes xi = x[i], weighted, before = f->d[i] + nothing, inverse, keep, take;
        lane_bits real = xi * xi > dependent * row[i] * row[i] - (lanes){0};

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

static void all_lanes(lanes *w)
{
    *w = 1 - (lanes){0};
}

/* ---- constants, and what it costs that none is negative ---- */

/* In this direction the rows say nothing. */
static const double empty_length = 1e-100;

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

/* Of one column or two that do not both help: what the one takes away that helps more, or none. */
static inline double best_of_two(const struct factor *f, size_t k, size_t lane)
{
    double d = f->d[0][lane], first = d * f->r[0][k][lane], gain = 0, second;

    if (first > 0)
        gain = first * f->r[0][k][lane];
    if (k == 1)
        return gain;
    second = first * f->r[0][1][lane] + f->d[1][lane] * f->r[1][2][lane];
    d = d * f->r[0][1][lane] * f->r[0][1][lane] + f->d[1][lane];
    return second > 0 && d > empty_length ? fmax(gain, second * second / d) : gain;
}

/* The squares that the factor's columns take away together. */
static inline double full_gain(const struct factor *f, size_t k, size_t lane)
{
    double gain = 0;

    for (size_t i = 0; i < k; i++)
        gain += f->d[i][lane] * f->r[i][k][lane] * f->r[i][k][lane];
    return gain;
}

/* The triangle of one lane as an ordinary matrix, column by column, and its right-hand side. */
struct triangle {
    size_t k;
    double column[TERMS][TERMS], rhs[TERMS];
};

static void take_triangle(const struct factor *f, size_t k, size_t lane, struct triangle *t)
{
    t->k = k;
    for (size_t i = 0; i < k; i++) {
        double length = f->d[i][lane] > empty_length ? sqrt(f->d[i][lane]) : 0;

        for (size_t c = 0; c < k; c++)
            t->column[c][i] = c < i ? 0 : c == i ? length : length * f->r[i][c][lane];
        t->rhs[i] = length * f->r[i][k][lane];
    }
}

/* Least squares with the columns of SET; C gets zeros for the others. False: dependent. */
static bool solve_set(const struct triangle *t, unsigned set, double *c, double *residual)
{
    double copy[TERMS][TERMS], *columns[TERMS], z[TERMS];
    size_t n = 0;

    memcpy(residual, t->rhs, t->k * sizeof *residual);
    memset(c, 0, t->k * sizeof *c);
    for (size_t j = 0; j < t->k; j++)
        if (set >> j & 1) {
            memcpy(copy[n], t->column[j], t->k * sizeof **copy);
            columns[n] = copy[n];
            n++;
        }
    if (!linear_quick(t->k, n, columns, residual, z, NULL))
        return false;
    n = 0;
    for (size_t j = 0; j < t->k; j++)
        if (set >> j & 1)
            c[j] = z[n++];
    return true;
}

/* The column outside SET that would help most, TERMS if none would. */
static size_t most_helpful(const struct triangle *t, unsigned set, const double *residual)
{
    size_t best = TERMS;
    double most = 1e-9;

    for (size_t j = 0; j < t->k; j++) {
        double along = 0, length = 0, size = 0;

        for (size_t i = 0; i < t->k; i++) {
            along += t->column[j][i] * residual[i];
            length += t->column[j][i] * t->column[j][i];
            size += t->rhs[i] * t->rhs[i];
        }
        if (!(set >> j & 1) && along > most * sqrt(length * size)) {
            most = along / sqrt(length * size);
            best = j;
        }
    }
    return best;
}

/* Active sets, beginning with the constants that are positive anyway; what the triangle leaves. */
static double constrain(const struct triangle *t, double *c)
{
    unsigned set = 0;
    double residual[TERMS], rest = 0;

    for (size_t j = 0; j < t->k; j++)
        if (c[j] > 0)
            set |= 1u << j;
    for (size_t round = 0; round < 4 * t->k; round++) {
        unsigned positive = 0;
        size_t helpful;

        if (!solve_set(t, set, c, residual)) {
            set &= set - 1;
            continue;
        }
        for (size_t j = 0; j < t->k; j++)
            if (c[j] > 0)
                positive |= 1u << j;
        if (positive != set) {
            set = positive;
            continue;
        }
        if ((helpful = most_helpful(t, set, residual)) == TERMS)
            break;
        set |= 1u << helpful;
    }
    for (size_t j = 0; j < t->k; j++) {
        c[j] = fmax(c[j], 0);
        rest += residual[j] * residual[j];
    }
    return rest;
}

/* The squares left when no constant is negative, of the first N_LANES. */
static inline void judge(const struct factor *f, const struct segment_problem *p, size_t n_lanes,
                         lanes *rss)
{
    lanes c[TERMS];
    lane_bits negative;

    *rss = f->rss;
    if (!p->nonnegative)
        return;
    solve(f, p->k, c, &negative);
    for (size_t lane = 0; lane < n_lanes; lane++) {
        struct triangle t;
        double one[TERMS];

        if (negative[lane] >= 0)
            continue;
        if (p->k <= 2) {
            (*rss)[lane] += full_gain(f, p->k, lane) - best_of_two(f, p->k, lane);
            continue;
        }
        for (size_t j = 0; j < p->k; j++)
            one[j] = c[j][lane];
        take_triangle(f, p->k, lane, &t);
        (*rss)[lane] += constrain(&t, one);
    }
}

double segment_fit(const struct segment_problem *p, size_t first, size_t last, double *constants)
{
    struct factor f;
    struct triangle t;
    lanes w;
    bool negative = false;

    empty(&f, p->k);
    all_lanes(&w);
    for (size_t u = first; u < last; u++)
        append_unit(&f, p, u, &w);
    for (size_t i = p->k; i-- > 0;) {
        constants[i] = f.r[i][p->k][0];
        for (size_t j = i + 1; j < p->k; j++)
            constants[i] -= f.r[i][j][0] * constants[j];
        if (f.d[i][0] < empty_length)
            constants[i] = 0;
        negative = negative || constants[i] < 0;
    }
    if (!p->nonnegative || !negative)
        return f.rss[0];
    take_triangle(&f, p->k, 0, &t);
    return f.rss[0] + constrain(&t, constants);
}

void segment_sweep(const struct segment_problem *p, const struct segment_window *window,
                   bool forward, double *out)
{
    size_t n = window->last - window->first;
    struct factor f;
    lanes w, rss;

    empty(&f, p->k);
    all_lanes(&w);
    for (size_t i = 0; i < n; i++) {
        size_t u = forward ? window->first + i : window->last - 1 - i;
        /* What comes before unit u counts for a beginning at u. */
        size_t begin = forward ? u + 1 : u;

        append_unit(&f, p, u, &w);
        if (begin < window->from || begin > window->to)
            continue;
        judge(&f, p, 1, &rss);
        out[u - window->first] = rss[0];
    }
}

double segment_compress(const struct segment_problem *p, size_t first, size_t last, double *rows)
{
    size_t k = p->k;
    struct factor f;
    lanes w;

    empty(&f, k);
    all_lanes(&w);
    for (size_t u = first; u < last; u++)
        append_unit(&f, p, u, &w);
    memset(rows, 0, k * (k + 1) * sizeof *rows);
    for (size_t i = 0; i < k; i++) {
        double length = f.d[i][0] < empty_length ? 0 : sqrt(f.d[i][0]);

        rows[i * (k + 1) + i] = length;
        for (size_t c = i + 1; c <= k; c++)
            rows[i * (k + 1) + c] = length * f.r[i][c][0];
    }
    return f.rss[0];
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
        judge(&f, p, LANES, &rss);
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
