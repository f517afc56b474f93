/* SPDX-License-Identifier: BSD-3-Clause */
/** A running assembly at one moment: what advise.c and weigh.c have in common. */
#ifndef PORTOLAN_OPTIMIZER_ADVISE_H
#define PORTOLAN_OPTIMIZER_ADVISE_H

#include "plan_internal.h"

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

/* advise.c: the alternatives that run now, and the call paths of a step's samples. */
void plan_read_selection(const struct survey *s, const int32_t *current, size_t *selection);
/* PATHS[i]: the call path of sample i; NONE: not in the plan. */
void plan_find_paths(const struct survey *s, const struct portolan_sample *samples, size_t n,
                     size_t *paths);

#endif
