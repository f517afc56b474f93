/* SPDX-License-Identifier: BSD-3-Clause */
/* A session of measuring: what its loop and the two ways to choose the next trial share. */
#ifndef PORTOLAN_OPTIMIZER_MEASURE_INTERNAL_H
#define PORTOLAN_OPTIMIZER_MEASURE_INTERNAL_H

#include <portolan/machine.h>
#include <portolan/measure.h>

struct session {
    struct portolan_assembly *a;
    const struct portolan_measure_options *o;
    const struct portolan_measure_runner *r;
    int n_trials;
    double ordered_s;  /* when the last trial was started */
    double overhead_s; /* the largest cost of a trial in addition to its own time */
    bool is_drawn; /* the next trial is of a combination that is tried at the largest size alone */
    size_t combination; /* the next fixed assembly to look at */
};

/* Time since the session began, including its set-up. */
static inline double measure_spent_s(const struct session *s)
{
    return portolan_now_s() - s->o->began_s;
}

/* Rank 0: the orders of the next trial, for free(); *ORDERS stays NULL when all is measured. */
enum portolan_status measure_next_explored(struct session *s, char **orders,
                                           struct portolan_error *err);
enum portolan_status measure_next_fixed(struct session *s, char **orders,
                                        struct portolan_error *err);

#endif
