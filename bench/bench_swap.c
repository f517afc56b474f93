/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long portolan.ports.Builder's replace takes on one process: of a port without state, while
 * two threads call it without pause, calls of about 1 us; and of 1 MB of state. And what it costs a
 * call that the port can be swapped: the same calls through the proxy and without it.
 */
#include "bench_short.h"

#include <portolan/framework.h>
#include <portolan/probe.h>

#include "ledger.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SWAPS = 501, THREADS = 2, DOUBLES = 131072, ROUNDS = 201, CALLS = 1000 };

static struct portolan_framework *framework;
static gov_cca_Services user;
static ledger_Ledger direct;
static int work; /* turns of the loop that take about 1 us */
static int swaps;

static double now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* ------------------------------------------------------------------ implementations */

struct ledger {
    struct sidl_object object;
    double *state;
};

static int64_t note(void *self, int32_t turns, int64_t number, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    for (int i = 0; i < turns; i++)
        __asm__ volatile("" : "+r"(number));
    return number;
}

static int32_t get_version(void *self, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    return 1;
}

static void export_state(void *self, int32_t version, gov_cca_TypeMap map, sidl_BaseInterface *_ex)
{
    struct ledger *l = self;
    int32_t lower = 0, upper = DOUBLES - 1, stride = 1;
    struct sidl_double__array *values =
        sidl_double__array_borrow(l->state, 1, &lower, &upper, &stride);

    (void)version;
    gov_cca_TypeMap_putDoubleArray(map, "state", values, _ex);
    sidl_double__array_deleteRef(values);
}

static void import_state(void *self, int32_t version, gov_cca_TypeMap map, sidl_BaseInterface *_ex)
{
    struct sidl_double__array *values = gov_cca_TypeMap_getDoubleArray(map, "state", NULL, _ex);

    (void)version;
    if (values)
        memcpy(((struct ledger *)self)->state, sidl_double__array_first(values),
               DOUBLES * sizeof(double));
    sidl_double__array_deleteRef(values);
}

static void set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct ledger *l = self;
    bool has_state = strstr(l->object.cls->name, "State") != NULL;

    gov_cca_Services_addProvidesPort(services, sidl_object_facet(l, "gov.cca.Port"), "ledger",
                                     "ledger.Ledger", NULL, _ex);
    if (!has_state)
        direct = sidl_object_facet(l, "ledger.Ledger");
    else if ((l->state = calloc(DOUBLES, sizeof *l->state)))
        gov_cca_Services_addProvidesPort(services, sidl_object_facet(l, "gov.cca.Port"), "state",
                                         "ledger.State", NULL, _ex);
}

static void destroy(void *self)
{
    free(((struct ledger *)self)->state);
}

static const struct ledger_Ledger__epv ledger_epv = {.f_note = note};
static const struct ledger_State__epv state_epv = {
    .f_getVersion = get_version, .f_exportState = export_state, .f_importState = import_state};

#define LEDGER(NAME)                                                                               \
    PORTOLAN_COMPONENT_CLASS(bench_##NAME, "bench." #NAME, struct ledger, set_services, destroy,   \
                             {&ledger_Ledger__type, &ledger_epv},                                  \
                             {&ledger_State__type, &state_epv})
LEDGER(Busy1);
LEDGER(Busy2);
LEDGER(State1);
LEDGER(State2);

static void user_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    (void)self;
    gov_cca_Services_addRef(user = services, NULL);
    gov_cca_Services_registerUsesPort(services, "ledger", "ledger.Ledger", NULL, _ex);
}

PORTOLAN_COMPONENT_CLASS(bench_User, "bench.User", struct ledger, user_set_services, NULL);
extern const struct portolan_component portolan_component_ledger_LedgerProxy;

/* ------------------------------------------------------------------ the assembly */

#define PROVIDES "<provides port='ledger' type='ledger.Ledger'/>"
#define STATE    "<provides port='state' type='ledger.State' also='portolan.ports.Stateful'/>"
static const struct {
    const struct portolan_component *component;
    const char *class_name, *rest;
} classes[] = {
    {&portolan_component_bench_Busy1, "bench.Busy1", PROVIDES},
    {&portolan_component_bench_Busy2, "bench.Busy2", PROVIDES},
    {&portolan_component_bench_State1, "bench.State1", PROVIDES STATE},
    {&portolan_component_bench_State2, "bench.State2", PROVIDES STATE},
    {&portolan_component_bench_User, "bench.User", "<uses port='ledger' type='ledger.Ledger'/>"},
    {&portolan_component_ledger_LedgerProxy, "ledger.LedgerProxy' proxy-for='ledger.Ledger",
     "<provides port='provide' type='ledger.Ledger'/><uses port='use' type='ledger.Ledger'/>"
     "<uses port='monitor' type='portolan.ports.Monitor' optional='true'/>"
     "<uses port='measurement' type='portolan.ports.Measurement' optional='true'/>"},
};

static bool open_assembly(struct portolan_palette *palette, const char *first, const char *second)
{
    struct portolan_assembly *assembly; /* lives until the end */
    char text[1000];

    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        snprintf(text, sizeof text, "<component class='%s'>%s</component>", classes[i].class_name,
                 classes[i].rest);
        if (portolan_palette_add_builtin(palette, classes[i].component, text, NULL))
            return false;
    }
    snprintf(text, sizeof text,
             "<assembly name='swap'><instance name='user' class='bench.User'/>"
             "<instance name='ledger' class='%s'><alternative class='%s'/></instance>"
             "<connect user='user' uses='ledger' provider='ledger' provides='ledger'/></assembly>",
             first, second);
    return !portolan_assembly_read_text(text, strlen(text), "swap.xml", NULL, &assembly, NULL) &&
           !portolan_framework_create(palette, NULL, &framework, NULL) &&
           !portolan_framework_build(framework, assembly, NULL);
}

static ledger_Ledger get_port(void)
{
    sidl_BaseInterface ex = NULL;

    return ledger_Ledger__cast(gov_cca_Services_getPort(user, "ledger", &ex), &ex);
}

static double replace(const char *class_name)
{
    sidl_BaseInterface ex = NULL;
    double start = now_ns(), end;

    portolan_ports_Builder_replace(portolan_framework_peek_extension(framework), "ledger",
                                   class_name, NULL, &ex);
    end = now_ns();
    if (!ex)
        return end - start;
    SIDL_CLEAR(ex);
    return 1e9;
}

/* ------------------------------------------------------------------ swaps */

static bool stop;
static uint64_t called[THREADS];

static void *call_until_stopped(void *number)
{
    ledger_Ledger port = get_port();
    sidl_BaseInterface ex = NULL;

    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        ledger_Ledger_note(port, work, 1, &ex);
        __atomic_add_fetch((uint64_t *)number, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static void bench_swaps(const char *what, const char *const *names, int threads, double goal_us)
{
    static double ns[SWAPS];
    pthread_t callers[THREADS];

    stop = false;
    for (int i = 0; i < threads; i++)
        if (pthread_create(&callers[i], NULL, call_until_stopped, &called[i]) != 0)
            return;
    for (int i = 0; i < swaps; i++) {
        /* a swap counts when both have called since the last one */
        for (int t = 0; t < threads; t++) {
            uint64_t before = __atomic_load_n(&called[t], __ATOMIC_RELAXED);

            while (__atomic_load_n(&called[t], __ATOMIC_RELAXED) == before)
                sched_yield();
        }
        ns[i] = replace(names[(i + 1) % 2]);
    }
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    for (int i = 0; i < threads; i++)
        pthread_join(callers[i], NULL);
    qsort(ns, (size_t)swaps, sizeof *ns, compare);
    printf("  %-44s median %8.2f us, 99 of 100 within %8.2f us (goal %g us)\n", what,
           ns[swaps / 2] * 1e-3, ns[swaps * 99 / 100] * 1e-3, goal_us);
}

/* ------------------------------------------------------------------ calls */

static double time_calls(ledger_Ledger port)
{
    sidl_BaseInterface ex = NULL;
    double start = now_ns();

    for (int i = 0; i < CALLS; i++)
        ledger_Ledger_note(port, work, 1, &ex);
    return now_ns() - start;
}

static void calibrate(void)
{
    double best = 1e18;

    work = 1000;
    for (int i = 0; i < 20; i++) {
        double ns = time_calls(direct);

        best = ns < best ? ns : best;
    }
    work = (int)(1000 * 1000.0 * CALLS / best);
}

static void bench_readiness(void)
{
    static double ratios[ROUNDS];
    const int n = bench_times(ROUNDS);
    ledger_Ledger port = get_port();

    for (int i = 0; i < n; i++) {
        double without = time_calls(direct), with = time_calls(port);

        ratios[i] = with / without;
    }
    qsort(ratios, (size_t)n, sizeof *ratios, compare);
    printf("  %-44s %.4f of the call without a proxy (goal 1.02)\n",
           "a call of 1 us through a port that swaps", ratios[n / 2]);
}

int main(int argc, char **argv)
{
    static const char *const busy[] = {"bench.Busy1", "bench.Busy2"};
    static const char *const state[] = {"bench.State1", "bench.State2"};
    struct portolan_palette *palette;

    swaps = bench_times(SWAPS);
    if (argc > 1 && atoi(argv[1]) > 0 && atoi(argv[1]) < SWAPS) /* or fewer swaps */
        swaps = atoi(argv[1]);
    if (portolan_palette_create(&palette, NULL) || !open_assembly(palette, busy[0], busy[1])) {
        fprintf(stderr, "the assembly could not be made\n");
        return 1;
    }
    calibrate();
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("replace, %d times each\n", swaps);
    bench_readiness();
    bench_swaps("no state, nobody calls", busy, 0, 50);
    bench_swaps("no state, two threads, calls of 1 us", busy, THREADS, 50);
    if (portolan_palette_create(&palette, NULL) || !open_assembly(palette, state[0], state[1]))
        return 1;
    bench_swaps("1 MB of state, nobody calls", state, 0, 3000);
    bench_swaps("1 MB of state, two threads", state, THREADS, 3000);
    return 0;
}
