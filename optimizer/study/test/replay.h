/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sessions of measuring a program with options, replayed from tables of its times: no program runs.
 * For the test of the search, and for bench/bench_options.c.
 */
#ifndef REPLAY_H
#define REPLAY_H

#include <portolan/optimizer.h>
#include <portolan/session.h>
#include <portolan/tune.h>

enum { MOST_OPTIONS = 20, MOST_VALUES = 64, MOST_SIZES = 4 };

/* A measured program: seconds of each combination at each size, small ones first; INFINITY: it
 * failed or was not good enough. */
struct table {
    size_t n_options, n_sizes, n_rows;
    int sizes[MOST_SIZES];
    char options[MOST_OPTIONS][32];
    size_t n_values[MOST_OPTIONS];
    char values[MOST_OPTIONS][MOST_VALUES][32];
    struct row {
        size_t value[MOST_OPTIONS];
        double s[MOST_SIZES];
    } * rows;     /* for free() */
    bool is_made; /* its times are known at all sizes: table_made_s() */
};

/* How a machine disturbs times: by noise, rare outliers, and slowing down and recovering. */
struct disturbance {
    int seed;
    double noise, outliers, drift;
};

/* A replay. Its clock is that of the table; in truth its trials take no time. */
struct replay {
    struct workbench w;
    const struct table *t;
    struct portolan_assembly *a;
    struct portolan_measure_options *o;
    struct portolan_sample_set set;
    size_t capacity;
    unsigned short seed[3];
    struct disturbance d;
    double spent_s;
};

/* The first line has the options' names, "|" and the sizes; the others values, "|" and seconds, "-"
 * for INFINITY. False: there is none. */
bool table_read(const char *file, struct table *t);
/* Makes a table of 720 combinations at three sizes: options interact, some combinations fail, and
 * the best at small sizes is not the best at the largest. */
void table_make(struct table *t);
/* Seconds of a combination of the made table at size N. */
double table_made_s(const size_t *value, double n);
/* Seconds of the best at the largest size, and of all trials of the grid. */
double table_best_s(const struct table *t);
double table_grid_s(const struct table *t);
const struct row *table_find(const struct table *t, const size_t *values);

void replay_begin(struct replay *r, const struct table *t, const struct disturbance *d);
void replay_end(struct replay *r);
/* Seconds of a trial now that takes S on a quiet machine. */
double replay_measure_s(struct replay *r, double s);
/* Stores a trial of the assembly's present selection and parameters. */
void replay_add_trial(struct replay *r, double s, const char *outcome);

/* What a session leads to. */
struct replay_result {
    double over;  /* what the choice takes at the largest size, over the best; INFINITY: none */
    bool is_sure; /* it does not say "cannot tell" */
    int n_unseen, n_held; /* of a made table: predictions at sizes never measured, and those whose
                             95 % interval has the true time */
};

struct replay_result replay_tune(const struct table *t, const struct disturbance *d,
                                 double budget_s);

#endif
