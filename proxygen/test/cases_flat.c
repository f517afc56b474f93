/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of headers/cases/flat.h, as a shared object. */
#include "headers/cases/flat.h"

#include <stdio.h>
#include <stdlib.h>

#include <portolan/probe.h>

#pragma GCC visibility push(default)

struct flat_handle {
    int value;
};

struct flat_handle *flat_open(int value)
{
    struct flat_handle *handle = malloc(sizeof *handle);

    if (handle)
        handle->value = value;
    return handle;
}

int flat_get(const struct flat_handle *handle, int x)
{
    return handle->value + x;
}

void flat_close(struct flat_handle *handle)
{
    free(handle);
}

int flat_vlog(char *line, size_t room, const char *format, va_list list)
{
    return vsnprintf(line, room, format, list);
}

int flat_log(char *line, size_t room, const char *format, ...)
{
    (void)line, (void)room, (void)format;
    return -1; /* nobody gets here: it is forwarded to its twin */
}

int flat_trace(int count, ...)
{
    int total = 0;
    va_list list;

    va_start(list, count);
    while (count-- > 0)
        total += va_arg(list, int);
    va_end(list);
    return total;
}

double flat_each(double visit(void *user, int), void *user, int times)
{
    double s = 0;

    portolan_probe_clock_advance(10);
    for (int i = 0; i < times; i++)
        s += visit(user, i);
    return s;
}

struct flat_pair flat_by_value(struct flat_pair a, double complex b, long double c)
{
    return (struct flat_pair){a.d + creal(b) + (double)c, a.i + (long)cimag(b)};
}

flat_four flat_vector(flat_four a, flat_four b)
{
    return a * b;
}

double flat_sum(int n, const double x[restrict static 1])
{
    double s = 0;

    for (int i = 0; i < n; i++)
        s += x[i];
    return s;
}

int flat_ask(double *residual)
{
    if (residual)
        *residual = 0.5;
    return 1;
}

FLAT_CALL int flat_other(int a, double b)
{
    return a + (int)b;
}

int flat_renamed(int x)
{
    return 3 * x;
}

int flat_recursive(int (*again)(int), int depth)
{
    portolan_probe_clock_advance(1);
    return depth ? 1 + again(depth - 1) : 0;
}

void flat_never(jmp_buf where)
{
    longjmp(where, 1);
}

void flat_end(jmp_buf where)
{
    longjmp(where, 2);
}

int flat_old(int x)
{
    return x;
}

int flat_twice(jmp_buf where)
{
    (void)where;
    return 0;
}
