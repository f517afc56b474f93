/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes findings of a paradigm and measurements. */
#ifndef HERCULE_DIAGNOSIS_H
#define HERCULE_DIAGNOSIS_H

#include <portolan/hercule.h>

#include "internal.h"

/* ------------------------------------------------- evaluate.c: values of metrics */

/* Supplies the quantities that formulas name, except metrics: from a trace (recognise/), from
 * profiles, or from a table. False: not measured yet. */
typedef bool (*hercule_lookup_fn)(void *arg, const struct paradigm *paradigm,
                                  const struct reference *reference, struct measured *value);

/* Computes all metrics: VALUES[i]; not measured yet: 0 samples. False: no memory. */
bool metrics_evaluate(const struct paradigm *paradigm, hercule_lookup_fn lookup, void *arg,
                      struct measured *values);

/* Evaluates one expression by the metrics' VALUES. False: something that it names is not
 * measured. */
bool expression_evaluate(const struct paradigm *paradigm, const struct expression *expression,
                         hercule_lookup_fn lookup, void *arg, struct measured *values,
                         struct measured *value);

/* ------------------------------------------------- infer.c: conclusions, by rules */

/* A metric as rules see it. */
struct judged {
    struct measured measured;
    double share, of_run; /* shares of its base and of the run; NaN: there is none */
    double of_run_spread;
};

/* The conclusion about a node. */
struct conclusion {
    bool is_reached, holds;
    const char *rule;        /* the rule that concluded it: "threshold", or an author's */
    const char *why;         /* why it cannot be judged; NULL: it can */
    enum experiment request; /* the experiment that is needed to judge it; N_EXPERIMENTS: none */
    double threshold;
    double most; /* share of the run that its metric does not exceed; NaN: not known yet */
    enum { CONDITION_NO, CONDITION_YES, CONDITION_UNKNOWN } condition;
};

/* Finds CONCLUSIONS[i] of node i, whose threshold and condition are set. Texts are in ARENA.
 * PORTOLAN_EINVAL names a rule that failed, or says which limit was too low: rules run in a process
 * of their own (infer_apart.c). */
enum portolan_status paradigm_infer(const struct paradigm *paradigm, const struct judged *metrics,
                                    struct conclusion *conclusions, struct portolan_arena *arena,
                                    struct portolan_error *err);

/* infer.c: does the same in this process, which is ended when memory runs out. ERR is not NULL. */
enum portolan_status infer_here(const struct paradigm *paradigm, const struct judged *metrics,
                                struct conclusion *conclusions, struct portolan_arena *arena,
                                struct portolan_error *err);
/* Puts the place of the rule, if there is one of this number, before ERR, whose status it
 * returns. */
enum portolan_status infer_blame(const struct paradigm *paradigm, size_t rule,
                                 struct portolan_error *err);
/* Ends this process with the number, from 1, of the rule that took its time or memory, as exit
 * status; 0: it was no rule of an author. This is a handler of signals. */
void infer_end(int signal);

/* ------------------------------------------------- diagnosis.c: findings */

/* The run time without the factors of some nodes. */
struct gain {
    bool is_known;
    double without_ns, share, low, high; /* of the run's time; LOW … HIGH: interval of 95 % */
    const char *why;                     /* why it is not known; borrowed, or NULL */
};

/* The sources of numbers. `gain` may be NULL, then no gain is known; `where` may be NULL, too. */
struct diagnosis_sources {
    hercule_lookup_fn lookup;
    bool (*gain)(void *arg, const struct paradigm *paradigm, const size_t *nodes, size_t n,
                 struct gain *gain);
    /* Adds the ranks and steps that explain the metric of a node, whose value is VALUE. */
    void (*where)(void *arg, const struct paradigm *paradigm, size_t node, double value,
                  struct portolan_text *text);
    void *arg;
    const struct portolan_diagnosis_options *options; /* settings, and diagnoses of other runs */
};

struct diagnosis {
    struct portolan_diagnosis public; /* must be first: each pointer is also one to the other */
    struct portolan_arena arena;
    const struct paradigm *paradigm;         /* borrowed from the knowledge */
    const struct diagnosis_sources *sources; /* set while the diagnosis is made */
    struct measured *measured;               /* by metric, as the next */
    struct judged *metrics;
    struct conclusion *conclusions; /* by node */
    size_t *found;                  /* nodes of the causes */
    struct gain *gains;             /* by cause */
    struct gain together;           /* gain of all findings together */
    double run_ns;                  /* ranks times run time */
};

/*
 * Makes *DIAGNOSIS from SOURCES and PARADIGM, with the thresholds of the knowledge or of the
 * settings. PORTOLAN_ENOTFOUND: a setting has an unknown name; PORTOLAN_EINVAL: a rule failed;
 * PORTOLAN_ENOMEM.
 */
enum portolan_status diagnosis_make(const struct paradigm *paradigm,
                                    const struct diagnosis_sources *sources,
                                    struct portolan_diagnosis **diagnosis,
                                    struct portolan_error *err);

/* Returns the threshold of that name, by the last of the settings or the knowledge; 0: none. */
double diagnosis_threshold(const struct paradigm *paradigm,
                           const struct portolan_diagnosis_options *options, const char *name);

/* Finds the rest of COMPOSED's whole besides its parts; false: something is not measured. */
bool composed_rest(const struct diagnosis *d, const struct composed *composed, double *whole,
                   double *rest);
/* unknowns.c: returns why there may be a problem although nothing was found, which small causes do
 * not explain up to LEAST of the run; NULL: there is no reason. */
const char *diagnosis_doubt(struct diagnosis *d, double least);
/* Components in the order in which they were named, each once; a paradigm has at most 64. */
struct named_components {
    size_t n, of[64];
};
/* Adds the components that FORMULA names, to DEPTH also through metrics and attributes. */
void components_of(const struct paradigm *p, const struct expression *formula, int depth,
                   struct named_components *named);
/* Returns a title such as "data in restriction": what METRIC measures, and where. */
const char *item_title(struct portolan_arena *arena, const struct paradigm *paradigm,
                       const struct item *item);

#endif
