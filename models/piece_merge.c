/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Searched pieces are found with one form for all; where they may have forms of their own, some
 * breaks are not needed any more. Neighbours that one law describes as well become one piece.
 */
#include "pieces_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct merger {
    struct pieces_fit *f;
    double variance, price; /* of a point of precision 1; of a constant */
};

static const struct portolan_model_condition *
condition_on(const struct part *part, const struct portolan_model_condition *like)
{
    for (size_t i = 0; i < part->n_conditions; i++)
        if (part->conditions[i].param == like->param &&
            part->conditions[i].divisor == like->divisor)
            return &part->conditions[i];
    return NULL;
}

/* Do A and B differ in nothing but that B begins where A ends? *SEAM: then both together. */
static bool find_seam(const struct part *a, const struct part *b,
                      struct portolan_model_condition *seam)
{
    bool found = false;

    for (size_t i = 0; i < a->n_conditions; i++) {
        const struct portolan_model_condition *c = &a->conditions[i], *d = condition_on(b, c);

        if (!d)
            return false;
        if (c->low == d->low && c->high == d->high)
            continue;
        if (found || c->high != d->low)
            return false;
        found = true;
        *seam = (struct portolan_model_condition){c->param, c->divisor, c->low, d->high};
    }
    return found && a->n_conditions == b->n_conditions;
}

static bool join_parts(const struct part *a, const struct part *b,
                       const struct portolan_model_condition *seam, struct part *both)
{
    *both = (struct part){.n = a->n + b->n};
    both->point = portolan_calloc(both->n, sizeof *both->point);
    if (!both->point)
        return false;
    memcpy(both->point, a->point, a->n * sizeof *a->point);
    memcpy(both->point + a->n, b->point, b->n * sizeof *b->point);
    for (size_t i = 0; i < a->n_conditions; i++) {
        struct portolan_model_condition c = a->conditions[i];

        if (c.param == seam->param && c.divisor == seam->divisor)
            c = *seam;
        if (c.low > -INFINITY || c.high < INFINITY)
            both->conditions[both->n_conditions++] = c;
    }
    return true;
}

/* Squares that MODEL leaves of PART's points, weighed by the pieces. */
static double squares(const struct pieces_fit *f, const struct part *part,
                      const struct portolan_model *model)
{
    const struct points *pts = &f->points;
    double sum = 0;

    for (size_t i = 0; i < part->n; i++) {
        size_t at = part->point[i];
        const double *x = pts->x + at * pts->n_params;
        double e = (pts->y[at] - portolan_model_value(model, x)) /
                   points_scale_of(pts, at, portolan_model_value(f->model, x));

        sum += pts->w[at] * e * e;
    }
    return sum;
}

/* What a merger loses, beside what it saves; below 0 it is one. */
static double loss(const struct merger *g, const struct part *both,
                   const struct portolan_model *model, size_t i, size_t j)
{
    const struct piece *pieces = g->f->model->pieces;
    double saved = (double)(pieces[i].model->n_estimates + pieces[j].model->n_estimates + BREAK) -
                   (double)model->n_estimates;

    return (squares(g->f, both, model) - squares(g->f, both, g->f->model)) / g->variance -
           g->price * saved;
}

static void forget_break(struct portolan_model *m, const struct portolan_model_condition *seam,
                         double at)
{
    for (size_t i = 0; i < m->n_pieces; i++)
        for (size_t c = 0; c < m->pieces[i].n_conditions; c++) {
            const struct portolan_model_condition *k = &m->pieces[i].conditions[c];

            if (k->param == seam->param && k->divisor == seam->divisor &&
                (k->low == at || k->high == at))
                return;
        }
    for (size_t b = 0; b < m->n_breaks; b++)
        if (m->breaks[b].param == seam->param && m->breaks[b].divisor == seam->divisor &&
            m->breaks[b].at == at) {
            memmove(&m->breaks[b], &m->breaks[b + 1], (m->n_breaks - b - 1) * sizeof *m->breaks);
            m->n_breaks--;
            return;
        }
}

/* BOTH with its MODEL takes the place of piece I, and J goes. */
static void put(struct pieces_fit *f, size_t i, size_t j, const struct part *both,
                struct portolan_model *model, const struct portolan_model_condition *seam)
{
    struct portolan_model *m = f->model;
    double at = condition_on(&f->parts[i], seam)->high;

    free(f->parts[i].point);
    free(f->parts[j].point);
    portolan_model_destroy(m->pieces[i].model);
    portolan_model_destroy(m->pieces[j].model);
    f->parts[i] = *both;
    m->pieces[i].model = model;
    m->pieces[i].n_conditions = both->n_conditions;
    memcpy(m->pieces[i].conditions, both->conditions, sizeof both->conditions);
    memmove(&f->parts[j], &f->parts[j + 1], (f->n_parts - j - 1) * sizeof *f->parts);
    memmove(&f->part_form[j], &f->part_form[j + 1], (f->n_parts - j - 1) * sizeof *f->part_form);
    memmove(&m->pieces[j], &m->pieces[j + 1], (m->n_pieces - j - 1) * sizeof *m->pieces);
    f->n_parts--;
    m->n_pieces--;
    forget_break(m, seam, at);
}

/* Merges I and J if one law describes both as well. */
static enum portolan_status try_pair(const struct merger *g, size_t i, size_t j, bool *merged)
{
    struct pieces_fit *f = g->f;
    struct portolan_model_condition seam = {0};
    struct portolan_model *model = NULL;
    struct part both;
    enum portolan_status status;

    if (!find_seam(&f->parts[i], &f->parts[j], &seam))
        return PORTOLAN_OK;
    if (!join_parts(&f->parts[i], &f->parts[j], &seam, &both))
        return PORTOLAN_ENOMEM;
    status = pieces_fit_part(f, &both, &f->part_form[i], &model, NULL);
    if (!status && loss(g, &both, model, i, j) < 0) {
        put(f, i, j, &both, model, &seam);
        *merged = true;
        return PORTOLAN_OK;
    }
    portolan_model_destroy(model);
    free(both.point);
    return status == PORTOLAN_ENOMEM ? status : PORTOLAN_OK;
}

static struct merger prepare(struct pieces_fit *f)
{
    double m = (double)f->points.m, k = (double)f->model->n_breaks, rss = 0, dof;
    struct merger g = {.f = f, .price = pieces_price(m)};

    for (size_t i = 0; i < f->n_parts; i++) {
        rss += squares(f, &f->parts[i], f->model);
        k += (double)f->model->pieces[i].model->n_estimates;
    }
    g.variance =
        breaks_variance(rss, m - k, f->repeat_variance, f->points.repeat_dof, &dof) + 1e-16;
    return g;
}

enum portolan_status pieces_merge(struct pieces_fit *f)
{
    struct merger g = prepare(f);
    enum portolan_status status = PORTOLAN_OK;
    bool merged = isfinite(g.variance);

    while (merged && !status) {
        merged = false;
        for (size_t i = 0; i < f->n_parts && !merged && !status; i++)
            for (size_t j = 0; j < f->n_parts && !merged && !status; j++)
                if (i != j)
                    status = try_pair(&g, i, j, &merged);
    }
    return status;
}
