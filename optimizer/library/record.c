/* SPDX-License-Identifier: BSD-3-Clause */
/* The times of one alternative's steps: what is usual, periodic, or no longer as it was. */
#include "race_internal.h"

#include <portolan/stats.h>

/* Before enough steps are known their spread is taken for this, with the weight of so many. */
static const double guessed_noise = 0.1, weight_of_guess = 3;
/* A normal distribution's standard deviation over its median distance from the median, and the
 * standard error of a median over that of a mean. */
static const double per_distance = 1.4826, of_median = 1.2533;
static const double least_width = 0.002;
/* A step is long when it is this share, and so many deviations, above the usual time. */
static const double long_share = 0.25, long_deviations = 5;
/* Of so few steps most may be spikes. */
enum { FEW = 6 };
/* A period shows in so many long steps in turn. */
enum { SIGNS_OF_A_PERIOD = 4 };
/* Drift: of the last N steps so many are far from usual, by this share and so many deviations, and
 * are no spikes. */
static const struct {
    size_t n, far;
    double share, deviations, spike;
} drifts[] = {{4, 4, 0.2, 3, INFINITY}, {8, 5, 0.1, 1.8, 2}};

/* The place of step number BACK before the last, which is 0. */
static size_t at(const struct record *r, size_t back)
{
    return (r->n - 1 - back) % RECORD_MOST;
}

/* The median of N steps that end BACK before the last. */
static double median_of(const struct record *r, size_t back, size_t n)
{
    double sorted[RECORD_MOST];

    for (size_t i = 0; i < n; i++)
        sorted[i] = r->ns[at(r, back + i)];
    return portolan_sort_to_median(n, sorted);
}

static double noise_of(const struct record *r, size_t back, size_t n, double usual)
{
    double distances[RECORD_MOST], seen = 0;

    for (size_t i = 0; i < n; i++)
        distances[i] = fabs(r->ns[at(r, back + i)] - usual);
    if (n > 2)
        seen = per_distance * portolan_sort_to_median(n, distances) / usual;
    else
        n = 0;
    return (weight_of_guess * (r->guess > 0 ? r->guess : guessed_noise) + (double)n * seen) /
           (weight_of_guess + (double)n);
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
    if (r->n < FEW && r->first_ns > 0 && r->usual_ns > 2 * r->first_ns)
        r->usual_ns = r->first_ns; /* most of the few others were spikes */
    r->noise = noise_of(r, 0, record_size(r), r->usual_ns);
}

double record_width(const struct record *r, double noise)
{
    return fmax(least_width, standard_errors * of_median * noise / sqrt((double)record_size(r)));
}

double record_extra(const struct record *r, int length)
{
    size_t n = length ? record_size(r) / (size_t)length * (size_t)length : 0;
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += r->ns[at(r, i)] - r->usual_ns;
    return n ? fmax(0, sum / (double)n) : 0;
}

/* What a step of this number took longer than usual; 0: it was not long, or not seen. */
static double excess_of(const struct record *r, int step)
{
    double least = r->usual_ns * record_far(r->noise);

    for (size_t i = 0; i < record_size(r); i++)
        if (r->step[i] == step)
            return r->ns[i] > r->usual_ns + least ? r->ns[i] - r->usual_ns : 0;
    return 0;
}

/* Finds the period if the last step is one of its long ones. */
static void find_period(struct record *r)
{
    int last = r->step[at(r, 0)];

    for (int length = 3; length * SIGNS_OF_A_PERIOD <= RECORD_MOST; length++) {
        double sum = 0, excess;
        int n = 0;

        for (; n < SIGNS_OF_A_PERIOD && (excess = excess_of(r, last - n * length)) > 0; n++)
            sum += excess;
        if (n == SIGNS_OF_A_PERIOD) {
            r->period = length;
            r->extra_ns = sum / (n * length);
            return;
        }
    }
}

bool record_add(struct record *r, int step, double ns, bool is_first)
{
    int before = r->period;

    if (is_first) {
        r->first_ns = r->first_ns > 0 ? fmin(r->first_ns, ns) : ns;
    } else {
        append(r, step, ns);
        summarize(r);
        find_period(r);
    }
    return !before && r->period;
}

void record_shift(struct record *r, double ns)
{
    for (size_t i = 0; i < record_size(r); i++)
        r->ns[i] = fmax(r->ns[i] + ns, 0);
    if (r->first_ns > 0)
        r->first_ns = fmax(r->first_ns + ns, 0);
    r->usual_ns = fmax(r->usual_ns + ns, 0);
}

int record_drift(const struct record *r, size_t *n)
{
    size_t all = record_size(r);

    for (size_t i = 0; i < sizeof drifts / sizeof *drifts && all > 2 * drifts[i].n; i++) {
        double usual = median_of(r, drifts[i].n, all - drifts[i].n);
        double noise = noise_of(r, drifts[i].n, all - drifts[i].n, usual);
        double far = usual * fmax(drifts[i].share, drifts[i].deviations * noise);
        size_t longer = 0, shorter = 0;

        *n = drifts[i].n;
        for (size_t back = 0; back < *n; back++) {
            longer +=
                r->ns[at(r, back)] > usual + far && r->ns[at(r, back)] < usual * drifts[i].spike;
            shorter += r->ns[at(r, back)] < usual - far;
        }
        if (longer >= drifts[i].far || shorter >= drifts[i].far)
            return longer >= drifts[i].far ? 1 : -1;
    }
    return 0;
}

double record_far(double noise)
{
    return fmax(long_share, long_deviations * noise);
}

bool record_falls(const struct record *r, size_t n, double noise)
{
    double least = fmin(r->first_ns > 0 ? r->first_ns : INFINITY, n ? r->ns[at(r, n - 1)] : 0);

    for (size_t back = n; back-- > 1; least = fmin(least, r->ns[at(r, back - 1)])) {
        double most = 0;

        for (size_t i = 0; i < back; i++)
            most = fmax(most, r->ns[at(r, i)]);
        if (most < least * (1 - record_far(noise)))
            return true;
    }
    return false;
}

void record_keep(struct record *r, size_t n)
{
    struct record kept = {.guess = r->noise};

    for (size_t back = n; back-- > 0;)
        append(&kept, r->step[at(r, back)], r->ns[at(r, back)]);
    summarize(&kept);
    *r = kept;
}
