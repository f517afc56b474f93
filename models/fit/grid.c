/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the points of a search lie, and the list of shapes with its columns at the points. */
#include "models_internal.h"

#include <math.h>

bool search_is_in(const struct search *s, size_t i)
{
    return s->factor[i] > 0;
}

void search_range(const struct search *s, size_t param, double *low, double *high)
{
    const struct points *pts = s->points;

    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 0; i < pts->m; i++)
        if (search_is_in(s, i)) {
            *low = fmin(*low, pts->x[i * pts->n_params + param]);
            *high = fmax(*high, pts->x[i * pts->n_params + param]);
        }
}

bool search_varies(const struct search *s, size_t param)
{
    double low, high;

    search_range(s, param, &low, &high);
    return high > low;
}

bool search_above(const struct search *s, size_t param, double bound)
{
    double low, high;

    search_range(s, param, &low, &high);
    return low > bound;
}

const struct grid_entry search_grid[GRID] = {
    {1, 0, true, 0},          {2, 0, true, 0},         {3, 0, true, 0},
    {1. / 2, 0, true, 0.5},   {3. / 2, 0, true, 0.5},  {5. / 2, 0, true, 0.5},
    {0, 1, true, 0.25},       {1, 1, true, 0.25},      {2, 1, true, 0.25},
    {3, 1, true, 0.5},        {0, 2, false, 0.5},      {1, 2, false, 0.5},
    {2, 2, false, 0.5},       {1. / 2, 1, true, 0.5},  {3. / 2, 1, true, 0.5},
    {1. / 4, 0, false, 0.5},  {1. / 3, 0, false, 0.5}, {2. / 3, 0, false, 0.5},
    {3. / 4, 0, false, 0.5},  {4. / 5, 0, false, 0.5}, {5. / 4, 0, false, 0.5},
    {4. / 3, 0, false, 0.5},  {5. / 3, 0, false, 0.5}, {7. / 4, 0, false, 0.5},
    {9. / 4, 0, false, 0.5},  {7. / 3, 0, false, 0.5}, {8. / 3, 0, false, 0.5},
    {11. / 4, 0, false, 0.5}, {1. / 4, 1, false, 0.5}, {1. / 3, 1, false, 0.5},
    {1. / 4, 2, false, 0.5},  {1. / 3, 2, false, 0.5}, {1. / 2, 2, false, 0.5},
    {2. / 3, 1, false, 0.5},  {3. / 4, 1, false, 0.5}, {2. / 3, 2, false, 0.5},
    {3. / 4, 2, false, 0.5},  {5. / 4, 1, false, 0.5}, {4. / 3, 1, false, 0.5},
    {3. / 2, 2, false, 0.5},  {5. / 2, 1, false, 0.5}, {5. / 2, 2, false, 0.5},
    {4, 0, true, 2},          {5, 0, false, 4},        {7, 0, false, 6},
    {-1, 0, true, 1},         {-2, 0, true, 1.5},      {-1. / 2, 0, true, 1.5},
    {-1. / 3, 0, false, 2},   {-2. / 3, 0, false, 2},  {-3. / 2, 0, false, 2},
    {-3, 0, false, 2},        {-1, 1, true, 2},        {-1. / 2, 1, false, 2},
    {0, 3, false, 2}};

enum { UNUSABLE, UNKNOWN, KNOWN };

bool search_grid_fits(const struct search *s, size_t param, size_t entry)
{
    return s->usable[param * GRID + entry] != UNUSABLE;
}

/* VALUE to the power of TIMES. */
static double whole_power(double value, int times)
{
    double result = times & 1 ? value : 1;

    for (times >>= 1; times; times >>= 1) {
        value *= value;
        if (times & 1)
            result *= value;
    }
    return result;
}

/* Exponents are whole multiples of 1, 1/3 or 1/4, so products of roots suffice; others use the
 * known logarithm. */
static void compute_entry(const struct search *s, size_t param, const struct grid_entry *entry,
                          double *out)
{
    const struct points *pts = s->points;
    const double *logs = s->logs + param * pts->m, *const roots[] = {s->thirds, s->fourths};
    double exponent = entry->exponent;
    const double *x = pts->x + param;
    size_t stride = pts->n_params;
    int root = 0, whole;

    if (exponent >= 0 && exponent == (int)exponent)
        root = 1;
    else if (exponent >= 0 && 4 * exponent == (int)(4 * exponent))
        root = 4;
    else if (exponent >= 0 && fabs(3 * exponent - round(3 * exponent)) < 1e-9)
        root = 3;
    if (root > 1) {
        x = roots[root - 3] + param * pts->m;
        stride = 1;
    }
    whole = (int)round(root * exponent);
    for (size_t i = 0; i < pts->m; i++) {
        out[i] = root ? whole_power(x[i * stride], whole) : exp(exponent * logs[i]);
        for (unsigned char l = 0; l < entry->log; l++)
            out[i] *= logs[i] * M_LOG2E;
    }
}

const double *search_grid_column(struct search *s, size_t param, size_t entry, double *scratch)
{
    size_t at = param * GRID + entry;
    double *column = s->columns ? s->columns + at * s->points->m : scratch;

    if (s->usable[at] != KNOWN || !s->columns) {
        compute_entry(s, param, &search_grid[entry], column);
        s->usable[at] = KNOWN;
    }
    return column;
}

void search_grid_prepare(struct search *s)
{
    const struct points *pts = s->points;

    for (size_t p = 0; p < pts->n_params; p++) {
        bool positive = search_above(s, p, 0);
        bool logs = search_above(s, p, 0.999) && !s->options->only_products;

        for (size_t i = 0; i < pts->m; i++) {
            double x = pts->x[i * pts->n_params + p];

            s->logs[p * pts->m + i] = x > 0 ? log(x) : NAN;
            s->thirds[p * pts->m + i] = x > 0 ? cbrt(x) : NAN;
            s->fourths[p * pts->m + i] = x > 0 ? sqrt(sqrt(x)) : NAN;
        }
        for (size_t e = 0; e < GRID; e++) {
            const struct grid_entry *entry = &search_grid[e];
            bool whole = entry->exponent > 0 && entry->exponent == floor(entry->exponent);

            s->usable[p * GRID + e] = (entry->log ? logs : whole || positive) ? UNKNOWN : UNUSABLE;
        }
    }
}
