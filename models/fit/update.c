/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Online update: R and Q'y by Givens rotations, two CUSUM tests of the form, and the model from all
 * rows so far.
 */
#include "pieces_internal.h"

#include <portolan/update.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One sum of terms: the factor of all its rows, and the tests of the form. */
struct recursion {
    size_t n_params, k;
    struct portolan_model_shape shape[MODEL_TERMS];
    struct expressions expressions; /* of the shapes */
    double reference[MODEL_TERMS];  /* constants of the values that give rows their weights */
    struct portolan_model_range range[MODEL_PARAMS];
    struct hull hull;
    struct portolan_model_summary begun;
    double gate, least_error;

    double r[MODEL_TERMS][MODEL_TERMS], z[MODEL_TERMS]; /* upper triangular */
    double rss, n, weight;
    double constant[MODEL_TERMS]; /* of all rows so far, signs free */
    bool full;                    /* R has full rank */

    double recursive_squares, largest; /* of recursive residuals, per unit weight */
    size_t n_recursive;
    double up, down, spread;                   /* CUSUMs */
    size_t up_since, down_since, spread_since; /* rows since they were 0 */
    struct portolan_update_state state;
};

struct portolan_update {
    size_t n_parts; /* one per piece */
    struct recursion *parts;
    struct portolan_model *base; /* pieces and breaks with empty models, envelope, summary */
    struct portolan_update_state state;
};

/* The CUSUM tests of normal scores: drift and limit for the mean, limit for the spread. */
static const double shift_drift = 0.5, shift_limit = 8, scatter_limit = 12;
/* Larger scores count as this one, so that one spike does not decide. */
static const double most_score = 4;
/* Number of recursive residuals that give a standard deviation if the model has none. */
enum { ROWS_FOR_SIGMA = 8 };

/* ---- the factor ---- */

/* Rotates a row into R and z; the rest of B is the row's residual. */
static void rotate_row(struct recursion *u, double *a, double b)
{
    for (size_t j = 0; j < u->k; j++) {
        double length, c, s;

        if (a[j] == 0)
            continue;
        length = hypot(u->r[j][j], a[j]);
        c = u->r[j][j] / length;
        s = a[j] / length;
        u->r[j][j] = length;
        for (size_t i = j + 1; i < u->k; i++) {
            double upper = u->r[j][i];

            u->r[j][i] = c * upper + s * a[i];
            a[i] = c * a[i] - s * upper;
        }
        length = u->z[j];
        u->z[j] = c * length + s * b;
        b = c * b - s * length;
    }
    u->rss += b * b;
}

/* Solves for the constants from all rows so far; u->full tells whether they exist. */
static void recursion_solve(struct recursion *u)
{
    double length[MODEL_TERMS] = {0};

    u->full = true;
    for (size_t j = 0; j < u->k; j++) {
        for (size_t i = 0; i <= j; i++)
            length[j] = hypot(length[j], u->r[i][j]);
        if (!(fabs(u->r[j][j]) > 1e-11 * length[j]) || !(length[j] > 0))
            u->full = false;
    }
    for (size_t j = u->k; u->full && j-- > 0;) {
        u->constant[j] = u->z[j];
        for (size_t i = j + 1; i < u->k; i++)
            u->constant[j] -= u->r[j][i] * u->constant[i];
        u->constant[j] /= u->r[j][j];
    }
}

/* |R'^-1 A|^2: the larger, the less the earlier rows tell about this one. */
static double leverage(const struct recursion *u, const double *a)
{
    double w[MODEL_TERMS], sum = 0;

    for (size_t j = 0; j < u->k; j++) {
        w[j] = a[j];
        for (size_t i = 0; i < j; i++)
            w[j] -= u->r[i][j] * w[i];
        w[j] /= u->r[j][j];
        sum += w[j] * w[j];
    }
    return sum;
}

/* ---- judging the form ---- */

/* The standard deviation of residuals; 0: not known yet. */
static double sigma_of(const struct recursion *u, double *dof)
{
    double sigma = u->begun.sigma;

    *dof = u->begun.dof;
    if (u->begun.sigma_is_assumed || !(u->begun.dof >= 1)) {
        *dof = (double)u->n_recursive;
        if (u->n_recursive < ROWS_FOR_SIGMA)
            return 0;
        sigma = sqrt(u->recursive_squares / *dof);
    }
    return fmax(sigma, u->least_error);
}

/* The normal score of a t-distributed number (Wallace 1959). */
static double normal_score(double t, double dof)
{
    double score =
        (8 * dof + 1) / (8 * dof + 3) * sqrt(dof * log1p(t * t / dof)) * (t < 0 ? -1 : 1);

    return isfinite(dof) ? score : t;
}

/* Adds STEP to a sum that is kept from going below 0, and counts the rows since it was 0. */
static void add_up(double *sum, size_t *since, double step)
{
    *sum = fmax(0, *sum + step);
    *since = *sum > 0 ? *since + 1 : 0;
}

static void judge_form(struct recursion *u, double t, double dof)
{
    struct portolan_update_state *state = &u->state;
    double score = fmax(-most_score, fmin(most_score, normal_score(t, dof))), shift, scatter;

    add_up(&u->up, &u->up_since, score - shift_drift);
    add_up(&u->down, &u->down_since, -score - shift_drift);
    /* log of the likelihood ratio of a spread twice as large */
    add_up(&u->spread, &u->spread_since, 0.375 * score * score - log(2));
    shift = fmax(u->up, u->down) / shift_limit;
    scatter = u->spread / scatter_limit;
    if (state->sign == PORTOLAN_UPDATE_HOLDS && fmax(shift, scatter) >= 1)
        state->sign = shift >= 1 ? PORTOLAN_UPDATE_SHIFTED : PORTOLAN_UPDATE_SCATTERED;
    state->since = state->sign == PORTOLAN_UPDATE_SHIFTED
                       ? u->up > u->down ? u->up_since : u->down_since
                       : u->spread_since;
}

/* The residual E, cut at the gate, where SIGMA is usual. */
static double pull_in(const struct recursion *u, double e, double sigma)
{
    double most = u->gate * fmax(sigma, u->least_error);

    return !(most > 0) || fabs(e) <= most ? e : e < 0 ? -most : most;
}

/* Judges the form by E, the row's residual before it is taken in, and its leverage H; returns E cut
 * at the gate. */
static double look_at(struct recursion *u, double e, double h, double weight)
{
    double plain = e / sqrt(weight), recursive = e / sqrt(1 + h), dof, sigma = sigma_of(u, &dof);
    double kept = sigma > 0 ? pull_in(u, e, sigma * sqrt(1 + h)) : e;

    if (sigma > 0)
        judge_form(u, recursive / sigma, dof);
    u->n_recursive++;
    u->recursive_squares += recursive * recursive;
    u->largest = fmax(u->largest, fabs(plain));
    return kept;
}

/* ---- rows ---- */

/* The value that the row is divided by. */
static double row_scale(const struct recursion *u, const double *x)
{
    double value = 0;

    if (u->begun.weighting == PORTOLAN_MODEL_ABSOLUTE)
        return 1;
    for (size_t j = 0; j < u->k; j++)
        value += u->reference[j] * shape_value(&u->shape[j], u->n_params, x);
    return fmax(fabs(value), u->begun.floor);
}

static void widen(struct recursion *u, const double *x)
{
    for (size_t p = 0; p < u->n_params; p++) {
        u->range[p].min = fmin(u->range[p].min, x[p]);
        u->range[p].max = fmax(u->range[p].max, x[p]);
    }
    hull_add(&u->hull, u->n_params, x);
}

/* Takes a row in. EARLIER: the model was fitted from it, so it does not judge the form. */
static enum portolan_status recursion_take(struct recursion *u, const double *x, double y,
                                           double weight, bool earlier)
{
    double a[MODEL_TERMS], scale, b;

    if (!(fabs(y) <= PORTOLAN_MODEL_MAX_VALUE) ||
        !(weight >= 0 && weight <= PORTOLAN_MODEL_MAX_VALUE))
        return PORTOLAN_EINVAL;
    if (weight == 0)
        return PORTOLAN_OK;
    scale = sqrt(weight) / row_scale(u, x);
    for (size_t j = 0; j < u->k; j++) {
        a[j] = scale * shape_value(&u->shape[j], u->n_params, x);
        if (!isfinite(a[j]))
            return PORTOLAN_EINVAL;
    }
    b = scale * y;
    if (!isfinite(b))
        return PORTOLAN_EINVAL;
    if (earlier || u->full) {
        double expected = 0;

        for (size_t j = 0; j < u->k; j++)
            expected += a[j] * (earlier ? u->reference[j] : u->constant[j]);
        b = expected + (earlier ? pull_in(u, b - expected, u->begun.sigma)
                                : look_at(u, b - expected, leverage(u, a), weight));
    }
    rotate_row(u, a, b);
    u->n++;
    u->weight += weight;
    widen(u, x);
    return PORTOLAN_OK;
}

/* The part of U that X belongs to; NULL if a ratio is not a number. */
static struct recursion *update_part(struct portolan_update *u, const double *x)
{
    size_t i = u->n_parts > 1 ? model_find_piece(u->base, x) : 0;

    return i < u->n_parts ? &u->parts[i] : NULL;
}

enum portolan_status portolan_update_add(struct portolan_update *u, const double *x, double y,
                                         double weight)
{
    struct recursion *part;
    enum portolan_status status;

    for (size_t p = 0; p < u->base->n_params; p++)
        if (!isfinite(x[p]))
            return PORTOLAN_EINVAL;
    if (!(part = update_part(u, x)))
        return PORTOLAN_EINVAL;
    status = recursion_take(part, x, y, weight, false);
    if (status || weight == 0)
        return status;
    part->state.n_rows++;
    recursion_solve(part);
    u->state = (struct portolan_update_state){.n_rows = u->state.n_rows + 1};
    for (size_t i = 0; i < u->n_parts && !u->state.sign; i++) {
        u->state.sign = u->parts[i].state.sign;
        u->state.since = u->parts[i].state.since;
    }
    return PORTOLAN_OK;
}

const struct portolan_update_state *portolan_update_peek_state(const struct portolan_update *u)
{
    return &u->state;
}

const char *portolan_update_sign_text(enum portolan_update_sign sign)
{
    static const char *const texts[] = {"holds", "shifted", "scattered"};

    return texts[sign];
}

/* When the form is judged, a smaller relative standard deviation counts as this one. */
static const double least_error = 0.01;

/* Makes a model with M's envelope, and with its pieces and breaks, but empty. */
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
        s->hull = m->hull;
        status = portolan_model_describe(s, &m->envelope, err);
    }
    return model_give(status, s, skeleton);
}

/* ---- the beginning ---- */

static enum portolan_status take_rows(struct portolan_update *u,
                                      const struct portolan_model_data *rows,
                                      struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    if (rows->n_params != u->base->n_params)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "the rows have %zu parameters, but the model has %zu",
                                  rows->n_params, u->base->n_params);
    for (size_t p = 0; p < u->base->n_params; p++)
        if (strcmp(rows->params[p], u->base->params[p]) != 0)
            return portolan_error_set(err, PORTOLAN_EINVAL,
                                      "the rows have parameter '%s' where the model has '%s'",
                                      rows->params[p], u->base->params[p]);
    for (size_t i = 0; i < rows->n_rows && !status; i++) {
        const double *x = rows->x ? rows->x + i * u->base->n_params : NULL;
        struct recursion *part = update_part(u, x);

        status = part
                     ? recursion_take(part, x, rows->y[i], rows->weight ? rows->weight[i] : 1, true)
                     : PORTOLAN_EINVAL;
    }
    return status
               ? portolan_error_set(err, status, "a row has a number that cannot be used in a fit")
               : PORTOLAN_OK;
}

/* Takes the terms of M, the dropped ones that may come back, and the drifts of its ranges. */
static enum portolan_status take_terms(struct recursion *part, const struct portolan_model *m,
                                       struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    part->n_params = m->n_params;
    part->begun = m->summary;
    part->least_error = m->summary.weighting == PORTOLAN_MODEL_RELATIVE ? least_error : 0;
    for (size_t p = 0; p < m->n_params; p++) {
        part->range[p] = m->range[p];
        part->range[p].min = INFINITY;
        part->range[p].max = -INFINITY;
    }
    hull_begin(&part->hull);
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

enum portolan_status portolan_update_create(const struct portolan_model *m,
                                            const struct portolan_model_data *rows, double gate,
                                            struct portolan_update **update,
                                            struct portolan_error *err)
{
    size_t n = portolan_model_n_pieces(m);
    struct portolan_update *u;
    enum portolan_status status;

    if (!(gate >= 0))
        return portolan_error_set(err, PORTOLAN_EINVAL, "the gate of an update must be at least 0");
    u = portolan_calloc(1, sizeof *u);
    if (!u || !(u->parts = portolan_calloc(n, sizeof *u->parts))) {
        portolan_update_destroy(u);
        return portolan_no_memory(err);
    }
    u->n_parts = n;
    status = make_skeleton(m, &u->base, err);
    for (size_t i = 0; i < n && !status; i++) {
        u->parts[i].gate = gate;
        status = take_terms(&u->parts[i], portolan_model_peek_piece(m, i, NULL, NULL), err);
    }
    status = status ? status : take_rows(u, rows, err);
    if (status) {
        portolan_update_destroy(u);
        return status;
    }
    for (size_t i = 0; i < n; i++)
        recursion_solve(&u->parts[i]);
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

/* Copies the columns of R whose constants are not 0; returns their number. */
static size_t load_columns(const struct recursion *u, const double *constants, double *columns)
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

/* Finds the constants of all terms, 0 for dropped ones; NOT_TOLD: the rows cannot determine it. */
static enum portolan_status find_constants(const struct recursion *u, struct portolan_model *m,
                                           double *constants, bool *not_told,
                                           struct portolan_error *err)
{
    double columns[MODEL_TERMS * MODEL_TERMS], work[MODEL_TERMS * (MODEL_TERMS + 1)];
    struct linear_fit fit = {0};
    enum portolan_status status;

    for (size_t j = 0; j < u->k; j++)
        constants[j] = 1;
    load_columns(u, constants, columns);
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
static double residual_squares(const struct recursion *u, const double *constants)
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

/* Sets M's errors from RSS, which N constants leave, FIRST being the first; returns the variance of
 * a row. */
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

/* Fills the empty M with the model of one sum of terms. */
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
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "an update needs at least one row to make a model");
    m->summary = u->begun;
    memcpy(m->range, u->range, sizeof m->range);
    m->hull = u->hull;
    status = find_constants(u, m, constants, not_told, err);
    n = load_columns(u, constants, columns);
    status = status ? status : linear_full(u->k, n, columns, u->z, &fit, err);
    if (status)
        return status;
    for (size_t j = 0; j < u->k; j++)
        if (constants[j] != 0) {
            made[j * n + t] = 1;
            kept[t++] = constants[j];
        }
    variance = judge_error(u, m, residual_squares(u, constants), n, kept[0]);
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
    return model_give(status, m, model);
}

enum portolan_status portolan_update_renew(const struct portolan_update *u,
                                           struct portolan_model *model, struct portolan_error *err)
{
    struct portolan_model *now, old = *model;
    enum portolan_status status = portolan_update_model(u, &now, err);

    if (status)
        return status;
    *model = *now;
    *now = old;
    portolan_model_destroy(now);
    return PORTOLAN_OK;
}
