/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside the evaluator: what a trace is once it is read. */
#ifndef OBSP_INTERNAL_H
#define OBSP_INTERNAL_H

#include <portolan/formula.h>
#include <portolan/list.h>
#include <portolan/local.h>
#include <portolan/models.h>
#include <portolan/obsp.h>

#define NONE SIZE_MAX

enum item_kind { ITEM_WORK, ITEM_SEND, ITEM_GET, ITEM_SYNC, ITEM_PARTITION, ITEM_DONE };

struct item {
    enum item_kind kind;
    double seconds;    /* of work, as measured */
    double at, until;  /* of SYNC */
    size_t experiment; /* of WORK, and of SYNC when an experiment surrounds it; or NONE */
    size_t run;        /* of that experiment: number of the run, of all */
    size_t values;     /* of its identifiers, or PARTITION: bounds; where they begin */
    bool is_part;      /* WORK: of an experiment that surrounds the next or last SYNC */
    size_t other;      /* SEND, GET: the other processor, in the group */
    double bytes;
    long awaited;          /* SYNC: messages; -1: a barrier */
    size_t superstep, pid; /* SYNC, SEND, GET: index in supersteps, own number in the group */
    size_t n_parts;        /* PARTITION */
};

struct processor {
    struct item *items;
    size_t n_items;
    double end;
};

struct message {
    size_t from, to;
    double bytes;
    bool awaited; /* what the number that an oblivious end awaits is of */
};

/* A superstep of a group. Arrays have an entry per processor of it. */
struct superstep {
    size_t group, number, depth, n;
    size_t n_messages;
    struct message *messages; /* by receiver, then by sender */
    size_t *first;            /* where a receiver's begin; one more, for their end */
    double *in, *out;         /* bytes */
    bool *is_there;           /* it ends the superstep */
    long *awaited;
    double *at;          /* measured */
    size_t first_member; /* members of all supersteps before it */
};

struct experiment {
    struct portolan_obsp_experiment public;
    struct portolan_formula *formula;
    struct portolan_formula_sum sum; /* its expressions take the identifiers' values in order */
    double constants[PORTOLAN_OBSP_MAX_CONSTANTS];
    struct portolan_model *law; /* as fitted, perhaps in intervals; NULL: the constants are given */
    double spread; /* of the logarithm of what processors take for the same; 0: not known */
    struct portolan_local *local; /* not NULL: tells more than a law between measured values */
};

struct portolan_obsp_trace {
    struct portolan_arena arena; /* holds everything but formulas */
    const char *file;
    size_t n_processors;
    struct processor *processors;
    size_t n_experiments;
    struct experiment *experiments;
    struct portolan_obsp_experiment *shown; /* their public parts, in a row */
    size_t n_values;
    double *values;
    size_t n_supersteps, n_members; /* of all supersteps */
    size_t n_runs;
    struct superstep *supersteps;
};

/* -- trace.c -- */

/* NONE: there is none of that name. */
size_t trace_find_experiment(const struct portolan_obsp_trace *t, const char *name);
bool experiment_has_identifiers(const struct experiment *e, size_t n,
                                const char *const *identifiers);
/* Lets the constants hold for all values again. */
void experiment_forget(struct experiment *e);
/* Value of an experiment's formula at VALUES: with its constants, or all of them 1. */
double experiment_value(const struct experiment *e, const double *values, bool of_ones);

/* -- layout.c: finds the supersteps; reports what does not fit together -- */

enum portolan_status layout_make(struct portolan_obsp_trace *t, struct portolan_diagnostics *d,
                                 struct portolan_error *err);
/* Calls VISIT for each member of Ω of processor PID of S, itself among them. */
void layout_visit(const struct superstep *s, size_t pid, void (*visit)(void *arg, size_t member),
                  void *arg);
double layout_bytes(const struct superstep *s, size_t pid, enum portolan_obsp_combine combine);

#endif
