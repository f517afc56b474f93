/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a call of a SIDL method costs beyond an indirect call with the same arguments, the exception
 * among them. All variants run in turn within each round; a figure is the median over rounds of
 * thread processor time per call. Beside it, what making and dropping an object costs.
 */
#include "bench_worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "benchcall_First.h"
#include "benchcall_Second.h"
#include "benchcall_Worker.h"

enum { ROUNDS = 41, CALLS = 200000, OBJECTS = 2000 };
enum { TABLE, CLASS, FIRST, SECOND, CREATE, N_VARIANTS };

static const char *const names[N_VARIANTS] = {
    [TABLE] = "function table, written by hand", [CLASS] = "through a class reference",
    [FIRST] = "through the first interface",     [SECOND] = "through another interface",
    [CREATE] = "making and dropping an object",
};

struct subjects {
    struct bench_worker *table;
    benchcall_Worker object;
    benchcall_First first;
    benchcall_Second second;
};

static double cpu_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/* As a caller who minds exceptions writes it. */
#define REPEAT(TYPE, CALL)                                                                         \
    for (int i = 0; i < CALLS; i++) {                                                              \
        TYPE ex = NULL;                                                                            \
                                                                                                   \
        CALL;                                                                                      \
        if (ex)                                                                                    \
            abort();                                                                               \
    }

static double run_table(const struct subjects *s)
{
    const double start = cpu_ns();

    REPEAT(void *, s->table->ops->work(s->table, i, &ex))
    return (cpu_ns() - start) / CALLS;
}

static double run_class(const struct subjects *s)
{
    const double start = cpu_ns();

    REPEAT(sidl_BaseInterface, benchcall_Worker_work(s->object, i, &ex))
    return (cpu_ns() - start) / CALLS;
}

static double run_first(const struct subjects *s)
{
    const double start = cpu_ns();

    REPEAT(sidl_BaseInterface, benchcall_First_work(s->first, i, &ex))
    return (cpu_ns() - start) / CALLS;
}

static double run_second(const struct subjects *s)
{
    const double start = cpu_ns();

    REPEAT(sidl_BaseInterface, benchcall_Second_workAgain(s->second, i, &ex))
    return (cpu_ns() - start) / CALLS;
}

static double run_create(const struct subjects *s)
{
    const double start = cpu_ns();

    (void)s;
    for (int i = 0; i < OBJECTS; i++) {
        sidl_BaseInterface ex;

        benchcall_Worker_deleteRef(benchcall_Worker__create(&ex), &ex);
    }
    return (cpu_ns() - start) / OBJECTS;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int main(void)
{
    static double (*const run[N_VARIANTS])(const struct subjects *s) = {
        run_table, run_class, run_first, run_second, run_create};
    static double ns[N_VARIANTS][ROUNDS];
    double median[N_VARIANTS];
    sidl_BaseInterface ex;
    struct subjects s = {.table = bench_worker(), .object = benchcall_Worker__create(&ex)};

    if (ex)
        return 1;
    s.first = benchcall_First__cast(s.object, &ex);
    s.second = benchcall_Second__cast(s.object, &ex);
    for (int round = -2; round < ROUNDS; round++)
        for (int v = 0; v < N_VARIANTS; v++) {
            const double t = run[v](&s);

            if (round >= 0)
                ns[v][round] = t;
        }
    printf("calls of a SIDL method, %d rounds of %d calls, medians of processor time\n", ROUNDS,
           CALLS);
    for (int v = 0; v < N_VARIANTS; v++) {
        qsort(ns[v], ROUNDS, sizeof ns[v][0], compare);
        median[v] = ns[v][ROUNDS / 2];
        printf("  %-34s %7.2f ns\n", names[v], median[v]);
    }
    for (int v = CLASS; v <= SECOND; v++)
        printf("ratio %-50s / function table (goal 1.1) %.3f\n", names[v],
               median[v] / median[TABLE]);
    benchcall_First_deleteRef(s.first, &ex);
    benchcall_Second_deleteRef(s.second, &ex);
    benchcall_Worker_deleteRef(s.object, &ex);
    return 0;
}
