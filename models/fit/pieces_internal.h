/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of the piecewise fit. */
#ifndef PORTOLAN_PIECES_INTERNAL_H
#define PORTOLAN_PIECES_INTERNAL_H

#include "models_internal.h"

/* ---- segment.c: the best 1, 2, … segments of a sequence, by dynamic programming ---- */

struct segment_problem {
    size_t n_rows, k;
    const double *rows; /* n_rows × (k + 1): terms and value, weighted */
    size_t n_units;
    const size_t *unit;  /* n_units + 1: rows unit[u] … unit[u + 1] - 1 stay together */
    const double *base;  /* n_units: squares that every fit of a unit's rows leaves; NULL = 0 */
    const size_t *count; /* n_units + 1: points before each unit; NULL = UNIT */
    size_t least_units, least_points; /* of a segment */
    size_t max;                       /* segments, at most MODEL_PIECES */
    bool nonnegative;                 /* constants */
};

struct segment_solution {
    size_t n;                                     /* solved for 1 … n segments */
    double rss[MODEL_PIECES];                     /* of s + 1 segments; ascending s */
    size_t begin[MODEL_PIECES][MODEL_PIECES + 1]; /* first units, and n_units after the last */
};

/* O(units² (k² + max)). SOLUTION->n is less than max when more segments are impossible. */
enum portolan_status segment_solve(const struct segment_problem *problem,
                                   struct segment_solution *solution);

/* Least squares on the rows of units FIRST … LAST - 1; dependent constants are 0. */
double segment_fit(const struct segment_problem *problem, size_t first, size_t last,
                   double *constants);
/* Units FIRST … LAST - 1, to be split at one of the units FROM … TO. */
struct segment_window {
    size_t first, last, from, to;
};

/*
 * Sets rss[u - FIRST] to the squares left by units FIRST … u (FORWARD), or u … LAST - 1 (not
 * FORWARD), for every u that a split needs.
 */
void segment_sweep(const struct segment_problem *problem, const struct segment_window *window,
                   bool forward, double *rss);
/*
 * Sets K rows that replace those of units FIRST … LAST - 1 in every fit; returns the squares that
 * the fit then lacks.
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
    const double *scale; /* divisors of residuals before the first fit */
    bool nonnegative;    /* constants */
    bool relative;       /* the fit then replaces the scale */
    double floor;
    double repeat_variance, repeat_dof; /* of a row; 0 dof: not known */
    size_t least_units, least_points;   /* of a piece: distinct v, and points */
    size_t max_pieces;
    size_t most_units; /* more distinct v are grouped at first, and breaks refined later */
    double risk;       /* of a false break */
};

struct breaks {
    size_t n;                       /* pieces */
    size_t begin[MODEL_PIECES + 1]; /* first points of pieces, and m */
    double rss, single_rss;         /* weighted squares with these pieces, and with one */
    double variance, dof;           /* of a row, by the residuals of the pieces */
    double low[MODEL_PIECES], high[MODEL_PIECES]; /* likelihood set of break i */
};

/*
 * The variance of a point of precision 1, by residuals with FREE degrees of freedom and, if they
 * agree, repetitions. *DOF: its degrees of freedom.
 */
double breaks_variance(double rss, double free, double repeat_variance, double repeat_dof,
                       double *dof);

enum portolan_status breaks_find(const struct sequence *sequence, double confidence,
                                 struct breaks *breaks);

/* ---- pieces.c and its kin: the fit of pieces ---- */

/* A break counts as BREAK constants (Ninomiya 2005, Statistics and Probability Letters 72). */
enum { PIECES_FORMS = 32, BREAK = 3 };

/* Terms that all pieces of one segmentation have. */
struct pieces_form {
    size_t k;
    struct portolan_model_shape shape[MODEL_TERMS];
};

/* Points that belong together, and the conditions that distinguish them from the others. */
struct part {
    size_t n;
    size_t *point; /* indices */
    size_t n_conditions;
    struct portolan_model_condition conditions[MODEL_PIECES];
};

/* A part in the order of one variable, split. */
struct split {
    size_t param, divisor;
    struct breaks breaks;
    struct pieces_form form;
    double score;
    size_t *order; /* points, ascending by the variable */
    double *v;
};

/* Arrays with one number per point; A has one per term, too. */
struct pieces_space {
    double *v, *y, *w, *scale, *a;
};

struct pieces_fit {
    struct portolan_arena memory; /* of all arrays */
    const struct portolan_model_data *data;
    const struct portolan_model_options *options;
    const struct portolan_model_shape *shapes; /* the caller's; none: search */
    size_t n_shapes;
    struct points points;
    struct pieces_space space;
    struct ordered *order;
    bool *spike; /* per row of DATA: too far off for any piece */
    size_t n_spikes;
    size_t most_units;
    size_t n_forms;
    struct pieces_form forms[PIECES_FORMS];
    struct pieces_form whole; /* best for all points in one piece, by its score */
    double whole_score;
    double confidence, risk;
    double price;           /* of the last pieces that were worth it; infinite before */
    double repeat_variance; /* of a point of precision 1, by its repetitions */
    size_t left;            /* number of pieces that may still be added */
    size_t n_parts;
    struct part parts[MODEL_PIECES];
    struct pieces_form part_form[MODEL_PIECES];
    struct portolan_model *single; /* of all rows */
    struct portolan_model *model;  /* the result so far */
};

/* piecewise.c: a parameter, or the ratio of two, at X */
double variable_value(size_t param, size_t divisor, const double *x);
bool conditions_hold(const struct portolan_model_condition *conditions, size_t n, const double *x);

/* piece_forms.c: the points of PART in F->order, ascending by a variable; false if it has no values
 */
bool pieces_order(struct pieces_fit *f, const struct part *part, size_t param, size_t divisor);
/* Takes points that stand alone, far from their neighbours, out of F->points */
enum portolan_status pieces_drop_spikes(struct pieces_fit *f);

/* Fills F->forms, the best guesses first */
enum portolan_status pieces_find_forms(struct pieces_fit *f, const struct part *all);

/* piece_worth.c: what a constant must gain among M points (Liu, Wu and Zidek 1997, "On segmented
 * multivariate regression"); a break counts as BREAK constants */
double pieces_price(double m);
/* Is F->model better than F->single, than a smooth bend of that, and than the last
 * pieces that were worth it? CONTINUOUS: its two pieces meet, which saves a constant. */
enum portolan_status pieces_are_worth_it(struct pieces_fit *f, bool continuous, bool *worth);

/* piece_kink.c: replaces F->model by two pieces that meet, if these are better */
enum portolan_status pieces_try_kink(struct pieces_fit *f, struct portolan_error *err);

/* piece_fit.c: gives M the K terms of these SHAPES. The constants are the product of MADE (K × N)
 * and C, the errors follow from COVARIANCE; terms with the constant 0 are dropped. */
enum portolan_status pieces_write(struct portolan_model *m, size_t k,
                                  const struct portolan_model_shape *shapes, size_t n,
                                  const double *made, const double *c, const double *covariance,
                                  struct portolan_error *err);
/* Sets the errors of piece S of F->model at its points. */
void pieces_judge(const struct pieces_fit *f, size_t s, const double *leverage);
/* Adds a part, fitted by FORM or by the search, as one more piece of F->model. */
enum portolan_status pieces_add(const struct pieces_fit *f, const struct part *part,
                                const struct pieces_form *form, struct portolan_error *err);
/* Fits the whole with the forms of its parts, since the search there may have overlooked one. */
enum portolan_status pieces_fit_whole_again(struct pieces_fit *f);
/* Fits constants that do not change as one in all pieces of F->model. */
enum portolan_status pieces_share_constants(struct pieces_fit *f, struct portolan_error *err);
/* Derives the summary and ranges of M from its pieces: sums, means, maxima; variances are weighted
 * by their degrees of freedom. */
void pieces_summarize(struct portolan_model *m, size_t n_spikes);

#endif
