/* SPDX-License-Identifier: BSD-3-Clause */
/** Measured numbers as functions of contexts or parameters: their rows, fits and values. */
#ifndef PORTOLAN_OPTIMIZER_QUANTITY_H
#define PORTOLAN_OPTIMIZER_QUANTITY_H

#include "survey.h"

#include <portolan/local.h>
#include <portolan/update.h>

enum quantity_kind {
    QUANTITY_TIME,
    QUANTITY_COUNT,
    QUANTITY_CONTEXT,
    QUANTITY_ACCURACY,
    QUANTITY_SETUP /* stated in a file */
};

/*
 * The rows that a time was fitted to, and those that arrived since: kept so that a running
 * program's rows can be added one by one, and the form searched again when it no longer holds.
 */
struct plan_rows {
    const char *names[MAX_INPUTS];
    size_t n_names;
    bool by_context;
    struct portolan_arena pool;      /* owns the rows */
    size_t n, most;                  /* rows now, and the largest number so far */
    size_t n_stored;                 /* the first rows, which are from the store */
    size_t n_arrived, patient_until; /* the form may not fail before so many rows have arrived */
    size_t fit_at;                   /* with so many rows the form is searched again in any case */
    double *x, *y, *weight;
    double *steps;    /* per row, for the fit: number of steps in the mean */
    double *error;    /* per row, for the fit: relative error of the mean */
    bool *is_first;   /* per row, for the fit: only first calls */
    bool *is_dropped; /* scratch */
    double n_steps;   /* sum over all rows */
    double within;    /* relative error of the mean at a place, from the spread within rows */
    bool only_first, is_doubtful; /* all rows are first calls; and other tuples have later ones */
    bool is_exact;                /* on a manual clock, or many equal times */
    size_t n_old;                 /* number of rows from before the law changed, which come first */
    size_t number;                /* index of this structure in the plan */
    size_t *point;                /* per row: the point of its trial */
    struct portolan_model *model;
    struct portolan_update *update; /* NULL: no row arrived since the fit */
    bool is_behind;                 /* MODEL's constants lack rows that UPDATE has */
    struct portolan_local *local; /* predicts from measured places and their neighbours (kriging) */
    bool by_local;                /* LOCAL errs less than the law */
    double sigma;                 /* logarithmic error on rows left out; NaN: not known */
    double last_off;              /* deviation of the last row from LOCAL, a logarithm */
    double drift;                 /* smoothed deviation of arriving rows from LOCAL */
};

/* A model in a file, for an implementation that was never measured. */
struct plan_stated {
    const struct portolan_assembly_model *from;
    size_t variable, alternative;
    struct portolan_model *model;
    const char *quantity;
    enum quantity_kind kind;
    double factor; /* to nanoseconds */
    bool is_used;
};

/* A measured number as a function of contexts or swept parameters. */
struct quantity {
    bool known;
    enum quantity_kind kind;
    bool by_context; /* inputs are contexts, else numeric dims */
    size_t n_inputs, inputs[MAX_INPUTS];
    size_t n_fixed, fixed[MAX_INPUTS];  /* inputs that had one value in all rows, … */
    double fixed_at[MAX_INPUTS];        /* … and that value */
    const struct portolan_model *model; /* NULL: the constant */
    double constant;
    size_t n_rows;    /* number of measured steps */
    double low, high; /* range of the values in the rows */
    struct plan_rows
        *rows; /* rows of a time or a count, which several quantities may share; or NULL */
    const struct plan_stated *stated; /* NULL: it was measured */
    const struct quantity *beyond;    /* a file's law for use outside the measured range; or NULL */
};

enum portolan_status plan_own_model(struct portolan_plan *p, struct portolan_model *model);
enum portolan_status plan_fit_quantity(struct portolan_plan *p, const struct plan_rows *rows,
                                       enum quantity_kind kind, struct quantity *q);
/* Searches the form again, in all rows. */
enum portolan_status plan_rows_fit_again(struct portolan_plan *p, size_t path, struct plan_rows *r);
/* Creates r->update from the present form and rows; it stays NULL if the form allows none. */
enum portolan_status plan_rows_begin_update(struct plan_rows *r, const struct quantity *q);
/* Sets INPUTS to the values in X that the quantity depends on. */
void plan_quantity_inputs(const struct quantity *q, const double *x, double *inputs);

/* kept_rows.c: appends a row; false without memory. */
bool plan_rows_add(struct plan_rows *r, const double *x, double y, double weight, size_t point);
/* Keeps the rows of a time or a count, in Q and in the plan. */
enum portolan_status plan_rows_keep(struct portolan_plan *p, const struct plan_rows *from,
                                    struct quantity *q);
/* Brings the constants of the model up to date, which is not done for each row. R may be NULL. */
void plan_rows_catch_up(struct plan_rows *r);
/* Replaces every quantity of PATH that was fitted to ROWS by NOW with MODEL, which it takes. */
void plan_rows_share(struct portolan_plan *p, size_t path, struct plan_rows *rows,
                     struct portolan_model *model, const struct quantity *now);
/* Destroys what the plan's kept rows own. */
void plan_rows_clear(struct portolan_plan *p);

/*
 * The value at X, which has contexts or dims as the quantity needs; POINT: of trials there, or
 * NONE. It is the measured value, or else that of the law or of the neighbours, whichever errs
 * less. False when there is no finite value. The standard error is relative.
 */
bool plan_quantity_value(const struct quantity *q, const double *x, size_t point,
                         struct portolan_prediction *out);

#endif
