/* SPDX-License-Identifier: BSD-3-Clause */
/** Private to the race: what it knows of each alternative, and which it may try. */
#ifndef PORTOLAN_OPTIMIZER_RACE_INTERNAL_H
#define PORTOLAN_OPTIMIZER_RACE_INTERNAL_H

#include <portolan/race.h>

#include "record.h"

enum arm_state {
    ARM_UNTRIED,
    ARM_OPEN,    /* tried, too close to tell */
    ARM_LOST,    /* not better */
    ARM_DOUBTED, /* hopeless by one step alone, which may have been a spike */
    ARM_STALE    /* tried, but machine or data have changed since */
};

/* The implementations of a group: of instances that depend on each other. */
struct arm {
    int32_t *selection; /* per instance; -1: of other groups */
    size_t group;
    enum arm_state state;
    struct record record; /* while it is not the incumbent's */
    double before_ns;     /* its usual time before the last drift; 0: not known */
    double ratio;         /* usual time over the incumbent's when last tried; 0: never tried */
    double doubt_ns;      /* what the doubtful step took longer */
    int looked_at, wait;  /* it is not looked at again for so many steps */
    size_t block;         /* steps of its next visit */
    bool *called;         /* per instance: while it was tried */
    bool is_counted;      /* among those that were tried */
};

/* One or two instances with other alternatives. */
struct move {
    size_t n, instance[2];
    int32_t alternative[2];
};

/* The difference of a step's time to the incumbent's, with its interval. */
struct difference {
    double low, point, high;
};

struct portolan_race {
    struct portolan_arena pool;
    struct portolan_race_options o;
    size_t *group; /* per instance */
    int32_t *incumbent, *scratch;
    struct record record; /* of the incumbent */
    double *inclusive_ns; /* per instance, in a step of the incumbent's */
    double data;
    double **ratio; /* [instance][alternative]: to the incumbent's; NaN: not known */
    bool **allowed, **sure;
    size_t n_arms;
    struct arm **arms;
    struct arm *visited; /* NULL: the incumbent runs */
    struct move move;    /* of the visit */
    size_t n_first;      /* first steps of the visit */
    double visit_ns;     /* what its steps took longer so far */
    int now;             /* steps so far */
    int remaining;
    double swap_ns;
    int drifted_at;         /* 0: it did not drift */
    double least_ns;        /* the incumbent's usual time when it was quickest; 0: not known */
    double before_drift_ns; /* the incumbent's usual time before */
    struct portolan_race_summary told;
    double excused_ns; /* of the cost: spikes that were taken for a hopeless alternative */
};

/* race.c */
struct difference race_compare(const struct portolan_race *r, const struct arm *a);
/* The arm that MOVE leads to; NULL: it was never made. */
struct arm *race_find_arm(const struct portolan_race *r, const struct move *move);

/* What exploring has cost so far. */
static inline double race_cost(const struct portolan_race *r)
{
    return r->told.cost_ns + fmax(0, r->visit_ns);
}

/* race_pick.c: the move that promises most, if any is worth its cost and within the budget. */
bool race_pick(struct portolan_race *r, struct move *move);
double race_budget(const struct portolan_race *r);
/* Steps until an arm that is not better is looked at again. */
int race_wait(const struct portolan_race *r, const struct arm *a);

#endif
