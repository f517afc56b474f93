/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Extra-P's default method, as notes-models.md (2.2) describes it, on the same rows: medians, for
 * each of 42 terms beside a constant one fit by dgels per point left out, SMAPE of the points left
 * out; for two parameters the terms of averaged lines, put together as the training SMAPE says.
 */
#include "bench_models.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double least_contribution = 0.0005;

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void medians(const struct series *s, double *x, double *y)
{
    size_t n = s->repetitions;

    for (size_t i = 0; i < s->m; i++) {
        double values[REPETITIONS];

        memcpy(values, s->y + i * n, n * sizeof *values);
        qsort(values, n, sizeof *values, compare);
        y[i] = (values[(n - 1) / 2] + values[n / 2]) / 2;
        memcpy(x + i * s->n_params, s->x + i * n * s->n_params, s->n_params * sizeof *x);
    }
}

static double term_at(const struct pair *pair, double x)
{
    return pow(x, pair->exponent) * pow(log2(x), pair->log);
}

/* Ordinary least squares without row SKIP (m: with all); A is m × k, column by column. */
static bool solve(size_t m, size_t k, const double *a, const double *y, size_t skip, double *c)
{
    double matrix[MAX_POINTS * 3], rhs[MAX_POINTS];
    size_t rows = skip < m ? m - 1 : m, at = 0;

    for (size_t i = 0; i < m; i++) {
        if (i == skip)
            continue;
        for (size_t j = 0; j < k; j++)
            matrix[j * rows + at] = a[j * m + i];
        rhs[at++] = y[i];
    }
    if (LAPACKE_dgels(LAPACK_COL_MAJOR, 'N', (lapack_int)rows, (lapack_int)k, 1, matrix,
                      (lapack_int)rows, rhs, (lapack_int)rows))
        return false;
    memcpy(c, rhs, k * sizeof *c);
    return true;
}

static double smape(double predicted, double actual)
{
    double sum = fabs(predicted) + fabs(actual);

    return sum > 0 ? 2 * fabs(predicted - actual) / sum : 0;
}

static void tidy(size_t m, const double *y, size_t skip, double *constant)
{
    double least = INFINITY;

    for (size_t i = 0; i < m; i++)
        if (i != skip)
            least = fmin(least, y[i]);
    if (fabs(*constant / least) < least_contribution)
        *constant = 0;
}

/* The SMAPE of the points left out; infinite when the term hardly contributes. */
static double judge(size_t m, const double *x, const double *y, const struct pair *pair, double *c)
{
    double a[MAX_POINTS * 2] = {0}, error = 0, most = 0;

    for (size_t i = 0; i < m; i++) {
        a[i] = 1;
        a[m + i] = term_at(pair, x[i]);
    }
    for (size_t i = 0; i < m; i++) {
        if (!solve(m, 2, a, y, i, c))
            return INFINITY;
        tidy(m, y, i, &c[0]);
        error += smape(c[0] + c[1] * a[m + i], y[i]);
    }
    if (!solve(m, 2, a, y, m, c))
        return INFINITY;
    for (size_t i = 0; i < m; i++)
        most = fmax(most, fabs(c[1] * a[m + i] / y[i]));
    return most < least_contribution ? INFINITY : error;
}

/* NULL: a constant. C gets the constants. */
static const struct pair *fit_one(size_t m, const double *x, const double *y, double *c)
{
    const struct pair *found = NULL;
    double best = 0, cost = 0;

    c[0] = c[1] = 0;
    for (size_t i = 0; i < m; i++)
        c[0] += y[i] / (double)m;
    for (size_t i = 0; i < m; i++) {
        best += smape(c[0], y[i]);
        cost += (c[0] - y[i]) * (c[0] - y[i]);
    }
    for (size_t i = 0; i < EXTRAP_PAIRS && cost > 0; i++) {
        double now[2], error = judge(m, x, y, &extrap_pairs[i], now);

        if (error < best) {
            best = error;
            found = &extrap_pairs[i];
            memcpy(c, now, sizeof now);
        }
    }
    return found;
}

static void put(struct sum *found, double constant, const struct pair *a, const struct pair *b)
{
    struct portolan_model_term *term = &found->terms[found->n++];

    *term = (struct portolan_model_term){.constant = constant};
    if (a) {
        term->shape.exponents[0] = a->exponent;
        term->shape.logs[0] = a->log;
    }
    if (b) {
        term->shape.exponents[1] = b->exponent;
        term->shape.logs[1] = b->log;
    }
}

/* The means over all lines along PARAM. */
static size_t average(size_t m, const double *x, const double *y, size_t param, double *line_x,
                      double *line_y)
{
    size_t n = 0, counts[MAX_POINTS] = {0};

    for (size_t i = 0; i < m; i++) {
        size_t at = 0;

        while (at < n && line_x[at] != x[i * 2 + param])
            at++;
        if (at == n) {
            line_x[n] = x[i * 2 + param];
            line_y[n++] = 0;
        }
        line_y[at] += y[i];
        counts[at]++;
    }
    for (size_t i = 0; i < n; i++)
        line_y[i] /= (double)counts[i];
    return n;
}

/* Fits one combination of A and B: the product, the sum, or the product and one of them. */
static double combine(size_t m, const double *x, const double *y, const struct pair *a,
                      const struct pair *b, int form, struct sum *found)
{
    double columns[MAX_POINTS * 3], c[3] = {0}, error = 0;
    size_t k = form == 0 ? 2 : 3;

    for (size_t i = 0; i < m; i++) {
        double of_a = term_at(a, x[i * 2]), of_b = term_at(b, x[i * 2 + 1]);

        columns[i] = 1;
        columns[m + i] = form == 1 ? of_a : of_a * of_b;
        if (k == 3)
            columns[2 * m + i] = form == 2 ? of_a : of_b;
    }
    if (!solve(m, k, columns, y, m, c))
        return INFINITY;
    for (size_t i = 0; i < m; i++)
        error +=
            smape(c[0] + c[1] * columns[m + i] + (k == 3 ? c[2] * columns[2 * m + i] : 0), y[i]);
    found->n = 0;
    put(found, c[0], NULL, NULL);
    put(found, c[1], a, form == 1 ? NULL : b);
    if (k == 3)
        put(found, c[2], form == 2 ? a : NULL, form == 2 ? NULL : b);
    return error;
}

static void fit_two(size_t m, const double *x, const double *y, struct sum *found)
{
    double line_x[MAX_POINTS], line_y[MAX_POINTS], c[2], best = INFINITY;
    const struct pair *pairs[2];
    struct sum trial = *found;

    for (size_t p = 0; p < 2; p++) {
        size_t n = average(m, x, y, p, line_x, line_y);

        pairs[p] = fit_one(n, line_x, line_y, c);
        if (pairs[p] || p == 0) {
            found->n = 0;
            put(found, c[0], NULL, NULL);
            put(found, c[1], p ? NULL : pairs[0], p ? pairs[1] : NULL);
        }
    }
    for (int form = 0; pairs[0] && pairs[1] && form < 4; form++) {
        double error = combine(m, x, y, pairs[0], pairs[1], form, &trial);

        if (error < best) {
            best = error;
            *found = trial;
        }
    }
}

void extrap_fit(const struct series *s, struct sum *found)
{
    double x[MAX_POINTS * 2], y[MAX_POINTS], c[2];

    medians(s, x, y);
    *found = (struct sum){.n_params = s->n_params};
    if (s->n_params == 1) {
        const struct pair *pair = fit_one(s->m, x, y, c);

        put(found, c[0], NULL, NULL);
        if (pair)
            put(found, c[1], pair, NULL);
    } else {
        fit_two(s->m, x, y, found);
    }
}
