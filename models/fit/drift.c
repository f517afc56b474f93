/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How far the chosen form may be wrong outside the rows: by the disagreement of the shortlist, and
 * by bends that the rows cannot exclude. A bend multiplies the law by 1 + e x^d; the rows give the
 * size of e and the probability of a bend in closed form (a normal prior of e, and the evidence
 * compared with no bend). Fourth powers, not squares, are averaged, so that the interval also
 * covers forms that are unlikely but far off.
 */
#include "models_internal.h"

#include <math.h>
#include <string.h>

enum { PLACES = 2, BENDS = 8, SIDES = 2 };

/* The places to look at: so many octaves outside the rows. */
static const double octaves[PLACES] = {2, 4};
/* Twice the exponents of the bends; 0: the logarithm. */
static const int bends[BENDS] = {-4, -2, -1, 0, 1, 2, 4, 6};
/* The prior standard deviation of e, and the prior odds of each bend against none. */
static const double prior_deviation = 0.5, prior_share = 0.03;
/* The least drift per octave, however well the forms agree: the list does not have all forms. */
static const double least_drift = 0.02;
/* The root of the mean fourth power is more than a standard deviation. With this share of it,
 * intervals of 95 % hold 95 % of new rows at four times the range (bench_models). */
static const double cautious = 0.7;
/* Larger differences of logarithms count as this one. */
static const double most_apart = 8;

struct place {
    size_t param;
    double octaves, x[MODEL_PARAMS], value;
    double gradient[MODEL_ESTIMATES]; /* of the value, by the orthonormal columns */
    double fourth;                    /* mean fourth power of the error, a logarithm */
};

struct drift {
    struct search *s;
    const struct candidate *c;
    size_t m, n; /* points, columns */
    double *columns, *residual, *bend;
    double variance;
    size_t n_places;
    struct place places[MODEL_PARAMS * SIDES * PLACES];
};

/* ---- places ---- */

static double log_apart(double value, double base)
{
    double off = value > 0 && base > 0 ? fabs(log(value / base)) : most_apart;

    return fmin(off, most_apart);
}

/* Mean fourth power of the log ratio of each form's value at X to the first form's. */
static double disagreement(const struct search *s, const double *x)
{
    const struct shortlist *list = &s->best;
    double base = candidate_value(list->entry[0], s->points->n_params, x), sum = 0, total = 0;

    for (size_t i = 0; i < list->n; i++) {
        double lead = list->entry[0]->score - list->entry[i]->score;
        double weight = lead > -10 ? exp(fmin(lead, 10) / 2) : 0, off;

        if (weight < 0.01)
            continue;
        off = log_apart(candidate_value(list->entry[i], s->points->n_params, x), base);
        sum += weight * off * off * off * off;
        total += weight;
    }
    return total > 0 ? sum / total : 1;
}

/* Adds places where PARAM is outside the rows, and the others are at the ENDS of the rows; SIGN 1:
 * above, -1: below. */
static void add_places(struct drift *d, size_t param, const double *ends, double sign)
{
    for (int i = 0; i < PLACES; i++) {
        struct place *p = &d->places[d->n_places++];

        p->param = param;
        p->octaves = sign * octaves[i];
        memcpy(p->x, ends, sizeof p->x);
        p->x[param] *= exp2(p->octaves);
        p->value = candidate_value(d->c, d->s->points->n_params, p->x);
        p->fourth = disagreement(d->s, p->x);
    }
}

/* ---- what the rows can exclude ---- */

/* Makes V orthogonal to column Q, and changes AT, its values at the places, accordingly. */
static void project_column(struct drift *d, double *v, size_t q, double *at)
{
    const double *column = d->columns + q * d->m;
    double product = linear_dot(d->m, v, column);

    linear_subtract(d->m, product, column, v);
    for (size_t i = 0; i < d->n_places; i++)
        at[i] -= product * d->places[i].gradient[q];
}

/* Makes the columns of the problem orthonormal; false: too few rows, or dependent columns. */
static bool know_rows(struct drift *d)
{
    struct estimate estimates[MODEL_ESTIMATES];
    struct search *s = d->s;
    double at[MODEL_PARAMS * SIDES * PLACES], dof;

    d->columns = s->work;
    d->n = nonlinear_columns(s, d->c, d->columns, estimates);
    d->residual = d->columns + MODEL_ESTIMATES * d->m;
    d->bend = d->residual + d->m;
    memcpy(d->residual, s->rhs, d->m * sizeof *d->residual);
    for (size_t j = 0; j < d->c->k; j++)
        linear_subtract(d->m, d->c->constant[j], d->columns + j * d->m, d->residual);
    dof = s->known_dof + (double)s->m - (double)d->n;
    d->variance = (linear_dot(d->m, d->residual, d->residual) + s->known + s->least) / dof;
    for (size_t j = 0; j < d->n; j++) {
        double *column = d->columns + j * d->m, before = linear_dot(d->m, column, column), norm;
        const struct portolan_model_shape *shape = &d->c->shape[estimates[j].term];
        int param = estimates[j].param;

        for (size_t i = 0; i < d->n_places; i++) {
            const double *x = d->places[i].x;

            at[i] = shape_value(shape, s->points->n_params, x);
            if (param != CONSTANT_ESTIMATE)
                at[i] *= d->c->constant[estimates[j].term] * log(x[param]);
        }
        for (size_t q = 0; q < j; q++)
            project_column(d, column, q, at);
        norm = sqrt(linear_dot(d->m, column, column));
        if (!(norm > 1e-7 * sqrt(before)))
            return false;
        for (size_t i = 0; i < d->m; i++)
            column[i] /= norm;
        for (size_t i = 0; i < d->n_places; i++)
            d->places[i].gradient[j] = at[i] / norm;
    }
    return dof > 0;
}

/* The value of BEND at LOG_X, where the rows go from LOW to HIGH; all three are logarithms. */
static double bend_at(int bend, double log_x, double low, double high)
{
    if (bend == 0)
        return (log_x - low) / (high - low);
    return exp(bend / 2. * (log_x - (bend > 0 ? high : low)));
}

/* Adds the error by D's bend, with values AT the places, to FOURTHS; returns its weight relative to
 * no bend. */
static double judge_bend(const struct drift *d, size_t param, const double *at, double *fourths)
{
    double size = linear_dot(d->m, d->bend, d->bend), ratio, share, deviation, weight;
    double product = linear_dot(d->m, d->bend, d->residual);

    ratio = prior_deviation * prior_deviation * size / d->variance;
    share = ratio / (1 + ratio);
    weight = prior_share / sqrt(1 + ratio) *
             exp(fmin(product * product / size / d->variance * share / 2, 50));
    deviation = hypot(share * product / size, sqrt(share * d->variance / size));
    for (size_t i = 0; i < d->n_places; i++)
        if (d->places[i].param == param) {
            double off = fmin(log1p(deviation * fabs(at[i] / d->places[i].value)), most_apart);

            fourths[i] += weight * off * off * off * off;
        }
    return weight;
}

static void try_bends(struct drift *d, size_t param, double low, double high)
{
    double fourths[MODEL_PARAMS * SIDES * PLACES] = {0}, at[MODEL_PARAMS * SIDES * PLACES];
    double total = 1;

    for (int b = 0; b < BENDS; b++) {
        double before;

        for (size_t i = 0; i < d->m; i++)
            d->bend[i] = (d->s->rhs[i] - d->residual[i]) *
                         bend_at(bends[b], d->s->logs[param * d->m + i], low, high);
        for (size_t i = 0; i < d->n_places; i++)
            at[i] = d->places[i].value * bend_at(bends[b], log(d->places[i].x[param]), low, high);
        before = linear_dot(d->m, d->bend, d->bend);
        for (size_t q = 0; q < d->n; q++)
            project_column(d, d->bend, q, at);
        if (linear_dot(d->m, d->bend, d->bend) > 1e-12 * before)
            total += judge_bend(d, param, at, fourths);
    }
    for (size_t i = 0; i < d->n_places; i++)
        d->places[i].fourth += fourths[i] / total;
}

/* ---- both ---- */

static void keep_drifts(struct drift *d)
{
    struct shortlist *list = &d->s->best;

    for (size_t i = 0; i < d->n_places; i++) {
        const struct place *p = &d->places[i];
        double *drift =
            p->octaves > 0 ? &list->drift_above[p->param] : &list->drift_below[p->param];

        *drift = fmax(*drift, cautious * sqrt(sqrt(p->fourth)) / model_divergence(p->octaves));
    }
}

void search_find_drifts(struct search *s)
{
    const struct points *pts = s->points;
    struct drift d; /* not initialized as a whole: most of its places are not used */
    double low[MODEL_PARAMS], high[MODEL_PARAMS];
    bool known[MODEL_PARAMS];

    d.s = s;
    d.c = s->best.entry[0];
    d.m = pts->m;
    d.n_places = 0;
    for (size_t p = 0; p < pts->n_params; p++) {
        search_range(s, p, &low[p], &high[p]);
        known[p] = high[p] > low[p] && low[p] > 0;
    }
    for (size_t p = 0; p < pts->n_params; p++) {
        s->best.drift_above[p] = s->best.drift_below[p] = known[p] ? least_drift : 1;
        if (known[p]) {
            add_places(&d, p, high, 1);
            add_places(&d, p, low, -1);
        }
    }
    if (d.n_places && know_rows(&d))
        for (size_t p = 0; p < pts->n_params; p++)
            if (known[p])
                try_bends(&d, p, log(low[p]), log(high[p]));
    keep_drifts(&d);
}
