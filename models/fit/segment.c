/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The exact best segmentation of a sequence (Bellman 1961; Bai and Perron 2003). Sums of squares
 * come from an orthogonal factor that takes in row after row (Gentleman's square-root-free Givens
 * rotations, AS 75). There is no table of m² costs: the costs of all segments with one beginning
 * are used as soon as they are known.
 */
#include "pieces_internal.h"

#include <math.h>
#include <string.h>

enum { TERMS = MODEL_TERMS };

/* In the factor D^1/2 R: a smaller remainder of a row depends on the others; rows say nothing about
 * a direction of smaller length. */
static const double dependent = 1e-20, empty_length = 1e-100;

/* ---- the factor ---- */

/* The factor D^1/2 R of the rows so far, with the right-hand side as last column. */
struct factor {
    size_t k;
    double rss;
    double d[TERMS];
    double r[TERMS][TERMS + 1];
};

static inline __attribute__((always_inline)) void rotate(struct factor *f, size_t k,
                                                         const double *row)
{
    double x[TERMS + 1], weight = 1;

    for (size_t c = 0; c <= k; c++)
        x[c] = row[c];
    for (size_t i = 0; i < k; i++) {
        double xi = x[i], *r = f->r[i], d = f->d[i] + weight * xi * xi, inverse, keep, take;

        /* The column depends on earlier ones. */
        if (xi * xi <= dependent * row[i] * row[i] || !(d > 0))
            continue;
        inverse = 1 / d;
        keep = f->d[i] * inverse;
        take = weight * xi * inverse;
        for (size_t c = i + 1; c <= k; c++) {
            double old = r[c];

            r[c] = keep * old + take * x[c];
            x[c] -= xi * old;
        }
        f->d[i] = d;
        weight *= keep;
    }
    f->rss += weight * x[k] * x[k];
}

/* Fewer columns are usual: the compiler unrolls their loops. */
static inline void rotate_row(struct factor *f, const double *row)
{
    switch (f->k) {
    case 1:
        rotate(f, 1, row);
        break;
    case 2:
        rotate(f, 2, row);
        break;
    default:
        rotate(f, f->k, row);
    }
}

static void take_unit(struct factor *f, const struct segment_problem *p, size_t unit)
{
    for (size_t row = p->unit[unit]; row < p->unit[unit + 1]; row++)
        rotate_row(f, p->rows + row * (p->k + 1));
    if (p->base)
        f->rss += p->base[unit];
}

static void empty_factor(struct factor *f, size_t k)
{
    f->k = k;
    f->rss = 0;
    memset(f->d, 0, k * sizeof *f->d);
    memset(f->r, 0, k * sizeof *f->r);
}

/* Sets the constants; returns whether one of them is negative. */
static bool solve_factor(const struct factor *f, double *constants)
{
    bool negative = false;

    for (size_t i = f->k; i-- > 0;) {
        constants[i] = f->d[i] > empty_length ? f->r[i][f->k] : 0;
        for (size_t j = i + 1; j < f->k && f->d[i] > empty_length; j++)
            constants[i] -= f->r[i][j] * constants[j];
        negative = negative || constants[i] < 0;
    }
    return negative;
}

static double constrain_factor(const struct factor *f, double *constants)
{
    double columns[TERMS * TERMS], rhs[TERMS], work[TERMS * (TERMS + 1)];
    size_t k = f->k;

    for (size_t i = 0; i < k; i++) {
        double length = f->d[i] > empty_length ? sqrt(f->d[i]) : 0;

        for (size_t c = 0; c < k; c++)
            columns[c * k + i] = c < i ? 0 : c == i ? length : length * f->r[i][c];
        rhs[i] = length * f->r[i][k];
    }
    linear_nonnegative(k, k, columns, rhs, work, constants);
    return linear_dot(k, work + k * k, work + k * k);
}

double segment_fit(const struct segment_problem *p, size_t first, size_t last, double *constants)
{
    struct factor f;

    empty_factor(&f, p->k);
    for (size_t u = first; u < last; u++)
        take_unit(&f, p, u);
    return f.rss +
           (solve_factor(&f, constants) && p->nonnegative ? constrain_factor(&f, constants) : 0);
}

/*
 * The squares that the constraint adds when one or two columns may not both have a positive
 * constant: the gain of both columns minus that of the better one, or minus 0.
 */
static double squares_of_two(const struct factor *f)
{
    double first = f->d[0] * f->r[0][f->k], all = first * f->r[0][f->k];
    double gain = first > 0 ? all : 0, second, length;

    if (f->k == 1)
        return all - gain;
    all += f->d[1] * f->r[1][2] * f->r[1][2];
    second = first * f->r[0][1] + f->d[1] * f->r[1][2];
    length = f->d[0] * f->r[0][1] * f->r[0][1] + f->d[1];
    if (second > 0 && length > empty_length && second * second > gain * length)
        gain = second * second / length;
    return all - gain;
}

/* Whether no constant is negative, of one or two; those of more are not needed before. */
static bool is_fit_positive(const struct factor *f)
{
    double last = f->r[f->k - 1][f->k];

    return last >= 0 && (f->k == 1 || f->r[0][2] - f->r[0][1] * last >= 0);
}

/* The squares left so far. */
static double judge_factor(const struct factor *f, const struct segment_problem *p)
{
    double constants[TERMS];

    if (!p->nonnegative || (f->k <= 2 ? is_fit_positive(f) : !solve_factor(f, constants)))
        return f->rss;
    return f->rss + (f->k > 2 ? constrain_factor(f, constants) : squares_of_two(f));
}

void segment_sweep(const struct segment_problem *p, const struct segment_window *window,
                   bool forward, double *out)
{
    struct factor f;

    empty_factor(&f, p->k);
    /* The squares up to unit u belong to a split after it. */
    for (size_t u = window->first; forward && u < window->to; u++) {
        take_unit(&f, p, u);
        if (u + 1 >= window->from)
            out[u - window->first] = judge_factor(&f, p);
    }
    for (size_t u = window->last; !forward && u-- > window->from;) {
        take_unit(&f, p, u);
        if (u <= window->to)
            out[u - window->first] = judge_factor(&f, p);
    }
}

double segment_compress(const struct segment_problem *p, size_t first, size_t last, double *rows)
{
    size_t k = p->k;
    struct factor f;

    empty_factor(&f, k);
    for (size_t u = first; u < last; u++)
        take_unit(&f, p, u);
    memset(rows, 0, k * (k + 1) * sizeof *rows);
    for (size_t i = 0; i < k; i++) {
        double length = sqrt(f.d[i]);

        rows[i * (k + 1) + i] = length;
        for (size_t c = i + 1; c <= k; c++)
            rows[i * (k + 1) + c] = length * f.r[i][c];
    }
    return f.rss;
}

/* ---- the dynamic program ---- */

/* For s + 1 segments that end with each unit: the least squares, and the last one's beginning. */
struct table {
    size_t n, max, wide; /* wide: n and room for a pair */
    double *best;        /* max × wide */
    size_t *begin;       /* max × wide */
    double *cost;        /* wide: of the segments from the current beginning */
};

/* The first unit with which a segment from unit FIRST may end; n = none. */
static size_t first_end(const struct segment_problem *p, size_t first)
{
    const size_t *count = p->count ? p->count : p->unit;
    size_t end = first + p->least_units - 1;

    while (end < p->n_units && count[end + 1] - count[first] < p->least_points)
        end++;
    return end < p->n_units ? end : p->n_units;
}

/* As wide as every processor can compare. */
typedef double pair __attribute__((vector_size(2 * sizeof(double))));
typedef int64_t pair_bits __attribute__((vector_size(2 * sizeof(int64_t))));

/* In pairs, without a branch: no processor can predict which beginning is better. */
static void take_better(size_t n, const double *cost, double before, size_t begin, double *best,
                        size_t *from)
{
    pair_bits here = (int64_t)begin - (pair_bits){0}, better, origin;
    pair old, now;

    for (size_t u = 0; u < n; u += 2) {
        memcpy(&now, cost + u, sizeof now);
        memcpy(&old, best + u, sizeof old);
        memcpy(&origin, from + u, sizeof origin);
        now += before;
        better = now < old;
        old = (pair)(((pair_bits)now & better) | ((pair_bits)old & ~better));
        origin = (here & better) | (origin & ~better);
        memcpy(best + u, &old, sizeof old);
        memcpy(from + u, &origin, sizeof origin);
    }
}

/* Computes the costs of all segments that begin with unit BEGIN, and improves the table by them. */
static void use_beginning(const struct segment_problem *p, struct table *t, size_t begin)
{
    size_t end = first_end(p, begin);
    struct factor f;

    empty_factor(&f, p->k);
    for (size_t u = begin; u < t->n; u++) {
        take_unit(&f, p, u);
        if (u >= end)
            t->cost[u] = judge_factor(&f, p);
    }
    for (size_t s = begin ? 1 : 0; s < (begin ? t->max : 1); s++) {
        double before = s ? t->best[(s - 1) * t->wide + begin - 1] : 0;

        if (before < INFINITY)
            take_better(t->n - end, t->cost + end, before, begin, t->best + s * t->wide + end,
                        t->begin + s * t->wide + end);
    }
}

static void trace_back(const struct table *t, struct segment_solution *out)
{
    out->n = 0;
    for (size_t s = 0; s < t->max && t->best[s * t->wide + t->n - 1] < INFINITY; s++, out->n++) {
        size_t end = t->n;

        out->rss[s] = t->best[s * t->wide + t->n - 1];
        out->begin[s][s + 1] = t->n;
        for (size_t i = s + 1; i-- > 0;)
            end = out->begin[s][i] = t->begin[i * t->wide + end - 1];
    }
}

enum portolan_status segment_solve(const struct segment_problem *p, struct segment_solution *out)
{
    struct table t = {.n = p->n_units, .max = p->max < MODEL_PIECES ? p->max : MODEL_PIECES};
    struct portolan_arena memory = {0};
    bool good;

    t.wide = t.n + 1;
    t.best = portolan_arena_alloc(&memory, t.wide * t.max, sizeof *t.best);
    t.begin = portolan_arena_alloc(&memory, t.wide * t.max, sizeof *t.begin);
    t.cost = portolan_arena_alloc(&memory, t.wide, sizeof *t.cost);
    good = !memory.failed;
    for (size_t i = 0; good && i < t.wide * t.max; i++)
        t.best[i] = INFINITY;
    for (size_t begin = 0; good && begin < t.n; begin++)
        use_beginning(p, &t, begin);
    if (good)
        trace_back(&t, out);
    portolan_arena_clear(&memory);
    return good ? PORTOLAN_OK : PORTOLAN_ENOMEM;
}
