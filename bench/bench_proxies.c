/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What calls through proxies cost that proxygen wrote, from a plug-in that is loaded at run time:
 * in each shape, beside the same call without a proxy, and a timing written by hand. All variants
 * run in turn within each round. Then how long swaps take while a thread calls.
 */
#include "bench_plugin.h"
#include "bench_port.h"

#include <portolan/control.h>

#ifdef BENCH_CXX
#include "bench_cxx.h"
#include "bench_short.h"
#endif

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 41, CALLS = 50000, VALUES = 64, SWAPS = 2001 };
enum shape { SIDL, TABLE, STRUCT, FUNCTIONS, CXX, N_SHAPES };
enum kind { DIRECT, FORWARDED, MEASURED, N_KINDS };

static const char *const names[N_SHAPES] = {"SIDL interface", "table of functions",
                                            "struct with its functions", "list of functions",
                                            "C++ class"};
static const struct bench_plugin *plugin;
static int64_t values[VALUES];

static double now_ns(clockid_t clock)
{
    struct timespec ts;

    clock_gettime(clock, &ts);
    return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/* ------------------------------------------------------------------ calls */

static void run_sidl(int which)
{
    benchcall_First port = plugin->sidl[which];

    for (int i = 0; i < CALLS; i++) {
        sidl_BaseInterface ex;

        benchcall_First_work(port, values[i % VALUES], &ex);
    }
}

static void run_table(int which)
{
    struct bench_table *object = plugin->table[which];

    for (int i = 0; i < CALLS; i++)
        object->ops->work(object, values[i % VALUES]);
}

static void run_struct(int which)
{
    struct bench_struct *object = plugin->own[which];

    for (int i = 0; i < CALLS; i++)
        object->work(object, values[i % VALUES]);
}

static void run_list(int which)
{
    bench_list_fn volatile const *function = &plugin->list[which];

    for (int i = 0; i < CALLS; i++)
        (*function)(values[i % VALUES]);
}

static void run_cxx(int which)
{
#ifdef BENCH_CXX
    bench_run_cxx(plugin->cxx[which], values, CALLS);
#else
    (void)which;
#endif
}

static void (*const run[N_SHAPES])(int which) = {run_sidl, run_table, run_struct, run_list,
                                                 run_cxx};

static double run_floor(void)
{
    struct bench_object *object = bench_floor();
    double start = now_ns(CLOCK_THREAD_CPUTIME_ID);

    for (int i = 0; i < CALLS; i++)
        object->ops->work(object, values[i % VALUES]);
    return (now_ns(CLOCK_THREAD_CPUTIME_ID) - start) / CALLS;
}

static void switch_all(bool measured)
{
    struct portolan_probe_port *const ports[] = {plugin->sidl_port, plugin->list_port,
                                                 plugin->cxx_port};

    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++)
        if (ports[i])
            portolan_probe_port_set_flags(ports[i], measured ? PORTOLAN_PROBE_MONITORED : 0);
    portolan_control_apply(measured ? "profile table\nprofile own\n" : "forward table\nforward own",
                           "bench", NULL);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *ns, size_t n)
{
    qsort(ns, n, sizeof *ns, compare);
    return ns[n / 2];
}

static void bench_calls(void)
{
    static double ns[N_SHAPES][N_KINDS][ROUNDS], floor_ns[ROUNDS];
    const int n = bench_times(ROUNDS);
    double floor_median;

    for (int round = -2; round < n; round++) {
        for (enum kind kind = DIRECT; kind < N_KINDS; kind++) {
            switch_all(kind == MEASURED);
            for (int s = 0; s < N_SHAPES; s++) {
                double start = now_ns(CLOCK_THREAD_CPUTIME_ID);

                if (s == CXX && !plugin->cxx[1])
                    continue;
                run[s](kind != DIRECT);
                if (round >= 0)
                    ns[s][kind][round] = (now_ns(CLOCK_THREAD_CPUTIME_ID) - start) / CALLS;
            }
        }
        if (round >= 0)
            floor_ns[round] = run_floor();
    }
    floor_median = median(floor_ns, n);
    printf("generated proxies, %d rounds of %d calls, medians of processor time\n", ROUNDS, CALLS);
    printf("  %-28s %10s %10s %10s\n", "", "direct", "forwarded", "measured");
    for (int s = 0; s < N_SHAPES; s++) {
        double direct = median(ns[s][DIRECT], n), forwarded = median(ns[s][FORWARDED], n),
               measured = median(ns[s][MEASURED], n);

        if (direct <= 0)
            continue;
        printf("  %-28s %7.2f ns %7.2f ns %7.2f ns; forwarding adds %.2f ns (goal 1.5); "
               "measured / floor %.3f (goal 1.2)\n",
               names[s], direct, forwarded, measured, forwarded - direct, measured / floor_median);
    }
    printf("  %-28s %32.2f ns\n", "floor: written by hand", floor_median);
}

/* ------------------------------------------------------------------ swaps */

static bool stop;
static uint64_t called;

static void *call_until_stopped(void *unused)
{
    struct bench_object *object = bench_forward();

    (void)unused;
    for (uint64_t n = 1; !__atomic_load_n(&stop, __ATOMIC_RELAXED); n++) {
        object->ops->work(object, 1);
        __atomic_store_n(&called, n, __ATOMIC_RELAXED);
    }
    return NULL;
}

static double swap_by_retarget(struct portolan_probe_port *port,
                               struct portolan_probe_binding *next)
{
    struct portolan_probe_binding *old;
    double start = now_ns(CLOCK_MONOTONIC);

    if (portolan_probe_retarget(port, next, 1000000000, &old, NULL) != PORTOLAN_OK)
        return 1e9;
    return now_ns(CLOCK_MONOTONIC) - start;
}

static double swap_by_gate(struct portolan_probe_port *port, struct portolan_probe_binding *next)
{
    double start = now_ns(CLOCK_MONOTONIC);

    if (portolan_probe_gate_close(port, 1000000000, NULL) != PORTOLAN_OK)
        return 1e9;
    portolan_probe_gate_open(port, next);
    return now_ns(CLOCK_MONOTONIC) - start;
}

static void bench_swaps(const char *what, double (*swap)(struct portolan_probe_port *,
                                                         struct portolan_probe_binding *))
{
    struct portolan_probe_port *port = bench_forward_port();
    struct portolan_probe_binding *first = portolan_probe_port_peek_binding(port), second = *first;
    static double ns[SWAPS];
    const int n = bench_times(SWAPS);
    uint64_t before;
    double half;
    pthread_t thread;

    stop = false;
    called = 0;
    if (pthread_create(&thread, NULL, call_until_stopped, NULL) != 0)
        return;
    for (int i = 0; i < n; i++) {
        /* a swap counts when the other thread runs: it has called since the last one */
        before = __atomic_load_n(&called, __ATOMIC_RELAXED);
        while (__atomic_load_n(&called, __ATOMIC_RELAXED) == before)
            ;
        ns[i] = swap(port, i % 2 ? first : &second);
    }
    swap(port, first);
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    half = median(ns, n);
    printf("  %-28s median %8.2f us, 99 of 100 within %8.2f us\n", what, half * 1e-3,
           ns[n * 99 / 100] * 1e-3);
}

int main(int argc, char **argv)
{
    const struct bench_plugin *(*make)(void);
    void *handle = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;

    if (!handle) {
        fprintf(stderr, "%s\n", argc > 1 ? dlerror() : "which plug-in?");
        return 1;
    }
    *(void **)&make = dlsym(handle, "bench_plugin");
    plugin = make ? make() : NULL;
    if (!plugin) {
        fprintf(stderr, "the plug-in's proxies could not be made\n");
        return 1;
    }
    for (int i = 0; i < VALUES; i++)
        values[i] = 1;
    bench_calls();
    printf("swaps while another thread calls without pause, %d of each\n", SWAPS);
    bench_swaps("drain: the new one at once", swap_by_retarget);
    bench_swaps("gate: callers sleep", swap_by_gate);
    return 0;
}
