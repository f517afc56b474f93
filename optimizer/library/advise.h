/* SPDX-License-Identifier: BSD-3-Clause */
/** A running assembly between two steps, for advise.c, alternatives.c and learn.c. */
#ifndef PORTOLAN_OPTIMIZER_ADVISE_H
#define PORTOLAN_OPTIMIZER_ADVISE_H

#include "plan_internal.h"

/* A running assembly between two steps. */
struct advising {
    const struct portolan_plan *p;
    const struct portolan_plan_now *now;
    struct portolan_arena pool; /* cleared at the end of each call */
    size_t *current, *chosen;   /* the alternative of each variable */
    struct profile *profiles;
    int rank;      /* the slowest in the step */
    size_t *paths; /* per sample of the step: its call path; NONE: not in the plan */
    struct plan_view view;
};

/*
 * advise.c: fills CURRENT, and the view at the contexts of the last step and those announced. The
 * caller clears the pool, also on failure.
 */
enum portolan_status plan_advising_open(struct advising *a);
/* Fills the view's costs of swaps. Forbids what is banned among the current alternatives and, if
 * ASKS, among all others. */
void plan_advising_ask(struct advising *a, bool asks);

/* Sets SELECTION to the alternatives in CURRENT. */
void plan_read_selection(const struct survey *s, const int32_t *current, size_t *selection);
/* Sets PATHS[i] to the call path of sample i; NONE: not in the plan. */
void plan_find_paths(const struct survey *s, const struct portolan_sample *samples, size_t n,
                     size_t *paths);

#endif
