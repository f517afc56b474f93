/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of two samples: Mann-Whitney's with the interval of a ratio, Welch's; Holm's adjustment. */
#include <portolan/compare.h>
#include <portolan/stats.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EXACT_TO = 40 };

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b; /* numbers, or structs that begin with one */

    return (*x > *y) - (*x < *y);
}

/* Sets RANKS to twice the mid-ranks of the sorted VALUES, which are integers. */
static void rank_doubled(const double *values, size_t n, size_t *ranks)
{
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && values[end] == values[i]; end++)
            ;
        for (size_t k = i; k < end; k++)
            ranks[k] = i + 1 + end;
    }
}

/*
 * Counts how many choices of M among N doubled ranks have each sum. COUNTS has M + 1 rows of SUMS;
 * the last row is the result.
 */
static void count_sums(const size_t *ranks, size_t n, size_t m, double *counts, size_t sums)
{
    counts[0] = 1;
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1 < m ? i + 1 : m; k > 0; k--) {
            double *to = &counts[k * sums], *from = &counts[(k - 1) * sums];

            for (size_t s = ranks[i]; s < sums; s++)
                to[s] += from[s - ranks[i]];
        }
}

/* The probability of a sum at least as far from the mean as SEEN. */
static enum portolan_status exact_p(const size_t *ranks, size_t n, size_t m, size_t seen, double *p)
{
    size_t sums = n * (n + 1) + 1;
    double *counts = portolan_calloc((m + 1) * sums, sizeof *counts), *last;
    double mean = (double)m * (double)(n + 1), far = 0, all = 0;

    if (!counts)
        return PORTOLAN_ENOMEM;
    count_sums(ranks, n, m, counts, sums);
    last = &counts[m * sums];
    for (size_t s = 0; s < sums; s++) {
        all += last[s];
        far += fabs((double)s - mean) >= fabs((double)seen - mean) ? last[s] : 0;
    }
    *p = far / all;
    free(counts);
    return PORTOLAN_OK;
}

static double normal_p(const double *values, size_t n, size_t m, double rank_sum)
{
    double all = (double)n, few = (double)m, ties = 0, spread, distance;

    for (size_t i = 0, end; i < n; i = end) {
        double t;

        for (end = i; end < n && values[end] == values[i]; end++)
            ;
        t = (double)(end - i);
        ties += t * t * t - t;
    }
    spread = sqrt(few * (all - few) / 12 * (all + 1 - ties / (all * (all - 1))));
    distance = fmax(0, fabs(rank_sum - few * (all + 1) / 2) - 0.5);
    return spread > 0 ? erfc(distance / spread / sqrt(2)) : 1;
}

struct tagged {
    double value;
    bool is_b;
};

static size_t merge(const double *a, size_t n_a, const double *b, size_t n_b, struct tagged *all,
                    double *values, size_t *ranks)
{
    size_t n = n_a + n_b, sum = 0;

    for (size_t i = 0; i < n; i++)
        all[i] = i < n_a ? (struct tagged){a[i], false} : (struct tagged){b[i - n_a], true};
    qsort(all, n, sizeof *all, by_value);
    for (size_t i = 0; i < n; i++)
        values[i] = all[i].value;
    rank_doubled(values, n, ranks);
    for (size_t i = 0; i < n; i++)
        sum += all[i].is_b ? ranks[i] : 0;
    return sum;
}

enum portolan_status portolan_mann_whitney(const double *a, size_t n_a, const double *b, size_t n_b,
                                           double *p)
{
    size_t n = n_a + n_b, sum;
    struct tagged *all = portolan_calloc(n + 1, sizeof *all);
    double *values = portolan_calloc(n + 1, sizeof *values);
    size_t *ranks = portolan_calloc(n + 1, sizeof *ranks);
    enum portolan_status status = all && values && ranks ? PORTOLAN_OK : PORTOLAN_ENOMEM;

    *p = NAN;
    if (status == PORTOLAN_OK && n_a && n_b) {
        sum = merge(a, n_a, b, n_b, all, values, ranks);
        if (n <= EXACT_TO)
            status = exact_p(ranks, n, n_b, sum, p);
        else
            *p = normal_p(values, n, n_b, (double)sum / 2);
    }
    free(all);
    free(values);
    free(ranks);
    return status;
}

static double choices(size_t n, size_t m)
{
    double c = 1;

    for (size_t i = 1; i <= m; i++)
        c *= (double)(n - m + i) / (double)i;
    return c;
}

double portolan_mann_whitney_least(size_t n_a, size_t n_b)
{
    return n_a && n_b ? fmin(1, 2 / choices(n_a + n_b, n_a)) : 1;
}

/*
 * The number of least values that the interval leaves out: the largest K with P(U < K) <= LEVEL /
 * 2, without ties.
 */
static enum portolan_status left_out(size_t n_a, size_t n_b, double level, size_t *k)
{
    size_t n = n_a + n_b, sums = n * (n + 1) + 1, least = n_b * (n_b + 1);
    double *counts, all = choices(n, n_b), below = 0;
    size_t ranks[EXACT_TO];

    *k = 0;
    if (n > EXACT_TO) { /* 1.959964 of level 0.05 by bisection of the normal distribution */
        double low = 0, high = 40, m = (double)n_a * (double)n_b;

        for (int i = 0; i < 100; i++)
            *(erfc((low + high) / 2 / sqrt(2)) > level ? &low : &high) = (low + high) / 2;
        *k = (size_t)fmax(0, floor(m / 2 - high * sqrt(m * (double)(n + 1) / 12)));
        return PORTOLAN_OK;
    }
    if (!(counts = portolan_calloc((n_b + 1) * sums, sizeof *counts)))
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < n; i++)
        ranks[i] = 2 * (i + 1);
    count_sums(ranks, n, n_b, counts, sums);
    for (;; ++*k) {
        below += counts[n_b * sums + least + 2 * *k];
        if (below / all > level / 2)
            break;
    }
    free(counts);
    return PORTOLAN_OK;
}

static double log_ratio(double a, double b)
{
    if (a <= 0 && b <= 0)
        return 0;
    return a <= 0 ? INFINITY : b <= 0 ? -INFINITY : log(b / a);
}

enum portolan_status portolan_ratio(const double *a, size_t n_a, const double *b, size_t n_b,
                                    double level, struct portolan_profile_estimate *ratio)
{
    size_t n = n_a * n_b, k;
    double *differences = portolan_calloc(n + 1, sizeof *differences);
    enum portolan_status status = differences ? PORTOLAN_OK : PORTOLAN_ENOMEM;

    *ratio = (struct portolan_profile_estimate){NAN, 0, INFINITY};
    if (status == PORTOLAN_OK && n)
        status = left_out(n_a, n_b, level, &k);
    if (status == PORTOLAN_OK && n) {
        for (size_t i = 0; i < n; i++)
            differences[i] = log_ratio(a[i / n_b], b[i % n_b]);
        portolan_sort_numbers(n, differences);
        ratio->value = exp(portolan_median_of_sorted(n, differences));
        if (k) {
            ratio->low = exp(differences[k - 1]);
            ratio->high = exp(differences[n - k]);
        }
    }
    free(differences);
    return status;
}

enum portolan_status portolan_median(const double *values, size_t n, double *median)
{
    double *sorted = portolan_calloc(n + 1, sizeof *sorted);

    if (!sorted)
        return PORTOLAN_ENOMEM;
    memcpy(sorted, values, n * sizeof *sorted);
    *median = portolan_sort_to_median(n, sorted);
    free(sorted);
    return PORTOLAN_OK;
}

/* ------------------------------------------------- means, many tests */

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
    if (error <= 0) { /* without any spread, every difference is certain */
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
    qsort(family, members, sizeof *family, by_value);
    for (size_t i = 0; i < members; i++) {
        most = fmax(most, fmin(1, family[i].p * (double)(members - i)));
        p[family[i].at] = most;
    }
    free(family);
    return PORTOLAN_OK;
}
