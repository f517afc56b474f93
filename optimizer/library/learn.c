/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds the rows of a running program to the models of its implementations. */
#include "advise.h"

#include <stdio.h>
#include <string.h>

/* The most rows that are kept of a running program; further ones replace the oldest. */
enum { MOST_ROWS = 1024 };
/* The weight of all older rows together, relative to newer ones, after the law has changed. */
static const double fading = 0.5;
/* Share of the newest row in the smoothed deviation from earlier measurements. */
static const double smoothing = 0.2;

/* ---- one row ---- */

/* Appends a row; if there are too many, drops the oldest one that is not from the store. */
static bool append_row(struct plan_rows *r, const double *x, double y, size_t point)
{
    if (r->n >= MOST_ROWS && r->n > r->n_stored) {
        size_t n = --r->n - r->n_stored;

        if (r->n_names)
            memmove(r->x + r->n_stored * r->n_names, r->x + (r->n_stored + 1) * r->n_names,
                    n * r->n_names * sizeof *x);
        memmove(r->y + r->n_stored, r->y + r->n_stored + 1, n * sizeof y);
        memmove(r->weight + r->n_stored, r->weight + r->n_stored + 1, n * sizeof y);
        memmove(r->point + r->n_stored, r->point + r->n_stored + 1, n * sizeof *r->point);
        r->n_old -= r->n_old > r->n_stored;
    }
    r->n_steps++;
    return plan_rows_add(r, x, y, 1, point);
}

/* Returns whether a context differs that had one value in all rows, so that the form does not use
 * it. */
static bool is_new_input(const struct quantity *q, const double *x)
{
    for (size_t k = 0; k < q->n_fixed; k++)
        if (x[q->fixed[k]] != q->fixed_at[k])
            return true;
    return false;
}

static enum portolan_status update_quantity(struct portolan_plan *p, size_t path,
                                            struct quantity *q, const double *x, double y,
                                            enum portolan_update_sign *sign)
{
    struct plan_rows *r = q->rows;
    double inputs[MAX_INPUTS];
    struct quantity now = *q;
    enum portolan_status status = r->update ? PORTOLAN_OK : plan_rows_begin_update(r, q);

    if (status || !r->update)
        return status;
    plan_quantity_inputs(q, x, inputs);
    if (portolan_update_add(r->update, inputs, y, 1))
        return PORTOLAN_OK; /* not a finite number: ignored */
    *sign = portolan_update_peek_state(r->update)->sign;
    r->is_behind = true;
    now.n_rows++;
    now.constant += (y - now.constant) / (double)now.n_rows;
    now.low = fmin(now.low, y);
    now.high = fmax(now.high, y);
    plan_rows_share(p, path, r, r->model, &now);
    return PORTOLAN_OK;
}

/* Makes all rows but the last NEWER count together at most half as much as these. */
static void fade_rows(struct plan_rows *r, size_t newer)
{
    size_t older = newer < r->n ? r->n - newer : 0;
    double old_weight = 0, new_weight = 0;

    for (size_t i = 0; i < r->n; i++)
        *(i < older ? &old_weight : &new_weight) += r->weight[i];
    if (!(old_weight > fading * new_weight))
        return;
    r->n_old = older;
    for (size_t i = 0; i < older; i++)
        r->weight[i] *= fading * new_weight / old_weight;
}

/* Removes the first calls that came from the store, once later calls have arrived. */
static void forget_first(struct plan_rows *r)
{
    r->only_first = r->is_doubtful = false;
    r->n_old = r->n_stored;
    for (size_t i = 0; i < r->n_stored; i++)
        r->weight[i] *= 1e-6;
}

/* Returns whether all values are finite: a row that is not would make every later search for the
 * form fail. */
static bool all_finite(size_t n, const double *x)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

/* Notes how far a new row is from earlier measurements at the same place, if there are any. */
static void note_drift(struct plan_rows *r, const struct quantity *q, const double *x, double y,
                       size_t point)
{
    enum portolan_local_source source;
    struct portolan_prediction was;
    double inputs[MAX_INPUTS], off, usual;

    plan_quantity_inputs(q, x, inputs);
    if (!r->local)
        return;
    portolan_local_predict(r->local, inputs, point, &was, &source);
    if (source == PORTOLAN_LOCAL_NEIGHBOURS || !(was.value > 0) || !(y > 0))
        return;
    off = fmax(-1, fmin(1, log(y / was.value)));
    /* only a deviation that two successive rows share counts, because a spike is alone */
    usual = off * r->last_off > 0 ? copysign(fmin(fabs(off), fabs(r->last_off)), off) : 0;
    r->last_off = off;
    r->drift += smoothing * (usual - r->drift);
}

/*
 * Adds a row to the quantity of PATH and of all tuples that share it. Updates its constants, or
 * searches its form again; then *REFIT is set, and *SIGN says why the form did not hold.
 */
static enum portolan_status learn_row(struct portolan_plan *p, size_t path, struct quantity *q,
                                      const double *x, double y, bool *refit,
                                      enum portolan_update_sign *sign)
{
    struct plan_rows *r = q->rows;
    enum portolan_status status = PORTOLAN_OK;
    bool new_input, fails;

    *refit = false;
    *sign = PORTOLAN_UPDATE_HOLDS;
    if (!r || !r->model || !all_finite(r->n_names, x) || !isfinite(y))
        return PORTOLAN_OK;
    note_drift(r, q, x, y, p->s.target_point);
    new_input = is_new_input(q, x);
    if (!new_input)
        status = update_quantity(p, path, q, x, y, sign);
    if (!status && !append_row(r, x, y, p->s.target_point))
        status = PORTOLAN_ENOMEM;
    r->n_arrived++;
    fails = (new_input || *sign) && r->n_arrived > r->patient_until;
    if (!status && (fails || r->n >= r->fit_at)) {
        if (*sign == PORTOLAN_UPDATE_SHIFTED)
            fade_rows(r, portolan_update_peek_state(r->update)->since);
        if (r->only_first)
            forget_first(r);
        *refit = true;
        status = plan_rows_fit_again(p, path, r);
    }
    return status;
}

/* ---- the samples of a step ---- */

struct learning {
    struct portolan_plan *p;
    const struct portolan_sample *samples;
    struct portolan_plan_news *news;
    size_t *selection, *paths;
    double *work; /* per rank */
    struct portolan_sample_estimate *estimates;
};

/* The tuple of a sample, with the class in the sample and the current classes of others. */
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

static void note_refit(struct learning *l, size_t path, const struct portolan_sample *x,
                       enum portolan_update_sign sign)
{
    const struct survey_node *n = &l->p->s.nodes[path];

    l->news->n_refits++;
    if (sign == PORTOLAN_UPDATE_HOLDS || l->news->n_failed++)
        return;
    snprintf(l->news->reason, sizeof l->news->reason,
             "%.60s.%.60s%s%.80s no longer follows its model (%s)", n->instance, n->method,
             *x->implementation ? " of " : "", x->implementation, portolan_update_sign_text(sign));
}

/* Sets POINT to the inputs of the quantity: the contexts, or the parameters of the run. */
static void inputs_of(const struct learning *l, const struct quantity *q, size_t path,
                      const struct portolan_sample *x, double *point)
{
    const struct portolan_plan *p = l->p;

    if (q->by_context && survey_ranks_vary(&p->s))
        point[p->s.nodes[path].n_context] = p->s.ranks;
    for (int k = 0; q->by_context && k < p->s.nodes[path].n_context; k++)
        point[k] = k < x->n_context ? x->context[k] : 0;
    if (!q->by_context)
        survey_inputs(&p->s, p->dim_target, point);
}

static enum portolan_status take_sample(struct learning *l, size_t i)
{
    const struct portolan_sample *x = &l->samples[i];
    size_t path = l->paths[i], tuple = tuple_of(l, path, x);
    double each = fmax(l->estimates[i].exclusive_ns, 0) / fmax((double)x->calls, 1);
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
    status = learn_row(l->p, path, q, point, each, &refit, &sign);
    if (status)
        return status;
    if (refit)
        note_refit(l, path, x, sign);
    return PORTOLAN_OK;
}

static enum portolan_status learn_samples(struct learning *l, size_t n)
{
    int rank = portolan_samples_slowest_rank(l->samples, n, l->p->s.ranks, l->work);
    enum portolan_status status = PORTOLAN_OK;

    plan_find_paths(&l->p->s, l->samples, n, l->paths);
    portolan_samples_estimate(l->samples, n, l->estimates);
    for (size_t i = 0; i < n && !status; i++) {
        if (l->samples[i].rank != rank || !l->estimates[i].known ||
            (l->samples[i].failed_calls && !l->samples[i].calls))
            continue;
        if (l->paths[i] == NONE)
            l->news->n_unknown++;
        else
            status = take_sample(l, i);
    }
    if (!status)
        plan_view_fill(&l->p->view, NULL, NULL);
    return status;
}

enum portolan_status portolan_plan_learn(struct portolan_plan *plan,
                                         const struct portolan_sample *samples, size_t n,
                                         const int32_t *current, struct portolan_plan_news *news,
                                         struct portolan_error *err)
{
    struct learning l = {.p = plan, .samples = samples, .news = news};
    struct portolan_arena pool = {0};
    enum portolan_status status;

    *news = (struct portolan_plan_news){0};
    l.selection = portolan_arena_alloc(&pool, plan->s.n_variables, sizeof *l.selection);
    l.paths = portolan_arena_alloc(&pool, n, sizeof *l.paths);
    l.estimates = portolan_arena_alloc(&pool, n, sizeof *l.estimates);
    l.work = portolan_arena_alloc(&pool, (size_t)plan->s.ranks, sizeof *l.work);
    status = pool.failed ? PORTOLAN_ENOMEM : PORTOLAN_OK;
    if (!status) {
        plan_read_selection(&plan->s, current, l.selection);
        status = learn_samples(&l, n);
    }
    portolan_arena_clear(&pool);
    return status ? portolan_error_set(err, status, "learning from a step") : PORTOLAN_OK;
}
