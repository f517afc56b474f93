/* SPDX-License-Identifier: BSD-3-Clause */
/* The callees of bench_contract, in a shared object of their own as plug-ins are. */
#include "benchcontract_Bound_Impl.h"
#include "benchcontract_Plain_Impl.h"

#define CLASS(TYPE)                                                                                \
    void impl_##TYPE##__load(sidl_BaseInterface *_ex)                                              \
    {                                                                                              \
        (void)_ex;                                                                                 \
    }                                                                                              \
    void impl_##TYPE##__ctor(TYPE self, sidl_BaseInterface *_ex)                                   \
    {                                                                                              \
        (void)self, (void)_ex;                                                                     \
    }                                                                                              \
    void impl_##TYPE##__ctor2(TYPE self, void *private_data, sidl_BaseInterface *_ex)              \
    {                                                                                              \
        (void)self, (void)private_data, (void)_ex;                                                 \
    }                                                                                              \
    void impl_##TYPE##__dtor(TYPE self, sidl_BaseInterface *_ex)                                   \
    {                                                                                              \
        (void)self, (void)_ex;                                                                     \
    }                                                                                              \
    void impl_##TYPE##_work_pre(TYPE self, int64_t n, sidl_BaseInterface *_ex)                     \
    {                                                                                              \
        (void)self, (void)n, (void)_ex;                                                            \
    }                                                                                              \
    int64_t impl_##TYPE##_work(TYPE self, int64_t n, sidl_BaseInterface *_ex)                      \
    {                                                                                              \
        (void)self, (void)_ex;                                                                     \
        __asm__ volatile("" : "+r"(n));                                                            \
        return n;                                                                                  \
    }                                                                                              \
    void impl_##TYPE##_work_post(TYPE self, int64_t n, int64_t _retval, sidl_BaseInterface *_ex)   \
    {                                                                                              \
        (void)self, (void)n, (void)_retval, (void)_ex;                                             \
    }

CLASS(benchcontract_Plain)
CLASS(benchcontract_Bound)
