/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Least squares on a small triangle with constants that are not negative: active sets as Lawson and
 * Hanson's, but beginning with the constants that are positive anyway.
 */
#include "segment_internal.h"

#include <math.h>
#include <string.h>

enum { TERMS = MODEL_TERMS };

/* Least squares with the columns of SET; C gets zeros for the others. False: dependent. */
static bool solve_set(const struct triangle *t, unsigned set, double *c, double *residual)
{
    double columns[TERMS * TERMS], z[TERMS];
    size_t n = 0;

    memcpy(residual, t->rhs, t->k * sizeof *residual);
    memset(c, 0, t->k * sizeof *c);
    for (size_t j = 0; j < t->k; j++)
        if (set >> j & 1)
            memcpy(columns + n++ * t->k, t->column[j], t->k * sizeof *columns);
    if (!linear_quick(t->k, n, columns, residual, z, NULL, NULL))
        return false;
    n = 0;
    for (size_t j = 0; j < t->k; j++)
        if (set >> j & 1)
            c[j] = z[n++];
    return true;
}

/* The column outside SET that would help most, TERMS if none would. */
static size_t most_helpful(const struct triangle *t, unsigned set, const double *residual)
{
    size_t best = TERMS;
    double most = 1e-9;

    for (size_t j = 0; j < t->k; j++) {
        double along = 0, length = 0, size = 0;

        for (size_t i = 0; i < t->k; i++) {
            along += t->column[j][i] * residual[i];
            length += t->column[j][i] * t->column[j][i];
            size += t->rhs[i] * t->rhs[i];
        }
        if (!(set >> j & 1) && along > most * sqrt(length * size)) {
            most = along / sqrt(length * size);
            best = j;
        }
    }
    return best;
}

double triangle_constrain(const struct triangle *t, double *c)
{
    unsigned set = 0;
    double residual[TERMS], rest = 0;

    for (size_t j = 0; j < t->k; j++)
        if (c[j] > 0)
            set |= 1u << j;
    for (size_t round = 0; round < 4 * t->k; round++) {
        unsigned positive = 0;
        size_t helpful;

        if (!solve_set(t, set, c, residual)) {
            set &= set - 1;
            continue;
        }
        for (size_t j = 0; j < t->k; j++)
            if (c[j] > 0)
                positive |= 1u << j;
        if (positive != set) {
            set = positive;
            continue;
        }
        if ((helpful = most_helpful(t, set, residual)) == TERMS)
            break;
        set |= 1u << helpful;
    }
    for (size_t j = 0; j < t->k; j++) {
        c[j] = fmax(c[j], 0);
        rest += residual[j] * residual[j];
    }
    return rest;
}
