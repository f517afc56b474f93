/* SPDX-License-Identifier: BSD-3-Clause */
/* Values that travel in registers, in memory, or in parts of both. */
#ifndef CASES_BY_VALUE_H
#define CASES_BY_VALUE_H
#include <complex.h>
#include <stdbool.h>
#include <stdint.h>
struct by_value;
struct small {
    char c;
};
struct two {
    double d;
    int64_t i;
};
struct large {
    double d[7];
};
struct packed {
    char c;
    double d;
} __attribute__((packed));
union either {
    float f[2];
    int64_t i;
};
typedef float four __attribute__((vector_size(16)));
struct by_value_ops {
    struct small (*small)(struct by_value *self, struct small a, char b);
    struct two (*two)(struct by_value *self, double a, struct two b, int c);
    struct large (*large)(struct by_value *self, struct large a, struct large b);
    struct packed (*packed)(struct by_value *self, struct packed a);
    union either (*either)(struct by_value *self, union either a, float b);
    four (*vector)(struct by_value *self, four a, double b, four c);
    double complex (*complexes)(struct by_value *self, double complex a, float complex b);
    long double (*extended)(struct by_value *self, long double a, int b);
    long double complex (*both)(struct by_value *self, long double complex a);
    __extension__ __int128 (*wide)(struct by_value *self, __int128 a, bool negative);
    double (*many)(struct by_value *self, double a, float b, int c, char d, short e, long f,
                   double g, double h, double i, double j, double k, double l, double m, int n,
                   int o, int p);
};
struct by_value {
    const struct by_value_ops *ops;
};
#endif
