/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the begin and end of an annotated experiment cost, beside two bare reads of the clock: with
 * and without identifiers, nested, and with an event of PAPI's among the observables.
 */
#include "bench_short.h"

#include <portolan/cll.h>
#include <portolan/probe.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CALLS = 100000, EVENT_CALLS = 5000, ROUNDS = 15 };

static const char *const names[] = {"N", "P"};
static const char *const page_faults[] = {"CLOCK", "perf::PAGE-FAULTS"};
static const char *const processor_time[] = {"CPUTIME"};
static const unsigned lines[] = {1};

#define EXPERIMENT(NAME, N, OBSERVABLES, N_OBSERVABLES)                                            \
    {                                                                                              \
        .name = NAME, .file = "bench_call.c", .n_identifiers = N, .identifiers = names,            \
        .n_observables = N_OBSERVABLES, .observables = OBSERVABLES, .n_regions = 1,                \
        .begin_lines = lines, .end_lines = lines                                                   \
    }

static struct portolan_cll_experiment none = EXPERIMENT("none", 0, NULL, 0),
                                      two = EXPERIMENT("two", 2, NULL, 0),
                                      around = EXPERIMENT("around", 2, NULL, 0),
                                      cputime = EXPERIMENT("cputime", 0, processor_time, 1),
                                      event = EXPERIMENT("event", 0, page_faults, 2);

static uint64_t sink;

static void clock_alone(void)
{
    uint64_t start = portolan_probe_now();

    sink += portolan_probe_now() - start;
}

static void without_identifiers(void)
{
    portolan_cll_begin(&none, NULL);
    portolan_cll_end(&none);
}

static void with_two_identifiers(void)
{
    portolan_cll_begin(&two, (double[]){(double)sink, 4});
    portolan_cll_end(&two);
}

static void nested(void)
{
    portolan_cll_begin(&around, (double[]){(double)sink, 4});
    portolan_cll_begin(&two, (double[]){(double)sink, 4});
    portolan_cll_end(&two);
    portolan_cll_end(&around);
}

static void with_processor_time(void)
{
    portolan_cll_begin(&cputime, NULL);
    portolan_cll_end(&cputime);
}

static void with_an_event(void)
{
    portolan_cll_begin(&event, NULL);
    portolan_cll_end(&event);
}

static struct subject {
    const char *name;
    void (*pass)(void);
    int calls, pairs;
} subjects[] = {
    {"two reads of the clock", clock_alone, CALLS, 1},
    {"begin and end", without_identifiers, CALLS, 1},
    {"with 2 identifiers", with_two_identifiers, CALLS, 1},
    {"with 2 identifiers, nested, each", nested, CALLS, 2},
    {"with processor time", with_processor_time, EVENT_CALLS, 1},
    {"with perf::PAGE-FAULTS", with_an_event, EVENT_CALLS, 1},
};

#define SUBJECTS (sizeof subjects / sizeof *subjects)
static double ns[SUBJECTS][ROUNDS], ratio[SUBJECTS][ROUNDS];

static double now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double measure(const struct subject *s)
{
    const int calls = bench_times(s->calls);
    double start = now_ns();

    for (int i = 0; i < calls; i++)
        s->pass();
    return (now_ns() - start) / calls / s->pairs;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *values)
{
    qsort(values, (size_t)bench_times(ROUNDS), sizeof *values, compare);
    return values[bench_times(ROUNDS) / 2];
}

int main(void)
{
    setenv("CLL_OUTPUT", "/dev/null", 1);
    for (size_t i = 0; i < SUBJECTS; i++)
        measure(&subjects[i]);
    for (int round = 0; round < bench_times(ROUNDS); round++) {
        for (size_t i = 0; i < SUBJECTS; i++) {
            ns[i][round] = measure(&subjects[i]);
            ratio[i][round] = ns[i][round] / ns[0][round];
        }
        if (portolan_cll_report(&portolan_cll_seq, NULL, "bench_call", NULL) != 0)
            return 1;
    }
    printf("an experiment of annotated code, medians of %d rounds\n", ROUNDS);
    for (size_t i = 0; i < SUBJECTS; i++)
        printf("  %-34s %8.1f ns  %7.2f of two clock reads\n", subjects[i].name, median(ns[i]),
               median(ratio[i]));
    return 0;
}
