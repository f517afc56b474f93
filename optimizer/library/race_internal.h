/* SPDX-License-Identifier: BSD-3-Clause */
/** Private to the race: the times of each alternative's steps, and which it may try. */
#ifndef PORTOLAN_OPTIMIZER_RACE_INTERNAL_H
#define PORTOLAN_OPTIMIZER_RACE_INTERNAL_H

#include <math.h>
#include <portolan/race.h>

enum { RECORD_MOST = 64 };

/* The times of one alternative's steps, or groups of them. All zero: nothing was seen. */
struct record {
    double ns[RECORD_MOST]; /* a ring: a step of the last groups … */
    double steps[RECORD_MOST];
    size_t n;                          /* groups so far */
    double all_steps;                  /* … and their steps */
    double usual_ns;                   /* the mean of those kept that are not long */
    double noise;                      /* their deviation, as a share; with few mostly a guess */
    double guess;                      /* of the noise, before it is known; 0: there is none */
    double size;                       /* as many groups of the same length would tell as much */
    double longs, long_ns;             /* long ones of all, and by how much they exceed the usual */
    double old_longs, old_long_ns;     /* those among them that the ring has lost */
    double last_long;                  /* the last one, counted in all steps; 0: none yet */
    double gaps, gap_sum, gap_squares; /* between two of them */
    double first_ns;                   /* of the shortest first step after a swap; 0: none */
    double stay, warm;                 /* steps since the swap; so many of them are first ones */
    double once_ns, once_steps;        /* the first ones after the last swap */
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
    size_t block;         /* groups of steps of its next visit */
    bool is_beginning;    /* the run began with it */
    double judged_ns;     /* the incumbent's mean time when `ratio` was measured */
    double longest_stay;  /* most steps between two swaps */
    double reopened;      /* long steps of the incumbent when it was last opened for them */
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
    double ratio;    /* to the incumbent's; NaN: not known */
    double first;    /* the same of its first step alone; NaN: not known */
    double first_ns; /* time of that step if this run measured it; else 0 */
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
    bool is_beginning;                    /* the run began with it */
    double longest_stay;                  /* of it, before its present one */
    double *mean_inclusive_ns;            /* per instance, in a step of what was seen last */
    double *inclusive_ns;                 /* the same in a step of the incumbent's … */
    double *share, *usual_share;          /* … and as a share of it: of late, and before */
    double data;
    struct belief **beliefs; /* [instance][alternative] */
    size_t n_arms;
    struct arm **arms;
    struct arm *visited; /* NULL: the incumbent runs */
    struct move move;    /* of the visit */
    bool is_moving;      /* the incumbent's steps drift: short visits and its last steps count */
    bool is_patient;     /* it is to show whether the slow steps were its first ones … */
    double patience_ns;  /* … and may cost so much */
    size_t n_visit;      /* its ordinary groups so far */
    double visit_ns;     /* what all took longer, but for … */
    double visit_longs, visit_long_ns; /* … long ones */
    double free_ns; /* what first steps of unknown alternatives cost, which no one can know */
    int now;        /* steps so far */
    int drifted_at; /* it became slower; 0: it did not */
    double before_drift_ns;
    int changed_at, calm; /* the last drift; steps without one before it */
    double spike_ns;      /* what the longest step of an incumbent took longer than usual */
    double least_ns;      /* the incumbent's usual time when it was quickest; 0: not known */
    struct portolan_race_summary told;
};

/* record.c: notes STEPS of NS each; IS_FIRST: since a swap. Returns whether they were long. */
bool record_add(struct record *r, double ns, double steps, bool is_first);
/* Whether the last ones were first ones. */
static inline bool record_is_warming(const struct record *r)
{
    return r->stay == r->once_steps;
}
/* The intervals of usual times are so many standard errors wide to each side. */
static const double standard_errors = 2.5;
/* Adds NS to all times. */
void record_shift(struct record *r, double ns);
static inline size_t record_size(const struct record *r)
{
    return r->n < RECORD_MOST ? r->n : RECORD_MOST;
}
/* The mean time of a step; one long step alone does not count. NaN: nothing was seen. */
static inline double record_mean(const struct record *r)
{
    double longs = r->longs > 1 ? r->long_ns * (1 - 1 / r->longs) / r->all_steps : 0;

    return r->n ? r->usual_ns + longs : NAN;
}
/* The gaps between long steps if all are equal; else 0. */
double record_regular_gaps(const struct record *r);
/* What the first steps after the last swap took longer than others. */
static inline double record_once(const struct record *r)
{
    return r->n ? fmax(0, r->once_ns - r->once_steps * record_mean(r)) : 0;
}
/* Half the width of an interval for the usual time, as a share of it. */
double record_width(const struct record *r, double noise);
/* +1 or -1: the last steps are longer or shorter than usual, not by chance; 0: they are as usual.
 * *N: how many of them. */
int record_drift(const struct record *r, size_t *n);
/* Whether the last N differ from those before as if the work had changed. */
bool record_moves(const struct record *r, size_t n);
/* The share of the usual time by which a step is long, or falls, not by chance. */
double record_far(double noise);
/* How many of the last N, or of the first one before them, came after they fell for good, beyond
 * NOISE. */
size_t record_falls(const struct record *r, size_t n, double noise);
/* Those of this stay before the last N were first ones. */
void record_warm_up(struct record *r, size_t n);
/* Forgets all but the last N, and what long steps and first ones told. */
void record_keep(struct record *r, size_t n);

/* race_arms.c */
bool race_is_same(const struct portolan_race *r, const int32_t *a, const int32_t *b);
void race_copy(const struct portolan_race *r, int32_t *to, const int32_t *from);
/* The arm of WHOLE; NULL: there is none, or it is the incumbent, or changes several groups. */
struct arm *race_arm_of(const struct portolan_race *r, const int32_t *whole);
/* The arm of WHOLE, which changes one group; NULL without memory. */
struct arm *race_make_arm(struct portolan_race *r, const int32_t *whole);
void race_put_move(const struct portolan_race *r, const struct move *m, int32_t *whole);
/* The arm that MOVE leads to; NULL: it was never made. */
struct arm *race_find_arm(const struct portolan_race *r, const struct move *move);

/* What exploring has cost so far. One long step may have come on the incumbent as well. */
static inline double race_cost(const struct portolan_race *r)
{
    double longs = r->visit_longs > 1 ? r->visit_long_ns * (1 - 1 / r->visit_longs) : 0;

    return r->told.cost_ns + fmax(0, r->visit_ns) + longs;
}

/* race_judge.c: the decision about the alternative that is tried. */
enum verdict { GO_ON, ADOPT, LOSE, DOUBT, LEAVE_OPEN };
enum verdict race_judge(const struct portolan_race *r);
/* Steps of the incumbent that are known before others are tried, and of both before one is adopted;
 * of a first visit, of the longest. */
enum { FIRST_STEPS = 2, KNOWN_STEPS = 3, FIRST_BLOCK = 4, LONGEST_BLOCK = 32 };

/* A second step that is as long as a bad first one may cost this share of what is left. */
static const double large_share = 0.5;

/* race_pick.c: the move that promises most, if any is worth its cost and within the budget. */
bool race_pick(struct portolan_race *r, struct move *move);
double race_budget(const struct portolan_race *r);
struct difference race_compare(const struct portolan_race *r, const struct arm *a);
/* What a step is expected to gain if the better one is taken, once the difference is known. */
double race_expected_gain(const struct difference *d);
/* The steps after which a visit has seen long ones as often as they come. */
double race_round(const struct portolan_race *r, const struct arm *a);
/* Whether a visit to A costs the program nothing that it would not have cost without a race, while
 * nobody knows how long the run is: it runs as it began. */
static inline bool race_is_free(const struct portolan_race *r, const struct arm *a)
{
    return r->limits.is_open && a && a->is_beginning;
}
/* What a visit may cost that outlasts first steps. */
double race_patience(const struct portolan_race *r, const struct arm *a);
/* Whether an incumbent has had a long step that took about so much longer. */
static inline bool race_is_spike(const struct portolan_race *r, double excess_ns)
{
    return excess_ns < 2 * r->spike_ns;
}
/* What it costs to go back to the incumbent: its first steps. */
double race_return_cost(const struct portolan_race *r);
/* So many steps after a swap may be first ones; a visit that is patient lasts longer. */
/* To wait for ever. */
enum { NEVER = 1000000 };
enum { FIRST_STEPS_MOST = 50, PATIENT_STEPS = FIRST_STEPS_MOST + 6 };
/* A first step that takes so many times as long as usual may be set-up. */
static const double hopeless = 8;
/* Whether a step that grew by FACTOR did so in a group's calls, not throughout: in an instance that
 * has grown by much more than its share. */
bool race_is_own_drift(const struct portolan_race *r, size_t group, double factor);
/* What is left of it; steps that probably were spikes do not count. */
double race_left(const struct portolan_race *r);
/* Steps until an arm that is not better is looked at again. */
int race_wait(const struct portolan_race *r, const struct arm *a);

#endif
