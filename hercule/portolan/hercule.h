/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * hercule: why a parallel program is slow, in terms of its paradigm, after Li and Malony,
 * "Automatic Performance Diagnosis of Parallel Computations with Compositional Models" (IPDPS
 * 2007).
 *
 * A paradigm is a way to compute in parallel (master-worker, pipeline …); a file of knowledge
 * describes it (portolan-paradigm(5)): behaviour, performance, metrics, inference. Knowledge is
 * read and composed by one thread; then many may read it. No function here prints or exits.
 */
#ifndef PORTOLAN_HERCULE_H
#define PORTOLAN_HERCULE_H

#include <portolan/waits.h>

#ifdef __cplusplus
extern "C" {
#endif

struct portolan_knowledge;

/**
 * *KNOWLEDGE: the paradigms that come with Portolan, then those of the files *.clp in the FOLDERS,
 * in their order; a paradigm replaces the one of the same name in a folder before. All mistakes are
 * reported. The caller destroys it. PORTOLAN_ESYNTAX (any mistake), PORTOLAN_EIO, PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_knowledge_read(const char *const *folders,
                                                          size_t n_folders,
                                                          struct portolan_diagnostics *diagnostics,
                                                          struct portolan_knowledge **knowledge,
                                                          struct portolan_error *err);
/** NULL is legal. */
PORTOLAN_API void portolan_knowledge_destroy(struct portolan_knowledge *knowledge);

/** The paradigms, sorted by name: name and one line about it. Borrowed; NULL beyond the last. */
PORTOLAN_API const char *portolan_knowledge_peek_name(const struct portolan_knowledge *knowledge,
                                                      size_t i);
PORTOLAN_API const char *portolan_knowledge_peek_text(const struct portolan_knowledge *knowledge,
                                                      size_t i);

/**
 * Adds the paradigm that TEXT describes, as a file would, or sets the thresholds that are all it
 * has; LINE of FILE is where it begins, for messages. So a composition is declared: "(deffacts d
 * (paradigm (name NAME) (is-a HOST)) (nest (component C) (paradigm P)))". As
 * portolan_knowledge_read(); on failure KNOWLEDGE is as before.
 */
PORTOLAN_API enum portolan_status portolan_knowledge_add(struct portolan_knowledge *knowledge,
                                                         const char *text, const char *file,
                                                         int line,
                                                         struct portolan_diagnostics *diagnostics,
                                                         struct portolan_error *err);

enum portolan_tree_format { PORTOLAN_TREE_TEXT, PORTOLAN_TREE_DOT };
/**
 * *TEXT: the tree of PARADIGM, from symptoms to causes, with the metric of each node, the paradigm
 * that it came from, and links to where a delay shows. malloc'ed. PORTOLAN_ENOTFOUND tells the
 * nearest name; PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status
portolan_knowledge_tree(const struct portolan_knowledge *knowledge, const char *paradigm,
                        enum portolan_tree_format format, char **text, struct portolan_error *err);

/* ------------------------------------------------- which paradigm is it? */

/** A paradigm that a trace looks like. */
struct portolan_suggestion {
    const char *paradigm; /**< its name; the knowledge's */
    /** Shares that its instances cover: of the ranks' time without start, finish and gaps, and of
       calls with messages. */
    double time, calls;
    size_t n_instances;
    char *text; /**< an element <paradigm> with the bindings found */
};

struct portolan_waits;

/**
 * *SUGGESTIONS: N of them, the best first; portolan_suggestions_free() frees them. Paradigms that
 * cover less than nine tenths of time or calls are none, so *N is 0 where none fits.
 * PORTOLAN_ENOMEM.
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
    PORTOLAN_NOT_THE_PROGRAM, /**< others took the processor, a slow host */
    PORTOLAN_CANNOT_TELL
};

/** A cause. Shares are of the run: ranks times run time. NaN: not known. */
struct portolan_finding {
    enum portolan_verdict verdict; /**< NO_PROBLEM, PROBLEM or CANNOT_TELL */
    const char *cause;             /**< name of the node, as in the tree */
    const char *text; /**< "inter-level contiguity, parallel recursive tree in restriction" */
    const char
        *factor; /**< the decision of the design that costs it; for <alternative remedies=""> */
    const char *remedy; /**< what to do */
    const char *where;  /**< ranks, steps, instances; "": unknown */
    /** Whose calls of which uses port are the component that costs it; "": no part says so. */
    const char *instance, *port;
    double share;      /**< what it costs */
    double spread;     /**< of SHARE: half of the interval of 95 % over repetitions */
    double without_ns; /**< run time without it, by replay */
    double gain;       /**< share of the run time that this saves; with its interval of 95 %: */
    double low, high;
};

/** An experiment that would tell more. */
struct portolan_wanted {
    int experiment;                /**< 1: profile, 2: profile of operations, 3: trace */
    const char *text;              /**< "trace of restriction" */
    const char *const *components; /**< whose times it needs */
    size_t n_components;
};

struct portolan_diagnosis {
    enum portolan_verdict verdict;
    const char *why;      /**< of NOT_THE_PROGRAM and CANNOT_TELL; "" for the others */
    const char *paradigm; /**< its name */
    int n_ranks;
    double run_ns;                     /**< run time */
    double unexplained;                /**< share; NaN: not known */
    struct portolan_finding *findings; /**< problems, by gain, else by share; then causes that were
                                          looked into and are none */
    size_t n_findings;                 /**< problems */
    size_t n_causes;                   /**< with those that are none */
    const struct portolan_wanted *wanted;
    size_t n_wanted;
    const char *disagreement; /**< in which metric runs differ; "": they do not */
};

/** What a component is in a program, as <part> says: the calls that have all that is given. */
struct portolan_part {
    const char *component;
    const char *user, *uses, *method; /**< calls of ports; NULL: not given */
    const char *region, *mpi, *phase; /**< NULL: not given */
    int64_t tag, to;                  /**< -1: not given */
    const char *file;                 /**< where it is said */
    int line, column;
};

/** Whether PARADIGM has the components of the N PARTS; wrong ones are reported. PORTOLAN_ENOTFOUND
 * (a paradigm), PORTOLAN_ESYNTAX (parts), PORTOLAN_ENOMEM. */
PORTOLAN_API enum portolan_status portolan_parts_check(const struct portolan_knowledge *knowledge,
                                                       const char *paradigm,
                                                       const struct portolan_part *parts, size_t n,
                                                       struct portolan_diagnostics *diagnostics,
                                                       struct portolan_error *err);

struct portolan_diagnosis_options {
    const struct portolan_part *parts; /**< none: what the knowledge says of plain MPI programs */
    size_t n_parts;
    const struct portolan_threshold *settings;
    size_t n_settings;
    const char *disturbance; /**< what others did to the processors during the run, "others kept 1.0
                                of 2 cores busy"; NULL: nothing that is known. Then no cause is
                                named: the program is not to blame */
    /** Diagnoses of the same paradigm: of other runs with the same recording, whose shares and
       gains are averaged; and of runs with less, which must not disagree. Borrowed for the call. */
    const struct portolan_diagnosis *const *repetitions, *const *experiments;
    size_t n_repetitions, n_experiments;
    int first_step;  /**< the number of the first step that was recorded */
    double overhead; /**< run time of this run by that of one with less recording, less 1 */
};

/**
 * *DIAGNOSIS: the run that WAITS are of, seen as PARADIGM; it borrows the knowledge. OPTIONS may be
 * NULL. Wrong parts are reported. The caller destroys it. PORTOLAN_ENOTFOUND: a paradigm or
 * setting; PORTOLAN_ESYNTAX: parts; PORTOLAN_EINVAL: a rule failed; PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status
portolan_diagnosis_create(const struct portolan_knowledge *knowledge, const char *paradigm,
                          const struct portolan_waits *waits,
                          const struct portolan_diagnosis_options *options,
                          struct portolan_diagnostics *diagnostics,
                          struct portolan_diagnosis **diagnosis, struct portolan_error *err);

/** What profiles tell: QUANTITY of COMPONENT, summed over ranks; or, when COMPONENT is "", of the
   run: P, T (ns), mpi, collective … (portolan-paradigm(5), FORMULAS). Times are ns. */
struct portolan_quantity {
    const char *component, *quantity;
    double value, spread; /**< SPREAD: half of the interval of 95 % over repetitions */
    size_t samples;
};

/**
 * *DIAGNOSIS: what N QUANTITIES alone tell of a run, without gains; `wanted` says which experiment
 * would tell more. As portolan_diagnosis_create(); PORTOLAN_ENOTFOUND also for the names of
 * quantities.
 */
PORTOLAN_API enum portolan_status
portolan_diagnosis_of_quantities(const struct portolan_knowledge *knowledge, const char *paradigm,
                                 const struct portolan_quantity *quantities, size_t n,
                                 const struct portolan_threshold *settings, size_t n_settings,
                                 struct portolan_diagnosis **diagnosis, struct portolan_error *err);

/** NULL is legal. */
PORTOLAN_API void portolan_diagnosis_destroy(struct portolan_diagnosis *diagnosis);

/** A run that was made for a diagnosis. */
struct portolan_experiment {
    const char *title;                   /**< what was done; NULL: its usual name */
    const struct portolan_diagnosis *of; /**< what it told; NULL: the one that is reported */
    int64_t trial;                       /**< of the store; 0: none */
    double run_ns;                       /**< NaN: not known, as the next */
    double overhead;                     /**< run time by that of the experiment before, less 1 */
};

/**
 * *TEXT (malloc'ed): the diagnosis for people; percentages with so many DIGITS (0 to 6) after the
 * point. EXPERIMENTS: profile, profile of operations, trace; NULL: all of them are views of the
 * diagnosis. PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status
portolan_diagnosis_text(const struct portolan_diagnosis *diagnosis,
                        const struct portolan_experiment experiments[3], int digits, char **text,
                        struct portolan_error *err);
/** The same as JSON (RFC 8259), with all numbers. */
PORTOLAN_API enum portolan_status
portolan_diagnosis_json(const struct portolan_diagnosis *diagnosis,
                        const struct portolan_experiment experiments[3], char **text,
                        struct portolan_error *err);
/** Base, formula, samples and rule of every number from the symptom down to finding NUMBER, from 1.
    PORTOLAN_ENOTFOUND. */
PORTOLAN_API enum portolan_status portolan_diagnosis_why(const struct portolan_diagnosis *diagnosis,
                                                         size_t number, int digits, char **text,
                                                         struct portolan_error *err);

#ifdef __cplusplus
}
#endif
#endif
