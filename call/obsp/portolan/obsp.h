/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * obsp: the time of a bulk synchronous program by the models OBSP* and plain BSP.
 *
 * OBSP* (J. A. González et al., "Analysis and Tools for Performance Prediction", 2001, section 2)
 * knows oblivious synchronisation and groups of processors. The time F at which processor i ends
 * superstep s is
 *
 *     F(s,i) = max { F(s-1,j) + w(s,j) : j in Ω(s,i) } + g h(s,i) + L                   (2)
 *
 * where w is time of computation, Ω(s,i) are i and the senders to it in s, or all of its group when
 * the superstep ends in a barrier (1), and h(s,i) the most bytes in and out, their maximum or sum,
 * of one of Ω(s,i) (4). To the group that was partitioned, the work of a part until done counts as
 * computation of its processors (5, 6). g h + L may be replaced, superstep by superstep, by the
 * value of an experiment with constants of its own that surrounds the end of the superstep.
 *
 * Plain BSP: every superstep, whatever group it is of and however it ends, ends in a barrier of all
 * processors; the k-th takes max w + g max h + L. A group's superstep is numbered after the last
 * one of any of its processors, so groups that run at a time share barriers.
 *
 * A trace says what each processor did and when; the BSP library writes it (portolan-obsp(1)). All
 * texts and numbers that are borrowed live as long as the trace. Times are seconds, sizes bytes.
 * One thread at a time uses a trace; nothing here prints or exits.
 */
#ifndef PORTOLAN_OBSP_H
#define PORTOLAN_OBSP_H

#include <portolan/base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    PORTOLAN_OBSP_MAX_PROCESSORS = 1 << 16,
    PORTOLAN_OBSP_MAX_CONSTANTS = 16 /**< per experiment */
};

struct portolan_obsp_trace;
struct portolan_cll_report; /* cll_report.h */

/**
 * The trace in SIZE bytes of TEXT, which is JSON; FILE names it in messages.
 * Each problem is reported to DIAGNOSTICS (may be NULL), ERR gets the first. *TRACE
 * is the caller's to destroy. PORTOLAN_ESYNTAX; also when supersteps do not fit together: more or
 * fewer messages awaited than sent, processors of a group that end different numbers of supersteps.
 * PORTOLAN_ENOMEM.
 */
enum portolan_status portolan_obsp_read(const char *text, size_t size, const char *file,
                                        struct portolan_diagnostics *diagnostics,
                                        struct portolan_obsp_trace **trace,
                                        struct portolan_error *err);

/** NULL is legal. */
void portolan_obsp_destroy(struct portolan_obsp_trace *trace);

size_t portolan_obsp_n_processors(const struct portolan_obsp_trace *trace);

/** A stretch of the program that was annotated. */
struct portolan_obsp_experiment {
    const char *name;
    const char *formula; /**< canonical, or NULL */
    size_t n_identifiers;
    const char *const *identifiers; /**< each run states their values */
    size_t n_runs;
    bool is_communication;   /**< its runs surround ends of supersteps */
    size_t n_constants;      /**< of the formula */
    const double *constants; /**< NULL: not known (yet) */
    size_t n_intervals;      /**< with constants of their own; 1: CONSTANTS hold for all values */
    bool is_local;           /**< neighbours, which err less, predict between measured values */
};

const struct portolan_obsp_experiment *
portolan_obsp_peek_experiments(const struct portolan_obsp_trace *trace, size_t *n);

/**
 * Gives experiment NAME its N constants, in order of their numbers. PORTOLAN_ENOTFOUND without such
 * an experiment; PORTOLAN_EINVAL when its formula has another number of constants, when it has no
 * formula, or when a constant is not finite.
 */
enum portolan_status portolan_obsp_set_constants(struct portolan_obsp_trace *trace,
                                                 const char *name, size_t n,
                                                 const double *constants,
                                                 struct portolan_error *err);

/**
 * Gives TRACE's experiments what portolan_obsp_fit() found for those of the same name in FROM:
 * copies constants and, where these are not enough, moves intervals and neighbours. Errors as
 * above.
 */
enum portolan_status portolan_obsp_take_constants(struct portolan_obsp_trace *trace,
                                                  struct portolan_obsp_trace *from,
                                                  struct portolan_error *err);

/**
 * Fits the constants of every experiment that has a formula to REPORT's rows (the clock's column)
 * or, if REPORT is NULL, to the trace's own runs; then without the time that communication spent
 * waiting for others. If times follow the formula in several intervals
 * (portolan_model_fit_pieces()), the intervals are used for prediction; the constants are those of
 * all rows. Experiments without rows keep their constants. PORTOLAN_ENOTFOUND when no experiment
 * got constants, PORTOLAN_ENOMEM.
 */
enum portolan_status portolan_obsp_fit(struct portolan_obsp_trace *trace,
                                       const struct portolan_cll_report *report,
                                       struct portolan_error *err);

/** The machine, as fitted to a trace's own ends of supersteps, or as the caller gives it. */
struct portolan_obsp_machine {
    double g, latency; /**< seconds per byte, seconds; NaN: not determined */
    double speed;      /**< plain BSP's seconds per operation; NaN: not determined */
    size_t n_rows;     /**< ends of supersteps that g and latency are fitted to; 0 when given */
    double error;      /**< their root mean square relative error; NaN when given */
};

enum portolan_obsp_model { PORTOLAN_OBSP, PORTOLAN_BSP };
enum portolan_obsp_combine { PORTOLAN_OBSP_MAX, PORTOLAN_OBSP_SUM };

/** Start it as `{0}`. */
struct portolan_obsp_options {
    enum portolan_obsp_model model;
    enum portolan_obsp_combine combine; /**< bytes in and out: of h */
    /**
     * Use times from the constants, instead of measured times, for annotated computation. Measured
     * times stay for experiments without constants and for code without annotation. If processors
     * took different times for the same work, the wait for the latest is the expected one (Clark,
     * "The greatest of a finite set of random variables", 1961). Plain BSP then counts operations,
     * the formulas' terms with constants of 1, each of which takes `speed`.
     */
    bool predict;
    const struct portolan_obsp_machine *machine; /**< NULL: portolan_obsp_machine()'s */
};

/**
 * Fits *MACHINE (non-negative, relative errors, means of repetitions) to the trace's runs, and to
 * the times from the arrival of the last of Ω at the end of a superstep until the superstep has
 * ended. Constants that the trace does not determine are NaN, which is not an error.
 * PORTOLAN_ENOMEM.
 */
enum portolan_status portolan_obsp_machine(const struct portolan_obsp_trace *trace,
                                           enum portolan_obsp_combine combine,
                                           struct portolan_obsp_machine *machine,
                                           struct portolan_error *err);

/** One end of a superstep of one processor. */
struct portolan_obsp_row {
    size_t processor;     /**< of all, from 0 */
    size_t depth;         /**< partitions around it */
    size_t superstep;     /**< of its group, from 1 */
    size_t partners;      /**< processors waited for: the size of Ω without itself */
    double work;          /**< computation since its last end of a superstep */
    double bytes;         /**< h */
    double communication; /**< g h + L, or the experiment's value that replaces it */
    double end;           /**< F */
    double measured;      /**< when it really ended */
};

struct portolan_obsp_result {
    size_t n_rows;
    struct portolan_obsp_row *rows; /**< by processor, then in order of time */
    size_t n_processors;
    double *ends;          /**< per processor: including the computation after its last superstep */
    double *measured_ends; /**< per processor */
    double total;          /**< the latest of the ends */
    double measured_total;
};

/**
 * Evaluates the model. Rows of one trace are in the same order whatever the model. Clear *RESULT
 * with portolan_obsp_result_clear(). PORTOLAN_EINVAL when constants, g, latency or speed are needed
 * and not known, or a value is not finite; PORTOLAN_ENOMEM.
 */
enum portolan_status portolan_obsp_evaluate(const struct portolan_obsp_trace *trace,
                                            const struct portolan_obsp_options *options,
                                            struct portolan_obsp_result *result,
                                            struct portolan_error *err);

/** Frees what RESULT holds and empties it. */
void portolan_obsp_result_clear(struct portolan_obsp_result *result);

/** What a run is compared with. Strings and objects are borrowed. */
struct portolan_obsp_comparison {
    const char *name;                         /**< of the trace, in the text */
    struct portolan_obsp_trace *from;         /**< another to fit constants, g and L to; or NULL */
    const struct portolan_cll_report *report; /**< to fit constants to; or NULL */
    const char *const *constants;             /**< of experiments: "NAME=C0,C1,..." */
    size_t n_constants;
    struct portolan_obsp_machine given; /**< NaN: what is fitted holds */
    enum portolan_obsp_combine combine;
    bool predict;   /**< as in the options; constants, a report and another trace imply it */
    bool totals;    /**< processors only, not each superstep */
    bool models[2]; /**< enum portolan_obsp_model: which are evaluated */
};
/**
 * *TEXT, which the caller frees: the machine, the experiments, and what the models say next to what
 * was measured. TRACE gets the constants. PORTOLAN_EINVAL: a constant is no number; errors of the
 * functions above.
 */
enum portolan_status portolan_obsp_compare(const struct portolan_obsp_comparison *comparison,
                                           struct portolan_obsp_trace *trace, char **text,
                                           struct portolan_error *err);

#ifdef __cplusplus
}
#endif
#endif
