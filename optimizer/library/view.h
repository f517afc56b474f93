/* SPDX-License-Identifier: BSD-3-Clause */
/** Costs at contexts, for a whole run or the rest of one: of each call path, and in total. */
#ifndef PORTOLAN_OPTIMIZER_VIEW_H
#define PORTOLAN_OPTIMIZER_VIEW_H

#include "conditions.h"
#include "layouts.h"
#include "scope.h"

#include <portolan/choice.h>

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

/* The costs of a plan's tuples at given contexts, for a whole run or the rest of one. */
struct plan_view {
    const struct portolan_plan *p;
    double steps;
    const size_t *current;    /* only what differs from it is set up; NULL: all is */
    double **once;            /* [variable][alternative]: swap; INFINITY: forbidden */
    struct plan_cost **costs; /* [path][tuple] */
    uint64_t **stamps;        /* hashes of the inputs from which the costs were computed */
    struct plan_conversions *conversions; /* per data */
};

/* evaluate.c: costs at contexts. */
enum portolan_status plan_view_create(const struct portolan_plan *p, struct portolan_arena *pool,
                                      struct plan_view *v);
/* PROFILES: the contexts seen now, per path (n = 0: none). PROFILES and ANNOUNCED may be NULL. */
void plan_view_fill(struct plan_view *v, const struct profile *profiles,
                    const struct plan_known *announced);

/* The reason why a selection is forbidden. */
enum plan_ban { PLAN_BY_PATH, PLAN_BY_CONVERSION, PLAN_BY_MEMORY, PLAN_BY_ACCURACY };
struct plan_forbidden {
    size_t path, tuple;
    enum plan_ban by;
    double value;                 /* the bytes or accuracy that are too many */
    const struct plan_data *data; /* the data that cannot be converted */
};

/* totals.c: the cost of a path over all steps; INFINITY: not allowed. */
double plan_path_ns(const struct plan_view *v, size_t path, const size_t *selection);
/* Calls per step of a path; 0 if a caller is not called, or not allowed. */
double plan_calls_of(const struct plan_view *v, long path, const size_t *selection);

/* Predicts the time of SELECTION; false if it is not allowed, then *WHY (may be NULL) is set. */
bool plan_total(const struct plan_view *v, const size_t *selection,
                struct portolan_plan_prediction *out, struct plan_forbidden *why);
/* Returns whether a choice with this CHANCE of being the better one is not made, because its time
 * X is no prediction. */
bool plan_is_doubted(const struct portolan_plan_prediction *x, double chance);
/* Returns whether an instance is called at all with SELECTION. */
bool plan_calls(const struct plan_view *v, size_t variable, const size_t *selection);

/* The number of times per step that the data are made. */
double plan_makings(const struct plan_view *v, const struct plan_data *d, const size_t *selection);
/* Nanoseconds per step for all data, of which *LACKING cannot be converted; then INFINITY. */
double plan_convert_all(const struct plan_view *v, const size_t *selection,
                        const struct plan_data **lacking);

/* problem.c: makes the tables of a choice: its costs, and what it uses of memory and accuracy. */
enum portolan_status plan_make_problem(const struct plan_view *v, struct portolan_choice **c,
                                       struct portolan_error *err);
/* The values that SELECTION gives to the problem's variables. */
void plan_put_values(const struct plan_view *v, const size_t *selection, size_t *values);

#endif
