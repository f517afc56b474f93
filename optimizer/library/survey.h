/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Inside the optimizer: the survey puts stored samples in order. Which trials count, what was
 * selected in each step, which call paths there are, and what happened on each.
 */
#ifndef PORTOLAN_OPTIMIZER_SURVEY_H
#define PORTOLAN_OPTIMIZER_SURVEY_H

#include <portolan/assembly.h>
#include <portolan/plan.h>
#include <portolan/store.h>

#define NONE SIZE_MAX

enum { MAX_INPUTS = PORTOLAN_MODEL_MAX_PARAMS };

/* An instance with alternatives. */
struct survey_variable {
    const struct portolan_assembly_instance *instance;
    size_t n;
};

/*
 * What sets trials apart: a swept parameter, a column of the cases, or the number of ranks. A
 * column that is a context is told by the case that a trial's parameters make.
 */
struct survey_dim {
    const struct portolan_assembly_sweep *sweep; /* NULL: of the cases, or the ranks */
    size_t column;                               /* of the cases; NONE */
    const char *instance, *parameter;            /* instance NULL: a context, or the ranks */
    const char *name;                            /* "driver.n", "nnz", "ranks" */
    const char *target;                          /* the present value; NULL: not known */
    bool numeric;
    double value; /* of target; NaN: not known */
};

struct survey_trial {
    const struct portolan_trial *trial;
    double *x;          /* per dim: the value; unused where the dim is not numeric */
    const char **texts; /* per dim: the value as stored */
    size_t point;       /* trials whose dims are all equal have the same; below n_trials */
    bool failed;        /* no time of it counts */
    bool had_failures;  /* calls failed in it, whatever became of it */
    bool ended_blindly; /* it failed or was cut off, and no call says why */
    size_t *selection;  /* per variable: the alternative it was started with; NONE: none of them */
    int steps;          /* 0: the whole run is one step */
    int rank;           /* the slowest */
    size_t first_row, n_rows;
};

/* One piece of a trial between two swap points. */
struct survey_row {
    size_t trial;
    int step;
    bool once;      /* before the first or after the last step */
    double steps;   /* how many steps the piece stands for; 0 when `once` */
    size_t segment; /* steps in a row with one selection; NONE when `once` */
    bool first;     /* first of its segment, and others follow */
    /* Per variable: the alternative; NONE: a class that is no alternative, or several classes. */
    size_t *selection;
};

struct survey_segment {
    size_t trial, first_row, n_rows; /* once-rows may lie between */
    bool opening;                    /* the trial's first */
    double step_ns;                  /* the whole program's time per step */
    const size_t *selection;
};

struct survey_node {
    long parent;
    size_t next_sibling, first_child; /* NONE: there is none; node 0 is the first root */
    const char *user, *uses, *instance, *port, *method;
    size_t variable; /* of the called instance; NONE when it is fixed */
    size_t caller;   /* of the calling instance */
    bool fails;      /* calls failed */
    int n_context;
    const char *context_name[PORTOLAN_CONTEXT_MAX];
    size_t first_piece, n_pieces, first_quality, n_qualities;
};

/* What happened on a call path with one context and implementation in one row. */
struct survey_piece {
    size_t node, row;
    size_t own; /* alternative of the called instance; NONE: fixed, or none of them */
    double context[PORTOLAN_CONTEXT_MAX];
    double calls, inclusive, exclusive, mpi;
};

struct survey_sum {
    double calls, inclusive, exclusive, mpi;
    bool present;
};

/* What came of calls in one sample: an accuracy, or failures that no call below them explains. */
struct survey_quality {
    size_t node, row;
    size_t own; /* as of a piece */
    double context[PORTOLAN_CONTEXT_MAX];
    double value; /* NaN: none was reported */
    int64_t failed;
};

/* What all calls of a sample took, when 1 in N of them, or of those they made, was timed. */
struct survey_estimate {
    double factor; /* calls per timed call; 0: none was timed */
    double inclusive, exclusive;
    bool sampled;
};

struct survey {
    struct portolan_arena pool;
    const struct portolan_assembly *a;
    const struct portolan_sample_set *data;
    const struct portolan_plan_options *options;
    int ranks;
    size_t n_variables, n_dims, n_trials, n_rows, n_segments, n_nodes, n_pieces, n_qualities;
    struct survey_variable *variables;
    struct survey_dim *dims;
    struct survey_trial *trials;
    struct survey_row *rows;
    struct survey_segment *segments;
    struct survey_node *nodes;
    struct survey_piece *pieces;      /* by node, row, own, context */
    struct survey_quality *qualities; /* by node */
    struct survey_sum *sums;          /* [node * n_rows + row] */
    bool ended_blindly;               /* some trial did */
    size_t target_point;              /* of trials at the present values; NONE: there is none */
    const char *unusable;             /* why the last trial that does not count does not */
    size_t n_elsewhere;               /* trials of other machines or builds, left out, … */
    const char *elsewhere;            /* … and of what */
    size_t n_contradicting;           /* trials whose contexts belie their parameters, … */
    const char *contradiction;        /* … and in what */
};

struct survey_filter {
    bool exploring;    /* only such trials, on these ranks, count; cases are no dims */
    size_t n_left_out; /* trials that do not count */
    const int64_t *left_out;
};

/* S is cleared by survey_clear() whatever is returned. Errors: EINVAL, ENOMEM. */
enum portolan_status survey_init(struct survey *s, const struct portolan_assembly *a,
                                 const struct portolan_sample_set *data,
                                 const struct portolan_plan_options *options,
                                 const struct survey_filter *filter, struct portolan_error *err);
void survey_clear(struct survey *s);

/* trials.c: dims, trials, points; called by survey_init(). */
enum portolan_status survey_list_trials(struct survey *s, const struct survey_filter *filter,
                                        struct portolan_error *err);
/* Whether a trial is there that came to its end. */
bool survey_has_times(const struct survey *s);
/* Whether the trials are on several numbers of ranks: then that is a parameter. */
bool survey_ranks_vary(const struct survey *s);
/* A parameter that the sweep sets and no trial has as it is now; NULL: there is none. */
const struct portolan_assembly_sweep *survey_unmeasured_setting(const struct survey *s);
/* What failed in TRIAL counts no longer: somebody mended the implementation. */
bool survey_is_lifted(const struct survey *s, int64_t trial, const char *instance,
                      const char *implementation);
/* Whether the parameters of T are those of a case; T NULL: as they are in the assembly now. */
bool survey_is_case(const struct survey *s, const struct portolan_trial *t, size_t index);

/* Those of VALUES, one per dim, that are numbers, as the inputs X of a model; how many. */
size_t survey_inputs(const struct survey *s, const double *values, double *x);
size_t survey_variable_of(const struct survey *s, const char *instance);
size_t survey_alternative_of(const struct survey *s, size_t variable, const char *class_name);
/* A parameter as the assembly sets it now; NULL: it does not. */
const char *survey_set_text(const struct portolan_assembly *a, const char *instance,
                            const char *parameter);
/* A number of steps; 0: TEXT (or NULL) is none. */
int survey_read_steps(const char *text);
/* The value of NAME among N pairs; NULL: it is not there. */
const char *survey_value_of(const struct portolan_name_value *pairs, size_t n, const char *name);
const char *survey_trial_parameter(const struct portolan_trial *t, const char *instance,
                                   const char *parameter);
/* Whether NAME is "instance.parameter". */
bool survey_is_parameter(const char *name, const char *instance, const char *parameter);
/* The parameter of that name as the selected alternatives, VARIABLE with this one, have it now, or
 * NULL. */
const char *survey_written_text(const struct survey *s, size_t variable, size_t alternative,
                                const char *name);
/* Equal as numbers, or else as texts. */
bool survey_same_value(const char *a, const char *b);

static inline const struct survey_sum *survey_sum_of(const struct survey *s, size_t node,
                                                     size_t row)
{
    return &s->sums[node * s->n_rows + row];
}

/* What N rows took at all roots, in *STEPS steps. */
double survey_time_of(const struct survey *s, size_t first_row, size_t n, double *steps);

/* Whether the trial called NODE. */
bool survey_is_called(const struct survey *s, const struct survey_trial *t, size_t node);

/* Whether X is a call of NODE's method over its connection. */
bool survey_same_call(const struct survey_node *node, const struct portolan_sample *x);

/* Of RANKS the one with most time outside MPI: the others wait for it. WORK: scratch, one each. */
int survey_slowest_rank(const struct portolan_sample *samples, size_t n, int ranks, double *work);

/* One for each of N samples. */
void survey_estimate(const struct portolan_sample *samples, size_t n, struct survey_estimate *e);

/* Sums the samples; called by survey_init(). */
enum portolan_status survey_collect(struct survey *s, const size_t *row_of_sample);

#endif
