/* SPDX-License-Identifier: BSD-3-Clause */
/* Welch's t test, and Holm's adjustment for many tests. */
#include <portolan/compare.h>
#include <portolan/stats.h>

#include <math.h>
#include <stdlib.h>

static void moments(const double *x, size_t n, double *mean, double *error)
{
    double sum = 0, squares = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[i];
    *mean = sum / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (x[i] - *mean) * (x[i] - *mean);
    *error = squares / (double)(n - 1) / (double)n;
}

double portolan_welch(const double *a, size_t n_a, const double *b, size_t n_b, double *t,
                      double *freedom)
{
    double mean_a, mean_b, error_a, error_b, error;

    *t = *freedom = NAN;
    if (n_a < 2 || n_b < 2)
        return NAN;
    moments(a, n_a, &mean_a, &error_a);
    moments(b, n_b, &mean_b, &error_b);
    error = error_a + error_b;
    if (error <= 0) { /* without any spread a difference is certain */
        *t = mean_a == mean_b ? 0 : copysign(INFINITY, mean_a - mean_b);
        return mean_a == mean_b ? 1 : 0;
    }
    *t = (mean_a - mean_b) / sqrt(error);
    *freedom = error * error /
               (error_a * error_a / (double)(n_a - 1) + error_b * error_b / (double)(n_b - 1));
    return portolan_student_p(*t, *freedom);
}

struct member {
    double p;
    size_t at;
};

static int by_p(const void *a, const void *b)
{
    const struct member *x = a, *y = b;

    return (x->p > y->p) - (x->p < y->p);
}

enum portolan_status portolan_holm(double *p, size_t n)
{
    struct member *family = portolan_calloc(n + 1, sizeof *family);
    size_t members = 0;
    double most = 0;

    if (!family)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < n; i++)
        if (!isnan(p[i]))
            family[members++] = (struct member){p[i], i};
    qsort(family, members, sizeof *family, by_p);
    for (size_t i = 0; i < members; i++) {
        most = fmax(most, fmin(1, family[i].p * (double)(members - i)));
        p[family[i].at] = most;
    }
    free(family);
    return PORTOLAN_OK;
}
