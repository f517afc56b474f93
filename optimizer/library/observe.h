/* SPDX-License-Identifier: BSD-3-Clause */
/** The observations on one call path, by step and by segment, for the plan. */
#ifndef PORTOLAN_OPTIMIZER_OBSERVE_H
#define PORTOLAN_OPTIMIZER_OBSERVE_H

#include "plan_internal.h"

struct moment {   /* the calls with one context in one step, or in a group of steps */
    size_t start; /* the row in which its implementations began to run */
    size_t segment, own;
    int step;
    double steps;
    double context[PORTOLAN_CONTEXT_MAX];
    double calls, exclusive, each; /* each: exclusive per call */
    bool is_apart;                 /* it does not count as usual: a first call, or disturbed … */
    bool is_alone;                 /* … as the only one since its start that was so long */
};

struct context_row { /* the segment's mean time */
    size_t segment, own;
    double context[PORTOLAN_CONTEXT_MAX];
    double calls, each;
    double steps;       /* that the mean is of */
    double error;       /* relative, of the mean */
    bool is_only_first; /* only first calls were measured, … */
    bool is_dropped;    /* … and later ones with other contexts */
};

struct segment_row {
    bool present;   /* called in a step */
    bool caller;    /* the caller was called in a step */
    bool has_later; /* not only first calls */
    double caller_calls, calls, calls_later;
    double exclusive_later, calls_counted; /* of later calls, in all contexts */
    double steps, error;                   /* as of a context's row */
    double setup;                          /* spent once: at the beginning of the run, … */
    double again;                          /* … and after n_again later starts together */
    size_t n_again;
    size_t first_context, n_contexts;
};

struct observation {
    struct portolan_plan *p;
    struct portolan_arena pool;
    size_t path;
    size_t n_moments, n_contexts;
    struct moment *moments;
    double *scratch; /* room for three numbers per moment */
    double *lasts;   /* per row: steps until another implementation runs, if it is a start */
    double *warm_up; /* per own alternative: the most steps after a start that were first calls */
    struct context_row *contexts;
    size_t variable, n_own;       /* the called instance; NONE and 1 when it is fixed */
    size_t *n_alone;              /* [trial * n_own + own alternative] moments that are alone */
    bool *is_wrong;               /* [trial * n_own + own alternative]: not accurate enough */
    struct segment_row *segments; /* [segment * n_own + own alternative] */
    size_t *selection;            /* scratch for tuples */
    size_t tuple, own;            /* that is observed; the called alternative in it */
    struct plan_tuple *t;
    size_t slot;           /* which of a segment's contexts, … */
    int slot_context;      /* … and which value of it is fitted */
    struct plan_rows rows; /* of the next fit: over contexts, or the swept parameters */
};

/* The row of a segment for an alternative of the called instance. */
static inline struct segment_row *observation_row(const struct observation *o, size_t segment,
                                                  size_t own)
{
    return &o->segments[segment * o->n_own + own];
}

/* moments.c: fills O, whose plan and path are set; the caller clears its arena. */
enum portolan_status observation_init(struct observation *o);

#endif
