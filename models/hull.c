/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which combinations of parameters the rows reached. Each parameter may be inside its range while
 * no row came near the combination: of n and ranks that grew together, few ranks with a large n.
 *
 * The hull is an octagon in logarithms: besides the range of each parameter, the range of a/b and
 * of a·b for each two. It grows row by row, is exact for grids and for parameters in proportion,
 * and a person can check it. A corner that a grid lacks is cut off.
 */
#include "models_internal.h"

/* Combinations this near count as inside: parameters seldom move together exactly. */
static const double near = 0.05; /* octaves */

static size_t index_of(size_t a, size_t b)
{
    return a < b ? b * (b - 1) / 2 + a : a * (a - 1) / 2 + b;
}

struct hull_pair *hull_pair(struct hull *h, size_t a, size_t b)
{
    return &h->pair[index_of(a, b)];
}

void hull_begin(struct hull *h)
{
    for (size_t i = 0; i < HULL_PAIRS; i++)
        h->pair[i] = (struct hull_pair){INFINITY, -INFINITY, INFINITY, -INFINITY};
}

void hull_open(struct hull *h)
{
    for (size_t i = 0; i < HULL_PAIRS; i++)
        h->pair[i] = (struct hull_pair){-INFINITY, INFINITY, -INFINITY, INFINITY};
}

static void pair_unite(struct hull_pair *to, const struct hull_pair *from)
{
    to->ratio_min = fmin(to->ratio_min, from->ratio_min);
    to->ratio_max = fmax(to->ratio_max, from->ratio_max);
    to->product_min = fmin(to->product_min, from->product_min);
    to->product_max = fmax(to->product_max, from->product_max);
}

void hull_unite(struct hull *h, const struct hull *other)
{
    for (size_t i = 0; i < HULL_PAIRS; i++)
        pair_unite(&h->pair[i], &other->pair[i]);
}

void hull_widen(struct hull *h, size_t n, const size_t *varying)
{
    struct hull narrow = *h;

    hull_open(h);
    for (size_t b = 1; b < n; b++)
        for (size_t a = 0; a < b; a++)
            *hull_pair(h, varying[a], varying[b]) = *hull_pair(&narrow, a, b);
}

void hull_add(struct hull *h, size_t n_params, const double *x)
{
    for (size_t b = 1; b < n_params; b++)
        for (size_t a = 0; a < b; a++) {
            double first = log2(x[a]), second = log2(x[b]);
            struct hull_pair row = {first - second, first - second, first + second, first + second};

            if (!(x[a] > 0 && x[b] > 0)) /* zeros have no logarithm: nothing is cut off */
                row = (struct hull_pair){-INFINITY, INFINITY, -INFINITY, INFINITY};
            pair_unite(hull_pair(h, a, b), &row);
        }
}

const struct hull_pair *hull_peek_corners(const struct portolan_model *m, size_t a, size_t b)
{
    const struct portolan_model_range *first = &m->range[a], *second = &m->range[b];
    const struct hull_pair *pair = &m->hull.pair[index_of(a, b)];
    double low_a = log2(first->min), low_b = log2(second->min);
    double high_a = log2(first->max), high_b = log2(second->max);

    if (!(first->min > 0 && second->min > 0))
        return NULL;
    return high_a - low_b > pair->ratio_max + near || low_a - high_b < pair->ratio_min - near ||
                   high_a + high_b > pair->product_max + near ||
                   low_a + low_b < pair->product_min - near
               ? pair
               : NULL;
}

/* By how many octaves V is above MAX (positive) or below MIN (negative). */
static double beyond(double v, double min, double max)
{
    double over = v > max ? v - max : fmin(v - min, 0);

    return fabs(over) > near ? over : 0;
}

/* The form's possible error where parameter P is off its combinations by OCTAVES, with their sign.
 */
static double drift_of(const struct portolan_model *m, size_t p, double octaves)
{
    const struct portolan_model_range *r = &m->range[p];

    return model_divergence(fabs(octaves)) * (octaves > 0 ? r->drift_above : r->drift_below);
}

double hull_note_outside(const struct portolan_model *m, const double *x,
                         struct portolan_prediction *p)
{
    double inside[MODEL_PARAMS], drift = 0;

    /* What is beyond the ranges has been noted: here counts the nearest point within them. */
    for (size_t i = 0; i < m->n_params; i++)
        inside[i] = fmin(fmax(x[i], m->range[i].min), m->range[i].max);
    for (size_t b = 1; b < m->n_params; b++)
        for (size_t a = 0; a < b; a++) {
            const struct hull_pair *pair = hull_peek_corners(m, a, b);
            double first = log2(inside[a]), second = log2(inside[b]), ratio, product;

            if (!pair)
                continue;
            /* Half of the way to the nearest row is in each of the two. */
            ratio = beyond(first - second, pair->ratio_min, pair->ratio_max) / 2;
            product = beyond(first + second, pair->product_min, pair->product_max) / 2;
            first = ratio + product;
            second = product - ratio;
            drift = fmax(drift, hypot(drift_of(m, a, first), drift_of(m, b, second)));
            if (fmax(fabs(first), fabs(second)) > p->octaves) {
                p->extrapolates = true;
                p->octaves = fmax(fabs(first), fabs(second));
                p->outside = fabs(first) > fabs(second) ? a : b;
            }
        }
    return drift;
}
