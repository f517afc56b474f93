/* SPDX-License-Identifier: BSD-3-Clause */
/** All that was measured on one call path: its calls by step, the means by segment and context, and
 * the rows of a fit. */
#ifndef PORTOLAN_OPTIMIZER_OBSERVE_H
#define PORTOLAN_OPTIMIZER_OBSERVE_H

#include "plan_internal.h"

struct step_calls { /* the calls with one context in one step, or in a group of short steps */
    size_t start;   /* the row of the survey in which its implementations began to run */
    size_t segment, own;
    int step;
    double steps;
    double context[PORTOLAN_CONTEXT_MAX];
    double calls, exclusive, each; /* each: exclusive per call */
    bool is_apart; /* not usual: first calls, or a single long step; not part of the mean */
    bool is_alone; /* the only step since the start that was so long */
};

struct context_row { /* the mean of a segment's calls with one context */
    size_t segment, own;
    double context[PORTOLAN_CONTEXT_MAX];
    double calls, each;
    double steps;       /* number of steps in the mean */
    double error;       /* relative error of the mean */
    bool is_only_first; /* only first calls were measured */
    bool is_dropped;    /* dropped, since with other contexts later calls were measured */
};

struct segment_row {
    bool present;   /* called in a step */
    bool caller;    /* the caller was called in a step */
    bool has_later; /* there were later calls than first ones */
    double caller_calls, calls, calls_later;
    double exclusive_later, calls_counted; /* of calls after the first ones, over all contexts */
    double steps, error;                   /* as in a context's row */
    double setup;                          /* spent once at the beginning of the run */
    double again; /* spent once after later starts: the sum over n_again of them */
    size_t n_again;
    size_t first_context, n_contexts;
};

struct observation {
    struct portolan_plan *p;
    struct portolan_arena pool;
    size_t path;
    size_t n_step_calls, n_contexts;
    struct step_calls *step_calls;
    double *scratch; /* three numbers for each element of step_calls */
    double *lasts;   /* per row: steps until another implementation runs, if it is a start */
    double *warm_up; /* per own alternative: the most steps after a start that were first calls */
    struct context_row *contexts;
    size_t variable, n_own;       /* the called instance; NONE and 1 when it is fixed */
    size_t *n_alone;              /* [trial * n_own + own alternative]: steps that are alone */
    bool *is_wrong;               /* [trial * n_own + own alternative]: not accurate enough */
    struct segment_row *segments; /* [segment * n_own + own alternative] */
    size_t *selection;            /* scratch for tuples */
    size_t tuple, own;            /* the tuple that is being fitted; the called alternative in it */
    struct plan_tuple *t;
    size_t slot;           /* position among a segment's contexts, … */
    int slot_context;      /* … and the value of it that is fitted */
    struct plan_rows rows; /* rows of the next fit: over contexts, or the swept parameters */
};

/* The row of a segment for an alternative of the called instance. */
static inline struct segment_row *observation_row(const struct observation *o, size_t segment,
                                                  size_t own)
{
    return &o->segments[segment * o->n_own + own];
}

/* usual_times.c: fills O, whose plan and path are set; the caller clears its arena. */
enum portolan_status observation_init(struct observation *o);

#endif
