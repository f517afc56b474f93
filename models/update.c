/* SPDX-License-Identifier: BSD-3-Clause */
/* Online update: R and Q'y by Givens rotations, and two CUSUM tests of the form. */
#include "models_internal.h"

#include <portolan/update.h>

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Mean and spread of normal scores: drift and limit of the first, limit of the second. */
static const double shift_drift = 0.5, shift_limit = 8, scatter_limit = 12;
/* Scores beyond this are cut: one spike says no more. */
static const double most_score = 4;
/* Recursive residuals that a standard deviation is taken from where the model has none. */
enum { ROWS_FOR_SIGMA = 8 };

/* Terms, the factor of all rows, and what judges them. */
struct portolan_update {
    size_t n_params, k;
    char *params[MODEL_PARAMS];
    struct portolan_model_shape shape[MODEL_TERMS];
    struct expressions expressions; /* of the shapes */
    double reference[MODEL_TERMS];  /* constants that weigh rows; with HAS_REFERENCE */
    bool has_reference;
    struct portolan_model_range range[MODEL_PARAMS], begun_range[MODEL_PARAMS];
    struct portolan_model_summary begun;
    struct portolan_model *envelope_owner;
    struct portolan_update_options options;

    double r[MODEL_TERMS][MODEL_TERMS], z[MODEL_TERMS]; /* upper triangular */
    double rss, n, weight;                              /* n and weight with forgetting */
    double constant[MODEL_TERMS];                       /* of all rows so far, signs free */
    bool full;                                          /* R has full rank */

    double recursive_squares, largest; /* of recursive residuals, per unit weight */
    size_t n_recursive;
    double up, down, spread; /* CUSUMs */
    struct portolan_update_state state;
};

/* ---- the factor ---- */

/* Rotates the row (A, B) into R and Z; what is left of B is its residual. */
static void rotate(struct portolan_update *u, double *a, double b)
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

static void forget(struct portolan_update *u)
{
    double f = u->options.forget, root = sqrt(f);

    if (f == 1)
        return;
    for (size_t i = 0; i < u->k; i++) {
        for (size_t j = i; j < u->k; j++)
            u->r[i][j] *= root;
        u->z[i] *= root;
    }
    u->rss *= f;
    u->n *= f;
    u->weight *= f;
}

/* The constants of all rows so far; u->full tells whether there are any. */
static void solve(struct portolan_update *u)
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
static double leverage(const struct portolan_update *u, const double *a)
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
static double sigma_of(const struct portolan_update *u, double *dof)
{
    double sigma = u->begun.sigma;

    *dof = u->begun.dof;
    if (u->begun.sigma_is_assumed || !(u->begun.dof >= 1)) {
        *dof = (double)u->n_recursive;
        if (u->n_recursive < ROWS_FOR_SIGMA)
            return 0;
        sigma = sqrt(u->recursive_squares / *dof);
    }
    return fmax(sigma, u->options.least_error);
}

/* The normal score of a t-distributed number (Wallace 1959). */
static double normal_score(double t, double dof)
{
    double score =
        (8 * dof + 1) / (8 * dof + 3) * sqrt(dof * log1p(t * t / dof)) * (t < 0 ? -1 : 1);

    return isfinite(dof) ? score : t;
}

static void judge(struct portolan_update *u, double t, double dof)
{
    struct portolan_update_state *state = &u->state;
    double score = fmax(-most_score, fmin(most_score, normal_score(t, dof))), shift;

    u->up = fmax(0, u->up + score - shift_drift);
    u->down = fmax(0, u->down - score - shift_drift);
    /* log of the likelihood ratio of a spread twice as large */
    u->spread = fmax(0, u->spread + 0.375 * score * score - log(2));
    shift = fmax(u->up, u->down) / shift_limit;
    state->evidence = fmax(shift, u->spread / scatter_limit);
    if (state->sign == PORTOLAN_UPDATE_HOLDS && state->evidence >= 1)
        state->sign = shift >= 1 ? PORTOLAN_UPDATE_SHIFTED : PORTOLAN_UPDATE_SCATTERED;
}

/* What a residual counts as that is E, where SIGMA is usual. */
static double pull_in(const struct portolan_update *u, double e, double sigma)
{
    double most = u->options.gate * fmax(sigma, u->options.least_error);

    return !(most > 0) || fabs(e) <= most ? e : e < 0 ? -most : most;
}

/* The residual E that the row had beforehand, H its leverage; returns what it counts as. */
static double look_at(struct portolan_update *u, double e, double h, double weight)
{
    double plain = e / sqrt(weight), recursive = e / sqrt(1 + h), dof, sigma = sigma_of(u, &dof);
    double kept = sigma > 0 ? pull_in(u, e, sigma * sqrt(1 + h)) : e;

    u->state.off += ((u->n_recursive ? plain : 8 * plain) - u->state.off) / 8;
    if (sigma > 0)
        judge(u, recursive / sigma, dof);
    u->n_recursive++;
    u->recursive_squares += recursive * recursive;
    u->largest = fmax(u->largest, fabs(plain));
    u->state.n_gated += kept != e;
    return kept;
}

/* ---- rows ---- */

static double value_by(const struct portolan_update *u, const double *constants, const double *x)
{
    double value = 0;

    for (size_t j = 0; j < u->k; j++)
        value += constants[j] * shape_value(&u->shape[j], u->n_params, x);
    return value;
}

/* What the row is divided by. */
static double row_scale(const struct portolan_update *u, const double *x, double y)
{
    if (u->begun.weighting == PORTOLAN_MODEL_ABSOLUTE)
        return 1;
    return fmax(fabs(u->has_reference ? value_by(u, u->reference, x) : y), u->begun.floor);
}

static void widen(struct portolan_update *u, const double *x)
{
    for (size_t p = 0; p < u->n_params; p++) {
        u->range[p].min = fmin(u->range[p].min, x[p]);
        u->range[p].max = fmax(u->range[p].max, x[p]);
    }
}

/* Takes a row in; EARLIER ones are of those that the model came from and judge nothing. */
static enum portolan_status take(struct portolan_update *u, const double *x, double y,
                                 double weight, bool earlier)
{
    double a[MODEL_TERMS], scale, b;

    if (!(fabs(y) <= PORTOLAN_MODEL_MAX_VALUE) ||
        !(weight >= 0 && weight <= PORTOLAN_MODEL_MAX_VALUE))
        return PORTOLAN_EINVAL;
    if (weight == 0)
        return PORTOLAN_OK;
    scale = sqrt(weight) / row_scale(u, x, y);
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
    forget(u);
    rotate(u, a, b);
    u->n++;
    u->weight += weight;
    widen(u, x);
    return PORTOLAN_OK;
}

static bool is_outside(const struct portolan_update *u, const double *x)
{
    for (size_t p = 0; p < u->n_params; p++)
        if (x[p] < u->begun_range[p].min || x[p] > u->begun_range[p].max)
            return true;
    return false;
}

enum portolan_status portolan_update_add(struct portolan_update *u, const double *x, double y,
                                         double weight)
{
    enum portolan_status status;

    for (size_t p = 0; p < u->n_params; p++)
        if (!isfinite(x[p]))
            return PORTOLAN_EINVAL;
    status = take(u, x, y, weight, false);
    if (status || weight == 0)
        return status;
    u->state.n_rows++;
    u->state.n_outside += is_outside(u, x);
    solve(u);
    return PORTOLAN_OK;
}

/* ---- beginning ---- */

static enum portolan_status make(size_t n_params, const char *const *params,
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
    if (!(u = portolan_calloc(1, sizeof *u)))
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for an update");
    u->n_params = n_params;
    u->options = *options;
    u->options.forget = options->forget > 0 ? options->forget : 1;
    for (size_t p = 0; p < n_params; p++) {
        u->range[p] = (struct portolan_model_range){.min = INFINITY, .max = -INFINITY};
        if (!(u->params[p] = portolan_strdup(params[p]))) {
            portolan_update_destroy(u);
            return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for an update");
        }
    }
    *update = u;
    return PORTOLAN_OK;
}

static void begin(struct portolan_update *u)
{
    memcpy(u->begun_range, u->range, sizeof u->range);
    u->state.n_begun = u->begun.n_rows;
    solve(u);
}

static void choose_least_error(struct portolan_update *u)
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
    for (size_t i = 0; i < rows->n_rows && !status; i++)
        status = take(u, rows->x ? rows->x + i * u->n_params : NULL, rows->y[i],
                      rows->weight ? rows->weight[i] : 1, true);
    return status ? portolan_error_set(err, status, "a row has a number that no fit takes")
                  : PORTOLAN_OK;
}

/*
 * The covariance C = v (A'A)^-1 = L L' gives rows sqrt(v) L^-1 that say what the model's rows said,
 * of exponents that were fitted as well; those stay where they are.
 */
static enum portolan_status take_covariance(struct portolan_update *u,
                                            const struct portolan_model *m,
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
        rotate(u, a, b);
    }
    free(root);
    u->rss = m->summary.dof * m->summary.sigma * m->summary.sigma;
    u->n = u->weight = (double)m->summary.n_rows;
    memcpy(u->range, m->range, sizeof u->range);
    return PORTOLAN_OK;
}

static enum portolan_status copy_envelope(struct portolan_update *u, const struct portolan_model *m,
                                          struct portolan_error *err)
{
    enum portolan_status status = portolan_model_create(m->n_params, (const char *const *)u->params,
                                                        NULL, 0, &u->envelope_owner, err);

    return status ? status : portolan_model_describe(u->envelope_owner, &m->envelope, err);
}

static enum portolan_status own_expressions(struct portolan_update *u, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t j = 0; j < u->k && !status; j++)
        status = expressions_own(&u->expressions, &u->shape[j], u->n_params,
                                 (const char *const *)u->params, err);
    return status;
}

enum portolan_status portolan_update_create(const struct portolan_model *m,
                                            const struct portolan_model_data *rows,
                                            const struct portolan_update_options *options,
                                            struct portolan_update **update,
                                            struct portolan_error *err)
{
    struct portolan_update *u = NULL;
    enum portolan_status status =
        make(m->n_params, (const char *const *)m->params, options, &u, err);

    if (status)
        return status;
    u->has_reference = true;
    u->begun = m->summary;
    choose_least_error(u);
    for (size_t j = 0; j < m->n_terms; j++) {
        u->shape[u->k] = m->terms[j].shape;
        u->reference[u->k++] = m->terms[j].constant;
    }
    for (size_t j = 0; rows && j < m->n_dropped && u->k < MODEL_TERMS; j++)
        if (m->dropped[j].reason == PORTOLAN_MODEL_DROP_NEGATIVE)
            u->shape[u->k++] = m->dropped[j].shape;
    status = own_expressions(u, err);
    if (!status)
        status = copy_envelope(u, m, err);
    if (!status)
        status = rows ? take_rows(u, rows, err) : take_covariance(u, m, err);
    if (status) {
        portolan_update_destroy(u);
        return status;
    }
    for (size_t p = 0; p < u->n_params; p++) {
        u->range[p].drift_below = m->range[p].drift_below;
        u->range[p].drift_above = m->range[p].drift_above;
    }
    begin(u);
    *update = u;
    return PORTOLAN_OK;
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
    if ((status = make(n_params, params, options, &u, err)))
        return status;
    u->k = n_shapes;
    memcpy(u->shape, shapes, n_shapes * sizeof *shapes);
    if ((status = own_expressions(u, err))) {
        portolan_update_destroy(u);
        return status;
    }
    u->begun = (struct portolan_model_summary){.family = PORTOLAN_MODEL_GIVEN,
                                               .nonnegative = true,
                                               .sigma_is_assumed = true,
                                               .confidence = 0.95};
    if (model_options) {
        u->begun.nonnegative = !model_options->allow_negative;
        u->begun.weighting = model_options->weighting;
        u->begun.floor = model_options->floor;
        if (model_options->confidence > 0)
            u->begun.confidence = model_options->confidence;
    }
    if (u->begun.weighting == PORTOLAN_MODEL_RELATIVE && !(u->begun.floor > 0))
        u->begun.floor = 1 / PORTOLAN_MODEL_MAX_VALUE;
    choose_least_error(u);
    begin(u);
    *update = u;
    return PORTOLAN_OK;
}

void portolan_update_destroy(struct portolan_update *u)
{
    if (!u)
        return;
    for (size_t p = 0; p < u->n_params; p++)
        free(u->params[p]);
    portolan_model_destroy(u->envelope_owner);
    expressions_clear(&u->expressions);
    free(u);
}

/* ---- the model of all rows so far ---- */

/* Columns of R, those of KEPT terms only. */
static size_t load(const struct portolan_update *u, const bool *kept, double *columns)
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
static enum portolan_status choose_terms(const struct portolan_update *u, struct portolan_model *m,
                                         double *columns, double *constants, bool *kept,
                                         struct portolan_error *err)
{
    struct linear_fit fit = {0};
    enum portolan_status status;

    for (size_t j = 0; j < u->k; j++)
        kept[j] = true;
    load(u, kept, columns);
    status = linear_full(u->k, u->k, columns, u->z, &fit, err);
    m->summary.condition = fit.condition;
    memcpy(constants, fit.coefficients, u->k * sizeof *constants);
    if (!status && u->begun.nonnegative &&
        (status = linear_nonnegative(u->k, u->k, columns, u->z, constants)))
        portolan_error_set(err, status, "no memory for a fit");
    for (size_t j = 0; j < u->k && !status; j++) {
        bool dependent = fit.dependent[j] && constants[j] == 0;

        kept[j] = !dependent && !(u->begun.nonnegative && constants[j] <= 0);
        if (kept[j])
            continue;
        m->dropped[m->n_dropped] = (struct portolan_model_dropped){
            u->shape[j], dependent ? PORTOLAN_MODEL_DROP_DEPENDENT : PORTOLAN_MODEL_DROP_NEGATIVE};
        status = expressions_own(&m->expressions, &m->dropped[m->n_dropped++].shape, u->n_params,
                                 (const char *const *)u->params, err);
    }
    return status;
}

/* The residual sum of squares with these constants. */
static double squares(const struct portolan_update *u, const double *constants)
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

static double judge_error(const struct portolan_update *u, struct portolan_model *m, double rss)
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

static enum portolan_status keep(const struct portolan_update *u, struct portolan_model *m,
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
                                 (const char *const *)u->params, err);
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

enum portolan_status portolan_update_model(const struct portolan_update *u,
                                           struct portolan_model **model,
                                           struct portolan_error *err)
{
    struct portolan_model *m = NULL;
    double columns[MODEL_TERMS * MODEL_TERMS], constants[MODEL_TERMS];
    bool kept[MODEL_TERMS];
    enum portolan_status status;

    if (!(u->n > 0))
        return portolan_error_set(err, PORTOLAN_EINVAL, "an update without a row has no model");
    status = model_create(u->n_params, (const char *const *)u->params, &m, err);
    if (status)
        return status;
    m->summary = u->begun;
    memcpy(m->range, u->range, sizeof m->range);
    status = choose_terms(u, m, columns, constants, kept, err);
    if (!status)
        status = keep(u, m, columns, constants, kept, err);
    if (!status && u->envelope_owner)
        status = portolan_model_describe(m, portolan_model_peek_envelope(u->envelope_owner), err);
    if (status) {
        portolan_model_destroy(m);
        return status;
    }
    *model = m;
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
