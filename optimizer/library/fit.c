/* SPDX-License-Identifier: BSD-3-Clause */
/* Scopes of call paths, and the list of models for each combination of implementations. */
#include "plan_internal.h"

#include <portolan/list.h>
#include <portolan/progress.h>
#include <string.h>

size_t plan_tuple_of(const struct portolan_plan *p, const struct plan_scope *scope,
                     const size_t *selection)
{
    size_t tuple = 0, own = scope->n ? selection[scope->variables[0]] : 0;

    for (size_t i = 0; i < scope->n; i++) {
        size_t v = scope->variables[i];

        if (selection[v] == NONE)
            return NONE;
        tuple *= p->s.variables[v].n;
        if (!scope->dormant || !scope->dormant[own * scope->n + i])
            tuple += selection[v];
    }
    return tuple;
}

void plan_tuple_apply(const struct portolan_plan *p, const struct plan_scope *scope, size_t tuple,
                      size_t *selection)
{
    for (size_t i = scope->n; i-- > 0;) {
        size_t v = scope->variables[i];

        selection[v] = tuple % p->s.variables[v].n;
        tuple /= p->s.variables[v].n;
    }
}

/* The distance of tuples that differ by one in the calling instance; 0: the scope has none. */
static size_t caller_stride(const struct portolan_plan *p, const struct plan_path *at)
{
    size_t stride = 1;

    if (at->caller_at == NONE)
        return 0;
    for (size_t i = at->scope.n; --i > at->caller_at;)
        stride *= p->s.variables[at->scope.variables[i]].n;
    return stride;
}

size_t plan_caller_of(const struct portolan_plan *p, size_t path, size_t tuple)
{
    const struct plan_path *at = &p->paths[path];
    size_t stride = caller_stride(p, at);

    return stride ? tuple / stride % p->s.variables[at->scope.variables[at->caller_at]].n : 0;
}

size_t plan_as_written(const struct portolan_plan *p, size_t path, size_t tuple)
{
    return tuple == NONE
               ? NONE
               : tuple - plan_caller_of(p, path, tuple) * caller_stride(p, &p->paths[path]);
}

size_t plan_own_of(const struct portolan_plan *p, size_t path, size_t tuple)
{
    size_t variable = p->s.nodes[path].variable;

    return variable == NONE ? 0
                            : tuple / (p->paths[path].scope.n_tuples / p->s.variables[variable].n);
}

size_t plan_quality_tuple(const struct portolan_plan *p, size_t path,
                          const struct survey_quality *q, size_t *selection)
{
    const struct survey *s = &p->s;
    const struct plan_path *at = &p->paths[path];
    size_t variable = s->nodes[path].variable;

    memcpy(selection, s->rows[q->row].selection, s->n_variables * sizeof *selection);
    if (variable != NONE && q->own != NONE)
        selection[variable] = q->own;
    if (at->caller_at != NONE && selection[at->scope.variables[at->caller_at]] == NONE)
        selection[at->scope.variables[at->caller_at]] = 0; /* only the callee counts here */
    return plan_tuple_of(p, &at->scope, selection);
}

static enum portolan_status scope_add(const struct portolan_plan *p, struct plan_scope *scope,
                                      size_t variable, size_t *at)
{
    for (size_t i = 0; i < scope->n; i++)
        if (scope->variables[i] == variable)
            return PORTOLAN_OK;
    if (scope->n == sizeof scope->variables / sizeof *scope->variables)
        return PORTOLAN_EUNSUPPORTED;
    scope->n_tuples *= p->s.variables[variable].n;
    if (scope->n_tuples > MAX_TUPLES)
        return PORTOLAN_EUNSUPPORTED;
    if (at)
        *at = scope->n;
    scope->variables[scope->n++] = variable;
    return PORTOLAN_OK;
}

static enum portolan_status make_scope(struct portolan_plan *p, size_t path)
{
    const struct survey_node *n = &p->s.nodes[path];
    struct plan_path *out = &p->paths[path];
    enum portolan_status status = PORTOLAN_OK;

    out->scope.n_tuples = 1;
    out->caller_at = NONE;
    if (n->variable != NONE)
        status = scope_add(p, &out->scope, n->variable, NULL);
    for (size_t i = 0; !status && i < p->s.a->n_pairs; i++) {
        const struct portolan_assembly_pair *pair = &p->s.a->pairs[i];
        size_t with = survey_variable_of(&p->s, pair->with);

        if (with != NONE && strcmp(pair->of, n->instance) == 0 &&
            (!pair->method || strcmp(pair->method, n->method) == 0))
            status = scope_add(p, &out->scope, with, NULL);
    }
    if (!status && n->caller != NONE)
        status = scope_add(p, &out->scope, n->caller, &out->caller_at);
    return status;
}

/* Whether variable V is called at all in the trial. */
static bool variable_called_in(const struct survey *s, const struct survey_trial *t, size_t v)
{
    for (size_t n = 0; n < s->n_nodes; n++)
        if (s->nodes[n].variable == v && survey_is_called(s, t, n))
            return true;
    return false;
}

/* Marks partners that are never called when the called instance has its K-th alternative. */
static void find_dormant(const struct portolan_plan *p, size_t path, struct plan_path *out,
                         size_t own, size_t k)
{
    const struct survey *s = &p->s;
    const struct plan_scope *scope = &out->scope;

    for (size_t i = 1; i < scope->n; i++) {
        bool seen = false, called = false;

        for (size_t j = 0; i != out->caller_at && j < s->n_trials; j++) {
            const struct survey_trial *t = &s->trials[j];

            for (size_t r = t->first_row; r < t->first_row + t->n_rows; r++)
                if (s->rows[r].selection[own] == k && survey_sum_of(s, path, r)->present) {
                    seen = true;
                    called = called || variable_called_in(s, t, scope->variables[i]);
                    break;
                }
        }
        scope->dormant[k * scope->n + i] = seen && !called;
    }
}

static enum portolan_status make_dormant(struct portolan_plan *p, size_t path)
{
    struct plan_path *out = &p->paths[path];
    size_t own = p->s.nodes[path].variable;

    if (own == NONE || out->scope.n < 2)
        return PORTOLAN_OK;
    out->scope.dormant =
        portolan_arena_alloc(&p->s.pool, p->s.variables[own].n * out->scope.n, sizeof(bool));
    if (!out->scope.dormant)
        return PORTOLAN_ENOMEM;
    for (size_t k = 0; k < p->s.variables[own].n; k++)
        find_dormant(p, path, out, own, k);
    return PORTOLAN_OK;
}

enum portolan_status plan_make_scopes(struct portolan_plan *p, struct portolan_error *err)
{
    p->paths = portolan_arena_alloc(&p->s.pool, p->s.n_nodes, sizeof *p->paths);
    p->number = portolan_arena_alloc(&p->s.pool, p->s.n_variables, sizeof *p->number);
    if (!p->paths || !p->number)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < p->s.n_nodes; i++) {
        struct plan_path *path = &p->paths[i];

        if (make_scope(p, i))
            return portolan_error_set(
                err, PORTOLAN_EUNSUPPORTED,
                "the cost of %s.%s depends on too many combinations of implementations (more than "
                "%d, or more than %d instances)",
                p->s.nodes[i].instance, p->s.nodes[i].method, MAX_TUPLES, MAX_SCOPE);
        path->tuples = portolan_arena_alloc(&p->s.pool, path->scope.n_tuples, sizeof *path->tuples);
        if (!path->tuples || make_dormant(p, i))
            return PORTOLAN_ENOMEM;
        for (size_t k = 0; k < path->scope.n_tuples; k++)
            path->tuples[k].accuracy_here = (struct estimate){NAN, NAN, NAN, NAN};
    }
    return PORTOLAN_OK;
}

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
