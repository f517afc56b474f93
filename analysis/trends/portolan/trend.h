/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Trends: what every call path costs as a function of the parameters, over the trials of a store or
 * from a file of measurements, each with its model; and texts, charts and comparisons of them.
 *
 * What is stored is never changed. All functions may be called by any thread, a store and trends by
 * one at a time. Times from a store are nanoseconds; the unit of a file's values is not known.
 * Problems in texts (files, a formula) go to DIAGNOSTICS (may be NULL), each with its line.
 */
#ifndef PORTOLAN_TREND_H
#define PORTOLAN_TREND_H

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
                             counter; of Extra-P's files their metrics, NULL: all */
    enum portolan_trend_by by;
    enum portolan_trend_over over; /**< ranks; with contexts each rank has its own rows */
    const char *method;            /**< a pattern of fnmatch(3) for labels or paths; NULL: all */
    const char
        *value; /**< of comma separated values: the column that is modelled; NULL: the last */
};

/** Call paths, each with one implementation of the called instance, their rows and models. */
struct portolan_trends;

/**
 * Reads the rows of TRIALS, which are alike (portolan_trials_keep_alike()); of rows of whole runs
 * stopped trials are left out if any trial finished. *TRENDS is the caller's to destroy. Errors:
 * ENOTFOUND (no trial, or no matching call path), EINVAL (nothing differs between the trials, no
 * such metric), those of the store, ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_trends_read(struct portolan_store *store,
                                                       const struct portolan_trial_list *trials,
                                                       const struct portolan_trend_query *query,
                                                       struct portolan_trends **trends,
                                                       struct portolan_error *err);

/**
 * Rows from SIZE bytes of TEXT (with a NUL after them), the content of FILE: one of Extra-P's forms
 * (see <portolan/extrap.h>), or comma separated values: a line of names, then numbers. The columns
 * before the value are the parameters; if a column has the name "callpath" or "metric", each of its
 * texts is a separate trend. Blank lines, those that begin with # and a byte order mark are
 * skipped. *TRENDS is the caller's to destroy. Errors: ESYNTAX, ENOTFOUND (no such call path or
 * metric), ENOMEM.
 */
PORTOLAN_API enum portolan_status
portolan_trends_read_text(const char *text, size_t size, const char *file,
                          const struct portolan_trend_query *query,
                          struct portolan_diagnostics *diagnostics, struct portolan_trends **trends,
                          struct portolan_error *err);

/** NULL is legal. */
PORTOLAN_API void portolan_trends_destroy(struct portolan_trends *trends);

/** How to fit. Start it as `{0}`. */
struct portolan_trend_fit {
    struct portolan_model_options options;
    const char *formula; /**< in canonical form; NULL: search for the form */
    bool pieces;         /**< also search intervals of validity */
    const char *up_to;   /**< rows with this parameter ... */
    double limit;        /**< ... up to this value; UP_TO NULL: all */
};

/**
 * Gives each trend its model, replacing an earlier one; a trend whose rows cannot be modelled has
 * none, and is shown with the reason. Errors: ESYNTAX of the formula, ENOMEM, EINVAL for options
 * that fit no trend.
 */
PORTOLAN_API enum portolan_status portolan_trends_fit(struct portolan_trends *trends,
                                                      const struct portolan_trend_fit *fit,
                                                      struct portolan_diagnostics *diagnostics,
                                                      struct portolan_error *err);

enum portolan_trend_form {
    PORTOLAN_TREND_XML,         /**< the one model */
    PORTOLAN_TREND_C,           /**< a function for each model */
    PORTOLAN_TREND_EXTRAP,      /**< the rows for Extra-P, as its JSON, */
    PORTOLAN_TREND_EXTRAP_TEXT, /**< and as its text */
    /** A line per trend: rows, model, error, and the value with its interval at the point asked
        for, marked `!` if that is outside the measured range. */
    PORTOLAN_TREND_LIST,
    PORTOLAN_TREND_LIST_OR_WHOLE, /**< the list, of a single trend the whole */
    PORTOLAN_TREND_WHOLE,         /**< all that is known about each trend, and its rows */
    /** Measured compared with predicted, a line per point: the values, the error (measured -
        predicted) / measured in percent, and at the end the mean of the errors' absolute values.
        Points outside the range of the fit are marked. */
    PORTOLAN_TREND_ERRORS,
    /** Models of two sets side by side, by call path, and the ratio of the second to the first at
        the largest point that both cover. */
    PORTOLAN_TREND_COMPARISON,
    PORTOLAN_TREND_CHART /**< the largest trends, each with its line; a single one with band */
};

/** The contents that portolan_trends_write() shows. Start it as `{0}`. */
struct portolan_trend_view {
    enum portolan_trend_form form;
    size_t top;       /**< show this many trends; 0: all */
    const char *sort; /**< of a list: NULL or "value" (at the largest measured point or AT),
                         "growth" (per doubling there), "error", "name", "called" */
    bool wide;        /**< do not shorten long names */
    size_t n_at;      /**< of a list: predict where these parameters have these values */
    const struct portolan_name_value *at;
    const struct portolan_trends *other; /**< of a comparison: the second set */
    const char *file;                    /**< of a chart: its ending is the form, see chart.h */
    const char *x; /**< of a chart: the parameter along the axis; NULL: the first that differs */
    bool linear;   /**< no logarithmic axes */
};

/**
 * Adds to OUT the trends as VIEW says. Errors: EINVAL (a trend without model, or several trends, in
 * a form that needs one model; something that the form cannot express; no such order or parameter;
 * not a number), ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_trends_write(const struct portolan_trends *trends,
                                                        const struct portolan_trend_view *view,
                                                        struct portolan_text *out,
                                                        struct portolan_error *err);

#ifdef __cplusplus
}
#endif
#endif
