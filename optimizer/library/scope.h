/* SPDX-License-Identifier: BSD-3-Clause */
/** Call paths, and their quantities for each combination of implementations in their scope. */
#ifndef PORTOLAN_OPTIMIZER_SCOPE_H
#define PORTOLAN_OPTIMIZER_SCOPE_H

#include "quantity.h"

enum { MAX_TUPLES = 4096, MAX_SLOTS = 64 };

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

/* The quantities of a call path with one combination of implementations. */
struct plan_tuple {
    bool seen;                     /* a trial ran with it and called the caller */
    bool unneeded;                 /* the caller's implementation never calls */
    struct quantity calls;         /* per call of the caller */
    struct quantity exclusive;     /* per call */
    struct quantity overall;       /* the same from swept parameters, if EXCLUSIVE is by context */
    struct quantity setup, again;  /* per run; per return to it within a run */
    struct quantity accuracy;      /* the worst accuracy that calls reported */
    struct estimate accuracy_here; /* the accuracy reported at the present parameters */
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

struct plan_evidence;

struct plan_path {
    struct portolan_prune_mark mark;
    struct plan_evidence *evidence; /* NULL: calls neither failed nor reported an accuracy */
    bool core;
    struct plan_scope scope; /* called instance, partners, calling instance */
    size_t caller_at;        /* position of the calling instance in scope.variables; NONE */
    struct plan_tuple *tuples;
};

enum portolan_status plan_make_scopes(struct portolan_plan *p, struct portolan_error *err);
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

#endif
