/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which constant of the user's formula a model's term has. A fit keeps terms as plain as they are,
 * n*n as n^2, so that they are told by what they amount to.
 */
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_SAMPLES = 12 };

/* Some place to compare expressions at, no two of its numbers alike. */
static void sample(double *x, size_t n, size_t k)
{
    for (size_t p = 0; p < n; p++)
        x[p] = 1.37 + (double)p * 0.61 + pow(1.9, (double)(k * (p + 2) % N_SAMPLES));
}

static double value(const struct portolan_model_shape *shape, size_t n, const double *x)
{
    double product = 1;

    if (shape->expression)
        return portolan_formula_value(shape->expression, x);
    for (size_t p = 0; p < n; p++)
        product *= pow(x[p], shape->exponents[p]) * pow(log2(x[p]), shape->logs[p]);
    return product;
}

/* Equal but for rounding, or both no number. */
static bool is_like(double a, double b)
{
    return a == b || fabs(a - b) <= 1e-9 * fabs(a) || (isnan(a) && isnan(b));
}

static bool is_same(const struct portolan_formula *expression,
                    const struct portolan_model_shape *shape, const struct portolan_model *m)
{
    size_t n = portolan_model_n_params(m);
    const char *names[PORTOLAN_MODEL_MAX_PARAMS];
    double x[PORTOLAN_MODEL_MAX_PARAMS];
    struct portolan_formula *bound = NULL;
    bool same = true;

    for (size_t p = 0; p < n; p++)
        names[p] = portolan_model_peek_param(m, p);
    if (portolan_formula_bind(expression, n, names, &bound, NULL))
        return false;
    for (size_t k = 0; same && k < N_SAMPLES; k++) {
        sample(x, n, k);
        same = is_like(portolan_formula_value(bound, x), value(shape, n, x));
    }
    portolan_formula_destroy(bound);
    return same;
}

/* The formula's first term that SHAPE amounts to and nobody TOOK; NONE. */
static size_t take(const struct fitted *f, const struct portolan_model *m,
                   const struct portolan_model_shape *shape, bool *took)
{
    for (size_t i = 0; i < f->sum.n_terms; i++)
        if (!took[i] && is_same(f->sum.terms[i].expression, shape, m)) {
            took[i] = true;
            return i;
        }
    return NONE;
}

size_t *llac_match_terms(struct statement *s, const struct fitted *f,
                         const struct portolan_model *m)
{
    size_t n, n_dropped;
    const struct portolan_model_term *terms = portolan_model_peek_terms(m, &n);
    const struct portolan_model_dropped *dropped = portolan_model_peek_dropped(m, &n_dropped);
    size_t *match = portolan_arena_alloc(s->arena, n + n_dropped + 1, sizeof *match);
    bool *took = portolan_arena_alloc(s->arena, f->sum.n_terms + 1, sizeof *took);

    if (!match || !took)
        return NULL;
    for (size_t i = 0; i < n; i++)
        match[i] = take(f, m, &terms[i].shape, took);
    for (size_t i = 0; i < n_dropped; i++)
        match[n + i] = take(f, m, &dropped[i].shape, took);
    return match;
}

const char *llac_expression_text(struct statement *s, const struct portolan_formula *expression)
{
    char *text = NULL;
    const char *copy;

    if (portolan_formula_write(expression, PORTOLAN_NOTATION_INFIX, &text, NULL))
        return "";
    copy = portolan_arena_strdup(s->arena, text);
    free(text);
    return copy ? copy : "";
}

double llac_constant(struct statement *s, const struct fitted *f, size_t index)
{
    const size_t *match = llac_match_terms(s, f, f->model);
    size_t n;
    const struct portolan_model_term *terms = portolan_model_peek_terms(f->model, &n);

    for (size_t i = 0; match && i < n; i++)
        if (match[i] != NONE && f->sum.terms[match[i]].index == index)
            return terms[i].constant;
    return 0;
}
