/* SPDX-License-Identifier: BSD-3-Clause */
/* Truths to be found again, and rows drawn from them. */
#include "bench_models.h"

#include <math.h>
#include <string.h>

const struct pair extrap_pairs[EXTRAP_PAIRS] = {
    {0, 1},      {0, 2},      {1. / 4, 0}, {1. / 3, 0}, {1. / 4, 1},  {1. / 3, 1}, {1. / 4, 2},
    {1. / 3, 2}, {1. / 2, 0}, {1. / 2, 1}, {1. / 2, 2}, {2. / 3, 0},  {3. / 4, 0}, {2. / 3, 1},
    {3. / 4, 1}, {4. / 5, 0}, {2. / 3, 2}, {3. / 4, 2}, {1, 0},       {1, 1},      {1, 2},
    {5. / 4, 0}, {5. / 4, 1}, {4. / 3, 0}, {4. / 3, 1}, {3. / 2, 0},  {3. / 2, 1}, {3. / 2, 2},
    {5. / 3, 0}, {7. / 4, 0}, {2, 0},      {2, 1},      {2, 2},       {9. / 4, 0}, {7. / 3, 0},
    {5. / 2, 0}, {5. / 2, 1}, {5. / 2, 2}, {8. / 3, 0}, {11. / 4, 0}, {3, 0},      {3, 1},
};

static double shape_at(const struct portolan_model_shape *shape, size_t n_params, const double *x)
{
    double value = 1;

    for (size_t p = 0; p < n_params; p++)
        value *= pow(x[p], shape->exponents[p]) * pow(log2(x[p]), shape->logs[p]);
    return value;
}

double sum_value(const struct sum *sum, const double *x)
{
    double value = 0;

    for (size_t j = 0; j < sum->n; j++)
        value += sum->terms[j].constant * shape_at(&sum->terms[j].shape, sum->n_params, x);
    return value;
}

void sum_lead(const struct sum *sum, size_t param, double *exponent, int *log)
{
    bool any = false;

    *exponent = *log = 0;
    for (size_t j = 0; j < sum->n; j++) {
        double e = sum->terms[j].shape.exponents[param];
        int l = sum->terms[j].shape.logs[param];

        if ((e == 0 && l == 0) || sum->terms[j].constant == 0)
            continue;
        if (!any || e > *exponent || (e == *exponent && l > *log)) {
            *exponent = e;
            *log = l;
        }
        any = true;
    }
}

static bool same_shape(const struct portolan_model_shape *a, const struct portolan_model_shape *b,
                       size_t n_params)
{
    for (size_t p = 0; p < n_params; p++)
        if (fabs(a->exponents[p] - b->exponents[p]) > 1e-9 || a->logs[p] != b->logs[p])
            return false;
    return true;
}

/* Are all terms of A, the additive constant aside, in B too? */
static bool is_within(const struct sum *a, const struct sum *b)
{
    static const struct portolan_model_shape constant;

    for (size_t j = 0; j < a->n; j++) {
        bool in = same_shape(&a->terms[j].shape, &constant, a->n_params);

        for (size_t i = 0; i < b->n && !in; i++)
            in = same_shape(&a->terms[j].shape, &b->terms[i].shape, a->n_params);
        if (!in)
            return false;
    }
    return true;
}

bool sum_same_form(const struct sum *a, const struct sum *b)
{
    return is_within(a, b) && is_within(b, a);
}

double draw(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

double size_at(int kind, size_t i)
{
    double n = (double)(i + 1);

    return kind == 0 ? 2 * exp2(n) : kind == 1 ? 10 * n : 4 * n * n;
}

static void add_term(struct sum *sum, const struct pair *const *pairs, const double *last,
                     uint64_t *state)
{
    struct portolan_model_term *term = &sum->terms[sum->n++];

    for (size_t p = 0; p < sum->n_params; p++)
        if (pairs[p]) {
            term->shape.exponents[p] = pairs[p]->exponent;
            term->shape.logs[p] = pairs[p]->log;
        }
    term->constant = (0.1 + 0.9 * draw(state)) / shape_at(&term->shape, sum->n_params, last);
}

static void draw_truth(struct sum *truth, const double *last, uint64_t *state)
{
    const struct pair *pairs[2] = {NULL, NULL}, *none[2] = {NULL, NULL};

    add_term(truth, none, last, state);
    for (size_t p = 0; p < truth->n_params; p++) {
        size_t at = (size_t)(draw(state) * (EXTRAP_PAIRS + 1));

        pairs[p] = at < EXTRAP_PAIRS ? &extrap_pairs[at] : NULL;
    }
    if (pairs[0] && pairs[1]) {
        /* a b, a + b, a b + a, a b + b */
        const struct pair *a[2] = {pairs[0], NULL}, *b[2] = {NULL, pairs[1]};
        int form = (int)(draw(state) * 4);

        if (form != 1)
            add_term(truth, pairs, last, state);
        if (form == 1 || form == 2)
            add_term(truth, a, last, state);
        if (form == 1 || form == 3)
            add_term(truth, b, last, state);
    } else if (pairs[0] || pairs[1]) {
        add_term(truth, pairs, last, state);
    }
}

void series_draw(struct series *s, size_t n_params, size_t points, double noise, uint64_t *state)
{
    int kind[2];
    double last[2];

    memset(s, 0, sizeof *s);
    s->n_params = s->truth.n_params = n_params;
    s->m = n_params == 1 ? points : points * points;
    s->repetitions = REPETITIONS;
    for (size_t p = 0; p < n_params; p++) {
        kind[p] = (int)(draw(state) * 3);
        last[p] = size_at(kind[p], points - 1);
        s->one[p] = size_at(kind[p], points);
        s->four[p] = size_at(kind[p], points + 3);
    }
    draw_truth(&s->truth, last, state);
    for (size_t i = 0; i < s->m; i++)
        for (int r = 0; r < REPETITIONS; r++) {
            double *x = s->x + s->n_rows * n_params;

            x[0] = size_at(kind[0], i % points);
            if (n_params > 1)
                x[1] = size_at(kind[1], i / points);
            s->y[s->n_rows++] = sum_value(&s->truth, x) * (1 + noise * (draw(state) - 0.5));
        }
}
