/* SPDX-License-Identifier: BSD-3-Clause */
/* The cases once more, in a struct that holds its functions itself. */
#ifndef CASES_OWN_H
#define CASES_OWN_H
#include <complex.h>
#include <stdarg.h>
#include <stddef.h>
#ifdef __x86_64__
#define OWN_CALL __attribute__((ms_abi))
#else
#define OWN_CALL
#endif
struct own;
struct own_pair {
    double d;
    long i;
};
typedef float own_four __attribute__((vector_size(16)));
struct own {
    int version;
    int (*log)(struct own *self, char *line, size_t room, const char *format, ...);
    int (*vlog)(struct own *self, char *line, size_t room, const char *format, va_list list);
    int (*trace)(struct own *self, int count, ...);
    int lines;
    double (*each)(struct own *self, double visit(void *user, int), void *user, int times);
    struct own_pair (*pair)(struct own *self, struct own_pair a, double complex b, long double c);
    own_four (*four)(struct own *self, own_four a, own_four b);
    double (*sum)(struct own *self, int n, const double x[static 1]);
    int (*ask)(struct own *self, double *residual);
    int(OWN_CALL *other)(struct own *self, int a, double b);
    int (*unnamed)(struct own *, int, int);
    int (*selfless)(void *handle, int x);
    int (*optional)(struct own *self);
    void (*never)(struct own *self, void *where) __attribute__((noreturn));
    void *handle;
};
#endif
