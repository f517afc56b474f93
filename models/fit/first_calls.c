/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many of the first calls after a start differ from the later ones. A beginning counts as first
 * calls if it takes a quarter longer than every later stretch of as many values: by chance that
 * happens once in n / k series, and costs that come in periods come again. Among all such
 * beginnings, least squares of the logarithms take the one that explains most of how they differ,
 * if it does so by three standard errors.
 */
#include <portolan/series.h>

#include <float.h>
#include <math.h>
#include <portolan/stats.h>
#include <string.h>

enum { MOST_VALUES = 1000, MOST_FIRST = 50, MANY = 30, NOWHERE = MOST_VALUES };
/* Less than this excess may be noise. */
static const double least_excess = 1.25;
/* Of the variance between both parts to that within them. */
static const double least_ratio = 9;
/* One of many values is set aside that is this far above the median, both in median distances and
 * as a share of the median. */
static const double far_in_distances = 8, far_of_median = 0.5;
/* Values within this factor of each other are of one kind. */
static const double alike = 2;

/* Sums of the values, their logarithms and weights before each position. */
struct sums {
    double y[MOST_VALUES + 1], weight[MOST_VALUES + 1];
    double log[MOST_VALUES + 1], squares[MOST_VALUES + 1]; /* of the logarithms */
};

static void add_up(struct sums *s, size_t n, const double *y, const double *weight)
{
    double most = 0;

    for (size_t i = 0; i < n; i++)
        most = fmax(most, y[i]);
    for (size_t i = 0; i < n; i++) {
        double w = weight ? weight[i] : 1, level = log(fmax(y[i], fmax(1e-6 * most, DBL_MIN)));

        s->y[i + 1] = s->y[i] + w * y[i];
        s->weight[i + 1] = s->weight[i] + w;
        s->log[i + 1] = s->log[i] + level;
        s->squares[i + 1] = s->squares[i] + level * level;
    }
}

static double mean_of(const struct sums *s, size_t from, size_t to)
{
    return (s->y[to] - s->y[from]) / (s->weight[to] - s->weight[from]);
}

/* The largest mean of K values in a row in [FROM, N), none of them next to position APART. */
static double largest_mean(const struct sums *s, size_t from, size_t n, size_t k, size_t apart,
                           size_t *at)
{
    double most = 0;

    if (n - from < k)
        k = n - from;
    for (size_t i = from; i + k <= n; i++)
        if ((apart == NOWHERE || i + k <= apart || i >= apart + k) && mean_of(s, i, i + k) > most) {
            most = mean_of(s, i, i + k);
            *at = i;
        }
    return most;
}

/* Whether the K values from BEGIN on take longer than all later ones. One later stretch in many may
 * take still longer, unless it is of the same kind. */
static bool stands_out(const struct sums *s, size_t begin, size_t k, size_t n)
{
    size_t from = begin + k, at = NOWHERE, ignored;
    double mean = mean_of(s, begin, from), peak, other;

    if (mean > least_excess * largest_mean(s, from, n, k, NOWHERE, &at))
        return mean > 0;
    if (n - from < MANY)
        return false;
    peak = largest_mean(s, begin, from, 1, NOWHERE, &ignored);
    other = largest_mean(s, at, at + k < n ? at + k : n, 1, NOWHERE, &ignored);
    if (other < alike * peak && peak < alike * other)
        return false;
    return mean > least_excess * largest_mean(s, from, n, k, at, &ignored);
}

/* Whether most of the K values from BEGIN on are above USUAL: one long value makes no beginning. */
static bool is_raised(const struct sums *s, size_t begin, size_t k, double usual)
{
    size_t raised = 0;

    for (size_t i = begin; i < begin + k; i++)
        raised += s->log[i + 1] - s->log[i] > usual + log(least_excess);
    return 4 * raised >= 3 * k;
}

/* The most likely number of first values from BEGIN on; 0: none is like that. */
static size_t find_change(const struct sums *s, size_t begin, size_t n)
{
    double all = (double)(n - begin), sum = s->log[n] - s->log[begin], best = 0;
    double squares = s->squares[n] - s->squares[begin] - sum * sum / all;
    size_t found = 0;

    for (size_t k = 1; begin + k < n && s->weight[begin + k - 1] < MOST_FIRST; k++) {
        double before = (s->log[begin + k] - s->log[begin]) / (double)k;
        double after = (s->log[n] - s->log[begin + k]) / (all - (double)k);
        double between = pow(before - after, 2) * (double)k * (all - (double)k) / all;

        if (between > best && between * (all - 2) >= least_ratio * (squares - between) &&
            is_raised(s, begin, k, after) && stands_out(s, begin, k, n)) {
            best = between;
            found = k;
        }
    }
    return found;
}

static size_t count_first(size_t n, const double *y, const double *weight)
{
    struct sums s = {0};
    size_t first = 0, k;

    n = n < MOST_VALUES ? n : MOST_VALUES;
    add_up(&s, n, y, weight);
    while ((k = find_change(&s, first, n)))
        first += k;
    return first;
}

/* The one of N values that is far above all others, which take no notice of it; N: there is none.
 * SCRATCH has room for N. */
static size_t find_alone(size_t n, const double *y, double *scratch)
{
    size_t longest = 0, n_far = 0;
    double median, limit;

    if (n < MANY)
        return n;
    memcpy(scratch, y, n * sizeof *y);
    median = portolan_sort_to_median(n, scratch);
    for (size_t i = 0; i < n; i++)
        scratch[i] = fabs(y[i] - median);
    limit = median +
            fmax(far_in_distances * portolan_sort_to_median(n, scratch), far_of_median * median);
    for (size_t i = 0; i < n; i++) {
        n_far += y[i] > limit;
        longest = y[i] > y[longest] ? i : longest;
    }
    return n_far == 1 ? longest : n;
}

size_t portolan_series_first(size_t n, const double *y, const double *weight, double *scratch,
                             size_t *alone)
{
    size_t first = count_first(n, y, weight);

    *alone = first + find_alone(n - first, y + first, scratch);
    return first;
}
