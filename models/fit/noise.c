/* SPDX-License-Identifier: BSD-3-Clause */
/* The noise that a search assumes: when a form explains the points, and when to start over. */
#include "models_internal.h"

#include <math.h>

static void try_constant(struct search *s)
{
    struct candidate c = {.family = PORTOLAN_MODEL_CONSTANT, .k = 1};
    double sum = 0;

    if (search_try(s, &c) < INFINITY)
        return;
    /* A constant is always possible, even for all zeros: it is the fallback. */
    if (!s->options->allow_negative && !(c.constant[0] > 0))
        c.constant[0] = 0;
    for (size_t i = 0; i < s->points->m; i++) {
        double e = s->rhs[i] - s->factor[i] * c.constant[0];

        sum += e * e;
    }
    search_keep(s, &c, fmin(search_score(s, 1, sum, 0), 1e300));
    s->residual = sum;
    s->residual_k = 1;
}

static void know_noise(struct search *s, double share)
{
    double sigma = s->points->repeat_sigma;
    bool known = sigma >= 0;

    s->known_dof = known ? share * s->points->repeat_dof : 0;
    s->known = known ? s->known_dof * s->points->place_share * sigma * sigma : 0;
    for (size_t k = 0; k < MODEL_ESTIMATES; k++) {
        double dof = s->known_dof + (double)s->m - (double)k;

        s->gamma[k] = dof > 0 && k < 8 ? -2 * lgamma(dof / 2) : 0;
    }
}

bool search_explains(const struct search *s, double residual, size_t k)
{
    double sigma = s->points->repeat_sigma, dof = (double)s->m - (double)k;
    double variance = sigma >= 0 ? s->points->place_share * sigma * sigma : s->line_variance;

    if (residual <= s->least && dof > 0)
        return true;
    /* Noise alone rarely exceeds this bound, even with few degrees of freedom. */
    return variance >= 0 && dof > 0 && residual <= (1 + 4 / sqrt(dof)) * dof * variance + s->least;
}

void search_trust(struct search *s, double residual, size_t k)
{
    double sigma = s->points->repeat_sigma, dof = (double)s->m - (double)k, expected;

    if (!(sigma >= 0) || !(dof > 0) || search_explains(s, residual, k))
        return;
    expected = dof * s->points->place_share * sigma * sigma + s->least;
    know_noise(s, 4 * expected * expected / (residual * residual));
    /* Earlier scores are not comparable with later ones. */
    s->best.n = 0;
    try_constant(s);
}

bool search_moves_weights(const struct search *s, const struct candidate *fit)
{
    const struct points *pts = s->points;

    for (size_t i = 0; i < pts->m; i++) {
        double v = candidate_value(fit, pts->n_params, pts->x + i * pts->n_params);

        if (fabs(v - pts->y[i]) > 0.03 * points_scale(pts, pts->y[i]))
            return pts->relative;
    }
    return false;
}

bool search_starts_over(struct search *s)
{
    if (s->first && s->best.n && search_moves_weights(s, s->best.entry[0]))
        s->over = true;
    s->first = false;
    return s->over;
}

void search_begin(struct search *s)
{
    s->best.n = 0;
    know_noise(s, 1);
    try_constant(s);
}
