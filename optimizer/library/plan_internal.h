/* SPDX-License-Identifier: BSD-3-Clause */
/** Shared by the files of the plan: scopes, fitted quantities, and their values at contexts. */
#ifndef PORTOLAN_OPTIMIZER_PLAN_INTERNAL_H
#define PORTOLAN_OPTIMIZER_PLAN_INTERNAL_H

#include "survey.h"

#include <math.h>
#include <portolan/choice.h>
#include <portolan/local.h>
#include <portolan/plan.h>
#include <portolan/update.h>

enum { MAX_TUPLES = 4096, MAX_SLOTS = 64 };

enum quantity_kind {
    QUANTITY_TIME,
    QUANTITY_COUNT,
    QUANTITY_CONTEXT,
    QUANTITY_ACCURACY,
    QUANTITY_SETUP /* stated in a file */
};

/*
 * The rows that a time was fitted to, and those that arrived since: kept so that a running
 * program's rows can be added one by one, and the form searched again when it no longer holds.
 */
struct plan_rows {
    const char *names[MAX_INPUTS];
    size_t n_names;
    bool by_context;
    struct portolan_arena pool;      /* of the rows */
    size_t n, most;                  /* rows now, and the largest number so far */
    size_t n_stored;                 /* the first rows, which are from the store */
    size_t n_arrived, patient_until; /* the form may not fail before so many rows have arrived */
    size_t fit_at;                   /* with so many rows the form is searched again in any case */
    double *x, *y, *weight;
    double *steps;    /* of a row that is to be fitted: that it is the mean of, … */
    double *error;    /* … the relative error of the mean, … */
    bool *is_first;   /* … and whether they were only first calls */
    bool *is_dropped; /* scratch */
    double n_steps;   /* of all rows together */
    double within;    /* relative error of the mean at a place, from the spread within rows */
    bool only_first, is_doubtful; /* only first calls; and others have later ones */
    bool is_exact;                /* on a manual clock, or many equal times */
    size_t n_old;                 /* the first rows, from before the law changed */
    size_t number;                /* index of this structure in the plan */
    size_t *point;                /* of each row's trial */
    struct portolan_model *model;
    struct portolan_update *update; /* NULL: no row arrived since the fit */
    bool is_behind;                 /* UPDATE has rows that MODEL's constants do not know yet */
    struct portolan_local *local;   /* predicts from measured places and their neighbours */
    bool by_local;                  /* LOCAL errs less than the law */
    double sigma;                   /* logarithmic error on rows left out; NaN: not known */
    double last_off;                /* deviation of the last row from LOCAL, a logarithm */
    double drift;                   /* smoothed deviation of arriving rows from LOCAL */
};

/* A model in a file, for an implementation that was never measured. */
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
    size_t n_fixed, fixed[MAX_INPUTS];  /* inputs that had one value in all rows, … */
    double fixed_at[MAX_INPUTS];        /* … and that value */
    const struct portolan_model *model; /* NULL: the constant */
    double constant;
    size_t n_rows;          /* steps that were measured */
    double low, high;       /* of the constant's rows */
    struct plan_rows *rows; /* of times and counts, shared by quantities with the same; or NULL */
    const struct plan_stated *stated; /* NULL: it was measured */
    const struct quantity *beyond;    /* a file's law for where it was not measured; or NULL */
};

/* A number with the interval for one more run, and the relative standard error of its mean. */
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
    bool seen;                     /* a trial ran with it and called the caller */
    bool unneeded;                 /* the caller's implementation never calls */
    struct quantity calls;         /* per call of the caller */
    struct quantity exclusive;     /* per call */
    struct quantity overall;       /* the same from swept parameters, if EXCLUSIVE is by context */
    struct quantity setup, again;  /* per run; per return to it within a run */
    struct quantity accuracy;      /* the worst that calls reported */
    struct estimate accuracy_here; /* as reported at the present parameters */
    size_t n_slots; /* contexts per run that are functions of the swept parameters; 0: none */
    struct quantity (*slot_context)[PORTOLAN_CONTEXT_MAX];
    double *slot_share;
    struct profile exact; /* as measured at the assembly's present parameters; n = 0: never */
};

enum { MAX_SCOPE = 8 };

struct plan_scope {
    size_t n, variables[MAX_SCOPE]; /* the called instance first, if it is variable */
    size_t n_tuples;
    /*
     * [called alternative * n + i]: with that alternative, the partner variables[i] is never
     * called; its implementation does not matter, and counts as written.
     */
    bool *dormant;
};

/* Whether an implementation may be used at a place, and why not. */
enum plan_verdict_kind {
    PLAN_ADMITTED,
    PLAN_FAILED,       /* a call failed there, or wherever it was tried */
    PLAN_INACCURATE,   /* likewise, it missed the accuracy */
    PLAN_UNPROVEN,     /* it worked elsewhere, which does not prove that it works there */
    PLAN_INAPPLICABLE, /* its own condition excludes the place */
};

struct plan_verdict {
    enum plan_verdict_kind kind;
    bool near_bad;    /* unproven: at the nearest place it did not work … */
    bool near_failed; /* … because calls failed */
    bool is_blind;    /* unproven: contexts are not known */
    double accuracy;  /* in the evidence for the verdict; NaN: none */
    long long trial;  /* of that evidence; 0: none */
    double hope;      /* unproven: the chance that it works nonetheless */
    const char *why;  /* inapplicable: its condition */
};

struct plan_evidence;

struct plan_path {
    struct portolan_prune_mark mark;
    struct plan_evidence *evidence; /* NULL: calls neither failed nor reported an accuracy */
    bool core;
    struct plan_scope scope; /* called instance, partners, calling instance */
    size_t caller_at;        /* position of the calling instance in scope.variables; NONE */
    struct plan_tuple *tuples;
};

enum { MAX_LAYOUTS = 6 };

/* An instance that makes or takes data. */
struct plan_end {
    const struct portolan_assembly_instance *instance;
    size_t variable; /* NONE: it has one implementation */
    size_t *layout;  /* per alternative; NONE: any will do */
};

struct plan_conversion {
    size_t from, to;
    struct portolan_formula *seconds;
};

/* Data that one instance makes and others take, in layouts of their own. */
struct plan_data {
    const struct portolan_assembly_data *from;
    size_t n_layouts;
    const char *layouts[MAX_LAYOUTS];
    size_t n_ends;
    struct plan_end *ends; /* the maker first */
    struct plan_conversion *conversions;
};

/* What conversions take. */
struct plan_conversions {
    double ns[MAX_LAYOUTS][MAX_LAYOUTS]; /* [from][to], by way of others where that is quicker */
    double all_ns[MAX_LAYOUTS][1 << MAX_LAYOUTS]; /* from one to exactly this set of layouts */
};

/* The cost of a tuple at given contexts. */
struct plan_cost {
    bool allowed, guessed;
    double hope; /* if not allowed: the chance that it works nonetheless, at these costs */
    struct estimate calls, exclusive, setup, again;
    struct estimate accuracy; /* NaN: none was reported */
    bool accuracy_outside;    /* predicted outside the measured range */
    struct plan_verdict verdict;
    size_t extrapolating;
    double octaves;
    bool assumed;
};

/* What a plan's tuples cost at contexts, for a whole run or the rest of one. */
struct plan_view {
    const struct portolan_plan *p;
    double steps;
    const size_t *current;                /* only what differs from it is set up; NULL: all is */
    double **once;                        /* [variable][alternative]: swap; INFINITY: forbidden */
    struct plan_cost **costs;             /* [path][tuple] */
    uint64_t **stamps;                    /* hashes of what the costs were found from */
    struct plan_conversions *conversions; /* per data */
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
    size_t n_core, *number;  /* per variable: its index in the core; NONE: not in the core */
    size_t n_data;
    struct plan_data *data;
    double **memory;     /* [variable][alternative]: bytes */
    double memory_fixed; /* of instances with one implementation */
    size_t n_nodes;
    struct portolan_plan_node *graph;
    size_t graph_trial; /* the trial shown; NONE */
    size_t n_models;
    struct portolan_plan_model *models;
    size_t n_owned;
    struct portolan_model **owned;
    size_t n_stated;
    struct plan_stated *stated;
    size_t n_rows;
    struct plan_rows **rows;              /* they own their models */
    double *dim_target;                   /* per dim; NaN: not known, or not a number */
    struct portolan_condition ***applies; /* [variable][alternative]; NULL: no condition */
    struct plan_known known;
    bool is_exact; /* times are of a manual clock */
    struct plan_notes notes;
    /* A parameter that was measured only as the sweep sets it, not with its present value; or NULL.
     */
    const struct portolan_assembly_sweep *other_input;
    int steps;                         /* of the run to predict */
    struct plan_view view;             /* of a whole run */
    struct plan_view recent;           /* of the last step that was asked about */
    struct portolan_arena choice_pool; /* of the last choice */
    struct portolan_plan_choice choice;
};

/* advise.c: a running assembly at one moment. */
struct advising {
    const struct portolan_plan *p;
    const struct portolan_plan_now *now;
    struct portolan_arena pool; /* for the time of one call */
    size_t *current, *chosen;   /* the alternative of each variable */
    struct profile *profiles;
    int rank;      /* the slowest in the step */
    size_t *paths; /* of each of its samples; NONE: not in the plan */
    struct plan_view view;
};

/*
 * Fills CURRENT, and the view at the contexts of the last step and those announced. On failure,
 * too, the caller clears the pool.
 */
enum portolan_status plan_advising_open(struct advising *a);
/* Fills the view's costs of swaps, and forbids what is banned: what runs and, if ASKS, all else. */
void plan_advising_ask(struct advising *a, bool asks);

static inline double plan_wanted(const struct portolan_plan *p, size_t path)
{
    return portolan_plan_wanted_accuracy(p->s.a, p->s.nodes[path].instance);
}

/* advise.c: the alternatives that run now, and the call paths of a step's samples. */
void plan_read_selection(const struct survey *s, const int32_t *current, size_t *selection);
/* PATHS[i]: the call path of sample i; NONE: not in the plan. */
void plan_find_paths(const struct survey *s, const struct portolan_sample *samples, size_t n,
                     size_t *paths);

/* graph.c: the measured call graph, pruning, the core. */
enum portolan_status plan_make_graph(struct portolan_plan *p, struct portolan_error *err);

/* fit.c: scopes and quantities. */
enum portolan_status plan_make_scopes(struct portolan_plan *p, struct portolan_error *err);
enum portolan_status plan_fit(struct portolan_plan *p, struct portolan_error *err);
/* The tuple of a scope in SELECTION (dormant partners as written); NONE when the alternative of a
 * variable is not known. */
size_t plan_tuple_of(const struct portolan_plan *p, const struct plan_scope *scope,
                     const size_t *selection);
/* Copies the alternatives in TUPLE to the scope's variables in SELECTION. */
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
/* quantity.c: fits, values, and the changes that learn.c makes. */
enum portolan_status plan_own_model(struct portolan_plan *p, struct portolan_model *model);
enum portolan_status plan_fit_quantity(struct portolan_plan *p, const struct plan_rows *rows,
                                       enum quantity_kind kind, struct quantity *q);
/* Brings the constants of the model up to date, which is not done for each row. R may be NULL. */
void plan_rows_catch_up(struct plan_rows *r);
/* Appends a row; false without memory. */
bool plan_rows_add(struct plan_rows *r, const double *x, double y, double weight, size_t point);
/* Searches the form again, in all rows. */
enum portolan_status plan_rows_fit_again(struct portolan_plan *p, size_t path, struct plan_rows *r);
/* Creates r->update from the present form and rows; it stays NULL if the form allows none. */
enum portolan_status plan_rows_begin_update(struct plan_rows *r, const struct quantity *q);
/* Replaces every quantity of PATH that was fitted to ROWS by NOW with MODEL, which it takes. */
void plan_rows_share(struct portolan_plan *p, size_t path, struct plan_rows *rows,
                     struct portolan_model *model, const struct quantity *now);
/* Sets INPUTS to the values in X that the quantity depends on. */
void plan_quantity_inputs(const struct quantity *q, const double *x, double *inputs);
void plan_rows_clear(struct portolan_plan *p);
enum portolan_status plan_list_models(struct portolan_plan *p, struct portolan_error *err);
/*
 * The value at X, which has contexts or dims as the quantity needs; POINT: of trials there, or
 * NONE. It is the measured value, or else that of the law or of the neighbours, whichever errs
 * less. False when there is no finite value. The standard error is relative.
 */
bool plan_quantity_value(const struct quantity *q, const double *x, size_t point,
                         struct portolan_prediction *out);

/* admit.c: where implementations may be used. CONTEXT NULL: not known. */
bool plan_is_lifted(const struct portolan_plan *p, const struct survey_quality *q);
enum portolan_status plan_gather_evidence(struct portolan_plan *p, size_t path);
struct plan_verdict plan_admit(const struct portolan_plan *p, size_t path, size_t tuple,
                               const double *context, bool accuracy_rises);

/* stated.c: whether the condition of the called implementation holds; it excludes nothing if a
 * value is not known. */
struct plan_verdict plan_applies(const struct portolan_plan *p, size_t path, size_t tuple,
                                 const double *context);
/* What names in conditions and formulas stand for: contexts of a call, what is announced and known,
 * "accuracy", "ranks", parameters. */
struct plan_place {
    const struct portolan_plan *p;
    const struct survey_node *node;
    const double *context;                        /* of the node's call; NULL: not known */
    const struct plan_known *announced;           /* or NULL */
    const struct portolan_assembly_instance *own; /* has ALTERNATIVE; NULL: all as selected */
    size_t alternative;
};
/* A portolan_condition_lookup_fn for a PLACE. */
bool plan_look_up(void *place, const char *name, struct portolan_condition_value *value);
/* The same for an alternative with CONDITION (or NULL), and contexts and parameters from LOOKUP:
 * NULL if it applies, or the condition that fails. */
const char *plan_ask(const struct portolan_assembly_instance *x, size_t alternative,
                     const struct portolan_condition *condition,
                     portolan_condition_lookup_fn lookup, void *arg);
enum portolan_status plan_read_conditions(struct portolan_plan *p, struct portolan_error *err);
void plan_clear_conditions(struct portolan_plan *p);

/* stated.c: models in files, for implementations that were never measured. */
enum portolan_status plan_read_stated(struct portolan_plan *p, struct portolan_error *err);
enum portolan_status plan_take_stated(struct portolan_plan *p, size_t path,
                                      struct portolan_error *err);
/* If calls report an accuracy, and one is wanted, ACCURACY from a file must meet it; NaN: no file
 * has it. */
struct plan_verdict plan_admit_stated(const struct portolan_plan *p, size_t path, double accuracy);

/* observe.c: makes rows of the survey's pieces, and fits them. */
enum portolan_status plan_observe(struct portolan_plan *p, size_t path);

/* evaluate.c: costs at contexts, totals. */
enum portolan_status plan_view_create(const struct portolan_plan *p, struct portolan_arena *pool,
                                      struct plan_view *v);
/* PROFILES: the contexts seen now, per path (n = 0: none). PROFILES and ANNOUNCED may be NULL. */
void plan_view_fill(struct plan_view *v, const struct profile *profiles,
                    const struct plan_known *announced);
/* The value of a known context; NaN if it is not among them. */
double plan_known_value(const struct plan_known *known, const char *name);

/* problem.c: the tables of what a choice costs, and what it uses of bounds. */
enum portolan_status plan_make_problem(const struct plan_view *v, struct portolan_choice **c,
                                       struct portolan_error *err);
/* problem.c: the values that SELECTION gives to the problem's variables. */
void plan_put_values(const struct plan_view *v, const size_t *selection, size_t *values);

/* What forbids a selection. */
enum plan_ban { PLAN_BY_PATH, PLAN_BY_CONVERSION, PLAN_BY_MEMORY, PLAN_BY_ACCURACY };
struct plan_forbidden {
    size_t path, tuple;
    enum plan_ban by;
    double value;                 /* bytes or accuracy that it would be */
    const struct plan_data *data; /* that cannot be converted */
};

/* declare.c: memory, and data in several layouts. */
enum portolan_status plan_check_formulas(const struct portolan_assembly *a,
                                         struct portolan_diagnostics *d);
enum portolan_status plan_read_memory(struct portolan_plan *p, struct portolan_error *err);
double plan_memory_of(const struct portolan_plan *p, const size_t *selection);
enum portolan_status plan_read_data(struct portolan_plan *p, struct portolan_error *err);
void plan_clear_data(struct portolan_plan *p);
void plan_fill_conversions(struct plan_view *v, const struct plan_known *announced);
size_t plan_layout_of(const struct plan_end *e, const size_t *selection);
/* Whether the calls of a path make the data, and how often per step they are made. */
bool plan_makes(const struct portolan_plan *p, const struct plan_data *d, size_t path);
double plan_makings(const struct plan_view *v, const struct plan_data *d, const size_t *selection);
/* Nanoseconds per making for one taker (NULL: for all, who share); per step for all data, of which
 * *LACKING cannot be converted. INFINITY: it is not known how. */
double plan_convert(const struct plan_view *v, const struct plan_data *d,
                    const struct plan_end *taker, const size_t *selection);
double plan_convert_all(const struct plan_view *v, const size_t *selection,
                        const struct plan_data **lacking);

/* evaluate.c: the cost of a path in all steps; INFINITY: not allowed. */
double plan_path_ns(const struct plan_view *v, size_t path, const size_t *selection);
/* Calls per step of a path; 0 if a caller is not called, or not allowed. */
double plan_calls_of(const struct plan_view *v, long path, const size_t *selection);
/* Whether accuracies add up or multiply; what one uses of their budget. */
static inline bool plan_composes(const struct portolan_plan *p)
{
    return p->s.a->composition != PORTOLAN_COMPOSE_WORST;
}
static inline double plan_accuracy_use(const struct portolan_plan *p, double accuracy)
{
    double finite = isnan(accuracy) ? 0 : fmin(accuracy, 1e300);

    if (p->s.a->composition == PORTOLAN_COMPOSE_SUM)
        return finite;
    return isnan(accuracy) ? 0 : log(fmax(finite, 1e-300));
}

/* confidence.c: how sure the least cost is; VALUES and those of OUT are of core variables. */
struct plan_confidence {
    size_t *values, *rival; /* loses least on average; of the others is best most often */
    bool has_rival;
    double base_chance;        /* that the VALUES which were given are the best */
    double **shares;           /* [variable][value]: the chance that it belongs to the best */
    double chance;             /* that VALUES are the best */
    double expected_loss;      /* of VALUES relative to the best */
    bool is_risky;             /* it loses much too often */
    struct portolan_gain gain; /* of VALUES over the assembly as written */
};
enum portolan_status plan_be_confident(const struct plan_view *v, const size_t *values,
                                       struct portolan_arena *pool, struct plan_confidence *out);

/* The chance that the selection MINE plus HANDICAP_NS costs less than OTHER; both are allowed. */
double plan_chance(const struct plan_view *v, const size_t *mine, const size_t *other,
                   double handicap_ns);

/* Predicts the time of SELECTION; false if it is not allowed, then *WHY (may be NULL) is set. */
bool plan_total(const struct plan_view *v, const size_t *selection,
                struct portolan_plan_prediction *out, struct plan_forbidden *why);
/* Whether an instance is called at all with SELECTION. */
bool plan_calls(const struct plan_view *v, size_t variable, const size_t *selection);
/* Why a tuple is not allowed, as words for a person. */
void plan_explain_forbidden(const struct plan_view *v, const struct plan_forbidden *f, char *text,
                            size_t size_bytes);

/* Adds a sentence; out of memory sets the arena's `failed`. */
PORTOLAN_PRINTF(2, 3)
void plan_note(struct plan_notes *notes, const char *format, ...);

/* The text, in its arena; "" when nothing was added, NULL when out of memory. */
char *plan_text(struct portolan_text *text);
/* Adds "instance=class", after a blank unless it is the first word. */
void plan_add_class(struct portolan_text *text, const struct portolan_assembly_instance *x,
                    size_t alternative);
/* "a=X b=Y" for the variables of SCOPE except SKIP. */
char *plan_tuple_text(const struct portolan_plan *p, struct portolan_arena *pool,
                      const struct plan_scope *scope, size_t tuple, size_t skip);
/* "a=X b=Y" for the variables that are not as written. */
char *plan_selection_text(const struct survey *s, struct portolan_arena *pool,
                          const size_t *selection);

#endif
