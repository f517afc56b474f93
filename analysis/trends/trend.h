/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of trends share. */
#ifndef PORTOLAN_PROFILE_TREND_H
#define PORTOLAN_PROFILE_TREND_H

#include "table.h"

#include <portolan/index.h>
#include <portolan/trend.h>

#include <math.h>

/* A call path without the implementation of what is called. */
struct trend_place {
    const char *path; /* "driver.go->solver.solve" */
    uint64_t ports;   /* a hash of those on the way */
};

/* A trend in the making. */
struct trend_series {
    struct trend_place place;
    const char *implementation, *metric;
    size_t n_params;
    const char *const *params;
    size_t n_rows; /* in the order they came */
    double *x, *y;
};

/* Gathers rows and makes trends of them. Start as {0}. */
struct trend_builder {
    struct portolan_arena arena; /* of what the trends keep, too */
    struct trend_series *series;
    size_t n_series;
    struct portolan_index index; /* of the series */
    const char *method;          /* pattern; NULL */
    bool names_metrics;          /* there are several: paths end with theirs */
};

/* The place below PARENT (NULL: a root) of what is called so. */
struct trend_place trend_place(struct trend_builder *b, const struct trend_place *parent,
                               const char *instance, const char *port, const char *method);
/* A row of SERIES, whose rows and texts are the caller's, unless it is not wanted; all is copied.
 * False without memory. */
bool trend_add(struct trend_builder *b, const struct trend_series *series, const double *x,
               double y);

/* The trends of what was gathered; B is cleared in any case. */
enum portolan_status trend_finish(struct trend_builder *b, const char *unit, const char *what,
                                  size_t n_trials, struct portolan_trends **trends,
                                  struct portolan_error *err);
void trend_clear(struct trend_builder *b);

/* The position of a parameter of T; SIZE_MAX. */
size_t trend_param(const struct portolan_trend *t, const char *name);
/* 0: METRIC is exclusive time, 1: inclusive, 2: that in MPI; -1: no time. */
int trend_time(const char *metric);

/* A line above a text: what is shown, of how many trials. */
void trend_add_head(const struct portolan_trends *t, struct portolan_text *out);

#endif
