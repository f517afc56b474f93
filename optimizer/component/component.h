/* SPDX-License-Identifier: BSD-3-Clause */
/** The component portolan.Optimizer: shared by its files. */
#ifndef PORTOLAN_OPTIMIZER_COMPONENT_H
#define PORTOLAN_OPTIMIZER_COMPONENT_H

#include <portolan/framework.h>
#include <portolan/mastermind.h>
#include <portolan/optimizer.h>

/* An instance and one of its alternatives, by position in the assembly. */
struct optimizer_pick {
    size_t instance, alternative;
};

/* A swap that was made. */
struct optimizer_swap {
    size_t instance, from, to;
};

/* The state that only rank 0 has. */
struct optimizer_mind {
    struct portolan_sample_set *data;
    struct portolan_plan *plan; /* NULL: there is no usable measurement */
    bool looked;                /* for measurements and a stored decision */
    bool from_store;            /* the run started with a stored decision */
    double expected_step_ns;    /* 0: not known */
    int surprises, refits;
    int learned_step;
    int unknown_steps, look_at; /* steps with a call that has no model; how many until next look */
    double swap_ns;             /* cost of a swap, as measured in this run */
    double foretold_ns;         /* sum of the predictions of all steps, each made just before it */
    double deciding_ns;         /* spent at swap points */
    bool went_beyond;           /* the run goes on beyond its steps, and a message said so */
    char reason[500];           /* of the last decision */
};

struct optimizer {
    struct sidl_object object; /* first */
    gov_cca_Services services;

    /* parameters */
    bool enabled, start_stored, any_machine;
    double hysteresis;
    int interval;

    /* uses ports, held from the first swap point on */
    bool ready, idle; /* idle: exploring, a fixed run, or nothing to choose */
    struct portolan_cohort *cohort;
    const struct portolan_assembly *assembly;
    struct portolan_records *records;
    portolan_ports_Builder builder;

    /* the same on all ranks */
    int32_t *current, *wanted;   /* alternative of every instance of the assembly */
    struct portolan_arena arena; /* of these lists */
    size_t n_banned;
    struct optimizer_pick *banned;
    size_t n_announced;
    const char **announced_names;
    double *announced_values;
    int swap_step; /* of the swaps in `swapped`; -2: none */
    size_t n_swapped;
    struct optimizer_swap *swapped;

    /* Samples of the step that ended, on rank 0 of the slowest rank. Valid during a swap point. */
    const struct portolan_sample *step_samples;
    size_t n_step_samples;

    struct optimizer_mind mind;
};

/*
 * swap.c, collective: bans implementations that failed, or missed the accuracy, on any rank: after
 * a step according to its samples, in the middle of one according to the probe's records. Returns
 * whether any was not banned before.
 */
bool optimizer_ban_after_step(struct optimizer *o, int step);
bool optimizer_ban_in_step(struct optimizer *o, int step, const char *why);
bool optimizer_is_banned(const struct optimizer *o, size_t instance, size_t alternative);

/* decide.c, rank 0: fills o->wanted for the steps from STEP on. On errors nothing is swapped. */
void optimizer_decide(struct optimizer *o, int step);
/* Stores the decision made before the first step, unless it came from the store. */
void optimizer_store_decision(struct optimizer *o);
void optimizer_mind_clear(struct optimizer_mind *m);

/*
 * Collective: makes o->wanted the current implementations, all or none. If one fails, it is banned
 * for this run, and the failure is stored, logged and returned. ECOMPONENT when an old
 * implementation could not be put back: the caller throws this, since the ranks may differ.
 */
enum portolan_status optimizer_apply(struct optimizer *o, int step, struct portolan_error *err);
/* Puts the implementations of the last swap back; the new ones are banned. */
enum portolan_status optimizer_undo(struct optimizer *o, int step, const char *why,
                                    struct portolan_error *err);

/* Finds an instance by name, and its alternative by class; false if either is missing. */
bool optimizer_find(const struct optimizer *o, const char *instance, const char *class_name,
                    struct optimizer_pick *pick);

static inline const char *optimizer_class(const struct optimizer *o, size_t instance, size_t k)
{
    return o->assembly->instances[instance].alternatives[k].class_name;
}

#endif
