/* SPDX-License-Identifier: BSD-3-Clause */
/* A trace in memory, as its reader builds it. */
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct portolan_obsp_trace *trace_create(const char *file, size_t n_processors)
{
    struct portolan_obsp_trace *t = portolan_calloc(1, sizeof *t);

    if (!t)
        return NULL;
    t->n_processors = n_processors;
    t->processors = portolan_arena_alloc(&t->arena, n_processors, sizeof *t->processors);
    t->file = portolan_arena_strdup(&t->arena, file);
    if (t->arena.failed) {
        portolan_obsp_destroy(t);
        return NULL;
    }
    return t;
}

void portolan_obsp_destroy(struct portolan_obsp_trace *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->n_experiments; i++) {
        portolan_formula_destroy(t->experiments[i].formula);
        portolan_formula_sum_clear(&t->experiments[i].sum);
        experiment_forget(&t->experiments[i]);
    }
    portolan_arena_clear(&t->arena);
    free(t);
}

struct item *trace_add(struct portolan_obsp_trace *t, size_t processor, enum item_kind kind)
{
    struct processor *p = &t->processors[processor];
    struct item *items = portolan_arena_grow(&t->arena, p->items, p->n_items, sizeof *items);

    if (!items)
        return NULL;
    p->items = items;
    items[p->n_items] = (struct item){.kind = kind, .experiment = NONE, .awaited = -1};
    return &items[p->n_items++];
}

size_t trace_find_experiment(const struct portolan_obsp_trace *t, const char *name)
{
    for (size_t i = 0; i < t->n_experiments; i++)
        if (!strcmp(t->experiments[i].public.name, name))
            return i;
    return NONE;
}

struct experiment *trace_add_experiment(struct portolan_obsp_trace *t, const char *name, size_t n,
                                        const char *const *identifiers)
{
    struct experiment *all =
        portolan_arena_grow(&t->arena, t->experiments, t->n_experiments, sizeof *all);
    const char **copies = portolan_arena_alloc(&t->arena, n + 1, sizeof *copies);
    struct experiment *e;

    if (!all || !copies)
        return NULL;
    for (size_t i = 0; i < n; i++)
        copies[i] = portolan_arena_strdup(&t->arena, identifiers[i]);
    t->experiments = all;
    e = &all[t->n_experiments];
    *e = (struct experiment){.public = {.name = portolan_arena_strdup(&t->arena, name),
                                        .n_identifiers = n,
                                        .identifiers = copies}};
    if (t->arena.failed)
        return NULL;
    t->n_experiments++;
    return e;
}

enum portolan_status trace_set_formula(struct portolan_obsp_trace *t, struct experiment *e,
                                       const char *formula, struct portolan_diagnostics *d,
                                       struct portolan_error *err)
{
    struct portolan_formula *parsed = NULL;
    enum portolan_status status =
        portolan_formula_parse(formula, strlen(formula), t->file, 1, 1, d, &parsed, err);

    if (status == PORTOLAN_OK)
        status = portolan_formula_bind(parsed, e->public.n_identifiers, e->public.identifiers,
                                       &e->formula, err);
    if (status == PORTOLAN_ENOTFOUND)
        portolan_diagnose(d, t->file, 1, 1,
                          "the formula of %s has a name that is none of its identifiers",
                          e->public.name);
    portolan_formula_destroy(parsed);
    if (status != PORTOLAN_OK)
        return status;
    status = portolan_formula_split(e->formula, t->file, 1, 1, d, &e->sum, err);
    if (status == PORTOLAN_OK && e->sum.n_terms > PORTOLAN_OBSP_MAX_CONSTANTS) {
        portolan_diagnose(d, t->file, 1, 1, "the formula of %s has more than %d constants",
                          e->public.name, PORTOLAN_OBSP_MAX_CONSTANTS);
        status = portolan_error_set(err, PORTOLAN_ESYNTAX, "too many constants");
    }
    if (status != PORTOLAN_OK)
        return status;
    e->public.formula = portolan_arena_strdup(&t->arena, formula);
    e->public.n_constants = e->sum.n_terms;
    return e->public.formula ? PORTOLAN_OK : portolan_no_memory(err);
}

size_t trace_add_value(struct portolan_obsp_trace *t, double value)
{
    double *values = portolan_arena_grow(&t->arena, t->values, t->n_values, sizeof *values);

    if (!values)
        return NONE;
    t->values = values;
    values[t->n_values] = value;
    return t->n_values++;
}

size_t trace_add_bound(struct portolan_obsp_trace *t, long bound)
{
    long *bounds = portolan_arena_grow(&t->arena, t->bounds, t->n_bounds, sizeof *bounds);

    if (!bounds)
        return NONE;
    t->bounds = bounds;
    bounds[t->n_bounds] = bound;
    return t->n_bounds++;
}

void trace_finish(struct portolan_obsp_trace *t)
{
    for (size_t p = 0; p < t->n_processors; p++)
        for (size_t i = 0; i < t->processors[p].n_items; i++) {
            const struct item *x = &t->processors[p].items[i];

            if (x->experiment != NONE && !x->is_part) {
                t->experiments[x->experiment].public.n_runs++;
                if (x->kind == ITEM_SYNC)
                    t->experiments[x->experiment].public.is_communication = true;
            }
        }
    t->shown = portolan_arena_alloc(&t->arena, t->n_experiments + 1, sizeof *t->shown);
}

void experiment_forget(struct experiment *e)
{
    portolan_model_destroy(e->law);
    portolan_local_destroy(e->local);
    e->law = NULL;
    e->local = NULL;
    e->spread = 0;
}

/* As neighbours say; outside of them the law says how it goes on from the nearest. */
static double near_value(const struct experiment *e, const double *values)
{
    double edge[PORTOLAN_MODEL_MAX_PARAMS] = {0}, law;
    struct portolan_prediction there;
    bool is_inside = true;

    for (size_t k = 0; k < e->public.n_identifiers; k++) {
        const struct portolan_model_range *r = portolan_model_peek_range(e->law, k);

        edge[k] = fmin(fmax(values[k], r->min), r->max);
        is_inside = is_inside && r->min <= values[k] && values[k] <= r->max;
    }
    portolan_local_predict(e->local, edge, SIZE_MAX, &there, NULL);
    law = portolan_model_value(e->law, edge);
    if (is_inside || !(law > 0))
        return is_inside ? there.value : portolan_model_value(e->law, values);
    return portolan_model_value(e->law, values) * there.value / law;
}

double experiment_value(const struct experiment *e, const double *values, bool of_ones)
{
    double sum = 0;

    if (e->local && !of_ones)
        return near_value(e, values);
    if (e->law && !of_ones)
        return portolan_model_value(e->law, values);
    for (size_t i = 0; i < e->sum.n_terms; i++)
        sum += (of_ones ? 1 : e->constants[e->sum.terms[i].index]) *
               portolan_formula_value(e->sum.terms[i].expression, values);
    return sum;
}

/* -- questions -- */

size_t portolan_obsp_n_processors(const struct portolan_obsp_trace *t)
{
    return t->n_processors;
}

const struct portolan_obsp_experiment *
portolan_obsp_peek_experiments(const struct portolan_obsp_trace *t, size_t *n)
{
    for (size_t i = 0; i < t->n_experiments; i++)
        t->shown[i] = t->experiments[i].public;
    *n = t->n_experiments;
    return t->shown;
}

enum portolan_status portolan_obsp_set_constants(struct portolan_obsp_trace *t, const char *name,
                                                 size_t n, const double *constants,
                                                 struct portolan_error *err)
{
    size_t i = trace_find_experiment(t, name);
    struct experiment *e;

    if (i == NONE)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND, "%s has no experiment '%s'", t->file,
                                  name);
    e = &t->experiments[i];
    if (n != e->public.n_constants || n == 0)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "%zu constants were given to %s, whose formula has %zu", n, name,
                                  e->public.n_constants);
    for (size_t k = 0; k < n; k++)
        if (!isfinite(constants[k]))
            return portolan_error_set(err, PORTOLAN_EINVAL, "constant %s[%zu] is not finite", name,
                                      k);
    memcpy(e->constants, constants, n * sizeof *constants);
    e->public.constants = e->constants;
    experiment_forget(e);
    e->public.n_intervals = 1;
    e->public.is_local = false;
    return PORTOLAN_OK;
}

static bool same_identifiers(const struct experiment *a, const struct experiment *b)
{
    bool same = a->public.n_identifiers == b->public.n_identifiers;

    for (size_t i = 0; same && i < a->public.n_identifiers; i++)
        same = !strcmp(a->public.identifiers[i], b->public.identifiers[i]);
    return same;
}

enum portolan_status portolan_obsp_take_constants(struct portolan_obsp_trace *t,
                                                  struct portolan_obsp_trace *from,
                                                  struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; i < from->n_experiments && status == PORTOLAN_OK; i++) {
        struct experiment *e = &from->experiments[i], *to;
        size_t at = trace_find_experiment(t, e->public.name);

        if (!e->public.constants || at == NONE)
            continue;
        to = &t->experiments[at];
        status = portolan_obsp_set_constants(t, e->public.name, e->public.n_constants, e->constants,
                                             err);
        if (status == PORTOLAN_OK && same_identifiers(e, to)) {
            to->law = e->law;
            to->local = e->local;
            to->spread = e->spread;
            e->law = NULL;
            e->local = NULL;
            to->public.n_intervals = e->public.n_intervals;
            to->public.is_local = e->public.is_local;
        }
    }
    return status;
}
