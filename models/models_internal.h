/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of models/. */
#ifndef PORTOLAN_MODELS_INTERNAL_H
#define PORTOLAN_MODELS_INTERNAL_H

#include <math.h>
#include <portolan/formula.h>
#include <portolan/models.h>
#include <portolan/number.h>

enum {
    MODEL_PARAMS = PORTOLAN_MODEL_MAX_PARAMS,
    MODEL_TERMS = PORTOLAN_MODEL_MAX_TERMS,
    MODEL_ESTIMATES = 2 * PORTOLAN_MODEL_MAX_TERMS, /* constants, and some fitted exponents */
    NUMBER_TEXT = PORTOLAN_NUMBER_TEXT,
    CONSTANT_ESTIMATE = -1
};

/* ---- points.c: rows of equal parameters become one point ---- */

struct points {
    size_t n_params;
    size_t n_rows; /* of weight > 0 */
    size_t m;
    double *x; /* m × n_params */
    double *y; /* the value of the repetitions: mean, median, … */
    double *w; /* precision of the point, 1 for a single row of weight 1 */
    double floor;
    bool relative;
    double repeat_sigma; /* of a row around its point, relative or absolute; NaN without repeats */
    double repeat_dof;
    double place_share; /* variance of √w (y - truth) over repeat_sigma², as repetitions tell */
    double mean_gain;   /* mean of w over points: how much more precise than a row they are */
};

/* Their arrays are in MEMORY. */
enum portolan_status points_create(const struct portolan_model_data *data,
                                   const struct portolan_model_options *options,
                                   struct portolan_arena *memory, struct points *points,
                                   struct portolan_error *err);
/* A point and the number it is sorted by; for qsort(). */
struct ordered {
    double v;
    size_t point;
};
int compare_ordered(const void *left, const void *right);

/* The divisor of a residual at a fitted value V. */
double points_scale(const struct points *points, double v);
/* The same for point I: from V, which is less noisy than the measured value, unless V is far off.
 */
double points_scale_of(const struct points *points, size_t i, double v);

/* ---- linear.c: least squares, min |A c - b|, columns of length m ---- */

double linear_dot(size_t m, const double *a, const double *b);
void linear_subtract(size_t m, double f, const double *a, double *b); /* b -= f a */

/* The accuracy of the coefficients of a fit. */
struct linear_scatter {
    double diagonal[MODEL_ESTIMATES];  /* of R: length of each column, orthogonal to earlier ones */
    double deviation[MODEL_ESTIMATES]; /* standard deviations, for errors of standard deviation 1 */
};

/*
 * Fits by modified Gram-Schmidt, for the many small fits of a search. A (m × k, column by column)
 * is overwritten by an orthonormal basis, B by the residual; LEVERAGE (m) gets the diagonal of the
 * projection; it and SCATTER may be NULL. False when columns are dependent.
 */
bool linear_quick(size_t m, size_t k, double *a, double *b, double *coefficients, double *leverage,
                  struct linear_scatter *scatter);

/*
 * Solves the k normal equations A c = b by L D L', and overwrites the upper part of A. Returns by
 * how much the solution reduces the sum of squares, or -1 if the equations are dependent or, with
 * NONNEGATIVE, a constant is not positive. DETERMINANT: of R. Only for sketches: half the digits
 * are lost.
 */
enum { LINEAR_NORMAL = 4 };
double linear_normal(size_t k, double a[LINEAR_NORMAL][LINEAR_NORMAL], const double *b,
                     bool nonnegative, double *determinant);

/*
 * Non-negative least squares (Lawson and Hanson 1974). A is m × k, column by column, kept. WORK has
 * room for (k + 1) × m numbers; the last m become the residual. COEFFICIENTS: the start, which
 * matters only for the time if columns are independent; zeros will do.
 */
void linear_nonnegative(size_t m, size_t k, const double *a, const double *b, double *work,
                        double *coefficients);

struct linear_fit {
    size_t rank;
    bool small;                           /* A is known to be of full rank: no need of LAPACK
                                             for one or two columns */
    double condition;                     /* of the column-scaled A */
    bool dependent[MODEL_ESTIMATES];      /* columns beyond the rank */
    double coefficients[MODEL_ESTIMATES]; /* 0 for dependent ones */
    double *leverage;                     /* m, the caller's, or NULL */
    double *inverse;                      /* k × k of (A'A)^-1, the caller's, or NULL */
};

/* Fits by rank-revealing QR (LAPACKE), for the one fit that is kept. A is m × k and kept. */
enum portolan_status linear_full(size_t m, size_t k, const double *a, const double *b,
                                 struct linear_fit *fit, struct portolan_error *err);

/* ---- formula_terms.c: terms, and formulas that are sums of powers and logarithms ---- */

/* Product over parameters of x^exponent log2(x)^log, or the expression. */
double shape_value(const struct portolan_model_shape *shape, size_t n_params, const double *x);
bool shape_is_constant(const struct portolan_model_shape *shape, size_t n_params);
bool shape_equal(const struct portolan_model_shape *a, const struct portolan_model_shape *b,
                 size_t n_params);

/* Copies of the expressions that shapes point to, for the owner of shapes. Start it as {0}. */
struct expressions {
    size_t n;
    struct portolan_formula *list[2 * MODEL_TERMS];
};

/*
 * Replaces SHAPE's expression, if it has one, by a copy in OWN, bound to the PARAMS; or by a plain
 * shape, if the expression amounts to that.
 * PORTOLAN_EINVAL when the expression uses other names than the parameters.
 */
enum portolan_status expressions_own(struct expressions *own, struct portolan_model_shape *shape,
                                     size_t n_params, const char *const *params,
                                     struct portolan_error *err);
void expressions_clear(struct expressions *own);
/* Only characters that XML can carry, and none that a reader would trim or that breaks a formula.
 */
bool formula_text_is_plain(const char *text);
/* What makes the names unfit for XML or for parameters; NULL = nothing. */
const char *model_check_params(size_t n_params, const char *const *params);

struct estimate {
    size_t term;
    int param; /* CONSTANT_ESTIMATE, or which exponent */
};

/* A sum of terms. */
struct sum {
    size_t n;
    struct portolan_model_term term[MODEL_TERMS];
};

/*
 * Turns the tree at ROOT of a formula that is bound to N_PARAMS parameters into a sum of constants
 * times powers and logarithms, even if it is written with quotients, roots, products of sums or
 * other logarithms. False when it is not such a sum, or has too many terms.
 */
bool formula_sum(const struct portolan_formula *f, size_t root, size_t n_params, struct sum *sum);

/* ---- search.c: which terms ---- */

enum { CANDIDATE_TERMS = PORTOLAN_MODEL_MAX_TERMS };

struct candidate {
    enum portolan_model_family family;
    size_t k;
    struct portolan_model_shape shape[CANDIDATE_TERMS];
    unsigned fitted[CANDIDATE_TERMS]; /* bit per parameter */
    /* Position of each parameter's exponent in the list, from 1; 0: not from the list. */
    unsigned char listed[CANDIDATE_TERMS][MODEL_PARAMS];
    double constant[CANDIDATE_TERMS];
    double cost;  /* of choosing this form, in addition to its constants */
    double score; /* smaller is better; differences are like those of AIC */
};

/* How forms diverge so many octaves outside the rows: faster than an unknown slope, more slowly
 * than an unknown curvature. */
static inline double model_divergence(double octaves)
{
    return fabs(octaves) * sqrt(fabs(octaves));
}

enum { BEST_KEPT = 24 };

/* The best of a search, ascending by score. */
struct shortlist {
    size_t n;
    struct candidate *entry[BEST_KEPT]; /* N of the places, in order; candidates are large */
    double drift_below[MODEL_PARAMS], drift_above[MODEL_PARAMS];
    struct candidate place[BEST_KEPT];
};

enum { CACHED_POINTS = 4096 }; /* with more points, no columns are kept */

struct search {
    const struct points *points;
    const struct portolan_model_options *options;
    struct portolan_arena *memory; /* of all arrays */
    size_t m;                      /* points that are not outliers */
    double *factor;                /* multiplies the rows of the problem; 0 for outliers */
    double *rhs;                   /* factor · y */
    double *logs;                  /* natural logarithms, parameter by parameter */
    double *thirds, *fourths;      /* cube and fourth roots, in the same order */
    double weight;                 /* sum of the points' weights, outliers not counted */
    double least;                  /* smaller sums of squares do not differ */
    double largest;                /* of the rhs: no term of a sum without minuses is larger */
    double known, known_dof;       /* squares that repetitions add to the residuals' */
    double gamma[MODEL_ESTIMATES]; /* -2 ln Γ of half the degrees of freedom, by constants */
    double *work;                  /* (MODEL_ESTIMATES + 5) × number of points */
    bool first, over;     /* in the first pass; it ends early, to start over with better weights */
    double line_variance; /* of points about lines along one parameter; NaN: none */
    double residual;      /* of the best candidate so far … */
    size_t residual_k;    /* … and its constants */
    double *columns; /* of the list's shapes: parameter by parameter, entry by entry; or NULL */
    unsigned char *usable; /* in the same order: 0 no, 1 not computed yet, 2 computed */
    struct shortlist best;
};

/* To be freed with free(); NULL: no memory. */
struct search *search_create(const struct points *points,
                             const struct portolan_model_options *options,
                             struct portolan_arena *memory);
/* Sets S->best to the best candidates, at least one, with drifts. PORTOLAN_ENOMEM. */
enum portolan_status search_run(struct search *s);

/* robust.c: sets the weights from the values or from a FIT; leaves out points far from FIT. */
void search_weigh(struct search *s, const struct candidate *fit);
void search_exclude_outliers(struct search *s, const struct candidate *fit);
/* drift.c: how far the first of the shortlist may be off outside the rows. */
void search_find_drifts(struct search *s);
/* Leaves out points far from the least trimmed squares fit of GIVEN or, if NULL, of many forms. */
enum portolan_status search_trim(struct search *s, const struct candidate *given);

/* candidate.c */

/* Like an assignment, but copies only the terms that FROM has. */
void candidate_copy(struct candidate *to, const struct candidate *from);
/* Adds an empty term with constant 1 and returns its index; set its shape by candidate_list(). */
size_t candidate_add(struct candidate *c);
/* Gives term J the shape of ENTRY in PARAM, and adds its cost to C's. */
void candidate_list(struct candidate *c, size_t j, size_t param, size_t entry);

/* Fits C's constants and scores it (infinite: impossible); the good ones enter the shortlist. */
double search_try(struct search *s, struct candidate *c);
/*
 * -2 ln of the evidence for K constants and exponents that leave RESIDUAL, a sum of squares.
 * LOG_VOLUME: logarithm of the determinant of R, each column by the range its constant may have.
 */
double search_score(const struct search *s, size_t k, double residual, double log_volume);
/* The sketch that leaves least per degree of freedom: that, and all the squares it leaves. */
struct least {
    double residual, squares;
    size_t k; /* constants */
};
/* The squares that a sketch of K constants leaves when it reduces YY by OFF; updates LEAST. */
double sketch_left(const struct search *s, struct least *least, size_t k, double yy, double off);
/* Enters C as it is with SCORE, if that is good enough. */
void search_keep(struct search *s, struct candidate *c, double score);
/* Fits C and enters it with SCORE: for exact fits, which leave no residual to score. */
void search_enter(struct search *s, struct candidate *c, double score);
/* Entry AT of the shortlist becomes the first. */
void search_bring_forward(struct search *s, size_t at);
/* Brings to the front the candidate whose neighbours are also likely. */
void search_prefer(struct search *s);
double candidate_value(const struct candidate *c, size_t n_params, const double *x);
bool candidate_is_positive(const struct candidate *c); /* all its constants */

/* Enters ENTRY, of SIZE bytes, into N ranked ones, of which the best MOST are kept. The first
 * member of an entry is the number that ranks it, the least first. */
void numbers_rank(void *ranked, size_t *n, size_t most, const void *entry, size_t size);

/* ---- noise.c: the noise that is assumed ---- */

/* Starts with a constant, so that there always is a form. */
void search_begin(struct search *s);
/* Can noise alone explain RESIDUAL, left by K constants? False when noise is unknown. */
bool search_explains(const struct search *s, double residual, size_t k);
/* Does FIT differ so much from the values that its weights differ, too? */
bool search_moves_weights(const struct search *s, const struct candidate *fit);
/* After the first careful fit: may another pass with its weights do better? */
bool search_starts_over(struct search *s);
/* Trusts repetitions less if the best of many forms leaves a RESIDUAL that they do not explain. */
void search_trust(struct search *s, double residual, size_t k);

/* ---- grid.c: where the points lie, and the list of shapes ---- */

bool search_is_in(const struct search *s, size_t i); /* no outlier */
/* The least and the largest value of PARAM, without outliers. */
void search_range(const struct search *s, size_t param, double *low, double *high);
/* Does PARAM take different values, and is it always above BOUND? */
bool search_varies(const struct search *s, size_t param);
bool search_above(const struct search *s, size_t param, double bound);

/* The list of exponents and logarithms for one parameter. */
struct grid_entry {
    double exponent;
    unsigned char log;
    bool plain;  /* may be combined with another term */
    double cost; /* unusual exponents must fit better */
};
enum { GRID = 55 };
extern const struct grid_entry search_grid[GRID];
bool search_grid_fits(const struct search *s, size_t param, size_t entry);
/* Computes logarithms and roots of the parameters, and which entries they allow. */
void search_grid_prepare(struct search *s);
/* The values of an entry at all points; they are in SCRATCH if columns are not kept. */
const double *search_grid_column(struct search *s, size_t param, size_t entry, double *scratch);

/* ---- screen.c: forms of one parameter ---- */

/* PLAIN: tries single shapes; MORE: several terms, and fitted exponents. */
void search_one(struct search *s, size_t param, bool plain, bool more);

/* ---- several_params.c: models of more than one parameter ---- */

void search_several(struct search *s);
/* Tries combinations of the shapes that lines along two or three parameters make likely; false:
 * there are no lines. */
bool search_lines(struct search *s);

/* Numbers the lines of points along PARAM; returns how many there are. */
size_t search_number_lines(const struct search *s, size_t param, size_t *line);

/* ---- exact.c ---- */

/* Sets LAW to a law that reproduces all points to the last digit, with constants of either sign;
 * false: none is known. EAGER: take all the time it needs. */
bool search_exact(struct search *s, bool eager, struct candidate *law);

/* ---- candidate.c again ---- */

/*
 * Gauss-Newton on the constants and fitted exponents of C, from their present values. Sets the
 * final RESIDUAL and LEVERAGE. False when it finds no sensible values.
 */
bool nonlinear_fit(struct search *s, struct candidate *c, double *residual, double *leverage);
/* The columns of the problem linearized at C: constants, then fitted exponents; their number. */
size_t nonlinear_columns(struct search *s, const struct candidate *c, double *columns,
                         struct estimate *estimates);

/* idle.c: fits SHAPES, or searches if N_SHAPES is 0, with the signs that OPTIONS (not NULL) allow.
 */
enum portolan_status model_fit(const struct portolan_model_data *data,
                               const struct portolan_model_shape *shapes, size_t n_shapes,
                               const struct portolan_model_options *options,
                               struct portolan_model **model, struct portolan_error *err);
/* fit.c: the same for rows in which all parameters vary. */
enum portolan_status model_fit_varying(const struct portolan_model_data *data,
                                       const struct portolan_model_shape *shapes, size_t n_shapes,
                                       const struct portolan_model_options *options,
                                       struct portolan_model **model, struct portolan_error *err);

/* A caller's OPTIONS (may be NULL) with what these rows imply. */
struct portolan_model_options model_options(const struct portolan_model_data *data,
                                            const struct portolan_model_options *options);
/* If *MODEL, a searched one, does not fit, replaces it by one with negative constants that does. */
enum portolan_status model_try_signs(const struct portolan_model_data *data,
                                     const struct portolan_model_options *options,
                                     struct portolan_model **model, struct portolan_error *err);

/* ---- model.c ---- */

enum { MODEL_PIECES = PORTOLAN_MODEL_MAX_PIECES };

struct piece {
    struct portolan_model *model; /* of the same parameters, itself without pieces */
    size_t n_conditions;
    struct portolan_model_condition conditions[MODEL_PIECES];
};

/* ---- hull.c: which combinations of parameters the rows reached ---- */

/* Of two parameters, the extremes of log2(a / b) and log2(a b) in the rows; infinite: no bound. */
struct hull_pair {
    double ratio_min, ratio_max, product_min, product_max;
};

enum { HULL_PAIRS = MODEL_PARAMS * (MODEL_PARAMS - 1) / 2 };

struct hull {
    struct hull_pair pair[HULL_PAIRS];
};

void hull_open(struct hull *h);  /* nothing is known, nothing is outside */
void hull_begin(struct hull *h); /* no row yet */
void hull_add(struct hull *h, size_t n_params, const double *x);
void hull_unite(struct hull *h, const struct hull *other);
/* Gives the hull of N parameters the places VARYING, in rising order, of more parameters. */
void hull_widen(struct hull *h, size_t n, const size_t *varying);
struct hull_pair *hull_pair(struct hull *h, size_t a, size_t b);
/* The pair of parameters A < B if it cuts a corner off their ranges, or NULL. */
const struct hull_pair *hull_peek_corners(const struct portolan_model *m, size_t a, size_t b);
/* Notes in P where X, within the ranges, is a combination that no row came near; returns how far
 * the form may be wrong there, as a logarithm. */
double hull_note_outside(const struct portolan_model *m, const double *x,
                         struct portolan_prediction *p);

struct portolan_model {
    size_t n_params;
    char *params[MODEL_PARAMS];
    struct portolan_model_range range[MODEL_PARAMS];
    struct hull hull;
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
    double z; /* Student's quantile for infinitely many degrees of freedom */
    char *formula;
    struct portolan_model_envelope envelope;
    /* 0, or at least 2, and then there are no terms. Every point belongs to exactly one. */
    size_t n_pieces;
    struct piece *pieces; /* MODEL_PIECES places; the model owns the models of the pieces */
    size_t n_breaks;
    struct portolan_model_break *breaks; /* MODEL_PIECES places */
};

/* The words for enum portolan_model_family, bit by bit. */
enum { MODEL_FAMILIES = 8 };
extern const char *const model_families[MODEL_FAMILIES];

/* An empty model with copies of the names, ranges unbounded. */
enum portolan_status model_create(size_t n_params, const char *const *params,
                                  struct portolan_model **model, struct portolan_error *err);
/* Derives formula, t, z and standard errors after all else is filled in. */
enum portolan_status model_finish(struct portolan_model *model, struct portolan_error *err);
/* Returns STATUS; destroys MADE if that is a failure, or else hands it over in *MODEL. */
enum portolan_status model_give(enum portolan_status status, struct portolan_model *made,
                                struct portolan_model **model);
/* Adds BEFORE, and VALUE with at most DIGITS significant digits. */
void text_add_rounded(struct portolan_text *out, const char *before, double value, int digits);

/* How many factors of two X of PARAM is outside R; notes it in P if no parameter is farther. */
double range_note_outside(const struct portolan_model_range *r, size_t param, double x,
                          struct portolan_prediction *p);

/* ---- piecewise.c ---- */

/* Makes room for pieces and breaks in a model that has none. */
enum portolan_status model_make_pieces(struct portolan_model *model, struct portolan_error *err);
/* Which piece holds at X; n_pieces if a ratio is not a number. */
size_t model_find_piece(const struct portolan_model *model, const double *x);
/* Predicts with the pieces of a model that has some. */
enum portolan_status model_predict_pieces(const struct portolan_model *model, const double *x,
                                          struct portolan_prediction *out);
/* "0.12 n (n < 384); 0.2 + 0.31 n (n >= 384)" */
void model_write_pieces(struct portolan_text *out, const struct portolan_model *model);

/* ---- series.c: the dip of N > 0 values in ascending order, and its probability ---- */

enum portolan_status series_dip(size_t n, const double *sorted, double *dip);
double series_dip_probability(size_t n, double dip);

/* ---- kriging.c: prediction between measured places, with its error ---- */

enum { KRIGING_MOST = 128 };

struct kriging;

/*
 * Made in MEMORY from N places, 1 … KRIGING_MOST, at Z (N × N_DIMS, of similar scales) with values
 * LEVEL. A place is judged without the places of its group. Z and GROUP stay the caller's and must
 * outlive the result. NULL: out of memory.
 */
struct kriging *kriging_create(struct portolan_arena *memory, size_t n_dims, size_t n,
                               const double *z, const double *level, const size_t *group);
/* The prediction of place I without its group: too high by ERROR, where SIGMA was the expected
 * error. False: there is only one group. */
bool kriging_left_out(const struct kriging *k, size_t i, double *error, double *sigma);
/* The value at Z, and the standard deviation of one more. */
void kriging_ask(const struct kriging *k, const double *z, double *level, double *sigma);

#endif
