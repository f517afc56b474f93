/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Twelve truths, most of them outside Extra-P's classes, fitted at sizes up to 48 and predicted at
 * 96: how far off, and how many fresh rows their interval holds.
 */
#include "bench_models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double far_away = 96;

static double truth(int which, double n)
{
    switch (which) {
    case 0:
        return 3;
    case 1:
        return 2e-3 * n;
    case 2:
        return 1e-4 * n * n;
    case 3:
        return 1e-6 * n * n * n;
    case 4:
        return 1e-9 * pow(n, 5);
    case 5:
        return 1e-12 * pow(n, 7);
    case 6:
        return 1e-5 * n * log2(n);
    case 7:
        return 1e-6 * (n * n * n + 30 * n * n);
    case 8:
        return 2e-3 + 1e-6 * n * n * n;
    case 9:
        return 0.01 * n + 1;
    case 10:
        return 0.5 / n + 0.01;
    default:
        return 1e-6 * (pow(n, 3.3) + 10 * n * n);
    }
}

struct design {
    const char *sizes;
    size_t n;
    double x[9];
    double noise, spikes;
    int repetitions;
};

static const struct design designs[] = {
    {"16 24 32 48", 4, {16, 24, 32, 48}, 0.01, 0, 3},
    {"16 24 32 48", 4, {16, 24, 32, 48}, 0.05, 0, 1},
    {"16 24 32 48", 4, {16, 24, 32, 48}, 0.05, 0, 4},
    {"16 24 32 48", 4, {16, 24, 32, 48}, 0.05, 0.02, 3},
    {"9 sizes, 16 to 48", 9, {16, 20, 24, 28, 32, 36, 40, 44, 48}, 0.05, 0, 1},
    {"6 sizes, 16 to 48", 6, {16, 20, 24, 32, 40, 48}, 0.20, 0, 3},
};

static double normal(uint64_t *state)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += draw(state);
    return sum;
}

static struct portolan_model *fit(const struct design *d, int which, uint64_t *state)
{
    static const char *const name = "n";
    double x[9 * 4], y[9 * 4];
    struct portolan_model_data data = {.n_params = 1, .params = &name, .x = x, .y = y};
    struct portolan_model *model = NULL;

    for (size_t i = 0; i < d->n; i++)
        for (int r = 0; r < d->repetitions; r++) {
            double value = truth(which, d->x[i]) * (1 + d->noise * normal(state));

            if (draw(state) < d->spikes)
                value *= 10 + 90 * draw(state);
            x[data.n_rows] = d->x[i];
            y[data.n_rows++] = value;
        }
    return portolan_model_fit(&data, NULL, &model, NULL) ? NULL : model;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

bool ahead_run(size_t n_series, uint64_t state)
{
    double *off = calloc(n_series, sizeof *off);

    printf("12 truths, %zu series each, predicted at 96: mean over truths of the median error, and "
           "of the share of fresh\nrows inside the interval of 95 %%; error and share where the "
           "share is least\n",
           n_series);
    for (size_t i = 0; off && i < sizeof designs / sizeof *designs; i++) {
        const struct design *d = &designs[i];
        double error = 0, inside = 0, least = 2, worst = 0;

        for (int which = 0; which < 12; which++) {
            size_t held = 0;

            for (size_t j = 0; j < n_series; j++) {
                struct portolan_model *model = fit(d, which, &state);
                double value = truth(which, far_away);
                double fresh = value * (1 + d->noise * normal(&state));
                struct portolan_prediction p = {0};

                if (!model || portolan_model_predict(model, &far_away, &p))
                    return false;
                off[j] = fabs(p.value / value - 1);
                held += p.low <= fresh && fresh <= p.high;
                portolan_model_destroy(model);
            }
            qsort(off, n_series, sizeof *off, compare);
            error += off[n_series / 2] / 12;
            inside += (double)held / (double)n_series / 12;
            if ((double)held / (double)n_series < least) {
                least = (double)held / (double)n_series;
                worst = off[n_series / 2];
            }
        }
        printf("%-18s noise %2.0f %%, spikes %.0f %%, %d rows: %5.2f %%  %.2f  (%5.2f %%  %.2f)\n",
               d->sizes, 100 * d->noise, 100 * d->spikes, d->repetitions, 100 * error, inside,
               100 * worst, least);
    }
    free(off);
    return off != NULL;
}
