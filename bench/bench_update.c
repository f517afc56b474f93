/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a row costs that arrives while a program runs: taken into a model by Givens rotations, with
 * and without making the model of it, beside a full fit of the same terms to all rows so far.
 */
#include <portolan/update.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TERMS = 3, MOST = 4000, ROUNDS = 200 };

static const char *const names[] = {"n"};
static const struct portolan_model_shape shapes[TERMS] = {
    {.exponents = {0}}, {.exponents = {1}}, {.exponents = {1}, .logs = {1}}};

static double now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static double wobble(size_t i)
{
    return (double)(i * 7919 % 1000) / 500 - 1;
}

static void check(enum portolan_status status, const struct portolan_error *err)
{
    if (!status)
        return;
    fprintf(stderr, "bench_update: %s\n", err->text);
    exit(1);
}

int main(void)
{
    static double x[2 * MOST], y[2 * MOST];
    struct portolan_error err = {0};

    for (size_t i = 0; i < 2 * MOST; i++) {
        x[i] = 10 + (double)(i * 31 % 5000);
        y[i] = (50 + 3 * x[i] + 0.4 * x[i] * log2(x[i])) * (1 + 0.05 * wobble(i));
    }
    printf("%6s %14s %14s %14s %10s\n", "rows", "row us", "row, model us", "full fit us", "ratio");
    for (size_t n = 10; n <= MOST; n *= n == 10 ? 10 : n == 100 ? 10 : 4) {
        struct portolan_model_data data = {1, names, n, x, y, NULL};
        struct portolan_model *m = NULL, *fresh = NULL;
        struct portolan_update *u = NULL;
        double start, row, with_model, full;

        check(portolan_model_fit_terms(&data, shapes, TERMS, NULL, &m, &err), &err);
        check(portolan_update_create(m, &data, 0, &u, &err), &err);
        start = now_us();
        for (size_t i = 0; i < MOST; i++)
            check(portolan_update_add(u, &x[n + i], y[n + i], 1), &err);
        row = (now_us() - start) / MOST;
        start = now_us();
        for (size_t i = 0; i < ROUNDS; i++) {
            check(portolan_update_add(u, &x[i], y[i], 1), &err);
            check(portolan_update_model(u, &fresh, &err), &err);
            portolan_model_destroy(fresh);
        }
        with_model = (now_us() - start) / ROUNDS;
        start = now_us();
        for (size_t i = 0; i < ROUNDS / 10; i++) {
            check(portolan_model_fit_terms(&data, shapes, TERMS, NULL, &fresh, &err), &err);
            portolan_model_destroy(fresh);
        }
        full = (now_us() - start) / (ROUNDS / 10.0);
        printf("%6zu %14.2f %14.2f %14.2f %9.0fx\n", n, row, with_model, full, full / with_model);
        portolan_update_destroy(u);
        portolan_model_destroy(m);
    }
    return 0;
}
