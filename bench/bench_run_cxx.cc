// SPDX-License-Identifier: BSD-3-Clause
#include "bench_cxx.h"

extern "C" void bench_run_cxx(void *object, const int64_t *values, int calls)
{
    bench::Worker *worker = static_cast<bench::Worker *>(object);

    for (int i = 0; i < calls; i++)
        worker->work(values[i % 64]);
}
