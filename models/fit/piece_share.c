/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Constants that do not change from piece to piece are fitted as one. A start-up cost shows in the
 * short rows only: the piece of the long ones cannot tell it, or gets it wrong.
 */
#include "pieces_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Constants that differ so little are taken as one. */
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

static enum portolan_status prepare(struct joint *j, const struct pieces_fit *f)
{
    const struct points *pts = &f->points;

    *j = (struct joint){.f = f, .m = pts->m, .k = f->part_form[0].k, .pieces = f->n_parts};
    j->shape = f->part_form[0].shape;
    j->columns = portolan_calloc(j->m, (2 * MODEL_ESTIMATES + 4) * sizeof *j->columns);
    j->piece = portolan_calloc(j->m, sizeof *j->piece);
    if (!j->columns || !j->piece)
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

static enum portolan_status solve(struct joint *j)
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

/* Shares the term that minds it least, if noise explains how much; k = none. */
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
        status = solve(j);
        j->shared[t] = false;
        p = portolan_fisher_p((j->rss - rss) / less / s2, less, dof);
        if (p > best) {
            best = p;
            *shared = t;
        }
    }
    if (*shared < j->k)
        j->shared[*shared] = true;
    return status ? status : solve(j);
}

/* ---- back into the pieces ---- */

/* Squeezes out the columns and constants of 0; MOVED tells where the others went. */
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

static enum portolan_status share(struct joint *j, struct portolan_error *err)
{
    double *inverse = portolan_calloc(MODEL_ESTIMATES * MODEL_ESTIMATES, sizeof *inverse);
    enum portolan_status status = inverse ? solve(j) : PORTOLAN_ENOMEM;
    size_t n = 0, shared = 0;

    while (!status && shared < j->k && n + 1 < j->k) {
        status = share_one(j, &shared);
        n += shared < j->k;
    }
    if (status)
        portolan_error_set(err, status, "no memory for the constants of pieces");
    else if (n)
        status = write_pieces(j, inverse, err);
    free(inverse);
    return status;
}

enum portolan_status pieces_share(const struct pieces_fit *f, struct portolan_error *err)
{
    struct joint j = {0};
    enum portolan_status status;

    if (!may_share(f))
        return PORTOLAN_OK;
    status = prepare(&j, f);
    if (status)
        portolan_error_set(err, status, "no memory for the constants of pieces");
    else
        status = share(&j, err);
    free(j.columns);
    free(j.piece);
    return status;
}
