/* SPDX-License-Identifier: BSD-3-Clause */
/** Private to the component portolan.Optimizer. */
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

/* The source of a decision. */
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

/* The most call paths that are reported of a step that was not as expected; the number of such
 * steps in a row after which an error is lasting. */
enum { OPTIMIZER_MISSES = 4, OPTIMIZER_LASTING = 3 };

/*
 * The result of an instance's calls in a step: whether any failed, and the worst accuracy; -1:
 * none. They are doubles because the ranks exchange them.
 */
struct optimizer_seen {
    double failed, accuracy;
};

/* The action of all ranks before the coming step: nothing; swap as rank 0 wants, which they know;
 * or wait for rank 0 to decide. */
enum optimizer_todo { OPTIMIZER_STAY, OPTIMIZER_SWAP, OPTIMIZER_DECIDE };

enum optimizer_hold { OPTIMIZER_FREE, OPTIMIZER_PINNED, OPTIMIZER_FORBIDDEN };

/* An alternative of an instance that has several, and what this run knows of it. */
struct optimizer_option {
    size_t instance, alternative; /* positions in the assembly */
    bool failed;                  /* it failed, missed the accuracy, or ended an earlier trial */
    bool is_judged,
        ran_well;     /* on rank 0: IS_JUDGED: whether RAN_WELL, in an earlier trial, is known */
    bool ran_here;    /* it has run well in this trial */
    bool keeps_state; /* its exportState has failed: no other can take its place */
    enum optimizer_hold hold;
    enum optimizer_asker held_by;
    int32_t steps;   /* for the policy: steps with it */
    double total_ns; /* for the policy: time of its calls in these steps */
    /* On rank 0, from the last diagnosis: it remedies a factor; expected and largest gain, as
     * shares of a step; FINDING: the text of the largest, or NULL. */
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
    double share;                 /* for EXPLORE; 0: off; INFINITY: on, as the parameters say */
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
    bool looked;                /* the store was read for measurements and a decision */
    bool from_store;            /* the run started with a stored decision */
    int learned_step;
    int unknown_steps;          /* with a call that has no model */
    int next_look;              /* number of such steps after which the store is read again */
    double swap_ns;             /* cost of a swap, as measured in this run */
    struct portolan_race *race; /* NULL: it does not explore */
    int explored_step;          /* last step that the race saw */
    int kept_visits;            /* visits of the race when a decision was last stored */
    size_t kept_tried;          /* alternatives tried in the race when the plan was last made */
    double predicted_ns; /* sum of what was predicted for the steps before predicted_step; or NaN */
    double predicted_step_ns; /* and of each step since, until the next decision */
    int predicted_step;
    double deciding_ns;                  /* time spent at swap points */
    char reason[500];                    /* reason of the last decision */
    const struct portolan_plan_now *now; /* the state of the run during a decision; else NULL */
    int n_decisions, n_tried; /* decisions that were recorded; of these, by the exploration */
    int decided_at,
        first_open;        /* step of the last decision; first one whose outcome is not known */
    double expected_ns[3]; /* expected time of the step, and its interval; [0] = 0: not known */
    size_t n_misses;       /* call paths that were not as modelled in the last step */
    struct portolan_plan_miss misses[OPTIMIZER_MISSES];
    int in_a_row[OPTIMIZER_MISSES]; /* per miss: number of successive steps */
    int diagnosed_last,
        diagnosed_steps;   /* last diagnosis: its last step (-1: none), its number of steps */
    int diagnosed_changes; /* changes of the race at that time */
    bool asks;             /* rank 0 wants another diagnosis */
    struct portolan_arena findings; /* owns the texts of findings */
    struct portolan_arena one_step; /* samples of one step of a group */
    char lasting[300];              /* a lasting error of the models, until the next decision; "" */
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
    int32_t *assumed; /* what the plan assumes to run: at first as a stored decision says */
    struct portolan_arena arena; /* owns these lists */
    size_t n_options;
    struct optimizer_option *options; /* of all instances, in order */
    struct optimizer_option **first;  /* per instance: its first option */
    struct optimizer_contexts announced;
    int swap_step;    /* step of the swaps in `swapped`; -2: none */
    int began_step;   /* first step of what runs now */
    double data;      /* a number that characterises the data of the last step */
    bool other_data;  /* the step before had other data */
    bool is_new_data; /* data changed after at least two steps with the same, so that calls are
                         first ones */
    size_t n_swapped;
    struct optimizer_swap *swapped;
    struct portolan_running *noted; /* buffer of optimizer_note_running() */

    /* agree.c */
    struct portolan_piggyback piggyback;
    struct optimizer_seen *seen; /* per instance; in the piggyback's values */
    double *choice;              /* per instance; likewise: the alternative that rank 0 wants */
    int32_t *running;            /* the alternatives that the framework has, to compare ranks */
    int32_t *pending;            /* rank 0: what it wants from step due_step on */
    int due_step;                /* -1: nothing is pending */

    bool asks, is_refused; /* on all ranks: rank 0 asks for a diagnosis; it was refused */

    /* wishes.c: those of rank 0 count; the same on all ranks only if a component asked */
    bool listens; /* it reads the control file */
    size_t n_holds;
    bool undoes; /* an undo is due at the next decision */
    enum optimizer_asker undo_by;
    int undo_step; /* step of the last undo; -1: none */

    int tallied_step; /* on rank 0: last step that policy.c has counted */

    int step;        /* step of the last swap point; -1: there was none */
    int step_before; /* step of the swap point before */

    /* The step that ended, or the first of a group of N_ENDED steps; their time; on rank 0 the
     * slowest rank's samples of one of them. Valid during a decision. */
    int ended, n_ended;
    double ended_ns;
    const struct portolan_sample *step_samples;
    size_t n_step_samples;
    double *spent_ns; /* per instance: time in its calls, from optimizer_take_steps() */

    struct optimizer_mind mind;
};

/*
 * agree.c. Collective: combines what the ranks have seen of the step that ended, bans what failed,
 * and returns what is to be done; after OPTIMIZER_SWAP o->wanted is the same on all ranks. Throws
 * on all ranks if the parameter `check` is on and their alternatives differ.
 */
enum optimizer_todo optimizer_hear(struct optimizer *o, int step, sidl_BaseInterface *_ex);
/*
 * Collective: rank 0 decides now and broadcasts o->wanted; false with an exception if that failed.
 */
bool optimizer_decide_together(struct optimizer *o, int step, sidl_BaseInterface *_ex);
/* Rank 0: decides for a later step, as the parameter `delay` says. */
void optimizer_decide_ahead(struct optimizer *o, int step);
/* Adds the time since ENTERED to the time spent at swap points. */
void optimizer_count_deciding(struct optimizer *o, uint64_t entered);
/* Sets o->wanted to what runs. */
void optimizer_want_current(struct optimizer *o);
/* Returns whether o->wanted differs from what runs. */
bool optimizer_has_to_swap(const struct optimizer *o);
/* component.c: stores a number among the metadata of the run; 0: not known. Rank 0's counts. */
void optimizer_put_number(struct optimizer *o, const char *name, double value);
/* Makes room for what is exchanged; false: no memory. */
bool optimizer_agree_ready(struct optimizer *o);
/* Begins or ends the piggyback on the Mastermind's steps. */
void optimizer_travel(struct optimizer *o, bool on);

/* swap.c: fills o->seen from this rank's samples; returns whether anything is to be banned. */
bool optimizer_see(struct optimizer *o, const struct portolan_sample *samples, size_t n);
/*
 * Bans implementations that failed, or missed the accuracy, according to o->seen of all ranks, and
 * logs it. Returns whether any was not banned before. Not collective.
 */
bool optimizer_ban_seen(struct optimizer *o, int step, const char *why);
/* Collective: likewise in the middle of a step, from the probe's records. */
bool optimizer_ban_in_step(struct optimizer *o, int step, const char *why);
/* Returns whether an alternative failed in this run, or cannot take over the state of the running
 * one, and WHY (may be NULL). */
bool optimizer_is_banned(const struct optimizer *o, size_t instance, size_t alternative,
                         struct portolan_error *why);
/* Returns why an alternative cannot take over the running one's state, for sidl_String_free; NULL:
 * it can, or it runs. */
char *optimizer_get_obstacle(const struct optimizer *o, size_t instance, size_t alternative);

/* running.c. Rank 0, after the store was read: bans what has ended the process of a trial. */
void optimizer_leave_blamed(struct optimizer *o);
/* Collective: makes o->options[].failed the same on all ranks; false: they could not. */
bool optimizer_share_failures(struct optimizer *o);
/* Rank 0: stores that o->wanted runs from STEP on; until the swap is done, what runs now, too. */
void optimizer_note_running(struct optimizer *o, int step);
/* At each swap point, after the step was stored: notes that what was called in it has run well
 * here. Changes o->wanted. */
void optimizer_note_step(struct optimizer *o, int step);

/*
 * wishes.c, on rank 0: returns whether an alternative may be swapped in: it is neither banned nor
 * forbidden, and no other one is pinned.
 */
bool optimizer_may_run(const void *optimizer, size_t instance, size_t alternative);
/* The option because of which it may not run: itself if it is forbidden, or another one that is
 * pinned; NULL. */
const struct optimizer_option *optimizer_peek_hold(const struct optimizer *o, size_t instance,
                                                   size_t alternative);
/* Takes over the pins and forbids of the assembly. */
void optimizer_hold_assembly(struct optimizer *o);
/* Begins or ends to read requests in the control file. */
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
/* Rank 0: changes o->wanted as pins and an undo say. Returns whether there were any: then that is
 * the decision. */
bool optimizer_obey(struct optimizer *o, int step);

/* policy.c: gets the port "policy", if one is connected. */
void optimizer_get_policy(struct optimizer *o, sidl_BaseInterface *_ex);
/* Rank 0: fills o->wanted with what the policy chooses; false when there is none, or it failed. */
bool optimizer_ask_policy(struct optimizer *o, int step);

/* remedies.c: gets the port "diagnosis", if one is connected. */
void optimizer_get_diagnosis(struct optimizer *o, sidl_BaseInterface *_ex);
/* Returns whether steps are being diagnosed. Nothing is swapped then, so that all of them are of
 * one assembly. */
bool optimizer_is_diagnosing(const struct optimizer *o);
/* Rank 0: gives the race what a new diagnosis says of alternatives. */
void optimizer_take_findings(struct optimizer *o);
/*
 * Rank 0: returns whether the running assembly was not diagnosed yet, and a diagnosis would help.
 */
bool optimizer_wants_diagnosis(struct optimizer *o, int step);
/* Collective: asks for a diagnosis if rank 0 wants it (o->asks). */
void optimizer_ask_diagnosis(struct optimizer *o);
/* The finding that o->wanted remedies; NULL: there is none. */
const char *optimizer_peek_finding(const struct optimizer *o);

/* component.c: gets the ports and the state when first needed; false with an exception. */
bool optimizer_is_ready(struct optimizer *o, sidl_BaseInterface *_ex);
/* Collective: decides and swaps without waiting for a swap point. Returns whether anything was
 * swapped. */
bool optimizer_swap_now(struct optimizer *o, sidl_BaseInterface *_ex);
/* Sets the value of a context; false, with C unchanged, when memory runs out. */
bool optimizer_note(struct portolan_arena *pool, struct optimizer_contexts *c, const char *name,
                    double value);
/* The method `announce` of both ports. */
void optimizer_announce(void *self, const char *name, double value, sidl_BaseInterface *_ex);

/* steer.c: the port "optimizer". */
extern const struct portolan_ports_Optimizer__epv optimizer_port_epv;

/* decide.c: returns whether calls in STEP may be first ones, by what was measured of what runs. */
bool optimizer_is_warming(const struct optimizer *o, int step);
/* rank 0: fills o->wanted for the steps from STEP on. On errors nothing is swapped. */
void optimizer_decide(struct optimizer *o, int step);
/* Stores the decision made before the first step, unless it came from the store. */
void optimizer_store_decision(struct optimizer *o);
void optimizer_mind_clear(struct optimizer_mind *m);
/* Reads the store and fits models; without a usable measurement there is no plan, and a message
 * says so. */
void optimizer_make_plan(struct optimizer *o);
/* The state of the run at STEP, for the plan. */
struct portolan_plan_now optimizer_get_now(struct optimizer *o, int step);
/* Makes the changes of ADVICE in o->wanted. */
void optimizer_want(struct optimizer *o, const struct portolan_plan_advice *advice);
/* What was predicted for the steps before STEP, each from the last decision before it, and for the
 * swaps; NaN: for one of them nothing was. */
double optimizer_foretell(const struct optimizer *o, int step);
/* The steps that remain from STEP on; in a run without a known end, as many as were done. */
int optimizer_remaining(struct optimizer *o, int step);

/* explore.c, rank 0: takes the samples of the steps that ended before STEP, and their times. */
void optimizer_take_steps(struct optimizer *o, int step, const struct portolan_sample *samples,
                          size_t n);
/*
 * Rank 0: asks the race. Returns true if it decides: then o->wanted is what to try, or what to go
 * back to, from STEP on.
 */
bool optimizer_explore(struct optimizer *o, int step);
/* Returns whether this run has measured that o->wanted is not better than what runs. */
bool optimizer_knows_better(const struct optimizer *o);
/* Logs what exploring has cost and found, if it took place. */
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
/* "a test.A1 -> test.A2, b test.B1 -> test.B2": the swaps from what runs to o->wanted. The caller
 * frees it; NULL: no memory. */
char *optimizer_change_text(const struct optimizer *o);
/* Stores the outcome of the last recorded decision: "done", "kept: why", "undone: why". */
void optimizer_record_outcome(struct optimizer *o, const char *outcome);
/* Stores what STEP is expected to take, according to ADVICE. */
void optimizer_expect(struct optimizer *o, int step, const struct portolan_plan_advice *advice);
/* Compares STEP, which has ended, and NOW's samples with what was expected, and finds the cause of
 * an error. Puts a lasting error into o->mind.lasting. To be called before the plan learns. */
void optimizer_compare(struct optimizer *o, int step, const struct portolan_plan_now *now);

/* Finds an instance by name, and its alternative by class; NULL if either is missing. */
struct optimizer_option *optimizer_find(const struct optimizer *o, const char *instance,
                                        const char *class_name);

static inline struct optimizer_option *optimizer_option(const struct optimizer *o, size_t instance,
                                                        size_t alternative)
{
    return o->first[instance] + alternative;
}

/* Returns whether the instance has several alternatives. */
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
