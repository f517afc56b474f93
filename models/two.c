/* SPDX-License-Identifier: BSD-3-Clause */
/* Two points: every form of two constants passes through them, and none can be left out. */
#include "models_internal.h"

#include <math.h>

/* Timings of one thing differ by this much without any reason, when repetitions do not say. */
static const double usual_noise = 0.05;

static bool differ(const struct search *s)
{
    const struct points *pts = s->points;
    double size = fmax(fabs(pts->y[0]), fabs(pts->y[1]));
    double noise = usual_noise * (pts->relative ? 1 : size);

    if (pts->repeat_sigma >= 0)
        noise = pts->repeat_sigma * sqrt(2 / pts->mean_gain);
    return fabs(pts->y[1] - pts->y[0]) > 3 * noise * points_scale(pts, size);
}

static void enter_power(struct search *s, size_t param, double score)
{
    const struct points *pts = s->points;
    const double *x = pts->x + param, *y = pts->y;
    struct candidate c = {.family = PORTOLAN_MODEL_POWER, .k = 1};
    double exponent = log(y[1] / y[0]) / log(x[pts->n_params] / x[0]);

    if (!search_allows(s, PORTOLAN_MODEL_POWER) || !search_above(s, param, 0) || y[0] <= 0 ||
        y[1] <= 0 || !(fabs(exponent) <= 8))
        return;
    c.shape[0].exponents[param] = exponent;
    c.fitted[0] = 1u << param;
    search_enter(s, &c, score);
}

static void enter_lines(struct search *s, size_t param, double score)
{
    for (size_t i = 0; i < GRID; i++) {
        const struct grid_entry *entry = &search_grid[i];
        struct candidate c = {0};

        c.family = entry->log             ? PORTOLAN_MODEL_LOGARITHMIC
                   : entry->exponent <= 3 ? PORTOLAN_MODEL_POLYNOMIAL
                                          : PORTOLAN_MODEL_POWER;
        candidate_add(&c);
        candidate_list(&c, candidate_add(&c), param, i);
        if (entry->cost > 0.5 || !search_allows(s, c.family) || !search_grid_fits(s, param, i))
            continue;
        search_enter(s, &c, score + entry->cost + 0.25 * fabs(entry->exponent));
    }
}

void search_two(struct search *s)
{
    bool different = differ(s);
    struct candidate constant = *s->best.entry[0];

    for (size_t i = 0; i < s->best.n; i++)
        if (s->best.entry[i]->family == PORTOLAN_MODEL_CONSTANT)
            constant = *s->best.entry[i];
    s->best.n = 0;
    search_keep(s, &constant, different ? 5 : -2);
    for (size_t p = 0; p < s->points->n_params; p++)
        if (search_varies(s, p)) {
            enter_power(s, p, 0);
            enter_lines(s, p, 0.75);
        }
}
