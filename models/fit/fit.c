/* SPDX-License-Identifier: BSD-3-Clause */
/* The public fits: rows, a search or given terms, and the final fit with its errors. */
#include "models_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The final fit while it is being made. */
struct final {
    struct search *s;
    struct portolan_model *model;
    struct candidate c;
    bool given;      /* terms of the caller */
    double *columns; /* MODEL_ESTIMATES × m */
    double *residual, *leverage, *inverse;
    size_t n_estimates;
    double rss;
};

/* ---- the constants ---- */

static void drop_term(struct final *f, size_t term, enum portolan_model_drop reason)
{
    struct portolan_model *m = f->model;

    m->dropped[m->n_dropped++] =
        (struct portolan_model_dropped){.shape = f->c.shape[term], .reason = reason};
    for (size_t j = term; j + 1 < f->c.k; j++) {
        f->c.shape[j] = f->c.shape[j + 1];
        f->c.constant[j] = f->c.constant[j + 1];
        f->c.fitted[j] = f->c.fitted[j + 1];
        memcpy(f->c.listed[j], f->c.listed[j + 1], sizeof f->c.listed[j]);
    }
    f->c.k--;
}

/* HUBER: 95 % as efficient as least squares if errors are normal; larger residuals, in standard
 * deviations, count less. They do so only if one of them is above SUSPICIOUS. */
static const double huber = 1.345, suspicious = 2.5;
enum { HUBER_DOF = 4 };

/* The standard deviation of the residuals by their median, at least that of the repetitions. */
static double robust_sigma(struct final *f)
{
    const struct points *pts = f->s->points;
    double *sizes = f->s->work, sigma;
    size_t n = 0;

    for (size_t i = 0; i < pts->m; i++)
        if (f->s->factor[i] > 0)
            sizes[n++] = fabs(f->residual[i]);
    portolan_sort_numbers(n, sizes);
    sigma = 1.4826 * sizes[n / 2] * sqrt((double)n / (double)(n - f->c.k));
    return pts->repeat_sigma > 0 ? fmax(sigma, sqrt(pts->place_share) * pts->repeat_sigma) : sigma;
}

/* Applies Huber's weights if a residual of the last fit is suspicious. */
static void doubt_points(struct final *f)
{
    struct search *s = f->s;
    double sigma, most = 0;

    if (s->m < f->c.k + HUBER_DOF)
        return;
    sigma = robust_sigma(f);
    for (size_t i = 0; i < s->points->m; i++)
        most = fmax(most, fabs(f->residual[i]));
    if (!(most > suspicious * sigma) || !(sigma > 1e-12))
        return;
    for (size_t i = 0; i < s->points->m; i++)
        if (fabs(f->residual[i]) > huber * sigma) {
            double weight = sqrt(huber * sigma / fabs(f->residual[i]));

            s->factor[i] *= weight;
            s->rhs[i] *= weight;
        }
}

/* Takes the weights from the last fit, since residuals count relative to the fitted values. */
static void reweigh_points(struct final *f, bool fitted)
{
    struct search *s = f->s;
    const struct points *pts = s->points;

    for (size_t i = 0; i < pts->m; i++) {
        double v = 0;

        f->residual[i] = 0;
        if (!(s->factor[i] > 0))
            continue;
        if (fitted)
            v = candidate_value(&f->c, pts->n_params, pts->x + i * pts->n_params);
        for (size_t j = 0; j < f->c.k && !fitted; j++)
            v += f->c.constant[j] * f->columns[j * pts->m + i] / s->factor[i];
        s->factor[i] = sqrt(pts->w[i]) / points_scale_of(pts, i, v);
        s->rhs[i] = s->factor[i] * pts->y[i];
        f->residual[i] = s->rhs[i] - s->factor[i] * v;
    }
    doubt_points(f);
}

/* Tries ordinary least squares; false if a constant is not positive. */
static bool solve_positive(struct final *f)
{
    struct search *s = f->s;
    size_t m = s->points->m;
    double *rhs = s->work + f->c.k * m;

    memcpy(s->work, f->columns, f->c.k * m * sizeof *s->work);
    memcpy(rhs, s->rhs, m * sizeof *rhs);
    return linear_quick(m, f->c.k, s->work, rhs, f->c.constant, NULL, NULL) &&
           candidate_is_positive(&f->c);
}

static enum portolan_status solve_linear(struct final *f, struct portolan_error *err)
{
    struct search *s = f->s;
    struct linear_fit fit = {0};
    enum portolan_status status;

    nonlinear_columns(s, &f->c, f->columns, f->model->estimates);
    if (!s->options->allow_negative) {
        if (f->given || !solve_positive(f)) {
            memset(f->c.constant, 0, sizeof f->c.constant);
            linear_nonnegative(s->points->m, f->c.k, f->columns, s->rhs, s->work, f->c.constant);
        }
        return PORTOLAN_OK;
    }
    status = linear_full(s->points->m, f->c.k, f->columns, s->rhs, &fit, err);
    if (!status)
        memcpy(f->c.constant, fit.coefficients, f->c.k * sizeof *f->c.constant);
    return status;
}

/* Fits and reweighs until the constants stand still; with some noisy rows they never quite do. */
static enum portolan_status solve_weighted(struct final *f, struct portolan_error *err)
{
    struct candidate before;
    enum portolan_status status;
    bool fitted = false, still = false;

    for (size_t j = 0; j < f->c.k; j++)
        fitted = fitted || f->c.fitted[j];
    for (int i = 0; i < 12 && !still; i++) {
        candidate_copy(&before, &f->c);
        if (!fitted && (status = solve_linear(f, err)))
            return status;
        if (fitted && (!nonlinear_fit(f->s, &f->c, f->residual, f->leverage) ||
                       (!f->s->options->allow_negative && !candidate_is_positive(&f->c)))) {
            candidate_copy(&f->c, &before);
            break;
        }
        if (!f->s->points->relative)
            break;
        reweigh_points(f, fitted);
        still = true;
        for (size_t j = 0; j < f->c.k; j++)
            still = still &&
                    fabs(f->c.constant[j] - before.constant[j]) <= 1e-13 * fabs(f->c.constant[j]);
    }
    return PORTOLAN_OK;
}

static enum portolan_status inspect_columns(struct final *f, struct linear_fit *fit,
                                            struct portolan_error *err)
{
    f->n_estimates = nonlinear_columns(f->s, &f->c, f->columns, f->model->estimates);
    fit->small = !f->given;
    return linear_full(f->s->points->m, f->n_estimates, f->columns, f->s->rhs, fit, err);
}

/* Notes the condition of all terms, then drops those that are dependent or not positive. */
static enum portolan_status drop_idle(struct final *f, struct portolan_error *err)
{
    struct linear_fit fit = {0};
    enum portolan_status status = inspect_columns(f, &fit, err);
    size_t idle = 0, lacking = f->n_estimates - fit.rank;

    if (status)
        return status;
    f->model->summary.condition = fit.condition;
    for (size_t j = 0; j < f->c.k; j++)
        idle += f->c.constant[j] == 0;
    for (size_t j = f->c.k; j-- > 0;) {
        bool negative = !f->s->options->allow_negative && f->c.constant[j] <= 0;

        /* Of two equal columns, either may be the one whose constant is 0. */
        if (f->c.constant[j] == 0 && (fit.dependent[j] || idle <= lacking))
            drop_term(f, j, PORTOLAN_MODEL_DROP_DEPENDENT);
        else if (negative && (f->given || f->c.k > 1))
            drop_term(f, j, PORTOLAN_MODEL_DROP_NEGATIVE);
    }
    return PORTOLAN_OK;
}

/* ---- how good it is ---- */

static void judge_residuals(struct final *f)
{
    struct search *s = f->s;
    const struct points *pts = s->points;
    struct portolan_model_summary *sum = &f->model->summary;
    double squares = 0, out = 0;

    f->rss = sum->max = 0;
    for (size_t i = 0; i < pts->m; i++) {
        double v = candidate_value(&f->c, pts->n_params, pts->x + i * pts->n_params);
        double e = s->rhs[i] - s->factor[i] * v, rest = 1 - f->leverage[i];
        /* Without Huber's weights: a doubted point counts with its full distance. */
        double plain = (pts->y[i] - v) / points_scale_of(pts, i, v);

        if (!(s->factor[i] > 0))
            continue;
        f->rss += e * e;
        squares += plain * plain;
        sum->max = fmax(sum->max, fabs(plain));
        out += rest > 1e-8 ? plain * plain / (rest * rest) : NAN;
    }
    sum->rms = sqrt(squares / (double)s->m);
    sum->leave_one_out = sqrt(out / (double)s->m);
}

/*
 * The variance of a row and of the points. If residuals and repetitions agree, both give it
 * together; residuals larger than repetitions explain are errors of the form, which every new row
 * has, too.
 */
static void judge_error(struct final *f, double *point_variance)
{
    const struct points *pts = f->s->points;
    struct portolan_model_summary *sum = &f->model->summary;
    double chosen = f->given || f->c.cost == 0 ? 0 : 1;
    double dof = (double)f->s->m - (double)f->n_estimates, lack;
    double repeat = pts->repeat_sigma * pts->repeat_sigma, fit, row;

    if (dof > 1)
        dof = fmax(1, dof - chosen);
    fit = dof > 0 ? f->rss / dof : NAN;
    sum->sigma_repeat = pts->repeat_sigma;
    if (dof <= 0 && isnan(repeat)) {
        sum->sigma_is_assumed = true;
        row = PORTOLAN_MODEL_ASSUMED_ERROR * (pts->relative ? 1 : fabs(pts->y[0]));
        row *= row;
        fit = row;
        dof = 0;
    } else if (isnan(repeat)) {
        row = fit;
    } else if (dof <= 0 || fit < 3 * repeat) {
        row =
            ((dof > 0 ? f->rss : 0) + pts->repeat_dof * repeat) / (fmax(dof, 0) + pts->repeat_dof);
        fit = row;
        dof = fmax(dof, 0) + pts->repeat_dof;
    } else {
        lack = (fit - repeat) / pts->mean_gain;
        row = repeat + lack;
    }
    sum->sigma = sqrt(row);
    sum->dof = dof;
    *point_variance = fit;
}

static void keep_ranges(struct final *f)
{
    const struct points *pts = f->s->points;

    for (size_t p = 0; p < pts->n_params; p++) {
        struct portolan_model_range *r = &f->model->range[p];

        search_range(f->s, p, &r->min, &r->max);
        r->drift_below = f->given ? 0 : f->s->best.drift_below[p];
        r->drift_above = f->given ? 0 : f->s->best.drift_above[p];
    }
    hull_begin(&f->model->hull);
    for (size_t i = 0; i < pts->m; i++)
        if (search_is_in(f->s, i))
            hull_add(&f->model->hull, pts->n_params, pts->x + i * pts->n_params);
}

/* Powers of extreme parameters may overflow even though the fit did not. */
static bool is_finite(const struct portolan_model *m)
{
    bool good = isfinite(m->summary.sigma) && isfinite(m->summary.rms);

    for (size_t j = 0; j < m->n_terms; j++)
        good = good && isfinite(m->terms[j].constant);
    for (size_t i = 0; i < m->n_estimates * m->n_estimates; i++)
        good = good && isfinite(m->covariance[i]);
    return good;
}

static enum portolan_status keep_model(struct final *f, struct portolan_error *err)
{
    struct portolan_model *m = f->model;
    size_t k = f->n_estimates;
    double variance;

    m->n_terms = f->c.k;
    for (size_t j = 0; j < f->c.k; j++)
        m->terms[j] = (struct portolan_model_term){.constant = f->c.constant[j],
                                                   .shape = f->c.shape[j],
                                                   .fitted_exponents = f->c.fitted[j]};
    judge_residuals(f);
    judge_error(f, &variance);
    keep_ranges(f);
    m->n_estimates = k;
    free(m->covariance);
    m->covariance = portolan_calloc(k * k + 1, sizeof *m->covariance);
    if (!m->covariance)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for a model");
    for (size_t i = 0; i < k * k; i++)
        m->covariance[i] = variance * f->inverse[i];
    if (!is_finite(m))
        return portolan_error_set(
            err, PORTOLAN_EINVAL,
            "the numbers of the rows are too large or too small for these terms");
    return model_finish(m, err);
}

static enum portolan_status settle_form(struct final *f, struct portolan_error *err)
{
    struct linear_fit fit = {.leverage = f->leverage, .inverse = f->inverse};
    enum portolan_status status = solve_weighted(f, err);

    f->model->n_dropped = 0;
    status = status ? status : drop_idle(f, err);
    status = status ? status : inspect_columns(f, &fit, err);
    return status ? status : keep_model(f, err);
}

/*
 * Takes the best form of the shortlist that fits each of its points (portolan_model_fits()), or
 * the best of all if none does: the search judged only the points as a whole.
 */
static enum portolan_status settle_searched(struct final *f)
{
    struct search *s = f->s;
    size_t n = s->best.n;
    enum portolan_status status = settle_form(f, NULL);

    for (size_t i = 1; i <= n && n > 1 && status != PORTOLAN_ENOMEM; i++) {
        if (!status && portolan_model_fits(f->model))
            break;
        /* At last the form that was the first comes to the front again. */
        search_bring_forward(s, i < n ? i : n - 1);
        search_find_drifts(s);
        search_weigh(s, s->best.entry[0]);
        f->c = *s->best.entry[0];
        f->model->summary.family = f->c.family;
        status = settle_form(f, NULL);
    }
    return status;
}

static enum portolan_status finish_fit(struct final *f, struct portolan_error *err)
{
    double inverse[MODEL_ESTIMATES * MODEL_ESTIMATES];
    size_t n = f->s->points->m;
    enum portolan_status status;

    f->inverse = inverse;
    f->columns = portolan_arena_alloc(f->s->memory, n, (MODEL_ESTIMATES + 2) * sizeof *f->columns);
    if (!f->columns)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for a fit of %zu points", n);
    f->residual = f->columns + MODEL_ESTIMATES * n;
    f->leverage = f->residual + n;
    status = f->given ? settle_form(f, err) : settle_searched(f);
    if (!status || f->given)
        return status;
    /* A searched form may overflow; a constant never does. */
    f->c = (struct candidate){.family = PORTOLAN_MODEL_CONSTANT, .k = 1};
    f->model->summary.family = PORTOLAN_MODEL_CONSTANT;
    search_weigh(f->s, NULL);
    return settle_form(f, err);
}

static void start_summary(struct portolan_model_summary *sum, const struct search *s,
                          enum portolan_model_family family)
{
    sum->family = family;
    sum->weighting = s->options->weighting;
    sum->statistic = s->options->statistic;
    sum->kind = s->options->kind;
    sum->nonnegative = !s->options->allow_negative;
    sum->n_rows = s->points->n_rows;
    sum->n_points = s->points->m;
    sum->n_outliers = s->points->m - s->m;
    sum->confidence = s->options->confidence > 0 ? s->options->confidence : 0.95;
    sum->floor = s->points->floor;
}

static bool terms_are_finite(const struct points *pts, const struct portolan_model_shape *shape)
{
    for (size_t i = 0; i < pts->m; i++)
        if (!isfinite(shape_value(shape, pts->n_params, pts->x + i * pts->n_params)))
            return false;
    return true;
}

/* Values that differ less are the same; a form that misses one by so much may be worth any search;
 * the lead in score of a law that is exact. */
static const double rounding = 1e-9, wrong = 0.03, certain = 100;

static enum portolan_status given_terms(struct candidate *c, struct portolan_model *m,
                                        const struct points *pts,
                                        const struct portolan_model_shape *shapes, size_t n,
                                        struct portolan_error *err)
{
    enum portolan_status status;

    c->family = PORTOLAN_MODEL_GIVEN;
    c->k = n;
    for (size_t j = 0; j < n; j++) {
        c->shape[j] = shapes[j];
        status = expressions_own(&m->expressions, &c->shape[j], m->n_params,
                                 (const char *const *)m->params, err);
        if (status)
            return status;
        if (!terms_are_finite(pts, &c->shape[j]))
            return portolan_error_set(err, PORTOLAN_EINVAL, "term %zu is not finite on every row",
                                      j + 1);
    }
    return PORTOLAN_OK;
}

/* By how much the first of the shortlist misses the points at most, relative to them. */
static double furthest_miss(const struct search *s)
{
    const struct points *pts = s->points;
    double most = 0;

    for (size_t i = 0; i < pts->m; i++) {
        double v = candidate_value(s->best.entry[0], pts->n_params, pts->x + i * pts->n_params);

        if (v != pts->y[i])
            most = fmax(most, fabs(v - pts->y[i]) / fabs(pts->y[i]));
    }
    return most;
}

/* Puts an exact law in front of a shortlist without one. ANY: room for S's options after that. */
static void seek_exact(struct search *s, struct portolan_model_options *any)
{
    size_t m = s->m, n = s->points->m;
    double *kept, miss = s->points->repeat_sigma > rounding ? 0 : furthest_miss(s);
    struct candidate law;

    if (miss <= rounding || !(kept = portolan_arena_alloc(s->memory, n, 2 * sizeof *kept)))
        return;
    memcpy(kept, s->factor, n * sizeof *kept);
    memcpy(kept + n, s->rhs, n * sizeof *kept);
    if (!search_exact(s, miss > wrong, &law)) {
        memcpy(s->factor, kept, n * sizeof *kept);
        memcpy(s->rhs, kept + n, n * sizeof *kept);
        s->m = m;
        return;
    }
    if (!candidate_is_positive(&law)) {
        *any = *s->options;
        any->allow_negative = true;
        s->options = any;
    }
    search_weigh(s, &law);
    search_keep(s, &law, s->best.entry[0]->score - certain);
    search_find_drifts(s);
}

enum portolan_status model_fit_varying(const struct portolan_model_data *data,
                                       const struct portolan_model_shape *shapes, size_t n_shapes,
                                       const struct portolan_model_options *options,
                                       struct portolan_model **model, struct portolan_error *err)
{
    struct portolan_arena memory = {0};
    struct points pts;
    struct search *s = NULL;
    struct portolan_model *made = NULL;
    struct final f = {.given = n_shapes > 0};
    struct portolan_model_options any;
    enum portolan_status status = points_create(data, options, &memory, &pts, err);

    if (!status && !(s = search_create(&pts, options, &memory)))
        status =
            portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for a fit of %zu points", pts.m);
    status = status ? status : model_create(data->n_params, data->params, &made, err);
    if (!status && n_shapes) {
        status = given_terms(&f.c, made, &pts, shapes, n_shapes, err);
        if (!status && options->trimmed)
            status = search_trim(s, &f.c);
    } else if (!status) {
        if ((status = search_run(s)))
            portolan_error_set(err, status, "no memory for a search");
        else
            seek_exact(s, &any);
        f.c = *s->best.entry[0];
    }
    if (!status) {
        f.s = s;
        f.model = made;
        start_summary(&made->summary, s, f.c.family);
        status = finish_fit(&f, err);
    }
    free(s);
    portolan_arena_clear(&memory);
    return model_give(status, made, model);
}
