/* SPDX-License-Identifier: BSD-3-Clause */
/* The Mastermind in an assembly: swap point, manual clock, store; numbers are exact. */
#include "bench.h"

#include "Performance.h"

#include <portolan/probe.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ASSEMBLY_WITHOUT_SWAP_POINT                                                                \
    "<instance name='mastermind' class='portolan.Mastermind'>"                                     \
    "<parameter name='store' type='string' value='set by the bench'/></instance>"                  \
    "<instance name='clock' class='portolan.ManualClock'/>"                                        \
    "<connect user='mastermind' uses='measurement' provider='clock' provides='measurement'/>"      \
    "<connect user='bench' uses='work' provider='clock' provides='work'/>"                         \
    "<connect user='bench' uses='monitor' provider='mastermind' provides='monitor'/>"              \
    "<connect user='bench' uses='MonitorPort' provider='mastermind' provides='MonitorPort'/>"      \
    "<connect user='bench' uses='steps' provider='mastermind' provides='steps'/>"                  \
    "<connect user='bench' uses='records' provider='mastermind' provides='records'/>"
#define ASSEMBLY                                                                                   \
    ASSEMBLY_WITHOUT_SWAP_POINT                                                                    \
    "<instance name='swap' class='portolan.SwapPoint'/>"                                           \
    "<connect user='swap' uses='mastermind' provider='mastermind' provides='steps'/>"              \
    "<connect user='bench' uses='swappoint' provider='swap' provides='swappoint'/>"

static void reach(int step)
{
    sidl_BaseInterface ex = NULL;

    portolan_ports_SwapPoint_reached(bench_port("swappoint"), step, &ex);
    bench_no_exception(&ex);
}

static void three_steps(void)
{
    portolan_probe_clock_advance(5);
    for (int step = 0; step < 3; ++step) {
        reach(step);
        bench_solve(100 + step);
        portolan_probe_clock_advance(7);
    }
}

static void a_run_is_stored_step_by_step_with_exact_times(void **state)
{
    struct portolan_sample_set *set;
    const struct portolan_sample *s;

    bench_start(ASSEMBLY);
    bench_go(three_steps);
    bench_stop();
    set = bench_stored();
    s = set->samples;
    assert_int_equal(set->n_trials, 1);
    assert_int_equal(set->n_samples, 7);
    assert_int_equal(s[0].step, -1);
    assert_true(s[0].inclusive_ns == 5 && s[0].exclusive_ns == 5);
    for (int step = 0; step < 3; ++step) {
        const struct portolan_sample *go = &s[1 + 2 * step], *solve = go + 1;

        assert_int_equal(go->step, step);
        assert_true(go->inclusive_ns == 107 + step && go->exclusive_ns == 7);
        assert_string_equal(solve->instance, "solver");
        assert_int_equal(solve->parent, go - s);
        assert_true(solve->inclusive_ns == 100 + step && solve->context[0] == 100 + step);
    }
    assert_string_equal(set->trials[0].outcome, "finished");
    assert_true(set->trials[0].elapsed_ns == 5 + 107 + 108 + 109);
    portolan_sample_set_destroy(set);
}

static const char *fact(const struct portolan_trial *t, const char *name)
{
    for (size_t i = 0; i < t->n_metadata; ++i) {
        if (!strcmp(t->metadata[i].name, name))
            return t->metadata[i].value;
    }
    fail_msg("no metadata '%s'", name);
    return NULL;
}

static void time_at_the_swap_point_is_charged_to_nobody(void **state)
{
    struct portolan_sample_set *set;

    bench_start(ASSEMBLY
                "<instance name='slow' class='test.Listener'/>"
                "<connect user='swap' uses='optimizer' provider='slow' provides='steps'/>");
    bench_go(three_steps);
    assert_string_equal(bench_heard, "slow:reached 0;slow:reached 1;slow:reached 2;");
    bench_stop();
    set = bench_stored();
    assert_true(set->trials[0].elapsed_ns == 5 + 107 + 108 + 109);
    assert_string_equal(fact(&set->trials[0], PORTOLAN_FACT_WALL), "3329");
    assert_string_equal(fact(&set->trials[0], PORTOLAN_FACT_CALLS), "303");
    assert_string_equal(fact(&set->trials[0], PORTOLAN_FACT_STORING), "3000");
    assert_true(atof(fact(&set->trials[0], PORTOLAN_FACT_PROCESSOR)) > 0);
    portolan_sample_set_destroy(set);
}

static void one_step(void)
{
    bench_solve(10);
}

static void a_run_without_swap_point_is_one_step_with_its_facts(void **state)
{
    struct portolan_sample_set *set;
    sidl_BaseInterface ex = NULL;

    bench_start(ASSEMBLY_WITHOUT_SWAP_POINT);
    portolan_ports_Monitor_setMetadata(bench_port("monitor"), "blas", "reference", &ex);
    bench_no_exception(&ex);
    bench_go(one_step);
    bench_stop();
    set = bench_stored();
    assert_int_equal(set->n_samples, 2);
    assert_int_equal(set->samples[0].step, -1);
    assert_true(set->trials[0].elapsed_ns == 10);
    assert_string_equal(set->trials[0].assembly, "bench");
    assert_string_equal(fact(&set->trials[0], "blas"), "reference");
    assert_string_equal(fact(&set->trials[0], "clock"), "manual");
    assert_true(atof(fact(&set->trials[0], "call cost ns")) > 0);
    assert_non_null(strstr(fact(&set->trials[0], "object portolan_mastermind.so"), "/"));
    portolan_sample_set_destroy(set);
}

static void nothing_measured_leaves_no_trial(void **state)
{
    struct portolan_sample_set *set;

    bench_start(ASSEMBLY);
    bench_stop();
    set = bench_stored();
    assert_int_equal(set->n_trials, 0);
    portolan_sample_set_destroy(set);
}

static void ask_in_a_step(void)
{
    struct portolan_records *records = bench_records();
    const struct portolan_sample *latest;
    struct portolan_sample_set *set;
    struct portolan_decision d = {.assembly = "bench",
                                  .parameters = "n=1",
                                  .host = "h",
                                  .ranks = 1,
                                  .choice = "solver=test.Solver",
                                  .reason = "faster"};
    struct portolan_decision *found = NULL;
    const struct portolan_swap swap = {0, 1, "solver", "a", "b", "faster", "done"};
    size_t n;

    assert_int_equal(records->ops->trial(records), 0);
    bench_solve(3);
    reach(0);
    assert_int_equal(records->ops->trial(records), 1);
    assert_int_equal(records->ops->latest(records, &latest, &n, NULL), PORTOLAN_OK);
    assert_int_equal(n, 2);
    assert_true(latest[1].parent == 0 && latest[1].context[0] == 3);
    bench_solve(4);
    bench_solve(4);
    reach(1);
    records->ops->latest(records, &latest, &n, NULL);
    assert_true(n == 2 && latest[1].calls == 2 && latest[1].context[0] == 4);
    assert_int_equal(records->ops->read(records, NULL, &set, NULL), PORTOLAN_OK);
    assert_int_equal(set->n_samples, 4);
    portolan_sample_set_destroy(set);
    assert_int_equal(records->ops->put_decision(records, &d, NULL, NULL), PORTOLAN_OK);
    assert_int_equal(records->ops->find_decision(records, "bench", "n=1", "h", 1, &found, NULL),
                     PORTOLAN_OK);
    assert_string_equal(found->choice, "solver=test.Solver");
    portolan_decision_destroy(found);
    assert_int_equal(records->ops->put_swap(records, &swap, NULL), PORTOLAN_OK);
    records->ops->mark_failed(records, "enough");
}

static void the_optimizers_port_answers_between_steps(void **state)
{
    struct portolan_sample_set *set;

    bench_start(ASSEMBLY);
    bench_go(ask_in_a_step);
    bench_stop();
    set = bench_stored();
    assert_string_equal(set->trials[0].outcome, "failed");
    assert_string_equal(fact(&set->trials[0], "failure"), "enough");
    portolan_sample_set_destroy(set);
}

static void by_name(void)
{
    struct sidl_string__array *names = sidl_string__array_create1d(1);
    struct sidl_double__array *values = sidl_double__array_create1d(1);
    Performance_Monitor monitor = bench_port("MonitorPort");
    sidl_BaseInterface ex = NULL;

    sidl_string__array_set1(names, 0, "size");
    for (int i = 1; i <= 3; ++i) {
        Performance_Monitor_startMonitoring(monitor, "flux::compute()", &ex);
        portolan_probe_clock_advance(10 * (uint64_t)i);
        sidl_double__array_set1(values, 0, i);
        Performance_Monitor_stopMonitoring(monitor, "flux::compute()", names, values, &ex);
        bench_no_exception(&ex);
    }
    Performance_Monitor_stopMonitoring(monitor, "flux::compute()", names, values, &ex);
    bench_exception(&ex, "this thread did not start it last");
    sidl_string__array_deleteRef(names);
    sidl_double__array_deleteRef(values);
}

static void routines_are_monitored_by_name_too(void **state)
{
    struct portolan_sample_set *set;
    const struct portolan_sample *s;

    bench_start(ASSEMBLY);
    bench_go(by_name);
    bench_stop();
    set = bench_stored();
    assert_int_equal(set->n_samples, 3);
    s = set->samples;
    assert_string_equal(s[1].instance, "flux");
    assert_string_equal(s[1].method, "compute()");
    /* The first call told what the parameters are called. */
    assert_true(s[1].calls == 1 && s[1].inclusive_ns == 10 && s[1].n_context == 0);
    assert_true(s[2].calls == 2 && s[2].inclusive_ns == 50 && s[2].binned);
    assert_string_equal(s[2].context_name[0], "size");
    assert_true(s[2].context[0] == 2.5 && s[2].parent == 0);
    portolan_sample_set_destroy(set);
}

static void lose_the_trial(void)
{
    sqlite3 *db = NULL;

    bench_solve(1);
    reach(0);
    assert_int_equal(sqlite3_open(bench.store, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db, "PRAGMA foreign_keys = ON; DELETE FROM trial", NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(db);
    bench_solve(1);
    reach(1);
    bench_solve(1);
    reach(2);
    bench_solve(1);
}

static void a_run_goes_on_when_a_step_cannot_be_stored_and_says_so_once(void **state)
{
    static struct heard warned = {.area = "mastermind", .level = PORTOLAN_LOG_WARNING};

    portolan_log_set_handler(hear_log, &warned);
    bench_start(ASSEMBLY);
    bench_go(lose_the_trial);
    assert_int_equal(warned.count, 1);
    assert_non_null(
        strstr(warned.text, "step 0 could not be stored; 2 samples and 0 rows of calls are lost"));
    assert_non_null(strstr(warned.text, "of trial 1 was not stored"));
    bench_stop();
    assert_int_equal(warned.count, 2);
    assert_non_null(strstr(warned.text,
                           "the trial is incomplete in the store: steps not stored: 0 to 2; "
                           "6 samples"));
    portolan_log_set_handler(NULL, NULL);
}

static void a_foreign_store_stops_the_build_and_says_where(void **state)
{
    struct portolan_error err = {0};
    FILE *f = fopen(bench.store, "w");

    fputs("Somebody else keeps his diary in this file, every day since the year before last.", f);
    fclose(f);
    bench_read(ASSEMBLY);
    assert_int_not_equal(bench_build(&err), PORTOLAN_OK);
    assert_non_null(strstr(err.text, "mastermind"));
    assert_non_null(strstr(err.text, bench.store));
    assert_non_null(strstr(err.text, "not an SQLite database"));
}

static void an_empty_store_parameter_leaves_no_file(void **state)
{
    bench_read(ASSEMBLY);
    assert_int_equal(portolan_assembly_set(bench.assembly, "mastermind", "store", "", NULL),
                     PORTOLAN_OK);
    assert_int_equal(bench_build(&(struct portolan_error){0}), PORTOLAN_OK);
    bench_go(three_steps);
    bench_stop();
    assert_int_equal(access(bench.store, F_OK), -1);
}

/* Every StepListener: announce and failed are harmless at any time, steps may repeat. */
static void the_mastermind_keeps_the_contract_of_step_listeners(void **state)
{
    portolan_ports_StepListener steps;
    sidl_BaseInterface ex = NULL;

    bench_start(ASSEMBLY);
    steps = bench_port("steps");
    portolan_ports_StepListener_announce(steps, "n", 7, &ex);
    bench_no_exception(&ex);
    assert_false(portolan_ports_StepListener_failed(steps, 0, "before any step", &ex));
    for (int step = 0; step < 2; ++step) {
        portolan_ports_StepListener_reached(steps, step, &ex);
        bench_no_exception(&ex);
        portolan_ports_StepListener_reached(steps, step, &ex);
        bench_no_exception(&ex);
    }
    assert_false(portolan_ports_StepListener_failed(steps, 1, "nothing was swapped", &ex));
    bench_no_exception(&ex);
}

#define ON_BENCH(test) cmocka_unit_test_setup_teardown(test, bench_setup, bench_teardown)

UNIT_TESTS(ON_BENCH(a_run_is_stored_step_by_step_with_exact_times),
           ON_BENCH(time_at_the_swap_point_is_charged_to_nobody),
           ON_BENCH(a_run_without_swap_point_is_one_step_with_its_facts),
           ON_BENCH(nothing_measured_leaves_no_trial),
           ON_BENCH(the_optimizers_port_answers_between_steps),
           ON_BENCH(routines_are_monitored_by_name_too),
           ON_BENCH(a_run_goes_on_when_a_step_cannot_be_stored_and_says_so_once),
           ON_BENCH(a_foreign_store_stops_the_build_and_says_where),
           ON_BENCH(an_empty_store_parameter_leaves_no_file),
           ON_BENCH(the_mastermind_keeps_the_contract_of_step_listeners))
