/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact segmentation and what is decided upon it. */
#ifndef PORTOLAN_SEGMENT_INTERNAL_H
#define PORTOLAN_SEGMENT_INTERNAL_H

#include "models_internal.h"

/* ---- segment_nonnegative.c ---- */

/* An upper triangle as an ordinary matrix, column by column, and its right-hand side. */
struct triangle {
    size_t k;
    double column[MODEL_TERMS][MODEL_TERMS], rhs[MODEL_TERMS];
};

/* C: the constants without constraint in, none negative out. What squares the triangle leaves. */
double triangle_constrain(const struct triangle *t, double *c);

/* In the factors D^1/2 R of both files below: nothing, but no division by 0; what is left of a row
 * that others explain; a direction of which rows say nothing. */
#define NOTHING      1e-140
#define DEPENDENT    1e-20
#define EMPTY_LENGTH 1e-100

/*
 * What a factor of one column or two leaves when they do not both help: the columns' squares
 * together but for those of the one that helps more, or of none. D0, D1: the diagonal; Z0, Z1: the
 * right-hand side; R: beside the diagonal.
 */
static inline double squares_of_two(size_t k, double d0, double z0, double r, double d1, double z1)
{
    double first = d0 * z0, all = first * z0, gain = first > 0 ? all : 0, second, length;

    if (k == 1)
        return all - gain;
    all += d1 * z1 * z1;
    second = first * r + d1 * z1;
    length = d0 * r * r + d1;
    if (second > 0 && length > EMPTY_LENGTH && second * second > gain * length)
        gain = second * second / length;
    return all - gain;
}

/* ---- segment.c: the best 1, 2, … segments of a sequence, by dynamic programming ---- */

struct segment_problem {
    size_t n_rows, k;
    const double *rows; /* n_rows × (k + 1): terms and value, weighted */
    size_t n_units;
    const size_t *unit;  /* n_units + 1: rows unit[u] … unit[u + 1] - 1 stay together */
    const double *base;  /* n_units: squares that no fit of a unit's rows removes; NULL = 0 */
    const size_t *count; /* n_units + 1: points before each unit; NULL = UNIT */
    size_t least_units, least_points; /* of a segment */
    size_t max;                       /* segments, at most MODEL_PIECES */
    bool nonnegative;                 /* constants */
};

struct segment_solution {
    size_t n;                                     /* solved for 1 … n segments */
    double rss[MODEL_PIECES];                     /* of s + 1 segments; ascending s */
    size_t begin[MODEL_PIECES][MODEL_PIECES + 1]; /* first units, and n_units behind the last */
};

/* O(units² (k² + max)). Segmentations that are impossible are not among the first N. */
enum portolan_status segment_solve(const struct segment_problem *problem,
                                   struct segment_solution *solution);

/* ---- segment_one.c ---- */

/* Least squares on the rows of units FIRST … LAST - 1; dependent constants are 0. */
double segment_fit(const struct segment_problem *problem, size_t first, size_t last,
                   double *constants);
/* Units FIRST … LAST - 1, to be parted at one of the units FROM … TO. */
struct segment_window {
    size_t first, last, from, to;
};

/*
 * The squares left by units FIRST … u (FORWARD), or u … LAST - 1 (not FORWARD), into rss[u -
 * FIRST], for every u that a parting needs.
 */
void segment_sweep(const struct segment_problem *problem, const struct segment_window *window,
                   bool forward, double *rss);
/*
 * K rows that stand for those of units FIRST … LAST - 1 in every fit, but for a sum of squares that
 * is returned.
 */
double segment_compress(const struct segment_problem *problem, size_t first, size_t last,
                        double *rows);

/* ---- breaks.c: how many segments, and where ---- */

/* Points along one variable, with the terms of one form. */
struct sequence {
    size_t m, k;
    const double *v; /* ascending */
    const double *a; /* m × k, the terms at each point */
    const double *y, *w;
    const double *scale; /* what residuals are divided by, to begin with */
    bool nonnegative;    /* constants */
    bool relative;       /* then the scale becomes that of the fit */
    double floor;
    double repeat_variance, repeat_dof; /* of a row; 0 dof: not known */
    size_t least_units, least_points;   /* of a piece: distinct v, and points */
    size_t max_pieces;
    size_t most_units; /* more distinct v are first taken together, and breaks refined then */
    double risk;       /* of a break too many */
};

struct breaks {
    size_t n;                       /* pieces */
    size_t begin[MODEL_PIECES + 1]; /* first points of pieces, and m */
    double rss, single_rss;         /* weighted squares with these pieces, and with one */
    double variance, dof;           /* of a row, as the pieces tell it */
    double low[MODEL_PIECES], high[MODEL_PIECES]; /* likelihood set of break i */
};

/*
 * The variance of a point of precision 1 by residuals with FREE degrees of freedom and by
 * repetitions: of both where they agree. *DOF: how well it is known.
 */
double breaks_variance(double rss, double free, double repeat_variance, double repeat_dof,
                       double *dof);

enum portolan_status breaks_find(const struct sequence *sequence, double confidence,
                                 struct breaks *breaks);

#endif
