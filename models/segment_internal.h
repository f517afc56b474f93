/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact segmentation and what is decided upon it. */
#ifndef PORTOLAN_SEGMENT_INTERNAL_H
#define PORTOLAN_SEGMENT_INTERNAL_H

#include "models_internal.h"

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
