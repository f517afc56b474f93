/* SPDX-License-Identifier: BSD-3-Clause */
/* From a paradigm and what was measured to findings. */
#ifndef HERCULE_DIAGNOSIS_H
#define HERCULE_DIAGNOSIS_H

#include <portolan/hercule.h>

#include "internal.h"

/* ------------------------------------------------- evaluate.c: values of metrics */

/* Supplies what formulas of metrics name, except metrics: from a trace (recognise/), from profiles,
   or from a table. False: not measured yet. */
typedef bool (*hercule_lookup_fn)(void *arg, const struct paradigm *paradigm,
                                  const struct reference *reference, struct measured *value);

/* Values of all metrics: VALUES[i] of metric i; those that cannot be had yet have 0 samples. False:
 * no memory. */
bool metrics_evaluate(const struct paradigm *paradigm, hercule_lookup_fn lookup, void *arg,
                      struct measured *values);

/* One expression, when VALUES are those of the metrics. False: something it names is not measured.
 */
bool expression_evaluate(const struct paradigm *paradigm, const struct expression *expression,
                         hercule_lookup_fn lookup, void *arg, struct measured *values,
                         struct measured *value);

/* ------------------------------------------------- infer.c: what they mean, by rules */

/* A metric as rules see it. */
struct judged {
    struct measured measured;
    double share, of_run; /* of its base and of the run; NaN when there is none */
    double of_run_spread;
};

/* What is concluded of a node. */
struct conclusion {
    bool is_reached, holds;
    const char *rule;        /* that said so: "threshold", or the author's */
    const char *why;         /* it cannot be told; NULL: it can */
    enum experiment request; /* wanted to judge it; N_EXPERIMENTS: none */
    double threshold;
    double most; /* share of the run that its metric is not above; NaN: not known yet */
    enum { CONDITION_NO, CONDITION_YES, CONDITION_UNKNOWN } condition;
};

/* CONCLUSIONS[i] of node i, whose threshold and condition are set. Texts lie in ARENA.
   PORTOLAN_EINVAL names a rule that failed, or says which limit was too low: rules run in a process
   of their own (infer_apart.c). */
enum portolan_status paradigm_infer(const struct paradigm *paradigm, const struct judged *metrics,
                                    struct conclusion *conclusions, struct portolan_arena *arena,
                                    struct portolan_error *err);

/* The same in this process, which ends without memory: infer.c. ERR is not NULL. */
enum portolan_status infer_here(const struct paradigm *paradigm, const struct judged *metrics,
                                struct conclusion *conclusions, struct portolan_arena *arena,
                                struct portolan_error *err);
/* Puts the place of the rule, if there is one of this number, before ERR, whose status it returns.
 */
enum portolan_status infer_blame(const struct paradigm *paradigm, size_t rule,
                                 struct portolan_error *err);
/* Ends this process with the position, from 1, of the rule that took its time or memory, as exit
   status; 0: none of an author's. A handler of signals. */
void infer_end(int signal);

/* ------------------------------------------------- diagnosis.c: findings */

/* What the run would take without the factors of some nodes. */
struct gain {
    bool is_known;
    double without_ns, share, low, high; /* of the run's time; LOW … HIGH: interval of 95 % */
    const char *why;                     /* it is not known; borrowed, or NULL */
};

/* Where numbers come from. `gain` may be NULL: then no gain is known; `where`, too. */
struct diagnosis_sources {
    hercule_lookup_fn lookup;
    bool (*gain)(void *arg, const struct paradigm *paradigm, const size_t *nodes, size_t n,
                 struct gain *gain);
    /* Adds in which ranks and steps the metric of a node, whose value is VALUE, lies. */
    void (*where)(void *arg, const struct paradigm *paradigm, size_t node, double value,
                  struct portolan_text *text);
    void *arg;
    const struct portolan_diagnosis_options *options; /* settings, and other runs */
};

struct diagnosis {
    struct portolan_diagnosis public; /* the first member: each is the other */
    struct portolan_arena arena;
    const struct paradigm *paradigm;         /* borrowed of the knowledge */
    const struct diagnosis_sources *sources; /* while it is made */
    struct measured *measured;               /* per metric, like the next */
    struct judged *metrics;
    struct conclusion *conclusions; /* per node */
    size_t *found;                  /* node of each of the causes */
    struct gain *gains;             /* of each of them */
    struct gain together;           /* of all findings */
    double run_ns;                  /* ranks times run time */
};

/*
 * *DIAGNOSIS: what SOURCES say of PARADIGM, under its thresholds with the settings in their place.
 * PORTOLAN_ENOTFOUND: a setting's name; PORTOLAN_EINVAL: a rule that failed; PORTOLAN_ENOMEM.
 */
enum portolan_status diagnosis_make(const struct paradigm *paradigm,
                                    const struct diagnosis_sources *sources,
                                    struct portolan_diagnosis **diagnosis,
                                    struct portolan_error *err);

/* The threshold of that name, as the last of the settings or the knowledge says; 0: none. */
double diagnosis_threshold(const struct paradigm *paradigm,
                           const struct portolan_diagnosis_options *options, const char *name);

/* The rest of COMPOSED's whole that its parts do not explain; false: something is not measured. */
bool composed_rest(const struct diagnosis *d, const struct composed *composed, double *whole,
                   double *rest);
/* doubts.c: why there may be a problem although nothing was found, which no small causes explain
 * but for LEAST of the run; NULL: there is none. */
const char *diagnosis_doubt(struct diagnosis *d, double least);
/* Components in the order in which they were named, each once: a paradigm has at most 64. */
struct named_components {
    size_t n, of[64];
};
/* Adds those that FORMULA speaks of, to DEPTH also by way of metrics and attributes. */
void components_of(const struct paradigm *p, const struct expression *formula, int depth,
                   struct named_components *named);
/* "data in restriction": what METRIC measures, and where. */
const char *item_title(struct portolan_arena *arena, const struct paradigm *paradigm,
                       const struct item *item);

#endif
