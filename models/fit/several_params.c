/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Models of several parameters: a product of one shape for each, a sum of them, and mixtures. The
 * shapes are found one parameter at a time, the others held, until nothing gets better.
 */
#include "models_internal.h"

#include <math.h>
#include <string.h>

enum { NONE = -1 };

/* One shape of the list for each parameter; NONE = the parameter does not appear. */
struct choice {
    bool product;  /* else a sum */
    bool constant; /* an additive constant beside it */
    int entry[MODEL_PARAMS];
    size_t extra;    /* a product may have one more term beside it, of this parameter … */
    int extra_entry; /* … and this shape, or NONE */
};

static struct candidate build(const struct search *s, const struct choice *choice)
{
    struct candidate c = {.k = choice->constant};

    c.family = choice->product ? PORTOLAN_MODEL_PRODUCT : PORTOLAN_MODEL_SUM;
    for (size_t p = 0; p < s->points->n_params; p++) {
        if (choice->entry[p] == NONE)
            continue;
        candidate_list(&c, c.k, p, (size_t)choice->entry[p]);
        c.cost += 0.5;
        if (!choice->product)
            c.k++;
    }
    if (choice->product)
        c.k++;
    if (choice->extra_entry != NONE) {
        candidate_list(&c, c.k++, choice->extra, (size_t)choice->extra_entry);
        c.cost += 1;
        c.family = PORTOLAN_MODEL_SUM;
    }
    return c;
}

static double try_choice(struct search *s, const struct choice *choice)
{
    struct candidate c = build(s, choice);

    return c.k ? search_try(s, &c) : INFINITY;
}

/* Tries every shape in one place of the choice: PARAM's, or behind the last that of the extra. */
static bool improve(struct search *s, struct choice *choice, size_t param, double *score)
{
    bool extra = param == s->points->n_params, better = false;
    size_t of = extra ? choice->extra : param;
    int was = extra ? choice->extra_entry : choice->entry[param];

    for (int e = extra ? 0 : NONE; e < (int)GRID; e++) {
        struct choice trial = *choice;
        double now;

        if (e == was || (e != NONE && !search_grid_fits(s, of, (size_t)e)))
            continue;
        *(extra ? &trial.extra_entry : &trial.entry[param]) = e;
        now = try_choice(s, &trial);
        if (now < *score) {
            *score = now;
            *choice = trial;
            better = true;
        }
    }
    return better;
}

static double descend(struct search *s, struct choice *choice)
{
    double score = try_choice(s, choice);
    bool better = true;

    for (int round = 0; round < 4 && better; round++) {
        better = false;
        for (size_t p = 0; p < s->points->n_params; p++)
            if (search_varies(s, p) && improve(s, choice, p, &score))
                better = true;
        if (choice->extra_entry != NONE && improve(s, choice, s->points->n_params, &score))
            better = true;
    }
    return score;
}

/* ---- where to start: exponents by least squares on logarithms ---- */

static bool logarithms(struct search *s, double *exponents)
{
    const struct points *pts = s->points;
    double *columns = s->work, coefficients[MODEL_PARAMS + 1];
    double *rhs = columns + (MODEL_PARAMS + 1) * pts->m;
    size_t k = 1, which[MODEL_PARAMS + 1];

    for (size_t p = 0; p < pts->n_params; p++) {
        exponents[p] = 0;
        if (!search_varies(s, p))
            continue;
        if (!search_above(s, p, 0))
            return false;
        which[k++] = p;
    }
    for (size_t i = 0; i < pts->m; i++) {
        bool in = s->factor[i] > 0;

        if (in && pts->y[i] <= 0)
            return false;
        rhs[i] = in ? log(pts->y[i]) : 0;
        columns[i] = in;
        for (size_t j = 1; j < k; j++)
            columns[j * pts->m + i] = in ? log(pts->x[i * pts->n_params + which[j]]) : 0;
    }
    if (s->m <= k || !linear_quick(pts->m, k, columns, rhs, coefficients, NULL, NULL))
        return false;
    for (size_t j = 1; j < k; j++)
        exponents[which[j]] = fmax(-8, fmin(8, coefficients[j]));
    return true;
}

static int nearest_entry(double exponent)
{
    int best = NONE;
    double distance = fabs(exponent);

    for (size_t e = 0; e < GRID; e++)
        if (!search_grid[e].log && fabs(search_grid[e].exponent - exponent) < distance) {
            distance = fabs(search_grid[e].exponent - exponent);
            best = (int)e;
        }
    return best;
}

/* Exponents off the list for all parameters at once, from those of the list, which move along. */
static void try_fitted(struct search *s, struct choice *choice)
{
    struct candidate c = build(s, choice);
    size_t last = c.k - 1;

    if (!isfinite(search_try(s, &c)))
        return;
    c.cost = 0;
    memset(c.listed[last], 0, sizeof c.listed[last]);
    for (size_t p = 0; p < s->points->n_params; p++)
        if (c.shape[last].exponents[p] != 0 && !c.shape[last].logs[p] && search_above(s, p, 0))
            c.fitted[last] |= 1u << p;
    if (!c.fitted[last] || !isfinite(search_try(s, &c)))
        return;
    for (size_t p = 0; p < s->points->n_params; p++)
        if (c.fitted[last] >> p & 1)
            choice->entry[p] = nearest_entry(c.shape[last].exponents[p]);
}

/*
 * A product above a constant. No exponent can be made steeper alone when the constant hides that
 * all are too flat, so there are several starts, and fitted exponents lead on from each.
 */
static void try_shifted(struct search *s, const struct choice *product)
{
    static const double steeper[] = {1, 1.5, 2.5};
    struct choice best = *product;
    double least = INFINITY;

    for (size_t i = 0; i < sizeof steeper / sizeof *steeper; i++) {
        struct choice shifted = *product;
        double score;

        shifted.constant = true;
        for (size_t p = 0; p < s->points->n_params && i > 0; p++)
            if (product->entry[p] != NONE)
                shifted.entry[p] =
                    nearest_entry(steeper[i] * search_grid[product->entry[p]].exponent);
        score = descend(s, &shifted);
        if (score < least) {
            least = score;
            best = shifted;
        }
    }
    for (int i = 0; i < 2; i++) {
        try_fitted(s, &best);
        descend(s, &best);
    }
}

/* ---- mixtures ---- */

/* Every set of: 1, the sum's terms, the product. */
static void try_mixtures(struct search *s, const struct choice *sum, const struct choice *product)
{
    struct choice full = *sum;
    struct candidate all, whole = build(s, product);

    full.constant = true;
    all = build(s, &full);
    if (all.k > 5 || all.k < 3)
        return;
    all.shape[all.k++] = whole.shape[whole.k - 1];
    for (unsigned set = 1; set < 1u << all.k; set++) {
        struct candidate c = {.family = PORTOLAN_MODEL_SUM, .cost = 1};

        if (!(set >> (all.k - 1)) || __builtin_popcount(set >> 1) < 2)
            continue;
        for (size_t j = 0; j < all.k; j++)
            if (set >> j & 1) {
                memcpy(c.listed[c.k], all.listed[j], sizeof c.listed[j]);
                c.shape[c.k++] = all.shape[j];
            }
        search_try(s, &c);
    }
}

/* A product and one term of one parameter: work shared out plus what sharing costs. */
static void try_extras(struct search *s, const struct choice *product)
{
    for (size_t p = 0; p < s->points->n_params; p++) {
        struct choice choice = *product;

        if (!search_varies(s, p))
            continue;
        choice.extra = p;
        choice.extra_entry = 0;
        descend(s, &choice);
        choice.constant = true;
        try_choice(s, &choice);
    }
}

void search_several(struct search *s)
{
    struct choice sum = {.extra_entry = NONE}, product = {.product = true, .extra_entry = NONE};
    struct choice fitted;
    double exponents[MODEL_PARAMS];
    bool started = logarithms(s, exponents);

    for (size_t p = 0; p < MODEL_PARAMS; p++) {
        sum.entry[p] = NONE;
        product.entry[p] = started && p < s->points->n_params ? nearest_entry(exponents[p]) : NONE;
    }
    descend(s, &product);
    try_shifted(s, &product);
    fitted = product;
    try_fitted(s, &fitted);
    if (s->options->only_products)
        return;
    sum.constant = true;
    descend(s, &sum);
    try_mixtures(s, &sum, &product);
    try_extras(s, &product);
    sum.constant = false;
    descend(s, &sum);
}
