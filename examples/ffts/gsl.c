/* SPDX-License-Identifier: BSD-3-Clause */
/* The GNU Scientific Library (GPL): any size, quick for small factors; and powers of two only. */
#include "transform.h"

#include <gsl/gsl_fft_complex.h>

static enum portolan_status make_mixed(struct ffts_transform *t, int n, double *values,
                                       struct portolan_error *err)
{
    (void)values;
    (void)err;
    t->plan = gsl_fft_complex_wavetable_alloc((size_t)n);
    t->work = gsl_fft_complex_workspace_alloc((size_t)n);
    return PORTOLAN_OK; /* where there is no memory, GSL ends the program */
}

static void execute_mixed(struct ffts_transform *t, double *values)
{
    gsl_fft_complex_forward(values, 1, (size_t)t->n, t->plan, t->work);
}

static void discard_mixed(struct ffts_transform *t)
{
    gsl_fft_complex_wavetable_free(t->plan);
    gsl_fft_complex_workspace_free(t->work);
}

static enum portolan_status make_radix2(struct ffts_transform *t, int n, double *values,
                                        struct portolan_error *err)
{
    (void)t;
    (void)values;
    return n & (n - 1) ? portolan_error_set(err, PORTOLAN_EINVAL, "%d is no power of two", n)
                       : PORTOLAN_OK;
}

static void execute_radix2(struct ffts_transform *t, double *values)
{
    gsl_fft_complex_radix2_forward(values, 1, (size_t)t->n);
}

static void discard_radix2(struct ffts_transform *t)
{
    (void)t;
}

FFTS_COMPONENT(Gsl, make_mixed, execute_mixed, discard_mixed);
FFTS_COMPONENT(GslRadix2, make_radix2, execute_radix2, discard_radix2);
