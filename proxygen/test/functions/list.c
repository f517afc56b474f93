/* SPDX-License-Identifier: BSD-3-Clause */
/* One of several implementations of list.h, which differ by LIST_WHICH. */
#include "headers/list.h"

#include <errno.h>
#include <stdio.h>

#undef list_short

int list_data = LIST_WHICH;

int list_which(void)
{
    return LIST_WHICH;
}

double list_sum(const double *x, int n)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum * LIST_WHICH;
}

#ifndef LIST_PART
struct list_pair list_turn(struct list_pair pair)
{
    return (struct list_pair){pair.second, (int)pair.first + LIST_WHICH};
}

struct list_large list_fill(double value)
{
    struct list_large l;

    for (int i = 0; i < 9; i++)
        l.values[i] = value + i + LIST_WHICH;
    return l;
}

double _Complex list_conjugate(double _Complex z)
{
    __real__ z *= LIST_WHICH;
    __imag__ z = -__imag__ z;
    return z;
}

long double list_half(long double x)
{
    return x / 2 + LIST_WHICH;
}

list_quad list_scale(list_quad v, float by)
{
    return v * by * LIST_WHICH;
}

const int list_constant(void)
{
    return 40 + LIST_WHICH;
}

static int add(int x)
{
    return x + LIST_WHICH;
}

static int take(int x)
{
    return x - LIST_WHICH;
}

int (*list_getter(int which))(int)
{
    return which ? add : take;
}

int list_each(const int *values, size_t count, int (*visit)(int value, void *data), void *data)
{
    int sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += visit(values[i], data);
    return sum * LIST_WHICH;
}

double list_trace(double (*matrix)[3], const char *const names[], int shape[2])
{
    return matrix[0][0] + matrix[1][1] + shape[0] + shape[1] + names[0][0] + LIST_WHICH;
}

int list_helper(void)
{
    return LIST_WHICH;
}

int list_calls_own(void)
{
    return list_helper();
}

int list_errno(int value)
{
    int before = errno;

    errno = value;
    return before;
}

int list_vprint(char *out, size_t size, const char *format, va_list args)
{
    int n = vsnprintf(out, size, format, args);

    return n + LIST_WHICH * 1000;
}

int list_print(char *out, size_t size, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(out, size, format, args);
    va_end(args);
    return n + LIST_WHICH * 1000000; /* tells that nobody came by list_vprint */
}

int list_variadic(int n, ...)
{
    va_list args;
    int sum = LIST_WHICH;

    va_start(args, n);
    for (int i = 0; i < n; i++)
        sum += va_arg(args, int);
    va_end(args);
    return sum;
}

void list_end(void (*leave)(int), int status)
{
    for (;;)
        leave(status + LIST_WHICH);
}

int list_mark(void *where)
{
    return where != NULL;
}

int list_renamed(int x)
{
    return x * 10 + LIST_WHICH;
}

int list_weak(int x)
{
    return x * 20 + LIST_WHICH;
}

int list_old(int x)
{
    return x * 30 + LIST_WHICH;
}

int list_pure(const int *x, int n)
{
    return n > 0 ? x[n - 1] * LIST_WHICH : 0;
}

double list_dot_(const int *n, const double *x, const double *y)
{
    double sum = 0;

    for (int i = 0; i < *n; i++)
        sum += x[i] * y[i];
    return sum * LIST_WHICH;
}

int list_big(unsigned long long large)
{
    return large != 0;
}

/* list_text_ as a compiler of Fortran makes it. */
long list_text_of_fortran(const char *text, const int *n, void *other, const char *blank,
                          double *sum, size_t text_length, size_t other_length,
                          size_t blank_length) __asm__("list_text_");
long list_text_of_fortran(const char *text, const int *n, void *other, const char *blank,
                          double *sum, size_t text_length, size_t other_length, size_t blank_length)
{
    *sum = *n + text[0] + *(char *)other + blank[0];
    return (long)(text_length + 100 * other_length + 10000 * blank_length) * LIST_WHICH;
}

int list_call(int list, int to, int proxy, int result)
{
    return list + 10 * to + 100 * proxy + 1000 * result + 10000 * LIST_WHICH;
}

int list_unnamed(int a, double b)
{
    return a + (int)b + LIST_WHICH;
}

int list_short(int x)
{
    return x * 50 + LIST_WHICH;
}

int list_excluded(void)
{
    return LIST_WHICH;
}
#endif
