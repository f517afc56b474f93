/* SPDX-License-Identifier: BSD-3-Clause */
/* Online update: R and Q'y by Givens rotations, and two CUSUM tests of the form. */
#include "update_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Mean and spread of normal scores: drift and limit of the first, limit of the second. */
static const double shift_drift = 0.5, shift_limit = 8, scatter_limit = 12;
/* Scores beyond this are cut: one spike says no more. */
static const double most_score = 4;
/* Recursive residuals that a standard deviation is taken from where the model has none. */
enum { ROWS_FOR_SIGMA = 8 };

/* ---- the factor ---- */

/* What is left of B is the row's residual. */
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

/* The constants of all rows so far; u->full tells whether there are any. */
void recursion_solve(struct recursion *u)
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

/* |R'^-1 A|^2: how little the rows so far tell of this one. */
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

/* What a residual is measured by; 0: not known yet. */
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

/* Adds to a sum that never is below 0, and counts the rows since it was 0. */
static void add_up(double *sum, size_t *since, double step)
{
    *sum = fmax(0, *sum + step);
    *since = *sum > 0 ? *since + 1 : 0;
}

static void judge(struct recursion *u, double t, double dof)
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

/* What a residual counts as that is E, where SIGMA is usual. */
static double pull_in(const struct recursion *u, double e, double sigma)
{
    double most = u->gate * fmax(sigma, u->least_error);

    return !(most > 0) || fabs(e) <= most ? e : e < 0 ? -most : most;
}

/* The residual E that the row had beforehand, H its leverage; returns what it counts as. */
static double look_at(struct recursion *u, double e, double h, double weight)
{
    double plain = e / sqrt(weight), recursive = e / sqrt(1 + h), dof, sigma = sigma_of(u, &dof);
    double kept = sigma > 0 ? pull_in(u, e, sigma * sqrt(1 + h)) : e;

    if (sigma > 0)
        judge(u, recursive / sigma, dof);
    u->n_recursive++;
    u->recursive_squares += recursive * recursive;
    u->largest = fmax(u->largest, fabs(plain));
    return kept;
}

/* ---- rows ---- */

/* What the row is divided by. */
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
}

enum portolan_status recursion_take(struct recursion *u, const double *x, double y, double weight,
                                    bool earlier)
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

struct recursion *update_part(struct portolan_update *u, const double *x)
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
