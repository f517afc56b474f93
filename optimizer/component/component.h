/* SPDX-License-Identifier: BSD-3-Clause */
/** The component portolan.Optimizer: its parts' view of it. */
#ifndef PORTOLAN_OPTIMIZER_COMPONENT_H
#define PORTOLAN_OPTIMIZER_COMPONENT_H

#include <portolan/framework.h>
#include <portolan/mastermind.h>
#include <portolan/optimizer.h>

/* An instance and one of its alternatives, by position in the assembly. */
struct optimizer_pick {
    size_t instance, alternative;
};

/* An exchange that was made. */
struct optimizer_swap {
    size_t instance, from, to;
};

/* What only rank 0 knows. */
struct optimizer_mind {
    struct portolan_sample_set *data;
    struct portolan_plan *plan; /* NULL: nothing was measured that can be used */
    bool looked;                /* for measurements, and for a stored decision */
    bool from_store;            /* the start is a stored decision's */
    double expected_step_ns;    /* 0: not known */
    int surprises, refits;
    int learned_step;
    int unknown_steps, look_at; /* steps with something that has no model; when to look again */
    double swap_ns;             /* cost of an exchange, as measured in this run */
    double foretold_ns;         /* the predictions of all steps, each just before it */
    double deciding_ns;         /* spent at swap points */
    bool went_beyond;           /* it was told that the run goes on beyond its steps */
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

    /* alike on all ranks */
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

    /* Of the step that ended: on rank 0 those of the slowest rank. Valid at one swap point. */
    const struct portolan_sample *step_samples;
    size_t n_step_samples;

    struct optimizer_mind mind;
};

/*
 * swap.c, collective: bans what failed, or missed the accuracy, on any rank. AFTER a step the
 * samples tell, in the middle of one the probe's records. Whether anything is banned anew.
 */
bool optimizer_ban_after_step(struct optimizer *o, int step);
bool optimizer_ban_in_step(struct optimizer *o, int step, const char *why);
bool optimizer_is_banned(const struct optimizer *o, size_t instance, size_t alternative);

/* decide.c, rank 0: fills o->wanted for the steps from STEP on. Never fails: it stays instead. */
void optimizer_decide(struct optimizer *o, int step);
/* Stores what was decided before the first step, unless the store said it. */
void optimizer_store_decision(struct optimizer *o);
void optimizer_mind_clear(struct optimizer_mind *m);

/*
 * Collective: makes o->wanted the current implementations, all or none. On failure the one
 * that failed is banned for this run, the failure is stored and told, and the status says so.
 * Errors that leave the ranks in doubt are thrown by the caller: ECOMPONENT when an old
 * implementation could not be put back.
 */
enum portolan_status optimizer_apply(struct optimizer *o, int step, struct portolan_error *err);
/* Puts the implementations of the last swap back; the new ones are banned. */
enum portolan_status optimizer_undo(struct optimizer *o, int step, const char *why,
                                    struct portolan_error *err);

/* The instance of that name, and its alternative of that class; false: there is no such. */
bool optimizer_find(const struct optimizer *o, const char *instance, const char *class_name,
                    struct optimizer_pick *pick);

static inline const char *optimizer_class(const struct optimizer *o, size_t instance, size_t k)
{
    return o->assembly->instances[instance].alternatives[k].class_name;
}

#endif
