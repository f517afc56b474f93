/* SPDX-License-Identifier: BSD-3-Clause */
/** The state of exploration: the trials at each point, their results, and the trials that may
 * follow. */
#ifndef PORTOLAN_OPTIMIZER_EXPLORE_H
#define PORTOLAN_OPTIMIZER_EXPLORE_H

#include "plan_internal.h"

/* The result of a trial. */
enum result { RESULT_GOOD, RESULT_FAILED, RESULT_INACCURATE, RESULT_KILLED, RESULT_STOPPED };

struct tally {
    size_t n;
    double mean, squares; /* sum of squared differences from the mean */
};

/* The trials of one selection at one point. */
struct cell {
    struct tally clean, all; /* seconds of good trials: of the undisturbed ones, and of all */
    size_t n_failed, n_inaccurate, n_killed, n_stopped;
    double bound_s; /* stopped: it takes at least so long */
    size_t trial; /* index in the survey of the last good trial with samples; NONE: there is none */
    double times; /* cost over the best at that point; 0: not known; NAN: not computed yet */
};

/* The result of a trial of the survey. */
struct outcome {
    size_t point;      /* NONE: none of the sweep's */
    size_t *selection; /* NONE for a class that is not an alternative */
    enum result result;
    const char *disturbed; /* what disturbed it; NULL: nothing */
    double elapsed_s;
};

struct exploration {
    struct portolan_plan p; /* survey, scopes and call graph; no fits */
    struct portolan_arena pool;
    size_t n_points;
    size_t **points; /* value numbers, per dim, then that of the case; small ones first */
    double *sizes;
    struct outcome *outcomes; /* per trial of the survey */
    size_t n_selections;
    size_t **selections; /* [0]: as written */
    struct cell **cells; /* [selection][point] */
    struct plan_notes notes;
    double budget_s;
    size_t most_trials;
    bool are_combinations, is_race, at_largest; /* as in the options */
    struct portolan_next_trial *out;
};

/* explore_trials.c: points, trials, and the results of each selection at each point. */
enum portolan_status explore_list_points(struct exploration *e, struct portolan_error *err);
enum portolan_status explore_list_outcomes(struct exploration *e);
/* The cells of a selection, one per point; NULL: out of memory. */
struct cell *explore_fill_cells(struct exploration *e, const size_t *selection);
char *explore_point_text(struct exploration *e, const size_t *point);
bool explore_same_selection(const struct exploration *e, const size_t *a, const size_t *b);
/* Half the width of the mean's interval, as a share of the mean. */
double explore_tally_width(const struct tally *t);
/* The times that count: those of disturbed trials only if there are no others. */
const struct tally *explore_tally_of(const struct cell *c);
size_t explore_n_trials(const struct cell *c);
/* Returns whether at least two trials made their process die, and there are no others. */
bool explore_is_deadly(const struct cell *c);
/* Returns whether all that is known is that it takes longer than BOUND_S. */
bool explore_was_stopped(const struct cell *c);
/* Returns whether it was stopped, failed or was not accurate enough, so that others are not
 * compared with it. */
bool explore_is_bad(const struct cell *c);

/* The combination with the least mean time at the largest point where any has one; NONE. */
size_t explore_best(const struct exploration *e);

/* explore_judge.c: returns whether a trial is not worth running, because it would fail or be far
 * too slow. */
bool explore_is_given_up(struct exploration *e, size_t selection, size_t point);
/* Adds notes on the points at which the selection is left out, and why. */
void explore_note_left_out(struct exploration *e, size_t selection);
/* Expected seconds of a trial; 0: nothing is known. */
double explore_expected_s(const struct exploration *e, size_t selection, size_t point);

#endif
