/* SPDX-License-Identifier: BSD-3-Clause */
/* Variadic functions: one whose twin takes a va_list, and one that has none. */
#ifndef CASES_VARIADIC_H
#define CASES_VARIADIC_H
#include <stdarg.h>
#include <stddef.h>
struct journal;
struct journal_ops {
    int (*log)(struct journal *self, char *line, size_t room, const char *format, ...);
    int (*vlog)(struct journal *self, char *line, size_t room, const char *restrict format,
                va_list list);
    int (*trace)(struct journal *self, int count, ...);
};
struct journal {
    const struct journal_ops *ops;
    int lines;
};
#endif
