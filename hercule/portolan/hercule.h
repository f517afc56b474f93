/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * hercule: finds out why a parallel program is slow, in terms of its paradigm, after Li and Malony,
 * "Automatic Performance Diagnosis of Parallel Computations with Compositional Models" (IPDPS
 * 2007).
 *
 * A paradigm is a way to compute in parallel (master-worker, pipeline …); a file of knowledge
 * describes it (portolan-paradigm(5)): behaviour, performance, metrics, inference. One thread reads
 * and composes knowledge; then many may use it, each for its own diagnoses. Shares are of
 * rank-time, ranks times run time, between 0 and 1. No function here prints or exits.
 */
#ifndef PORTOLAN_HERCULE_H
#define PORTOLAN_HERCULE_H

#include <portolan/replay.h>
#include <portolan/waits.h>

#ifdef __cplusplus
extern "C" {
#endif

struct portolan_knowledge;

/**
 * Reads *KNOWLEDGE, which the caller destroys: the paradigms that come with Portolan, then those of
 * the files *.clp in the FOLDERS, in their order; a paradigm replaces an earlier one of the same
 * name. All mistakes go to DIAGNOSTICS. PORTOLAN_ESYNTAX (any mistake), PORTOLAN_EIO,
 * PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_knowledge_read(const char *const *folders,
                                                          size_t n_folders,
                                                          struct portolan_diagnostics *diagnostics,
                                                          struct portolan_knowledge **knowledge,
                                                          struct portolan_error *err);
/** Destroys knowledge; NULL is legal. */
PORTOLAN_API void portolan_knowledge_destroy(struct portolan_knowledge *knowledge);

/**
 * Adds the paradigm in TEXT, the contents of a file of knowledge; or sets thresholds, if TEXT has
 * only these. LINE of FILE is where TEXT begins, for messages. A composition is such a TEXT:
 * "(deffacts d (paradigm (name NAME) (is-a HOST)) (nest (component C) (paradigm P)))". Errors of
 * portolan_knowledge_read(); KNOWLEDGE is then as before.
 */
PORTOLAN_API enum portolan_status portolan_knowledge_add(struct portolan_knowledge *knowledge,
                                                         const char *text, const char *file,
                                                         int line,
                                                         struct portolan_diagnostics *diagnostics,
                                                         struct portolan_error *err);

/**
 * Sets what the rules of the paradigms in KNOWLEDGE may take: seconds of a processor, and MiB of
 * memory; 0 for the default, 10 s and 256 MiB.
 */
PORTOLAN_API void portolan_knowledge_limit_rules(struct portolan_knowledge *knowledge, int seconds,
                                                 int mib);

enum portolan_tree_format { PORTOLAN_TREE_TEXT, PORTOLAN_TREE_DOT };
/**
 * Lists *TEXT, which the caller frees: the tree of PARADIGM, from symptoms to causes, with the
 * metric of each node, the paradigm that it comes from, and links to where a delay shows.
 * PORTOLAN_ENOTFOUND, with the nearest name; PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status
portolan_knowledge_tree(const struct portolan_knowledge *knowledge, const char *paradigm,
                        enum portolan_tree_format format, char **text, struct portolan_error *err);

/* ------------------------------------------------- whatever the paradigm is */

enum { PORTOLAN_LOSSES = 3 };

/** The least share of the run that is a loss. */
#define PORTOLAN_LEAST_LOSS 0.05

/** A loss of a run, and which share of its time it would save to avoid it. TEXT is static. */
struct portolan_loss {
    const char *text;
    double gain;
};

/** Finds in FOUND what costs the run of W at least #PORTOLAN_LEAST_LOSS of its time, according to a
 * replay without it: imbalance, late senders, calls. Returns how many there are; none also if
 * replays are refused. */
PORTOLAN_API size_t portolan_losses(const struct portolan_waits *w,
                                    struct portolan_loss found[PORTOLAN_LOSSES]);

/* ------------------------------------------------- which paradigm is it? */

/** A paradigm that a trace resembles. */
struct portolan_suggestion {
    const char *paradigm; /**< its name, borrowed from the knowledge */
    /** Shares that its instances cover: of the ranks' time without start, finish and gaps, and of
     * the calls with messages. */
    double time, calls;
    size_t n_instances;
    char *text; /**< an element <paradigm> with the parts found */
};

/**
 * Finds *SUGGESTIONS: *N of them, the best first; portolan_suggestions_free() frees them. Each
 * covers at least nine tenths of time and of calls, not counting few stretches of something else,
 * and half of all time. PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_suggest_paradigms(
    const struct portolan_knowledge *knowledge, const struct portolan_waits *waits,
    struct portolan_suggestion **suggestions, size_t *n, struct portolan_error *err);
PORTOLAN_API void portolan_suggestions_free(struct portolan_suggestion *suggestions, size_t n);

/* ------------------------------------------------- diagnosis */

/** A threshold of base.clp with another value. */
struct portolan_threshold {
    const char *name;
    double value;
};

enum portolan_verdict {
    PORTOLAN_NO_PROBLEM,
    PORTOLAN_PROBLEM,
    PORTOLAN_NOT_THE_PROGRAM, /**< other processes took the processor, or a host is slow */
    PORTOLAN_CANNOT_TELL
};
/** Returns "no problem found", "problem", "not the program" or "cannot tell". */
PORTOLAN_API const char *portolan_verdict_word(enum portolan_verdict verdict);

/** What a run loses, whatever its paradigm. */
struct portolan_run_losses {
    struct portolan_loss found[PORTOLAN_LOSSES];
    size_t n;
    struct portolan_efficiencies efficiencies;
    bool knows_efficiencies;
};
/** Finds what the run of W loses; nothing, if its paradigm finds NO_PROBLEM: a master has less to
 * compute than its workers. CANNOT_TELL: no paradigm is known. */
PORTOLAN_API void portolan_waits_lose(const struct portolan_waits *w,
                                      enum portolan_verdict of_paradigm,
                                      struct portolan_run_losses *lost);
/** The verdict on a run by its losses and OF_PARADIGM, the verdict of its paradigm (NULL: none is
 * known). Without a paradigm and losses, a run that is not efficient is CANNOT_TELL. */
PORTOLAN_API enum portolan_verdict portolan_waits_judge(const struct portolan_waits *w,
                                                        const struct portolan_run_losses *lost,
                                                        const enum portolan_verdict *of_paradigm,
                                                        bool is_disturbed);
/** *TEXT, which the caller frees: where ranks waited, who made them, and what the run LOST; DIGITS
 * (0 to 6) of percentages. PORTOLAN_ENOMEM. */
PORTOLAN_API enum portolan_status portolan_waits_text(const struct portolan_waits *w,
                                                      const struct portolan_run_losses *lost,
                                                      int digits, char **text,
                                                      struct portolan_error *err);

/** A cause. Strings belong to the diagnosis. NaN: not known. */
struct portolan_finding {
    enum portolan_verdict verdict; /**< NO_PROBLEM, PROBLEM or CANNOT_TELL */
    const char *cause;             /**< name of the node, as in the tree */
    const char *text;   /**< "inter-level contiguity, parallel recursive tree in restriction" */
    const char *factor; /**< the design decision that causes it; for <alternative remedies=""> */
    const char *remedy; /**< what to change */
    const char *where;  /**< ranks, steps, instances; "": not known */
    /** User and uses port whose calls are the component that has the cost; "": not known. */
    const char *instance, *port;
    double share;      /**< its cost */
    double spread;     /**< half of the 95 % interval of `share` over repetitions */
    double without_ns; /**< run time without it, by replay */
    double gain;       /**< share of run time that this saves */
    double low, high;  /**< the 95 % interval of `gain` */
};

/** An experiment that would give more information. */
struct portolan_wanted {
    int experiment;                /**< 1: profile, 2: profile of operations, 3: trace */
    const char *text;              /**< as in "trace of restriction" */
    const char *of;                /**< as in "restriction"; NULL: the run */
    const char *const *components; /**< components whose times it needs */
    size_t n_components;
};

struct portolan_diagnosis {
    enum portolan_verdict verdict;
    const char *why;    /**< the reason of NOT_THE_PROGRAM and CANNOT_TELL; else "" */
    const char *misfit; /**< lines on what fits no event of the paradigm, if it is much; else "" */
    const char *paradigm; /**< name of the paradigm */
    int n_ranks;
    double run_ns;                     /**< run time */
    double unexplained;                /**< share of the run; NaN: not known */
    struct portolan_finding *findings; /**< problems, by gain, else by share; then other causes that
                                        * were checked */
    size_t n_findings;                 /**< problems */
    size_t n_causes;                   /**< number of problems and other causes */
    const struct portolan_wanted *wanted;
    size_t n_wanted;
    const char *disagreement; /**< why small causes cannot be judged; "": they can */
    bool runs_disagree;       /**< the reason is that this run and others differ */
};

/** A <part> of portolan-assembly(5): a component is the calls that match all given fields. */
struct portolan_part {
    const char *component;
    const char *user, *uses, *method; /**< calls of ports; NULL: not given */
    const char *region, *mpi, *phase; /**< NULL: not given */
    int64_t tag, to;                  /**< -1: not given */
    const char *file;                 /**< place of the part, for messages */
    int line, column;
};

/** Checks that PARADIGM has the components of the N PARTS; wrong parts go to DIAGNOSTICS.
 * PORTOLAN_ENOTFOUND: no such paradigm; PORTOLAN_ESYNTAX: parts; PORTOLAN_ENOMEM. */
PORTOLAN_API enum portolan_status portolan_parts_check(const struct portolan_knowledge *knowledge,
                                                       const char *paradigm,
                                                       const struct portolan_part *parts, size_t n,
                                                       struct portolan_diagnostics *diagnostics,
                                                       struct portolan_error *err);

/** Returns whether PARADIGM has the factor NAME: its full name, "restriction.inter_level", or the
 * last part of it. PORTOLAN_ENOTFOUND, with the nearest name. */
PORTOLAN_API enum portolan_status portolan_factor_check(const struct portolan_knowledge *knowledge,
                                                        const char *paradigm, const char *name,
                                                        struct portolan_error *err);

struct portolan_diagnosis_options {
    /** Borrowed for the call, as all pointers here. Without parts, components' slots `mpi` …
     * hold. */
    const struct portolan_part *parts;
    size_t n_parts;
    const struct portolan_threshold *settings;
    size_t n_settings;
    /** Describes how others used the processors during the run, as in "others kept 1.0 of 2 cores
     * busy"; then the verdict names no cause. NULL: no disturbance is known. */
    const char *disturbance;
    /** The caller knows who used the processors. If not, a rank that had none for a considerable
     * time makes the verdict "cannot tell": others may have used it, or the program slept. */
    bool knows_processors;
    /** Diagnoses of the same paradigm: REPETITIONS, of runs with the same recording, to average
     * shares and gains; EXPERIMENTS, of runs with less recording, to check that they agree. */
    const struct portolan_diagnosis *const *repetitions, *const *experiments;
    size_t n_repetitions, n_experiments;
    int first_step;   /**< number of the first step that was recorded */
    double overhead;  /**< run time / run time with less recording - 1 */
    double recording; /**< share of the recorded run that was removed from the times of WAITS */
};

/**
 * Diagnoses the run of WAITS as PARADIGM: *DIAGNOSIS, which the caller destroys, borrows KNOWLEDGE.
 * OPTIONS may be NULL. Wrong parts go to DIAGNOSTICS. PORTOLAN_ENOTFOUND: no such paradigm or
 * threshold; PORTOLAN_ESYNTAX: parts; PORTOLAN_EINVAL: a rule failed; PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status
portolan_diagnosis_create(const struct portolan_knowledge *knowledge, const char *paradigm,
                          const struct portolan_waits *waits,
                          const struct portolan_diagnosis_options *options,
                          struct portolan_diagnostics *diagnostics,
                          struct portolan_diagnosis **diagnosis, struct portolan_error *err);

/** A value from profiles: QUANTITY of COMPONENT, summed over ranks; if COMPONENT is "", of the run:
   P, T, mpi, collective … (portolan-paradigm(5), FORMULAS). Times are nanoseconds. */
struct portolan_quantity {
    const char *component, *quantity;
    double value, spread; /**< SPREAD: half of the 95 % interval over repetitions */
    size_t samples;
};

/**
 * Diagnoses a run from N QUANTITIES alone, without gains; `wanted` has the experiments that would
 * give more information. Ownership and errors of portolan_diagnosis_create(); PORTOLAN_ENOTFOUND
 * also for names of quantities.
 */
PORTOLAN_API enum portolan_status
portolan_diagnosis_of_quantities(const struct portolan_knowledge *knowledge, const char *paradigm,
                                 const struct portolan_quantity *quantities, size_t n,
                                 const struct portolan_threshold *settings, size_t n_settings,
                                 struct portolan_diagnosis **diagnosis, struct portolan_error *err);

/** Destroys a diagnosis; NULL is legal. */
PORTOLAN_API void portolan_diagnosis_destroy(struct portolan_diagnosis *diagnosis);

/** A run that was made for a diagnosis. */
struct portolan_experiment {
    const char *title;                   /**< what was done; NULL: its usual name */
    const struct portolan_diagnosis *of; /**< its diagnosis; NULL: the one that is reported */
    int64_t trial;                       /**< number in the store; 0: none */
    double run_ns;                       /**< NaN: not known; also for `overhead` */
    double overhead;                     /**< run time / run time of the experiment before - 1 */
};

/**
 * Writes *TEXT, which the caller frees: the diagnosis for people; percentages have DIGITS (0 to 6)
 * digits after the point. EXPERIMENTS: profile, profile of operations, trace; NULL: the diagnosis
 * is of one run. PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status
portolan_diagnosis_text(const struct portolan_diagnosis *diagnosis,
                        const struct portolan_experiment experiments[3], int digits, char **text,
                        struct portolan_error *err);
/** Writes the same as JSON (RFC 8259), with all numbers. */
PORTOLAN_API enum portolan_status
portolan_diagnosis_json(const struct portolan_diagnosis *diagnosis,
                        const struct portolan_experiment experiments[3], char **text,
                        struct portolan_error *err);
/** Writes *TEXT, which the caller frees: base, formula, samples and rule of every value from the
 * symptom to finding NUMBER, from 1. PORTOLAN_ENOTFOUND: no such finding; PORTOLAN_ENOMEM. */
PORTOLAN_API enum portolan_status portolan_diagnosis_why(const struct portolan_diagnosis *diagnosis,
                                                         size_t number, int digits, char **text,
                                                         struct portolan_error *err);

#ifdef __cplusplus
}
#endif
#endif
