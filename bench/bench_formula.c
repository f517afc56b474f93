/* SPDX-License-Identifier: BSD-3-Clause */
/* What a formula costs to evaluate, beside the same expression compiled; and to parse. */
#include "bench_short.h"

#include <portolan/formula.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 4000000, PARSES = 100000 };

static double sum(double n, double p)
{
    return n * (p - 1) / p;
}

static double paper(double n, double p)
{
    return n / p * log(n / p);
}

static double choice(double n, double p)
{
    return n < 1000 ? 2 * n : 3 * n + p;
}

static double polynomial(double n, double p)
{
    return 1.5 * n * n + 2.5 * n * p + 3.5 * p * p + 4;
}

static const struct {
    const char *text;
    double (*compiled)(double n, double p);
} cases[] = {
    {"n*(p-1)/p", sum},
    {"(n/p)*log(n/p)", paper},
    {"n < 1000 ? 2*n : 3*n + p", choice},
    {"1.5*n*n + 2.5*n*p + 3.5*p*p + 4", polynomial},
};

static double cpu_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct portolan_formula *parse(const char *text)
{
    static const char *const names[] = {"n", "p"};
    struct portolan_formula *f, *bound;

    if (portolan_formula_parse(text, strlen(text), "bench", 1, 1, NULL, &f, NULL) ||
        portolan_formula_bind(f, 2, names, &bound, NULL))
        exit(1);
    portolan_formula_destroy(f);
    return bound;
}

static double time_formula(const struct portolan_formula *f, double *check)
{
    const int n = bench_times(ROUNDS);
    double begin = cpu_seconds();

    for (int i = 0; i < n; i++) {
        double x[] = {i + 4, 3};

        *check += portolan_formula_value(f, x);
    }
    return (cpu_seconds() - begin) / n;
}

/* Called through a pointer the compiler cannot see through, as a model's function would be. */
static double time_compiled(double (*volatile function)(double, double), double *check)
{
    const int n = bench_times(ROUNDS);
    double begin = cpu_seconds();

    for (int i = 0; i < n; i++)
        *check -= function(i + 4, 3);
    return (cpu_seconds() - begin) / n;
}

static double time_parse(const char *text)
{
    const int n = bench_times(PARSES);
    double begin = cpu_seconds();

    for (int i = 0; i < n; i++)
        portolan_formula_destroy(parse(text));
    return (cpu_seconds() - begin) / n;
}

int main(void)
{
    printf("%-34s %9s %9s %6s %11s\n", "formula", "value", "compiled", "ratio", "parse, bind");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct portolan_formula *f = parse(cases[i].text);
        double check = 0, scale = 0, value = time_formula(f, &check);
        double compiled = time_compiled(cases[i].compiled, &check);

        printf("%-34s %6.1f ns %6.1f ns %6.1f %8.2f us\n", cases[i].text, 1e9 * value,
               1e9 * compiled, value / compiled, 1e6 * time_parse(cases[i].text));
        for (int k = 0; k < bench_times(ROUNDS); k++)
            scale += fabs(cases[i].compiled(k + 4, 3));
        portolan_formula_destroy(f);
        if (!(fabs(check) <= 1e-9 * scale)) {
            fprintf(stderr, "bench_formula: %s and its compiled form differ\n", cases[i].text);
            return 1;
        }
    }
    return 0;
}
