/* SPDX-License-Identifier: BSD-3-Clause */
/* Where an online update begins: at a model and its rows, at its covariance, or at bare terms. */
#include "update_internal.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum portolan_status make(size_t n_params, const char *const *params, size_t n_parts,
                                 const struct portolan_update_options *options,
                                 struct portolan_update **update, struct portolan_error *err)
{
    static const struct portolan_update_options none;
    struct portolan_update *u;

    options = options ? options : &none;
    if (!(options->forget >= 0 && options->forget <= 1) || !(options->gate >= 0) ||
        !(options->least_error >= 0))
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "an update forgets by a factor between 0 and 1, and its gate and "
                                  "least error are at least 0");
    u = portolan_calloc(1, sizeof *u);
    if (!u || !(u->parts = portolan_calloc(n_parts, sizeof *u->parts)))
        goto nomem;
    u->n_params = n_params;
    u->n_parts = n_parts;
    for (size_t p = 0; p < n_params; p++)
        if (!(u->params[p] = portolan_strdup(params[p])))
            goto nomem;
    for (size_t i = 0; i < n_parts; i++) {
        struct recursion *part = &u->parts[i];

        part->n_params = n_params;
        part->options = *options;
        part->options.forget = options->forget > 0 ? options->forget : 1;
        for (size_t p = 0; p < n_params; p++)
            part->range[p] = (struct portolan_model_range){.min = INFINITY, .max = -INFINITY};
    }
    *update = u;
    return PORTOLAN_OK;
nomem:
    portolan_update_destroy(u);
    return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for an update");
}

static void choose_least_error(struct recursion *u)
{
    if (u->begun.weighting == PORTOLAN_MODEL_RELATIVE && u->options.least_error == 0)
        u->options.least_error = 0.01;
}

static enum portolan_status take_rows(struct portolan_update *u,
                                      const struct portolan_model_data *rows,
                                      struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    if (rows->n_params != u->n_params)
        return portolan_error_set(err, PORTOLAN_EINVAL, "rows of %zu parameters, model of %zu",
                                  rows->n_params, u->n_params);
    for (size_t p = 0; p < u->n_params; p++)
        if (strcmp(rows->params[p], u->params[p]) != 0)
            return portolan_error_set(err, PORTOLAN_EINVAL, "rows of '%s', model of '%s'",
                                      rows->params[p], u->params[p]);
    for (size_t i = 0; i < rows->n_rows && !status; i++) {
        const double *x = rows->x ? rows->x + i * u->n_params : NULL;
        struct recursion *part = update_part(u, x);

        status = part
                     ? recursion_take(part, x, rows->y[i], rows->weight ? rows->weight[i] : 1, true)
                     : PORTOLAN_EINVAL;
    }
    return status ? portolan_error_set(err, status, "a row has a number that no fit takes")
                  : PORTOLAN_OK;
}

/*
 * The covariance C = v (A'A)^-1 = L L' gives rows sqrt(v) L^-1 that say what the model's rows said,
 * of exponents that were fitted as well; those stay where they are.
 */
static enum portolan_status take_covariance(struct recursion *u, const struct portolan_model *m,
                                            struct portolan_error *err)
{
    size_t n = m->n_estimates;
    double *root = n && m->covariance ? portolan_calloc(n * n, sizeof *root) : NULL;
    double a[MODEL_TERMS];

    if (!n || !m->covariance || !(m->summary.sigma > 0))
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "a model without a covariance cannot be updated without its "
                                  "rows");
    if (!root)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for an update");
    memcpy(root, m->covariance, n * n * sizeof *root);
    if (LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', (lapack_int)n, root, (lapack_int)n) ||
        LAPACKE_dtrtri(LAPACK_ROW_MAJOR, 'L', 'N', (lapack_int)n, root, (lapack_int)n)) {
        free(root);
        return portolan_error_set(err, PORTOLAN_EINVAL, "the model's covariance has not full rank");
    }
    for (size_t i = 0; i < n; i++) {
        double b = 0;

        memset(a, 0, sizeof a);
        for (size_t j = 0; j <= i; j++)
            if (m->estimates[j].param == CONSTANT_ESTIMATE)
                a[m->estimates[j].term] = m->summary.sigma * root[i * n + j];
        for (size_t j = 0; j < u->k; j++)
            b += a[j] * u->reference[j];
        recursion_rotate(u, a, b);
    }
    free(root);
    u->rss = m->summary.dof * m->summary.sigma * m->summary.sigma;
    u->n = u->weight = (double)m->summary.n_rows;
    memcpy(u->range, m->range, sizeof u->range);
    return PORTOLAN_OK;
}

static enum portolan_status own_expressions(struct portolan_update *u, struct recursion *part,
                                            struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t j = 0; j < part->k && !status; j++)
        status = expressions_own(&part->expressions, &part->shape[j], u->n_params,
                                 (const char *const *)u->params, err);
    return status;
}

/* The terms of M, and with its rows at hand those that may come back. */
static enum portolan_status take_terms(struct portolan_update *u, struct recursion *part,
                                       const struct portolan_model *m, bool with_dropped,
                                       struct portolan_error *err)
{
    part->has_reference = true;
    part->begun = m->summary;
    choose_least_error(part);
    for (size_t j = 0; j < m->n_terms; j++) {
        part->shape[part->k] = m->terms[j].shape;
        part->reference[part->k++] = m->terms[j].constant;
    }
    for (size_t j = 0; with_dropped && j < m->n_dropped && part->k < MODEL_TERMS; j++)
        if (m->dropped[j].reason == PORTOLAN_MODEL_DROP_NEGATIVE)
            part->shape[part->k++] = m->dropped[j].shape;
    return own_expressions(u, part, err);
}

static enum portolan_status fill(struct portolan_update *u, const struct portolan_model *m,
                                 const struct portolan_model_data *rows, struct portolan_error *err)
{
    enum portolan_status status = update_skeleton(m, &u->base, err);

    for (size_t i = 0; i < u->n_parts && !status; i++) {
        const struct portolan_model *piece = portolan_model_peek_piece(m, i, NULL, NULL);

        status = take_terms(u, &u->parts[i], piece, rows != NULL, err);
        if (!status && !rows)
            status = take_covariance(&u->parts[i], piece, err);
    }
    if (!status && rows)
        status = take_rows(u, rows, err);
    for (size_t i = 0; i < u->n_parts && !status; i++) {
        const struct portolan_model *piece = portolan_model_peek_piece(m, i, NULL, NULL);

        for (size_t p = 0; p < u->n_params; p++) {
            u->parts[i].range[p].drift_below = piece->range[p].drift_below;
            u->parts[i].range[p].drift_above = piece->range[p].drift_above;
        }
        recursion_begin(&u->parts[i]);
        u->state.n_begun += u->parts[i].state.n_begun;
    }
    return status;
}

enum portolan_status portolan_update_create(const struct portolan_model *m,
                                            const struct portolan_model_data *rows,
                                            const struct portolan_update_options *options,
                                            struct portolan_update **update,
                                            struct portolan_error *err)
{
    struct portolan_update *u = NULL;
    enum portolan_status status = make(m->n_params, (const char *const *)m->params,
                                       portolan_model_n_pieces(m), options, &u, err);

    if (status)
        return status;
    if ((status = fill(u, m, rows, err))) {
        portolan_update_destroy(u);
        return status;
    }
    *update = u;
    return PORTOLAN_OK;
}

/* What a fit without rows would say of itself. */
static struct portolan_model_summary start_summary(const struct portolan_model_options *options)
{
    struct portolan_model_summary s = {.family = PORTOLAN_MODEL_GIVEN,
                                       .nonnegative = true,
                                       .sigma_is_assumed = true,
                                       .sigma_repeat = NAN,
                                       .leave_one_out = NAN,
                                       .confidence = 0.95};

    if (options) {
        s.nonnegative = !options->allow_negative;
        s.weighting = options->weighting;
        s.floor = options->floor;
        if (options->confidence > 0)
            s.confidence = options->confidence;
    }
    if (s.weighting == PORTOLAN_MODEL_RELATIVE && !(s.floor > 0))
        s.floor = 1 / PORTOLAN_MODEL_MAX_VALUE;
    return s;
}

enum portolan_status
portolan_update_create_terms(size_t n_params, const char *const *params,
                             const struct portolan_model_shape *shapes, size_t n_shapes,
                             const struct portolan_model_options *model_options,
                             const struct portolan_update_options *options,
                             struct portolan_update **update, struct portolan_error *err)
{
    const char *wrong = model_check_params(n_params, params);
    struct portolan_update *u = NULL;
    enum portolan_status status;

    if (wrong)
        return portolan_error_set(err, PORTOLAN_EINVAL, "%s", wrong);
    if (!n_shapes || n_shapes > MODEL_TERMS)
        return portolan_error_set(err, PORTOLAN_EINVAL, "an update takes 1 to %d terms, not %zu",
                                  (int)MODEL_TERMS, n_shapes);
    if ((status = make(n_params, params, 1, options, &u, err)))
        return status;
    u->parts[0].k = n_shapes;
    u->parts[0].begun = start_summary(model_options);
    memcpy(u->parts[0].shape, shapes, n_shapes * sizeof *shapes);
    status = own_expressions(u, &u->parts[0], err);
    if (!status)
        status = model_create(n_params, params, &u->base, err);
    if (status) {
        portolan_update_destroy(u);
        return status;
    }
    choose_least_error(&u->parts[0]);
    recursion_begin(&u->parts[0]);
    *update = u;
    return PORTOLAN_OK;
}

void portolan_update_destroy(struct portolan_update *u)
{
    if (!u)
        return;
    for (size_t p = 0; p < u->n_params; p++)
        free(u->params[p]);
    for (size_t i = 0; u->parts && i < u->n_parts; i++)
        expressions_clear(&u->parts[i].expressions);
    free(u->parts);
    portolan_model_destroy(u->base);
    free(u);
}
