/* SPDX-License-Identifier: BSD-3-Clause */
/** The plan, and the functions that make it. */
#ifndef PORTOLAN_OPTIMIZER_PLAN_INTERNAL_H
#define PORTOLAN_OPTIMIZER_PLAN_INTERNAL_H

#include "plan_text.h"

#include <math.h>
#include <portolan/choice.h>
#include <portolan/plan.h>

struct portolan_plan {
    struct survey s;
    struct plan_path *paths; /* one per survey node */
    size_t n_core, *number;  /* per variable: its index in the core; NONE: not in the core */
    size_t n_data;
    struct plan_data *data;
    double **memory;     /* [variable][alternative]: bytes */
    double memory_fixed; /* bytes of instances with one implementation */
    size_t n_nodes;
    struct portolan_plan_node *graph;
    size_t graph_trial; /* the trial shown; NONE */
    size_t n_models;
    struct portolan_plan_model *models;
    size_t n_owned;
    struct portolan_model **owned;
    size_t n_stated;
    struct plan_stated *stated;
    size_t n_rows;
    struct plan_rows **rows;              /* they own their models */
    double *dim_target;                   /* per dim; NaN: not known, or not a number */
    struct portolan_condition ***applies; /* [variable][alternative]; NULL: no condition */
    struct plan_known known;
    bool is_exact; /* times are of a manual clock */
    struct plan_notes notes;
    /* A parameter that was measured only as the sweep sets it, not with its present value; or NULL.
     */
    const struct portolan_assembly_sweep *other_input;
    int steps;               /* steps of the run to predict */
    struct plan_view view;   /* costs of a whole run */
    struct plan_view recent; /* costs at the contexts of the last step that was asked about */
    struct portolan_arena choice_pool; /* owns the arrays of the last choice */
    struct portolan_plan_answer choice;
};

static inline double plan_wanted(const struct portolan_plan *p, size_t path)
{
    return portolan_plan_wanted_accuracy(p->s.a, p->s.nodes[path].instance);
}

/* graph.c: the measured call graph, pruning, the core. */
enum portolan_status plan_make_graph(struct portolan_plan *p, struct portolan_error *err);

/* fit.c: fits all paths, and lists the models. */
enum portolan_status plan_fit(struct portolan_plan *p, struct portolan_error *err);
enum portolan_status plan_list_models(struct portolan_plan *p, struct portolan_error *err);

/* evidence.c: returns whether the veto that Q would cause was lifted. */
bool plan_is_lifted(const struct portolan_plan *p, const struct survey_quality *q);

/* admit.c: decides where implementations may be used. CONTEXT NULL: not known. */
enum portolan_status plan_gather_evidence(struct portolan_plan *p, size_t path);
struct plan_verdict plan_admit(const struct portolan_plan *p, size_t path, size_t tuple,
                               const double *context, bool accuracy_rises);

/* model_files.c: models in files, for implementations that were never measured. */
enum portolan_status plan_read_stated(struct portolan_plan *p, struct portolan_error *err);
enum portolan_status plan_take_stated(struct portolan_plan *p, size_t path,
                                      struct portolan_error *err);
/* If calls report an accuracy, and one is wanted, ACCURACY from a file must meet it; NaN: no file
 * has it. */
struct plan_verdict plan_admit_stated(const struct portolan_plan *p, size_t path, double accuracy);

/* observe.c: makes rows of the survey's entries of a path, and fits them. */
enum portolan_status plan_observe(struct portolan_plan *p, size_t path);

/* Returns whether accuracies add up or multiply; what one uses of their budget. */
static inline bool plan_composes(const struct portolan_plan *p)
{
    return p->s.a->composition != PORTOLAN_COMPOSE_WORST;
}
static inline double plan_accuracy_use(const struct portolan_plan *p, double accuracy)
{
    double finite = isnan(accuracy) ? 0 : fmin(accuracy, 1e300);

    if (p->s.a->composition == PORTOLAN_COMPOSE_SUM)
        return finite;
    return isnan(accuracy) ? 0 : log(fmax(finite, 1e-300));
}

/* totals.c: returns whether a program's accuracy is a guess, since the combination in VALUES never
 * ran with the present values or larger ones: one that diverges there ends as if all were well. */
bool plan_is_accuracy_guessed(const struct portolan_plan *p, const size_t *values);

#endif
