/* SPDX-License-Identifier: BSD-3-Clause */
/* What rows are worth: weights, outliers; and what the shortlist disagrees about. */
#include "models_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- weights and outliers ---- */

void search_weigh(struct search *s, const struct candidate *fit)
{
    const struct points *pts = s->points;
    double square = 0;

    s->weight = s->largest = 0;
    for (size_t i = 0; i < pts->m; i++) {
        double v = pts->y[i];

        if (s->m < pts->m && !search_is_in(s, i))
            continue;
        if (fit)
            v = candidate_value(fit, pts->n_params, pts->x + i * pts->n_params);
        s->factor[i] = sqrt(pts->w[i]) / points_scale_of(pts, i, v);
        s->rhs[i] = s->factor[i] * pts->y[i];
        s->weight += pts->w[i];
        square += s->rhs[i] * s->rhs[i];
        s->largest = fmax(s->largest, fabs(s->rhs[i]));
    }
    s->least = 1e-20 * (square > 0 ? square : 1);
}

/*
 * Points half and more off a fit that others keep to six standard deviations: at most one in five.
 * Relative to the value a spike looks small, so the fit that finds it has not followed it.
 */
void search_exclude_outliers(struct search *s, const struct candidate *fit)
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
    numbers_sort(pts->m, sorted);
    cut = fmax(fmax(0.5, 6 * 1.4826 * sorted[pts->m / 2]), sorted[pts->m - 1 - limit]);
    for (size_t i = 0; i < pts->m; i++)
        if (off[i] > cut) {
            s->factor[i] = s->rhs[i] = 0;
            s->m--;
        }
}

/* ---- what the shortlist disagrees about ---- */

/* Forms outside the list exist too: no agreement makes the next octave surer than this. */
static const double least_drift = 0.02;

static double disagreement(const struct search *s, const double *x)
{
    const struct shortlist *list = &s->best;
    double base = candidate_value(list->entry[0], s->points->n_params, x), sum = 0, total = 0;

    for (size_t i = 0; i < list->n; i++) {
        double lead = list->entry[0]->score - list->entry[i]->score;
        double weight = lead > -10 ? exp(lead / 2) : 0, off;

        if (weight < 0.01)
            continue;
        off = candidate_value(list->entry[i], s->points->n_params, x) / base - 1;
        if (!isfinite(off))
            continue;
        /* Three of the one is as far as a third of the other. */
        sum += weight * fmin(off * off, 9);
        total += weight;
    }
    return total > 0 ? fmax(least_drift, sqrt(sum / total)) : 1;
}

void search_find_drifts(struct search *s)
{
    const struct points *pts = s->points;
    double low[MODEL_PARAMS], high[MODEL_PARAMS], x[MODEL_PARAMS];

    for (size_t p = 0; p < pts->n_params; p++) {
        low[p] = INFINITY;
        high[p] = -INFINITY;
        for (size_t i = 0; i < pts->m; i++)
            if (search_is_in(s, i)) {
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
