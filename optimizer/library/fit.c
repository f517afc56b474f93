/* SPDX-License-Identifier: BSD-3-Clause */
/* Fits all call paths, and lists the models of each combination of implementations. */
#include "plan_internal.h"

#include <portolan/list.h>
#include <portolan/progress.h>

/*
 * Marks the tuples in which the caller's implementation needs no callee, since it never called in
 * any trial, whatever the callee's implementation was.
 */
static void mark_unneeded(struct portolan_plan *p, size_t at)
{
    struct plan_path *path = &p->paths[at];
    size_t callers;

    if (path->caller_at == NONE || path->scope.n < 2)
        return;
    callers = p->s.variables[path->scope.variables[path->caller_at]].n;
    for (size_t c = 0; c < callers; c++) {
        bool seen = false, called = false;

        for (size_t k = 0; k < path->scope.n_tuples; k++) {
            const struct plan_tuple *t = &path->tuples[k];

            if (plan_caller_of(p, at, k) != c || !t->seen)
                continue;
            seen = true;
            called = called || t->calls.model || t->calls.constant > 0;
        }
        for (size_t k = 0; seen && !called && k < path->scope.n_tuples; k++)
            if (plan_caller_of(p, at, k) == c)
                path->tuples[k].unneeded = true;
    }
}

/* Makes a model of a constant, for the list of models. */
static enum portolan_status model_of_constant(struct portolan_plan *p, struct quantity *q)
{
    struct portolan_model_term term = {.constant = q->constant, .std_error = NAN};
    struct portolan_model *model;
    enum portolan_status status = portolan_model_create(0, NULL, &term, 1, &model, NULL);

    if (status)
        return status;
    q->model = model;
    q->n_inputs = 0;
    return plan_own_model(p, model);
}

/* "user.uses -> instance.method" */
static char *path_text(struct portolan_plan *p, size_t path)
{
    const struct survey_node *n = &p->s.nodes[path];

    if (!n->user[0])
        return portolan_arena_printf(&p->s.pool, "%s.%s", n->instance, n->method);
    return portolan_arena_printf(&p->s.pool, "%s.%s -> %s.%s", n->user, n->uses, n->instance,
                                 n->method);
}

static enum portolan_status add_model(struct portolan_plan *p, size_t path, size_t tuple,
                                      const char *quantity, struct quantity *q)
{
    const struct survey_node *n = &p->s.nodes[path];
    const struct plan_scope *scope = &p->paths[path].scope;
    struct portolan_plan_model m;

    if (!q->known)
        return PORTOLAN_OK;
    if (!q->model) {
        enum portolan_status status = model_of_constant(p, q);

        if (status)
            return status == PORTOLAN_ENOMEM ? status : PORTOLAN_OK;
    }
    m = (struct portolan_plan_model){.path = path_text(p, path),
                                     .instance = n->instance,
                                     .method = n->method,
                                     .implementation = "",
                                     .scope =
                                         plan_tuple_text(p, &p->s.pool, scope, tuple, n->variable),
                                     .quantity = q->stated ? q->stated->quantity : quantity,
                                     .file = q->stated ? q->stated->from->file : NULL,
                                     .n_rows = q->n_rows,
                                     .core = p->paths[path].core,
                                     .model = q->model};
    if (q->rows) {
        m.n_points = q->rows->n;
        m.n_columns = q->rows->n_names;
        m.columns = q->rows->names;
        m.x = q->rows->x;
        m.y = q->rows->y;
    }
    if (n->variable != NONE)
        m.implementation = p->s.variables[n->variable]
                               .instance->alternatives[plan_own_of(p, path, tuple)]
                               .class_name;
    return m.path && m.scope &&
                   portolan_arena_append(&p->s.pool, &p->models, &p->n_models, &m, sizeof m)
               ? PORTOLAN_OK
               : PORTOLAN_ENOMEM;
}

static enum portolan_status list_models(struct portolan_plan *p, size_t path)
{
    const struct plan_path *at = &p->paths[path];
    enum portolan_status status = PORTOLAN_OK;

    for (size_t k = 0; !status && k < at->scope.n_tuples; k++) {
        struct plan_tuple *t = &at->tuples[k];

        if (!t->seen || !(t->calls.high > 0))
            continue;
        status = add_model(p, path, k, "exclusive_ns", &t->exclusive);
        if (!status && t->calls.model)
            status = add_model(p, path, k, "calls", &t->calls);
        if (!status && t->setup.high > 0)
            status = add_model(p, path, k, "setup_ns", &t->setup);
        if (!status)
            status = add_model(p, path, k, "accuracy", &t->accuracy);
    }
    return status;
}

enum portolan_status plan_fit(struct portolan_plan *p, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; !status && i < p->s.n_nodes; i++) {
        portolan_progress("models", i, p->s.n_nodes, false);
        status = plan_observe(p, i);
        if (!status)
            status = plan_gather_evidence(p, i);
        if (!status) {
            mark_unneeded(p, i);
            status = plan_take_stated(p, i, err);
        }
    }
    portolan_progress_done("models");
    return status;
}

enum portolan_status plan_list_models(struct portolan_plan *p, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    (void)err;

    for (size_t i = 0; !status && i < p->s.n_nodes; i++)
        status = list_models(p, i);
    return status;
}
