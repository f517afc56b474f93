/* SPDX-License-Identifier: BSD-3-Clause */
/* The times of one alternative's steps: what is usual, periodic, or no longer as it was. */
#include "record.h"

#include <math.h>
#include <portolan/stats.h>
#include <string.h>

/* Before enough steps are known their spread is taken for this, with the weight of so many. */
static const double guessed_noise = 0.1, weight_of_guess = 3;
/* A normal distribution's standard deviation over its median distance from the median, and the
 * standard error of a median over that of a mean. */
static const double per_distance = 1.4826, of_median = 1.2533;
/* Half an interval in standard errors, and the least width. */
static const double standard_errors = 2.5, least_width = 0.002;
/* A step is long when it is this share, and so many deviations, above the usual time. */
static const double long_share = 0.25, long_deviations = 5;
/* A period shows in so many long steps in turn. */
enum { SIGNS_OF_A_PERIOD = 4 };
/* Drift: all of the last few steps are far from usual, or the median of more is a little. */
enum { FEW = 3, MORE = 8 };
static const double few_share = 0.2, few_deviations = 3, more_share = 0.1, more_deviations = 1.8;

void record_add_first(struct record *r, double ns)
{
    r->first_ns = r->first_ns > 0 ? fmin(r->first_ns, ns) : ns;
}

void record_shift(struct record *r, double ns)
{
    for (size_t i = 0; i < record_size(r); i++)
        r->ns[i] = fmax(r->ns[i] + ns, 0);
    if (r->first_ns > 0)
        r->first_ns = fmax(r->first_ns + ns, 0);
    r->usual_ns = fmax(r->usual_ns + ns, 0);
}

/* The median of N steps that end BACK before the last; of two, the shorter one. */
static double median_of(const struct record *r, size_t back, size_t n)
{
    double sorted[RECORD_MOST];

    for (size_t i = 0; i < n; i++)
        sorted[i] = record_ns(r, back + i);
    portolan_sort_numbers(n, sorted);
    return n == 2 ? sorted[0] : portolan_median_of_sorted(n, sorted);
}

static double noise_of(const struct record *r, size_t back, size_t n, double usual)
{
    double distances[RECORD_MOST], seen = 0;

    for (size_t i = 0; i < n; i++)
        distances[i] = fabs(record_ns(r, back + i) - usual);
    if (n > 2)
        seen = per_distance * portolan_sort_to_median(n, distances) / usual;
    else
        n = 0;
    return (weight_of_guess * guessed_noise + (double)n * seen) / (weight_of_guess + (double)n);
}

static void append(struct record *r, int step, double ns)
{
    r->ns[r->n % RECORD_MOST] = ns;
    r->step[r->n % RECORD_MOST] = step;
    r->n++;
}

static void summarize(struct record *r)
{
    r->usual_ns = r->n ? median_of(r, 0, record_size(r)) : 0;
    r->noise = noise_of(r, 0, record_size(r), r->usual_ns);
}

void record_add(struct record *r, int step, double ns)
{
    append(r, step, ns);
    summarize(r);
}

double record_width(const struct record *r, double noise)
{
    return fmax(least_width, standard_errors * of_median * noise / sqrt((double)record_size(r)));
}

/* Whether a step of this number was long. */
static bool was_long(const struct record *r, int step, double limit)
{
    for (size_t i = 0; i < record_size(r); i++)
        if (r->step[i] == step)
            return r->ns[i] > limit;
    return false;
}

/* Whether every LENGTH-th step was long, up to step number LAST. */
static bool is_period(const struct record *r, int last, int length, double limit)
{
    for (int k = 1; k < SIGNS_OF_A_PERIOD; k++)
        if (!was_long(r, last - k * length, limit))
            return false;
    return true;
}

double record_extra(const struct record *r, int length)
{
    size_t n = record_size(r) / (size_t)length * (size_t)length;
    double usual = r->usual_ns, sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += record_ns(r, i) - usual;
    return n ? fmax(0, sum / (double)n) : 0;
}

bool record_find_period(struct record *r)
{
    double usual = r->usual_ns;
    double limit = usual * (1 + fmax(long_share, long_deviations * r->noise));
    int before = r->period, last;

    if (!r->n || record_ns(r, 0) <= limit)
        return false;
    last = r->step[(r->n - 1) % RECORD_MOST];
    for (int length = 3; length * SIGNS_OF_A_PERIOD <= RECORD_MOST; length++)
        if (is_period(r, last, length, limit)) {
            double sum = 0;

            for (size_t i = 0; i < record_size(r); i++)
                if (r->ns[i] > limit && (last - r->step[i]) % length == 0 &&
                    last - r->step[i] < SIGNS_OF_A_PERIOD * length)
                    sum += r->ns[i] - usual;
            r->period = length;
            r->extra_ns = sum / (SIGNS_OF_A_PERIOD * length);
            break;
        }
    return !before && r->period;
}

int record_drift(const struct record *r, size_t *n)
{
    const size_t lengths[] = {FEW, MORE};
    size_t all = record_size(r);

    for (int i = 0; i < 2 && all > 2 * lengths[i]; i++) {
        double usual, noise, far, low = INFINITY, high = 0;

        *n = lengths[i];
        usual = median_of(r, *n, all - *n);
        noise = noise_of(r, *n, all - *n, usual);
        far = usual * (i ? fmax(more_share, more_deviations * noise)
                         : fmax(few_share, few_deviations * noise));
        if (i)
            low = high = median_of(r, 0, *n);
        for (size_t k = 0; !i && k < *n; k++) {
            low = fmin(low, record_ns(r, k));
            high = fmax(high, record_ns(r, k));
        }
        if (low > usual + far)
            return 1;
        if (high < usual - far)
            return -1;
    }
    return 0;
}

void record_keep(struct record *r, size_t n)
{
    struct record kept = {.first_ns = r->first_ns};

    for (size_t back = n; back-- > 0;)
        append(&kept, r->step[(r->n - 1 - back) % RECORD_MOST], record_ns(r, back));
    summarize(&kept);
    *r = kept;
}
