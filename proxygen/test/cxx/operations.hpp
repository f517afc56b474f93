// SPDX-License-Identifier: BSD-3-Clause
// Structs of functions, as in C, in a header that only C++ can read.
#pragma once
#include <cstddef>
#include <vector>

enum class mode { fast, exact };

extern "C" {
struct operations {
    int (*solve)(operations *self, mode how, std::size_t n, double *x);
    bool (*is_like)(const operations *self, const operations *other);
    int n_solved;
};
}

struct flow_table;
struct flow {
    const flow_table *ops;
    int size;
};
struct flow_table {
    double (*flux)(flow *self, const double *u, std::size_t n);
    bool (*is_like)(const flow *self, const flow *other);
};

struct pure {
    int (*twice)(int n);
};
