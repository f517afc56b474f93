/* SPDX-License-Identifier: BSD-3-Clause */
/* Differences of snapshots and their way through bytes, exact on the manual clock. */
#include <unit_test.h>

#include "calls.h"
#include "recorder_internal.h"

#include <math.h>

static struct portolan_probe_snapshot before, now;
static struct portolan_slice slice;

static int fresh(void **state)
{
    calls_connect();
    return portolan_probe_clock_set(PORTOLAN_PROBE_CLOCK_MANUAL, NULL);
}

static int clear(void **state)
{
    slice_clear(&slice);
    portolan_probe_snapshot_clear(&before);
    portolan_probe_snapshot_clear(&now);
    return 0;
}

static void look(struct portolan_probe_snapshot *s)
{
    assert_int_equal(portolan_probe_snapshot_take(s, NULL), PORTOLAN_OK);
}

static void cut(void)
{
    look(&now);
    assert_int_equal(slice_difference(&slice_own_source, &before, &now, 3, &slice, NULL),
                     PORTOLAN_OK);
}

static void the_first_slice_is_everything_so_far(void **state)
{
    const struct portolan_sample *s;

    calls_go(2, 5, NULL, NULL); /* 2 solves of 5: go 1 + 2 × (10 + 50) */
    cut();
    s = slice.samples;
    assert_int_equal(slice.n, 2);
    assert_int_equal(s[0].parent, -1);
    assert_string_equal(s[0].instance, "driver");
    assert_string_equal(s[0].method, "go");
    assert_int_equal(s[0].rank, 3);
    assert_int_equal(s[0].subroutines, 2);
    assert_true(s[0].inclusive_ns == 101 && s[0].exclusive_ns == 1 && isnan(s[0].quality));
    assert_int_equal(s[1].parent, 0);
    assert_string_equal(s[1].user, "driver");
    assert_string_equal(s[1].uses, "solver");
    assert_string_equal(s[1].implementation, "test.Solver");
    assert_string_equal(s[1].port_type, "test.Solve");
    assert_int_equal(s[1].calls, 2);
    assert_true(s[1].inclusive_ns == 100 && s[1].min_ns == 50 && s[1].max_ns == 50);
    assert_true(s[1].sum_squares_ns2 == 5000 && s[1].quality == 0.5);
    assert_int_equal(s[1].n_context, 1);
    assert_string_equal(s[1].context_name[0], "n");
    assert_true(s[1].context[0] == 5 && !s[1].binned);
    assert_true(slice.root_ns == 101);
}

static void a_difference_holds_only_what_was_added(void **state)
{
    calls_go(2, 5, NULL, NULL);
    calls_go(1, 7, NULL, NULL);
    look(&before);
    calls_go(3, 7, NULL, NULL);
    calls_go(1, 9, NULL, NULL);
    cut();
    assert_int_equal(slice.n, 3);
    assert_int_equal(slice.samples[0].calls, 2);
    assert_true(slice.samples[0].inclusive_ns == 302);
    assert_true(slice.samples[1].context[0] == 7);
    assert_int_equal(slice.samples[1].calls, 3);
    assert_true(slice.samples[1].inclusive_ns == 210 && slice.samples[1].max_ns == 70);
    assert_true(slice.samples[2].context[0] == 9 && slice.samples[2].min_ns == 90);
}

static void nothing_happened_gives_an_empty_slice(void **state)
{
    calls_go(2, 5, NULL, NULL);
    look(&before);
    cut();
    assert_int_equal(slice.n, 0);
    assert_true(slice.root_ns == 0);
}

static void look_inside(void *arg)
{
    (void)arg;
    cut();
}

static void a_running_call_counts_with_its_time_so_far(void **state)
{
    calls_go(2, 5, look_inside, NULL);
    assert_int_equal(slice.n, 2);
    assert_int_equal(slice.samples[0].calls, 0);
    assert_true(slice.samples[0].inclusive_ns == 101 && slice.samples[0].exclusive_ns == 1);
    assert_true(slice.samples[1].inclusive_ns == 100);
}

static void failed_calls_are_kept_though_they_have_no_time(void **state)
{
    struct portolan_slice whole = {0};
    const struct portolan_sample *s;
    int64_t n = 6;
    void *bytes;
    size_t size;

    calls_go(0, 0, calls_fail, &n);
    cut();
    s = slice.samples;
    assert_int_equal(slice.n, 2);
    assert_true(s[0].inclusive_ns == 4 && s[0].exclusive_ns == 1);
    assert_int_equal(s[1].failed_calls, 1);
    assert_int_equal(s[1].calls + s[1].timed_calls, 0);
    assert_true(s[1].inclusive_ns == 0 && s[1].context[0] == 6);
    assert_int_equal(slice_pack(&slice, &bytes, &size, NULL), PORTOLAN_OK);
    assert_int_equal(slice_unpack(&whole, bytes, size, NULL), PORTOLAN_OK);
    assert_int_equal(whole.samples[0].failed_calls, 0);
    assert_int_equal(whole.samples[1].failed_calls, 1);
    slice_clear(&whole);
    free(bytes);
    look(&before);
    cut();
    assert_int_equal(slice.n, 0);
}

static void a_call_without_time_keeps_its_callers(void **state)
{
    calls_go(1, 0, NULL, NULL);
    cut();
    assert_int_equal(slice.n, 2);
    assert_int_equal(slice.samples[1].parent, 0);
    assert_int_equal(slice.samples[1].calls, 1);
}

static void work_in_pause(void *arg)
{
    (void)arg;
    portolan_probe_pause();
    portolan_probe_clock_advance(1000);
    calls_solve(3);
    portolan_probe_resume();
}

static void portolans_own_work_is_in_no_slice(void **state)
{
    calls_go(1, 5, work_in_pause, NULL);
    cut();
    assert_int_equal(slice.n, 2);
    assert_true(slice.samples[0].inclusive_ns == 51 && slice.samples[0].exclusive_ns == 1);
    assert_int_equal(slice.samples[0].subroutines, 1);
    assert_true(slice.root_ns == 51);
}

static void bins_give_the_mean_of_the_new_calls(void **state)
{
    for (int n = 0; n < 70; ++n)
        calls_go(1, n + 1000, NULL, NULL);
    look(&before);
    calls_go(1, 2000, NULL, NULL);
    calls_go(1, 2010, NULL, NULL);
    cut();
    assert_int_equal(slice.n, 2);
    assert_true(slice.samples[1].binned);
    assert_true(slice.samples[1].context[0] == 2005);
    assert_int_equal(slice.samples[1].calls, 2);
}

static void samples_travel_with_their_names(void **state)
{
    struct portolan_slice whole = {0};
    void *bytes;
    size_t size;

    calls_go(2, 5, NULL, NULL);
    calls_go(1, 6, NULL, NULL);
    cut();
    assert_int_equal(slice_pack(&slice, &bytes, &size, NULL), PORTOLAN_OK);
    assert_int_equal(slice_unpack(&whole, bytes, size, NULL), PORTOLAN_OK);
    assert_int_equal(whole.n, 3);
    for (size_t i = 0; i < 3; ++i) {
        const struct portolan_sample *a = &slice.samples[i], *b = &whole.samples[i];

        assert_int_equal(b->parent, a->parent);
        assert_string_equal(a->instance, b->instance);
        assert_string_equal(a->method, b->method);
        assert_int_equal(a->n_context, b->n_context);
        assert_true(a->n_context == 0 || !strcmp(a->context_name[0], b->context_name[0]));
        assert_true(a->n_context == 0 || a->context[0] == b->context[0]);
        assert_true(a->inclusive_ns == b->inclusive_ns && a->calls == b->calls);
        assert_true(a->timed_calls == b->timed_calls && a->max_ns == b->max_ns);
        assert_int_equal(b->rank, 3);
    }
    slice_clear(&whole);
    free(bytes);
}

static void counters_travel_with_their_names(void **state)
{
    struct portolan_slice whole = {0};
    void *bytes;
    size_t size;

    if (portolan_probe_counter_sets_define("perf::PAGE-FAULTS", NULL))
        skip(); /* no PAPI, or a machine without software events */
    calls_count(true);
    calls_go(2, 5, NULL, NULL);
    cut();
    assert_int_equal(slice_pack(&slice, &bytes, &size, NULL), PORTOLAN_OK);
    assert_int_equal(slice_unpack(&whole, bytes, size, NULL), PORTOLAN_OK);
    assert_int_equal(whole.n, 2);
    assert_int_equal(whole.samples[1].n_counters, 1);
    assert_string_equal(whole.samples[1].counter_name[0], "perf::PAGE-FAULTS");
    assert_true(whole.samples[1].counter[0] == slice.samples[1].counter[0]);
    assert_true(whole.samples[1].counter[0] >= 0);
    calls_count(false);
    assert_int_equal(portolan_probe_counter_sets_define("", NULL), PORTOLAN_OK);
    slice_clear(&whole);
    free(bytes);
}

static void broken_bytes_are_refused(void **state)
{
    struct portolan_error err = {0};
    struct portolan_slice whole = {0};
    void *bytes;
    size_t size;

    calls_go(2, 5, NULL, NULL);
    cut();
    assert_int_equal(slice_pack(&slice, &bytes, &size, NULL), PORTOLAN_OK);
    assert_int_equal(slice_unpack(&whole, bytes, size - 8, &err), PORTOLAN_EINTERNAL);
    assert_int_equal(slice_unpack(&whole, bytes, 8, &err), PORTOLAN_EINTERNAL);
    memset(bytes, 0xff, 24);
    assert_int_equal(slice_unpack(&whole, bytes, size, &err), PORTOLAN_EINTERNAL);
    assert_int_equal(whole.n, 0);
    slice_clear(&whole);
    free(bytes);
}

UNIT_TESTS(cmocka_unit_test_setup_teardown(the_first_slice_is_everything_so_far, fresh, clear),
           cmocka_unit_test_setup_teardown(a_difference_holds_only_what_was_added, fresh, clear),
           cmocka_unit_test_setup_teardown(nothing_happened_gives_an_empty_slice, fresh, clear),
           cmocka_unit_test_setup_teardown(a_running_call_counts_with_its_time_so_far, fresh,
                                           clear),
           cmocka_unit_test_setup_teardown(failed_calls_are_kept_though_they_have_no_time, fresh,
                                           clear),
           cmocka_unit_test_setup_teardown(a_call_without_time_keeps_its_callers, fresh, clear),
           cmocka_unit_test_setup_teardown(portolans_own_work_is_in_no_slice, fresh, clear),
           cmocka_unit_test_setup_teardown(bins_give_the_mean_of_the_new_calls, fresh, clear),
           cmocka_unit_test_setup_teardown(samples_travel_with_their_names, fresh, clear),
           cmocka_unit_test_setup_teardown(counters_travel_with_their_names, fresh, clear),
           cmocka_unit_test_setup_teardown(broken_bytes_are_refused, fresh, clear))
