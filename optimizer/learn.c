/* SPDX-License-Identifier: BSD-3-Clause */
/* A running program's rows go into the models of what runs. */
#include "plan_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct learning {
    struct portolan_plan *p;
    const struct portolan_sample *samples;
    struct portolan_plan_news *news;
    size_t *selection, *paths;
    struct survey_estimate *estimates;
};

static enum portolan_status read_selection(struct learning *l,
                                           const struct portolan_name_value *current, size_t n,
                                           struct portolan_error *err)
{
    const struct survey *s = &l->p->s;

    for (size_t i = 0; i < n; i++) {
        size_t v = survey_variable_of(s, current[i].name), k;

        if (v == NONE)
            continue;
        if ((k = survey_alternative_of(s, v, current[i].value)) == NONE)
            return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                      "'%s' is no alternative of instance '%s'", current[i].value,
                                      current[i].name);
        l->selection[v] = k;
    }
    return PORTOLAN_OK;
}

/* The tuple of a sample: the called instance's class is in it, the others' are current. */
static size_t tuple_of(struct learning *l, size_t path, const struct portolan_sample *x)
{
    const struct survey *s = &l->p->s;
    size_t v = s->nodes[path].variable, before, tuple;

    if (v == NONE)
        return plan_tuple_of(l->p, &l->p->paths[path].scope, l->selection);
    before = l->selection[v];
    l->selection[v] = survey_alternative_of(s, v, x->implementation);
    tuple = plan_tuple_of(l->p, &l->p->paths[path].scope, l->selection);
    l->selection[v] = before;
    return tuple;
}

static void note(struct learning *l, size_t path, const struct portolan_sample *x,
                 enum portolan_update_sign sign)
{
    const struct survey_node *n = &l->p->s.nodes[path];

    l->news->n_refits++;
    if (sign == PORTOLAN_UPDATE_HOLDS || l->news->n_failed++)
        return;
    snprintf(l->news->reason, sizeof l->news->reason,
             "%.60s.%.60s%s%.80s is no longer as modelled (%s)", n->instance, n->method,
             *x->implementation ? " of " : "", x->implementation, portolan_update_sign_text(sign));
}

/* Contexts, or the parameters of the run, whichever the quantity goes by. */
static void inputs_of(const struct learning *l, const struct quantity *q, size_t path,
                      const struct portolan_sample *x, double *point)
{
    const struct portolan_plan *p = l->p;
    size_t n = 0;

    if (q->by_context && survey_ranks_vary(&p->s))
        point[p->s.nodes[path].n_context] = p->s.ranks;

    for (int k = 0; q->by_context && k < p->s.nodes[path].n_context; k++)
        point[k] = k < x->n_context ? x->context[k] : 0;
    for (size_t d = 0; !q->by_context && d < p->s.n_dims && n < MAX_INPUTS; d++)
        if (p->s.dims[d].numeric)
            point[n++] = p->dim_target[d];
}

static enum portolan_status take(struct learning *l, size_t i)
{
    const struct portolan_sample *x = &l->samples[i];
    size_t path = l->paths[i], tuple = tuple_of(l, path, x);
    double each = fmax(l->estimates[i].exclusive, 0) / fmax((double)x->calls, 1);
    double point[MAX_INPUTS] = {0};
    enum portolan_update_sign sign;
    struct quantity *q;
    bool refit;
    enum portolan_status status;

    q = tuple == NONE ? NULL : &l->p->paths[path].tuples[tuple].exclusive;
    l->news->n_stated += q && q->stated;
    if (!q || !q->known || q->stated || !l->p->paths[path].tuples[tuple].seen) {
        l->news->n_unknown++;
        return PORTOLAN_OK;
    }
    inputs_of(l, q, path, x, point);
    status = plan_quantity_learn(l->p, path, q, point, each, &refit, &sign);
    if (status)
        return status;
    l->news->n_rows++;
    l->p->n_learned++;
    if (refit)
        note(l, path, x, sign);
    return PORTOLAN_OK;
}

static enum portolan_status learn(struct learning *l, size_t n)
{
    int rank = plan_slowest_rank(l->samples, n, l->p->s.ranks);
    enum portolan_status status = PORTOLAN_OK;

    plan_find_paths(&l->p->s, l->samples, n, l->paths);
    survey_estimate(l->samples, n, l->estimates);
    for (size_t i = 0; i < n && !status; i++) {
        if (l->samples[i].rank != rank || !(l->estimates[i].factor > 0) ||
            (l->samples[i].failed_calls && !l->samples[i].calls))
            continue;
        if (l->paths[i] == NONE)
            l->news->n_unknown++;
        else
            status = take(l, i);
    }
    if (!status)
        plan_view_fill(l->p, &l->p->view, NULL, 0, NULL, NULL);
    return status;
}

enum portolan_status portolan_plan_learn(struct portolan_plan *plan,
                                         const struct portolan_sample *samples, size_t n,
                                         const struct portolan_name_value *current,
                                         size_t n_current, struct portolan_plan_news *news,
                                         struct portolan_error *err)
{
    struct learning l = {.p = plan, .samples = samples, .news = news};
    enum portolan_status status;

    *news = (struct portolan_plan_news){0};
    l.selection = portolan_calloc(plan->s.n_variables + 1, sizeof *l.selection);
    l.paths = portolan_calloc(n + 1, sizeof *l.paths);
    l.estimates = portolan_calloc(n + 1, sizeof *l.estimates);
    status = l.selection && l.paths && l.estimates ? PORTOLAN_OK : PORTOLAN_ENOMEM;
    if (!status)
        status = read_selection(&l, current, n_current, err);
    if (!status)
        status = learn(&l, n);
    free(l.selection);
    free(l.paths);
    free(l.estimates);
    return status ? portolan_error_set(err, status, "learning from a step") : PORTOLAN_OK;
}
