/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * models: rows in, a performance model with its error and its range of validity out.
 *
 * A model is a sum of terms, each a constant times a product of powers (and powers of base-2
 * logarithms) of the parameters: 0.12 + 3.4e-7 n^1.5, or 2e-9 n log2(n) m; or times an expression
 * of a user's formula (<portolan/formula.h>); or several such sums, each in an interval of its own.
 * Its constants are found by least squares, relative by default: an error of 10 % counts the same
 * at 1 us and at 1 h. A model states its uncertainty: standard errors, prediction intervals, the
 * range that the rows covered, and a mark on every prediction outside it. The form of the terms is
 * Extra-P's (Calotoiu, Hoefler, Poke, Wolf 2013).
 *
 * Values carry whatever unit the caller measured in (seconds, bytes, a residual); the envelope
 * notes it. Models are immutable after creation but for portolan_model_describe(), so many threads
 * may read one. Nothing here prints, exits, or touches files or the network.
 */
#ifndef PORTOLAN_MODELS_H
#define PORTOLAN_MODELS_H

#include <portolan/base.h>
#include <portolan/formula.h>
#include <portolan/stats.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    PORTOLAN_MODEL_MAX_PARAMS = 8,
    PORTOLAN_MODEL_MAX_TERMS = 16,
    PORTOLAN_MODEL_MAX_PIECES = 16,
    PORTOLAN_MODEL_MAX_LOG = 4,             /**< highest power of a logarithm */
    PORTOLAN_MODEL_MAX_XML_BYTES = 1 << 20, /**< longer texts are refused */
};

/**
 * The relative standard deviation that is assumed if the rows do not show their own error: as many
 * constants as points and no repetition. Predictions that depend on it are marked.
 */
#define PORTOLAN_MODEL_ASSUMED_ERROR 0.25

/** Rows with larger |values| or weights are refused; |values| below its reciprocal count as 0. */
#define PORTOLAN_MODEL_MAX_VALUE 1e60

/**
 * The rows. Rows with equal parameters are repetitions: one value stands for them (see
 * portolan_model_statistic), and their spread gives the noise. A spike among three or more
 * repetitions is ignored.
 */
struct portolan_model_data {
    size_t n_params;           /**< 0 … PORTOLAN_MODEL_MAX_PARAMS; 0 fits a constant */
    const char *const *params; /**< N_PARAMS names, all different, borrowed for the call */
    size_t n_rows;             /**< at least 1 */
    const double *x;           /**< N_ROWS × N_PARAMS, row by row; NULL when there are no params */
    const double *y;           /**< N_ROWS values */
    const double *weight;      /**< N_ROWS precisions (1/variance, up to a factor); NULL = all 1.
                                    A row that is the mean of k calls may have weight k. 0: the row
                                    is ignored. */
};

/** The family of a model, by the form of its terms. */
enum portolan_model_family {
    PORTOLAN_MODEL_CONSTANT = 1 << 0,
    PORTOLAN_MODEL_POWER = 1 << 1,       /**< c n^p, with or without an additive constant */
    PORTOLAN_MODEL_POLYNOMIAL = 1 << 2,  /**< up to degree 3; two whole powers up to 4 */
    PORTOLAN_MODEL_LOGARITHMIC = 1 << 3, /**< c n^i log2(n)^j; with constant or not */
    PORTOLAN_MODEL_PRODUCT = 1 << 4,     /**< several parameters: one product of powers and logs */
    PORTOLAN_MODEL_SUM = 1 << 5,         /**< several parameters: one term for each, and products;
                                              one parameter: two terms, c + a/n + b log2(n) say */
    PORTOLAN_MODEL_GIVEN = 1 << 6,       /**< terms were given by the caller; not searched */
    PORTOLAN_MODEL_PIECEWISE = 1 << 7    /**< several intervals with models of their own */
};

enum portolan_model_weighting {
    PORTOLAN_MODEL_RELATIVE, /**< each residual counts relative to the fitted value */
    PORTOLAN_MODEL_ABSOLUTE  /**< ordinary least squares */
};

/** The value that stands for the repetitions of a point. */
enum portolan_model_statistic {
    PORTOLAN_MODEL_TYPICAL, /**< their middle, without spikes: the mean; the median if tails are
                                 heavy or rows few; with the extremes if tails are light */
    PORTOLAN_MODEL_MEDIAN,
    PORTOLAN_MODEL_MEAN,
    PORTOLAN_MODEL_MINIMUM,
    PORTOLAN_MODEL_MAXIMUM,
    PORTOLAN_MODEL_DEVIATION /**< their standard deviation: it is modelled instead of the middle;
                                  points without repetitions are ignored */
};

/**
 * The value that stands for N VALUES of a point, which it sorts; for TYPICAL the median, since
 * TYPICAL needs the other points, too. NaN if N is 0, and for DEVIATION if N is 1. For reports that
 * compare a model with its points.
 */
PORTOLAN_API double portolan_model_stand_in(enum portolan_model_statistic statistic, size_t n,
                                            double *values);

/** The kind of the values. */
enum portolan_model_kind {
    PORTOLAN_MODEL_AMOUNT, /**< times, bytes: any number, not negative where constants are not */
    PORTOLAN_MODEL_COUNT,  /**< predictions are whole, and the ends of their intervals; not negative
                            */
    PORTOLAN_MODEL_SHARE   /**< predictions and intervals stay between 0 and 1 */
};

/** Start it as `{0}`, which is right for times. */
struct portolan_model_options {
    bool allow_negative; /**< constants may be negative; they always may if no value is positive.
                              Otherwise values are sums of costs, and no constant is negative; but
                              if no such sum fits its points (portolan_model_fits()) and a formula
                              with negative constants does, that is taken, and bounded */
    enum portolan_model_weighting weighting;
    bool only_products; /**< the search looks for one product of all parameters, or a constant */
    double confidence;  /**< of intervals, 0 < c < 1; 0 = 0.95 */
    enum portolan_model_statistic statistic;
    enum portolan_model_kind kind;
    bool trimmed;        /**< least trimmed squares: the quarter of the points that fits worst does
                              not count, for rows where whole points are bad */
    unsigned max_pieces; /**< portolan_model_fit_pieces(): at most so many intervals; 0 = as many as
                              the rows support */
};

/**
 * One term without its constant: product over parameters of x^exponent · log2(x)^log, or any
 * expression of them.
 */
struct portolan_model_shape {
    double exponents[PORTOLAN_MODEL_MAX_PARAMS];
    unsigned char logs[PORTOLAN_MODEL_MAX_PARAMS];
    const struct portolan_formula *expression; /**< not NULL: the term is this expression of the
                                                    model's parameters, and EXPONENTS and LOGS are
                                                    0. Borrowed by calls; of a model's terms, the
                                                    model's own. */
};

struct portolan_model_term {
    double constant;
    double std_error; /**< of the constant; NaN when the rows do not tell */
    struct portolan_model_shape shape;
    unsigned fitted_exponents; /**< bit p: exponents[p] was estimated too, not taken from a list */
};

enum portolan_model_drop {
    PORTOLAN_MODEL_DROP_NEGATIVE, /**< its constant would have been negative */
    PORTOLAN_MODEL_DROP_DEPENDENT /**< the rows cannot tell it from the others */
};

struct portolan_model_dropped {
    struct portolan_model_shape shape;
    enum portolan_model_drop reason;
};

/** The range of one parameter in the rows, and how sure the form is outside it. */
struct portolan_model_range {
    double min, max;
    double drift_below, drift_above; /**< how far forms that fit about as well diverge: standard
                                          deviation of the value's logarithm one octave outside; it
                                          grows with the octaves to the power of 1.5 */
};

struct portolan_model_summary {
    enum portolan_model_family family;
    enum portolan_model_weighting weighting;
    enum portolan_model_statistic statistic; /**< what stood for the repetitions of a point */
    enum portolan_model_kind kind;
    bool nonnegative; /**< constants were kept from being negative */
    bool bounded;  /**< constants have either sign, but values are costs: outside the rows they are
                        kept above 0 */
    size_t n_rows; /**< rows with weight > 0 */
    size_t n_points;       /**< different points among them */
    size_t n_outliers;     /**< points left out because no smooth model reaches them */
    double dof;            /**< degrees of freedom of SIGMA; 0 when it is assumed */
    double sigma;          /**< standard deviation of a new row of weight 1: relative or absolute as
                                the weighting is */
    bool sigma_is_assumed; /**< see PORTOLAN_MODEL_ASSUMED_ERROR */
    double sigma_repeat;   /**< of repetitions alone; NaN without any */
    double rms;            /**< residuals of the points: root of the mean square, … */
    double max;            /**< … the largest, and … */
    double leave_one_out;  /**< … the root mean square of each point predicted without itself; NaN
                                when a constant hangs on one point. Relative or absolute alike. */
    double condition;      /**< of the scaled least-squares problem with all given terms; infinite
                                when some are dependent */
    double confidence;
    double floor; /**< relative weighting takes smaller |values| as this large, in the values'
                       unit; 0 with absolute weighting */
};

struct portolan_prediction {
    double value;
    double low, high;  /**< a new row of weight 1 lies between, with the model's confidence; of a
                            model whose constants are not negative, LOW is at least 0, or VALUE where
                            that is less */
    double std_error;  /**< of the value as a mean of many such rows */
    bool extrapolates; /**< X is outside the ranges of the rows, or within them but where no row had
                            such a ratio or product of two parameters */
    size_t outside;    /**< the parameter farthest outside; undefined if none is */
    double octaves;    /**< how far, in factors of two */
    bool is_assumed;   /**< the interval rests on assumption, not on rows */
    size_t piece;      /**< which of the model's pieces holds here; 0 of an ordinary model */
    bool in_gap;       /**< between the rows of two pieces, where either may hold: LOW and HIGH then
                            take in both pieces' intervals */
};

/** Where a piece holds: LOW <= v < HIGH, where v is a parameter or the ratio of two. */
struct portolan_model_condition {
    size_t param;
    size_t divisor;   /**< v = param / divisor; SIZE_MAX: v is the parameter itself */
    double low, high; /**< -INFINITY and INFINITY where it is open */
};

/** Where one piece ends and the next begins. */
struct portolan_model_break {
    size_t param, divisor; /**< of v, as above */
    double below, above;   /**< the break is between these neighbouring values of the rows */
    double at;             /**< where prediction changes over, BELOW < AT <= ABOVE */
    double low, high;      /**< the profile-likelihood set, with the model's confidence: the break
                                may lie in any gap between these two values of rows */
};

/** Where a model comes from. All text is UTF-8; NULL: not stated. */
struct portolan_model_envelope {
    const char *name;    /**< of what is modelled: "heat.Cholmod.solve" */
    const char *unit;    /**< of the value: "s" */
    const char *quality; /**< which quality of service the value is: "time", "accuracy", "memory" …
                          */
    const char *machine; /**< where the rows were measured */
    const char *program;
    const char *source;                                 /**< the rows: a store, a report, a line */
    const char *created;                                /**< a date that the caller chooses */
    const char *param_units[PORTOLAN_MODEL_MAX_PARAMS]; /**< one per parameter */
};

struct portolan_model;

/**
 * Chooses a model for DATA among the families by the evidence for each form: a richer form must fit
 * better than chance explains. One point gives a constant; two give a power law (or a line) if they
 * differ by more than noise explains. OPTIONS may be NULL. *MODEL is the caller's to destroy.
 *
 * PORTOLAN_EINVAL: no rows, too many parameters, a name missing or double, a number not finite, a
 * value too large, a negative weight, a confidence outside (0, 1). PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_model_fit(const struct portolan_model_data *data,
                                                     const struct portolan_model_options *options,
                                                     struct portolan_model **model,
                                                     struct portolan_error *err);

/**
 * Fits the constants of the given sum of SHAPES (at least 1, at most PORTOLAN_MODEL_MAX_TERMS).
 * Terms whose constant would be negative, or that the rows cannot tell apart, are dropped and
 * reported. Errors as above, and PORTOLAN_EINVAL when a term is not finite on a row.
 */
PORTOLAN_API enum portolan_status
portolan_model_fit_terms(const struct portolan_model_data *data,
                         const struct portolan_model_shape *shapes, size_t n_shapes,
                         const struct portolan_model_options *options,
                         struct portolan_model **model, struct portolan_error *err);

/**
 * Fits models that hold in intervals of one parameter, or of a ratio of two such as N/P, by
 * exact segmentation with relative weights; parts are split again. More pieces are accepted when
 * noise, estimated from repetitions and residuals, does not explain their gain; one smooth
 * series in a hundred gets false pieces (docs/decisions/0034). Each piece is fitted by SHAPES,
 * where constants that are equal in all pieces are fitted to all rows; or by the search if
 * N_SHAPES is 0. A single piece is an ordinary model. OPTIONS->max_pieces bounds their number.
 * Bai and Perron 2003, "Computation and analysis of multiple structural change models". Errors
 * as above.
 */
PORTOLAN_API enum portolan_status
portolan_model_fit_pieces(const struct portolan_model_data *data,
                          const struct portolan_model_shape *shapes, size_t n_shapes,
                          const struct portolan_model_options *options,
                          struct portolan_model **model, struct portolan_error *err);

/**
 * Fits the constants of a user's FORMULA over DATA's params, in canonical form: fft[0] +
 * fft[1]*log(P) + …, at most PORTOLAN_MODEL_MAX_TERMS terms. Dropped terms as above.
 * PORTOLAN_EINVAL too when it is not canonical or uses a name that is no param. Errors as above.
 */
PORTOLAN_API enum portolan_status
portolan_model_fit_formula(const struct portolan_model_data *data,
                           const struct portolan_formula *formula,
                           const struct portolan_model_options *options,
                           struct portolan_model **model, struct portolan_error *err);

/**
 * The fit that a user asks for: of FORMULA or, if that is NULL, by the search; with PIECES, in
 * several intervals. Errors as of those functions.
 */
PORTOLAN_API enum portolan_status
portolan_model_fit_as(const struct portolan_model_data *data,
                      const struct portolan_formula *formula, bool pieces,
                      const struct portolan_model_options *options, struct portolan_model **model,
                      struct portolan_error *err);

/**
 * The terms of such a FORMULA, in the order of its constants, for the fits that take shapes. Free
 * *SHAPES with portolan_model_shapes_destroy() (NULL is legal); models have copies.
 * PORTOLAN_EINVAL: not canonical, too many terms, a name that is no param. PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status
portolan_model_formula_shapes(const struct portolan_formula *formula, size_t n_params,
                              const char *const *params, struct portolan_model_shape **shapes,
                              size_t *n_shapes, struct portolan_error *err);
PORTOLAN_API void portolan_model_shapes_destroy(struct portolan_model_shape *shapes,
                                                size_t n_shapes);

/**
 * Where the terms of FORMULA, in the order of its N constants, are in MODEL, which was fitted with
 * it (or in a piece of such a one): TERMS[k] is a position in portolan_model_peek_terms() and,
 * after the last of these, in portolan_model_peek_dropped(); SIZE_MAX: in neither. Errors as above,
 * and PORTOLAN_EINVAL when N is not the number of its constants.
 */
PORTOLAN_API enum portolan_status
portolan_model_formula_terms(const struct portolan_model *model,
                             const struct portolan_formula *formula, size_t n, size_t *terms,
                             struct portolan_error *err);

/**
 * The values of the N constants of FORMULA in MODEL, which was fitted with it (or in a piece of
 * such a model): CONSTANTS[k] is NAME[k], 0 if the term was dropped; STD_ERRORS likewise, or NULL.
 * Errors as above.
 */
PORTOLAN_API enum portolan_status
portolan_model_formula_constants(const struct portolan_model *model,
                                 const struct portolan_formula *formula, size_t n,
                                 double *constants, double *std_errors, struct portolan_error *err);

/** A model that is known, not measured: terms with constants, valid everywhere, without error. All
 * is copied; *MODEL is the caller's to destroy. PORTOLAN_EINVAL: names, or terms that are too many
 * or not finite; PORTOLAN_ENOMEM. */
PORTOLAN_API enum portolan_status portolan_model_create(size_t n_params, const char *const *params,
                                                        const struct portolan_model_term *terms,
                                                        size_t n_terms,
                                                        struct portolan_model **model,
                                                        struct portolan_error *err);

/** NULL is legal. */
PORTOLAN_API void portolan_model_destroy(struct portolan_model *model);

/**
 * The value at X (one number per parameter) with its interval. PORTOLAN_EINVAL when the model has
 * no finite value there (the logarithm of 0, say); *OUT is then untouched. Allocates nothing.
 */
PORTOLAN_API enum portolan_status portolan_model_predict(const struct portolan_model *model,
                                                         const double *x,
                                                         struct portolan_prediction *out);

/** The value of the formula itself at X, whatever the kind; NaN or infinite where the model has
 * none. Takes about 10 ns. */
PORTOLAN_API double portolan_model_value(const struct portolan_model *model, const double *x);

/**
 * Whether the model's formula turns negative ABOVE (or below) the measured values of PARAM, up to
 * 30 factors of two outside, and FROM which value on; other parameters have their largest measured
 * value. A bounded model's predictions are kept above 0 there. False for a model of several pieces.
 */
PORTOLAN_API bool portolan_model_turns_negative(const struct portolan_model *model, size_t param,
                                                bool above, double *from);

/**
 * Whether the model fits its own points: false if it misses the value of a point by more than four
 * standard deviations of repetitions; without any, by more than half (relative weighting only). A
 * model that does not fit its points should not be believed elsewhere.
 */
PORTOLAN_API bool portolan_model_fits(const struct portolan_model *model);

/** 1 for an ordinary model. A model of several has no terms itself: its pieces have them. */
PORTOLAN_API size_t portolan_model_n_pieces(const struct portolan_model *model);
/**
 * Piece I < portolan_model_n_pieces() and where it holds: all of *N_CONDITIONS conditions
 * (CONDITIONS and N_CONDITIONS may be NULL). The piece of an ordinary model is itself, without
 * conditions. Every point belongs to exactly one piece.
 */
PORTOLAN_API const struct portolan_model *
portolan_model_peek_piece(const struct portolan_model *model, size_t i,
                          const struct portolan_model_condition **conditions, size_t *n_conditions);
PORTOLAN_API const struct portolan_model_break *
portolan_model_peek_breaks(const struct portolan_model *model, size_t *n_breaks);

/** Borrowed from the model, valid as long as it is: */
PORTOLAN_API const struct portolan_model_summary *
portolan_model_peek_summary(const struct portolan_model *m);
PORTOLAN_API const struct portolan_model_term *
portolan_model_peek_terms(const struct portolan_model *m, size_t *n_terms);
PORTOLAN_API const struct portolan_model_dropped *
portolan_model_peek_dropped(const struct portolan_model *m, size_t *n_dropped);
PORTOLAN_API size_t portolan_model_n_params(const struct portolan_model *model);
PORTOLAN_API const char *portolan_model_peek_param(const struct portolan_model *model,
                                                   size_t param);
PORTOLAN_API const struct portolan_model_range *
portolan_model_peek_range(const struct portolan_model *model, size_t param);
/** For people: "0.12 + 3.4e-07 n^1.5". */
PORTOLAN_API const char *portolan_model_peek_formula(const struct portolan_model *model);
/** The text from portolan_model_describe() or from XML; all NULL otherwise. */
PORTOLAN_API const struct portolan_model_envelope *
portolan_model_peek_envelope(const struct portolan_model *m);

/** "constant", "power", …; "unknown" for any other number. */
PORTOLAN_API const char *portolan_model_family_name(enum portolan_model_family family);

/**
 * Copies ENVELOPE into MODEL in place of the old one (NULL empties it). PORTOLAN_EINVAL for text
 * that XML cannot carry; PORTOLAN_ENOMEM. Not while other threads use MODEL.
 */
PORTOLAN_API enum portolan_status
portolan_model_describe(struct portolan_model *model,
                        const struct portolan_model_envelope *envelope, struct portolan_error *err);

/** *TEXT: the model in the form of models/model.rng, malloc'ed, the caller frees it.
 * PORTOLAN_ENOMEM. */
PORTOLAN_API enum portolan_status portolan_model_write_xml(const struct portolan_model *model,
                                                           char **text, struct portolan_error *err);

/**
 * *TEXT: C source that compiles as C and as C++: one function of the parameters, in their order,
 * under a comment with unit, ranges of validity and error. FUNCTION is its name (NULL: made of the
 * envelope's by portolan_model_name_c(); PORTOLAN_EINVAL when it is no identifier, or taken). It
 * computes what portolan_model_value() does, in the same steps; where compilers fold pow(x, -1), or
 * contract to fused operations, the last bit may differ. The bound of a bounded model is not in it.
 */
PORTOLAN_API enum portolan_status portolan_model_write_c(const struct portolan_model *model,
                                                         const char *function, char **text,
                                                         struct portolan_error *err);

/**
 * *NAME: WISH as the name of a C function, malloc'ed, the caller frees it: "heat.Cholmod" becomes
 * heat_Cholmod. A name that C, C++ or their libraries use gets the ending _model (time_model), or,
 * where they reserve its beginning, that in front (model_isolate). PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_model_name_c(const char *wish, char **name,
                                                        struct portolan_error *err);

/**
 * Reads the model in SIZE bytes of TEXT; every number is exactly the one that was written. FILE
 * names the text in messages. Each problem is reported to DIAGNOSTICS (may be NULL) with its line;
 * ERR gets the first as "file:line: what". *MODEL is the caller's to destroy. PORTOLAN_ESYNTAX for
 * bad input, document types and external entities included; PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_model_read_xml(const char *text, size_t size,
                                                          const char *file,
                                                          struct portolan_diagnostics *diagnostics,
                                                          struct portolan_model **model,
                                                          struct portolan_error *err);

#ifdef __cplusplus
}
#endif
#endif
