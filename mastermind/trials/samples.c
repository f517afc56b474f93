/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates all calls of a trial from its samples, and finds the slowest rank. */
#include <portolan/trials.h>

#include <string.h>

/* SUM over the timed calls of X, estimated for all. */
static double of_all(const struct portolan_sample *x, double sum)
{
    return portolan_estimate_all(sum, (double)x->calls, portolan_sample_timed(x));
}

void portolan_samples_estimate(const struct portolan_sample *samples, size_t n,
                               struct portolan_sample_estimate *e)
{
    for (size_t i = 0; i < n; i++) {
        const struct portolan_sample *x = &samples[i];

        e[i] = (struct portolan_sample_estimate){
            .known = !x->calls || portolan_sample_timed(x) > 0,
            .inclusive_ns = of_all(x, x->inclusive_ns),
            .exclusive_ns = of_all(x, x->exclusive_ns),
            .mpi_ns = of_all(x, x->mpi_ns),
        };
        if (x->parent >= 0 && (size_t)x->parent < i)
            e[x->parent].exclusive_ns -= e[i].inclusive_ns - x->inclusive_ns;
    }
}

int portolan_samples_slowest_rank(const struct portolan_sample *samples, size_t n, int ranks,
                                  double *work)
{
    int slowest = 0;

    memset(work, 0, (size_t)ranks * sizeof *work);
    for (size_t i = 0; i < n; i++)
        if (samples[i].rank >= 0 && samples[i].rank < ranks)
            work[samples[i].rank] += samples[i].exclusive_ns - samples[i].mpi_ns;
    for (int r = 1; r < ranks; r++)
        if (work[r] > work[slowest])
            slowest = r;
    return slowest;
}
