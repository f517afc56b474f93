/* SPDX-License-Identifier: BSD-3-Clause */
/* What rows are worth: weights and outliers. */
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
    portolan_sort_numbers(pts->m, sorted);
    cut = fmax(fmax(0.5, 6 * 1.4826 * sorted[pts->m / 2]), sorted[pts->m - 1 - limit]);
    for (size_t i = 0; i < pts->m; i++)
        if (off[i] > cut) {
            s->factor[i] = s->rhs[i] = 0;
            s->m--;
        }
}
