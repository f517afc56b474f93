/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the scope of each call path, that is the instances on whose implementations its cost
 * depends, and numbers their combinations: the tuples.
 */
#include "plan_internal.h"

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
        selection[at->scope.variables[at->caller_at]] =
            0; /* only the called instance counts here */
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

/* Returns whether variable V is called at all in the trial. */
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
