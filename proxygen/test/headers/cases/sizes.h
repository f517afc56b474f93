/* SPDX-License-Identifier: BSD-3-Clause */
/* Extents that names tell, that a side file tells, and that nothing tells. */
#ifndef CASES_SIZES_H
#define CASES_SIZES_H
#include <stddef.h>
struct sizes;
struct sizes_ops {
    void (*n)(struct sizes *self, int n, const double *x);
    void (*len)(struct sizes *self, const char *text, size_t len);
    void (*mixed)(struct sizes *self, void *dest, long *destLen, const void *source,
                  long sourceLen);
    void (*words)(struct sizes *self, const int *values, unsigned value_count, int n_rows);
    void (*matrix)(struct sizes *self, int M, int N, double (*a)[4]);
    void (*said)(struct sizes *self, const double *x, int k, int n, const double *y);
    void (*silent)(struct sizes *self, const double *x, int n);
    void (*alone)(struct sizes *self, int n, int size);
    void (*real)(struct sizes *self, double n, const double *x);
    void (*function)(struct sizes *self, int count, void (*f)(void));
    void (*many)(struct sizes *self, int *a, int len_a, int *b, int len_b, int *c, int len_c,
                 int *d, int len_d, int *e, int len_e);
};
struct sizes {
    const struct sizes_ops *ops;
};
#endif
