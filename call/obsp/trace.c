/* SPDX-License-Identifier: BSD-3-Clause */
/* A trace in memory: its destruction, its experiments, and queries. */
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

size_t trace_find_experiment(const struct portolan_obsp_trace *t, const char *name)
{
    for (size_t i = 0; i < t->n_experiments; i++)
        if (!strcmp(t->experiments[i].public.name, name))
            return i;
    return NONE;
}

bool experiment_has_identifiers(const struct experiment *e, size_t n,
                                const char *const *identifiers)
{
    bool same = e->public.n_identifiers == n;

    for (size_t i = 0; same && i < n; i++)
        same = !strcmp(e->public.identifiers[i], identifiers[i]);
    return same;
}

void experiment_forget(struct experiment *e)
{
    portolan_model_destroy(e->law);
    portolan_local_destroy(e->local);
    e->law = NULL;
    e->local = NULL;
    e->spread = 0;
}

/* Predicts by neighbours; outside of their range by the law, scaled to fit at the nearest point. */
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
        if (status == PORTOLAN_OK &&
            experiment_has_identifiers(to, e->public.n_identifiers, e->public.identifiers)) {
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
