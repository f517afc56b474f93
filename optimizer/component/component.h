/* SPDX-License-Identifier: BSD-3-Clause */
/** The component portolan.Optimizer: shared by its files. */
#ifndef PORTOLAN_OPTIMIZER_COMPONENT_H
#define PORTOLAN_OPTIMIZER_COMPONENT_H

#include <portolan/framework.h>
#include <portolan/mastermind.h>
#include <portolan/optimizer.h>

/* A swap that was made. */
struct optimizer_swap {
    size_t instance, from, to;
};

#define OPTIMIZER_ALL SIZE_MAX

/* Who asked for a decision. */
enum optimizer_asker {
    OPTIMIZER_MODELS,
    OPTIMIZER_STORE, /* a decision of an earlier run */
    OPTIMIZER_EXPLORATION,
    OPTIMIZER_USER, /* an option of the command, or a call of the port "optimizer" */
    OPTIMIZER_ASSEMBLY,
    OPTIMIZER_CONTROL, /* the control file */
    OPTIMIZER_POLICY,
    OPTIMIZER_FAILURE
};

/* Call paths that are told of in a step that was not as expected; an error lasts after so many
 * steps in a row. */
enum { OPTIMIZER_MISSES = 4, OPTIMIZER_LASTING = 3 };

/*
 * What the calls of an instance did in a step: whether any failed, and the worst accuracy; -1:
 * none. Doubles, since the ranks exchange them.
 */
struct optimizer_seen {
    double failed, accuracy;
};

/* What all ranks do before the coming step: nothing; what rank 0 wants, which they know; or they
 * wait for rank 0 to decide. */
enum optimizer_todo { OPTIMIZER_STAY, OPTIMIZER_SWAP, OPTIMIZER_DECIDE };

enum optimizer_hold { OPTIMIZER_FREE, OPTIMIZER_PINNED, OPTIMIZER_FORBIDDEN };

/* An alternative of an instance that has several, and what this run knows of it. */
struct optimizer_option {
    size_t instance, alternative; /* positions in the assembly */
    bool failed;                  /* or missed the accuracy, or ended an earlier trial */
    bool is_judged, ran_well;     /* on rank 0: whether it has run well in an earlier trial, … */
    bool ran_here;                /* … and in this one */
    bool keeps_state;             /* its exportState has failed: no other can take its place */
    enum optimizer_hold hold;
    enum optimizer_asker held_by;
    int32_t steps;   /* with it, for the policy … */
    double total_ns; /* … and how long its calls took in them */
    /* On rank 0: what the last diagnosis says of it, if it remedies a factor: shares of a step that
       it is expected to gain, and gains at most; FINDING: the greatest in words, or NULL. */
    bool is_remedy;
    double gain, most;
    const char *finding;
};

enum optimizer_wish_kind {
    OPTIMIZER_PIN,
    OPTIMIZER_FORBID,
    OPTIMIZER_RELEASE,
    OPTIMIZER_UNDO,
    OPTIMIZER_EXPLORE
};

struct optimizer_wish {
    enum optimizer_wish_kind kind;
    size_t instance, alternative; /* OPTIMIZER_ALL: of a release */
    double share;                 /* of EXPLORE: 0: off; INFINITY: on, as the parameters say */
};

/* Values that contexts are going to have. */
struct optimizer_contexts {
    size_t n;
    const char **names;
    double *values;
};

/* The state that only rank 0 has. */
struct optimizer_mind {
    struct portolan_sample_set *data;
    struct portolan_plan *plan; /* NULL: there is no usable measurement */
    bool looked;                /* for measurements and a stored decision */
    bool from_store;            /* the run started with a stored decision */
    int learned_step;
    int unknown_steps, look_at; /* steps with a call that has no model; how many until next look */
    double swap_ns;             /* cost of a swap, as measured in this run */
    struct portolan_race *race; /* NULL: it does not explore */
    int explored_step;          /* the last one that the race saw */
    int kept_visits;            /* of the race, that a stored decision knows of */
    size_t kept_tried;          /* alternatives tried in it that the plan knows of */
    double foretold_ns; /* sum of the predictions of all steps, each made just before it; or NaN */
    double deciding_ns; /* spent at swap points */
    char reason[500];   /* of the last decision */
    const struct portolan_plan_now *now; /* while it decides; else NULL */
    int n_decisions, n_tried;            /* recorded; of these, by the exploration */
    int decided_at, first_open; /* step of the last one; first one whose outcome is not known */
    double expected_ns[3]; /* of the step, with both ends of its interval; [0] = 0: not known */
    size_t n_misses;       /* call paths that were not as modelled in the last step */
    struct portolan_plan_miss misses[OPTIMIZER_MISSES];
    int in_a_row[OPTIMIZER_MISSES];      /* for so many steps */
    int diagnosed_last, diagnosed_steps; /* the last diagnosis: its last step, -1: there is none */
    int diagnosed_changes;               /* that the race had made then */
    bool asks;                           /* for another one */
    struct portolan_arena findings;      /* their texts */
    struct portolan_arena one_step;      /* samples of one step of a group */
    char lasting[300]; /* an error that has lasted, until it is decided anew; "" */
};

struct optimizer {
    struct sidl_object object; /* first */
    gov_cca_Services services;

    /* parameters */
    bool enabled, start_stored, any_machine, check, explores;
    double hysteresis, explore_share, explore_s; /* 0 s: only the share limits it */
    int delay;

    /* uses ports, held from the first swap point on */
    bool ready, idle; /* idle: exploring, a fixed run, or nothing to choose */
    struct portolan_cohort *cohort;
    const struct portolan_assembly *assembly;
    struct portolan_records *records;
    portolan_ports_Builder builder;
    portolan_ports_Policy policy;       /* NULL: the models decide */
    portolan_ports_Diagnosis diagnosis; /* NULL: none is connected */

    /* the same on all ranks */
    int32_t *current, *wanted; /* alternative of every instance of the assembly */
    int32_t *told;             /* what the plan is told that runs: a stored decision's, at first */
    struct portolan_arena arena; /* of these lists */
    size_t n_options;
    struct optimizer_option *options,
        **first; /* of all instances in order; of each the first one */
    struct optimizer_contexts announced;
    int swap_step;    /* of the swaps in `swapped`; -2: none */
    int began_step;   /* from this one on what runs has run */
    double data;      /* a number that stands for the data of the last step */
    bool other_data;  /* the step before had other ones … */
    bool is_new_data; /* … after at least two steps with the same, so that calls are first ones */
    size_t n_swapped;
    struct optimizer_swap *swapped;
    struct portolan_running *noted; /* what optimizer_note_running() writes */

    /* agree.c */
    struct portolan_piggyback piggyback;
    struct optimizer_seen *seen; /* of every instance; in the piggyback's values */
    double *choice;              /* likewise: the alternatives that rank 0 wants */
    int32_t *running;            /* the alternatives that the framework has, to compare ranks */
    int32_t *pending;            /* rank 0: what it wants from step due_step on */
    int due_step;                /* -1: nothing is pending */

    bool asks, is_refused; /* for a diagnosis: all ranks know that rank 0 does; there is none */

    /* wishes.c: alike on all ranks only if a component asked; rank 0's count */
    bool listens; /* to the control file */
    size_t n_holds;
    bool undoes; /* at the next decision */
    enum optimizer_asker undo_by;
    int undo_step; /* at which the last undo was decided; -1: none */

    int tallied_step; /* the last that policy.c has counted, on rank 0 */

    int step;        /* of the last swap point; -1: there was none */
    int step_before; /* of the one before */

    /* The step that ended, or the first of N_ENDED that were a group; the time of all; on rank 0
       the samples of the slowest rank, of one of them. Valid during a decision. */
    int ended, n_ended;
    double ended_ns;
    const struct portolan_sample *step_samples;
    size_t n_step_samples;
    double *spent_ns; /* in calls of each instance, by optimizer_take_steps() */

    struct optimizer_mind mind;
};

/*
 * agree.c. Collective: brings together what the ranks have seen of the step that ended, bans what
 * failed, and returns what is to be done; after OPTIMIZER_SWAP o->wanted is the same on all ranks.
 * Throws on all ranks when the parameter `check` is on and their choices differ.
 */
enum optimizer_todo optimizer_hear(struct optimizer *o, int step, sidl_BaseInterface *_ex);
/* Collective: rank 0 decides now and tells all ranks; false with an exception when that failed. */
bool optimizer_decide_together(struct optimizer *o, int step, sidl_BaseInterface *_ex);
/* Rank 0: decides for a later step, as the parameter `delay` says. */
void optimizer_decide_ahead(struct optimizer *o, int step);
/* Adds the time since ENTERED to that which was spent at swap points. */
void optimizer_count_deciding(struct optimizer *o, uint64_t entered);
/* Makes o->wanted what runs. */
void optimizer_want_current(struct optimizer *o);
/* Whether o->wanted is not what runs. */
bool optimizer_has_to_swap(const struct optimizer *o);
/* component.c: a number among the metadata of the run; 0 where it is not known. Rank 0's counts. */
void optimizer_put_number(struct optimizer *o, const char *name, double value);
/* Makes room for what is exchanged; false: no memory. */
bool optimizer_agree_ready(struct optimizer *o);
/* Begins or ends to travel with the Mastermind's steps. */
void optimizer_travel(struct optimizer *o, bool on);

/* swap.c. Fills o->seen from this rank's samples; returns whether anything is to be banned. */
bool optimizer_see(struct optimizer *o, const struct portolan_sample *samples, size_t n);
/*
 * Bans implementations that failed, or missed the accuracy, according to o->seen of all ranks, and
 * logs it. Returns whether any was not banned before. Not collective.
 */
bool optimizer_ban_seen(struct optimizer *o, int step, const char *why);
/* Collective: the same in the middle of a step, according to the probe's records. */
bool optimizer_ban_in_step(struct optimizer *o, int step, const char *why);
/* Whether an alternative failed in this run, or is kept out by what the running one keeps, and WHY
 * (may be NULL). */
bool optimizer_tell_ban(const struct optimizer *o, size_t instance, size_t alternative,
                        struct portolan_error *why);
/* Why state keeps an alternative out now, for sidl_String_free; NULL: it does not, or it runs. */
char *optimizer_get_obstacle(const struct optimizer *o, size_t instance, size_t alternative);

/* running.c. Rank 0, when the store was read: bans what has ended the process of a trial. */
void optimizer_leave_blamed(struct optimizer *o);
/* Collective: makes o->options[].failed the same on all ranks; false: they could not. */
bool optimizer_share_failures(struct optimizer *o);
/* Rank 0: notes that o->wanted runs from STEP on, and what runs now, as one takes the other's
 * place. */
void optimizer_note_running(struct optimizer *o, int step);
/* At each swap point, when the step is stored: what was called in it has run here. Changes
 * o->wanted. */
void optimizer_note_step(struct optimizer *o, int step);

/*
 * wishes.c: whether an alternative may be swapped in: it is not banned, nobody forbade it, and no
 * other one is pinned. On rank 0.
 */
bool optimizer_may_run(const void *optimizer, size_t instance, size_t alternative);
/* The wish because of which it may not run: a forbid of it, or a pin of another one; NULL. */
const struct optimizer_option *optimizer_peek_hold(const struct optimizer *o, size_t instance,
                                                   size_t alternative);
/* Pins and forbids what the assembly says. */
void optimizer_hold_assembly(struct optimizer *o);
/* Begins or ends to check what the control file asks for. */
void optimizer_listen(struct optimizer *o, bool on);
/* Rank 0: takes what the control file asked for since the last time. */
void optimizer_take_wishes(struct optimizer *o, int step);
/* Fills W's instance and alternative; CLASS_NAME may be NULL. ENOTFOUND names what there is. */
enum portolan_status optimizer_wish_target(const struct portolan_assembly *a, const char *instance,
                                           const char *class_name, struct optimizer_wish *w,
                                           struct portolan_error *err);
/* Takes one wish. Errors: EINFEASIBLE, ENOTFOUND when there is nothing to undo. */
enum portolan_status optimizer_take_wish(struct optimizer *o, const struct optimizer_wish *w,
                                         enum optimizer_asker by, struct portolan_error *err);
/* Rank 0: changes o->wanted where a pin or an undo says so, and returns whether any did: then that
 * is the decision. */
bool optimizer_obey(struct optimizer *o, int step);

/* policy.c: gets the port "policy", if one is connected. */
void optimizer_get_policy(struct optimizer *o, sidl_BaseInterface *_ex);
/* Rank 0: fills o->wanted with what the policy chooses; false when there is none, or it failed. */
bool optimizer_ask_policy(struct optimizer *o, int step);

/* remedies.c: gets the port "diagnosis", if one is connected. */
void optimizer_get_diagnosis(struct optimizer *o, sidl_BaseInterface *_ex);
/* Whether steps are being diagnosed: then what runs stays, so that they are of one assembly. */
bool optimizer_is_diagnosing(const struct optimizer *o);
/* Rank 0: tells the race what a new diagnosis says of alternatives. */
void optimizer_take_findings(struct optimizer *o);
/* Rank 0: whether the assembly that runs is one that no diagnosis is of, and one would help. */
bool optimizer_wants_diagnosis(struct optimizer *o, int step);
/* Collective: asks for one if rank 0 wants it (o->asks). */
void optimizer_ask_diagnosis(struct optimizer *o);
/* The finding that o->wanted remedies; NULL: there is none. */
const char *optimizer_peek_finding(const struct optimizer *o);

/* component.c: gets the ports and the state when first needed; false with an exception. */
bool optimizer_is_ready(struct optimizer *o, sidl_BaseInterface *_ex);
/* Collective: decides and swaps without waiting for a swap point; whether anything was swapped. */
bool optimizer_swap_now(struct optimizer *o, sidl_BaseInterface *_ex);
/* Sets the value of a context; false, with C unchanged, when memory runs out. */
bool optimizer_note(struct portolan_arena *pool, struct optimizer_contexts *c, const char *name,
                    double value);
/* The method `announce` of both ports. */
void optimizer_announce(void *self, const char *name, double value, sidl_BaseInterface *_ex);

/* steer.c: the port "optimizer". */
extern const struct portolan_ports_Optimizer__epv optimizer_port_epv;

/* decide.c: whether calls in STEP may be first ones, by what was measured of what runs. */
bool optimizer_is_warming(const struct optimizer *o, int step);
/* rank 0: fills o->wanted for the steps from STEP on. On errors nothing is swapped. */
void optimizer_decide(struct optimizer *o, int step);
/* Stores the decision made before the first step, unless it came from the store. */
void optimizer_store_decision(struct optimizer *o);
void optimizer_mind_clear(struct optimizer_mind *m);
/* Reads the store and fits; without a usable measurement there is no plan, and a message says so.
 */
void optimizer_make_plan(struct optimizer *o);
/* What the plan is told at STEP. */
struct portolan_plan_now optimizer_tell_now(struct optimizer *o, int step);
/* Makes the changes of ADVICE in o->wanted. */
void optimizer_want(struct optimizer *o, const struct portolan_plan_advice *advice);
/* The steps that remain from STEP on; of a run without a known end as many as were done. */
int optimizer_remaining(struct optimizer *o, int step);

/* explore.c, rank 0: takes the samples of the steps that ended before STEP, and their times. */
void optimizer_take_steps(struct optimizer *o, int step, const struct portolan_sample *samples,
                          size_t n);
/*
 * Rank 0: true when o->wanted says what is to be tried, or left, from STEP on; then
 * nobody else decides.
 */
bool optimizer_explore(struct optimizer *o, int step);
/* Whether this run has measured o->wanted, and that it is not better than what runs. */
bool optimizer_knows_better(const struct optimizer *o);
/* Logs what exploring has cost and found, if there was any. */
void optimizer_report_exploring(const struct optimizer *o);

/*
 * Collective: makes o->wanted the current implementations, all or none. If one fails, it is banned
 * for this run, and the failure is stored, logged and returned. ECOMPONENT when an old
 * implementation could not be put back: the caller throws this, since the ranks may differ.
 */
enum portolan_status optimizer_apply(struct optimizer *o, int step, struct portolan_error *err);
/* Puts the implementations of the last swap back; the new ones are banned. */
enum portolan_status optimizer_undo(struct optimizer *o, int step, const char *why,
                                    struct portolan_error *err);

/*
 * reasons.c, rank 0 (elsewhere without effect): stores a decision for STEP, that o->wanted should
 * run instead of o->current (or that nothing changes), with its alternatives as far as they are
 * known. BINDING: the constraint that decided ("accuracy", "memory", "pin", "forbid", "stateful",
 * "budget"), or NULL. WHY: a sentence; NULL: o->mind.reason. Call it when o->wanted is set, before
 * optimizer_apply().
 */
void optimizer_record(struct optimizer *o, int step, enum optimizer_asker asked_by,
                      const char *binding, const char *why);
/* Rank 0: weighs o->wanted (R, of which it fills the numbers) against *ROWS, one per option, in
 * POOL; NOW may be NULL. */
enum portolan_status optimizer_weigh(struct optimizer *o, const struct portolan_plan_now *now,
                                     struct portolan_reason *r, struct portolan_alternative **rows,
                                     struct portolan_arena *pool, struct portolan_error *err);
/* "a test.A1 -> test.A2, b test.B1 -> test.B2": what is wanted and does not run yet. The caller
 * frees it; NULL: no memory. */
char *optimizer_change_text(const struct optimizer *o);
/* What became of the last recorded decision: "done", "kept: why", "undone: why". */
void optimizer_record_outcome(struct optimizer *o, const char *outcome);
/* Stores what STEP is expected to take, according to ADVICE. */
void optimizer_expect(struct optimizer *o, int step, const struct portolan_plan_advice *advice);
/* STEP has ended, with NOW's samples: holds it against what was expected, and finds the cause of an
 * error. An error that lasts is told in o->mind.lasting. To be called before the plan learns. */
void optimizer_compare(struct optimizer *o, int step, const struct portolan_plan_now *now);

/* Finds an instance by name, and its alternative by class; NULL if either is missing. */
struct optimizer_option *optimizer_find(const struct optimizer *o, const char *instance,
                                        const char *class_name);

static inline struct optimizer_option *optimizer_option(const struct optimizer *o, size_t instance,
                                                        size_t alternative)
{
    return o->first[instance] + alternative;
}

/* Whether the instance has several alternatives. */
static inline bool optimizer_has_choice(const struct optimizer *o, size_t instance)
{
    return o->assembly->instances[instance].n_alternatives > 1;
}

static inline const char *optimizer_hold_word(const struct optimizer_option *held)
{
    return held->hold == OPTIMIZER_PINNED ? "pin" : "forbid";
}

static inline const char *optimizer_class(const struct optimizer *o, size_t instance, size_t k)
{
    return o->assembly->instances[instance].alternatives[k].class_name;
}

#endif
