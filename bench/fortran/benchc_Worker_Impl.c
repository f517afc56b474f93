/* SPDX-License-Identifier: BSD-3-Clause */
#include "benchc_Worker_Impl.h"

void impl_benchc_Worker__load(sidl_BaseInterface *_ex)
{
    (void)_ex;
}

void impl_benchc_Worker__ctor(benchc_Worker self, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
}

void impl_benchc_Worker__ctor2(benchc_Worker self, void *data, sidl_BaseInterface *_ex)
{
    (void)self, (void)data, (void)_ex;
}

void impl_benchc_Worker__dtor(benchc_Worker self, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
}

int32_t impl_benchc_Worker_add(benchc_Worker self, int32_t a, int32_t b, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    return a + b;
}

double impl_benchc_Worker_first(benchc_Worker self, struct sidl_double__array *x,
                                sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    return *x->d_firstElement;
}

double impl_benchc_Worker_raw(benchc_Worker self, double *x, int32_t n, sidl_BaseInterface *_ex)
{
    (void)self, (void)n, (void)_ex;
    return *x;
}
