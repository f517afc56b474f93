/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collects the evidence of a call path: each place where a combination of its implementations ran,
 * once, with whether it worked there. Besides failed calls and reported accuracies, a place is bad
 * if a trial did not finish there, or if an implementation ended the process.
 */
#include "evidence.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_KINDS = 8, PLACES_OF_A_KIND = 5 };

static bool is_trial_lifted(const struct portolan_plan *p, size_t path, size_t own, int64_t trial)
{
    return survey_is_lifted(&p->s, trial, p->s.nodes[path].instance,
                            survey_class(&p->s, path, own));
}

bool plan_is_lifted(const struct portolan_plan *p, const struct survey_quality *q)
{
    return is_trial_lifted(p, q->node, q->own, p->s.trials[p->s.rows[q->row].trial].trial->id);
}

size_t evidence_place(const struct portolan_plan *p, size_t path, const double *context,
                      const double *dims, double *at)
{
    int n = p->s.nodes[path].n_context;

    for (int k = 0; k < n; k++)
        at[k] = context ? context[k] : NAN;
    return (size_t)n + survey_inputs(&p->s, dims, at + n);
}

/* Compares for ascending order; unknown values come first, and are equal. */
static int order_of(double a, double b)
{
    return isnan(a) || isnan(b) ? isnan(b) - isnan(a) : (a > b) - (a < b);
}

static int evidence_order(const void *left, const void *right)
{
    const struct evidence *a = left, *b = right;
    int order = (a->key > b->key) - (a->key < b->key);

    if (!order)
        order = (a->point > b->point) - (a->point < b->point);
    for (size_t k = 0; !order && k < MOST_COORDINATES; k++)
        order = order_of(a->at[k], b->at[k]);
    return order;
}

static void merge_evidence(struct evidence *into, const struct evidence *e)
{
    if (e->failed || e->accuracy > into->accuracy)
        into->trial = e->trial;
    /* What failed in one trial, and was stopped in another, failed. */
    if (e->failed)
        into->stopped_s = !into->failed || (into->stopped_s > 0 && e->stopped_s > 0)
                              ? fmax(into->stopped_s, e->stopped_s)
                              : 0;
    into->failed = into->failed || e->failed;
    into->accuracy = isnan(into->accuracy) ? e->accuracy : fmax(into->accuracy, e->accuracy);
}

/* Fills the next element: in trial T, KEY failed at the place with CONTEXT (NULL: not known). */
static struct evidence *fill_next(const struct portolan_plan *p, size_t path,
                                  const struct survey_trial *t, size_t key, const double *context,
                                  struct plan_evidence *out)
{
    struct evidence *e = &out->all[out->n];

    *e = (struct evidence){.key = key,
                           .point = t->point,
                           .failed = true,
                           .accuracy = NAN,
                           .wanted = plan_wanted(p, path),
                           .trial = (long long)t->trial->id};
    evidence_place(p, path, context, t->x, e->at);
    return e;
}

/* Adds a bad place for a class whose trial did not finish, if no other trial with it finished
 * there. */
static void gather_ended(const struct portolan_plan *p, size_t path, size_t *selection,
                         struct plan_evidence *out)
{
    const struct survey *s = &p->s;
    size_t v = s->nodes[path].variable;

    for (size_t i = 0; v != NONE && i < s->n_trials; i++) {
        const struct survey_trial *t = &s->trials[i];
        size_t key, k = 0;

        if (!t->ended_blindly)
            continue;
        while (k < s->n_trials &&
               !(s->trials[k].point == t->point && !s->trials[k].failed &&
                 !s->trials[k].ended_blindly && s->trials[k].selection[v] == t->selection[v]))
            k++;
        if (k < s->n_trials)
            continue;
        memcpy(selection, t->selection, s->n_variables * sizeof *selection);
        if (p->paths[path].caller_at != NONE)
            selection[p->paths[path].scope.variables[p->paths[path].caller_at]] = 0;
        key = plan_tuple_of(p, &p->paths[path].scope, selection);
        fill_next(p, path, t, key, NULL, out)->stopped_s = t->stopped_s;
        out->n += key != NONE && !is_trial_lifted(p, path, t->selection[v], t->trial->id);
    }
}

/* Adds bad places for a class that ended the process of a trial, with all its partners. */
static void gather_blamed(const struct portolan_plan *p, size_t path, struct plan_evidence *out)
{
    const struct survey *s = &p->s;
    const struct survey_node *node = &s->nodes[path];
    const struct plan_scope *scope = &p->paths[path].scope;

    for (size_t i = 0; node->variable != NONE && i < s->n_trials; i++)
        for (size_t tuple = 0; tuple < scope->n_tuples; tuple++) {
            const struct survey_trial *t = &s->trials[i];

            if (plan_as_written(p, path, tuple) != tuple ||
                !survey_is_blamed(s, t, node->instance,
                                  survey_class(s, path, plan_own_of(p, path, tuple))))
                continue;
            fill_next(p, path, t, tuple, NULL, out);
            out->n++;
        }
}

/* Returns whether the class of a sample later ended the process: then calls that worked before do
 * not count. */
static bool is_of_blamed(const struct portolan_plan *p, const struct survey_quality *q)
{
    const struct survey_node *n = &p->s.nodes[q->node];

    return n->variable != NONE && q->own != NONE &&
           survey_is_blamed(&p->s, &p->s.trials[p->s.rows[q->row].trial], n->instance,
                            survey_class(&p->s, q->node, q->own));
}

static void gather_all(const struct portolan_plan *p, size_t path, size_t *selection,
                       struct plan_evidence *out)
{
    const struct survey *s = &p->s;
    const struct survey_node *node = &s->nodes[path];
    size_t kept = 0;

    for (size_t i = node->first_quality; i < node->first_quality + node->n_qualities; i++) {
        const struct survey_quality *q = &s->qualities[i];
        const struct survey_trial *t = &s->trials[s->rows[q->row].trial];
        size_t key = plan_as_written(p, path, plan_quality_tuple(p, path, q, selection));
        struct evidence *e = fill_next(p, path, t, key, q->context, out);

        e->failed = q->failed > 0;
        e->accuracy = q->value;
        out->n += key != NONE && !(evidence_is_bad(e) ? plan_is_lifted(p, q) : is_of_blamed(p, q));
    }
    gather_ended(p, path, selection, out);
    gather_blamed(p, path, out);
    if (out->n)
        qsort(out->all, out->n, sizeof *out->all, evidence_order);
    for (size_t i = 0; i < out->n; i++)
        if (kept && !evidence_order(&out->all[kept - 1], &out->all[i]))
            merge_evidence(&out->all[kept - 1], &out->all[i]);
        else
            out->all[kept++] = out->all[i];
    out->n = kept;
}

/* A coordinate with few different integers, each at many places, is a kind rather than a size. */
static void find_kinds(struct plan_evidence *v)
{
    size_t keys = 0;

    for (size_t i = 0; i < v->n; i++)
        keys += !i || v->all[i].key != v->all[i - 1].key;
    for (size_t k = 0; k < v->n_coordinates; k++) {
        double seen[MOST_KINDS];
        size_t n = 0;

        for (size_t i = 0; i < v->n && n <= MOST_KINDS; i++) {
            double x = v->all[i].at[k];
            size_t j = 0;

            while (j < n && seen[j] != x)
                j++;
            if (isnan(x) || j < n)
                continue;
            if (n == MOST_KINDS || x != floor(x))
                n = MOST_KINDS + 1;
            else
                seen[n++] = x;
        }
        v->is_kind[k] = n > 1 && n <= MOST_KINDS && v->n >= PLACES_OF_A_KIND * n * keys;
    }
}

static void find_scales(struct plan_evidence *v)
{
    for (size_t k = 0; k < v->n_coordinates; k++) {
        double n = 0, mean = 0, squares = 0;

        for (size_t i = 0; i < v->n; i++) {
            double x = v->all[i].at[k], off;

            if (!(x > 0))
                continue;
            off = log2(x) - mean;
            mean += off / ++n;
            squares += off * (log2(x) - mean);
        }
        v->scale[k] = n > 1 && squares > 0 ? sqrt(squares / n) : 1;
    }
}

enum portolan_status evidence_gather(struct portolan_plan *p, size_t path,
                                     struct plan_evidence **out)
{
    struct portolan_arena *pool = &p->s.pool;
    const struct survey_node *node = &p->s.nodes[path];
    double ignored[MOST_COORDINATES];
    struct plan_evidence *v;
    size_t *selection;

    *out = NULL;
    /* If no instance of the scope has alternatives, a failure excludes nothing. */
    if ((!node->n_qualities && !p->s.ended_blindly) ||
        p->paths[path].scope.n <= (p->paths[path].caller_at != NONE))
        return PORTOLAN_OK;
    v = portolan_arena_alloc(pool, 1, sizeof *v);
    selection = portolan_arena_alloc(pool, p->s.n_variables, sizeof *selection);
    if (!v || !selection ||
        !(v->all = portolan_arena_alloc(
              pool, node->n_qualities + 1 + p->s.n_trials * (1 + p->paths[path].scope.n_tuples),
              sizeof *v->all)))
        return PORTOLAN_ENOMEM;
    v->n_context = (size_t)node->n_context;
    v->n_coordinates = evidence_place(p, path, NULL, p->dim_target, ignored);
    gather_all(p, path, selection, v);
    find_kinds(v);
    find_scales(v);
    *out = v;
    return PORTOLAN_OK;
}
