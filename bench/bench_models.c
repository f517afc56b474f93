/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How often the engine finds the truth again, and what a fit costs: truths of Extra-P's own
 * classes under growing noise, beside Extra-P's method on the same rows and the figures that
 * were measured with Extra-P 4.2.5 itself (notes-models.md, 2.6).
 */
#include "bench_models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_SERIES = 2000 };

/* Per cent of lead exponents within 1/4, 1/3, 1/2; of exact forms; median errors in per cent. */
struct score {
    double within[3], exact, one, four;
};

struct tally {
    size_t n, leads, within[3], exact;
    double one[MAX_SERIES], four[MAX_SERIES], us;
};

static double cpu_us(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec * 1e-3;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double off(const struct sum *truth, const struct sum *found, const double *x)
{
    return fabs(sum_value(found, x) / sum_value(truth, x) - 1);
}

static void count(struct tally *t, const struct series *s, const struct sum *found)
{
    static const double bounds[3] = {1. / 4, 1. / 3, 1. / 2};

    for (size_t p = 0; p < s->n_params; p++) {
        double a, b;
        int log;

        sum_lead(&s->truth, p, &a, &log);
        sum_lead(found, p, &b, &log);
        t->leads++;
        for (int i = 0; i < 3; i++)
            t->within[i] += fabs(a - b) <= bounds[i] + 1e-9;
    }
    t->exact += sum_same_form(&s->truth, found);
    t->one[t->n] = off(&s->truth, found, s->one);
    t->four[t->n++] = off(&s->truth, found, s->four);
}

static struct score summarize(struct tally *t)
{
    struct score score = {.exact = 100 * (double)t->exact / (double)t->n};

    for (int i = 0; i < 3; i++)
        score.within[i] = 100 * (double)t->within[i] / (double)t->leads;
    qsort(t->one, t->n, sizeof *t->one, compare);
    qsort(t->four, t->n, sizeof *t->four, compare);
    score.one = 100 * t->one[t->n / 2];
    score.four = 100 * t->four[t->n / 2];
    return score;
}

static bool portolan_fit(const struct series *s, struct sum *found, double *us)
{
    static const char *const names[] = {"a", "b"};
    struct portolan_model_data data = {
        .n_params = s->n_params, .params = names, .n_rows = s->n_rows, .x = s->x, .y = s->y};
    struct portolan_model *model = NULL;
    const struct portolan_model_term *terms;
    double start = cpu_us();

    if (portolan_model_fit(&data, NULL, &model, NULL))
        return false;
    *us += cpu_us() - start;
    found->n_params = s->n_params;
    terms = portolan_model_peek_terms(model, &found->n);
    for (size_t j = 0; j < found->n; j++)
        found->terms[j] = terms[j];
    portolan_model_destroy(model);
    return true;
}

/* A figure, or a dash for one that was not published. */
static void print_figure(const char *format, int width, double value)
{
    if (isnan(value))
        printf(" %*s", width, "-");
    else
        printf(format, value);
}

static void print(const struct score *s)
{
    printf(" | %3.0f %3.0f %3.0f ", s->within[0], s->within[1], s->within[2]);
    print_figure(" %3.0f ", 4, s->exact);
    print_figure(" %5.2f", 5, s->one);
    printf(" %6.2f", s->four);
}

struct published {
    int noise;
    struct score score;
};

struct table {
    const char *title;
    size_t n_params, points, n_series;
    struct published rows[6];
};

static const struct table tables[] = {
    {"1 parameter, 5 points",
     1,
     5,
     1000,
     {{0, {{100, 100, 100}, 100, 0, 0}},
      {2, {{87, 92, 99}, 54, 0.5, 0.8}},
      {5, {{78, 85, 97}, 32, 1.4, 3.8}},
      {10, {{64, 76, 89}, 19, 3.0, 8.9}},
      {20, {{52, 63, 77}, 13, 6.2, 18}},
      {50, {{31, 39, 55}, 8, 13, 36}}}},
    {"1 parameter, 9 points",
     1,
     9,
     1000,
     {{0, {{100, 100, 100}, 100, 0, 0}},
      {2, {{93, 99, 100}, 65, 0.3, 0.5}},
      {5, {{86, 96, 100}, 39, 1.0, 2.0}},
      {10, {{75, 86, 95}, 23, 2.1, 5.1}},
      {20, {{60, 71, 86}, 13, 4.1, 11}},
      {50, {{38, 47, 64}, 6, 11, 25}}}},
    {"2 parameters, 25 points",
     2,
     5,
     500,
     {{0, {{100, 100, 100}, NAN, NAN, 0}},
      {2, {{84, 91, 100}, NAN, NAN, 0.6}},
      {5, {{66, 78, 95}, NAN, NAN, 2.8}},
      {10, {{53, 70, 90}, NAN, NAN, 8.4}},
      {20, {{37, 53, 70}, NAN, NAN, 18}},
      {50, {{14, 29, 43}, NAN, NAN, 46}}}},
};

/* Every method has its own turn: it should find its own data in the cache. */
static bool count_ours(const struct table *table, double noise, size_t n, uint64_t state,
                       struct tally *tally)
{
    *tally = (struct tally){0};
    for (size_t i = 0; i < n; i++) {
        struct series s;
        struct sum found;

        series_draw(&s, table->n_params, table->points, noise, &state);
        if (!portolan_fit(&s, &found, &tally->us))
            return false;
        count(tally, &s, &found);
    }
    return true;
}

static void count_theirs(const struct table *table, double noise, size_t n, uint64_t state,
                         struct tally *tally)
{
    *tally = (struct tally){0};
    for (size_t i = 0; i < n; i++) {
        struct series s;
        struct sum found;
        double start;

        series_draw(&s, table->n_params, table->points, noise, &state);
        start = cpu_us();
        extrap_fit(&s, &found);
        tally->us += cpu_us() - start;
        count(tally, &s, &found);
    }
}

/* Time of a fit to the first row of every point, at 5 % noise. */
static double single_rows_us(const struct table *table, size_t n, uint64_t state)
{
    double us = 0;

    for (size_t i = 0; i < n; i++) {
        struct series s;
        struct sum found;

        series_draw(&s, table->n_params, table->points, 0.05, &state);
        for (size_t j = 0; j < s.m; j++) {
            memmove(s.x + j * s.n_params, s.x + j * REPETITIONS * s.n_params,
                    s.n_params * sizeof *s.x);
            s.y[j] = s.y[j * REPETITIONS];
        }
        s.n_rows = s.m;
        if (!portolan_fit(&s, &found, &us))
            return NAN;
    }
    return us / (double)n;
}

static bool run(const struct table *table, size_t n, uint64_t seed, struct tally *ours,
                struct tally *theirs)
{
    double us[2] = {0, 0};

    printf("%s, %zu series with 5 repetitions per noise level\n", table->title, n);
    printf(
        "noise | Portolan                       | Extra-P's method, same rows    | Extra-P 4.2.5, "
        "published\n");
    for (int r = 0; r < 6; r++) {
        double noise = table->rows[r].noise / 100.0;
        struct score score;

        if (!count_ours(table, noise, n, seed, ours))
            return false;
        count_theirs(table, noise, n, seed, theirs);
        us[0] += ours->us;
        us[1] += theirs->us;
        printf("%3d %%", table->rows[r].noise);
        score = summarize(ours);
        print(&score);
        score = summarize(theirs);
        print(&score);
        print(&table->rows[r].score);
        printf("\n");
    }
    printf("one fit: %.1f us (%.1f us without repetitions); Extra-P's method with dgels: %.1f us, "
           "%.1f times as long\n\n",
           us[0] / 6 / (double)n, single_rows_us(table, n, seed), us[1] / 6 / (double)n,
           us[1] / us[0]);
    return true;
}

/* What a fit of 100,000 rows takes, no two of which have the same parameters. */
static bool run_many(uint64_t state)
{
    enum { MANY = 100000 };
    static const char *const names[] = {"n", "p"};
    double *x = calloc(2 * MANY, sizeof *x), *y = calloc(MANY, sizeof *y), start;
    struct portolan_model_data data = {
        .n_params = 2, .params = names, .n_rows = MANY, .x = x, .y = y};
    struct portolan_model *model = NULL;
    bool good = x && y;

    for (size_t i = 0; good && i < MANY; i++) {
        double n = x[2 * i] = 16 * exp2(10 * draw(&state));
        double p = x[2 * i + 1] = exp2(8 * draw(&state));

        y[i] = (200 + 0.01 * n * log2(n) / p) * (1 + 0.1 * (draw(&state) - 0.5));
    }
    start = cpu_us();
    good = good && !portolan_model_fit(&data, NULL, &model, NULL);
    if (good)
        printf("%d rows of two parameters, 5 %% noise: %.2f s of CPU time, %s\n", MANY,
               (cpu_us() - start) * 1e-6, portolan_model_peek_formula(model));
    portolan_model_destroy(model);
    free(x);
    free(y);
    return good;
}

int main(int argc, char **argv)
{
    struct tally *ours = calloc(1, sizeof *ours), *theirs = calloc(1, sizeof *theirs);
    size_t wanted = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 0;
    uint64_t seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    bool good = ours && theirs;

    printf("share of lead exponents within 1/4, 1/3, 1/2; of exact forms; median error one and "
           "four steps outside; in per cent\n\n");
    for (size_t i = 0; good && i < sizeof tables / sizeof *tables; i++) {
        size_t n = wanted ? wanted : tables[i].n_series;

        good = run(&tables[i], n < MAX_SERIES ? n : MAX_SERIES, seed, ours, theirs);
    }
    good = good && ahead_run(wanted ? wanted : 400, seed);
    good = good && outside_run(wanted ? wanted : 100, seed);
    good = good && spikes_run(wanted ? wanted : 1000, seed);
    good = good && run_many(seed);
    free(ours);
    free(theirs);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
