/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of models/ share. */
#ifndef PORTOLAN_MODELS_INTERNAL_H
#define PORTOLAN_MODELS_INTERNAL_H

#include <portolan/formula.h>
#include <portolan/models.h>
#include <stdio.h>

enum {
    MODEL_PARAMS = PORTOLAN_MODEL_MAX_PARAMS,
    MODEL_TERMS = PORTOLAN_MODEL_MAX_TERMS,
    MODEL_ESTIMATES = 2 * PORTOLAN_MODEL_MAX_TERMS, /* constants, and some fitted exponents */
    CONSTANT_ESTIMATE = -1
};

/* ---- points.c: rows of equal parameters become one point ---- */

struct points {
    size_t n_params;
    size_t n_rows; /* of weight > 0 */
    size_t m;
    double *x; /* m × n_params */
    double *y; /* what stands for the repetitions: means, medians, … */
    double *w; /* precision of the point, 1 for a single row of weight 1 */
    double floor;
    bool relative;
    double repeat_sigma; /* of a row around its point, relative or absolute; NaN without repeats */
    double repeat_dof;
    double place_share; /* variance of √w (y - truth) over repeat_sigma², as repetitions tell */
    double mean_gain;   /* mean of w over points: how much steadier than a row they are */
};

enum portolan_status points_create(const struct portolan_model_data *data,
                                   const struct portolan_model_options *options,
                                   struct points *points, struct portolan_error *err);
void points_destroy(struct points *points);
/* What a residual at a fitted value V is divided by. */
double points_scale(const struct points *points, double v);

/* ---- linear.c: least squares, min |A c - b|, columns of length m ---- */

/*
 * By modified Gram-Schmidt, for the many small fits of a search. COLUMNS (k pointers) are
 * overwritten by an orthonormal basis, B by the residual; LEVERAGE (m, may be NULL) gets the
 * diagonal of the projection. False when columns are dependent.
 */
bool linear_quick(size_t m, size_t k, double *const *columns, double *b, double *coefficients,
                  double *leverage);

/* Non-negative least squares (Lawson and Hanson 1974). A is m × k, column by column, kept. */
enum portolan_status linear_nonnegative(size_t m, size_t k, const double *a, const double *b,
                                        double *coefficients);

struct linear_fit {
    size_t rank;
    double condition;                     /* of the column-scaled A */
    bool dependent[MODEL_ESTIMATES];      /* columns beyond the rank */
    double coefficients[MODEL_ESTIMATES]; /* 0 for dependent ones */
    double *leverage;                     /* m, the caller's, or NULL */
    double *inverse;                      /* k × k of (A'A)^-1, the caller's, or NULL */
};

/* By rank-revealing QR (LAPACKE), for the one fit that is kept. A is m × k and kept. */
enum portolan_status linear_full(size_t m, size_t k, const double *a, const double *b,
                                 struct linear_fit *fit, struct portolan_error *err);

/* ---- term.c ---- */

/* Product over parameters of x^exponent log2(x)^log, or the expression. */
double shape_value(const struct portolan_model_shape *shape, size_t n_params, const double *x);
bool shape_is_constant(const struct portolan_model_shape *shape, size_t n_params);
bool shape_equal(const struct portolan_model_shape *a, const struct portolan_model_shape *b,
                 size_t n_params);

/* Copies of the expressions that shapes point to, for who keeps shapes. Start it as {0}. */
struct expressions {
    size_t n;
    struct portolan_formula *list[2 * MODEL_TERMS];
};

/*
 * Puts an own copy, bound to the PARAMS, in place of SHAPE's expression, if it has one.
 * PORTOLAN_EINVAL when that is no expression of the parameters alone.
 */
enum portolan_status expressions_own(struct expressions *own, struct portolan_model_shape *shape,
                                     size_t n_params, const char *const *params,
                                     struct portolan_error *err);
void expressions_clear(struct expressions *own);

struct estimate {
    size_t term;
    int param; /* CONSTANT_ESTIMATE, or which exponent */
};

/* ---- formula_sum.c: formulas that are sums of powers and logarithms ---- */

/* A sum of terms, as far as it is known. */
struct sum {
    size_t n;
    struct portolan_model_term term[MODEL_TERMS];
};

/*
 * The tree at ROOT of a formula that is bound to N_PARAMS parameters as a sum of constants times
 * powers and logarithms of them, however it is put: quotients, roots, products of sums, other
 * logarithms. False when it is none, or has too many terms.
 */
bool formula_sum(const struct portolan_formula *f, size_t root, size_t n_params, struct sum *sum);

/* ---- search.c: which terms ---- */

enum { CANDIDATE_TERMS = PORTOLAN_MODEL_MAX_TERMS };

struct candidate {
    enum portolan_model_family family;
    size_t k;
    struct portolan_model_shape shape[CANDIDATE_TERMS];
    unsigned fitted[CANDIDATE_TERMS]; /* bit per parameter */
    double constant[CANDIDATE_TERMS];
    double cost;  /* of choosing this form, beside its constants */
    double score; /* smaller is better; differences are like those of AIC */
};

enum { BEST_KEPT = 24 };

/* The best of a search, ascending by score. */
struct shortlist {
    size_t n;
    struct candidate *entry[BEST_KEPT]; /* N of the places, in order; candidates are large */
    struct candidate place[BEST_KEPT];
    double drift_below[MODEL_PARAMS], drift_above[MODEL_PARAMS];
};

/* Columns of powers already computed, one list per parameter; none for many points. */
enum { CACHED_COLUMNS = 48, CACHED_POINTS = 256 };

struct column_cache {
    double *values;
    size_t n[MODEL_PARAMS];
    double exponent[MODEL_PARAMS][CACHED_COLUMNS];
    unsigned char log[MODEL_PARAMS][CACHED_COLUMNS];
};

struct search {
    const struct points *points;
    const struct portolan_model_options *options;
    unsigned families;
    size_t m;       /* points that are not outliers */
    double *factor; /* what the rows of the problem are multiplied by; 0 for outliers */
    double *rhs;    /* factor · y */
    double weight;  /* sum of the points' weights, outliers not counted */
    double least;   /* mean square below which errors are alike */
    double *work;   /* (MODEL_ESTIMATES + 4) × number of points */
    struct shortlist best;
    struct column_cache cache;
};

enum portolan_status search_create(const struct points *points,
                                   const struct portolan_model_options *options, struct search *s,
                                   struct portolan_error *err);
/* Leaves the best candidates, with drifts, in S->best: at least one. */
void search_run(struct search *s);
void search_destroy(struct search *s);

/* robust.c: sets the weights, from the values or from a FIT; leaves out what FIT cannot reach. */
void search_weigh(struct search *s, const struct candidate *fit);
void search_exclude_outliers(struct search *s, const struct candidate *fit);
void search_find_drifts(struct search *s);

/* candidate.c */

/* SHAPE at every point times the factor; exponents that are FITTED will not come again. */
void search_column(struct search *s, const struct portolan_model_shape *shape, bool fitted,
                   double *out);

/* Fits C's constants and scores it (infinite: impossible); the good ones enter the shortlist. */
double search_try(struct search *s, struct candidate *c);
/* What C is worth when its points, each left out in turn, are MEAN_SQUARE off. */
double search_score(const struct search *s, const struct candidate *c, double mean_square);
/* Enters C as it is, with that score, if it is good enough. */
void search_keep(struct search *s, struct candidate *c, double score);
/* Fits C and enters it with a score from elsewhere: of fits that leave no residual. */
void search_enter(struct search *s, struct candidate *c, double score);
double candidate_value(const struct candidate *c, size_t n_params, const double *x);

/* search.c again */
bool search_allows(const struct search *s, unsigned families);
bool search_is_in(const struct search *s, size_t i); /* no outlier */
/* Does PARAM take different values, and is it always above BOUND? */
bool search_varies(const struct search *s, size_t param);
bool search_above(const struct search *s, size_t param, double bound);

/* The list of exponents and logarithms for one parameter. */
struct grid_entry {
    double exponent;
    unsigned char log;
    double cost; /* odd exponents must fit better */
};
extern const struct grid_entry search_grid[];
extern const size_t search_grid_size;
bool search_grid_fits(const struct search *s, size_t param, const struct grid_entry *entry);

/* two.c: two points, which leave no error to judge forms by. */
void search_two(struct search *s);

/* several.c: models of more than one parameter. */
void search_several(struct search *s);

/* ---- nonlinear.c ---- */

/*
 * Gauss-Newton on the constants and fitted exponents of C, from where they are. RESIDUAL and
 * LEVERAGE get those of the end. False when it leads nowhere sensible.
 */
bool nonlinear_fit(struct search *s, struct candidate *c, double *residual, double *leverage);
/* The columns of the problem linearized at C: constants, then fitted exponents; their number. */
size_t nonlinear_columns(struct search *s, const struct candidate *c, double *columns,
                         struct estimate *estimates);

/* ---- model.c ---- */

enum { MODEL_PIECES = PORTOLAN_MODEL_MAX_PIECES };

struct piece {
    struct portolan_model *model; /* of the same parameters, itself without pieces */
    size_t n_conditions;
    struct portolan_model_condition conditions[MODEL_PIECES];
};

struct portolan_model {
    size_t n_params;
    char *params[MODEL_PARAMS];
    struct portolan_model_range range[MODEL_PARAMS];
    size_t n_terms;
    struct portolan_model_term terms[MODEL_TERMS];
    size_t n_dropped;
    struct portolan_model_dropped dropped[MODEL_TERMS];
    struct expressions expressions; /* those of terms and dropped */
    size_t n_estimates;
    struct estimate estimates[MODEL_ESTIMATES];
    double *covariance; /* n_estimates², or NULL */
    struct portolan_model_summary summary;
    double t; /* Student's quantile for summary.dof and confidence; finite */
    char *formula;
    struct portolan_model_envelope envelope;
    /* Two or more, then there are no terms; or none. Every point satisfies exactly one. */
    size_t n_pieces;
    struct piece *pieces; /* MODEL_PIECES places, with their models the model's own */
    size_t n_breaks;
    struct portolan_model_break *breaks; /* MODEL_PIECES places */
};

/* An empty model with copies of the names, ranges unbounded. */
enum portolan_status model_create(size_t n_params, const char *const *params,
                                  struct portolan_model **model, struct portolan_error *err);
/* Derives formula, t and standard errors when all else is filled in. */
enum portolan_status model_finish(struct portolan_model *model, struct portolan_error *err);
/* What is wrong with the names as XML or as parameters; NULL = nothing. */
const char *model_check_params(size_t n_params, const char *const *params);
bool model_text_is_plain(const char *text);

/* How many factors of two X is outside R; 0 inside. */
double range_octaves(const struct portolan_model_range *r, double x);

/* ---- pieces.c ---- */

/* Makes room for pieces and breaks in a model that has none. */
enum portolan_status model_make_pieces(struct portolan_model *model, struct portolan_error *err);
/* Which piece holds at X; n_pieces where a ratio is no number. */
size_t model_find_piece(const struct portolan_model *model, const double *x);
/* Prediction by pieces, of a model that has some. */
enum portolan_status model_predict_pieces(const struct portolan_model *model, const double *x,
                                          struct portolan_prediction *out);
/* "0.12 n (n < 384); 0.2 + 0.31 n (n >= 384)" */
void model_write_pieces(FILE *out, const struct portolan_model *model);

/* ---- number.c ---- */

/* The shortest decimal text that reads back as VALUE, in C's form whatever the locale. */
enum { NUMBER_TEXT = 32 };
void number_write(double value, char text[NUMBER_TEXT]);
void number_write_short(double value, int digits, char text[NUMBER_TEXT]);
/* Student's t: x with P(|T| < x) = CONFIDENCE, for DOF degrees of freedom; dof infinite = normal */
double student_quantile(double confidence, double dof);

#endif
