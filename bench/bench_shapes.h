/* SPDX-License-Identifier: BSD-3-Clause */
/* One method in each shape that a port may have. proxygen reads this header, too. */
#ifndef BENCH_SHAPES_H
#define BENCH_SHAPES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bench_table;
struct bench_table_ops {
    int64_t (*work)(struct bench_table *self, int64_t n);
};
struct bench_table {
    const struct bench_table_ops *ops;
};

struct bench_struct {
    int64_t (*work)(struct bench_struct *self, int64_t n);
};

int64_t bench_list_work(int64_t n);

#ifdef __cplusplus
}

namespace bench
{
class Worker
{
  public:
    virtual int64_t work(int64_t n) = 0;

  protected:
    ~Worker() = default;
};
} // namespace bench
#endif
#endif
