/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The part of <portolan/store.h>, which includes it, for what is stored of choices: decisions with
 * their reasons and alternatives, swaps, diagnoses and models. Threads, errors and ownership are as
 * there.
 */
#ifndef PORTOLAN_STORE_DECISIONS_H
#define PORTOLAN_STORE_DECISIONS_H

#include <portolan/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A choice that was made for an assembly at parameter values. */
struct portolan_decision {
    int64_t id;
    int64_t trial; /**< the run in which it was made; 0 = off line */
    const char *assembly;
    const char *parameters; /**< canonical text "driver.n=96 driver.steps=20", sorted */
    const char *host;
    int ranks;
    const char *choice; /**< canonical text "assembler=heat.Band solver=heat.Cholmod", sorted */
    double predicted_ns, low_ns, high_ns; /**< of the whole run with this choice */
    const char *reason;                   /**< a sentence for a person */
    const char *decided;                  /**< UTC, ISO 8601; given by the store when NULL */
};

/** Stores D (its `id` is ignored); *ID is its number. ENOTFOUND: no such trial. */
PORTOLAN_API enum portolan_status portolan_store_put_decision(struct portolan_store *store,
                                                              const struct portolan_decision *d,
                                                              int64_t *id,
                                                              struct portolan_error *err);

/**
 * The newest decision for these; *D is NULL when there is none. Free with
 * portolan_decision_destroy().
 */
PORTOLAN_API enum portolan_status
portolan_store_find_decision(struct portolan_store *store, const char *assembly,
                             const char *parameters, const char *host, int ranks,
                             struct portolan_decision **d, struct portolan_error *err);

/** The first decision made in a trial; *D as for portolan_store_find_decision(). */
PORTOLAN_API enum portolan_status portolan_store_find_trial_decision(struct portolan_store *store,
                                                                     int64_t trial,
                                                                     struct portolan_decision **d,
                                                                     struct portolan_error *err);
/** NULL is legal. */
PORTOLAN_API void portolan_decision_destroy(struct portolan_decision *d);

/** An implementation was exchanged, or could not be. */
struct portolan_swap {
    int64_t trial;
    int step;
    const char *instance, *from, *to;
    const char *reason;
    const char *outcome; /**< "done", "kept: why" or "undone: why" */
};

/** Adds S to its trial. ENOTFOUND: no such trial. */
PORTOLAN_API enum portolan_status portolan_store_put_swap(struct portolan_store *store,
                                                          const struct portolan_swap *s,
                                                          struct portolan_error *err);

/**
 * A decision of a run: what was chosen at a step, what requested it, and why. Times that are not
 * known are NaN.
 */
struct portolan_reason {
    int64_t trial;
    int number; /**< in its trial, from 1 on */
    int step;
    /** "models", "store", "exploration", "user", "assembly", "control", "policy" or "failure" */
    const char *asked_by;
    const char *change; /**< "solver heat.Band -> heat.Cholmod, …"; "": none */
    const char *choice; /**< canonical text "assembler=heat.Band solver=heat.Cholmod" */
    /** The constraint that decided: "accuracy", "memory", "pin", "forbid", "stateful", "budget" …
     */
    const char *binding;             /**< "": none */
    int steps;                       /**< that remained */
    int trials;                      /**< that the models rest on, and tries of this run */
    double now_ns;                   /**< predicted per step, with what ran before */
    double step_ns, low_ns, high_ns; /**< per step with what was chosen, 95 % interval */
    double cost_ns;                  /**< of the change, once */
    double chance;                   /**< that the choice is the best of all */
    const char *text;                /**< sentences for reports */
    const char *outcome;             /**< "stays", "asked", "done", "kept: why" or "undone: why" */
};

/** The cost of one implementation at a decision, with all others as chosen. */
struct portolan_alternative {
    int64_t trial;
    int number; /**< of the decision */
    const char *instance, *implementation;
    bool chosen;
    int rows;                        /**< measurements to which its models were fitted */
    double step_ns, low_ns, high_ns; /**< per step; NaN: not known, or not allowed */
    double forced_ns; /**< least cost of the remaining steps with it, whatever else; NaN: none */
    double chance;    /**< that it belongs to the best choice */
    const char
        *binding;     /**< what excludes it: "accuracy", "failure", "unmeasured" …; "": nothing */
    const char *text; /**< the same as a sentence */
};

/** Expected and measured time of a step, or of a call path in it that was not as expected. */
struct portolan_expectation {
    int64_t trial;
    int step;
    const char *path; /**< "driver.solver -> solver.solve [heat.Cholmod]"; "": the whole step */
    /** "", "start" (a first step, or one after a change), "context", "context outside", "drift",
     * "interference": docs/portolan-store.5 */
    const char *cause;
    double expected_ns, low_ns, high_ns; /**< 95 % interval */
    double
        measured_ns; /**< NaN: not known. Read: of a last step from its samples, if there are any */
};

/**
 * Stores a decision of R's trial with its N alternatives, whose `trial` and `number` are ignored.
 * If the number exists already, only its outcome changes, unless it is "stays", and N must be 0.
 */
PORTOLAN_API enum portolan_status
portolan_store_put_reason(struct portolan_store *store, const struct portolan_reason *r,
                          const struct portolan_alternative *alternatives, size_t n,
                          struct portolan_error *err);

/** Stores expectations of TRIAL, in place of those of the same step and path. */
PORTOLAN_API enum portolan_status
portolan_store_put_expectations(struct portolan_store *store, int64_t trial,
                                const struct portolan_expectation *rows, size_t n,
                                struct portolan_error *err);

/** Everything that explains a run. */
struct portolan_reason_set {
    size_t n_reasons;
    struct portolan_reason *reasons; /**< by number */
    size_t n_alternatives;
    struct portolan_alternative *alternatives; /**< by number, instance, implementation */
    size_t n_expectations;
    struct portolan_expectation *expectations; /**< by step, the whole step first */
    void *impl;
};

/** Free *SET with portolan_reason_set_destroy(); on failure it is NULL. */
PORTOLAN_API enum portolan_status portolan_store_read_reasons(struct portolan_store *store,
                                                              int64_t trial,
                                                              struct portolan_reason_set **set,
                                                              struct portolan_error *err);
/** NULL is legal. */
PORTOLAN_API void portolan_reason_set_destroy(struct portolan_reason_set *set);

/** Why a run was slow, in terms of its paradigm (<portolan/hercule.h>). Numbers not known: NaN. */
struct portolan_stored_diagnosis {
    int64_t trial;
    int number;                /**< in its trial, from 1 on */
    int first_step, last_step; /**< that it is of; -1: from the start, to the end */
    const char *paradigm;
    /** "problem", "no problem found", "not the program" or "cannot tell" */
    const char *verdict;
    const char *why;    /**< of the last two; "" for the others */
    double run_ns;      /**< run time */
    double unexplained; /**< share of it on all ranks */
};

/** A cause that was examined. Shares are of the run: ranks times run time. */
struct portolan_stored_finding {
    int64_t trial;
    int diagnosis;              /**< its number */
    int number;                 /**< in its diagnosis, from 1 on */
    const char *cause;          /**< node of the paradigm's tree */
    const char *title;          /**< the same for people */
    const char *verdict;        /**< "problem", "no problem found" or "cannot tell" */
    const char *instance;       /**< whose calls cause it; "": no part names it */
    const char *port;           /**< by its uses port */
    const char *factor;         /**< the design decision; for <alternative remedies=""> */
    const char *remedy, *place; /**< what to do; which ranks, steps, instances */
    double share, spread;       /**< SPREAD: half of the 95 % interval over repetitions */
    double without_ns;          /**< run time without it */
    double gain, low, high;     /**< share of the run time that this saves; its 95 % interval */
};

/**
 * Stores D with its N findings (those that are a problem first, by gain), in place of the diagnosis
 * of the same number; `trial`, `diagnosis` and `number` of the findings are ignored.
 */
PORTOLAN_API enum portolan_status portolan_store_put_diagnosis(
    struct portolan_store *store, const struct portolan_stored_diagnosis *d,
    const struct portolan_stored_finding *findings, size_t n, struct portolan_error *err);

/** All diagnoses of a trial. */
struct portolan_diagnosis_set {
    size_t n_diagnoses;
    struct portolan_stored_diagnosis *diagnoses; /**< by number */
    size_t n_findings;
    struct portolan_stored_finding *findings; /**< by diagnosis and number */
    void *impl;
};

/** Free *SET with portolan_diagnosis_set_destroy(); on failure it is NULL. */
PORTOLAN_API enum portolan_status portolan_store_read_diagnoses(struct portolan_store *store,
                                                                int64_t trial,
                                                                struct portolan_diagnosis_set **set,
                                                                struct portolan_error *err);
/** NULL is legal. */
PORTOLAN_API void portolan_diagnosis_set_destroy(struct portolan_diagnosis_set *set);

/** A fitted model, as the XML that models/ writes. */
struct portolan_stored_model {
    const char *assembly, *instance, *implementation, *method;
    const char *scope;    /**< implementations of partners it holds for, "" when none */
    const char *quantity; /**< "exclusive_ns", "calls", … */
    const char *xml;
};

/** Replaces the stored model with the same names. */
PORTOLAN_API enum portolan_status portolan_store_put_model(struct portolan_store *store,
                                                           const struct portolan_stored_model *m,
                                                           struct portolan_error *err);

#ifdef __cplusplus
}
#endif
#endif
