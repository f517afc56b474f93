/* SPDX-License-Identifier: BSD-3-Clause */
/* The cases once more, as a list of functions. */
#ifndef CASES_FLAT_H
#define CASES_FLAT_H
#include <complex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#ifdef __x86_64__
#define FLAT_CALL __attribute__((ms_abi))
#else
#define FLAT_CALL
#endif
#ifdef FLAT_PREFIX
#error "the macro is for the flags' test alone"
#endif
struct flat_handle;
struct flat_pair {
    double d;
    long i;
};
typedef float flat_four __attribute__((vector_size(16)));
struct flat_handle *flat_open(int value);
int flat_get(const struct flat_handle *, int);
void flat_close(struct flat_handle *);
int flat_log(char *line, size_t room, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int flat_vlog(char *line, size_t room, const char *format, va_list list);
int flat_trace(int count, ...);
double flat_each(double visit(void *user, int), void *user, int times);
struct flat_pair flat_by_value(struct flat_pair a, double complex b, long double c);
flat_four flat_vector(flat_four a, flat_four b);
double flat_sum(int n, const double x[restrict static 1]);
int flat_ask(double *residual);
FLAT_CALL int flat_other(int a, double b);
int flat_renamed(int x) __asm__("flat_symbol");
int flat_recursive(int (*again)(int), int depth);
/* Behind a macro, as C libraries' headers have them. */
#define FLAT_OLD   __attribute__((deprecated))
#define FLAT_NEVER __attribute__((noreturn))
int flat_old(int x) FLAT_OLD;
void flat_end(jmp_buf where) FLAT_NEVER;
_Noreturn void flat_never(jmp_buf where);
int flat_twice(jmp_buf where) __attribute__((returns_twice));
__attribute__((visibility("hidden"))) int flat_hidden(int x);
static inline int flat_inline(int x)
{
    return 2 * x;
}
#define flat_macro(x)        ((x) + 1)
#define flat_generic(x)      _Generic((x), int : flat_renamed)(x)
#define flat_short_cut(n, x) flat_sum(n, x)
#endif
