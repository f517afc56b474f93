/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside the evaluator: a trace in memory. */
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
    size_t run;        /* number of the run of that experiment, among all runs */
    size_t values;     /* index of its identifiers' values or, PARTITION, of its bounds */
    bool is_part;      /* WORK: part of an experiment that surrounds the next or last SYNC */
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
    bool awaited; /* counts in the number of messages that bsp_oblsync() waits for */
};

/* A superstep of a group. Arrays have one entry per processor of the group. */
struct superstep {
    size_t group, number, depth, n;
    size_t n_messages;
    struct message *messages; /* by receiver, then by sender */
    size_t *first;            /* index of a receiver's first message, and one more for the end */
    double *in, *out;         /* bytes */
    bool *is_there;           /* the processor ends this superstep */
    long *awaited;
    double *at;          /* measured */
    size_t first_member; /* number of members of all earlier supersteps */
};

struct experiment {
    struct portolan_obsp_experiment public;
    struct portolan_formula *formula;
    struct portolan_formula_sum sum; /* its expressions take the identifiers' values in order */
    double constants[PORTOLAN_OBSP_MAX_CONSTANTS];
    struct portolan_model *law;   /* as fitted, perhaps in intervals; NULL: constants are given */
    double spread;                /* of the logarithm of times for the same work; 0: not known */
    struct portolan_local *local; /* not NULL: more accurate than the law between measured values */
};

struct portolan_obsp_trace {
    struct portolan_arena arena; /* holds everything but formulas */
    const char *file;
    size_t n_processors;
    struct processor *processors;
    size_t n_experiments;
    struct experiment *experiments;
    struct portolan_obsp_experiment *shown; /* their public parts, as one array */
    size_t n_values;
    double *values;
    size_t n_supersteps, n_members; /* of all supersteps */
    size_t n_runs;
    struct superstep *supersteps;
};

/* -- trace.c -- */

/* NONE: there is no experiment with that name. */
size_t trace_find_experiment(const struct portolan_obsp_trace *t, const char *name);
bool experiment_has_identifiers(const struct experiment *e, size_t n,
                                const char *const *identifiers);
/* Removes what a fit found apart from constants, which then hold for all values. */
void experiment_forget(struct experiment *e);
/* Value of an experiment's formula at VALUES, with its constants or (OF_ONES) only ones. */
double experiment_value(const struct experiment *e, const double *values, bool of_ones);

/* -- layout.c: finds the supersteps; reports inconsistencies -- */

enum portolan_status layout_make(struct portolan_obsp_trace *t, struct portolan_diagnostics *d,
                                 struct portolan_error *err);
/* Calls VISIT for each member of Ω of processor PID of S, including itself. */
void layout_visit(const struct superstep *s, size_t pid, void (*visit)(void *arg, size_t member),
                  void *arg);
double layout_bytes(const struct superstep *s, size_t pid, enum portolan_obsp_combine combine);

#endif
