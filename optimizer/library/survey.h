/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Private to the optimizer: the survey puts stored samples in order. It finds the trials that
 * count, the selection of each step, the call paths, and the calls on each.
 */
#ifndef PORTOLAN_OPTIMIZER_SURVEY_H
#define PORTOLAN_OPTIMIZER_SURVEY_H

#include <portolan/assembly.h>
#include <portolan/plan.h>
#include <portolan/store.h>
#include <portolan/trials.h>

#define NONE SIZE_MAX

enum { MAX_INPUTS = PORTOLAN_MODEL_MAX_PARAMS };

/* An instance with alternatives. */
struct survey_variable {
    const struct portolan_assembly_instance *instance;
    size_t n;
    double *first; /* per alternative: most steps of first calls after a start */
    struct survey_name {
        const char *name;
        size_t alternative;
    } * names; /* of the alternatives, in alphabetical order: a program has many combinations */
};

/*
 * A dimension in which trials differ: a swept parameter, a column of the cases, or the number of
 * ranks. If a column is a context, its value follows from the case of the trial's parameters.
 */
struct survey_dim {
    const struct portolan_assembly_sweep *sweep; /* NULL: a column of the cases, or the ranks */
    size_t column;                               /* column of the cases; NONE: another dimension */
    const char *instance, *parameter;            /* instance NULL: a context, or the ranks */
    const char *name;                            /* "driver.n", "nnz", "ranks" */
    const char *target;                          /* the present value; NULL: not known */
    bool numeric;
    double value; /* the number in `target`; NaN: not known */
};

struct survey_trial {
    const struct portolan_trial *trial;
    double *x;          /* per dim: the value; unused if the dim is not numeric */
    const char **texts; /* per dim: the value as stored */
    size_t point;       /* the same for trials whose dims are all equal; below n_trials */
    bool failed;        /* none of its times counts */
    bool had_failures;  /* calls failed in it, even if it finished */
    double stopped_s;   /* it was stopped after so long, and takes longer; 0: it was not */
    bool ended_blindly; /* it failed or was cut off, and no failed call explains it */
    size_t *selection;  /* per variable: the alternative at the start; NONE: another class */
    int steps;          /* 0: the whole run is one step */
    int rank;           /* the slowest */
    size_t first_row, n_rows;
};

/* The part of a trial between two swap points: a step, or a group of short steps. */
struct survey_row {
    size_t trial;
    int step;
    bool once;      /* before the first or after the last step */
    double steps;   /* number of steps; 0 if `once` */
    size_t segment; /* NONE when `once` */
    /* Per variable: the alternative; NONE: a class that is not an alternative, or several classes.
     */
    size_t *selection;
};

/*
 * Steps of a trial with one selection within a minute, whatever ran between them. Such blocks of
 * time are the unit of variance: the machine's state drifts, so that single steps are not
 * independent.
 */
struct survey_segment {
    size_t trial, n_rows, minute;
    double steps;
    double step_ns; /* the whole program's time per step */
    const size_t *selection;
};

struct survey_node {
    long parent;
    size_t next_sibling, first_child; /* NONE: there is none; node 0 is the first root */
    const char *user, *uses, *instance, *port, *method;
    size_t variable; /* the called instance; NONE: it is fixed */
    size_t caller;   /* the calling instance; NONE: it is fixed */
    bool fails;      /* calls failed */
    int n_context;
    const char *context_name[PORTOLAN_CONTEXT_MAX];
    size_t first_entry, n_entries, first_quality, n_qualities;
};

/* All calls on one call path with one context and implementation in one row. */
struct survey_entry {
    size_t node, row;
    size_t own; /* alternative of the called instance; NONE: fixed, or another class */
    double context[PORTOLAN_CONTEXT_MAX];
    double calls, inclusive, exclusive, mpi;
};

struct survey_sum {
    double calls, inclusive, exclusive, mpi;
    bool present;
};

/* The result of calls in one sample: an accuracy, or failures that no call below them explains. */
struct survey_quality {
    size_t node, row;
    size_t own; /* as in an entry */
    double context[PORTOLAN_CONTEXT_MAX];
    double value; /* NaN: none was reported */
    int64_t failed;
};

struct survey {
    struct portolan_arena pool;
    const struct portolan_assembly *a;
    const struct portolan_sample_set *data;
    const char *again; /* as in the options */
    const struct portolan_plan_options *options;
    int ranks;
    size_t n_variables, n_dims, n_trials, n_rows, n_segments, n_nodes, n_entries, n_qualities;
    struct survey_variable *variables;
    struct survey_dim *dims;
    struct survey_trial *trials;
    struct survey_row *rows;
    struct survey_segment *segments;
    struct survey_node *nodes;
    struct survey_entry *entries;     /* by node, row, own, context */
    struct survey_quality *qualities; /* by node */
    struct survey_sum *sums;          /* [node * n_rows + row] */
    bool ended_blindly;               /* some trial ended blindly, or because of a class */
    size_t target_point;   /* point of trials at the present values; NONE: there is none */
    const char *unusable;  /* why the last trial that was left out does not count */
    size_t n_elsewhere;    /* number of trials left out, of other machines or builds */
    const char *elsewhere; /* the fact in which they differ */
};

/* EXPLORED: only exploring trials on these ranks count; cases are not dims. The caller clears S
 * with survey_clear(), also after an error. Errors: EINVAL, ENOMEM. */
enum portolan_status survey_init(struct survey *s, const struct portolan_assembly *a,
                                 const struct portolan_sample_set *data,
                                 const struct portolan_plan_options *options, bool explored,
                                 struct portolan_error *err);
void survey_clear(struct survey *s);

/* trials.c: dims, trials, points; called by survey_init(). */
enum portolan_status survey_list_trials(struct survey *s, bool explored,
                                        struct portolan_error *err);
/* Takes the assembly's present values; false if trials ran with them. */
bool survey_move(struct survey *s);
/* Returns whether there is a trial whose times count. */
bool survey_has_times(const struct survey *s);
/* Returns whether the trials have several numbers of ranks, so that the number is a parameter. */
bool survey_ranks_vary(const struct survey *s);
/* A parameter that the sweep sets and that has its present value in no trial; or NULL. */
const struct portolan_assembly_sweep *survey_unmeasured_setting(const struct survey *s);
/* The class of alternative OWN of the instance that NODE calls; "": OWN is NONE. */
static inline const char *survey_class(const struct survey *s, size_t node, size_t own)
{
    if (own == NONE)
        return "";
    return s->variables[s->nodes[node].variable].instance->alternatives[own].class_name;
}
/* Returns whether the failure in TRIAL does not count any more, since the veto was lifted. */
bool survey_is_lifted(const struct survey *s, int64_t trial, const char *instance,
                      const char *implementation);
/* blame.c: returns whether T says that CLASS_NAME, as INSTANCE, ended its process; INSTANCE NULL:
 * that what ended it is known. */
bool survey_blames(const struct portolan_trial *t, const char *instance, const char *class_name);
/* Returns whether T is blamed on the class, unless that was lifted, or a trial in a process of its
 * own has ended well there. */
bool survey_is_blamed(const struct survey *s, const struct survey_trial *t, const char *instance,
                      const char *class_name);
/* Returns whether the parameters of T, or of the assembly now if T is NULL, are those of a case. */
bool survey_is_case(const struct survey *s, const struct portolan_trial *t, size_t index);

/* survey_names.c: values of parameters by name. */
/* Copies the numeric ones of VALUES, one per dim, to the inputs X of a model; returns how many. */
size_t survey_inputs(const struct survey *s, const double *values, double *x);
size_t survey_variable_of(const struct survey *s, const char *instance);
void survey_sort_names(struct survey_variable *v);
size_t survey_alternative_of(const struct survey *s, size_t variable, const char *class_name);
/* The present value of a parameter in the assembly; NULL: the assembly does not set it. */
const char *survey_set_text(const struct portolan_assembly *a, const char *instance,
                            const char *parameter);
/* The number of steps in TEXT; 0 if TEXT is NULL or not a number of steps. */
int survey_read_steps(const char *text);
const char *survey_trial_parameter(const struct portolan_trial *t, const char *instance,
                                   const char *parameter);
/* Returns whether NAME is "instance.parameter". */
bool survey_is_parameter(const char *name, const char *instance, const char *parameter);
/* The present value of parameter NAME with the selected alternatives, and with ALTERNATIVE for OWN
 * (may be NULL); or NULL. */
const char *survey_written_text(const struct portolan_assembly *a,
                                const struct portolan_assembly_instance *own, size_t alternative,
                                const char *name);
/* Returns whether two values are equal as texts or as numbers. */
bool survey_same_value(const char *a, const char *b);

static inline const struct survey_sum *survey_sum_of(const struct survey *s, size_t node,
                                                     size_t row)
{
    return &s->sums[node * s->n_rows + row];
}

/* The time of N rows at all roots; *STEPS: their number of steps. */
double survey_time_of(const struct survey *s, size_t first_row, size_t n, double *steps);

/* Returns whether the trial called NODE. */
bool survey_is_called(const struct survey *s, const struct survey_trial *t, size_t node);

/* Returns whether X is a call of NODE's method over its connection. */
bool survey_same_call(const struct survey_node *node, const struct portolan_sample *x);

/* Sums the samples; called by survey_init(). */
enum portolan_status survey_collect(struct survey *s, const size_t *row_of_sample);

#endif
