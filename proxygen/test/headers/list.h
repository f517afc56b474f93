/* SPDX-License-Identifier: BSD-3-Clause */
/* A flat list of functions with everything that is hard about one. */
#ifndef LIST_H
#define LIST_H

#include <stdarg.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct list_pair {
    double first;
    int second;
};
struct list_large {
    double values[9];
};
typedef float list_quad __attribute__((vector_size(16)));

int list_which(void);
double list_sum(const double *x, int n);
struct list_pair list_turn(struct list_pair pair);
struct list_large list_fill(double value);
double _Complex list_conjugate(double _Complex z);
long double list_half(long double x);
list_quad list_scale(list_quad v, float by);
const int list_constant(void);
int (*list_getter(int which))(int);
int list_each(const int *values, size_t count, int (*visit)(int value, void *data), void *data);
double list_trace(double (*matrix)[3], const char *const names[], int shape[2]);
int list_calls_own(void); /* calls list_helper, which programs may have, too */
int list_helper(void);
int list_errno(int value);

int list_vprint(char *out, size_t size, const char *format, va_list args);
int list_print(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int list_variadic(int n, ...);

__attribute__((noreturn)) void list_end(void (*leave)(int), int status);
int list_mark(void *where) __attribute__((returns_twice));
int list_renamed(int x) __asm__("list_renamed_v2");
int list_same(int x) __asm__("list_renamed_v2");
int list_weak(int x) __attribute__((weak));
int list_hidden(void) __attribute__((visibility("hidden")));
int list_old(int x) __attribute__((deprecated));
int list_pure(const int *x, int n) __attribute__((pure, nonnull));
int list_call(int list, int to, int proxy, int result);
int list_unnamed(int, double);
double list_dot_(const int *n, const double *x, const double *y); /* as Fortran has it */
int list_big(unsigned long long large);
/* As headers have it for Fortran, which passes the lengths of both texts after BLANK. */
long list_text_(const char *text, const int *n, void *other, const char *blank, double *sum);

int list_short(int x);
#define list_short(x) list_short((x) + 0)

static inline int list_inline(int x)
{
    return x + 1;
}
#define list_macro(x) ((x) + 1)

extern int list_data;
int list_excluded(void);
int other_function(void);

#ifdef __cplusplus
}
#endif
#endif
