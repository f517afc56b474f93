/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Laws that are in no list, with other noise than the search expects, from 5 to 12 points with 1 to
 * 3 repetitions: how far off inside, at 4 and at 16 times the range, how many fresh rows the
 * interval holds, and how often it is sure of what is ten times off. Beside it Extra-P's method.
 */
#include "bench_models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { POWER, OFFSET, TWO, THREE, SATURATION, SHARED, KINK, STEP, KINDS };
static const char *const kind_names[KINDS] = {
    "c n^a", "c + n^a", "n^a + n^b", "c + n^a + n^b", "saturation", "a/n + b n", "kink", "step"};

/* Shares of the value at the last size, unless a comment says otherwise. */
struct law {
    enum kind kind;
    double last, first;
    double power[2], share[3];
    double at, jump; /* where it bends or jumps, and by which factor */
};

struct noise {
    const char *name;
    double sigma; /* of the logarithm */
    double jump;  /* three of ten rows are longer by this share */
};
static const struct noise noises[] = {
    {"1 %", 0.01, 0}, {"5 %", 0.05, 0}, {"20 %", 0.2, 0}, {"two values, 30 %", 0.02, 0.3}};
enum { NOISES = sizeof noises / sizeof *noises, PLACES = 3 };
static const double jump_share = 0.3, sure_and_wrong = 10;
static const char *const place_names[PLACES] = {"inside", "4 x", "16 x"};

static double between(double low, double high, uint64_t *state)
{
    return low + (high - low) * draw(state);
}

static double log_between(double low, double high, uint64_t *state)
{
    return low * pow(high / low, draw(state));
}

static void law_draw(struct law *l, enum kind kind, double first, double last, uint64_t *state)
{
    double inner = pow(last / first, 0.15);

    l->kind = kind;
    l->first = first;
    l->last = last;
    for (int i = 0; i < 2; i++)
        l->power[i] = between(0.3, 3, state);
    for (int i = 0; i < 3; i++)
        l->share[i] = between(0.1, 1, state);
    l->at = log_between(first * inner, last / inner, state);
    l->jump = between(1.5, 4, state);
}

static double law_value(const struct law *l, double n)
{
    double x = n / l->last, a = l->share[0] * pow(x, l->power[0]);

    switch (l->kind) {
    case POWER:
        return a;
    case OFFSET:
        return l->share[1] + a;
    case TWO:
        return a + l->share[1] * pow(x, l->power[1]);
    case THREE:
        return l->share[2] + a + l->share[1] * pow(x, l->power[1]);
    case SATURATION:
        return n / (n + l->at);
    case SHARED: /* the two are equal at AT */
        return l->at / n + n / l->at;
    case KINK:
        return n + (l->jump - 1) * fmax(n - l->at, 0);
    default:
        return a * (n < l->at ? 1 : l->jump);
    }
}

static double row(const struct law *l, const struct noise *noise, double n, uint64_t *state)
{
    double normal = portolan_draw_normal(*state, 1), two = draw(state) < jump_share;

    return law_value(l, n) * exp(noise->sigma * normal) * (1 + noise->jump * two);
}

static double mean_row(const struct law *l, const struct noise *noise, double n)
{
    return law_value(l, n) * exp(noise->sigma * noise->sigma / 2) * (1 + noise->jump * jump_share);
}

static void rows_draw(struct series *s, struct law *l, enum kind kind, const struct noise *noise,
                      uint64_t *state)
{
    int sizes = (int)(draw(state) * 3);

    memset(s, 0, sizeof *s);
    s->n_params = 1;
    s->m = 5 + (size_t)(draw(state) * 8);
    s->repetitions = 1 + (size_t)(draw(state) * 3);
    law_draw(l, kind, size_at(sizes, 0), size_at(sizes, s->m - 1), state);
    for (size_t i = 0; i < s->m; i++)
        for (size_t r = 0; r < s->repetitions; r++) {
            s->x[s->n_rows] = size_at(sizes, i);
            s->y[s->n_rows++] = row(l, noise, size_at(sizes, i), state);
        }
}

struct count {
    size_t n, held, sure;
    double *off, *theirs; /* room for all */
};

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static bool judge(const struct law *l, const struct noise *noise, const struct series *s,
                  struct count *counts, uint64_t *state)
{
    static const char *const name = "n";
    struct portolan_model_data data = {
        .n_params = 1, .params = &name, .n_rows = s->n_rows, .x = s->x, .y = s->y};
    double x[PLACES] = {log_between(l->first, l->last, state), 4 * l->last, 16 * l->last};
    struct portolan_model *model = NULL;
    struct sum found;

    if (portolan_model_fit_pieces(&data, NULL, 0, NULL, &model, NULL))
        return false;
    extrap_fit(s, &found);
    for (int i = 0; i < PLACES; i++) {
        double truth = mean_row(l, noise, x[i]), fresh = row(l, noise, x[i], state), factor;
        struct portolan_prediction p = {0};
        struct count *c = &counts[i];

        if (portolan_model_predict(model, &x[i], &p))
            return false;
        factor = p.value / truth;
        c->held += p.low <= fresh && fresh <= p.high;
        c->sure += !(factor < sure_and_wrong && factor > 1 / sure_and_wrong) &&
                   !(p.low <= truth && truth <= p.high);
        c->theirs[c->n] = fabs(sum_value(&found, &x[i]) / truth - 1);
        c->off[c->n++] = fabs(factor - 1);
    }
    portolan_model_destroy(model);
    return true;
}

/* Counts are added to TOTAL and emptied. */
static void print(const char *what, struct count *counts, struct count *total)
{
    printf("%-18s", what);
    for (int i = 0; i < PLACES; i++) {
        struct count *c = &counts[i];

        for (size_t j = 0; j < c->n && total; j++) {
            total[i].theirs[total[i].n] = c->theirs[j];
            total[i].off[total[i].n++] = c->off[j];
        }
        if (total) {
            total[i].held += c->held;
            total[i].sure += c->sure;
        }
        qsort(c->off, c->n, sizeof *c->off, ascending);
        qsort(c->theirs, c->n, sizeof *c->theirs, ascending);
        printf(" | %5.1f %5.1f %8.3g %8.3g %5.1f %4zu", 100 * c->off[c->n / 2],
               100 * c->theirs[c->n / 2], 100 * c->off[c->n - 1 - c->n / 100],
               100 * c->theirs[c->n - 1 - c->n / 100], 100 * (double)c->held / (double)c->n,
               c->sure);
        c->n = c->held = c->sure = 0;
    }
    printf("\n");
}

static bool run_noise(const struct noise *noise, size_t n_series, struct count *counts,
                      struct count *total, uint64_t *state)
{
    char what[64];

    for (int kind = 0; kind < KINDS; kind++) {
        for (size_t i = 0; i < n_series; i++) {
            struct series s;
            struct law l;

            rows_draw(&s, &l, (enum kind)kind, noise, state);
            if (!judge(&l, noise, &s, counts, state))
                return false;
        }
        snprintf(what, sizeof what, "  %s", kind_names[kind]);
        print(what, counts, total);
    }
    return true;
}

static bool make_room(struct count *counts, size_t n)
{
    for (int i = 0; i < PLACES; i++) {
        counts[i].off = calloc(n, sizeof *counts[i].off);
        counts[i].theirs = calloc(n, sizeof *counts[i].theirs);
        if (!counts[i].off || !counts[i].theirs)
            return false;
    }
    return true;
}

static void free_room(struct count *counts)
{
    for (int i = 0; i < PLACES; i++) {
        free(counts[i].off);
        free(counts[i].theirs);
    }
}

bool outside_run(size_t n_series, uint64_t state)
{
    struct count counts[PLACES] = {{0}}, total[PLACES] = {{0}};
    bool good = make_room(counts, n_series) && make_room(total, n_series * KINDS * NOISES);

    printf("laws outside the list, 5 to 12 points, 1 to 3 repetitions, %zu series each: median "
           "error here and of Extra-P's\nmethod, the error that one of a hundred exceeds, here and "
           "there (in per cent), fresh rows inside the\ninterval of 95 %%, and how many were ten "
           "times off without the truth inside\n%-18s",
           n_series, "");
    for (int i = 0; i < PLACES; i++)
        printf(" | %-40s", place_names[i]);
    printf("\n");
    for (int i = 0; i < NOISES && good; i++) {
        printf("%s\n", noises[i].name);
        good = run_noise(&noises[i], n_series, counts, total, &state);
    }
    if (good)
        print("all", total, NULL);
    free_room(counts);
    free_room(total);
    return good;
}
