/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which terms: every form of a list is fitted (microseconds each) and scored by its leave-one-out
 * error, in closed form e/(1-h), with a price for constants and for choosing. Forms that score
 * about alike stay on a shortlist: how far they diverge outside the rows is what nobody can know.
 */
#include "models_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct grid_entry search_grid[] = {
    {1, 0, 0},      {2, 0, 0.25},   {3, 0, 0.5},    {4, 0, 0.75},   {5, 0, 1},      {6, 0, 1.25},
    {7, 0, 1.5},    {8, 0, 1.75},   {-1, 0, 0.5},   {-2, 0, 1},     {0.5, 0, 1},    {1.5, 0, 1},
    {2.5, 0, 1},    {3.5, 0, 1},    {-0.5, 0, 2},   {1. / 3, 0, 2}, {2. / 3, 0, 2}, {4. / 3, 0, 2},
    {5. / 3, 0, 2}, {7. / 3, 0, 2}, {8. / 3, 0, 2}, {0.25, 0, 2},   {0.75, 0, 2},   {1.25, 0, 2},
    {1.75, 0, 2},   {2.25, 0, 2},   {2.75, 0, 2},   {0, 1, 1},      {1, 1, 0.5},    {2, 1, 0.5},
    {3, 1, 0.5},
};
const size_t search_grid_size = sizeof search_grid / sizeof *search_grid;

bool search_allows(const struct search *s, unsigned families)
{
    return (s->families & families) != 0;
}

bool search_is_in(const struct search *s, size_t i)
{
    return s->factor[i] > 0;
}

bool search_above(const struct search *s, size_t param, double bound)
{
    const struct points *pts = s->points;

    for (size_t i = 0; i < pts->m; i++)
        if (search_is_in(s, i) && !(pts->x[i * pts->n_params + param] > bound))
            return false;
    return true;
}

bool search_varies(const struct search *s, size_t param)
{
    const struct points *pts = s->points;
    double seen = NAN;

    for (size_t i = 0; i < pts->m; i++) {
        double x = pts->x[i * pts->n_params + param];

        if (search_is_in(s, i) && x != seen && !isnan(seen))
            return true;
        if (search_is_in(s, i))
            seen = x;
    }
    return false;
}

bool search_grid_fits(const struct search *s, size_t param, const struct grid_entry *entry)
{
    if (entry->log)
        return search_above(s, param, 0.999) && search_allows(s, PORTOLAN_MODEL_LOGARITHMIC);
    if (entry->exponent > 0 && entry->exponent == floor(entry->exponent))
        return true;
    return search_above(s, param, 0);
}

/* ---- the forms of one parameter ---- */

static void try_constant(struct search *s)
{
    struct candidate c = {.family = PORTOLAN_MODEL_CONSTANT, .k = 1};
    double sum = 0;

    if (search_try(s, &c) < INFINITY)
        return;
    /* Always possible: the fallback of everything, even of all zeros. */
    if (!s->options->allow_negative && !(c.constant[0] > 0))
        c.constant[0] = 0;
    for (size_t i = 0; i < s->points->m; i++) {
        double e = s->rhs[i] - s->factor[i] * c.constant[0];

        sum += e * e;
    }
    search_keep(s, &c, fmin(search_score(s, &c, sum / s->weight), 1e300));
}

static void try_entry(struct search *s, size_t param, const struct grid_entry *entry)
{
    bool whole =
        entry->exponent == floor(entry->exponent) && entry->exponent > 0 && entry->exponent <= 3;
    unsigned families = entry->log ? PORTOLAN_MODEL_LOGARITHMIC
                                   : PORTOLAN_MODEL_POWER | (whole ? PORTOLAN_MODEL_POLYNOMIAL : 0);
    struct candidate one = {.k = 1, .cost = entry->cost}, two;

    if (!search_allows(s, families) || !search_grid_fits(s, param, entry))
        return;
    one.shape[0].exponents[param] = entry->exponent;
    one.shape[0].logs[param] = entry->log;
    one.family = entry->log                               ? PORTOLAN_MODEL_LOGARITHMIC
                 : search_allows(s, PORTOLAN_MODEL_POWER) ? PORTOLAN_MODEL_POWER
                                                          : PORTOLAN_MODEL_POLYNOMIAL;
    two = one;
    two.k = 2;
    two.shape[1] = one.shape[0];
    two.shape[0] = (struct portolan_model_shape){0};
    if (whole && search_allows(s, PORTOLAN_MODEL_POLYNOMIAL))
        two.family = PORTOLAN_MODEL_POLYNOMIAL;
    search_try(s, &one);
    search_try(s, &two);
}

/* All sets of two and more of 1, x, x^2, x^3: the best one without negative constants is there. */
static void try_polynomials(struct search *s, size_t param)
{
    if (!search_allows(s, PORTOLAN_MODEL_POLYNOMIAL))
        return;
    for (unsigned set = 1; set < 16; set++) {
        struct candidate c = {.family = PORTOLAN_MODEL_POLYNOMIAL};

        if (__builtin_popcount(set >> 1) < 2)
            continue;
        for (unsigned degree = 0; degree <= 3; degree++)
            if (set >> degree & 1)
                c.shape[c.k++].exponents[param] = degree;
        search_try(s, &c);
    }
}

/* Two whole powers, with and without a constant: a cost that grows with another one beneath it. */
static void try_pairs(struct search *s, size_t param)
{
    if (!search_allows(s, PORTOLAN_MODEL_POLYNOMIAL))
        return;
    for (int high = 4; high <= 8; high++)
        for (int low = high - 3; low < high; low++)
            for (size_t constant = 0; constant < 2; constant++) {
                struct candidate c = {.family = PORTOLAN_MODEL_POLYNOMIAL, .k = constant + 2};

                c.cost = 1 + 0.25 * (high - 4);
                c.shape[constant].exponents[param] = low;
                c.shape[constant + 1].exponents[param] = high;
                search_try(s, &c);
            }
}

/* Exponents off the list, starting at the best ones of the list. */
static void try_fitted(struct search *s, size_t param, bool with_constant)
{
    struct candidate c = {0};

    if (!search_allows(s, PORTOLAN_MODEL_POWER) || !search_above(s, param, 0))
        return;
    for (size_t i = 0; i < s->best.n && !c.k; i++) {
        const struct candidate *b = s->best.entry[i];
        const struct portolan_model_shape *last = &b->shape[b->k - 1];

        if (b->k == 1 + (size_t)with_constant && last->exponents[param] != 0 &&
            !last->logs[param] && b->family != PORTOLAN_MODEL_SUM &&
            shape_is_constant(&b->shape[0], s->points->n_params) == with_constant)
            c = *b;
    }
    if (!c.k)
        return;
    c.family = PORTOLAN_MODEL_POWER;
    c.cost = 0;
    c.fitted[c.k - 1] = 1u << param;
    search_try(s, &c);
}

static void search_one(struct search *s, size_t param)
{
    if (!search_varies(s, param))
        return;
    for (size_t i = 0; i < search_grid_size; i++)
        try_entry(s, param, &search_grid[i]);
    try_polynomials(s, param);
    try_pairs(s, param);
    try_fitted(s, param, false);
    try_fitted(s, param, true);
}

/* ---- the whole ---- */

enum portolan_status search_create(const struct points *points,
                                   const struct portolan_model_options *options, struct search *s,
                                   struct portolan_error *err)
{
    *s = (struct search){.points = points, .options = options, .m = points->m};
    s->families = options->families ? options->families : ~0u;
    s->factor = portolan_calloc(points->m, sizeof *s->factor);
    s->rhs = portolan_calloc(points->m, sizeof *s->rhs);
    s->work = portolan_calloc(points->m, (MODEL_ESTIMATES + 4) * sizeof *s->work);
    if (points->n_params && points->m <= CACHED_POINTS)
        s->cache.values =
            portolan_calloc(points->n_params * CACHED_COLUMNS * points->m, sizeof *s->cache.values);
    if (!s->factor || !s->rhs || !s->work) {
        search_destroy(s);
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for a fit of %zu points",
                                  points->m);
    }
    search_weigh(s, NULL);
    return PORTOLAN_OK;
}

void search_destroy(struct search *s)
{
    free(s->factor);
    free(s->rhs);
    free(s->work);
    free(s->cache.values);
    s->cache.values = NULL;
    s->factor = s->rhs = s->work = NULL;
}

static void search_all(struct search *s)
{
    s->best.n = 0;
    try_constant(s);
    for (size_t p = 0; p < s->points->n_params; p++)
        search_one(s, p);
    if (s->points->n_params > 1)
        search_several(s);
}

void search_run(struct search *s)
{
    search_all(s);
    if (s->m > 2) {
        struct candidate first = *s->best.entry[0];

        search_exclude_outliers(s, &first);
        search_weigh(s, &first);
        search_all(s);
    } else if (s->m == 2) {
        search_two(s);
    }
    search_find_drifts(s);
}
