/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows that are kept with the model that was fitted to them, so that a running program's rows can
 * be added. Quantities fitted to the same rows share them, and a new model replaces the old one in
 * all.
 */
#include "plan_internal.h"

#include <portolan/list.h>
#include <string.h>

void plan_rows_clear(struct portolan_plan *p)
{
    for (size_t i = 0; i < p->n_rows; i++) {
        portolan_update_destroy(p->rows[i]->update);
        portolan_model_destroy(p->rows[i]->model);
        portolan_local_destroy(p->rows[i]->local);
        portolan_arena_clear(&p->rows[i]->pool);
    }
    p->n_rows = 0;
}

/* Makes room for one more row. */
static bool make_room(struct plan_rows *r)
{
    double *x = portolan_arena_grow(&r->pool, r->x, r->n, r->n_names * sizeof *x);
    double *y = portolan_arena_grow(&r->pool, r->y, r->n, sizeof *y);
    double *weight = portolan_arena_grow(&r->pool, r->weight, r->n, sizeof *weight);
    size_t *point = portolan_arena_grow(&r->pool, r->point, r->n, sizeof *point);

    if (!x || !y || !weight || !point)
        return false;
    r->x = x;
    r->y = y;
    r->weight = weight;
    r->point = point;
    r->most++;
    return true;
}

bool plan_rows_add(struct plan_rows *r, const double *x, double y, double weight, size_t point)
{
    if (r->n == r->most && !make_room(r))
        return false;
    if (r->n_names)
        memcpy(r->x + r->n * r->n_names, x, r->n_names * sizeof *x);
    r->y[r->n] = y;
    r->weight[r->n] = weight;
    r->point[r->n++] = point;
    return true;
}

enum portolan_status plan_rows_keep(struct portolan_plan *p, const struct plan_rows *from,
                                    struct quantity *q)
{
    struct plan_rows *r = portolan_arena_alloc(&p->s.pool, 1, sizeof *r);

    if (!r)
        return PORTOLAN_ENOMEM;
    *r = (struct plan_rows){
        .number = p->n_rows, .sigma = NAN, .n_names = from->n_names, .by_context = q->by_context};
    memcpy(r->names, from->names, sizeof r->names);
    if (!portolan_arena_append(&p->s.pool, &p->rows, &p->n_rows, &r, sizeof *p->rows))
        return PORTOLAN_ENOMEM;
    q->rows = r;
    for (size_t i = 0; i < from->n; i++)
        if (!plan_rows_add(r, &from->x[i * r->n_names], from->y[i], from->weight[i],
                           from->point[i]))
            return PORTOLAN_ENOMEM;
    r->n_stored = r->n;
    r->n_steps = from->n_steps;
    r->within = from->within;
    r->only_first = from->only_first;
    r->is_exact = from->is_exact;
    r->fit_at = r->only_first ? r->n + 2 : 2 * r->n < 16 ? 16 : 2 * r->n;
    return PORTOLAN_OK;
}

void plan_rows_catch_up(struct plan_rows *r)
{
    if (r && r->is_behind)
        r->is_behind = portolan_update_renew(r->update, r->model, NULL) != PORTOLAN_OK;
}

static void replace_quantity(struct quantity *old, const struct plan_rows *rows,
                             const struct quantity *now)
{
    const struct quantity *beyond = old->beyond;

    if (old->rows != rows)
        return;
    *old = *now;
    old->beyond = beyond;
}

void plan_rows_share(struct portolan_plan *p, size_t path, struct plan_rows *rows,
                     struct portolan_model *model, const struct quantity *now)
{
    struct quantity copy = *now; /* since *NOW is one of those that change */
    struct plan_path *at = &p->paths[path];

    copy.model = model;
    for (size_t i = 0; i < p->n_models; i++)
        if (p->models[i].model == rows->model) {
            p->models[i].model = model;
            p->models[i].n_rows = copy.n_rows;
        }
    if (rows->model != model)
        portolan_model_destroy(rows->model);
    rows->model = model;
    for (size_t k = 0; k < at->scope.n_tuples; k++) {
        replace_quantity(&at->tuples[k].exclusive, rows, &copy);
        replace_quantity(&at->tuples[k].overall, rows, &copy);
    }
}
