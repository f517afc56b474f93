/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes: those that change a call stay, the others do no harm. */
#ifndef CASES_ATTRIBUTES_H
#define CASES_ATTRIBUTES_H
#include <stddef.h>
#ifdef __x86_64__
#define OTHER __attribute__((ms_abi))
#else
#define OTHER
#endif
struct attributes;
typedef double OTHER attributes_function(struct attributes *self, double a, int b, float c, long d,
                                         double e);
typedef int(OTHER *attributes_callback)(int, double);
struct attributes_ops {
    attributes_function *by_typedef;
    int(OTHER *direct)(struct attributes *self, int a, double b) __attribute__((nonnull(1)));
    int (*calls)(struct attributes *self, attributes_callback f, int(OTHER *g)(double));
    char *(*plain)(struct attributes *self, const char *format, int n)
        __attribute__((warn_unused_result, access(read_only, 2), format_arg(2)));
    int (*old)(struct attributes *self) __attribute__((deprecated("it is old")));
    int (*chosen)(struct attributes *self, int x);
};
struct attributes {
    const struct attributes_ops *ops;
};
#define attributes_choose(self, x) _Generic((x), int : (self)->ops->chosen)((self), (x))
#endif
