/* SPDX-License-Identifier: BSD-3-Clause */
/* The published measurement port, of each provider; numbers are exact on the manual clock. */
#include "bench.h"

#include <portolan/probe.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "Performance.h"

#define MEASURED_BY(CLASS)                                                                         \
    "<instance name='m' class='" CLASS "'/>"                                                       \
    "<connect user='bench' uses='MeasurementPort' provider='m' provides='MeasurementPort'/>"
#define MANUAL MEASURED_BY("portolan.ManualClock")

static Performance_Measurement port;
static Performance_Query query;
static sidl_BaseInterface ex;

static void begin(const char *assembly)
{
    setenv("PORTOLAN_PROFILE_DIR", bench.folder, 1);
    bench_start(assembly);
    port = bench_port("MeasurementPort");
    portolan_probe_reset(NULL);
    query = Performance_Measurement_createQuery(port, &ex);
    bench_no_exception(&ex);
}

static void end(void)
{
    Performance_Query_deleteRef(query, &ex);
    bench_stop();
}

static void advance(uint64_t ns)
{
    assert_int_equal(portolan_probe_clock_advance(ns), PORTOLAN_OK);
}

static struct sidl_string__array *one(const char *name)
{
    struct sidl_string__array *list = sidl_string__array_create1d(1);

    sidl_string__array_set1(list, 0, name);
    return list;
}

/* What the query says of the timer NAME. */
struct data {
    int32_t calls, child_calls;
    double exclusive_us, inclusive_us;
};

static struct data ask(const char *name)
{
    struct sidl_string__array *list = one(name), *counters;
    struct sidl_double__array *exclusive, *inclusive;
    struct sidl_int__array *calls, *child_calls;
    int32_t n;
    struct data d;

    Performance_Query_getTimerData(query, list, &exclusive, &inclusive, &calls, &child_calls,
                                   &counters, &n, &ex);
    bench_no_exception(&ex);
    assert_int_equal(n, 1);
    assert_int_equal(sidlLength(counters, 0), 1);
    assert_string_equal(sidlArrayElem1(counters, 0), "TIME");
    d = (struct data){sidlArrayElem1(calls, 0), sidlArrayElem1(child_calls, 0),
                      sidlArrayElem2(exclusive, 0, 0), sidlArrayElem2(inclusive, 0, 0)};
    sidl_string__array_deleteRef(list);
    sidl_string__array_deleteRef(counters);
    sidl_double__array_deleteRef(exclusive);
    sidl_double__array_deleteRef(inclusive);
    sidl_int__array_deleteRef(calls);
    sidl_int__array_deleteRef(child_calls);
    return d;
}

static bool is_in(struct sidl_string__array *names, const char *name)
{
    bool found = false;

    for (int32_t i = 0; i < sidlLength(names, 0); ++i)
        found = found || !strcmp(sidlArrayElem1(names, i), name);
    sidl_string__array_deleteRef(names);
    return found;
}

/* ------------------------------------------------- timers */

static void run(Performance_Timer timer, uint64_t ns)
{
    Performance_Timer_start(timer, &ex);
    bench_no_exception(&ex);
    advance(ns);
    Performance_Timer_stop(timer, &ex);
    bench_no_exception(&ex);
}

static void a_query_tells_what_timers_took(void **state)
{
    Performance_Timer outer, inner;
    struct data d;

    begin(MANUAL);
    outer = Performance_Measurement_createTimerWithNameType(port, "solve", "void (int)", &ex);
    inner = Performance_Measurement_createTimerWithName(port, "assemble", &ex);
    assert_true(is_in(Performance_Query_getTimerNames(query, &ex), "solve void (int)") == 0);
    Performance_Timer_start(outer, &ex);
    advance(1000);
    run(inner, 2500);
    run(inner, 500);
    d = ask("solve void (int)"); /* while it runs */
    assert_true(d.calls == 1 && d.exclusive_us == 1 && d.inclusive_us == 4);
    Performance_Timer_stop(outer, &ex);
    bench_no_exception(&ex);
    d = ask("solve void (int)");
    assert_true(d.calls == 1 && d.child_calls == 2 && d.exclusive_us == 1 && d.inclusive_us == 4);
    d = ask("assemble");
    assert_true(d.calls == 2 && d.child_calls == 0 && d.exclusive_us == 3 && d.inclusive_us == 3);
    assert_true(is_in(Performance_Query_getTimerNames(query, &ex), "assemble"));
    assert_true(is_in(Performance_Query_getCounterNames(query, &ex), "TIME"));
    Performance_Timer_deleteRef(outer, &ex);
    Performance_Timer_deleteRef(inner, &ex);
    end();
}

static void properties_come_back(void **state)
{
    Performance_Timer timer;
    Performance_Phase phase;
    int64_t id;
    char *text;

    begin(MANUAL);
    timer = Performance_Measurement_createTimerWithNameTypeGroup(port, "n", "t", "NUMERIC", &ex);
    phase = Performance_Measurement_createPhase(port, &ex);
    text = Performance_Timer_getName(timer, &ex);
    assert_string_equal(text, "n");
    sidl_String_free(text);
    text = Performance_Timer_getType(timer, &ex);
    assert_string_equal(text, "t");
    sidl_String_free(text);
    text = Performance_Phase_getGroupName(phase, &ex);
    assert_string_equal(text, "TAU_USER");
    sidl_String_free(text);
    id = Performance_Timer_getGroupId(timer, &ex);
    Performance_Phase_setGroupId(phase, id, &ex);
    bench_no_exception(&ex);
    text = Performance_Phase_getGroupName(phase, &ex);
    assert_string_equal(text, "NUMERIC");
    sidl_String_free(text);
    Performance_Phase_setGroupId(phase, 4711, &ex);
    bench_exception(&ex, "there is no group number 4711");
    Performance_Phase_setName(phase, "p", &ex);
    Performance_Phase_setType(phase, "q", &ex);
    Performance_Phase_start(phase, &ex);
    Performance_Phase_stop(phase, &ex);
    bench_no_exception(&ex);
    assert_int_equal(ask("p q").calls, 1);
    Performance_Timer_deleteRef(timer, &ex);
    Performance_Phase_deleteRef(phase, &ex);
    end();
}

static void mistakes_with_timers_are_refused(const char *assembly)
{
    Performance_Timer a, b;
    struct sidl_string__array *list = one("alpah"), *counters;
    struct sidl_double__array *exclusive, *inclusive;
    struct sidl_int__array *calls, *child_calls;
    int32_t n;

    begin(assembly);
    a = Performance_Measurement_createTimerWithName(port, "alpha", &ex);
    b = Performance_Measurement_createTimer(port, &ex);
    Performance_Timer_start(b, &ex);
    bench_exception(&ex, "without a name");
    Performance_Timer_setName(b, "beta", &ex);
    Performance_Timer_stop(a, &ex);
    bench_exception(&ex, "'alpha' cannot be stopped: this thread did not start it last");
    Performance_Timer_start(a, &ex);
    Performance_Timer_start(b, &ex);
    Performance_Timer_stop(a, &ex);
    bench_exception(&ex, "'alpha' cannot be stopped");
    Performance_Timer_setParam1L(a, 1, "n", &ex);
    bench_exception(&ex, "cannot take the parameter: it needs a name");
    Performance_Timer_stop(b, &ex);
    Performance_Timer_stop(a, &ex);
    bench_no_exception(&ex);
    Performance_Query_getTimerData(query, list, &exclusive, &inclusive, &calls, &child_calls,
                                   &counters, &n, &ex);
    bench_exception(&ex, "there is no timer 'alpah'; did you mean 'alpha'?");
    assert_null(exclusive);
    Performance_Query_dumpTimerData(query, list, &ex);
    bench_exception(&ex, "there is no timer 'alpah'");
    sidl_string__array_deleteRef(list);
    Performance_Timer_deleteRef(a, &ex);
    Performance_Timer_deleteRef(b, &ex);
    end();
}

static void the_manual_clock_refuses_mistakes(void **state)
{
    mistakes_with_timers_are_refused(MANUAL);
}

static void the_real_clock_refuses_mistakes(void **state)
{
    mistakes_with_timers_are_refused(MEASURED_BY("portolan.Measurement"));
}

/* ------------------------------------------------- groups */

static void groups_are_switched(void **state)
{
    Performance_Control control;
    Performance_Timer timer, other;
    int64_t id;

    begin(MANUAL "<connect user='bench' uses='control' provider='m' provides='control'/>");
    control = Performance_Measurement_createControl(port, &ex);
    timer = Performance_Measurement_createTimerWithNameTypeGroup(port, "in io", "", "IO", &ex);
    other = Performance_Measurement_createTimerWithName(port, "in user", &ex);
    Performance_Control_disableGroupName(control, "IO", &ex);
    bench_no_exception(&ex);
    run(timer, 10);
    Performance_Timer_start(timer, &ex);
    Performance_Control_enableGroupName(control, "IO", &ex); /* what runs ends as it began */
    run(other, 1000);
    Performance_Timer_stop(timer, &ex);
    bench_no_exception(&ex);
    assert_int_equal(ask("in io").calls, 0);
    assert_int_equal(ask("in user").calls, 1);
    id = portolan_ports_Control_getGroupId(bench_port("control"), "IO", &ex);
    assert_int_equal(id, Performance_Timer_getGroupId(timer, &ex));
    Performance_Control_disableAllGroups(control, &ex);
    run(timer, 10);
    Performance_Control_enableGroupId(control, id, &ex);
    run(timer, 7000);
    run(other, 10);
    assert_true(ask("in io").calls == 1 && ask("in io").inclusive_us == 7);
    assert_int_equal(ask("in user").calls, 1);
    Performance_Control_enableAllGroups(control, &ex);
    bench_no_exception(&ex);
    Performance_Control_disableGroupName(control, "OI", &ex);
    bench_exception(&ex, "there is no group 'OI'");
    assert_true(is_in(portolan_ports_Control_getGroupNames(bench_port("control"), &ex), "IO"));
    Performance_Control_deleteRef(control, &ex);
    Performance_Timer_deleteRef(timer, &ex);
    Performance_Timer_deleteRef(other, &ex);
    end();
}

/* ------------------------------------------------- events */

struct statistics {
    int32_t samples;
    double max, min, mean, sum_squares;
};

static struct statistics ask_event(const char *name)
{
    struct sidl_string__array *list = one(name);
    struct sidl_int__array *samples;
    struct sidl_double__array *max, *min, *mean, *sum_squares;
    struct statistics s;

    Performance_Query_getEventData(query, list, &samples, &max, &min, &mean, &sum_squares, &ex);
    bench_no_exception(&ex);
    s = (struct statistics){sidlArrayElem1(samples, 0), sidlArrayElem1(max, 0),
                            sidlArrayElem1(min, 0), sidlArrayElem1(mean, 0),
                            sidlArrayElem1(sum_squares, 0)};
    sidl_string__array_deleteRef(list);
    sidl_int__array_deleteRef(samples);
    sidl_double__array_deleteRef(max);
    sidl_double__array_deleteRef(min);
    sidl_double__array_deleteRef(mean);
    sidl_double__array_deleteRef(sum_squares);
    return s;
}

static void events_have_statistics(void **state)
{
    Performance_Event event;
    Performance_ContextEvent context;
    struct statistics s;

    begin(MANUAL);
    event = Performance_Measurement_createEvent(port, &ex);
    Performance_Event_trigger(event, 1, &ex);
    bench_exception(&ex, "without a name");
    Performance_Event_setName(event, "bytes", &ex);
    Performance_Event_trigger(event, 3, &ex);
    Performance_Event_trigger(event, -1, &ex);
    bench_no_exception(&ex);
    s = ask_event("bytes");
    assert_true(s.samples == 2 && s.max == 3 && s.min == -1 && s.mean == 1 && s.sum_squares == 10);
    assert_null(Performance_Measurement_createContextEventWithName(port, "", &ex));
    bench_exception(&ex, "an event needs a name");
    context = Performance_Measurement_createContextEventWithName(port, "depth", &ex);
    Performance_ContextEvent_trigger(context, 7, &ex);
    Performance_ContextEvent_disable(context, &ex);
    Performance_ContextEvent_trigger(context, 9, &ex);
    assert_true(ask_event("depth").samples == 2 && ask_event("depth").mean == 8);
    assert_true(is_in(Performance_Query_getEventNames(query, &ex), "depth"));
    Performance_Event_deleteRef(event, &ex);
    Performance_ContextEvent_deleteRef(context, &ex);
    end();
}

static void memory_is_tracked_where_it_is_asked_for(void **state)
{
    Performance_MemoryTracker heap;
    Performance_MemoryHeadroomTracker headroom;
    struct statistics s;
    char *volatile block;

    begin(MANUAL);
    heap = Performance_Measurement_createMemoryTracker(port, &ex);
    headroom = Performance_Measurement_createMemoryHeadroomTracker(port, &ex);
    Performance_MemoryTracker_setInterruptInterval(heap, 0, &ex);
    bench_exception(&ex, "must be at least 1 s");
    Performance_MemoryTracker_setInterruptInterval(heap, 3600, &ex);
    Performance_MemoryTracker_enableInterruptTracking(heap, &ex);
    bench_no_exception(&ex);
    Performance_MemoryTracker_trackHere(heap, &ex);
    block = malloc(20 << 20);
    Performance_MemoryTracker_trackHere(heap, &ex);
    free(block);
    Performance_MemoryTracker_disable(heap, &ex);
    Performance_MemoryTracker_trackHere(heap, &ex);
    Performance_MemoryTracker_enable(heap, &ex);
    Performance_MemoryHeadroomTracker_trackHere(headroom, &ex);
    bench_no_exception(&ex);
    s = ask_event("Memory Utilization (heap, in KB)");
    assert_int_equal(s.samples, 2);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* which have another heap */
    assert_true(s.max - s.min >= 20480 && s.max - s.min < 20480 + 64);
#endif
    s = ask_event("Memory Headroom Left (in MB)");
    assert_true(s.samples == 1 && s.mean > 0);
    Performance_MemoryTracker_deleteRef(heap, &ex);
    Performance_MemoryHeadroomTracker_deleteRef(headroom, &ex);
    end();
}

/* ------------------------------------------------- files */

static bool exists(const char *name)
{
    char path[300];

    snprintf(path, sizeof path, "%s/%s", bench.folder, name);
    return access(path, F_OK) == 0;
}

static const char *first_lines(const char *name)
{
    static char text[300];
    char path[300];
    FILE *f;
    size_t n;

    snprintf(path, sizeof path, "%s/%s", bench.folder, name);
    f = fopen(path, "r");
    assert_non_null(f);
    n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = '\0';
    return text;
}

static void dumps_have_the_names_that_tau_gives(void **state)
{
    Performance_Timer timer;
    struct sidl_string__array *list = one("worked");

    begin(MANUAL);
    timer = Performance_Measurement_createTimerWithName(port, "worked", &ex);
    run(timer, 5000);
    Performance_Query_dumpProfileData(query, &ex);
    assert_true(exists("dump.0.0.0") && !exists("profile.0.0.0"));
    Performance_Query_dumpProfileDataPrefix(query, "middle", &ex);
    assert_true(exists("middle.0.0.0"));
    Performance_Query_dumpProfileDataPrefix(query, "a/b", &ex);
    bench_exception(&ex, "'a/b' does not begin a file's name");
    Performance_Query_dumpTimerNames(query, &ex);
    bench_no_exception(&ex);
    assert_true(
        strncmp(first_lines("dump_functionnames_n,c,t.0.0.0"), "number of functions ", 20) == 0);
    assert_non_null(strstr(first_lines("dump_functionnames_n,c,t.0.0.0"), "\nworked\n"));
    Performance_Query_dumpTimerData(query, list, &ex);
    bench_no_exception(&ex);
    assert_true(strncmp(first_lines("dump.0.0.0"), "2 templated_functions_MULTI_TIME\n", 33) == 0);
    sidl_string__array_deleteRef(list);
    Performance_Timer_deleteRef(timer, &ex);
    end();
    assert_true(exists("profile.0.0.0"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_setup, bench_teardown)
UNIT_TESTS(TEST(a_query_tells_what_timers_took), TEST(properties_come_back),
           TEST(the_manual_clock_refuses_mistakes), TEST(the_real_clock_refuses_mistakes),
           TEST(groups_are_switched), TEST(events_have_statistics),
           TEST(memory_is_tracked_where_it_is_asked_for), TEST(dumps_have_the_names_that_tau_gives))
