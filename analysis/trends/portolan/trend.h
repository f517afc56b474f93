/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Trends: what every call path costs as a function of the parameters, over the trials of a store or
 * from a file of measurements, each with its model; and texts, charts and comparisons of them.
 *
 * What is stored is never changed. All functions may be called by any thread, a store by one at a
 * time. Times from a store are nanoseconds; the unit of a file's values is not known. The caller
 * destroys the trends that a function makes; a trend's strings, rows and model belong to them.
 */
#ifndef PORTOLAN_TREND_H
#define PORTOLAN_TREND_H

#include <portolan/extrap.h>
#include <portolan/models.h>
#include <portolan/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The parameters that the cost of a call path is shown against. */
enum portolan_trend_by {
    PORTOLAN_TREND_AUTO,       /**< parameters of the trials if one differs, else contexts */
    PORTOLAN_TREND_PARAMETERS, /**< numbers among the trials' parameters that differ between them,
                                    and the number of ranks: one row per trial */
    PORTOLAN_TREND_CONTEXTS,   /**< contexts of calls (the trials' parameters, if a call has none):
                                    per call, one row for each step, rank and context */
    PORTOLAN_TREND_BOTH        /**< like contexts, but together with the trials' parameters */
};

enum portolan_trend_over { PORTOLAN_TREND_MEAN, PORTOLAN_TREND_MAX, PORTOLAN_TREND_SUM };

/** Start it as `{0}`. */
struct portolan_trend_query {
    const char *metric; /**< NULL or "exclusive", "inclusive", "mpi", "calls", "accuracy", or a
                             counter */
    enum portolan_trend_by by;
    enum portolan_trend_over over; /**< ranks; with contexts each rank has its own rows */
    const char *method;            /**< a pattern of fnmatch(3) for labels or paths; NULL: all */
};

/** One call path, with one implementation of the called instance. */
struct portolan_trend {
    const char *path;     /**< "driver.go->solver.solve [heat.Cholmod]", and where a file has
                               several metrics, "main->solve [time]" */
    const char *label;    /**< its last part */
    const char *callpath; /**< like PATH, but never with the metric */
    const char *metric;
    size_t n_params;
    const char *const *params;
    size_t n_rows;
    const double *x; /**< N_ROWS x N_PARAMS, sorted */
    const double *y;
    const size_t *in_time; /**< IN_TIME[k] is the row that was measured, or read, as number k */
    enum portolan_model_statistic statistic; /**< the statistic that the model predicts */
    struct portolan_model *model;            /**< NULL before portolan_trends_fit(), or: */
    const char *why;                         /**< why there is no model; else NULL */
};

struct portolan_trends {
    const char *unit; /**< "ns", "calls", "" */
    const char *what; /**< "exclusive time per run, mean over ranks" */
    size_t n_trials;  /**< 0: from a file */
    size_t n;
    struct portolan_trend *items; /**< in order of first occurrence, callers before callees */
    struct portolan_arena arena;  /**< holds everything but the models */
};

/**
 * Reads the rows of TRIALS; unfinished trials are left out if any trial finished. Errors: ENOTFOUND
 * (no trial, or no matching call path), EINVAL (nothing differs between the trials, no such
 * metric), those of the store, ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_trends_read(struct portolan_store *store,
                                                       const struct portolan_trial_list *trials,
                                                       const struct portolan_trend_query *query,
                                                       struct portolan_trends **trends,
                                                       struct portolan_error *err);

/**
 * Rows from comma separated values: a line of names, then numbers. VALUE names the column that is
 * modelled (NULL: the last); the columns before it are the parameters; where one column is called
 * "callpath" or "metric" its texts tell trends apart. Blank lines, those that begin with # and a
 * byte order mark are skipped. Each problem is reported with its line. Errors: ESYNTAX, ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_trends_read_csv(const char *text, size_t size,
                                                           const char *file, const char *value,
                                                           struct portolan_diagnostics *diagnostics,
                                                           struct portolan_trends **trends,
                                                           struct portolan_error *err);

/**
 * Makes the rows of MEASUREMENTS (Extra-P's files; see <portolan/extrap.h>), which SOURCE names.
 * Uses only metric (NULL: all) and method of QUERY. Errors: ENOTFOUND (nothing matches), ENOMEM.
 */
PORTOLAN_API enum portolan_status
portolan_trends_of_measurements(const struct portolan_measurements *measurements,
                                const struct portolan_trend_query *query, const char *source,
                                struct portolan_trends **trends, struct portolan_error *err);

/**
 * Writes the rows in one of Extra-P's forms; the caller frees *TEXT. Errors: EINVAL (trends with
 * different parameters, or something that the form cannot express), ENOMEM.
 */
PORTOLAN_API enum portolan_status
portolan_trends_write_extrap(const struct portolan_trends *trends,
                             enum portolan_measurements_format format, char **text,
                             struct portolan_error *err);

/** Output forms for other programs. */
enum portolan_trend_form {
    PORTOLAN_TREND_XML,
    PORTOLAN_TREND_C, /**< a function for each model */
    PORTOLAN_TREND_LATEX,
    PORTOLAN_TREND_EXTRAP, /**< from here on the rows: JSON Lines, */
    PORTOLAN_TREND_EXTRAP_JSON,
    PORTOLAN_TREND_EXTRAP_TEXT,
    PORTOLAN_TREND_TEXT /**< none of these */
};

/**
 * Adds the models, or the rows, in FORM to OUT. Errors: EINVAL (a trend without model, several in
 * XML, something that a form cannot express), ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_trends_write_form(const struct portolan_trends *trends,
                                                             enum portolan_trend_form form,
                                                             struct portolan_text *out,
                                                             struct portolan_error *err);

/** NULL is legal. */
PORTOLAN_API void portolan_trends_destroy(struct portolan_trends *trends);

/** How to fit. Start it as `{0}`. */
struct portolan_trend_fit {
    struct portolan_model_options options;
    const struct portolan_formula *formula; /**< NULL: search for the form */
    bool pieces;                            /**< also search intervals of validity */
    const char *up_to;                      /**< rows with this parameter ... */
    double limit;                           /**< ... up to this value; UP_TO NULL: all */
};

/**
 * Gives each trend its model, replacing an earlier one. If rows cannot be modelled, the model is
 * NULL and `why` says why. ENOMEM; EINVAL for options that fit no trend.
 */
PORTOLAN_API enum portolan_status portolan_trends_fit(struct portolan_trends *trends,
                                                      const struct portolan_trend_fit *fit,
                                                      struct portolan_error *err);

/** What portolan_trends_write_list() shows. Start it as `{0}`. */
struct portolan_trend_list {
    const char *sort; /**< NULL or "value" (at the largest measured point or AT), "growth" (per
                           doubling there), "error", "name", "called" */
    size_t top;       /**< show this many rows; 0: all */
    bool wide;        /**< do not shorten long names */
    size_t n_at;      /**< predict where these parameters have these values */
    const struct portolan_name_value *at;
};

/**
 * Adds to OUT a line per trend: rows, model, error, and the value with its interval at the point
 * asked for, marked `!` if that is outside the measured range. Errors: EINVAL (no such order or
 * parameter, no number), ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_trends_write_list(const struct portolan_trends *trends,
                                                             const struct portolan_trend_list *list,
                                                             struct portolan_text *out,
                                                             struct portolan_error *err);

/** Adds to OUT all that is known about one trend, and its rows. Errors: ENOMEM. */
PORTOLAN_API enum portolan_status portolan_trend_write(const struct portolan_trends *trends,
                                                       const struct portolan_trend *trend,
                                                       struct portolan_text *out,
                                                       struct portolan_error *err);

/**
 * Adds to OUT measured compared with predicted, a line per point: the values, the error (measured -
 * predicted) / measured in percent, and at the end the mean of the errors' absolute values. Points
 * outside the range of the fit are marked. Errors: ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_trend_write_errors(const struct portolan_trends *trends,
                                                              const struct portolan_trend *trend,
                                                              struct portolan_text *out,
                                                              struct portolan_error *err);

/**
 * Adds to OUT the models of A and B side by side, by call path, and the ratio of B to A at the
 * largest point that both cover. Errors: ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_trends_write_comparison(const struct portolan_trends *a,
                                                                   const struct portolan_trends *b,
                                                                   size_t top, bool wide,
                                                                   struct portolan_text *out,
                                                                   struct portolan_error *err);

/** What a chart shows. Start it as `{0}`. */
struct portolan_trend_plot {
    const char *x; /**< the parameter along the axis; NULL: the first that differs. The others are
                        as large as they were measured. */
    bool linear;   /**< else an axis is logarithmic where its numbers span more than a factor 8 */
    size_t top;    /**< draw this many trends, those with the largest values; 0: all */
};

/**
 * Rows and models as a chart, of a single trend with the interval of new rows: the text of FILE, in
 * the form that its ending says (portolan_chart_write()). The caller frees *TEXT. Errors: EINVAL
 * (no such parameter, nothing to draw, FILE ends otherwise), ENOMEM.
 */
PORTOLAN_API enum portolan_status
portolan_trends_write_chart(const struct portolan_trends *trends,
                            const struct portolan_trend_plot *plot, const char *file, char **text,
                            struct portolan_error *err);

#ifdef __cplusplus
}
#endif
#endif
