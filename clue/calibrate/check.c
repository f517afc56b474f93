/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates the errors of a machine file from patterns that it was not fitted to. */
#include <portolan/clue_calibrate.h>

#include <portolan/stats.h>

#include <math.h>
#include <stdlib.h>

/* Communication is at most this part of a pattern that computes, at least this of one that
 * communicates. */
static const double most_meeting = 0.05, least_meeting = 0.3;

/* Additional deviation of programs: they are not loops, and do much only once. It is what 17
 * programs that mostly compute deviated by; it is assumed for communication as well. */
static const double of_programs = 0.04;

static double value_of(const struct clue_samples *s, const struct clue_sample *like)
{
    const struct clue_sample *one = clue_sample_at(s, like->kind, like->bytes);

    return one ? one->value : 0;
}

/* Returns the deviation of a normal distribution with 90 % of N errors in the same bounds; sorts
 * them. */
static double deviation(size_t n, double *errors)
{
    portolan_sort_numbers(n, errors);
    return n ? errors[(9 * n - 1) / 10] / 1.645 : 0;
}

/* Adds the errors of patterns that compute, or of the others; returns how many there are then. */
static size_t add_errors(const struct clue_check *check, bool of_computing, double computing,
                         double *errors)
{
    size_t n = 0;

    for (size_t i = 0; i < check->virtual->n; i++) {
        const struct clue_sample *v = &check->virtual->sample[i];
        double part = v->value > 0 ? fmin(value_of(check->idle, v) / v->value, 1) : 0;

        for (size_t k = 0; k < check->n_real && v->value > 0; k++) {
            double real = value_of(check->real[k], v), error = real > 0 ? log(real / v->value) : 0;

            if (real > 0 && of_computing && part < most_meeting)
                errors[n++] = fabs(error);
            else if (real > 0 && !of_computing && part >= least_meeting)
                errors[n++] = sqrt(fmax(error * error - pow((1 - part) * computing, 2), 0)) / part;
        }
    }
    return n;
}

/*
 * The square of a pattern's error is the sum of the squares of two errors, that of computing times
 * its part, and that of communication times its part. Patterns that compute give the first; those
 * that communicate then give the second.
 */
bool clue_check_errors(const struct clue_check *check, struct clue_errors *errors)
{
    double *room = portolan_calloc(check->virtual->n * check->n_real + 1, sizeof *room);
    size_t n;

    *errors = (struct clue_errors){0};
    if (!room)
        return false;
    errors->n = n = add_errors(check, true, 0, room);
    errors->computing = deviation(n, room);
    errors->n += n = add_errors(check, false, errors->computing, room);
    errors->communication = hypot(deviation(n, room), of_programs);
    errors->computing = hypot(errors->computing, of_programs);
    free(room);
    return true;
}

void clue_check_add(const struct clue_check *check, const struct clue_errors *found,
                    struct portolan_text *out)
{
    const struct clue_samples *virtual = check->virtual;
    double errors[256], times[16];
    size_t n = 0;

    portolan_text_add(out, "%-20s %10s %12s %12s %8s\n", "not fitted to", "bytes", "virtual",
                      "real", "error");
    for (size_t i = 0; i < virtual->n && n < sizeof errors / sizeof *errors; i++) {
        const struct clue_sample *v = &virtual->sample[i];
        char here[32], there[32];
        size_t n_real = 0;
        double real;

        for (size_t k = 0; k < check->n_real; k++)
            if (i < check->real[k]->n && check->real[k]->sample[i].value > 0)
                times[n_real++] = check->real[k]->sample[i].value;
        if (!n_real || !(v->value > 0)) {
            portolan_text_add(
                out, "%-20s %10llu left out: three steps take longer than its part of --seconds\n",
                v->kind, (unsigned long long)v->bytes);
            continue;
        }
        real = portolan_sort_to_median(n_real, times);
        portolan_text_add(
            out, "%-20s %10llu %12s %12s %+7.1f %%\n", v->kind, (unsigned long long)v->bytes,
            portolan_format_time(v->value, 4, there, sizeof there),
            portolan_format_time(real, 4, here, sizeof here), 100 * (v->value / real - 1));
        errors[n++] = 100 * fabs(v->value / real - 1);
    }
    portolan_text_add(
        out, "median error %.1f %%; for intervals: communication %.1f %%, computing %.1f %%\n",
        n ? portolan_sort_to_median(n, errors) : 0, 100 * found->communication,
        100 * found->computing);
}
