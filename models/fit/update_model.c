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
        recursion_solve(&u->parts[i]);
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

/* Columns of R, those of terms whose constants are not 0 only; how many. */
static size_t load(const struct recursion *u, const double *constants, double *columns)
{
    size_t n = 0;

    for (size_t j = 0; j < u->k; j++)
        if (constants[j] != 0) {
            for (size_t i = 0; i < u->k; i++)
                columns[n * u->k + i] = i <= j ? u->r[i][j] : 0;
            n++;
        }
    return n;
}

/* The constants of all terms, 0 of those that go: NOT_TOLD, because rows cannot tell them. */
static enum portolan_status find_constants(const struct recursion *u, struct portolan_model *m,
                                           double *constants, bool *not_told,
                                           struct portolan_error *err)
{
    double columns[MODEL_TERMS * MODEL_TERMS], work[MODEL_TERMS * (MODEL_TERMS + 1)];
    struct linear_fit fit = {0};
    enum portolan_status status;

    for (size_t j = 0; j < u->k; j++)
        constants[j] = 1;
    load(u, constants, columns);
    status = linear_full(u->k, u->k, columns, u->z, &fit, err);
    m->summary.condition = fit.condition;
    memcpy(constants, fit.coefficients, u->k * sizeof *constants);
    if (u->begun.nonnegative) {
        memset(constants, 0, u->k * sizeof *constants);
        linear_nonnegative(u->k, u->k, columns, u->z, work, constants);
    }
    for (size_t j = 0; j < u->k; j++)
        not_told[j] = fit.dependent[j] && constants[j] == 0;
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

/* From N constants, the FIRST of them among them; the variance of a row. */
static double judge_error(const struct recursion *u, struct portolan_model *m, double rss, size_t n,
                          double first)
{
    struct portolan_model_summary *s = &m->summary;
    double dof = u->n - (double)n;

    s->n_rows = s->n_points = u->begun.n_rows + u->state.n_rows;
    s->n_outliers = u->begun.n_outliers;
    s->sigma_is_assumed = !(dof > 0);
    s->sigma = PORTOLAN_MODEL_ASSUMED_ERROR;
    if (dof > 0)
        s->sigma = sqrt(rss / dof);
    else if (u->begun.weighting == PORTOLAN_MODEL_ABSOLUTE)
        s->sigma *= fabs(first);
    s->dof = fmax(dof, 0);
    s->rms = sqrt(rss / u->weight);
    s->max = fmax(u->begun.max, u->largest);
    s->leave_one_out = u->n_recursive ? sqrt(u->recursive_squares / (double)u->n_recursive)
                                      : u->begun.leave_one_out;
    return s->sigma * s->sigma;
}

/* The model of one sum of terms, into the empty M. */
static enum portolan_status fill_model(const struct recursion *u, struct portolan_model *m,
                                       struct portolan_error *err)
{
    double columns[MODEL_TERMS * MODEL_TERMS], inverse[MODEL_TERMS * MODEL_TERMS], variance;
    double constants[MODEL_TERMS], kept[MODEL_TERMS] = {0}, made[MODEL_TERMS * MODEL_TERMS] = {0};
    struct linear_fit fit = {.inverse = inverse};
    bool not_told[MODEL_TERMS];
    enum portolan_status status;
    size_t n, t = 0, d = 0;

    if (!(u->n > 0))
        return portolan_error_set(err, PORTOLAN_EINVAL, "an update without a row has no model");
    m->summary = u->begun;
    memcpy(m->range, u->range, sizeof m->range);
    status = find_constants(u, m, constants, not_told, err);
    n = load(u, constants, columns);
    status = status ? status : linear_full(u->k, n, columns, u->z, &fit, err);
    if (status)
        return status;
    for (size_t j = 0; j < u->k; j++)
        if (constants[j] != 0) {
            made[j * n + t] = 1;
            kept[t++] = constants[j];
        }
    variance = judge_error(u, m, squares(u, constants), n, kept[0]);
    for (size_t i = 0; i < n * n; i++)
        inverse[i] *= variance;
    status = pieces_write(m, u->k, u->shape, n, made, kept, inverse, err);
    for (size_t j = 0; j < u->k && !status; j++)
        if (constants[j] == 0)
            m->dropped[d++].reason =
                not_told[j] ? PORTOLAN_MODEL_DROP_DEPENDENT : PORTOLAN_MODEL_DROP_NEGATIVE;
    return status ? status : model_finish(m, err);
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
