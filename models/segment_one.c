/* SPDX-License-Identifier: BSD-3-Clause */
/* One segment at a time: its constants, its squares from both ends, rows that stand for it. */
#include "segment_internal.h"

#include <math.h>
#include <string.h>

enum { TERMS = MODEL_TERMS };

/* As segment.c's, of one beginning. */
struct factor {
    size_t k;
    double rss;
    double d[TERMS];
    double r[TERMS][TERMS + 1];
};

static void rotate(struct factor *f, const double *row)
{
    double x[TERMS + 1], weight = 1;

    memcpy(x, row, (f->k + 1) * sizeof *x);
    for (size_t i = 0; i < f->k && weight > 0; i++) {
        double xi = x[i], *r = f->r[i], d = f->d[i] + weight * xi * xi, keep, take;

        /* Others explain this column already. */
        if (xi * xi <= DEPENDENT * row[i] * row[i] || !(d > 0))
            continue;
        keep = f->d[i] / d;
        take = weight * xi / d;
        for (size_t c = i + 1; c <= f->k; c++) {
            double rest = x[c] - xi * r[c];

            r[c] = keep * r[c] + take * x[c];
            x[c] = rest;
        }
        f->d[i] = d;
        weight *= keep;
    }
    f->rss += weight * x[f->k] * x[f->k];
}

static void take_unit(struct factor *f, const struct segment_problem *p, size_t unit)
{
    for (size_t row = p->unit[unit]; row < p->unit[unit + 1]; row++)
        rotate(f, p->rows + row * (p->k + 1));
    if (p->base)
        f->rss += p->base[unit];
}

static void begin(struct factor *f, size_t k)
{
    f->k = k;
    f->rss = 0;
    memset(f->d, 0, k * sizeof *f->d);
    memset(f->r, 0, k * sizeof *f->r);
}

/* The constants; is one of them negative? */
static bool solve(const struct factor *f, double *constants)
{
    bool negative = false;

    for (size_t i = f->k; i-- > 0;) {
        constants[i] = f->d[i] > EMPTY_LENGTH ? f->r[i][f->k] : 0;
        for (size_t j = i + 1; j < f->k && f->d[i] > EMPTY_LENGTH; j++)
            constants[i] -= f->r[i][j] * constants[j];
        negative = negative || constants[i] < 0;
    }
    return negative;
}

static double constrain(const struct factor *f, double *constants)
{
    struct triangle t = {.k = f->k};

    for (size_t i = 0; i < f->k; i++) {
        double length = f->d[i] > EMPTY_LENGTH ? sqrt(f->d[i]) : 0;

        t.column[i][i] = length;
        for (size_t c = i + 1; c < f->k; c++)
            t.column[c][i] = length * f->r[i][c];
        t.rhs[i] = length * f->r[i][f->k];
    }
    return triangle_constrain(&t, constants);
}

double segment_fit(const struct segment_problem *p, size_t first, size_t last, double *constants)
{
    struct factor f;

    begin(&f, p->k);
    for (size_t u = first; u < last; u++)
        take_unit(&f, p, u);
    return f.rss + (solve(&f, constants) && p->nonnegative ? constrain(&f, constants) : 0);
}

/* The squares left so far. */
static double judge(const struct factor *f, const struct segment_problem *p)
{
    double constants[TERMS];

    if (!p->nonnegative || !solve(f, constants))
        return f->rss;
    if (f->k > 2)
        return f->rss + constrain(f, constants);
    return f->rss + squares_of_two(f->k, f->d[0], f->r[0][f->k], f->r[0][1], f->k > 1 ? f->d[1] : 0,
                                   f->k > 1 ? f->r[1][2] : 0);
}

void segment_sweep(const struct segment_problem *p, const struct segment_window *window,
                   bool forward, double *out)
{
    struct factor f;

    begin(&f, p->k);
    /* What comes before unit u counts for a beginning at u. */
    for (size_t u = window->first; forward && u < window->to; u++) {
        take_unit(&f, p, u);
        if (u + 1 >= window->from)
            out[u - window->first] = judge(&f, p);
    }
    for (size_t u = window->last; !forward && u-- > window->from;) {
        take_unit(&f, p, u);
        if (u <= window->to)
            out[u - window->first] = judge(&f, p);
    }
}

double segment_compress(const struct segment_problem *p, size_t first, size_t last, double *rows)
{
    size_t k = p->k;
    struct factor f;

    begin(&f, k);
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
