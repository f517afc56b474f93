/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many breaks are found, and where: constant and n log2 n over a 4096-fold range, slopes that
 * change by a ratio, values times 1 +- noise, five repetitions. Printed is the percentage of trials
 * with the right number of breaks, each within one point of its place, beside the best column of
 * the survey's table (60 trials each; here 1000, so an entry is sure to about 1.5 points).
 * Fixed seed. Then how long 1,000 points take, beside plain refits by LAPACK.
 */
#include "bench_short.h"

#include <lapacke.h>
#include <math.h>
#include <portolan/models.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TRIALS = 1000, REPETITIONS = 5, MOST = 1024 };

static uint64_t seed = 0x9e3779b97f4a7c15;

static double uniform(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (double)(seed >> 11) * 0x1p-53;
}

static double cpu_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec * 1e-6;
}

/* ---- trials ---- */

struct rows {
    size_t m;      /* points */
    size_t n_rows; /* of all repetitions */
    size_t breaks, at[2];
    double x[MOST * REPETITIONS], y[MOST * REPETITIONS];
};

/* M points with BREAKS changes of the slope, a fifth of the range and more from the ends. */
static void generate(struct rows *r, size_t m, size_t breaks, double ratio, double noise,
                     bool medians)
{
    size_t edge = (m + 4) / 5, room = m - 2 * edge + 1;
    /* Two breaks, up and down again, or up twice: a bump is what greedy methods miss. */
    double slope = 1e-9;

    r->m = m;
    r->breaks = breaks;
    r->n_rows = 0;
    if (breaks == 1) {
        r->at[0] = edge + (size_t)(uniform() * (double)room);
    } else if (breaks == 2) {
        do {
            r->at[0] = edge + (size_t)(uniform() * (double)room);
            r->at[1] = edge + (size_t)(uniform() * (double)room);
        } while (r->at[1] < r->at[0] + edge);
    }
    for (size_t i = 0; i < m; i++) {
        double n = 1024 * pow(4096, (double)i / (double)(m - 1)), y, five[REPETITIONS];

        if (breaks && i == r->at[0])
            slope *= ratio;
        if (breaks == 2 && i == r->at[1])
            slope /= ratio;
        y = 5e-6 + slope * n * log2(n);
        for (size_t j = 0; j < REPETITIONS; j++)
            five[j] = y * (1 + noise * (2 * uniform() - 1));
        for (size_t j = 0; j < REPETITIONS && medians; j++)
            for (size_t l = j; l > 0 && five[l] < five[l - 1]; l--) {
                double swap = five[l];

                five[l] = five[l - 1];
                five[l - 1] = swap;
            }
        for (size_t j = medians ? 2 : 0; j < (medians ? 3 : REPETITIONS); j++) {
            r->x[r->n_rows] = n;
            r->y[r->n_rows++] = five[j];
        }
    }
}

static const struct portolan_model_shape shapes[] = {{.exponents = {0}},
                                                     {.exponents = {1}, .logs = {1}}};

static struct portolan_model *fit(const struct rows *r, bool search)
{
    static const char *const name = "n";
    struct portolan_model_data data = {1, &name, r->n_rows, r->x, r->y, NULL};
    struct portolan_model *model = NULL;
    struct portolan_error err = {0};

    if (portolan_model_fit_pieces(&data, search ? NULL : shapes, search ? 0 : 2, NULL, &model,
                                  &err)) {
        printf("fit: %s\n", err.text);
        exit(1);
    }
    return model;
}

static bool is_right(const struct rows *r, const struct portolan_model *model)
{
    size_t n;
    const struct portolan_model_break *b = portolan_model_peek_breaks(model, &n);
    double step = pow(4096, 1 / (double)(r->m - 1));

    if (n != r->breaks)
        return false;
    for (size_t i = 0; i < n; i++) {
        double truth = 1024 * pow(step, (double)r->at[i] - 0.5);

        if (fabs(log(b[i].at / truth)) > 1.25 * log(step))
            return false;
    }
    return true;
}

static int share(size_t m, size_t breaks, double ratio, double noise, bool medians, bool search)
{
    static struct rows r;
    int right = 0, trials = bench_times(search ? TRIALS / 5 : TRIALS);

    for (int i = 0; i < trials; i++) {
        struct portolan_model *model;

        generate(&r, m, breaks, ratio, noise, medians);
        model = fit(&r, search);
        right += is_right(&r, model);
        portolan_model_destroy(model);
    }
    return (int)lround(100.0 * right / trials);
}

static void print_table(void)
{
    static const struct {
        size_t m, breaks;
        double ratio;
        int n_noises;
        double noise[3];
        const char *best;
    } cases[] = {
        {12, 0, 1, 2, {0.01, 0.20}, "95/92"},
        {12, 1, 1.5, 3, {0.01, 0.05, 0.20}, "98/98/97"},
        {12, 2, 2, 2, {0.01, 0.20}, "100/100"},
        {24, 0, 1, 2, {0.01, 0.20}, "100/100"},
        {24, 1, 1.5, 3, {0.01, 0.10, 0.20}, "100/98/92"},
        {24, 1, 3, 2, {0.01, 0.20}, "100/98"},
        {24, 2, 2, 2, {0.01, 0.20}, "100/98"},
        {48, 2, 2, 2, {0.01, 0.20}, "100/97"},
    };

    printf("percent of trials with the right number of breaks, each within one point\n");
    printf("  %-22s %-14s %-12s %-12s %-12s %s\n", "points, breaks, ratio", "noise +-%",
           "repetitions", "medians only", "search", "best of the survey");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[4][64] = {"", "", "", ""}, head[64];

        for (int j = 0; j < cases[i].n_noises; j++) {
            size_t m = cases[i].m, breaks = cases[i].breaks;
            double ratio = cases[i].ratio, noise = cases[i].noise[j];
            const char *slash = j ? "/" : "";

            sprintf(text[0] + strlen(text[0]), "%s%g", slash, 100 * noise);
            sprintf(text[1] + strlen(text[1]), "%s%d", slash,
                    share(m, breaks, ratio, noise, false, false));
            sprintf(text[2] + strlen(text[2]), "%s%d", slash,
                    share(m, breaks, ratio, noise, true, false));
            sprintf(text[3] + strlen(text[3]), "%s%d", slash,
                    share(m, breaks, ratio, noise, false, true));
        }
        sprintf(head, "m=%zu, %zu, %g", cases[i].m, cases[i].breaks, cases[i].ratio);
        printf("  %-22s %-14s %-12s %-12s %-12s %s\n", head, text[0], text[1], text[2], text[3],
               cases[i].best);
        fflush(stdout);
    }
}

/* ---- speed ---- */

static const struct portolan_model_shape four[] = {
    {.exponents = {0}}, {.exponents = {1}, .logs = {1}}, {.exponents = {1}}, {.exponents = {2}}};

static double term(size_t j, double n)
{
    return j == 0 ? 1 : j == 1 ? n * log2(n) : j == 2 ? n : n * n;
}

/* The sum of squares of rows FIRST … LAST, each refit from nothing. */
static double refit(const struct rows *r, size_t first, size_t last, size_t k, double *a, double *b)
{
    size_t n = last - first;
    double rss = 0;

    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < k; j++)
            a[j * n + i] = term(j, r->x[first + i]) / r->y[first + i];
        b[i] = 1;
    }
    if (LAPACKE_dgels(LAPACK_COL_MAJOR, 'N', (lapack_int)n, (lapack_int)k, 1, a, (lapack_int)n, b,
                      (lapack_int)n))
        exit(1);
    for (size_t i = k; i < n; i++)
        rss += b[i] * b[i];
    return rss;
}

/* The reference: the table of all segments' squares, once, without looking for anything in it. */
static double plain_table(const struct rows *r, size_t k)
{
    static double a[4 * MOST], b[MOST];
    double start = cpu_ms(), sum = 0;

    for (size_t first = 0; first < r->m; first++)
        for (size_t last = first + k + 1; last <= r->m; last++)
            sum += refit(r, first, last, k, a, b);
    return sum >= 0 ? cpu_ms() - start : NAN;
}

/* The whole fit with its weights, breaks, likelihood sets and models of the pieces. */
static double whole_fit(const struct rows *r, size_t k)
{
    static const char *const name = "n";
    struct portolan_model_data data = {1, &name, r->n_rows, r->x, r->y, NULL};
    double best = INFINITY;

    for (int i = 0; i < 5; i++) {
        struct portolan_model *model;
        double start = cpu_ms();

        if (portolan_model_fit_pieces(&data, k ? four : NULL, k, NULL, &model, NULL))
            exit(1);
        best = fmin(best, cpu_ms() - start);
        if (k != 1 && portolan_model_n_pieces(model) != 3)
            printf("  %zu pieces, not 3\n", portolan_model_n_pieces(model));
        portolan_model_destroy(model);
    }
    return best;
}

static void print_speed(void)
{
    static struct rows small, large;

    generate(&small, 120, 2, 2, 0.05, true);
    generate(&large, 1000, 2, 2, 0.05, true);
    printf("ms of processor time with two breaks (goal: 1,000 points under 50)\n");
    printf("  %-10s %22s %14s %14s\n", "constants", "120 by plain refits", "120 here",
           "1,000 here");
    for (size_t k = 1; k <= 4; k++) {
        double plain = plain_table(&small, k), here = whole_fit(&small, k);

        printf("  %-10zu %22.1f %6.2f (%5.3f) %14.1f\n", k, plain, here, here / plain,
               whole_fit(&large, k));
    }
    printf("  %-10s %22s %14.2f %14.1f\n", "search", "", whole_fit(&small, 0),
           whole_fit(&large, 0));
}

int main(void)
{
    print_table();
    print_speed();
    return 0;
}
