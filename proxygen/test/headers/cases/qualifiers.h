/* SPDX-License-Identifier: BSD-3-Clause */
/* Qualifiers wherever C has them, and bounds of arrays. */
#ifndef CASES_QUALIFIERS_H
#define CASES_QUALIFIERS_H
struct qualifiers;
typedef const double constant;
struct qualifiers_ops {
    double (*sum)(const struct qualifiers *self, int n, const double x[restrict static 2],
                  constant *restrict y);
    volatile int *(*port)(struct qualifiers *const self, volatile int *const register_);
    const char *const *(*names)(const struct qualifiers *self, const char *const *const names);
    double (*trace)(const struct qualifiers *self, const int n, const double a[n][n]);
    int (*column)(const struct qualifiers *self, int (*const restrict a)[3], _Bool last);
    _Atomic(int) *(*atomic)(struct qualifiers *self, _Atomic(int) *p);
};
struct qualifiers {
    const struct qualifiers_ops *ops;
};
#endif
