/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * optimizer: the race of implementations while a program runs, by the times of its steps alone. It
 * says what to run next, so that what is not known is tried at a bounded cost. Successive halving
 * on means with visits as long as they tell something: each alternative is tried beside the
 * incumbent, the best so far; it is left as soon as it cannot be better, and replaces the incumbent
 * once it is. Deterministic: it knows no clock, no ranks and no random numbers. Part of
 * <portolan/optimizer.h>.
 *
 * What it knows of time: the first step after a swap has set-up in it, and bounds the usual time
 * from above only; up to 50 may be first ones, which is found from their times; long steps that
 * come again are part of the cost, and one alone (a spike) may come on any alternative. Instances
 * that pairs connect depend on each other; others are independent, so that a change of the step's
 * time in one is the same whatever the others run.
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

/** What is copied by portolan_race_create(). */
struct portolan_race_options {
    size_t n_instances;
    const size_t *n_alternatives; /**< per instance; 1: there is no choice */
    size_t n_pairs;               /**< instances whose times depend on each other */
    const size_t (*pairs)[2];
    double hysteresis; /**< least gain of a change, as a share of a step */
    /** Whether an alternative is allowed now; ARG is borrowed as long as the race lives. */
    bool (*may_run)(const void *arg, size_t instance, size_t alternative);
    const void *arg;
};

/** The run begins with SELECTION (an alternative per instance). *RACE is the caller's to destroy.
 * Errors: ENOMEM. */
enum portolan_status portolan_race_create(const struct portolan_race_options *options,
                                          const int32_t *selection, struct portolan_race **race,
                                          struct portolan_error *err);
/** NULL is legal. */
void portolan_race_destroy(struct portolan_race *race);

/**
 * What models say of an alternative: the time of a step with it over that with the incumbent's.
 * IS_SURE: it need not be tried.
 */
void portolan_race_expect(struct portolan_race *race, size_t instance, size_t alternative,
                          double ratio, bool is_sure);

/**
 * What a diagnosis says of an alternative that remedies a cause: it is expected to gain GAIN, and
 * gains at most MOST (INFINITY: not known), as shares of a step of what runs. Until the incumbent
 * changes it is tried before those of which no diagnosis says anything, or not at all if MOST is
 * less than the hysteresis.
 */
void portolan_race_remedy(struct portolan_race *race, size_t instance, size_t alternative,
                          double gain, double most);

/** Only first steps of an alternative are known, which take RATIO times as long as the incumbent's;
 * what later ones take is not known. */
void portolan_race_expect_first(struct portolan_race *race, size_t instance, size_t alternative,
                                double ratio);

/** Steps with data that differ by so much are not comparable. */
#define PORTOLAN_RACE_OTHER_DATA 0.1

/** A step that ended, or a group of steps that ran the same without a look at them. */
struct portolan_race_step {
    double ns;                  /**< of all of them, the slowest rank's; 0: it was not measured */
    const int32_t *selection;   /**< what ran in it */
    bool is_first;              /**< it began with a swap */
    const double *inclusive_ns; /**< per instance: in its calls; 0: it was not called */
    double data;                /**< stands for the data, for PORTOLAN_RACE_OTHER_DATA */
    double steps;               /**< how many they are; 0 is read as 1 */
};
void portolan_race_see(struct portolan_race *race, const struct portolan_race_step *step);

struct portolan_race_limits {
    int remaining_steps;
    double swap_ns; /**< cost of one exchange */
    double share;   /**< exploring may cost this share of the run's time; 0: it ends … */
    double most_ns; /**< … and at most so much; 0: only the share counts */
    bool is_open;   /**< how many steps remain is not known: only the run so far pays */
    bool rests;     /**< nothing is tried in the step after a change of the incumbent */
};
/** What to run next, for at least one step: fills SELECTION if the race says so. Otherwise (false)
 * there is nothing to try now, and others may decide. */
bool portolan_race_next(struct portolan_race *race, const struct portolan_race_limits *limits,
                        int32_t *selection);

/** Whether SELECTION was measured in this run, on the present data, and is not surely better than
 * the incumbent. */
bool portolan_race_objects(const struct portolan_race *race, const int32_t *selection);

/** In how many steps of this run SELECTION was measured, on the present data; then *USUAL_NS is the
 * usual time of a step with it, and *HALF_NS half the width of its interval. */
size_t portolan_race_measured(const struct portolan_race *race, const int32_t *selection,
                              double *usual_ns, double *half_ns);

struct portolan_race_summary {
    const int32_t *incumbent;
    double usual_ns;     /**< time of a step with it; NaN: not known */
    double elapsed_ns;   /**< of all steps */
    double cost_ns;      /**< what the steps on other alternatives took longer, set-up and swaps */
    double budget_ns;    /**< what they may cost in all, as far as is known */
    int steps;           /**< … and their number */
    int visits, changes; /**< alternatives tried, one after the other; new incumbents among them */
    size_t n_tried;      /**< different ones, without what it began with */
    bool is_over;        /**< nothing is left to try now */
    const char *reason;  /**< of the last portolan_race_next(), "" when there is none */
};
/** Borrowed until the race goes on. */
struct portolan_race_summary portolan_race_peek(const struct portolan_race *race);

#ifdef __cplusplus
}
#endif
#endif
