/* SPDX-License-Identifier: BSD-3-Clause */
/** Private to the race: the times of each alternative's steps, and which it may try. */
#ifndef PORTOLAN_OPTIMIZER_RACE_INTERNAL_H
#define PORTOLAN_OPTIMIZER_RACE_INTERNAL_H

#include <math.h>
#include <portolan/race.h>

enum { RECORD_MOST = 64 };

/* The times of one alternative's steps. All zero: nothing was seen. */
struct record {
    double ns[RECORD_MOST]; /* a ring: of the last steps */
    int step[RECORD_MOST];
    size_t n;        /* steps so far */
    double usual_ns; /* the median of those kept, which a single spike does not change */
    double noise;    /* their spread, as a share; with few steps mostly a guess */
    double guess;    /* of the noise, before it is known; 0: there is none */
    double first_ns; /* of the shortest first step after a swap; 0: none */
    int period;      /* a long step comes every so many; 0: none does */
    double extra_ns; /* … and adds this to each step on the average */
};

enum arm_state {
    ARM_UNTRIED,
    ARM_OPEN,    /* tried, too close to tell */
    ARM_LOST,    /* not better */
    ARM_DOUBTED, /* hopeless by one step alone, which may have been a spike */
    ARM_STALE    /* tried, but machine or data have changed since */
};

/* The implementations of a group: of instances that depend on each other. */
struct arm {
    int32_t *selection; /* per instance; counts in the group only */
    size_t group;
    enum arm_state state;
    struct record record; /* while it is not the incumbent's */
    double before_ns;     /* its usual time if drift does not concern it; 0: nothing drifted */
    double ratio;         /* usual time over the incumbent's when last tried; 0: never tried */
    double doubt_ns;      /* the cost of a hopeless step that may have been a spike */
    int vain;             /* times that it was looked at for a drift, in vain */
    int wait, look_at;    /* it is looked at again after so many steps, then */
    size_t block;         /* steps of its next visit */
    bool *called;         /* per instance: while it was tried */
    bool fell;            /* its last visit ended since its steps fell */
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

/* What is known of an alternative beforehand, or from a visit. */
struct belief {
    double ratio; /* to the incumbent's; NaN: not known */
    bool is_sure;
    bool is_remedy;    /* of a cause that was diagnosed; then … */
    double gain, most; /* … what it gains, and gains at most, as shares of a step */
};

struct portolan_race {
    struct portolan_arena pool;
    struct portolan_race_options o;
    struct portolan_race_limits limits;
    size_t *group;                        /* per instance */
    int32_t *incumbent, *trial, *scratch; /* trial: what runs in a visit */
    struct record record;                 /* of the incumbent */
    double *mean_inclusive_ns;            /* per instance, in a step of what was seen last */
    double *inclusive_ns;                 /* the same in a step of the incumbent's … */
    double *share, *usual_share;          /* … and as a share of it: of late, and before */
    double data;
    struct belief **beliefs; /* [instance][alternative] */
    size_t n_arms;
    struct arm **arms;
    struct arm *visited; /* NULL: the incumbent runs */
    struct move move;    /* of the visit */
    size_t n_visit;      /* its ordinary steps so far */
    double visit_ns;     /* what all took longer */
    int now;             /* steps so far */
    int drifted_at;      /* it became slower; 0: it did not */
    double before_drift_ns;
    int changed_at, calm; /* the last drift; steps without one before it */
    double spike_ns;      /* what the longest step of an incumbent took longer than usual */
    double least_ns;      /* the incumbent's usual time when it was quickest; 0: not known */
    struct portolan_race_summary told;
};

/* record.c: notes a step; IS_FIRST: the first one after a swap. Returns whether it showed a period
 * where none was known. */
bool record_add(struct record *r, int step, double ns, bool is_first);
/* The intervals of usual times are so many standard errors wide to each side. */
static const double standard_errors = 2.5;
/* Adds NS to all times. */
void record_shift(struct record *r, double ns);
static inline size_t record_size(const struct record *r)
{
    return r->n < RECORD_MOST ? r->n : RECORD_MOST;
}
/* The usual time with long steps at their rate; NaN: nothing was seen. */
static inline double record_mean(const struct record *r)
{
    return r->n ? r->usual_ns + r->extra_ns : NAN;
}
/* Half the width of an interval for the usual time, as a share of it. */
double record_width(const struct record *r, double noise);
/* What long steps add to each, over the last whole periods of LENGTH steps; 0 without a period. */
double record_extra(const struct record *r, int length);
/* +1 or -1: the last steps are longer or shorter than usual, not by chance; 0: they are as usual.
 * *N: how many of them. */
int record_drift(const struct record *r, size_t *n);
/* The share of the usual time by which a step is long, or falls, not by chance. */
double record_far(double noise);
/* Whether the last N steps, and the first one before them, fell for good, beyond NOISE. */
bool record_falls(const struct record *r, size_t n, double noise);
/* Forgets all but the last N steps, and the period. */
void record_keep(struct record *r, size_t n);

/* race.c */
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
struct difference race_compare(const struct portolan_race *r, const struct arm *a);
/* Whether a step that grew by FACTOR did so in a group's calls, not throughout: in an instance that
 * has grown by much more than its share. */
bool race_is_own_drift(const struct portolan_race *r, size_t group, double factor);
/* What is left of it; steps that probably were spikes do not count. */
double race_left(const struct portolan_race *r);
/* Steps until an arm that is not better is looked at again. */
int race_wait(const struct portolan_race *r, const struct arm *a);

#endif
