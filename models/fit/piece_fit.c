/* SPDX-License-Identifier: BSD-3-Clause */
/* A model for each part of the points, and what is said of all of them together. */
#include "pieces_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- one part ---- */

/* The rows of a part; arrays of ROWS are the caller's to free. */
static enum portolan_status take_rows(const struct pieces_fit *f, const struct part *part,
                                      struct portolan_model_data *rows)
{
    const struct portolan_model_data *all = f->data;
    size_t n = all->n_params;
    double *x = portolan_calloc(all->n_rows, n * sizeof *x);
    double *y = portolan_calloc(all->n_rows, sizeof *y);
    double *w = portolan_calloc(all->n_rows, sizeof *w);

    *rows = (struct portolan_model_data){n, all->params, 0, x, y, w};
    if (!x || !y || !w)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < all->n_rows; i++) {
        const double *at = all->x + i * n;

        if (f->spike[i] || !conditions_hold(part->conditions, part->n_conditions, at))
            continue;
        memcpy(x + rows->n_rows * n, at, n * sizeof *x);
        y[rows->n_rows] = all->y[i];
        w[rows->n_rows++] = all->weight ? all->weight[i] : 1;
    }
    return PORTOLAN_OK;
}

static enum portolan_model_family family_of(const struct portolan_model *m)
{
    enum portolan_model_family family = PORTOLAN_MODEL_CONSTANT;

    for (size_t j = 0; j < m->n_terms; j++)
        for (size_t p = 0; p < m->n_params; p++) {
            double e = m->terms[j].shape.exponents[p];

            if (m->terms[j].shape.logs[p])
                return m->n_params > 1 ? PORTOLAN_MODEL_SUM : PORTOLAN_MODEL_LOGARITHMIC;
            if (e != 0 && family != PORTOLAN_MODEL_POWER)
                family = e > 0 && e <= 3 && e == floor(e) ? PORTOLAN_MODEL_POLYNOMIAL
                                                          : PORTOLAN_MODEL_POWER;
        }
    return family != PORTOLAN_MODEL_CONSTANT && m->n_params > 1 ? PORTOLAN_MODEL_SUM : family;
}

/* What a searched model MADE of given terms keeps of the SEARCHED one in its place. */
static void take_place(struct portolan_model *made, const struct portolan_model *searched)
{
    made->summary.family = family_of(made);
    for (size_t p = 0; p < made->n_params; p++) {
        made->range[p].drift_below = searched->range[p].drift_below;
        made->range[p].drift_above = searched->range[p].drift_above;
    }
}

/* Does A predict points left out so much better than B that it cannot be luck? NaN: no. */
static bool predicts_better(const struct portolan_model *a, const struct portolan_model *b)
{
    double m = (double)(a->summary.n_points - a->summary.n_outliers);

    return 2 * m * log(b->summary.leave_one_out / a->summary.leave_one_out) > 4;
}

/*
 * A piece may have a form of its own, if it predicts its points much better than the form that all
 * pieces were found with; that one has more behind it.
 */
static enum portolan_status fit_freely(const struct pieces_fit *f,
                                       const struct portolan_model_data *rows,
                                       struct portolan_model **joint, struct portolan_error *err)
{
    struct portolan_model *own = NULL;
    enum portolan_status status = model_fit(rows, NULL, 0, f->options, &own, err);

    if (status)
        return status;
    if (predicts_better(own, *joint) ||
        (isnan((*joint)->summary.leave_one_out) && own->n_estimates < (*joint)->n_estimates)) {
        portolan_model_destroy(*joint);
        *joint = own;
        return PORTOLAN_OK;
    }
    take_place(*joint, own);
    portolan_model_destroy(own);
    return PORTOLAN_OK;
}

/* The form of a part may be that of the whole, overlooked there. */
static enum portolan_status fit_whole_again(struct pieces_fit *f)
{
    struct portolan_model *again = NULL;
    enum portolan_status status;

    if (f->n_shapes)
        return PORTOLAN_OK;
    status =
        portolan_model_fit_terms(f->data, f->whole.shape, f->whole.k, f->options, &again, NULL);
    if (!status && predicts_better(again, f->single)) {
        take_place(again, f->single);
        portolan_model_destroy(f->single);
        f->single = again;
        again = NULL;
    }
    portolan_model_destroy(again);
    return status == PORTOLAN_ENOMEM ? status : PORTOLAN_OK;
}

enum portolan_status pieces_fit_part(const struct pieces_fit *f, const struct part *part,
                                     const struct pieces_form *form, struct portolan_model **model,
                                     struct portolan_error *err)
{
    struct portolan_model_data rows;
    enum portolan_status status = take_rows(f, part, &rows);

    if (status)
        portolan_error_set(err, status, "no memory for the rows of a piece");
    else
        status = portolan_model_fit_terms(&rows, form->shape, form->k, f->options, model, err);
    if (!status && !f->n_shapes)
        status = fit_freely(f, &rows, model, err);
    free((double *)rows.x);
    free((double *)rows.y);
    free((double *)rows.weight);
    return status;
}

enum portolan_status pieces_add(const struct pieces_fit *f, const struct part *part,
                                const struct pieces_form *form, struct portolan_error *err)
{
    struct piece *piece = &f->model->pieces[f->model->n_pieces++];

    piece->n_conditions = part->n_conditions;
    memcpy(piece->conditions, part->conditions, sizeof piece->conditions);
    return pieces_fit_part(f, part, form, &piece->model, err);
}

/* ---- all of them ---- */

static void add_ranges(struct portolan_model *m, const struct portolan_model *piece)
{
    for (size_t p = 0; p < m->n_params; p++) {
        struct portolan_model_range *r = &m->range[p];
        const struct portolan_model_range *from = &piece->range[p];

        if (from->min < r->min) {
            r->min = from->min;
            r->drift_below = from->drift_below;
        }
        if (from->max > r->max) {
            r->max = from->max;
            r->drift_above = from->drift_above;
        }
    }
}

void pieces_summarize(struct portolan_model *m, size_t n_spikes)
{
    struct portolan_model_summary *all = &m->summary;
    double variance = 0, repeat = 0, squares = 0, out = 0, points = 0;

    *all = m->pieces[0].model->summary;
    all->family = PORTOLAN_MODEL_PIECEWISE;
    all->n_rows = all->n_points = all->n_outliers = 0;
    all->dof = all->max = all->condition = 0;
    all->sigma_is_assumed = false;
    for (size_t p = 0; p < m->n_params; p++)
        m->range[p] = (struct portolan_model_range){.min = INFINITY, .max = -INFINITY};
    for (size_t i = 0; i < m->n_pieces; i++) {
        const struct portolan_model_summary *s = &m->pieces[i].model->summary;
        double n = (double)(s->n_points - s->n_outliers);

        all->n_rows += s->n_rows;
        all->n_points += s->n_points;
        all->n_outliers += s->n_outliers;
        all->dof += s->dof;
        all->max = fmax(all->max, s->max);
        all->condition = fmax(all->condition, s->condition);
        all->floor = fmin(all->floor, s->floor);
        all->sigma_is_assumed = all->sigma_is_assumed || s->sigma_is_assumed;
        variance += s->sigma * s->sigma * n;
        repeat += s->sigma_repeat * s->sigma_repeat * n;
        squares += s->rms * s->rms * n;
        out += s->leave_one_out * s->leave_one_out * n;
        points += n;
        add_ranges(m, m->pieces[i].model);
    }
    all->n_points += n_spikes;
    all->n_outliers += n_spikes;
    all->sigma = sqrt(variance / points);
    all->sigma_repeat = sqrt(repeat / points);
    all->rms = sqrt(squares / points);
    all->leave_one_out = sqrt(out / points);
}

enum portolan_status pieces_assemble(struct pieces_fit *f, struct portolan_error *err)
{
    struct portolan_model *m = f->model;
    enum portolan_status status = PORTOLAN_OK;
    bool worth = false;

    for (size_t i = 0; i < f->n_parts && !status; i++)
        status = pieces_add(f, &f->parts[i], &f->part_form[i], err);
    if (status)
        return status;
    if ((!f->n_shapes && pieces_merge(f)) ||
        (f->n_parts > 1 && (fit_whole_again(f) || pieces_are_worth_it(f, false, &worth))))
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory to compare pieces");
    if (!worth) {
        while (m->n_pieces)
            portolan_model_destroy(m->pieces[--m->n_pieces].model);
        return PORTOLAN_OK;
    }
    if ((status = pieces_share(f, err)))
        return status;
    pieces_summarize(m, f->n_spikes);
    return model_finish(m, err);
}
