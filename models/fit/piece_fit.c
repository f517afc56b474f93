/* SPDX-License-Identifier: BSD-3-Clause */
/* Fits a model to each part of the points, and sums up all of them. */
#include "pieces_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- one part ---- */

/* Copies the rows of a part into MEMORY. */
static enum portolan_status take_rows(const struct pieces_fit *f, const struct part *part,
                                      struct portolan_arena *memory,
                                      struct portolan_model_data *rows)
{
    const struct portolan_model_data *all = f->data;
    size_t n = all->n_params;
    double *x = portolan_arena_alloc(memory, all->n_rows, n * sizeof *x);
    double *y = portolan_arena_alloc(memory, all->n_rows, sizeof *y);
    double *w = portolan_arena_alloc(memory, all->n_rows, sizeof *w);

    *rows = (struct portolan_model_data){n, all->params, 0, x, y, w};
    if (memory->failed)
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

/* Gives MADE, a fit of given terms, the family and the drifts that a SEARCHED model has. */
static void take_place(struct portolan_model *made, const struct portolan_model *searched)
{
    made->summary.family = family_of(made);
    for (size_t p = 0; p < made->n_params; p++) {
        made->range[p].drift_below = searched->range[p].drift_below;
        made->range[p].drift_above = searched->range[p].drift_above;
    }
}

/* Does A predict points left out so much better than B that it cannot be chance? NaN: no. */
static bool predicts_better(const struct portolan_model *a, const struct portolan_model *b)
{
    double m = (double)(a->summary.n_points - a->summary.n_outliers);

    return 2 * m * log(b->summary.leave_one_out / a->summary.leave_one_out) > 4;
}

/*
 * Gives a piece its own form if that predicts its points much better than the form with which all
 * pieces were found: the latter rests on more points.
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

enum portolan_status pieces_fit_whole_again(struct pieces_fit *f)
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

enum portolan_status pieces_add(const struct pieces_fit *f, const struct part *part,
                                const struct pieces_form *form, struct portolan_error *err)
{
    struct piece *piece = &f->model->pieces[f->model->n_pieces++];
    struct portolan_arena memory = {0};
    struct portolan_model_data rows;
    enum portolan_status status = take_rows(f, part, &memory, &rows);

    piece->n_conditions = part->n_conditions;
    memcpy(piece->conditions, part->conditions, sizeof piece->conditions);
    if (status)
        portolan_error_set(err, status, "no memory for the rows of a piece");
    else
        status =
            portolan_model_fit_terms(&rows, form->shape, form->k, f->options, &piece->model, err);
    if (!status && !f->n_shapes)
        status = fit_freely(f, &rows, &piece->model, err);
    portolan_arena_clear(&memory);
    return status;
}

/*
 * ---- Constants that do not change from piece to piece are fitted as one. A start-up cost shows
 * only in rows with small values: a piece of large ones cannot determine it, or gets it wrong. ----
 */

/* Constants count as one if noise explains their difference with a probability above this. */
static const double alike = 0.05;

struct joint {
    const struct pieces_fit *f;
    size_t m, k, pieces;
    const struct portolan_model_shape *shape; /* k */
    bool shared[MODEL_TERMS];
    size_t n_columns;
    size_t column[MODEL_PIECES][MODEL_TERMS]; /* where the constant of a piece's term is */
    double constant[MODEL_ESTIMATES];
    double rss;
    double *columns, *rhs, *factor, *leverage; /* MODEL_ESTIMATES × m, and m each */
    double *work;                              /* (MODEL_ESTIMATES + 1) × m */
    size_t *piece;                             /* m */
};

static bool may_share(const struct pieces_fit *f)
{
    for (size_t i = 1; i < f->n_parts; i++)
        if (memcmp(&f->part_form[i], &f->part_form[0], sizeof f->part_form[0]) != 0)
            return false;
    return f->n_shapes > 1 && !f->options->trimmed && f->n_parts * f->n_shapes <= MODEL_ESTIMATES;
}

static enum portolan_status prepare_joint(struct joint *j, struct pieces_fit *f)
{
    const struct points *pts = &f->points;

    *j = (struct joint){.f = f, .m = pts->m, .k = f->part_form[0].k, .pieces = f->n_parts};
    j->shape = f->part_form[0].shape;
    j->columns =
        portolan_arena_alloc(&f->memory, j->m, (2 * MODEL_ESTIMATES + 4) * sizeof *j->columns);
    j->piece = portolan_arena_alloc(&f->memory, j->m, sizeof *j->piece);
    if (f->memory.failed)
        return PORTOLAN_ENOMEM;
    j->rhs = j->columns + MODEL_ESTIMATES * j->m;
    j->factor = j->rhs + j->m;
    j->leverage = j->factor + j->m;
    j->work = j->leverage + j->m;
    for (size_t i = 0; i < j->m; i++) {
        const double *x = pts->x + i * pts->n_params;

        j->factor[i] = sqrt(pts->w[i]) / points_scale_of(pts, i, portolan_model_value(f->model, x));
        j->rhs[i] = j->factor[i] * pts->y[i];
        j->piece[i] = model_find_piece(f->model, x);
    }
    return PORTOLAN_OK;
}

static void number_columns(struct joint *j)
{
    j->n_columns = 0;
    for (size_t t = 0; t < j->k; t++) {
        for (size_t s = 0; s < j->pieces; s++)
            j->column[s][t] = j->n_columns + (j->shared[t] ? 0 : s);
        j->n_columns += j->shared[t] ? 1 : j->pieces;
    }
}

static enum portolan_status solve_joint(struct joint *j)
{
    const struct points *pts = &j->f->points;
    struct linear_fit fit = {0};
    enum portolan_status status = PORTOLAN_OK;

    number_columns(j);
    memset(j->columns, 0, j->n_columns * j->m * sizeof *j->columns);
    for (size_t i = 0; i < j->m; i++)
        for (size_t t = 0; t < j->k; t++)
            j->columns[j->column[j->piece[i]][t] * j->m + i] =
                j->factor[i] * shape_value(&j->shape[t], pts->n_params, pts->x + i * pts->n_params);
    if (j->f->options->allow_negative) {
        status = linear_full(j->m, j->n_columns, j->columns, j->rhs, &fit, NULL);
        memcpy(j->constant, fit.coefficients, sizeof j->constant);
    } else {
        memset(j->constant, 0, sizeof j->constant);
        linear_nonnegative(j->m, j->n_columns, j->columns, j->rhs, j->work, j->constant);
    }
    j->rss = 0;
    for (size_t i = 0; i < j->m; i++) {
        double e = j->rhs[i];

        for (size_t t = 0; t < j->k; t++) {
            size_t c = j->column[j->piece[i]][t];

            e -= j->constant[c] * j->columns[c * j->m + i];
        }
        j->rss += e * e;
    }
    return status;
}

static double variance(const struct joint *j, double rss, size_t columns, double *dof)
{
    return breaks_variance(rss, (double)j->m - (double)columns, j->f->repeat_variance,
                           j->f->points.repeat_dof, dof) +
           1e-16;
}

/* Shares the term whose sharing loses least, if noise explains the loss; *SHARED = k: none. */
static enum portolan_status share_one(struct joint *j, size_t *shared)
{
    double rss = j->rss, best = alike, dof, s2 = variance(j, rss, j->n_columns, &dof);
    enum portolan_status status = PORTOLAN_OK;

    *shared = j->k;
    for (size_t t = 0; t < j->k && !status && dof > 0; t++) {
        double less = (double)(j->pieces - 1), p;

        if (j->shared[t])
            continue;
        j->shared[t] = true;
        status = solve_joint(j);
        j->shared[t] = false;
        p = portolan_fisher_p((j->rss - rss) / less / s2, less, dof);
        if (p > best) {
            best = p;
            *shared = t;
        }
    }
    if (*shared < j->k)
        j->shared[*shared] = true;
    return status ? status : solve_joint(j);
}

/* ---- back into the pieces ---- */

/* Removes the columns whose constants are 0; MOVED has the new indices of the others. */
static size_t keep_columns(struct joint *j, size_t *moved)
{
    size_t n = 0;

    for (size_t c = 0; c < j->n_columns; c++) {
        moved[c] = SIZE_MAX;
        if (j->constant[c] == 0)
            continue;
        memmove(j->columns + n * j->m, j->columns + c * j->m, j->m * sizeof *j->columns);
        j->constant[n] = j->constant[c];
        moved[c] = n++;
    }
    return n;
}

enum portolan_status pieces_write(struct portolan_model *m, size_t k,
                                  const struct portolan_model_shape *shapes, size_t n,
                                  const double *made, const double *c, const double *covariance,
                                  struct portolan_error *err)
{
    size_t from[MODEL_TERMS], kept = 0;
    enum portolan_status status = PORTOLAN_OK;

    free(m->covariance);
    if (!(m->covariance = portolan_calloc(k * k, sizeof *m->covariance)))
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for the pieces of a model");
    m->n_dropped = 0;
    for (size_t t = 0; t < k && !status; t++) {
        double constant = linear_dot(n, made + t * n, c);
        struct portolan_model_shape shape = shapes[t];

        status = expressions_own(&m->expressions, &shape, m->n_params,
                                 (const char *const *)m->params, err);
        if (constant == 0) {
            m->dropped[m->n_dropped++] =
                (struct portolan_model_dropped){shape, PORTOLAN_MODEL_DROP_NEGATIVE};
            continue;
        }
        from[kept] = t * n;
        m->estimates[kept] = (struct estimate){kept, CONSTANT_ESTIMATE};
        m->terms[kept++] = (struct portolan_model_term){.constant = constant, .shape = shape};
    }
    for (size_t a = 0; a < kept; a++)
        for (size_t b = 0; b < kept; b++)
            for (size_t i = 0; i < n; i++)
                m->covariance[a * kept + b] +=
                    made[from[a] + i] * linear_dot(n, made + from[b], covariance + i * n);
    m->n_terms = m->n_estimates = kept;
    return status;
}

void pieces_judge(const struct pieces_fit *f, size_t s, const double *leverage)
{
    const struct points *pts = &f->points;
    struct portolan_model *m = f->model->pieces[s].model;
    double squares = 0, out = 0, n = 0;

    m->summary.max = 0;
    for (size_t i = 0; i < pts->m; i++) {
        const double *x = pts->x + i * pts->n_params;
        double rest = 1 - leverage[i], v, e;

        if (model_find_piece(f->model, x) != s)
            continue;
        v = portolan_model_value(m, x);
        e = (pts->y[i] - v) / points_scale_of(pts, i, v);
        n++;
        squares += e * e;
        out += rest > 1e-8 ? e * e / (rest * rest) : NAN;
        m->summary.max = fmax(m->summary.max, fabs(e));
    }
    m->summary.rms = sqrt(squares / n);
    m->summary.leave_one_out = sqrt(out / n);
}

static enum portolan_status write_pieces(struct joint *j, double *inverse,
                                         struct portolan_error *err)
{
    struct linear_fit fit = {.leverage = j->leverage, .inverse = inverse};
    size_t moved[MODEL_ESTIMATES], n = keep_columns(j, moved);
    double dof, s2 = variance(j, j->rss, n, &dof);
    enum portolan_status status = linear_full(j->m, n, j->columns, j->rhs, &fit, err);

    for (size_t i = 0; i < n * n; i++)
        inverse[i] *= s2;
    for (size_t s = 0; s < j->pieces && !status; s++) {
        struct portolan_model *m = j->f->model->pieces[s].model;
        double made[MODEL_TERMS * MODEL_ESTIMATES] = {0};

        for (size_t t = 0; t < j->k; t++)
            if (moved[j->column[s][t]] < n)
                made[t * n + moved[j->column[s][t]]] = 1;
        status = pieces_write(m, j->k, j->shape, n, made, j->constant, inverse, err);
        pieces_judge(j->f, s, j->leverage);
        status = status ? status : model_finish(m, err);
    }
    return status;
}

enum portolan_status pieces_share_constants(struct pieces_fit *f, struct portolan_error *err)
{
    double inverse[MODEL_ESTIMATES * MODEL_ESTIMATES] = {0};
    struct joint j;
    enum portolan_status status;
    size_t n = 0, shared = 0;

    if (!may_share(f))
        return PORTOLAN_OK;
    status = prepare_joint(&j, f);
    status = status ? status : solve_joint(&j);
    while (!status && shared < j.k && n + 1 < j.k) {
        status = share_one(&j, &shared);
        n += shared < j.k;
    }
    if (status)
        return portolan_error_set(err, status, "no memory for the constants of pieces");
    return n ? write_pieces(&j, inverse, err) : PORTOLAN_OK;
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
    hull_unite(&m->hull, &piece->hull);
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
    hull_begin(&m->hull);
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
