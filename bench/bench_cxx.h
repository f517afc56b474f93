/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_CXX_H
#define BENCH_CXX_H

#ifdef __cplusplus
extern "C" {
#endif

#include "bench_plugin.h"

/* CALLS calls of the bench::Worker OBJECT. */
void bench_run_cxx(void *object, const int64_t *values, int calls);

#ifdef __cplusplus
}
#endif
#endif
