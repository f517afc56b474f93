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
    size_t parent; /* SIZE_MAX at a root */
    const char *instance, *port, *method;
    const char *path; /* "driver.go->solver.solve" */
};

/* A trend in the making. */
struct trend_series {
    size_t place;
    const char *implementation, *metric;
    size_t n_params;
    const char **params;
    size_t n_rows;
};

struct trend_row {
    size_t series, sequence;
    int64_t trial;
    double y;
    const double *x;
};

/* Gathers rows and makes trends of them. Start as {0}. */
struct trend_builder {
    struct portolan_arena arena; /* of what the trends keep, too */
    struct trend_place *places;
    size_t n_places, place_room;
    struct trend_series *series;
    size_t n_series, series_room;
    struct trend_row *rows;
    size_t n_rows, row_room;
    struct portolan_index by_place, by_series;
    const char *method; /* pattern; NULL */
    bool names_metrics; /* there are several: paths end with theirs */
};

/* The place below PARENT of what is called so; SIZE_MAX without memory. */
size_t trend_place(struct trend_builder *b, size_t parent, const char *instance, const char *port,
                   const char *method);
/* The series there; SIZE_MAX without memory, SIZE_MAX - 1 when it is not wanted. */
size_t trend_series(struct trend_builder *b, size_t place, const char *implementation,
                    const char *metric, const char *const *params, size_t n_params);
enum { TREND_UNWANTED = 1 };
/* X is copied. False without memory. */
bool trend_add(struct trend_builder *b, size_t series, int64_t trial, const double *x, double y);

/* The trends of what was gathered; B is cleared in any case. */
enum portolan_status trend_finish(struct trend_builder *b, const char *unit, const char *what,
                                  size_t n_trials, struct portolan_trends **trends,
                                  struct portolan_error *err);
void trend_clear(struct trend_builder *b);
/* A copy that lives as long as T; NULL without memory. */
const char *trend_keep_text(struct portolan_trends *t, const char *text);

/* trend_list.c: the row with the largest value of the first parameters, the last one; and texts. */
const double *trend_last_point(const struct portolan_trend *t);
/* A value with its unit, in 32 bytes. */
const char *trend_value_text(const struct portolan_trends *t, double value, char *storage);
/* Lines above a text: what is shown, of how many trials, against which parameters. */
/* A line where M does not come up to its own points; else nothing. */
void trend_add_misfit(const struct portolan_model *m, struct portolan_text *out);
/* What low and high are. */
void trend_add_level(const struct portolan_model *m, struct portolan_text *out);
void trend_add_head(const struct portolan_trends *t, struct portolan_text *out);

#endif
