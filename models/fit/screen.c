/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The forms of one parameter. Sums of products tell in some 20 ns about how
 * well each form of the list fits (a sketch); only the good ones are fitted with care.
 */
#include "models_internal.h"

#include <math.h>
#include <string.h>

/*
 * Pairs of shapes that are not whole powers are so many that some fit few points by chance, so they
 * need more than MIXED points. At MIXED points only pairs of a falling and a rising shape are
 * tried: work that is shared out, and the cost of sharing.
 */
enum { KEPT = 24, MIXED = 5 };

/* Differences of scores beyond which a form is not worth a careful fit. */
static const double hopeless = 7;

/* The largest difference that volumes and prices nearly always make to a score. */
static const double made_up = 14;

/* Sums over the points, in the problem's units. */
struct sums {
    double yy, y, one; /* rhs², rhs · factor, factor² */
    struct {
        double tt, t, ty; /* a column's product with itself, the constant's, and the rhs */
        double largest;
    } of[GRID];
    bool usable[GRID];
    double constant; /* the largest element of the constant's column */
};

/* A form that may be worth a careful fit: one or two entries, with or without a constant. */
struct sketch {
    double score;
    short first, second; /* SECOND: -1 = none */
    bool constant;
};

struct sketches {
    size_t n;
    struct sketch best[KEPT];
    double cut; /* forms that leave more squares get no score */
    struct least least;
};

/* The price of a form without a constant: such costs are rare, and rarer if the power is a
 * fraction. */
static double price_bare(const struct sketch *form)
{
    double exponent = search_grid[form->first].exponent;

    if (form->constant || form->second >= 0)
        return 0;
    return exponent == floor(exponent) ? 1 : 3;
}

static void add_up(struct search *s, size_t param, struct sums *sums)
{
    size_t m = s->points->m;
    double *squares = s->work, *products = squares + m, *scratch = products + m;

    sums->yy = sums->y = sums->one = sums->constant = 0;
    for (size_t i = 0; i < m; i++) {
        squares[i] = s->factor[i] * s->factor[i];
        products[i] = s->factor[i] * s->rhs[i];
        sums->yy += s->rhs[i] * s->rhs[i];
        sums->y += products[i];
        sums->one += squares[i];
        sums->constant = fmax(sums->constant, s->factor[i]);
    }
    for (size_t e = 0; e < GRID; e++) {
        double tt = 0, t = 0, ty = 0, largest = 0;
        const double *column;

        if (!(sums->usable[e] = search_grid_fits(s, param, e)))
            continue;
        column = search_grid_column(s, param, e, scratch);
        for (size_t i = 0; i < m; i++) {
            double weighted = squares[i] * column[i], size = s->factor[i] * fabs(column[i]);

            t += weighted;
            tt += weighted * column[i];
            ty += products[i] * column[i];
            largest = size > largest ? size : largest;
        }
        sums->of[e].tt = tt;
        sums->of[e].t = t;
        sums->of[e].ty = ty;
        sums->of[e].largest = largest;
        sums->usable[e] = isfinite(tt) && tt > 0;
    }
}

/* Enters FORM, whose K constants reduce the sum of squares by OFF. */
static void score_form(const struct search *s, const struct sums *sums, struct sketches *list,
                       struct sketch form, size_t k, double off, double volume, double cost)
{
    off = sketch_left(s, &list->least, k, sums->yy, off);
    if (off > list->cut)
        return;
    form.score = search_score(s, k, off, log(volume)) + price_bare(&form) + cost;
    if (!list->n || form.score < list->best[0].score)
        list->cut = (off + s->known + s->least) *
                    exp((hopeless + made_up) / (s->known_dof + (double)s->m - (double)k));
    if (!list->n || form.score < list->best[0].score + hopeless)
        numbers_rank(list->best, &list->n, KEPT, &form, sizeof form);
}

/* Scores a form of one or two entries by its normal equations. TOGETHER: the product of the two
 * columns. */
static inline void sketch_form(const struct search *s, const struct sums *sums,
                               struct sketches *list, struct sketch form, double together)
{
    double a[LINEAR_NORMAL][LINEAR_NORMAL], b[LINEAR_NORMAL], volume = 1, determinant, off;
    size_t k = 0, n = form.second >= 0 ? 2 : 1;
    short members[2] = {form.first, form.second};
    double cost = n == 2 ? 2 : 0;

    if (form.constant) {
        a[0][0] = sums->one;
        b[0] = sums->y;
        volume *= s->largest / sums->constant;
        k = 1;
    }
    for (size_t i = 0; i < n; i++, k++) {
        size_t e = (size_t)members[i];

        if (form.constant)
            a[0][k] = sums->of[e].t;
        a[k][k] = sums->of[e].tt;
        b[k] = sums->of[e].ty;
        volume *= s->largest / sums->of[e].largest;
        cost += search_grid[e].cost;
    }
    if (n == 2)
        a[k - 2][k - 1] = together;
    if (k >= s->m)
        return;
    off = linear_normal(k, a, b, !s->options->allow_negative, &determinant);
    if (off >= 0)
        score_form(s, sums, list, form, k, off, determinant * volume, cost);
}

static bool is_whole(size_t entry)
{
    const struct grid_entry *e = &search_grid[entry];

    return !e->log && e->exponent > 0 && e->exponent == (int)e->exponent;
}

static bool is_falling(size_t entry)
{
    return search_grid[entry].exponent < 0;
}

/* Does the value fall from the first point to the second? Points are sorted by their parameters. */
static bool begins_falling(const struct search *s)
{
    return s->points->n_params == 1 && s->points->m > 1 && s->points->y[0] > s->points->y[1];
}

static bool may_pair(const struct search *s, size_t first, size_t second)
{
    return s->m > MIXED || (is_whole(first) && is_whole(second)) ||
           (s->m == MIXED && is_falling(first) != is_falling(second) && begins_falling(s));
}

static enum portolan_model_family family_of(const struct sketch *form)
{
    const struct grid_entry *first = &search_grid[form->first];
    bool whole = is_whole((size_t)form->first);

    if (form->second >= 0)
        return whole && is_whole((size_t)form->second) ? PORTOLAN_MODEL_POLYNOMIAL
                                                       : PORTOLAN_MODEL_SUM;
    if (first->log)
        return PORTOLAN_MODEL_LOGARITHMIC;
    return whole && first->exponent <= 3 && form->constant ? PORTOLAN_MODEL_POLYNOMIAL
                                                           : PORTOLAN_MODEL_POWER;
}

/* Fits the sketched forms with care. */
static void try_sketches(struct search *s, size_t param, const struct sketches *list)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct sketch *form = &list->best[i];
        struct candidate c;

        if (form->score > list->best[0].score + hopeless)
            break;
        c.k = 0;
        c.family = family_of(form);
        c.cost = price_bare(form);
        if (form->constant)
            candidate_add(&c);
        candidate_list(&c, candidate_add(&c), param, (size_t)form->first);
        if (form->second >= 0) {
            candidate_list(&c, candidate_add(&c), param, (size_t)form->second);
            c.cost += 2;
        }
        search_try(s, &c);
        if (s->first && s->points->n_params == 1 && search_starts_over(s))
            return;
    }
}

static void try_single(struct search *s, size_t param, const struct sums *sums)
{
    struct sketches list = {.n = 0, .cut = INFINITY, .least.residual = INFINITY};

    for (short e = 0; e < GRID; e++)
        for (int constant = 0; constant < 2; constant++) {
            struct sketch form = {.first = e, .second = -1, .constant = constant};

            if (sums->usable[e])
                sketch_form(s, sums, &list, form, 0);
        }
    if (list.n && s->points->n_params == 1)
        search_trust(s, list.least.squares, list.least.k);
    try_sketches(s, param, &list);
}

/* Tries two terms from the plainer part of the list: the sum of two costs that grow differently. */
static void try_pairs(struct search *s, size_t param, const struct sums *sums)
{
    struct sketches list = {.n = 0, .cut = INFINITY, .least.residual = INFINITY};
    size_t m = s->points->m;
    double *weighted = s->work + 3 * m;

    if (!s->columns)
        return;
    for (short first = 0; first < GRID; first++) {
        const double *column;

        if (!sums->usable[first] || !search_grid[first].plain)
            continue;
        column = search_grid_column(s, param, (size_t)first, NULL);
        for (size_t i = 0; i < m; i++)
            weighted[i] = s->factor[i] * s->factor[i] * column[i];
        for (short second = 0; second < first; second++) {
            struct sketch form = {.first = second, .second = first};
            double together = 0;

            if (!sums->usable[second] || !search_grid[second].plain ||
                !may_pair(s, (size_t)first, (size_t)second))
                continue;
            column = search_grid_column(s, param, (size_t)second, NULL);
            for (size_t i = 0; i < m; i++)
                together += weighted[i] * column[i];
            sketch_form(s, sums, &list, form, together);
            form.constant = true;
            sketch_form(s, sums, &list, form, together);
        }
    }
    try_sketches(s, param, &list);
}

/* Tries the sum of x, x^2 and x^3, with and without a constant. */
static void try_cubic(struct search *s, size_t param)
{
    for (int constant = 0; constant < 2; constant++) {
        struct candidate c = {.family = PORTOLAN_MODEL_POLYNOMIAL, .cost = 2};

        if (constant)
            candidate_add(&c);
        for (size_t e = 0; e < 3; e++)
            candidate_list(&c, candidate_add(&c), param, e);
        search_try(s, &c);
    }
}

/* Tries an exponent that is not in the list, from the best one of the list. */
static void try_fitted(struct search *s, size_t param, bool with_constant)
{
    struct candidate c;

    c.k = 0;
    if (!search_above(s, param, 0))
        return;
    for (size_t i = 0; i < s->best.n && !c.k; i++) {
        const struct candidate *b = s->best.entry[i];
        size_t last = b->k - 1;

        if (b->k == 1 + (size_t)with_constant && b->shape[last].exponents[param] != 0 &&
            b->family != PORTOLAN_MODEL_SUM &&
            shape_is_constant(&b->shape[0], s->points->n_params) == with_constant)
            candidate_copy(&c, b);
    }
    if (!c.k)
        return;
    /* With many precise points, the shortlist may have no plain power, only one with a logarithm.
     */
    c.shape[c.k - 1].logs[param] = 0;
    c.family = PORTOLAN_MODEL_POWER;
    c.cost = 0;
    c.fitted[c.k - 1] = 1u << param;
    memset(c.listed, 0, sizeof c.listed);
    search_try(s, &c);
}

void search_one(struct search *s, size_t param, bool plain, bool more)
{
    struct sums sums;

    if (!search_varies(s, param))
        return;
    add_up(s, param, &sums);
    if (plain)
        try_single(s, param, &sums);
    if (!more || s->over || search_explains(s, s->residual, s->residual_k))
        return;
    try_pairs(s, param, &sums);
    try_cubic(s, param);
    try_fitted(s, param, false);
    try_fitted(s, param, true);
}
