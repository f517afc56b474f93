/* SPDX-License-Identifier: BSD-3-Clause */
/** Private to the race: the times of each alternative's steps, and what is believed of it. */
#ifndef PORTOLAN_OPTIMIZER_RACE_INTERNAL_H
#define PORTOLAN_OPTIMIZER_RACE_INTERNAL_H

#include <math.h>
#include <portolan/race.h>

enum { HISTORY_MOST = 64 };

/* The times that one alternative's steps, or groups of steps, took. All zero: none was seen. */
struct history {
    double ns[HISTORY_MOST]; /* a ring: the mean step of each of the last groups */
    double steps[HISTORY_MOST];
    size_t n;                      /* groups so far */
    double all_steps;              /* all their steps */
    double usual_ns;               /* mean of the groups in the ring that are not long */
    double noise;                  /* deviation of these, as a share; with few mostly a guess */
    double guess;                  /* of the noise, before it is known; 0: no guess */
    double size;                   /* effective number of groups: as if all had the same length */
    double longs, long_ns;         /* number of long groups, and their excess over the usual time */
    double old_longs, old_long_ns; /* the part of these that is no longer in the ring */
    double last_long;              /* position of the last long one in all steps; 0: none yet */
    double gaps, gap_sum, gap_squares; /* steps between two long ones */
    double first_ns;                   /* shortest first step after a swap; 0: none */
    double stay, warm;                 /* steps since the swap; how many of them are first ones */
    double once_ns, once_steps;        /* time and number of the first ones after the last swap */
};

enum arm_state {
    ARM_UNTRIED,
    ARM_OPEN,    /* tried, but too close to decide */
    ARM_LOST,    /* not better */
    ARM_DOUBTED, /* hopeless because of one step, which may have been a spike */
    ARM_STALE    /* tried, but the machine or the data have changed since */
};

/* One choice of implementations for a group, that is for instances that depend on each other. */
struct arm {
    int32_t *selection; /* per instance; only those of the group count */
    size_t group;
    enum arm_state state;
    struct history history; /* while it is not the incumbent */
    double before_ns;       /* its usual time if the drift spared it; 0: nothing drifted */
    double ratio;           /* usual time over the incumbent's when last tried; 0: never tried */
    double doubt_ns;        /* the cost of a hopeless step that may have been a spike */
    int vain;               /* number of visits because of a drift that found nothing */
    int wait, retry_at;     /* steps until the next visit; step of the next visit */
    size_t block;           /* number of groups of its next visit */
    bool is_beginning;      /* the run began with it */
    double judged_ns;       /* the incumbent's mean time when `ratio` was measured */
    double longest_stay;    /* most steps that it ran between two swaps */
    double reopened;        /* long steps of the incumbent when this was last reopened */
    bool *called;           /* per instance: it was called while this was tried */
    bool fell;              /* its last visit ended because its steps became shorter */
};

/* A change of the incumbent: other alternatives for one or two instances. */
struct move {
    size_t n, instance[2];
    int32_t alternative[2];
};

/* The difference of a step's time to the incumbent's, with its interval. */
struct difference {
    double low, point, high;
};

/* The expectation of an alternative, from models, a diagnosis, or its last visit. */
struct belief {
    double ratio;    /* time over the incumbent's; NaN: not known */
    double first;    /* the same ratio for its first step alone; NaN: not known */
    double first_ns; /* time of that first step if this run measured it; else 0 */
    bool is_sure;
    bool is_remedy;    /* it remedies a diagnosed cause */
    double gain, most; /* of a remedy: expected and largest gain, as shares of a step */
};

struct portolan_race {
    struct portolan_arena pool;
    struct portolan_race_options o;
    struct portolan_race_limits limits;
    size_t *group;                        /* per instance */
    int32_t *incumbent, *tried, *scratch; /* tried: runs in a visit */
    struct history history;               /* of the incumbent */
    bool is_beginning;                    /* the run began with it */
    double longest_stay;                  /* most steps that it ran, without the present ones */
    double *mean_inclusive_ns;   /* per instance: time in its calls, in the step seen last */
    double *inclusive_ns;        /* the same in the incumbent's last step */
    double *share, *usual_share; /* of the incumbent's steps: recently, and before that */
    double data;
    struct belief **beliefs; /* [instance][alternative] */
    size_t n_arms;
    struct arm **arms;
    struct arm *visited; /* NULL: the incumbent runs */
    struct move move;    /* of the visit */
    bool is_moving;      /* the incumbent drifts: visits are short, and only its last steps count */
    bool is_patient;     /* the visit finds out whether slow steps were only first ones */
    double patience_ns;  /* what a patient visit may cost */
    size_t n_visit;      /* ordinary groups in the visit so far */
    double visit_ns;     /* excess of its groups over the incumbent's mean, without … */
    double visit_longs, visit_long_ns; /* … and of its long ones */
    double free_ns; /* cost of first steps of unknown alternatives, which cannot be known before */
    int now;        /* number of steps so far */
    int drifted_at; /* step at which the incumbent became slower; 0: it did not */
    double before_drift_ns;
    int changed_at, calm; /* step of the last drift; steps without drift before it */
    double spike_ns;      /* excess of the longest step that an incumbent had */
    double least_ns;      /* the shortest usual time that an incumbent had; 0: not known */
    struct portolan_race_summary summary;
};

/* race_history.c: adds STEPS steps of NS each; IS_FIRST: the first since a swap. Returns whether
 * they were long. */
bool history_add(struct history *r, double ns, double steps, bool is_first);
/* Returns whether the last steps were first ones. */
static inline bool history_is_warming(const struct history *r)
{
    return r->stay == r->once_steps;
}
/* Half the width of the interval of a usual time, in standard errors. */
static const double standard_errors = 2.5;
/* Adds NS to all times, because the incumbent drifted by that. */
void history_shift(struct history *r, double ns);
static inline size_t history_size(const struct history *r)
{
    return r->n < HISTORY_MOST ? r->n : HISTORY_MOST;
}
/* The mean time of a step; one long step alone does not count. NaN: nothing was seen. */
static inline double history_mean(const struct history *r)
{
    double longs = r->longs > 1 ? r->long_ns * (1 - 1 / r->longs) / r->all_steps : 0;

    return r->n ? r->usual_ns + longs : NAN;
}
/* Returns how many gaps between long steps there were if these are equal; else 0. */
double history_regular_gaps(const struct history *r);
/* Returns the excess of the first steps after the last swap over as many usual ones. */
static inline double history_once(const struct history *r)
{
    return r->n ? fmax(0, r->once_ns - r->once_steps * history_mean(r)) : 0;
}
/* Half the width of the interval of the usual time, as a share of it. */
double history_width(const struct history *r, double noise);
/* Returns +1 or -1 if the last *N groups are longer or shorter than usual, and not by chance; 0 if
 * they are as usual. */
int history_drift(const struct history *r, size_t *n);
/* Returns whether the last N groups differ from those before as if the work had changed. */
bool history_moves(const struct history *r, size_t n);
/*
 * The share of the usual time by which a step must be longer or shorter so that it is not chance.
 */
double history_far(double noise);
/* Returns how many of the last N groups came after the steps became shorter for good, by more than
 * NOISE explains; 0: they did not. The shortest first step counts as one before them. */
size_t history_falls(const struct history *r, size_t n, double noise);
/* Declares all steps since the swap, but for the last N groups, to be first ones. */
void history_warm_up(struct history *r, size_t n);
/* Forgets all groups but the last N. Counts of long steps and first ones stay. */
void history_keep(struct history *r, size_t n);

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

/* The cost of exploring so far. One long step does not count: it may have come on the incumbent as
 * well. */
static inline double race_cost(const struct portolan_race *r)
{
    double longs = r->visit_longs > 1 ? r->visit_long_ns * (1 - 1 / r->visit_longs) : 0;

    return r->summary.cost_ns + fmax(0, r->visit_ns) + longs;
}

/* race_judge.c: decides about the alternative that is being tried. */
enum verdict { GO_ON, ADOPT, LOSE, DOUBT, LEAVE_OPEN };
enum verdict race_judge(const struct portolan_race *r);
/* Steps of the incumbent before others are tried; of both before one is adopted; groups in a first
 * visit, and in the longest. */
enum { FIRST_STEPS = 2, KNOWN_STEPS = 3, FIRST_BLOCK = 4, LONGEST_BLOCK = 32 };

/* A second step, as long as a bad first one, may cost this share of what is left of the budget. */
static const double large_share = 0.5;

/* race_pick.c: finds the move that promises most; false if none is worth its cost, or all exceed
 * the budget. */
bool race_pick(struct portolan_race *r, struct move *move);
double race_budget(const struct portolan_race *r);
struct difference race_compare(const struct portolan_race *r, const struct arm *a);
/*
 * The gain per step that is expected if the difference becomes known and the better one is taken.
 */
double race_expected_gain(const struct difference *d);
/* The number of steps in which a visit sees long steps as often as they come. */
double race_round(const struct portolan_race *r, const struct arm *a);
/* Returns whether a visit to A is free: the length of the run is not known, and the run began with
 * A, so that the program would have run it without a race, too. */
static inline bool race_is_free(const struct portolan_race *r, const struct arm *a)
{
    return r->limits.is_open && a && a->is_beginning;
}
/* The most that a patient visit, which outlasts first steps, may cost. */
double race_patience(const struct portolan_race *r, const struct arm *a);
/* Returns whether an incumbent has had a step with about this excess. */
static inline bool race_is_spike(const struct portolan_race *r, double excess_ns)
{
    return excess_ns < 2 * r->spike_ns;
}
/* The cost of going back to the incumbent, whose first steps come again. */
double race_return_cost(const struct portolan_race *r);
/* The wait of an alternative that is not tried again. */
enum { NEVER = 1000000 };
enum { FIRST_STEPS_MOST = 50, PATIENT_STEPS = FIRST_STEPS_MOST + 6 };
/* A first step that takes this many times as long as usual may be set-up. */
static const double hopeless = 8;
/* Returns whether a step that became FACTOR times as long did so in the calls of the group, not
 * throughout: an instance of it has grown by much more than its share. */
bool race_is_own_drift(const struct portolan_race *r, size_t group, double factor);
/* The rest of the budget; steps that probably were spikes do not count. */
double race_left(const struct portolan_race *r);
/* Returns the steps until an arm that is not better is tried again. */
int race_wait(const struct portolan_race *r, const struct arm *a);

#endif
