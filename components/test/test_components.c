/* SPDX-License-Identifier: BSD-3-Clause */
/* Measurement (each provider of it), ManualClock, BusyWork, SwapPoint. */
#include "bench.h"

#include <portolan/control.h>
#include <string.h>
#include <time.h>

/* ------------------------------------------------- every portolan.ports.Measurement */

#define MEASURED_BY(CLASS)                                                                         \
    "<instance name='m' class='" CLASS "'/>"                                                       \
    "<connect user='bench' uses='measurement' provider='m' provides='measurement'/>"

static void measurement_keeps_its_contract(const char *assembly)
{
    static const char *const clocks[] = {"tsc", "clock_gettime", "manual"};
    portolan_ports_Measurement m;
    struct sidl_string__array *counters;
    sidl_BaseInterface ex = NULL;
    bool known = false;
    int64_t before;
    double cost;
    char *name;

    bench_start(assembly);
    m = bench_port("measurement");
    before = portolan_ports_Measurement_now(m, &ex);
    assert_true(portolan_ports_Measurement_now(m, &ex) >= before);
    name = portolan_ports_Measurement_getClockName(m, &ex);
    for (int i = 0; i < 3; ++i)
        known = known || !strcmp(name, clocks[i]);
    assert_true(known);
    sidl_String_free(name);
    cost = portolan_ports_Measurement_getCallCost(m, &ex);
    assert_true(cost > 0 && cost < 1e6);
    counters = portolan_ports_Measurement_getCounters(m, &ex);
    assert_int_equal(sidlLength(counters, 0), 0);
    sidl_string__array_set1(counters, 0, "x");
    sidl_string__array_deleteRef(counters);
    portolan_ports_Measurement_setCounters(m, NULL, &ex); /* none */
    bench_no_exception(&ex);
}

static void unknown_counters_are_refused(const char *assembly)
{
    struct sidl_string__array *words = sidl_string__array_create1d(1);
    struct sidl_string__array *many = sidl_string__array_create1d(9);
    struct portolan_error err = {0};
    sidl_BaseInterface ex = NULL;

    bench_start(assembly);
    sidl_string__array_set1(words, 0, "NO_SUCH_EVENT");
    portolan_ports_Measurement_setCounters(bench_port("measurement"), words, &ex);
    assert_int_not_equal(portolan_catch(&ex, &err), PORTOLAN_OK);
    for (int i = 0; i < 9; ++i)
        sidl_string__array_set1(many, i, "perf::PAGE-FAULTS");
    portolan_ports_Measurement_setCounters(bench_port("measurement"), many, &ex);
    bench_exception(&ex,
                    strstr(err.text, "without PAPI") ? "without PAPI" : "9 counters are too many");
    sidl_string__array_deleteRef(words);
    sidl_string__array_deleteRef(many);
}

#define MEASUREMENT_TESTS(CLASS, TAG)                                                              \
    static void TAG##_keeps_the_contract_of_measurement(void **state)                              \
    {                                                                                              \
        measurement_keeps_its_contract(MEASURED_BY(CLASS));                                        \
    }                                                                                              \
    static void TAG##_refuses_unknown_counters(void **state)                                       \
    {                                                                                              \
        unknown_counters_are_refused(MEASURED_BY(CLASS));                                          \
    }

MEASUREMENT_TESTS("portolan.Measurement", the_real_clock)
MEASUREMENT_TESTS("portolan.ManualClock", the_manual_clock)

/* ------------------------------------------------- every portolan.ports.Control */

#define CONTROLLED_BY(CLASS)                                                                       \
    "<instance name='m' class='" CLASS "'/>"                                                       \
    "<connect user='bench' uses='control' provider='m' provides='control'/>"

static struct portolan_probe_port solver_port, other_port;
static struct portolan_control_port solver = {.name = "driver.solver",
                                              .type = "heat.Solver",
                                              .port = &solver_port,
                                              .has_mastermind = true},
                                    other = {.name = "driver.other",
                                             .type = "heat.Other",
                                             .port = &other_port};

static bool is_measured(const char *port)
{
    sidl_BaseInterface ex = NULL;
    bool measured = portolan_ports_Control_isMeasured(bench_port("control"), port, &ex);

    bench_no_exception(&ex);
    return measured;
}

static void start_with_ports(const char *assembly)
{
    static struct portolan_probe_binding nobody;

    solver.variant = other.variant = PORTOLAN_VARIANT_PROFILE;
    portolan_probe_port_init(&solver_port, &nobody, 0);
    portolan_probe_port_init(&other_port, &nobody, 0);
    portolan_control_add(&solver);
    portolan_control_add(&other);
    bench_start(assembly);
}

static void stop_with_ports(void)
{
    sidl_BaseInterface ex = NULL;

    portolan_ports_Control_enableAllGroups(bench_port("control"), &ex);
    bench_no_exception(&ex);
    portolan_control_remove(&solver);
    portolan_control_remove(&other);
}

static void groups_are_switched(const char *assembly)
{
    portolan_ports_Control c;
    sidl_BaseInterface ex = NULL;
    struct sidl_string__array *names;
    int64_t group;

    start_with_ports(assembly);
    c = bench_port("control");
    names = portolan_ports_Control_getGroupNames(c, &ex);
    assert_int_equal(sidlLength(names, 0), 2);
    assert_string_equal(sidlArrayElem1(names, 0), "heat.Solver");
    sidl_string__array_deleteRef(names);
    group = portolan_ports_Control_getGroupId(c, "heat.Other", &ex);
    portolan_ports_Control_disableGroupId(c, group, &ex);
    bench_no_exception(&ex);
    assert_true(is_measured("driver.solver") && !is_measured("driver.other"));
    portolan_ports_Control_disableGroupName(c, "heat.Solver", &ex);
    portolan_ports_Control_enableGroupId(c, group, &ex);
    bench_no_exception(&ex);
    assert_true(!is_measured("driver.solver") && is_measured("driver.other"));
    portolan_ports_Control_disableAllGroups(c, &ex);
    portolan_ports_Control_enableGroupName(c, "heat.Solver", &ex);
    bench_no_exception(&ex);
    assert_true(is_measured("driver.solver") && !is_measured("driver.other"));

    portolan_ports_Control_disableGroupName(c, "heat.Solvre", &ex);
    bench_exception(&ex, "there is no group 'heat.Solvre'; did you mean 'heat.Solver'?");
    portolan_ports_Control_enableGroupId(c, 99, &ex);
    bench_exception(&ex, "no group number 99");
    stop_with_ports();
}

static void variants_are_set(const char *assembly)
{
    portolan_ports_Control c;
    sidl_BaseInterface ex = NULL;
    char *text;

    start_with_ports(assembly);
    c = bench_port("control");
    portolan_ports_Control_setVariant(c, "driver.s*", "mastermind", &ex);
    bench_no_exception(&ex);
    text = portolan_ports_Control_getVariant(c, "driver.solver", &ex);
    assert_string_equal(text, "mastermind");
    sidl_String_free(text);
    portolan_ports_Control_setVariant(c, "type:heat.*", "forward", &ex);
    bench_no_exception(&ex);
    assert_false(is_measured("driver.solver") || is_measured("driver.other"));
    text = portolan_ports_Control_execute(c, "profile driver.other\noff driver.other", &ex);
    bench_no_exception(&ex);
    assert_string_equal(text, "profile driver.other: 1 port\noff driver.other: 1 port\n");
    sidl_String_free(text);

    portolan_ports_Control_setVariant(c, "driver.solver", "quickly", &ex);
    bench_exception(&ex, "unknown variant 'quickly'");
    portolan_ports_Control_setVariant(c, "driver.slover", "profile", &ex);
    bench_exception(&ex, "did you mean 'driver.solver'?");
    portolan_ports_Control_setVariant(c, "driver.other", "mastermind", &ex);
    bench_exception(&ex, "no Mastermind");
    portolan_ports_Control_setVariant(c, "driver.* off *", "profile", &ex);
    bench_exception(&ex, "there is no port");
    assert_null(portolan_ports_Control_getVariant(c, "nobody", &ex));
    bench_exception(&ex, "there is no port 'nobody'");
    portolan_ports_Control_execute(c, "frob", &ex);
    bench_exception(&ex, "command:1: error: unknown command 'frob'");
    portolan_ports_Control_dump(c, "/nonexistent/folder", &ex); /* nothing to write */
    bench_no_exception(&ex);
    portolan_control_apply("profile *", "test", NULL);
    stop_with_ports();
}

#define CONTROL_TESTS(CLASS, TAG)                                                                  \
    static void TAG##_switches_groups(void **state)                                                \
    {                                                                                              \
        groups_are_switched(CONTROLLED_BY(CLASS));                                                 \
    }                                                                                              \
    static void TAG##_sets_variants(void **state)                                                  \
    {                                                                                              \
        variants_are_set(CONTROLLED_BY(CLASS));                                                    \
    }

CONTROL_TESTS("portolan.Measurement", measurement)
CONTROL_TESTS("portolan.ManualClock", manual_clock)

/* ------------------------------------------------- portolan.ManualClock */

static const char manual[] =
    "<instance name='m' class='portolan.ManualClock'/>"
    "<connect user='bench' uses='measurement' provider='m' provides='measurement'/>"
    "<connect user='bench' uses='work' provider='m' provides='work'/>";

static void the_manual_clock_moves_exactly_when_told(void **state)
{
    portolan_ports_Measurement m;
    sidl_BaseInterface ex = NULL;
    int64_t begin;

    bench_start(manual);
    m = bench_port("measurement");
    begin = portolan_ports_Measurement_now(m, &ex);
    portolan_ports_Work_consume(bench_port("work"), 1.5e-9 * 2, &ex);
    portolan_ports_Work_consume(bench_port("work"), 0.1, &ex);
    portolan_ports_Work_consume(bench_port("work"), 0, &ex);
    portolan_ports_Work_consume(bench_port("work"), 3600, &ex);
    bench_no_exception(&ex);
    assert_int_equal(portolan_ports_Measurement_now(m, &ex) - begin, INT64_C(3600100000003));
}

static void the_manual_clock_does_not_run_backwards(void **state)
{
    sidl_BaseInterface ex = NULL;

    bench_start(manual);
    portolan_ports_Work_consume(bench_port("work"), -1e-9, &ex);
    bench_exception(&ex, "cannot move");
    portolan_ports_Work_consume(bench_port("work"), 0.0 / 0.0, &ex);
    bench_exception(&ex, "cannot move");
}

static void the_former_clock_comes_back(void **state)
{
    enum portolan_probe_clock before = portolan_probe_clock_get();

    bench_start(manual);
    assert_int_equal(portolan_probe_clock_get(), PORTOLAN_PROBE_CLOCK_MANUAL);
    bench_stop();
    assert_int_equal(portolan_probe_clock_get(), before);
}

/* ------------------------------------------------- portolan.BusyWork */

static double cpu_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void busy_work_burns_the_processor_time_asked_for(void **state)
{
    sidl_BaseInterface ex = NULL;
    double begin, used;

    bench_start("<instance name='b' class='portolan.BusyWork'/>"
                "<connect user='bench' uses='work' provider='b' provides='work'/>");
    begin = cpu_s();
    portolan_ports_Work_consume(bench_port("work"), 0.02, &ex);
    used = cpu_s() - begin;
    bench_no_exception(&ex);
    /* Processor time, not the wall's: never less, and little more however busy the machine is. */
    assert_true(used >= 0.0199);
    assert_true(used < 0.04);
    portolan_ports_Work_consume(bench_port("work"), -1, &ex);
    bench_exception(&ex, "cannot compute for");
}

/* ------------------------------------------------- portolan.SwapPoint */

#define SWAP_POINT                                                                                 \
    "<instance name='swap' class='portolan.SwapPoint'/>"                                           \
    "<connect user='bench' uses='swappoint' provider='swap' provides='swappoint'/>"
#define LISTENERS                                                                                  \
    "<instance name='a' class='test.Listener'/><instance name='b' class='test.Listener'/>"         \
    "<connect user='swap' uses='optimizer' provider='b' provides='steps'/>"                        \
    "<connect user='swap' uses='mastermind' provider='a' provides='steps'/>"

static void the_mastermind_hears_before_the_optimizer(void **state)
{
    portolan_ports_SwapPoint swap;
    sidl_BaseInterface ex = NULL;

    bench_start(SWAP_POINT LISTENERS);
    swap = bench_port("swappoint");
    portolan_ports_SwapPoint_announce(swap, "n", 8, &ex);
    portolan_ports_SwapPoint_reached(swap, 4, &ex);
    assert_true(portolan_ports_SwapPoint_failed(swap, 4, "diverged", &ex));
    bench_no_exception(&ex);
    assert_string_equal(bench_heard, "a:n 8;b:n 8;a:reached 4;b:reached 4;b:diverged 4;");
}

static void what_one_listener_throws_reaches_the_simulation(void **state)
{
    sidl_BaseInterface ex = NULL;

    bench_start(SWAP_POINT LISTENERS);
    bench_thrower = "a";
    portolan_ports_SwapPoint_reached(bench_port("swappoint"), 1, &ex);
    bench_exception(&ex, "the disk is full");
    assert_string_equal(bench_heard, "a:reached 1;");
    bench_thrower = "";
    portolan_ports_SwapPoint_reached(bench_port("swappoint"), 2, &ex);
    bench_no_exception(&ex);
    assert_string_equal(bench_heard, "a:reached 1;a:reached 2;b:reached 2;");
}

static void a_swap_point_alone_does_nothing(void **state)
{
    portolan_ports_SwapPoint swap;
    sidl_BaseInterface ex = NULL;

    bench_start(SWAP_POINT);
    swap = bench_port("swappoint");
    portolan_ports_SwapPoint_reached(swap, 0, &ex);
    portolan_ports_SwapPoint_announce(swap, "n", 1, &ex);
    assert_false(portolan_ports_SwapPoint_failed(swap, 0, "why not", &ex));
    bench_no_exception(&ex);
}

#define ON_BENCH(test) cmocka_unit_test_setup_teardown(test, bench_setup, bench_teardown)

UNIT_TESTS(ON_BENCH(the_real_clock_keeps_the_contract_of_measurement),
           ON_BENCH(the_real_clock_refuses_unknown_counters),
           ON_BENCH(the_manual_clock_keeps_the_contract_of_measurement),
           ON_BENCH(the_manual_clock_refuses_unknown_counters),
           ON_BENCH(measurement_switches_groups), ON_BENCH(measurement_sets_variants),
           ON_BENCH(manual_clock_switches_groups), ON_BENCH(manual_clock_sets_variants),
           ON_BENCH(the_manual_clock_moves_exactly_when_told),
           ON_BENCH(the_manual_clock_does_not_run_backwards), ON_BENCH(the_former_clock_comes_back),
           ON_BENCH(busy_work_burns_the_processor_time_asked_for),
           ON_BENCH(the_mastermind_hears_before_the_optimizer),
           ON_BENCH(what_one_listener_throws_reaches_the_simulation),
           ON_BENCH(a_swap_point_alone_does_nothing))
