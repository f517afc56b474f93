/* SPDX-License-Identifier: BSD-3-Clause */
/* The callees of bench_sidl_call, in a shared object of their own as plug-ins are. */
#include "bench_worker.h"

#include "benchcall_Worker_Impl.h"

static int64_t plain_work(struct bench_worker *self, int64_t n, void **exception)
{
    (void)self, (void)exception;
    __asm__ volatile("" : "+r"(n));
    return n;
}

struct bench_worker *bench_worker(void)
{
    static const struct bench_worker_ops ops = {plain_work};
    static struct bench_worker worker = {&ops};

    return &worker;
}

void impl_benchcall_Worker__load(sidl_BaseInterface *_ex)
{
    (void)_ex;
}

void impl_benchcall_Worker__ctor(benchcall_Worker self, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
}

void impl_benchcall_Worker__ctor2(benchcall_Worker self, void *private_data,
                                  sidl_BaseInterface *_ex)
{
    (void)self, (void)private_data, (void)_ex;
}

void impl_benchcall_Worker__dtor(benchcall_Worker self, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
}

int64_t impl_benchcall_Worker_work(benchcall_Worker self, int64_t n, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    __asm__ volatile("" : "+r"(n));
    return n;
}

int64_t impl_benchcall_Worker_workAgain(benchcall_Worker self, int64_t n, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    __asm__ volatile("" : "+r"(n));
    return n;
}
