/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files on trends. */
#ifndef PORTOLAN_TRENDS_TREND_H
#define PORTOLAN_TRENDS_TREND_H

#include "tables.h"

#include <portolan/grid.h>
#include <portolan/index.h>
#include <portolan/trend.h>

#include <math.h>

enum { MAX_PARAMS = PORTOLAN_MODEL_MAX_PARAMS };

/* The key of a trend. */
struct trend_key {
    const char *path; /* "driver.go->solver.solve", without the implementation of its last call */
    uint64_t ports;   /* a hash of the ports on the path */
    const char *implementation, *metric;
    size_t n_params;
    const char *const *params;
};

struct trend {
    struct trend_key key;
    const char *path;  /* "driver.go->solver.solve [heat.Cholmod]", and where a file has several
                          metrics, "main->solve [time]" */
    const char *label; /* its last part */
    struct table
        *rows;      /* the parameters, then the metric; sorted. Its name is PATH without metric */
    bool *is_first; /* of each row that was added: only first calls */
    const size_t *arrival;        /* row I was measured, or read, as number ARRIVAL[I] */
    struct portolan_model *model; /* NULL before the fit, or: */
    const char *why;              /* why there is no model; else NULL */
};

struct portolan_trends {
    const char *unit; /* "ns", "" */
    const char *what; /* "exclusive time per run, mean over ranks" */
    size_t n_trials;  /* 0: from a file */
    size_t n;
    struct trend *items; /* in order of first occurrence, callers before callees */
    enum portolan_model_statistic statistic; /* that the models predict */
    bool has_means; /* … unless another is asked for, the mean: what is long again and again is cost
                     */
    struct portolan_arena arena; /* holds everything but the models */
};

/*
 * Runs RUN as a statement that a program calls, with ARG. Problems in files go to D (may be NULL),
 * the first of them and any other failure to ERR.
 */
enum portolan_status trend_call(void (*run)(struct statement *s), void *arg,
                                struct portolan_diagnostics *d, struct portolan_error *err);

/* Collects rows, in the arena of S, and makes trends of them. */
struct trend_builder {
    struct statement *s;
    struct portolan_trends *t;
    struct portolan_index index; /* of the trends */
    size_t n_wanted;             /* trends that the pattern does not exclude */
    const char *method;          /* a pattern, or NULL */
    bool names_metrics;          /* there are several metrics: paths end with the metric */
};

struct trend_builder *trend_begin(struct statement *s, const char *method);
/* KEY's place is the call path of this method below PARENT (NULL: a root). */
void trend_place(struct trend_builder *b, struct trend_key *key, const struct trend_key *parent,
                 const char *instance, const char *port, const char *method);
/* Adds a row to the trend of KEY, unless the method pattern excludes it; copies everything.
 * IS_FIRST: it counts only where no other row has these parameters. */
void trend_add(struct trend_builder *b, const struct trend_key *key, const double *x, double y,
               bool is_first);
/* The trends of the rows, which take the arena of the statement: the last thing that it does. */
struct portolan_trends *trend_finish(struct trend_builder *b, const char *unit, const char *what);

/* The position of a parameter of T, or NONE. */
size_t trend_param(const struct trend *t, const char *name);
/* 0: METRIC is exclusive time, 1: inclusive time, 2: time in MPI; -1: not a time. */
int trend_time(const char *metric);
/* The last row: the largest parameters. Its last number is the value. */
const double *trend_last_row(const struct trend *t);
/* Is parameter B a constant times a power of parameter A in all rows, while both vary? */
bool trend_moves_together(const struct trend *t, size_t a, size_t b, double *level, double *slope);
/* Is X off the line that two parameters of T's rows never leave? There the model is outside. */
bool trend_leaves_line(const struct trend *t, const double *x);

/* The state of portolan_trends_write(). */
struct writing {
    struct statement *s;
    const struct portolan_trends *t;
    const struct portolan_trend_view *view;
    struct portolan_text *out;
};

/* Adds a heading line: what is shown, and of how many trials. */
void trend_add_head(const struct portolan_trends *t, struct portolan_text *out);
void trend_write_list(const struct writing *w);
void trend_write_errors(const struct writing *w, const struct trend *t);
void trend_write_comparison(const struct writing *w);
void trend_write_chart(const struct writing *w);
/* As models or rows for other programs. */
void trend_write_form(const struct writing *w);

#endif
