/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * optimizer: the plan. It joins the measurements of an assembly (any number of trials, at several
 * parameter values and with several implementations) with models, and answers: what is the core,
 * what does each implementation cost, which assembly is best at these parameter values, how long
 * will it run, what should be measured next, and should a running assembly change now? Part of
 * <portolan/optimizer.h>.
 *
 * Costs: the time of a run is steps x (sum over call paths of calls x exclusive time) plus the time
 * that is spent once (before the first step, after the last, and what first calls take longer than
 * later ones). Each call path has a scope: the variable instances on which its time depends, that
 * is the called instance and its partners by <pair>. For each combination of implementations seen
 * in the data one model gives the exclusive time per call from the call's contexts (or from the
 * swept parameters when it has none), another the calls per call of the caller. Combinations that
 * were never measured are forbidden, not guessed, and so are those that failed or missed the
 * accuracy at a place that no context distinguishes from this one (docs/decisions/0038). A call
 * path that does not occur with a caller's implementation costs nothing there.
 *
 * Ranks: of each trial the rank that waited least in MPI (the slowest, which the others waited for)
 * stands for all; its times add up to the wall clock.
 *
 * Steps: the first calls after an implementation began to run are found by a change point and paid
 * once per run, or per return to it. Of the others the mean counts, so that what is long again and
 * again is cost; only one step of at least 30 that is far longer than all others is set aside. The
 * rows of models are means of blocks of at most a minute, with the number of steps as weight; the
 * spread between blocks, of runs and minutes, makes the intervals. Where only first calls of an
 * implementation are known and later ones of another, the interval reaches down to 0. Every
 * interval has a width, unless it comes from a manual clock or 30 equal times.
 *
 * "As written" is an instance's alternative [0]. A plan is used by one thread at a time.
 */
#ifndef PORTOLAN_PLAN_H
#define PORTOLAN_PLAN_H

#include <portolan/answer.h>
#include <portolan/assembly.h>
#include <portolan/callgraph.h>
#include <portolan/models.h>
#include <portolan/store.h>

#ifdef __cplusplus
extern "C" {
#endif

struct portolan_plan;

/** The machine, parameters and knowledge that a plan is made for. */
struct portolan_plan_options {
    int ranks;
    /**
     * The machine and build that it is for, as names and values of trials' metadata ("host",
     * "processor", "compiler", …): trials with other metadata are left out, and a note says so. 0:
     * trials of all machines count.
     */
    size_t n_facts;
    const struct portolan_name_value *facts;
    /** Contexts of calls that are known beforehand, by name; those of the present case are known
     * without being listed. */
    size_t n_known;
    const char *const *known_names;
    const double *known_values;
    /** portolan_plan_next_trial(): most trials of one selection at one point, twice as many where
     * some were disturbed; 0: 10. 1: exactly one, disturbed or not. */
    int most_trials;
    /** portolan_plan_next_trial(): the alternatives are combinations of a program's options, in a
     * race if `is_race`: at each size only those go on that were in the better half at the size
     * before, or close to the best. */
    bool are_combinations, is_race;
    /** portolan_plan_next_trial(): only first trials at the largest point are wanted. */
    bool at_largest;
    /** What answers say to measure with, in words, as the assembly is in no file that a command
     * could name; NULL: it is in one. Borrowed by the plan. */
    const char *again;
};

/**
 * Makes the plan for A at its present parameter values (portolan_assembly_set() changes them) from
 * DATA: trials of A on RANKS ranks whose other parameters agree. Trials that failed do not count.
 * A and DATA are borrowed and must outlive the plan unchanged. *PLAN is the caller's to destroy.
 * Errors: ENOTFOUND when nothing in DATA can be used (the text says why), EINVAL for a swept or
 * steps parameter that the assembly lacks or that is not a number, EUNSUPPORTED when a scope has
 * too many combinations, ENOMEM. An infeasible choice is not an error here.
 */
enum portolan_status portolan_plan_create(const struct portolan_assembly *a,
                                          const struct portolan_sample_set *data,
                                          const struct portolan_plan_options *options,
                                          struct portolan_plan **plan, struct portolan_error *err);
/**
 * Takes PLAN to the present parameter values of its assembly, where nothing was measured: all
 * models stay, and the plan then gives the same answers as a new one, in a fraction of the time.
 * Errors: EUNSUPPORTED if trials ran with these values or the assembly has cases, EINVAL as above,
 * ENOMEM; after an error the plan may only be moved or destroyed.
 */
enum portolan_status portolan_plan_move(struct portolan_plan *plan, struct portolan_error *err);
/** NULL is legal. */
void portolan_plan_destroy(struct portolan_plan *plan);

/** A call path with its measured times in one trial: as written, at the longest sweep point. */
struct portolan_plan_node {
    const char *instance, *method; /**< who is called */
    const char *implementation;    /**< of the instance in that trial, "several"; "" when fixed */
    const char *seen_with; /**< "" or, for a path that does not occur as written, with what */
    long parent;           /**< position in the array; -1 at a root */
    int depth;
    double calls, inclusive_ns, exclusive_ns, mpi_ns; /**< of the whole trial, slowest rank */
    double share;                                     /**< inclusive over the root's inclusive */
    struct portolan_prune_mark mark;
    struct portolan_prune_mark other_mark; /**< by the bound if the two rules are selected, or by
                                              them if it is */
};

/** Parents before children. Returns how many; *NODES is the plan's. */
size_t portolan_plan_peek_callgraph(const struct portolan_plan *plan,
                                    const struct portolan_plan_node **nodes);

/** A fitted model of one call path and one combination of implementations. */
struct portolan_plan_model {
    const char *path; /**< "driver.solver -> solver.solve" */
    const char *instance, *method;
    const char *implementation;
    const char *scope; /**< "assembler=heat.Band" of partners; "" when none */
    const char *file;  /**< the model's file, if the implementation was never measured; or NULL */
    const char
        *quantity; /**< "exclusive_ns" (of a file's, _us, _ms or _s) per call, "calls" per call of
                      the caller, "setup_ns", "accuracy" (the worst that calls reported) */
    size_t n_rows; /**< steps that were measured, without first calls */
    bool core;     /**< of a call path that was not pruned */
    const struct portolan_model *model; /**< of QUANTITY; parameters are contexts or swept ones */
    /**
     * The rows that it was fitted to, until the plan learns: N_POINTS values Y and, row by row,
     * those of N_COLUMNS parameters, of which the model may lack some. 0: they are not kept.
     */
    size_t n_points, n_columns;
    const char *const *columns;
    const double *x, *y;
};

/** All models. Returns how many; *MODELS is the plan's. */
size_t portolan_plan_peek_models(const struct portolan_plan *plan,
                                 const struct portolan_plan_model **models);

/**
 * The largest accuracy that a call of INSTANCE may report: its own bound, or else the assembly's,
 * unless that is for a product of accuracies; 0: any.
 */
double portolan_plan_wanted_accuracy(const struct portolan_assembly *a, const char *instance);

/**
 * The bytes that implementations state they need on each rank, with the CURRENT alternative of each
 * instance but ALTERNATIVE of INSTANCE, before anything is measured. NaN: a formula has names that
 * are not numeric parameters.
 */
double portolan_plan_memory(const struct portolan_assembly *a, int ranks, const int32_t *current,
                            size_t instance, size_t alternative);

/**
 * The condition or query because of which an alternative cannot be used, as far as parameters and
 * the required accuracy decide before anything runs; NULL: nothing excludes it.
 */
const char *portolan_plan_excludes(const struct portolan_assembly *a, size_t instance,
                                   size_t alternative);

/**
 * Reads the model files that the assembly names: each problem goes to DIAGNOSTICS with its file and
 * line. ESYNTAX then; ENOMEM.
 */
enum portolan_status portolan_plan_check_models(const struct portolan_assembly *assembly,
                                                struct portolan_diagnostics *diagnostics);

/**
 * Sentence number I, from 0, about data that were left out and replacements for missing
 * measurements; NULL after the last. Owned by the plan.
 */
const char *portolan_plan_peek_note(const struct portolan_plan *plan, size_t i);

/**
 * The best assembly for a whole run. *ANSWER is the plan's, valid until it chooses or learns again.
 * Errors: EINFEASIBLE (the text names the requirement and the best available), ENOMEM.
 */
enum portolan_status portolan_plan_choose(struct portolan_plan *plan,
                                          const struct portolan_plan_answer **answer,
                                          struct portolan_error *err);

/**
 * Time of a whole run with SELECTION, an alternative of each instance of the assembly; NULL: as
 * written. Errors: EINFEASIBLE when the combination was never measured or is not accurate enough
 * (the text says which), ENOMEM.
 */
enum portolan_status portolan_plan_predict(const struct portolan_plan *plan,
                                           const int32_t *selection,
                                           struct portolan_plan_prediction *prediction,
                                           struct portolan_error *err);

/** "assembler=heat.Band solver=heat.Cholmod": the classes of instances with alternatives, sorted.
 * The caller frees *TEXT. Errors: ENOMEM. */
enum portolan_status portolan_plan_write_selection(const struct portolan_assembly *a,
                                                   const int32_t *selection, char **text,
                                                   struct portolan_error *err);

/**
 * "driver.n=96 driver.steps=20", sorted: the parameters under which a decision is stored (struct
 * portolan_decision), that is all present parameters of the assembly except those of Portolan's own
 * components and of instances with alternatives. The caller frees *TEXT. Errors: ENOMEM.
 */
enum portolan_status portolan_plan_write_parameters(const struct portolan_assembly *a, char **text,
                                                    struct portolan_error *err);

/** The state of a run between two steps. */
struct portolan_plan_now {
    /** The samples of the step that ended last, of any ranks; contexts are taken from them. */
    const struct portolan_sample *samples;
    size_t n_samples;
    /** Context values announced for the coming steps; they override those seen. */
    size_t n_announced;
    const char *const *announced_names;
    const double *announced_values;
    /** The alternative that each instance of the assembly has now. */
    const int32_t *current;
    /** Returns whether an alternative may be used; NULL: all may. It receives ARG. */
    bool (*may_run)(const void *arg, size_t instance, size_t alternative);
    const void *arg;
    int remaining_steps;
    double swap_ns;    /**< cost of one exchange itself */
    double hysteresis; /**< least gain, as a share of the predicted remaining time */
};

struct portolan_plan_change {
    size_t position, alternative; /**< of the instance in the assembly; what it should have */
    const char *instance, *from, *to;
};

struct portolan_plan_advice {
    size_t n_changes; /**< 0: stay */
    struct portolan_plan_change *changes;
    double now_step_ns, then_step_ns;          /**< per step, without and with the changes */
    double cost_ns;                            /**< cost of changing: exchange and set-up */
    double gain_ns;                            /**< over the remaining steps, after COST_NS */
    struct portolan_plan_prediction remaining; /**< with the changes, without COST_NS */
    bool is_ignorant; /**< nothing should change, since too little is known */
    char reason[400]; /**< a sentence, also if nothing should change */
};

/**
 * Decides whether a running assembly should change now, for the steps that remain. It is quick,
 * since no model is fitted. *ADVICE is the caller's, freed with portolan_plan_advice_destroy(); its
 * strings are the assembly's. Errors: ENOMEM. It is not an error if nothing better is allowed.
 */
enum portolan_status portolan_plan_advise(const struct portolan_plan *plan,
                                          const struct portolan_plan_now *now,
                                          struct portolan_plan_advice **advice,
                                          struct portolan_error *err);
/** NULL is legal. */
void portolan_plan_advice_destroy(struct portolan_plan_advice *advice);

/** Returns the number of measured steps to which the models of INSTANCE with ALTERNATIVE were
 * fitted, with the CURRENT alternatives of other instances; first calls do not count. */
size_t portolan_plan_count_steps(const struct portolan_plan *plan, const int32_t *current,
                                 size_t instance, size_t alternative);

/** Returns the most steps that were first ones after the CURRENT alternatives began to run, as far
 * as was measured. */
int portolan_plan_first_steps(const struct portolan_plan *plan, const int32_t *current);

/**
 * Weighs a CHOICE for the remaining steps, an alternative of each instance, against ALTERNATIVES,
 * whose instances and implementations are given: fills their numbers, and `binding` and `text` with
 * what excludes them ("accuracy", "failure", "condition": its own; "unproven": not known to work
 * here; "unmeasured"); of R `steps`, `trials` and the numbers. Unknown ones are NaN. Takes longer
 * than portolan_plan_advise(), because costs are drawn at random and the choice is made for each
 * draw: twice as long with 9 alternatives. POOL owns the texts. Errors: ENOTFOUND for an unknown
 * instance or class, ENOMEM.
 */
enum portolan_status portolan_plan_weigh(const struct portolan_plan *plan,
                                         const struct portolan_plan_now *now, const int32_t *choice,
                                         struct portolan_reason *r,
                                         struct portolan_alternative *alternatives, size_t n,
                                         struct portolan_arena *pool, struct portolan_error *err);

/** A call path whose time in a step was outside its model's interval. */
struct portolan_plan_miss {
    char path[160];                      /**< "driver.solver -> solver.solve [heat.Cholmod]" */
    double expected_ns, low_ns, high_ns; /**< exclusive, of all calls of the step */
    double measured_ns;
    bool outside; /**< the contexts of the calls were outside what was measured */
};

/**
 * Compares the step that ended, NOW's samples and current implementations, with the models at the
 * contexts which its calls had: the call paths of the slowest rank whose time is outside the
 * interval, by more than 2 % of the step. The *N worst, at most MOST, go to MISSES, the worst
 * first. Errors: ENOMEM.
 */
enum portolan_status portolan_plan_compare(const struct portolan_plan *plan,
                                           const struct portolan_plan_now *now,
                                           struct portolan_plan_miss *misses, size_t most,
                                           size_t *n, struct portolan_error *err);

/** A parameter of a trial to run. */
struct portolan_next_parameter {
    const char *instance, *parameter, *value;
};

/** Changes of the plan after a step. */
struct portolan_plan_news {
    size_t n_unknown; /**< samples of call paths or implementations without a model */
    size_t n_stated;  /**< number of these with an implementation whose model came from a file */
    size_t n_refits;  /**< models whose form was searched again, because the rows had doubled, or a
                           parameter changed that was always the same, or: */
    size_t n_failed;  /**< … because their form no longer held */
    char reason[300]; /**< why the first of these did not hold; "" */
};

/**
 * Adds the SAMPLES of one step (of any ranks; those of the slowest count) to the models of the
 * implementations in CURRENT. Each model's constants are updated by Givens rotations
 * (<portolan/update.h>), in time that does not grow with the rows; its form is searched again only
 * if it fails or the rows have doubled. Spikes count less. Models and choices that were
 * borrowed from the plan become invalid. Errors: ENOMEM.
 */
enum portolan_status portolan_plan_learn(struct portolan_plan *plan,
                                         const struct portolan_sample *samples, size_t n,
                                         const int32_t *current, struct portolan_plan_news *news,
                                         struct portolan_error *err);

/** The next trial to measure, with notes for the user. */
struct portolan_next_trial {
    const char *best; /**< of a program's combinations: the best so far; "" if there is none */
    bool finished;    /**< nothing left to measure, or no budget for it; then only notes are set */
    size_t n_selection;
    struct portolan_name_value *selection; /**< class of every variable instance */
    size_t n_parameters;
    struct portolan_next_parameter *parameters; /**< set and varied parameters of the sweep */
    const char *purpose;                        /**< "solver=heat.Cholmod at driver.n=24"; "" */
    double expected_s;                          /**< its expected duration; 0 = unknown */
    size_t unaffordable;                        /**< trials that the budget does not allow */
    size_t done, left; /**< trials measured, and known to be needed, this one included */
    size_t n_notes;
    const char **notes;  /**< alternatives dropped and why, trials the budget does not allow,
                        failures, disturbances */
    const char *summary; /**< when finished: how often everything was measured, how narrow the
                            intervals are; "" if nothing was */
};

/**
 * Finds the trial of the assembly's sweep to run next, given the "explore" trials in DATA. Points
 * are the cases crossed with the varied parameters. First as written at every point, small ones
 * first; then pruning; then each alternative of the core alone, and the combinations that declared
 * pairs and callers need. An alternative that cost more than five times the best at two sizes, and
 * no less at the second (with cases: at all of five smaller ones), is left out at larger ones. One
 * that failed at three points and worked at none is left out everywhere (not with cases); one whose
 * condition is known to be false, at that point. An alternative that failed or was not accurate
 * enough at a point is not compared there, and not repeated.
 *
 * Then all trials are repeated in turn until the 95 % interval of the mean is within 5 %, or there
 * are `most_trials`, except those that surely cost more than twice the best at their point.
 * Disturbed trials do not count if there are others, and are repeated. A trial that is expected to
 * take more than BUDGET_LEFT_S seconds is skipped for one that fits; a trial of unknown length is
 * expected to fit.
 *
 * The answer depends on the arguments only. *NEXT is the caller's; its strings are the assembly's.
 * Errors: EINVAL for a sweep over an unknown parameter, ENOMEM.
 */
enum portolan_status
portolan_plan_next_trial(const struct portolan_assembly *a, const struct portolan_sample_set *data,
                         const struct portolan_plan_options *options, double budget_left_s,
                         struct portolan_next_trial **next, struct portolan_error *err);
/** NULL is legal. */
void portolan_next_trial_destroy(struct portolan_next_trial *next);

/**
 * Plain text for a terminal of 100 columns, ASCII, ending in a newline; the caller frees *TEXT.
 * The call graph with prune marks; the models of the core with residuals and ranges. Errors:
 * ENOMEM.
 */
enum portolan_status portolan_plan_report_callgraph(const struct portolan_plan *plan, char **text,
                                                    struct portolan_error *err);
enum portolan_status portolan_plan_report_models(const struct portolan_plan *plan, char **text,
                                                 struct portolan_error *err);
/** The same as JSON, in the form of portolan-report(1). */
enum portolan_status portolan_plan_report_callgraph_json(const struct portolan_plan *plan,
                                                         char **text, struct portolan_error *err);
enum portolan_status portolan_plan_report_models_json(const struct portolan_plan *plan, char **text,
                                                      struct portolan_error *err);
/** Models as a member of an object that is being written. */
void portolan_plan_write_models(const struct portolan_plan *plan, struct portolan_json *j,
                                const char *key);
/**
 * The newest trial of DATA on HOST (NULL: on any) whose process CLASS_NAME ended as INSTANCE,
 * borrowed; NULL: there is none that counts. None counts after the veto was lifted, or the plug-in
 * built anew, or a trial in a process of its own has ended well with the class.
 */
const struct portolan_trial *portolan_plan_peek_blame(const struct portolan_sample_set *data,
                                                      const struct portolan_assembly *a,
                                                      const char *host, const char *instance,
                                                      const char *class_name);
/** Returns whether calls of the class as INSTANCE worked in a trial on HOST that ended well. */
bool portolan_plan_ran_well(const struct portolan_sample_set *data,
                            const struct portolan_assembly *a, const char *host,
                            const char *instance, const char *class_name);
/** All such blames, one line each; "" when there is none. *TEXT is the caller's to free. ENOMEM. */
enum portolan_status portolan_plan_report_blames(const struct portolan_sample_set *data,
                                                 const struct portolan_assembly *a, char **text,
                                                 struct portolan_error *err);
/** The vetoes that were not lifted: implementation, call and trial of each. Otherwise as above. */
enum portolan_status portolan_plan_report_vetoes(const struct portolan_plan *plan, char **text,
                                                 struct portolan_error *err);

#ifdef __cplusplus
}
#endif
#endif
