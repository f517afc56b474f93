/* SPDX-License-Identifier: BSD-3-Clause */
/* One candidate: its columns, its constants, its score, and its place on the shortlist. */
#include "models_internal.h"

#include <math.h>
#include <string.h>

/* Prices on the scale of the score; from simulated truths with 2 to 20 % noise (README.md). */
static const double price_constant = 1, price_exponent = 2;

double candidate_value(const struct candidate *c, size_t n_params, const double *x)
{
    double value = 0;

    for (size_t j = 0; j < c->k; j++)
        value += c->constant[j] * shape_value(&c->shape[j], n_params, x);
    return value;
}

/* ---- columns ---- */

/* Powers are dear, and the same few of them return in form after form. */
static const double *cached_column(struct search *s, size_t param, double exponent,
                                   unsigned char log)
{
    const struct points *pts = s->points;
    struct column_cache *cache = &s->cache;
    struct portolan_model_shape shape = {.logs = {0}};
    size_t n = cache->n[param], at;
    double *column;

    for (at = 0; at < n; at++)
        if (cache->exponent[param][at] == exponent && cache->log[param][at] == log)
            break;
    if (at == CACHED_COLUMNS || !cache->values)
        return NULL;
    column = cache->values + (param * CACHED_COLUMNS + at) * pts->m;
    if (at < n)
        return column;
    shape.exponents[param] = exponent;
    shape.logs[param] = log;
    for (size_t i = 0; i < pts->m; i++)
        column[i] = shape_value(&shape, param + 1, pts->x + i * pts->n_params);
    cache->exponent[param][n] = exponent;
    cache->log[param][n] = log;
    cache->n[param]++;
    return column;
}

void search_column(struct search *s, const struct portolan_model_shape *shape, bool fitted,
                   double *out)
{
    const struct points *pts = s->points;

    memcpy(out, s->factor, pts->m * sizeof *out);
    for (size_t p = 0; p < pts->n_params; p++) {
        const double *column;

        if (shape->exponents[p] == 0 && !shape->logs[p] && !shape->expression)
            continue;
        column = fitted || shape->expression
                     ? NULL
                     : cached_column(s, p, shape->exponents[p], shape->logs[p]);
        if (!column) {
            for (size_t i = 0; i < pts->m; i++)
                out[i] =
                    s->factor[i] * shape_value(shape, pts->n_params, pts->x + i * pts->n_params);
            return;
        }
        for (size_t i = 0; i < pts->m; i++)
            out[i] *= column[i];
    }
}

/* ---- fitting and scoring one candidate ---- */

static bool has_fitted(const struct candidate *c)
{
    for (size_t j = 0; j < c->k; j++)
        if (c->fitted[j])
            return true;
    return false;
}

static bool fit_constants(struct search *s, struct candidate *c, double *residual, double *leverage)
{
    size_t m = s->points->m;
    double *columns[CANDIDATE_TERMS];

    for (size_t j = 0; j < c->k; j++) {
        columns[j] = s->work + j * m;
        search_column(s, &c->shape[j], false, columns[j]);
    }
    memcpy(residual, s->rhs, m * sizeof *residual);
    return c->k <= s->m && linear_quick(m, c->k, columns, residual, c->constant, leverage);
}

static bool signs_are_right(const struct search *s, struct candidate *c)
{
    if (s->options->allow_negative)
        return true;
    for (size_t j = 0; j < c->k; j++)
        if (!(c->constant[j] > 0))
            return false;
    return true;
}

/* The mean square of the points, each predicted without itself; infinite when one stands alone. */
static double left_out(const struct search *s, const double *residual, const double *leverage)
{
    double sum = 0;

    for (size_t i = 0; i < s->points->m; i++) {
        double rest = 1 - leverage[i];

        if (search_is_in(s, i) && rest < 1e-8)
            return INFINITY;
        if (search_is_in(s, i))
            sum += residual[i] * residual[i] / (rest * rest);
    }
    return sum / s->weight;
}

void search_keep(struct search *s, struct candidate *c, double score)
{
    struct shortlist *list = &s->best;
    bool full = list->n == BEST_KEPT;
    size_t at = full ? list->n - 1 : list->n;
    struct candidate *place;

    c->score = score;
    if (!isfinite(score) || (full && score >= list->entry[at]->score))
        return;
    place = full ? list->entry[at] : &list->place[list->n++];
    for (; at > 0 && list->entry[at - 1]->score > score; at--)
        list->entry[at] = list->entry[at - 1];
    list->entry[at] = place;
    *place = *c;
}

double search_score(const struct search *s, const struct candidate *c, double mean_square)
{
    double score =
        (double)s->m * log(mean_square + s->least) + price_constant * (double)c->k + c->cost;

    for (size_t j = 0; j < c->k; j++)
        score += price_exponent * __builtin_popcount(c->fitted[j]);
    return isfinite(score) ? score : INFINITY;
}

double search_try(struct search *s, struct candidate *c)
{
    double *residual = s->work + MODEL_ESTIMATES * s->points->m;
    double *leverage = residual + s->points->m;
    bool fits = has_fitted(c) ? nonlinear_fit(s, c, residual, leverage)
                              : fit_constants(s, c, residual, leverage);

    c->score = INFINITY;
    if (fits && signs_are_right(s, c))
        search_keep(s, c, search_score(s, c, left_out(s, residual, leverage)));
    return c->score;
}

void search_enter(struct search *s, struct candidate *c, double score)
{
    double *residual = s->work + MODEL_ESTIMATES * s->points->m;

    if (fit_constants(s, c, residual, NULL) && signs_are_right(s, c))
        search_keep(s, c, score);
}
