/* SPDX-License-Identifier: BSD-3-Clause */
/* Fits in which exponents are estimated along with the constants. */
#include "models_internal.h"

#include <math.h>
#include <string.h>

static const double exponent_bound = 12;

/* By the exponents, after the terms themselves in COLUMNS; the number of all columns. */
static size_t slopes(const struct search *s, const struct candidate *c, double *columns,
                     struct estimate *estimates)
{
    const struct points *pts = s->points;
    size_t n = 0;

    for (; n < c->k; n++)
        estimates[n] = (struct estimate){n, CONSTANT_ESTIMATE};
    for (size_t j = 0; j < c->k; j++)
        for (size_t p = 0; p < pts->n_params; p++) {
            if (!(c->fitted[j] >> p & 1) || n == MODEL_ESTIMATES)
                continue;
            estimates[n] = (struct estimate){j, (int)p};
            for (size_t i = 0; i < pts->m; i++)
                columns[n * pts->m + i] =
                    c->constant[j] * columns[j * pts->m + i] * s->logs[(size_t)p * pts->m + i];
            n++;
        }
    return n;
}

size_t nonlinear_columns(struct search *s, const struct candidate *c, double *columns,
                         struct estimate *estimates)
{
    for (size_t j = 0; j < c->k; j++)
        search_column(s, c, j, columns + j * s->points->m);
    return slopes(s, c, columns, estimates);
}

/* Residuals in the problem's units; their sum of squares. Leaves the terms in the work space. */
static double residuals(struct search *s, const struct candidate *c, double *residual)
{
    size_t m = s->points->m;

    memcpy(residual, s->rhs, m * sizeof *residual);
    for (size_t j = 0; j < c->k; j++) {
        double *column = s->work + j * m;

        search_column(s, c, j, column);
        linear_subtract(m, c->constant[j], column, residual);
    }
    return linear_dot(m, residual, residual);
}

static bool move(struct candidate *c, const struct estimate *estimates, size_t n,
                 const double *step, double length)
{
    for (size_t e = 0; e < n; e++) {
        size_t j = estimates[e].term;

        if (estimates[e].param == CONSTANT_ESTIMATE)
            c->constant[j] += length * step[e];
        else
            c->shape[j].exponents[estimates[e].param] += length * step[e];
        if (estimates[e].param != CONSTANT_ESTIMATE &&
            !(fabs(c->shape[j].exponents[estimates[e].param]) < exponent_bound))
            return false;
    }
    return true;
}

/* Halves the step until the sum of squares goes down; false when it never does. */
static bool descend(struct search *s, struct candidate *c, const struct estimate *estimates,
                    size_t n, const double *step, double *sum, double *residual)
{
    struct candidate trial;
    double length = 1;

    for (int i = 0; i < 12; i++, length /= 2) {
        double now;

        candidate_copy(&trial, c);
        if (!move(&trial, estimates, n, step, length))
            continue;
        now = residuals(s, &trial, residual);
        if (now < *sum) {
            candidate_copy(c, &trial);
            *sum = now;
            return true;
        }
    }
    return false;
}

/* The best constants for the exponents as they are: those of another form may be far off. */
static bool start(struct search *s, struct candidate *c, double *residual)
{
    for (size_t j = 0; j < c->k; j++)
        search_column(s, c, j, s->work + j * s->points->m);
    memcpy(residual, s->rhs, s->points->m * sizeof *residual);
    return linear_quick(s->points->m, c->k, s->work, residual, c->constant, NULL, NULL);
}

bool nonlinear_fit(struct search *s, struct candidate *c, double *residual, double *leverage)
{
    const struct points *pts = s->points;
    struct estimate estimates[MODEL_ESTIMATES];
    double step[MODEL_ESTIMATES], sum;
    size_t n;

    if (!start(s, c, residual))
        return false;
    sum = residuals(s, c, residual);

    for (int i = 0; i < 30; i++) {
        double before = sum;

        /* The residual and the terms are there from the last step. */
        n = slopes(s, c, s->work, estimates);
        if (n > s->m || !linear_quick(pts->m, n, s->work, residual, step, leverage, NULL))
            return false;
        /* What the linear problem promises is all there is to gain. */
        if (linear_dot(pts->m, residual, residual) > before * (1 - 1e-6))
            break;
        if (!descend(s, c, estimates, n, step, &sum, residual) || sum > before * (1 - 1e-6))
            break;
    }
    residuals(s, c, residual);
    return isfinite(sum);
}
