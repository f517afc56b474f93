/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Inside the optimizer: the survey puts stored samples in order. Which trials count, what was
 * selected in each step, which call paths there are, and what happened on each.
 */
#ifndef PORTOLAN_OPTIMIZER_SURVEY_H
#define PORTOLAN_OPTIMIZER_SURVEY_H

#include <portolan/assembly.h>
#include <portolan/store.h>

#define NONE SIZE_MAX

/* An instance with alternatives. */
struct survey_variable {
    const struct portolan_assembly_instance *instance;
    size_t n;
};

/* A swept parameter. */
struct survey_dim {
    const struct portolan_assembly_sweep *sweep;
    const char *name;   /* "driver.n" */
    const char *target; /* the assembly's present value */
    bool numeric;
    double value; /* of target */
};

struct survey_trial {
    const struct portolan_trial *trial;
    double *x;          /* per dim: the value; unused where the dim is not numeric */
    const char **texts; /* per dim: the value as stored */
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

struct survey_quality {
    size_t node, row;
    size_t own; /* as of a piece */
    double context[PORTOLAN_CONTEXT_MAX];
    double value;
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
    const char *unusable;             /* why the last trial that does not count does not */
};

struct survey_filter {
    const char *purpose; /* NULL: any */
    bool any_point;      /* also where swept parameters that are no numbers differ from now */
};

/* S is cleared by survey_clear() whatever is returned. Errors: EINVAL, ENOMEM. */
enum portolan_status survey_init(struct survey *s, const struct portolan_assembly *a,
                                 const struct portolan_sample_set *data, int ranks,
                                 const struct survey_filter *filter, struct portolan_error *err);
void survey_clear(struct survey *s);

size_t survey_variable_of(const struct survey *s, const char *instance);
size_t survey_alternative_of(const struct survey *s, size_t variable, const char *class_name);
const struct portolan_assembly_parameter *
survey_parameter(const struct portolan_assembly_alternative *a, const char *name);
const char *survey_trial_parameter(const struct portolan_trial *t, const char *instance,
                                   const char *parameter);
/* Equal as numbers, or else as texts. */
bool survey_same_value(const char *a, const char *b);

static inline const struct survey_sum *survey_sum_of(const struct survey *s, size_t node,
                                                     size_t row)
{
    return &s->sums[node * s->n_rows + row];
}

/* One for each of N samples. */
void survey_estimate(const struct portolan_sample *samples, size_t n, struct survey_estimate *e);

/* Sums the samples; called by survey_init(). */
enum portolan_status survey_collect(struct survey *s, const size_t *row_of_sample);

#endif
