/* SPDX-License-Identifier: BSD-3-Clause */
/** Inside the plan: scopes, fitted quantities, and their values at given contexts. */
#ifndef PORTOLAN_OPTIMIZER_PLAN_INTERNAL_H
#define PORTOLAN_OPTIMIZER_PLAN_INTERNAL_H

#include "survey.h"

#include <math.h>
#include <portolan/choice.h>
#include <portolan/local.h>
#include <portolan/plan.h>
#include <portolan/update.h>

enum { MAX_TUPLES = 4096, MAX_SLOTS = 64 };

enum quantity_kind { QUANTITY_TIME, QUANTITY_COUNT, QUANTITY_CONTEXT, QUANTITY_ACCURACY };

/*
 * What a time was fitted from, and what arrived since: kept so that a running program's rows are
 * taken in one by one, and the form is looked for again when it no longer holds.
 */
struct plan_rows {
    const char *const *names;
    size_t n_names;
    bool by_context;
    struct portolan_arena pool;      /* of the rows */
    size_t n, most;                  /* and how many there ever were */
    size_t n_stored;                 /* the first of them, from the store */
    size_t n_arrived, patient_until; /* so many rows must arrive before the form may fail again */
    size_t fit_at;                   /* with so many rows it is looked for again anyway */
    double *x, *y, *weight;
    size_t number; /* of these rows among all */
    size_t *point; /* of the trial each is from */
    struct portolan_model *model;
    struct portolan_update *update; /* NULL: no row arrived since the fit */
    struct portolan_local *local;   /* what was measured, and its neighbours */
    bool by_local;                  /* which err less than the law */
    double sigma;                   /* logarithmic error on rows left out; NaN: not known */
    double last_off;                /* of the row that arrived last */
    double drift; /* logarithm of what arrives over what the local predictor said, smoothed */
};

/* What a file says of an implementation that was never measured. */
struct plan_stated {
    const struct portolan_assembly_model *from;
    size_t variable, alternative;
    struct portolan_model *model;
    const char *quantity;
    enum quantity_kind kind;
    double factor; /* to nanoseconds */
    bool is_used;
};

/* A measured number as a function of contexts or swept parameters. */
struct quantity {
    bool known;
    enum quantity_kind kind;
    bool by_context; /* inputs are contexts, else numeric dims */
    size_t n_inputs, inputs[MAX_INPUTS];
    size_t n_fixed, fixed[MAX_INPUTS];  /* inputs that had one value in all rows … */
    double fixed_at[MAX_INPUTS];        /* … this one */
    const struct portolan_model *model; /* NULL: the constant */
    double constant;
    size_t n_rows;
    double low, high;       /* of the constant's rows */
    struct plan_rows *rows; /* of times and counts: shared by all that have the same; else NULL */
    const struct plan_stated *stated; /* NULL: it was measured */
};

/* A number with the interval of one more run, and the relative error of its mean. */
struct estimate {
    double value, low, high, se;
};

/* Contexts with the share of the calls that have them. */
struct profile {
    size_t n;
    double (*context)[PORTOLAN_CONTEXT_MAX];
    const double *share;
};

/* Contexts that are known beforehand, or announced. */
struct plan_known {
    size_t n;
    const char *const *names;
    const double *values;
};

/* What is known of a call path with one combination of implementations. */
struct plan_tuple {
    bool seen;                 /* a trial ran with it and called the caller */
    bool unneeded;             /* the caller's implementation never calls */
    struct quantity calls;     /* per call of the caller */
    struct quantity exclusive; /* per call */
    struct quantity overall;   /* the same from swept parameters, where EXCLUSIVE is by context */
    struct quantity setup;     /* per run */
    struct quantity extra;     /* share of it, by calls that take far longer again and again … */
    double period;             /* … one in so many; 0: there are none */
    struct quantity accuracy;  /* the worst that calls reported */
    struct estimate accuracy_here; /* where it was reported at the present parameters */
    size_t n_slots; /* contexts per run are functions of the swept parameters; 0: not */
    struct quantity (*slot_context)[PORTOLAN_CONTEXT_MAX];
    double *slot_share;
    struct profile exact; /* as measured at the assembly's present parameters; n = 0: never */
};

enum { MAX_SCOPE = 8 };

struct plan_scope {
    size_t n, variables[MAX_SCOPE]; /* the own instance first, if it is variable */
    size_t n_tuples;
    /*
     * [own alternative * n + i]: with it, the partner variables[i] is never called, so that its
     * implementation does not matter: it counts as written.
     */
    bool *dormant;
};

/* Whether an implementation may be used at a place, and why not. */
enum plan_verdict_kind {
    PLAN_ADMITTED,
    PLAN_FAILED,       /* a call failed there, or wherever it was tried */
    PLAN_INACCURATE,   /* likewise, its accuracy was missed */
    PLAN_UNPROVEN,     /* it worked elsewhere, which does not say that it works there */
    PLAN_INAPPLICABLE, /* it says so itself */
};

struct plan_verdict {
    enum plan_verdict_kind kind;
    bool near_bad;    /* unproven: what is nearest did not work … */
    bool near_failed; /* … since calls failed */
    bool is_blind;    /* unproven: contexts are not known */
    double accuracy;  /* of what the verdict rests on; NaN */
    long long trial;  /* likewise; 0: none */
    double hope;      /* unproven: the chance that it works nonetheless */
    const char *why;  /* inapplicable: its condition */
};

struct plan_evidence;

struct plan_path {
    struct portolan_prune_mark mark;
    struct plan_evidence *evidence; /* NULL: calls neither failed nor reported an accuracy */
    bool core;
    struct plan_scope scope; /* own instance, partners, calling instance */
    size_t caller_at;        /* of the calling instance in scope.variables; NONE */
    struct plan_tuple *tuples;
};

/* What a tuple costs at the contexts looked at. */
struct plan_cost {
    bool allowed, guessed;
    double hope; /* not allowed, but it would cost this, and may work */
    struct estimate calls, exclusive, setup;
    struct estimate accuracy; /* NaN: none was reported */
    bool accuracy_outside;    /* asked outside what was measured */
    struct plan_verdict verdict;
    size_t extrapolating;
    double octaves;
    bool assumed;
};

/* Costs of all paths' tuples, [path][tuple]. */
struct plan_view {
    struct plan_cost **costs;
};

/* Sentences for a person, in an arena. */
struct plan_notes {
    struct portolan_arena *pool;
    size_t n;
    const char **texts;
};

struct portolan_plan {
    struct survey s;
    struct plan_path *paths; /* one per survey node */
    size_t n_core, *number;  /* per variable: which of the core's it is; NONE: none of them */
    size_t n_nodes;
    struct portolan_plan_node *graph;
    size_t graph_trial; /* the one shown; NONE */
    size_t n_models;
    struct portolan_plan_model *models;
    size_t n_owned;
    struct portolan_model **owned;
    size_t n_stated;
    struct plan_stated *stated;
    size_t n_rows;
    struct plan_rows **rows;              /* their models are their own */
    double *dim_target;                   /* per dim; NaN: not known, or no number */
    struct portolan_condition ***applies; /* [variable][alternative]; NULL: none is stated */
    struct plan_known known;
    struct plan_notes notes;
    /* A word that was never measured as it is now, only as the sweep sets it; NULL: there is none.
     */
    const struct portolan_assembly_sweep *other_input;
    int steps; /* of the run to predict */
    struct plan_view view;
    struct portolan_arena choice_pool; /* of the last choice */
    struct portolan_plan_choice choice;
};

/* advise.c: what runs, as alternatives, and the samples of a step among the plan's paths. */
enum portolan_status plan_read_selection(const struct survey *s,
                                         const struct portolan_name_value *current, size_t n,
                                         size_t *selection, struct portolan_error *err);
/* PATHS[i]: the call path of sample i; NONE: not in the plan. */
void plan_find_paths(const struct survey *s, const struct portolan_sample *samples, size_t n,
                     size_t *paths);

/* graph.c: the measured call graph, pruning, the core. */
enum portolan_status plan_make_graph(struct portolan_plan *p, struct portolan_error *err);

/* fit.c: scopes and quantities. */
enum portolan_status plan_make_scopes(struct portolan_plan *p, struct portolan_error *err);
enum portolan_status plan_fit(struct portolan_plan *p, struct portolan_error *err);
/* The tuple of a scope in SELECTION (dormant partners as written); NONE when a variable has no
 * known alternative. */
size_t plan_tuple_of(const struct portolan_plan *p, const struct plan_scope *scope,
                     const size_t *selection);
/* The scope's variables' alternatives in TUPLE, into SELECTION. */
void plan_tuple_apply(const struct portolan_plan *p, const struct plan_scope *scope, size_t tuple,
                      size_t *selection);
/* The calling instance's alternative in TUPLE; 0 where the scope has none. */
size_t plan_caller_of(const struct portolan_plan *p, size_t path, size_t tuple);
/* TUPLE with the calling instance as written; NONE for NONE. */
size_t plan_as_written(const struct portolan_plan *p, size_t path, size_t tuple);
/* The tuple in which an accuracy or a failure was reported; SELECTION is scratch. */
size_t plan_quality_tuple(const struct portolan_plan *p, size_t path,
                          const struct survey_quality *q, size_t *selection);
/* The called instance's alternative in TUPLE, its first digit; 0 where the instance is fixed. */
size_t plan_own_of(const struct portolan_plan *p, size_t path, size_t tuple);
/* quantity.c: fits, values, and what learn.c does to them. */
enum portolan_status plan_own_model(struct portolan_plan *p, struct portolan_model *model);
enum portolan_status plan_fit_quantity(struct portolan_plan *p, bool by_context,
                                       const char *const *names, size_t n_names, size_t n_rows,
                                       const double *x, const double *y, const size_t *point,
                                       enum quantity_kind kind, struct quantity *q);
/* The row behind the others; false without memory. */
bool plan_rows_add(struct plan_rows *r, const double *x, double y, size_t point);
/* Looks for the form again, in all rows. */
enum portolan_status plan_rows_fit_again(struct portolan_plan *p, size_t path, struct plan_rows *r);
/* r->update, from the form and the rows as they are; it stays NULL where there can be none. */
enum portolan_status plan_rows_begin_update(struct plan_rows *r, const struct quantity *q);
/* What was fitted from ROWS is NOW so, wherever it stands on PATH; takes MODEL. */
void plan_rows_share(struct portolan_plan *p, size_t path, struct plan_rows *rows,
                     struct portolan_model *model, const struct quantity *now);
/* Those of X that the quantity depends on. */
void plan_quantity_inputs(const struct quantity *q, const double *x, double *inputs);
void plan_rows_clear(struct portolan_plan *p);
enum portolan_status plan_list_models(struct portolan_plan *p, struct portolan_error *err);
/*
 * X: contexts or dims, as the quantity wants; POINT: of the trials that would be there, NONE.
 * What was measured there is the value; else what errs less of the law and the neighbours. False
 * when there is no finite value. The standard error is relative.
 */
bool plan_quantity_value(const struct quantity *q, const double *x, size_t point,
                         struct portolan_prediction *out);

/* admit.c: where implementations may be used. CONTEXT NULL: not known. */
bool plan_is_lifted(const struct portolan_plan *p, const struct survey_quality *q);
enum portolan_status plan_gather_evidence(struct portolan_plan *p, size_t path);
struct plan_verdict plan_admit(const struct portolan_plan *p, size_t path, size_t tuple,
                               const double *context, bool accuracy_rises);

/* stated.c: whether the called implementation says that it applies; what is not known is no
 * hindrance. */
struct plan_verdict plan_applies(const struct portolan_plan *p, size_t path, size_t tuple,
                                 const double *context);
/* The same of an alternative where LOOKUP tells contexts and parameters: NULL, or what it wants. */
const char *plan_ask(const struct portolan_plan *p, size_t variable, size_t alternative,
                     portolan_condition_lookup_fn lookup, void *arg);
enum portolan_status plan_read_conditions(struct portolan_plan *p, struct portolan_error *err);
void plan_clear_conditions(struct portolan_plan *p);

/* stated.c: what was never measured, as files say. */
enum portolan_status plan_read_stated(struct portolan_plan *p, struct portolan_error *err);
enum portolan_status plan_take_stated(struct portolan_plan *p, size_t path,
                                      struct portolan_error *err);
/* Where calls report an accuracy, and one is wanted, that of a file must do; NaN: none says. */
struct plan_verdict plan_admit_stated(const struct portolan_plan *p, size_t path, double accuracy);

/* observe.c: from the survey's pieces to rows for fits. */
enum portolan_status plan_observe(struct portolan_plan *p, size_t path);

/* evaluate.c: costs at contexts, cost tables, totals. */
enum portolan_status plan_view_create(const struct portolan_plan *p, struct portolan_arena *pool,
                                      struct plan_view *v);
/* PROFILES: per path what was seen now (n = 0: nothing); NULL, NULL: as the models say. */
void plan_view_fill(const struct portolan_plan *p, struct plan_view *v,
                    const struct profile *profiles, const struct plan_known *announced);
/* NaN: it is not among them. */
double plan_known_value(const struct plan_known *known, const char *name);

struct plan_horizon {
    double steps;
    const size_t *current; /* only instances that differ are set up; NULL: a whole run, all are */
};

static inline struct plan_horizon plan_whole_run(const struct portolan_plan *p)
{
    return (struct plan_horizon){.steps = p->steps};
}

enum portolan_status plan_make_problem(const struct portolan_plan *p, const struct plan_view *v,
                                       const struct plan_horizon *h, struct portolan_choice **c,
                                       struct portolan_error *err);
/* False when SELECTION is not allowed; *WHY (may be NULL) = path and tuple that forbid it. */
struct plan_forbidden {
    size_t path, tuple;
};

/* confidence.c: how sure the least cost is; VALUES and those of OUT are of core variables. */
struct plan_confidence {
    size_t *values, *rival; /* what loses least on average; what else is best most often */
    bool has_rival;
    double chance;        /* that VALUES are the best */
    double expected_loss; /* of VALUES against what would be best, relative */
    bool is_risky;        /* it may well lose much */
};
enum portolan_status plan_be_confident(const struct portolan_plan *p, const struct plan_view *v,
                                       const struct plan_horizon *h, const size_t *values,
                                       struct plan_confidence *out);

/* The chance that the selection MINE costs less than OTHER, with so much on top. */
double plan_chance(const struct portolan_plan *p, const struct plan_view *v,
                   const struct plan_horizon *h, const size_t *mine, const size_t *other,
                   double handicap_ns);

bool plan_total(const struct portolan_plan *p, const struct plan_view *v,
                const struct plan_horizon *h, const size_t *selection,
                struct portolan_plan_prediction *out, struct plan_forbidden *why);
/* The same of the whole run, as the plan's view has it. */
bool plan_total_of_run(const struct portolan_plan *p, const size_t *selection,
                       struct portolan_plan_prediction *out, struct plan_forbidden *why);
/* Whether an instance is called at all with SELECTION. */
bool plan_calls(const struct portolan_plan *p, const struct plan_view *v, size_t variable,
                const size_t *selection);
/* Why a tuple is not allowed, as words for a person. */
void plan_explain_forbidden(const struct portolan_plan *p, const struct plan_forbidden *f,
                            char *text, size_t size_bytes);

/* Adds a sentence; without memory the arena's `failed` says so. */
PORTOLAN_PRINTF(2, 3)
void plan_note(struct plan_notes *notes, const char *format, ...);

/* The text, an arena's; "" when nothing was added, NULL when memory was out. */
char *plan_text(struct portolan_text *text);
/* Adds "instance=class", with a blank in front where it is not the first word. */
void plan_add_class(struct portolan_text *text, const struct portolan_assembly_instance *x,
                    size_t alternative);
/* "a=X b=Y" (variables of SCOPE but for SKIP). */
char *plan_tuple_text(const struct portolan_plan *p, struct portolan_arena *pool,
                      const struct plan_scope *scope, size_t tuple, size_t skip);
/* "a=X b=Y" of what is not as written. */
char *plan_selection_text(const struct survey *s, struct portolan_arena *pool,
                          const size_t *selection);

#endif
