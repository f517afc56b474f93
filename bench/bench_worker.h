/* SPDX-License-Identifier: BSD-3-Clause */
/* The callee's side of bench_sidl_call without SIDL: a table with the same arguments. */
#ifndef BENCH_WORKER_H
#define BENCH_WORKER_H

#include <portolan/base.h>

struct bench_worker;
struct bench_worker_ops {
    int64_t (*work)(struct bench_worker *self, int64_t n, void **exception);
};
struct bench_worker {
    const struct bench_worker_ops *ops;
};

PORTOLAN_API struct bench_worker *bench_worker(void);

#endif
