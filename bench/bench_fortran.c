/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a call between Fortran and C costs beside one from C to C: of two ints, and of an array of
 * 1,000 doubles. All variants run in turn within each round; a figure is the best of all rounds, of
 * thread processor time per call, without the loop.
 */
#include "bench_short.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "benchc_Worker.h"
#include "benchf_Worker.h"
#include "benchlang_Work.h"

enum { ROUNDS = 61, CALLS = 100000, LENGTH = 1000 };

int fortran_add(benchlang_Work work, int calls);
double fortran_first(benchlang_Work work, int calls, const double *x, int n, int stride);
double fortran_raw(benchlang_Work work, int calls, const double *x, int n);

static double elements[LENGTH];
static double sink;

static double c_add(benchlang_Work work, int calls)
{
    int sum = 0;

    for (int i = 0; i < calls; i++) {
        sidl_BaseInterface ex;

        sum ^= benchlang_Work_add(work, i, 1, &ex);
        if (ex)
            abort();
    }
    return sum;
}

static double call_first(benchlang_Work work, int calls, int stride)
{
    const int32_t lower[] = {0}, upper[] = {(LENGTH - 1) / stride}, strides[] = {stride};
    struct sidl_double__array *x = sidl_double__array_borrow(elements, 1, lower, upper, strides);
    double sum = 0;

    for (int i = 0; i < calls; i++) {
        sidl_BaseInterface ex;

        sum += benchlang_Work_first(work, x, &ex);
        if (ex)
            abort();
    }
    sidl_double__array_deleteRef(x);
    return sum;
}

static double c_first(benchlang_Work work, int calls)
{
    return call_first(work, calls, 1);
}

static double c_every(benchlang_Work work, int calls)
{
    return call_first(work, calls, 2);
}

static double c_raw(benchlang_Work work, int calls)
{
    double sum = 0;

    for (int i = 0; i < calls; i++) {
        sidl_BaseInterface ex;

        sum += benchlang_Work_raw(work, elements, LENGTH, &ex);
        if (ex)
            abort();
    }
    return sum;
}

static double f_add(benchlang_Work work, int calls)
{
    return fortran_add(work, calls);
}

static double f_first(benchlang_Work work, int calls)
{
    return fortran_first(work, calls, elements, LENGTH, 1);
}

static double f_every(benchlang_Work work, int calls)
{
    return fortran_first(work, calls, elements, LENGTH, 2);
}

static double f_raw(benchlang_Work work, int calls)
{
    return fortran_raw(work, calls, elements, LENGTH);
}

static const struct {
    const char *name;
    double (*from_c)(benchlang_Work work, int calls),
        (*from_fortran)(benchlang_Work work, int calls);
} kinds[] = {
    {"two ints", c_add, f_add},
    {"an array of 1,000 doubles", c_first, f_first},
    {"the same with a stride", c_every, f_every},
    {"an rarray of 1,000 doubles", c_raw, f_raw},
};
enum { KINDS = sizeof kinds / sizeof *kinds };
enum { C_TO_C, FORTRAN_TO_C, C_TO_FORTRAN, FORTRAN_TO_FORTRAN, WAYS };

static double best[KINDS][WAYS];

static double now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void measure(benchlang_Work in_c, benchlang_Work in_fortran)
{
    for (int i = 0; i < KINDS; i++)
        for (int way = 0; way < WAYS; way++) {
            const int calls = bench_times(CALLS);
            const double start = now_ns();
            double spent;

            sink += (way == FORTRAN_TO_C || way == FORTRAN_TO_FORTRAN ? kinds[i].from_fortran
                                                                      : kinds[i].from_c)(
                way == C_TO_FORTRAN || way == FORTRAN_TO_FORTRAN ? in_fortran : in_c, calls);
            spent = (now_ns() - start) / calls;
            if (best[i][way] == 0 || spent < best[i][way])
                best[i][way] = spent;
        }
}

int main(void)
{
    sidl_BaseInterface ex = NULL;
    benchc_Worker c = benchc_Worker__create(&ex);
    benchf_Worker f = benchf_Worker__create(&ex);
    benchlang_Work in_c = benchlang_Work__cast(c, &ex), in_fortran = benchlang_Work__cast(f, &ex);

    if (!in_c || !in_fortran)
        return 1;
    for (int round = 0; round < bench_times(ROUNDS); round++)
        measure(in_c, in_fortran);
    printf("calls between C and Fortran, best of %d rounds, beside C to C\n", ROUNDS);
    printf("  %-42s %9s  %12s  %12s  %18s\n", "", "C to C", "Fortran to C", "C to Fortran",
           "Fortran to Fortran");
    for (int i = 0; i < KINDS; i++)
        printf("  %-42s %6.1f ns  %12.2f  %12.2f  %18.2f\n", kinds[i].name, best[i][C_TO_C],
               best[i][FORTRAN_TO_C] / best[i][C_TO_C], best[i][C_TO_FORTRAN] / best[i][C_TO_C],
               best[i][FORTRAN_TO_FORTRAN] / best[i][C_TO_C]);
    benchlang_Work_deleteRef(in_c, NULL);
    benchlang_Work_deleteRef(in_fortran, NULL);
    benchc_Worker_deleteRef(c, NULL);
    benchf_Worker_deleteRef(f, NULL);
    return sink == 1e300;
}
