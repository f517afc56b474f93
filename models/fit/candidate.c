/* SPDX-License-Identifier: BSD-3-Clause */
/* One candidate: its columns, its constants, its score, and its place on the shortlist. */
#include "models_internal.h"

#include <math.h>
#include <string.h>

/* The prior range of a fitted exponent has this width. */
static const double exponent_range = 4;
/* Fitted exponents above STEEP are rare; each unit more costs STEEP_PRICE, as in the list. */
static const double steep = 3, steep_price = 2;

double candidate_value(const struct candidate *c, size_t n_params, const double *x)
{
    double value = 0;

    for (size_t j = 0; j < c->k; j++)
        value += c->constant[j] * shape_value(&c->shape[j], n_params, x);
    return value;
}

size_t candidate_add(struct candidate *c)
{
    size_t j = c->k++;

    c->constant[j] = 1;
    c->fitted[j] = 0;
    memset(&c->shape[j], 0, sizeof c->shape[j]);
    memset(c->listed[j], 0, sizeof c->listed[j]);
    return j;
}

/* Copies only the terms that exist: a candidate is large, and mostly room for more terms. */
void candidate_copy(struct candidate *to, const struct candidate *from)
{
    size_t k = from->k;

    to->family = from->family;
    to->k = k;
    to->cost = from->cost;
    to->score = from->score;
    memcpy(to->shape, from->shape, k * sizeof *to->shape);
    memcpy(to->fitted, from->fitted, k * sizeof *to->fitted);
    memcpy(to->listed, from->listed, k * sizeof *to->listed);
    memcpy(to->constant, from->constant, k * sizeof *to->constant);
}

void candidate_list(struct candidate *c, size_t j, size_t param, size_t entry)
{
    c->shape[j].exponents[param] = search_grid[entry].exponent;
    c->shape[j].logs[param] = search_grid[entry].log;
    c->listed[j][param] = (unsigned char)(entry + 1);
    c->cost += search_grid[entry].cost;
}

static bool powers_only(const struct portolan_model_shape *shape, size_t n_params)
{
    for (size_t p = 0; p < n_params; p++)
        if (shape->logs[p])
            return false;
    return !shape->expression;
}

/* The value of term J of C at every point, times the point's factor. */
static void term_column(struct search *s, const struct candidate *c, size_t j, double *out)
{
    const struct points *pts = s->points;
    const struct portolan_model_shape *shape = &c->shape[j];
    bool all = !shape->expression;

    if (c->fitted[j] && powers_only(shape, pts->n_params)) {
        for (size_t i = 0; i < pts->m; i++) {
            double exponent = 0;

            for (size_t p = 0; p < pts->n_params; p++)
                if (shape->exponents[p] != 0)
                    exponent += shape->exponents[p] * s->logs[p * pts->m + i];
            out[i] = s->factor[i] > 0 ? s->factor[i] * exp(exponent) : 0;
        }
        return;
    }
    for (size_t p = 0; p < pts->n_params; p++)
        all = all && (c->listed[j][p] || (shape->exponents[p] == 0 && !shape->logs[p]));
    if (!all || !s->columns) {
        for (size_t i = 0; i < pts->m; i++)
            out[i] = s->factor[i] > 0 ? s->factor[i] * shape_value(shape, pts->n_params,
                                                                   pts->x + i * pts->n_params)
                                      : 0;
        return;
    }
    memcpy(out, s->factor, pts->m * sizeof *out);
    for (size_t p = 0; p < pts->n_params; p++)
        if (c->listed[j][p]) {
            const double *column = search_grid_column(s, p, c->listed[j][p] - 1u, NULL);

            for (size_t i = 0; i < pts->m; i++)
                out[i] *= column[i];
        }
}

/* ---- exponents that are estimated along with the constants ---- */

static const double exponent_bound = 12;

/* Adds the derivatives by the exponents after the terms in COLUMNS; returns the number of columns.
 */
static size_t slope_columns(const struct search *s, const struct candidate *c, double *columns,
                            struct estimate *estimates)
{
    const struct points *pts = s->points;
    size_t n = 0;

    for (; n < c->k; n++)
        estimates[n] = (struct estimate){n, CONSTANT_ESTIMATE};
    for (size_t j = 0; j < c->k; j++)
        for (size_t p = 0; p < pts->n_params; p++) {
            if (!(c->fitted[j] >> p & 1) || n == MODEL_ESTIMATES)
                continue;
            estimates[n] = (struct estimate){j, (int)p};
            for (size_t i = 0; i < pts->m; i++)
                columns[n * pts->m + i] =
                    c->constant[j] * columns[j * pts->m + i] * s->logs[(size_t)p * pts->m + i];
            n++;
        }
    return n;
}

/* All terms of C, column by column. */
static void term_columns(struct search *s, const struct candidate *c, double *columns)
{
    for (size_t j = 0; j < c->k; j++)
        term_column(s, c, j, columns + j * s->points->m);
}

size_t nonlinear_columns(struct search *s, const struct candidate *c, double *columns,
                         struct estimate *estimates)
{
    term_columns(s, c, columns);
    return slope_columns(s, c, columns, estimates);
}

/* Sets the residuals in the problem's units and returns their sum of squares. Leaves the terms in
 * the work space. */
static double find_residuals(struct search *s, const struct candidate *c, double *residual)
{
    size_t m = s->points->m;

    memcpy(residual, s->rhs, m * sizeof *residual);
    term_columns(s, c, s->work);
    for (size_t j = 0; j < c->k; j++)
        linear_subtract(m, c->constant[j], s->work + j * m, residual);
    return linear_dot(m, residual, residual);
}

static bool move_estimates(struct candidate *c, const struct estimate *estimates, size_t n,
                           const double *step, double length)
{
    for (size_t e = 0; e < n; e++) {
        size_t j = estimates[e].term;

        if (estimates[e].param == CONSTANT_ESTIMATE)
            c->constant[j] += length * step[e];
        else
            c->shape[j].exponents[estimates[e].param] += length * step[e];
        if (estimates[e].param != CONSTANT_ESTIMATE &&
            !(fabs(c->shape[j].exponents[estimates[e].param]) < exponent_bound))
            return false;
    }
    return true;
}

/* Halves the step until the sum of squares goes down; false when it never does. */
static bool descend_step(struct search *s, struct candidate *c, const struct estimate *estimates,
                         size_t n, const double *step, double *sum, double *residual)
{
    struct candidate trial;
    double length = 1;

    for (int i = 0; i < 12; i++, length /= 2) {
        double now;

        candidate_copy(&trial, c);
        if (!move_estimates(&trial, estimates, n, step, length))
            continue;
        now = find_residuals(s, &trial, residual);
        if (now < *sum) {
            candidate_copy(c, &trial);
            *sum = now;
            return true;
        }
    }
    return false;
}

/* Finds the best constants for the present exponents: C's may come from another form. */
static bool start_descent(struct search *s, struct candidate *c, double *residual)
{
    term_columns(s, c, s->work);
    memcpy(residual, s->rhs, s->points->m * sizeof *residual);
    return linear_quick(s->points->m, c->k, s->work, residual, c->constant, NULL, NULL);
}

bool nonlinear_fit(struct search *s, struct candidate *c, double *residual, double *leverage)
{
    const struct points *pts = s->points;
    struct estimate estimates[MODEL_ESTIMATES];
    double step[MODEL_ESTIMATES], sum;
    size_t n;

    if (!start_descent(s, c, residual))
        return false;
    sum = find_residuals(s, c, residual);

    for (int i = 0; i < 30; i++) {
        double before = sum;

        /* The last step left the residual and the terms. */
        n = slope_columns(s, c, s->work, estimates);
        if (n > s->m || !linear_quick(pts->m, n, s->work, residual, step, leverage, NULL))
            return false;
        /* Stop when even the linear problem gains next to nothing. */
        if (linear_dot(pts->m, residual, residual) > before * (1 - 1e-6))
            break;
        if (!descend_step(s, c, estimates, n, step, &sum, residual) || sum > before * (1 - 1e-6))
            break;
    }
    find_residuals(s, c, residual);
    return isfinite(sum);
}

/* ---- fitting and scoring one candidate ---- */

static bool has_fitted(const struct candidate *c)
{
    for (size_t j = 0; j < c->k; j++)
        if (c->fitted[j])
            return true;
    return false;
}

/* The residuals of a fit and the accuracy of its constants. */
struct outcome {
    double *residual, *leverage; /* in the search's work space */
    size_t n;                    /* constants and fitted exponents */
    double largest[MODEL_ESTIMATES];
    struct linear_scatter scatter;
};

/* The largest magnitude in each of the N columns at the start of the work space. */
static void measure_columns(const struct search *s, size_t n, struct outcome *o)
{
    size_t m = s->points->m;

    o->n = n;
    for (size_t j = 0; j < n; j++) {
        double most = 0;

        for (size_t i = 0; i < m; i++) {
            double size = fabs(s->work[j * m + i]);

            most = size > most ? size : most;
        }
        o->largest[j] = most;
    }
}

static bool fit_constants(struct search *s, struct candidate *c, struct outcome *o)
{
    size_t m = s->points->m;

    term_columns(s, c, s->work);
    measure_columns(s, c->k, o);
    memcpy(o->residual, s->rhs, m * sizeof *o->residual);
    return c->k <= s->m &&
           linear_quick(m, c->k, s->work, o->residual, c->constant, o->leverage, &o->scatter);
}

static bool fit_exponents(struct search *s, struct candidate *c, struct outcome *o)
{
    double unused[MODEL_ESTIMATES], *rhs;
    struct estimate estimates[MODEL_ESTIMATES];
    size_t m = s->points->m;

    if (!nonlinear_fit(s, c, o->residual, o->leverage))
        return false;
    for (size_t j = 0; j < c->k; j++)
        for (size_t p = 0; p < s->points->n_params; p++)
            if (c->fitted[j] >> p & 1)
                c->cost += steep_price * fmax(c->shape[j].exponents[p] - steep, 0);
    measure_columns(s, nonlinear_columns(s, c, s->work, estimates), o);
    rhs = o->leverage + m;
    memcpy(rhs, o->residual, m * sizeof *rhs);
    return linear_quick(m, o->n, s->work, rhs, unused, NULL, &o->scatter);
}

bool candidate_is_positive(const struct candidate *c)
{
    for (size_t j = 0; j < c->k; j++)
        if (!(c->constant[j] > 0))
            return false;
    return true;
}

/* The sum of squared residuals; infinite when a point cannot be predicted without itself. */
static double residual_squares(const struct search *s, const struct outcome *o)
{
    double sum = 0;

    for (size_t i = 0; i < s->points->m; i++) {
        if (o->leverage[i] > 1 - 1e-8 && search_is_in(s, i))
            return INFINITY;
        sum += o->residual[i] * o->residual[i];
    }
    return sum;
}

/*
 * A term is visible at a point if it is at least LEAST_SHARE of the value (less may be noise, or
 * the clock's rounding) and at least LEAST_PART of its largest share at any point.
 */
static const double least_share = 0.005, least_part = 0.09;

/* Is TERM visible at two or more values of each of its parameters? */
static bool is_shown(struct search *s, const struct candidate *c, size_t term)
{
    const struct portolan_model_shape *shape = &c->shape[term];
    const struct points *pts = s->points;
    const double *first = NULL;
    bool seen[MODEL_PARAMS];
    double most = 0;

    for (size_t p = 0; p < pts->n_params; p++)
        seen[p] = shape->exponents[p] == 0 && !shape->logs[p];
    term_column(s, c, term, s->work);
    for (size_t i = 0; i < pts->m; i++) {
        /* The share may exceed 1 when another term is negative. */
        s->work[i] = s->rhs[i] != 0 ? fmin(fabs(c->constant[term] * s->work[i] / s->rhs[i]), 1) : 0;
        most = fmax(most, s->work[i]);
    }
    for (size_t i = 0; i < pts->m; i++) {
        const double *x = pts->x + i * pts->n_params;

        if (s->work[i] < fmax(least_share, least_part * most))
            continue;
        first = first ? first : x;
        for (size_t p = 0; p < pts->n_params; p++)
            seen[p] = seen[p] || x[p] != first[p];
    }
    for (size_t p = 0; p < pts->n_params; p++)
        if (!seen[p])
            return false;
    return true;
}

/* Refuses terms that only one point needs: they describe that point, not a law. */
static bool terms_are_shown(struct search *s, const struct candidate *c)
{
    for (size_t j = 0; j < c->k && c->k > 1; j++)
        if (!is_shown(s, c, j))
            return false;
    return true;
}

static double log_volume(const struct search *s, const struct candidate *c, const struct outcome *o)
{
    double product = 1;

    for (size_t j = 0; j < o->n; j++)
        product *=
            o->scatter.diagonal[j] * (j < c->k ? s->largest / o->largest[j] : exponent_range);
    return log(product);
}

/* The logarithm of a lower bound on the probability that no constant is negative. */
static double log_share_positive(const struct search *s, const struct candidate *c,
                                 const struct outcome *o, double residual)
{
    double dof = s->known_dof + (double)s->m - (double)o->n, outside = 0, least = 1;
    double sigma = sqrt((residual + s->known + s->least) / dof);

    if (s->options->allow_negative)
        return 0;
    for (size_t j = 0; j < c->k; j++) {
        double z = c->constant[j] / (sigma * o->scatter.deviation[j]);

        if (z < 5) {
            double below = erfc(z * M_SQRT1_2) / 2;

            outside += below;
            least = fmin(least, 1 - below);
        }
    }
    return log(fmax(1 - outside, least * least));
}

double search_score(const struct search *s, size_t k, double residual, double volume)
{
    double dof = s->known_dof + (double)s->m - (double)k, score;

    if (!(dof > 0))
        return INFINITY;
    score = dof * log((residual + s->known + s->least) / 2) + s->gamma[k] -
            (double)k * log(2 * M_PI) + 2 * volume;
    return isfinite(score) ? score : INFINITY;
}

double sketch_left(const struct search *s, struct least *least, size_t k, double yy, double off)
{
    /* A difference of large sums is not more accurate than this. */
    double left = fmax(yy - off, 1e-13 * yy), residual = left / (double)(s->m - k);

    if (residual < least->residual)
        *least = (struct least){residual, left > 2e-13 * yy ? left : 0, k};
    return left;
}

double search_try(struct search *s, struct candidate *c)
{
    struct outcome o;
    double residual, score;

    o.residual = s->work + MODEL_ESTIMATES * s->points->m;
    o.leverage = o.residual + s->points->m;
    c->score = INFINITY;
    if (c->k >= s->m || !(has_fitted(c) ? fit_exponents(s, c, &o) : fit_constants(s, c, &o)) ||
        !(s->options->allow_negative || candidate_is_positive(c)))
        return INFINITY;
    residual = residual_squares(s, &o);
    if (!isfinite(residual))
        return INFINITY;
    score = search_score(s, o.n, residual, log_volume(s, c, &o)) -
            2 * log_share_positive(s, c, &o, residual) + c->cost;
    if (!terms_are_shown(s, c))
        return INFINITY;
    search_keep(s, c, score);
    if (s->best.n && s->best.entry[0]->score == c->score) {
        s->residual = residual;
        s->residual_k = o.n;
    }
    return c->score;
}

void search_enter(struct search *s, struct candidate *c, double score)
{
    struct outcome o = {.residual = s->work + MODEL_ESTIMATES * s->points->m};

    o.leverage = o.residual + s->points->m;
    if (fit_constants(s, c, &o) && (s->options->allow_negative || candidate_is_positive(c)))
        search_keep(s, c, score);
}

/* ---- the shortlist ---- */

void search_keep(struct search *s, struct candidate *c, double score)
{
    struct shortlist *list = &s->best;
    bool full = list->n == BEST_KEPT;
    size_t at = full ? list->n - 1 : list->n;
    struct candidate *place;

    c->score = score;
    if (!isfinite(score) || (full && score >= list->entry[at]->score))
        return;
    /* The search may reach the same form in several ways. */
    for (size_t i = 0; i < list->n; i++)
        if (list->entry[i]->score == score && list->entry[i]->k == c->k &&
            list->entry[i]->constant[0] == c->constant[0])
            return;
    place = full ? list->entry[at] : &list->place[list->n++];
    for (; at > 0 && list->entry[at - 1]->score > score; at--)
        list->entry[at] = list->entry[at - 1];
    list->entry[at] = place;
    candidate_copy(place, c);
}

void search_bring_forward(struct search *s, size_t at)
{
    struct candidate **entry = s->best.entry, *front = entry[at];

    memmove(entry + 1, entry, at * sizeof *entry);
    entry[0] = front;
}

/* A form nearly as good as the right one supports it, unless its leading power is half a power or
 * more off. WORTH_OF_EXACT: weight of the form itself, in addition to that of its neighbours. */
static const double near = 0.5, worth_of_exact = 1;

static double lead_exponent(const struct candidate *c, size_t param)
{
    double most = 0;

    for (size_t j = 0; j < c->k; j++)
        if (fabs(c->shape[j].exponents[param]) > fabs(most) || j == 0)
            most = c->shape[j].exponents[param];
    return most;
}

void search_prefer(struct search *s)
{
    struct shortlist *list = &s->best;
    size_t n_params = s->points->n_params, best = 0;
    double weight[BEST_KEPT], leads[BEST_KEPT][MODEL_PARAMS], most = -1;

    for (size_t i = 0; i < list->n; i++) {
        weight[i] = exp((list->entry[0]->score - list->entry[i]->score) / 2);
        for (size_t p = 0; p < n_params; p++)
            leads[i][p] = lead_exponent(list->entry[i], p);
    }
    for (size_t i = 0; i < list->n && weight[i] > 0.01; i++) {
        double worth = worth_of_exact * weight[i];

        for (size_t j = 0; j < list->n; j++) {
            double kernel = weight[j];

            for (size_t p = 0; p < n_params; p++) {
                double share = 1 - fabs(leads[i][p] - leads[j][p]) / near;

                kernel *= share > 0 ? share : 0;
            }
            worth += kernel;
        }
        if (worth > most) {
            most = worth;
            best = i;
        }
    }
    search_bring_forward(s, best);
}

/* ---- the best of many ---- */

void numbers_rank(void *ranked, size_t *n, size_t most, const void *entry, size_t size)
{
    char *at = (char *)ranked + *n * size;

    while (at > (char *)ranked && *(const double *)entry < *(double *)(at - size))
        at -= size;
    if (at == (char *)ranked + most * size)
        return;
    *n += *n < most;
    memmove(at + size, at, (size_t)((char *)ranked + (*n - 1) * size - at));
    memcpy(at, entry, size);
}
