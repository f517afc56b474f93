/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which terms: every form of a list is fitted (microseconds each) and scored by its leave-one-out
 * error, in closed form e/(1-h), with a price for constants and for choosing. Forms that score
 * about alike stay on a shortlist: how far they diverge outside the rows is what nobody can know.
 */
#include "models_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct grid_entry search_grid[] = {
    {1, 0, 0},      {2, 0, 0.25},   {3, 0, 0.5},    {4, 0, 0.75},   {5, 0, 1},      {6, 0, 1.25},
    {7, 0, 1.5},    {8, 0, 1.75},   {-1, 0, 0.5},   {-2, 0, 1},     {0.5, 0, 1},    {1.5, 0, 1},
    {2.5, 0, 1},    {3.5, 0, 1},    {-0.5, 0, 2},   {1. / 3, 0, 2}, {2. / 3, 0, 2}, {4. / 3, 0, 2},
    {5. / 3, 0, 2}, {7. / 3, 0, 2}, {8. / 3, 0, 2}, {0.25, 0, 2},   {0.75, 0, 2},   {1.25, 0, 2},
    {1.75, 0, 2},   {2.25, 0, 2},   {2.75, 0, 2},   {0, 1, 1},      {1, 1, 0.5},    {2, 1, 0.5},
    {3, 1, 0.5},
};
const size_t search_grid_size = sizeof search_grid / sizeof *search_grid;

/* Prices on the scale of the score; from simulated truths with 2 to 20 % noise (README.md). */
static const double price_constant = 1, price_exponent = 2;

bool search_allows(const struct search *s, unsigned families)
{
    return (s->families & families) != 0;
}

static bool is_in(const struct search *s, size_t i)
{
    return s->factor[i] > 0;
}

bool search_above(const struct search *s, size_t param, double bound)
{
    const struct points *pts = s->points;

    for (size_t i = 0; i < pts->m; i++)
        if (is_in(s, i) && !(pts->x[i * pts->n_params + param] > bound))
            return false;
    return true;
}

bool search_varies(const struct search *s, size_t param)
{
    const struct points *pts = s->points;
    double seen = NAN;

    for (size_t i = 0; i < pts->m; i++) {
        double x = pts->x[i * pts->n_params + param];

        if (is_in(s, i) && x != seen && !isnan(seen))
            return true;
        if (is_in(s, i))
            seen = x;
    }
    return false;
}

bool search_grid_fits(const struct search *s, size_t param, const struct grid_entry *entry)
{
    if (entry->log)
        return search_above(s, param, 0.999) && search_allows(s, PORTOLAN_MODEL_LOGARITHMIC);
    if (entry->exponent > 0 && entry->exponent == floor(entry->exponent))
        return true;
    return search_above(s, param, 0);
}

double candidate_value(const struct candidate *c, size_t n_params, const double *x)
{
    double value = 0;

    for (size_t j = 0; j < c->k; j++)
        value += c->constant[j] * shape_value(&c->shape[j], n_params, x);
    return value;
}

/* ---- fitting and scoring one candidate ---- */

static bool has_fitted(const struct candidate *c)
{
    for (size_t j = 0; j < c->k; j++)
        if (c->fitted[j])
            return true;
    return false;
}

static bool fit_constants(struct search *s, struct candidate *c, double *residual, double *leverage)
{
    const struct points *pts = s->points;
    double *columns[CANDIDATE_TERMS];
    struct estimate estimates[MODEL_ESTIMATES];

    nonlinear_columns(s, c, s->work, estimates);
    for (size_t j = 0; j < c->k; j++)
        columns[j] = s->work + j * pts->m;
    memcpy(residual, s->rhs, pts->m * sizeof *residual);
    return c->k <= s->m && linear_quick(pts->m, c->k, columns, residual, c->constant, leverage);
}

static bool signs_are_right(const struct search *s, struct candidate *c)
{
    if (s->options->allow_negative)
        return true;
    for (size_t j = 0; j < c->k; j++)
        if (!(c->constant[j] > 0))
            return false;
    return true;
}

/* The mean square of the points, each predicted without itself; infinite when one stands alone. */
static double left_out(const struct search *s, const double *residual, const double *leverage)
{
    double sum = 0;

    for (size_t i = 0; i < s->points->m; i++) {
        double rest = 1 - leverage[i];

        if (is_in(s, i) && rest < 1e-8)
            return INFINITY;
        if (is_in(s, i))
            sum += residual[i] * residual[i] / (rest * rest);
    }
    return sum / s->weight;
}

static void enter(struct shortlist *list, const struct candidate *c)
{
    size_t at = list->n < BEST_KEPT ? list->n : BEST_KEPT - 1;

    if (list->n == BEST_KEPT && c->score >= list->entry[at].score)
        return;
    for (; at > 0 && list->entry[at - 1].score > c->score; at--)
        list->entry[at] = list->entry[at - 1];
    list->entry[at] = *c;
    if (list->n < BEST_KEPT)
        list->n++;
}

double search_try(struct search *s, struct candidate *c)
{
    double *residual = s->work + MODEL_ESTIMATES * s->points->m;
    double *leverage = residual + s->points->m, error;
    double count = (double)s->m;

    c->score = INFINITY;
    if (has_fitted(c) ? !nonlinear_fit(s, c, residual, leverage)
                      : !fit_constants(s, c, residual, leverage))
        return INFINITY;
    if (!signs_are_right(s, c))
        return INFINITY;
    error = left_out(s, residual, leverage);
    c->score = count * log(error + s->least) + price_constant * (double)c->k + c->cost;
    for (size_t j = 0; j < c->k; j++)
        c->score += price_exponent * __builtin_popcount(c->fitted[j]);
    if (!isfinite(c->score))
        return INFINITY;
    enter(&s->best, c);
    return c->score;
}

void search_enter(struct search *s, struct candidate *c, double score)
{
    double *residual = s->work + MODEL_ESTIMATES * s->points->m;

    if (!fit_constants(s, c, residual, NULL) || !signs_are_right(s, c))
        return;
    c->score = score;
    enter(&s->best, c);
}

/* ---- the forms of one parameter ---- */

static void try_constant(struct search *s)
{
    struct candidate c = {.family = PORTOLAN_MODEL_CONSTANT, .k = 1};
    double sum = 0;

    if (search_try(s, &c) < INFINITY)
        return;
    /* Always possible: the fallback of everything, even of all zeros. */
    if (!s->options->allow_negative && !(c.constant[0] > 0))
        c.constant[0] = 0;
    for (size_t i = 0; i < s->points->m; i++) {
        double e = s->rhs[i] - s->factor[i] * c.constant[0];

        sum += e * e;
    }
    c.score = (double)s->m * log(sum / s->weight + s->least) + price_constant;
    if (isfinite(c.score))
        enter(&s->best, &c);
}

static void try_entry(struct search *s, size_t param, const struct grid_entry *entry)
{
    bool whole =
        entry->exponent == floor(entry->exponent) && entry->exponent > 0 && entry->exponent <= 3;
    unsigned families = entry->log ? PORTOLAN_MODEL_LOGARITHMIC
                                   : PORTOLAN_MODEL_POWER | (whole ? PORTOLAN_MODEL_POLYNOMIAL : 0);
    struct candidate one = {.k = 1, .cost = entry->cost}, two;

    if (!search_allows(s, families) || !search_grid_fits(s, param, entry))
        return;
    one.shape[0].exponents[param] = entry->exponent;
    one.shape[0].logs[param] = entry->log;
    one.family = entry->log                               ? PORTOLAN_MODEL_LOGARITHMIC
                 : search_allows(s, PORTOLAN_MODEL_POWER) ? PORTOLAN_MODEL_POWER
                                                          : PORTOLAN_MODEL_POLYNOMIAL;
    two = one;
    two.k = 2;
    two.shape[1] = one.shape[0];
    two.shape[0] = (struct portolan_model_shape){0};
    if (whole && search_allows(s, PORTOLAN_MODEL_POLYNOMIAL))
        two.family = PORTOLAN_MODEL_POLYNOMIAL;
    search_try(s, &one);
    search_try(s, &two);
}

/* All sets of two and more of 1, x, x^2, x^3: the best one without negative constants is there. */
static void try_polynomials(struct search *s, size_t param)
{
    if (!search_allows(s, PORTOLAN_MODEL_POLYNOMIAL))
        return;
    for (unsigned set = 1; set < 16; set++) {
        struct candidate c = {.family = PORTOLAN_MODEL_POLYNOMIAL};

        if (__builtin_popcount(set >> 1) < 2)
            continue;
        for (unsigned degree = 0; degree <= 3; degree++)
            if (set >> degree & 1)
                c.shape[c.k++].exponents[param] = degree;
        search_try(s, &c);
    }
}

/* Two whole powers, with and without a constant: a cost that grows with another one beneath it. */
static void try_pairs(struct search *s, size_t param)
{
    if (!search_allows(s, PORTOLAN_MODEL_POLYNOMIAL))
        return;
    for (int high = 4; high <= 8; high++)
        for (int low = high - 3; low < high; low++)
            for (size_t constant = 0; constant < 2; constant++) {
                struct candidate c = {.family = PORTOLAN_MODEL_POLYNOMIAL, .k = constant + 2};

                c.cost = 1 + 0.25 * (high - 4);
                c.shape[constant].exponents[param] = low;
                c.shape[constant + 1].exponents[param] = high;
                search_try(s, &c);
            }
}

/* Exponents off the list, starting at the best ones of the list. */
static void try_fitted(struct search *s, size_t param, bool with_constant)
{
    struct candidate c = {0};

    if (!search_allows(s, PORTOLAN_MODEL_POWER) || !search_above(s, param, 0))
        return;
    for (size_t i = 0; i < s->best.n && !c.k; i++) {
        const struct candidate *b = &s->best.entry[i];
        const struct portolan_model_shape *last = &b->shape[b->k - 1];

        if (b->k == 1 + (size_t)with_constant && last->exponents[param] != 0 &&
            !last->logs[param] && b->family != PORTOLAN_MODEL_SUM &&
            shape_is_constant(&b->shape[0], s->points->n_params) == with_constant)
            c = *b;
    }
    if (!c.k)
        return;
    c.family = PORTOLAN_MODEL_POWER;
    c.cost = 0;
    c.fitted[c.k - 1] = 1u << param;
    search_try(s, &c);
}

static void search_one(struct search *s, size_t param)
{
    if (!search_varies(s, param))
        return;
    for (size_t i = 0; i < search_grid_size; i++)
        try_entry(s, param, &search_grid[i]);
    try_polynomials(s, param);
    try_pairs(s, param);
    try_fitted(s, param, false);
    try_fitted(s, param, true);
}

/* ---- weights and outliers ---- */

static void weigh(struct search *s, const struct candidate *fit)
{
    const struct points *pts = s->points;
    double square = 0;

    s->weight = 0;
    for (size_t i = 0; i < pts->m; i++) {
        double y = fabs(pts->y[i]), v = y;

        if (s->m < pts->m && !is_in(s, i))
            continue;
        /* The fit tells the size of the error better than the value, unless it is far off. */
        if (fit)
            v = fabs(candidate_value(fit, pts->n_params, pts->x + i * pts->n_params));
        v = y > 0 ? fmin(fmax(v, y / 2), 2 * y) : v;
        s->factor[i] = sqrt(pts->w[i]) / points_scale(pts, v);
        s->rhs[i] = s->factor[i] * pts->y[i];
        s->weight += pts->w[i];
        square += s->rhs[i] * s->rhs[i];
    }
    s->least = 1e-20 * (square > 0 ? square / s->weight : 1);
    if (pts->repeat_sigma > 0)
        s->least += 0.1 * pts->repeat_sigma * pts->repeat_sigma / pts->mean_gain;
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/*
 * Points half and more off a fit that others keep to six standard deviations: at most one in five.
 * Relative to the value a spike looks small, so the fit that finds it has not followed it.
 */
static void exclude_outliers(struct search *s, const struct candidate *fit)
{
    const struct points *pts = s->points;
    double *off = s->work, *sorted = s->work + pts->m, cut;
    size_t limit = pts->m / 5;

    if (!pts->relative || !limit)
        return;
    for (size_t i = 0; i < pts->m; i++) {
        double v = candidate_value(fit, pts->n_params, pts->x + i * pts->n_params);

        off[i] = fabs(pts->y[i] - v) / points_scale(pts, v);
    }
    memcpy(sorted, off, pts->m * sizeof *off);
    qsort(sorted, pts->m, sizeof *sorted, compare_doubles);
    cut = fmax(fmax(0.5, 6 * 1.4826 * sorted[pts->m / 2]), sorted[pts->m - 1 - limit]);
    for (size_t i = 0; i < pts->m; i++)
        if (off[i] > cut) {
            s->factor[i] = s->rhs[i] = 0;
            s->m--;
        }
}

/* ---- what the shortlist disagrees about ---- */

static double disagreement(const struct search *s, const double *x)
{
    const struct shortlist *list = &s->best;
    double base = candidate_value(&list->entry[0], s->points->n_params, x), sum = 0, total = 0;

    for (size_t i = 0; i < list->n; i++) {
        double weight = exp((list->entry[0].score - list->entry[i].score) / 2);
        double off = candidate_value(&list->entry[i], s->points->n_params, x) / base - 1;

        if (!isfinite(off) || weight < 0.01)
            continue;
        /* Three of the one is as far as a third of the other. */
        sum += weight * fmin(off * off, 9);
        total += weight;
    }
    return total > 0 ? sqrt(sum / total) : 1;
}

static void find_drifts(struct search *s)
{
    const struct points *pts = s->points;
    double low[MODEL_PARAMS], high[MODEL_PARAMS], x[MODEL_PARAMS];

    for (size_t p = 0; p < pts->n_params; p++) {
        low[p] = INFINITY;
        high[p] = -INFINITY;
        for (size_t i = 0; i < pts->m; i++)
            if (is_in(s, i)) {
                low[p] = fmin(low[p], pts->x[i * pts->n_params + p]);
                high[p] = fmax(high[p], pts->x[i * pts->n_params + p]);
            }
    }
    for (size_t p = 0; p < pts->n_params; p++) {
        bool known = high[p] > low[p] && low[p] > 0;

        memcpy(x, high, sizeof x);
        x[p] = 2 * high[p];
        s->best.drift_above[p] = known ? disagreement(s, x) : 1;
        memcpy(x, low, sizeof x);
        x[p] = low[p] / 2;
        s->best.drift_below[p] = known ? disagreement(s, x) : 1;
    }
}

/* ---- the whole ---- */

enum portolan_status search_create(const struct points *points,
                                   const struct portolan_model_options *options, struct search *s,
                                   struct portolan_error *err)
{
    *s = (struct search){.points = points, .options = options, .m = points->m};
    s->families = options->families ? options->families : ~0u;
    s->factor = portolan_calloc(points->m, sizeof *s->factor);
    s->rhs = portolan_calloc(points->m, sizeof *s->rhs);
    s->work = portolan_calloc(points->m, (MODEL_ESTIMATES + 4) * sizeof *s->work);
    if (!s->factor || !s->rhs || !s->work) {
        search_destroy(s);
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for a fit of %zu points",
                                  points->m);
    }
    weigh(s, NULL);
    return PORTOLAN_OK;
}

void search_destroy(struct search *s)
{
    free(s->factor);
    free(s->rhs);
    free(s->work);
    s->factor = s->rhs = s->work = NULL;
}

static void search_all(struct search *s)
{
    s->best.n = 0;
    try_constant(s);
    for (size_t p = 0; p < s->points->n_params; p++)
        search_one(s, p);
    if (s->points->n_params > 1)
        search_several(s);
}

void search_run(struct search *s)
{
    search_all(s);
    if (s->m > 2) {
        struct candidate first = s->best.entry[0];

        exclude_outliers(s, &first);
        weigh(s, &first);
        search_all(s);
    } else if (s->m == 2) {
        search_two(s);
    }
    find_drifts(s);
}
