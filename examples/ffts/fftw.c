/* SPDX-License-Identifier: BSD-3-Clause */
/* FFTW (GPL), with plans that it guesses, and with plans that it measures. */
#include "transform.h"

#include <fftw3.h>

static enum portolan_status make(struct ffts_transform *t, int n, double *values, unsigned flags,
                                 struct portolan_error *err)
{
    fftw_complex *at = (fftw_complex *)values;

    /* The values of calls are elsewhere: their alignment is not known. */
    t->plan = fftw_plan_dft_1d(n, at, at, FFTW_FORWARD, flags | FFTW_UNALIGNED);
    return t->plan ? PORTOLAN_OK : portolan_error_set(err, PORTOLAN_ENOMEM, "no plan for %d", n);
}

static enum portolan_status estimate(struct ffts_transform *t, int n, double *values,
                                     struct portolan_error *err)
{
    return make(t, n, values, FFTW_ESTIMATE, err);
}

static enum portolan_status measure(struct ffts_transform *t, int n, double *values,
                                    struct portolan_error *err)
{
    return make(t, n, values, FFTW_MEASURE, err);
}

static void execute(struct ffts_transform *t, double *values)
{
    fftw_execute_dft(t->plan, (fftw_complex *)values, (fftw_complex *)values);
}

static void discard(struct ffts_transform *t)
{
    fftw_destroy_plan(t->plan);
}

FFTS_COMPONENT(FftwEstimate, estimate, execute, discard);
FFTS_COMPONENT(FftwMeasure, measure, execute, discard);
