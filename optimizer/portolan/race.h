/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * optimizer: the race of implementations while a program runs, by the times of its steps alone. It
 * says what to run next, so that unknown alternatives are tried at a bounded cost. It is successive
 * halving on means: each alternative takes turns with the incumbent, the best so far; it is left as
 * soon as it cannot be better, and replaces the incumbent once it is better. It is deterministic,
 * and knows no clock, no ranks and no random numbers. Part of <portolan/optimizer.h>.
 *
 * It assumes of times: the first step after a swap contains set-up, and is only an upper bound of
 * the usual time; up to 50 steps may be first ones, as their times show; long steps that come again
 * are part of the cost, and a single one (a spike) may come on any alternative. Instances that
 * pairs connect depend on each other; others are independent, so that the gain of an alternative of
 * one is the same whatever the others run.
 *
 * A step cannot be stopped in its middle: an alternative costs at least one step.
 */
#ifndef PORTOLAN_RACE_H
#define PORTOLAN_RACE_H

#include <portolan/base.h>

#ifdef __cplusplus
extern "C" {
#endif

struct portolan_race;

/** The instances, their alternatives and what depends on what; portolan_race_create() copies it. */
struct portolan_race_options {
    size_t n_instances;
    const size_t *n_alternatives; /**< per instance; 1: there is no choice */
    size_t n_pairs;               /**< instances whose times depend on each other */
    const size_t (*pairs)[2];
    double hysteresis; /**< least gain of a change, as a share of a step */
    /** Returns whether an alternative is allowed now; ARG is borrowed as long as the race lives. */
    bool (*may_run)(const void *arg, size_t instance, size_t alternative);
    const void *arg;
};

/** Begins a race at SELECTION (an alternative per instance), with which the run begins. *RACE is
 * the caller's to destroy. Errors: ENOMEM. */
enum portolan_status portolan_race_create(const struct portolan_race_options *options,
                                          const int32_t *selection, struct portolan_race **race,
                                          struct portolan_error *err);
/** NULL is legal. */
void portolan_race_destroy(struct portolan_race *race);

/**
 * Takes over what models predict of an alternative: RATIO is the time of a step with it over that
 * with the incumbent's. IS_SURE: it need not be tried.
 */
void portolan_race_expect(struct portolan_race *race, size_t instance, size_t alternative,
                          double ratio, bool is_sure);

/**
 * Takes over what a diagnosis says of an alternative that remedies a cause: it is expected to gain
 * GAIN, and gains at most MOST (INFINITY: not known), as shares of a present step. Until the
 * incumbent changes it is tried before alternatives without a diagnosis, or not at all if MOST is
 * less than the hysteresis.
 */
void portolan_race_remedy(struct portolan_race *race, size_t instance, size_t alternative,
                          double gain, double most);

/** Takes over that first steps of an alternative take RATIO times as long as the incumbent's; the
 * time of later ones is not known. */
void portolan_race_expect_first(struct portolan_race *race, size_t instance, size_t alternative,
                                double ratio);

/** Steps with data that differ by so much are not comparable. */
#define PORTOLAN_RACE_OTHER_DATA 0.1

/** A step that ended, or a group of steps with the same selection that were measured together. */
struct portolan_race_step {
    double ns; /**< time of all of them on the slowest rank; 0: it was not measured */
    const int32_t *selection;   /**< the alternatives that ran */
    bool is_first;              /**< it began with a swap */
    const double *inclusive_ns; /**< per instance: in its calls; 0: it was not called */
    double data;                /**< stands for the data, for PORTOLAN_RACE_OTHER_DATA */
    double steps;               /**< number of steps in the group; 0 is read as 1 */
};
void portolan_race_see(struct portolan_race *race, const struct portolan_race_step *step);

struct portolan_race_limits {
    int remaining_steps;
    double swap_ns; /**< cost of one exchange */
    double share;   /**< exploring may cost this share of the run's time; 0: it ends … */
    double most_ns; /**< … and at most so much; 0: only the share counts */
    bool is_open; /**< the number of remaining steps is not known: the budget is a share of the run
                     so far */
    bool rests;   /**< nothing is tried in the step after a change of the incumbent */
};
/** Decides what runs next, for at least one step, and fills SELECTION. False: there is nothing to
 * try now, and others may decide. */
bool portolan_race_next(struct portolan_race *race, const struct portolan_race_limits *limits,
                        int32_t *selection);

/** Returns whether SELECTION was measured in this run, on the present data, and is not surely
 * better than the incumbent. */
bool portolan_race_objects(const struct portolan_race *race, const int32_t *selection);

/**
 * Returns the number of steps of this run in which SELECTION was measured, on the present data. If
 * there are any, *USUAL_NS is the usual time of a step with it, and *HALF_NS half the width of its
 * interval.
 */
size_t portolan_race_measured(const struct portolan_race *race, const int32_t *selection,
                              double *usual_ns, double *half_ns);

struct portolan_race_summary {
    const int32_t *incumbent;
    double usual_ns;     /**< time of a step with it; NaN: not known */
    double elapsed_ns;   /**< time of all steps */
    double cost_ns;      /**< excess of the steps on other alternatives, set-up and swaps */
    double budget_ns;    /**< the most that exploring may cost, as far as is known */
    int steps;           /**< number of steps on other alternatives */
    int visits, changes; /**< alternatives tried, one after the other; new incumbents among them */
    size_t n_tried; /**< number of different ones, without the selection that the run began with */
    bool is_over;   /**< nothing is left to try now */
    const char *reason; /**< reason of the last portolan_race_next(); "" if there is none */
};
/** Borrowed until the race goes on. */
struct portolan_race_summary portolan_race_peek(const struct portolan_race *race);

#ifdef __cplusplus
}
#endif
#endif
