/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files on trends. */
#ifndef PORTOLAN_PROFILE_TREND_H
#define PORTOLAN_PROFILE_TREND_H

#include "grid.h"

#include <portolan/index.h>
#include <portolan/trend.h>

#include <math.h>

/* A call path without the implementation of its last call. */
struct trend_place {
    const char *path; /* "driver.go->solver.solve" */
    uint64_t ports;   /* a hash of the ports on the path */
};

/* A trend that is being built. */
struct trend_series {
    struct trend_place place;
    const char *implementation, *metric;
    size_t n_params;
    const char *const *params;
    size_t n_rows; /* in order of arrival */
    double *x, *y;
};

/* Collects rows and makes trends of them. Start it as {0}. */
struct trend_builder {
    struct portolan_arena arena; /* also for what the trends keep */
    struct trend_series *series;
    size_t n_series;
    struct portolan_index index; /* of the series */
    const char *method;          /* a pattern, or NULL */
    bool names_metrics;          /* there are several metrics: paths end with the metric */
};

/* The call path of this method below PARENT (NULL: a root). */
struct trend_place trend_place(struct trend_builder *b, const struct trend_place *parent,
                               const char *instance, const char *port, const char *method);
/* Adds a row to SERIES, unless the method pattern excludes it; copies everything. The caller keeps
 * the rows and texts of SERIES. False without memory. */
bool trend_add(struct trend_builder *b, const struct trend_series *series, const double *x,
               double y);

/* Makes the trends of the collected rows; always clears B. */
enum portolan_status trend_finish(struct trend_builder *b, const char *unit, const char *what,
                                  size_t n_trials, struct portolan_trends **trends,
                                  struct portolan_error *err);
void trend_clear(struct trend_builder *b);

/* The position of a parameter of T, or SIZE_MAX. */
size_t trend_param(const struct portolan_trend *t, const char *name);
/* 0: METRIC is exclusive time, 1: inclusive time, 2: time in MPI; -1: not a time. */
int trend_time(const char *metric);

/* Adds a heading line: what is shown, and of how many trials. */
void trend_add_head(const struct portolan_trends *t, struct portolan_text *out);

#endif
