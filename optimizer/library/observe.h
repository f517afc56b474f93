/* SPDX-License-Identifier: BSD-3-Clause */
/** The observations on one call path, by step and by segment, for the plan. */
#ifndef PORTOLAN_OPTIMIZER_OBSERVE_H
#define PORTOLAN_OPTIMIZER_OBSERVE_H

#include "plan_internal.h"

struct moment { /* one step's calls with one context */
    size_t segment, own;
    int step;
    double context[PORTOLAN_CONTEXT_MAX];
    bool first;
    double calls, exclusive, each; /* each: exclusive per call */
    double excess;                 /* over the usual time if the call is a spike; else 0 */
};

struct context_row { /* the segment's usual time */
    size_t segment, own;
    double context[PORTOLAN_CONTEXT_MAX];
    double calls, each;
};

struct segment_row {
    bool present; /* called in a step */
    bool caller;  /* the caller was called in a step */
    double caller_calls, calls, exclusive_later, calls_later;
    double setup;
    double seen;   /* number of calls examined for spikes */
    double period; /* of far longer calls, in calls; 0: none recur */
    double extra;  /* time that these add per call */
    size_t first_context, n_contexts;
};

struct observation {
    struct portolan_plan *p;
    struct portolan_arena pool;
    size_t path;
    size_t n_moments, n_contexts;
    struct moment *moments;
    struct context_row *contexts;
    size_t variable, n_own;       /* the called instance; NONE and 1 when it is fixed */
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
