/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What threads cost each other, and what calls leave behind: two threads on two processors against
 * one, and the memory of the process before and after very many calls.
 */
#include "bench_port.h"
#include "bench_short.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 2000000, ROUNDS = 15, ROW_CALLS = 20000000, DRAIN = 100000 };

static struct bench_object *object;
static int processors[2], n_processors;

static double cpu_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* ------------------------------------------------- threads */

struct run {
    int processor;
    pthread_barrier_t *barrier;
    double ns[ROUNDS];
};

static void *call(void *arg)
{
    struct run *r = arg;
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(r->processor, &set);
    sched_setaffinity(0, sizeof set, &set);
    for (int round = -1; round < bench_times(ROUNDS); round++) {
        double start;

        pthread_barrier_wait(r->barrier);
        start = cpu_ns();
        for (int i = 0; i < CALLS; i++)
            object->ops->work(object, 1);
        if (round >= 0)
            r->ns[round] = (cpu_ns() - start) / CALLS;
    }
    return NULL;
}

/* Processor time per call, median over rounds, of the slower thread. */
static double run_threads(int n)
{
    struct run runs[2] = {{.processor = processors[0]}, {.processor = processors[1]}};
    pthread_barrier_t barrier;
    pthread_t threads[2];
    double slowest = 0.0;

    pthread_barrier_init(&barrier, NULL, (unsigned)n);
    for (int i = 0; i < n; i++) {
        runs[i].barrier = &barrier;
        if (pthread_create(&threads[i], NULL, call, &runs[i]) != 0)
            exit(1);
    }
    for (int i = 0; i < n; i++) {
        pthread_join(threads[i], NULL);
        qsort(runs[i].ns, (size_t)bench_times(ROUNDS), sizeof runs[i].ns[0], compare);
        if (runs[i].ns[bench_times(ROUNDS) / 2] > slowest)
            slowest = runs[i].ns[bench_times(ROUNDS) / 2];
    }
    pthread_barrier_destroy(&barrier);
    return slowest;
}

static void find_processors(void)
{
    cpu_set_t set;

    sched_getaffinity(0, sizeof set, &set);
    for (int i = 0; i < CPU_SETSIZE && n_processors < 2; i++)
        if (CPU_ISSET(i, &set))
            processors[n_processors++] = i;
}

static void bench_threads(const char *what, struct bench_object *o)
{
    double one, two;

    object = o;
    one = run_threads(1);
    two = run_threads(2);
    printf("  %-32s %7.2f ns a call with one thread, %7.2f with two; ratio %.3f\n", what, one, two,
           two / one);
}

/* ------------------------------------------------- memory */

static long resident_kib(void)
{
    FILE *f = fopen("/proc/self/statm", "re");
    long pages = 0;

    if (f && fscanf(f, "%*d %ld", &pages) != 1)
        pages = 0;
    if (f)
        fclose(f);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static int forget(void *arg, const struct portolan_probe_row *rows, size_t n)
{
    (void)rows;
    *(uint64_t *)arg += n;
    return 0;
}

static void tell_memory(const char *what, long before, long after)
{
    printf("  %-32s resident %ld KiB before, %ld KiB after: %+ld KiB\n", what, before, after,
           after - before);
}

static void bench_memory(double calls)
{
    struct bench_object *rows;
    uint64_t lost = 0, all_lost = 0, taken = 0;
    const int row_calls = bench_times(ROW_CALLS);
    char what[60];
    long before;

    object = bench_monitored();
    object->ops->work(object, 1);
    before = resident_kib();
    for (uint64_t i = 0; i < (uint64_t)calls; i++)
        object->ops->work(object, (int64_t)(i % 1000));
    snprintf(what, sizeof what, "%.0e calls, totals", calls);
    tell_memory(what, before, resident_kib());

    rows = bench_rows();
    for (int pass = 0; pass < 2; pass++) { /* the first one touches what there is */
        before = resident_kib();
        for (int i = 0; i < row_calls; i++) {
            rows->ops->work(rows, 1);
            if (i % DRAIN == DRAIN - 1) {
                portolan_probe_rows_take(forget, &taken, &lost, NULL);
                all_lost += lost;
            }
        }
    }
    snprintf(what, sizeof what, "%.0e calls with rows, taken", (double)row_calls);
    tell_memory(what, before, resident_kib());
    printf("  rows taken %llu, lost %llu\n", (unsigned long long)taken,
           (unsigned long long)all_lost);
}

int main(int argc, char **argv)
{
    find_processors();
    printf("threads, %d rounds of %d calls, medians of processor time\n", ROUNDS, CALLS);
    if (n_processors == 2) {
        bench_threads("monitored, 1 integer context", bench_monitored());
        bench_threads("floor: hand-written, shared", bench_floor());
    } else {
        printf("  two processors are needed\n");
    }
    printf("memory\n");
    bench_memory(argc > 1 ? atof(argv[1]) : 1e9);
    return 0;
}
