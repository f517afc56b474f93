/* SPDX-License-Identifier: BSD-3-Clause */
/* Where an online update begins, and the model that all its rows so far give. */
#include "pieces_internal.h"
#include "update_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Relative standard deviations less than this are taken as this large when the form is judged. */
static const double least_error = 0.01;

/* An empty model with as many pieces as M has, where they are and what its envelope says. */
static enum portolan_status make_skeleton(const struct portolan_model *m,
                                          struct portolan_model **skeleton,
                                          struct portolan_error *err)
{
    const char *const *params = (const char *const *)m->params;
    struct portolan_model *s = NULL;
    enum portolan_status status = model_create(m->n_params, params, &s, err);

    if (!status && m->n_pieces)
        status = model_make_pieces(s, err);
    for (size_t i = 0; i < m->n_pieces && !status; i++) {
        s->pieces[i] = m->pieces[i];
        s->pieces[i].model = NULL;
        s->n_pieces++;
        status = model_create(m->n_params, params, &s->pieces[i].model, err);
    }
    if (!status && m->n_breaks)
        memcpy(s->breaks, m->breaks, m->n_breaks * sizeof *m->breaks);
    if (!status) {
        s->n_breaks = m->n_breaks;
        s->summary = m->summary;
        memcpy(s->range, m->range, sizeof s->range);
        status = portolan_model_describe(s, &m->envelope, err);
    }
    if (status) {
        portolan_model_destroy(s);
        return status;
    }
    *skeleton = s;
    return PORTOLAN_OK;
}

/* ---- the beginning ---- */

static enum portolan_status make(const struct portolan_model *m, double gate,
                                 struct portolan_update **update, struct portolan_error *err)
{
    struct portolan_update *u;

    if (!(gate >= 0))
        return portolan_error_set(err, PORTOLAN_EINVAL, "the gate of an update is at least 0");
    u = portolan_calloc(1, sizeof *u);
    if (!u || !(u->parts = portolan_calloc(portolan_model_n_pieces(m), sizeof *u->parts))) {
        portolan_update_destroy(u);
        return portolan_no_memory(err);
    }
    u->n_parts = portolan_model_n_pieces(m);
    for (size_t i = 0; i < u->n_parts; i++) {
        u->parts[i].n_params = m->n_params;
        u->parts[i].gate = gate;
        for (size_t p = 0; p < m->n_params; p++)
            u->parts[i].range[p] = (struct portolan_model_range){.min = INFINITY, .max = -INFINITY};
    }
    *update = u;
    return make_skeleton(m, &u->base, err);
}

static enum portolan_status take_rows(struct portolan_update *u,
                                      const struct portolan_model_data *rows,
                                      struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    if (rows->n_params != u->base->n_params)
        return portolan_error_set(err, PORTOLAN_EINVAL, "rows of %zu parameters, model of %zu",
                                  rows->n_params, u->base->n_params);
    for (size_t p = 0; p < u->base->n_params; p++)
        if (strcmp(rows->params[p], u->base->params[p]) != 0)
            return portolan_error_set(err, PORTOLAN_EINVAL, "rows of '%s', model of '%s'",
                                      rows->params[p], u->base->params[p]);
    for (size_t i = 0; i < rows->n_rows && !status; i++) {
        const double *x = rows->x ? rows->x + i * u->base->n_params : NULL;
        struct recursion *part = update_part(u, x);

        status = part
                     ? recursion_take(part, x, rows->y[i], rows->weight ? rows->weight[i] : 1, true)
                     : PORTOLAN_EINVAL;
    }
    return status ? portolan_error_set(err, status, "a row has a number that no fit takes")
                  : PORTOLAN_OK;
}

/* The terms of M, and those that may come back. */
static enum portolan_status take_terms(struct recursion *part, const struct portolan_model *m,
                                       struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    part->begun = m->summary;
    part->least_error = m->summary.weighting == PORTOLAN_MODEL_RELATIVE ? least_error : 0;
    for (size_t j = 0; j < m->n_terms; j++) {
        part->shape[part->k] = m->terms[j].shape;
        part->reference[part->k++] = m->terms[j].constant;
    }
    for (size_t j = 0; j < m->n_dropped && part->k < MODEL_TERMS; j++)
        if (m->dropped[j].reason == PORTOLAN_MODEL_DROP_NEGATIVE)
            part->shape[part->k++] = m->dropped[j].shape;
    for (size_t j = 0; j < part->k && !status; j++)
        status = expressions_own(&part->expressions, &part->shape[j], m->n_params,
                                 (const char *const *)m->params, err);
    return status;
}

static enum portolan_status begin(struct portolan_update *u, const struct portolan_model *m,
                                  const struct portolan_model_data *rows,
                                  struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; i < u->n_parts && !status; i++)
        status = take_terms(&u->parts[i], portolan_model_peek_piece(m, i, NULL, NULL), err);
    status = status ? status : take_rows(u, rows, err);
    for (size_t i = 0; i < u->n_parts && !status; i++) {
        const struct portolan_model *piece = portolan_model_peek_piece(m, i, NULL, NULL);

        for (size_t p = 0; p < m->n_params; p++) {
            u->parts[i].range[p].drift_below = piece->range[p].drift_below;
            u->parts[i].range[p].drift_above = piece->range[p].drift_above;
        }
        recursion_begin(&u->parts[i]);
        u->state.n_begun += u->parts[i].state.n_begun;
    }
    return status;
}

enum portolan_status portolan_update_create(const struct portolan_model *m,
                                            const struct portolan_model_data *rows, double gate,
                                            struct portolan_update **update,
                                            struct portolan_error *err)
{
    struct portolan_update *u = NULL;
    enum portolan_status status = make(m, gate, &u, err);

    status = status ? status : begin(u, m, rows, err);
    if (status) {
        portolan_update_destroy(u);
        return status;
    }
    *update = u;
    return PORTOLAN_OK;
}

void portolan_update_destroy(struct portolan_update *u)
{
    if (!u)
        return;
    for (size_t i = 0; u->parts && i < u->n_parts; i++)
        expressions_clear(&u->parts[i].expressions);
    free(u->parts);
    portolan_model_destroy(u->base);
    free(u);
}

/* ---- the model ---- */

/* Columns of R, those of KEPT terms only. */
static size_t load(const struct recursion *u, const bool *kept, double *columns)
{
    size_t n = 0;

    for (size_t j = 0; j < u->k; j++) {
        for (size_t i = 0; kept[j] && i < u->k; i++)
            columns[n * u->k + i] = i <= j ? u->r[i][j] : 0;
        n += kept[j];
    }
    return n;
}

/* Constants of all terms, and which of them stay. */
static enum portolan_status choose_terms(const struct recursion *u, struct portolan_model *m,
                                         double *columns, double *constants, bool *kept,
                                         struct portolan_error *err)
{
    double work[MODEL_TERMS * (MODEL_TERMS + 1)];
    struct linear_fit fit = {0};
    enum portolan_status status;

    for (size_t j = 0; j < u->k; j++)
        kept[j] = true;
    load(u, kept, columns);
    status = linear_full(u->k, u->k, columns, u->z, &fit, err);
    m->summary.condition = fit.condition;
    memset(constants, 0, u->k * sizeof *constants);
    if (u->begun.nonnegative)
        linear_nonnegative(u->k, u->k, columns, u->z, work, constants);
    else
        memcpy(constants, fit.coefficients, u->k * sizeof *constants);
    for (size_t j = 0; j < u->k && !status; j++) {
        bool dependent = fit.dependent[j] && constants[j] == 0;

        kept[j] = !dependent && !(u->begun.nonnegative && constants[j] <= 0);
        if (kept[j])
            continue;
        m->dropped[m->n_dropped] = (struct portolan_model_dropped){
            u->shape[j], dependent ? PORTOLAN_MODEL_DROP_DEPENDENT : PORTOLAN_MODEL_DROP_NEGATIVE};
        status = expressions_own(&m->expressions, &m->dropped[m->n_dropped++].shape, u->n_params,
                                 (const char *const *)m->params, err);
    }
    return status;
}

/* The residual sum of squares with these constants. */
static double squares(const struct recursion *u, const double *constants)
{
    double sum = u->rss;

    for (size_t i = 0; i < u->k; i++) {
        double e = u->z[i];

        for (size_t j = i; j < u->k; j++)
            e -= u->r[i][j] * constants[j];
        sum += e * e;
    }
    return sum;
}

static double judge_error(const struct recursion *u, struct portolan_model *m, double rss)
{
    struct portolan_model_summary *s = &m->summary;
    double dof = u->n - (double)m->n_terms;

    s->n_rows = s->n_points = u->begun.n_rows + u->state.n_rows;
    s->n_outliers = u->begun.n_outliers;
    s->sigma_is_assumed = !(dof > 0);
    s->sigma = PORTOLAN_MODEL_ASSUMED_ERROR;
    if (dof > 0)
        s->sigma = sqrt(rss / dof);
    else if (u->begun.weighting == PORTOLAN_MODEL_ABSOLUTE)
        s->sigma *= fabs(m->n_terms ? m->terms[0].constant : 0);
    s->dof = fmax(dof, 0);
    s->rms = sqrt(rss / u->weight);
    s->max = fmax(u->begun.max, u->largest);
    s->leave_one_out = u->n_recursive ? sqrt(u->recursive_squares / (double)u->n_recursive)
                                      : u->begun.leave_one_out;
    return s->sigma * s->sigma;
}

static enum portolan_status keep(const struct recursion *u, struct portolan_model *m,
                                 double *columns, const double *constants, const bool *kept,
                                 struct portolan_error *err)
{
    double inverse[MODEL_TERMS * MODEL_TERMS], variance, used[MODEL_TERMS] = {0};
    struct linear_fit fit = {.inverse = inverse};
    enum portolan_status status;
    size_t n = load(u, kept, columns);

    status = linear_full(u->k, n, columns, u->z, &fit, err);
    if (status)
        return status;
    for (size_t j = 0, t = 0; j < u->k; j++) {
        if (!kept[j])
            continue;
        used[j] = constants[j];
        m->terms[t].constant = constants[j];
        m->terms[t].shape = u->shape[j];
        status = expressions_own(&m->expressions, &m->terms[t].shape, u->n_params,
                                 (const char *const *)m->params, err);
        if (status)
            return status;
        m->estimates[t] = (struct estimate){t, CONSTANT_ESTIMATE};
        t++;
    }
    m->n_terms = m->n_estimates = n;
    variance = judge_error(u, m, squares(u, used));
    if (!(m->covariance = portolan_calloc(n * n + 1, sizeof *m->covariance)))
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for a model");
    for (size_t i = 0; i < n * n; i++)
        m->covariance[i] = variance * inverse[i];
    return model_finish(m, err);
}

/* The model of one sum of terms, into the empty M. */
static enum portolan_status fill_model(const struct recursion *u, struct portolan_model *m,
                                       struct portolan_error *err)
{
    double columns[MODEL_TERMS * MODEL_TERMS], constants[MODEL_TERMS];
    bool kept[MODEL_TERMS];
    enum portolan_status status;

    if (!(u->n > 0))
        return portolan_error_set(err, PORTOLAN_EINVAL, "an update without a row has no model");
    m->summary = u->begun;
    memcpy(m->range, u->range, sizeof m->range);
    status = choose_terms(u, m, columns, constants, kept, err);
    return status ? status : keep(u, m, columns, constants, kept, err);
}

enum portolan_status portolan_update_model(const struct portolan_update *u,
                                           struct portolan_model **model,
                                           struct portolan_error *err)
{
    struct portolan_model *m = NULL;
    enum portolan_status status = make_skeleton(u->base, &m, err);

    for (size_t i = 0; i < u->n_parts && !status; i++)
        status = fill_model(&u->parts[i], m->n_pieces ? m->pieces[i].model : m, err);
    if (!status && m->n_pieces) {
        pieces_summarize(m, 0);
        status = model_finish(m, err);
    }
    if (status) {
        portolan_model_destroy(m);
        return status;
    }
    *model = m;
    return PORTOLAN_OK;
}
