/* SPDX-License-Identifier: BSD-3-Clause */
/* One call in N timed, all counted. On the manual clock, whose draws are the same in each run. */
#include "fixture.h"

enum { CALLS = 160000, ONE_IN = 16 };

static struct portolan_probe_port port, inner_port;
static struct portolan_probe_binding binding, inner_binding;
static struct worker outer, inner;
static size_t n_rows;

static void advance(struct worker *w, int64_t n)
{
    (void)w;
    portolan_probe_clock_advance((uint64_t)n);
}

/* 2 of its own, then 3 in the inner port. */
static void nested(struct worker *w, int64_t n)
{
    (void)w, (void)n;
    portolan_probe_clock_advance(2);
    proxy_work(&inner_port, 3);
}

static int set_up(void **state)
{
    assert_int_equal(portolan_probe_clock_set(PORTOLAN_PROBE_CLOCK_MANUAL, NULL), PORTOLAN_OK);
    outer.work = inner.work = advance;
    bind_worker(&binding, &outer, "user", "outer", "class");
    bind_worker(&inner_binding, &inner, "outer", "inner", "class");
    portolan_probe_port_init(&port, &binding, PORTOLAN_PROBE_MONITORED);
    portolan_probe_port_init(&inner_port, &inner_binding, PORTOLAN_PROBE_MONITORED);
    return 0;
}

static const struct portolan_probe_record *record_of(const struct portolan_probe_record *parent,
                                                     const struct portolan_probe_binding *b,
                                                     int64_t n)
{
    const struct portolan_probe_record *r =
        find_record(parent, b->first_method_handle + METHOD_WORK, n);

    assert_non_null(r);
    return r;
}

static void every_call_is_counted_and_one_in_n_is_timed(void **state)
{
    const struct portolan_probe_record *r;
    double expected = (double)CALLS / ONE_IN, deviation;

    portolan_probe_port_set_sampling(&port, ONE_IN);
    assert_int_equal(portolan_probe_port_sampling(&port), ONE_IN);
    for (int i = 0; i < CALLS; i++)
        proxy_work(&port, 5);
    take_snapshot();
    r = record_of(NULL, &binding, 5);
    assert_int_equal(r->calls, CALLS);
    deviation = sqrt(expected * (1.0 - 1.0 / ONE_IN)); /* of a binomial distribution */
    assert_true(fabs((double)r->timed_calls - expected) < 4 * deviation);
    assert_true(r->inclusive_ns == 5.0 * (double)r->timed_calls);
    assert_true(r->min_ns == 5.0 && r->max_ns == 5.0);
    assert_true(r->context[0].sum == 5.0 * (double)r->timed_calls);
    assert_int_equal(snap.records[r->parent].subroutine_calls, CALLS);
}

/* Each 16th call is longer: every 16th, timed, would be all of them or none. */
static void a_period_is_not_met_by_the_samples(void **state)
{
    double truth = 0.0, squares = 0.0, mean, error;
    const struct portolan_probe_record *r;

    portolan_probe_port_set_sampling(&port, ONE_IN);
    for (int i = 0; i < CALLS; i++) {
        PORTOLAN_PROBE_CALL(call);
        struct portolan_probe_context context[1] = {portolan_probe_context_int(1)};
        unsigned ns = i % ONE_IN ? 1 : 100;

        portolan_probe_enter(&call, &port, METHOD_WORK, context, 1);
        portolan_probe_clock_advance(ns);
        portolan_probe_leave(&call);
        truth += ns;
    }
    take_snapshot();
    r = record_of(NULL, &binding, 1);
    mean = r->inclusive_ns / (double)r->timed_calls;
    squares = r->sum_squares_ns2 / (double)r->timed_calls - mean * mean;
    error = (double)r->calls * sqrt(squares / (double)r->timed_calls);
    assert_true(fabs(mean * (double)r->calls - truth) < 4 * error);
    assert_true(error < 0.1 * truth);
}

/* Calls of the outer port, each with one of the inner; one in N of SAMPLED is timed. */
static const struct portolan_probe_record *nest(struct portolan_probe_port *sampled,
                                                const struct portolan_probe_record **below)
{
    const struct portolan_probe_record *r;

    outer.work = nested;
    portolan_probe_port_set_sampling(sampled, ONE_IN);
    for (int i = 0; i < CALLS; i++)
        proxy_work(&port, 1);
    take_snapshot();
    r = record_of(NULL, &binding, 1);
    *below = record_of(r, &inner_binding, 3);
    return r;
}

static void calls_inside_one_that_is_not_timed_have_their_own_times(void **state)
{
    const struct portolan_probe_record *r, *below;
    double timed;

    r = nest(&port, &below);
    timed = (double)r->timed_calls;
    assert_true(timed > 0 && r->timed_calls < r->calls);
    assert_true(r->inclusive_ns == 5.0 * timed && r->exclusive_ns == 2.0 * timed);
    assert_int_equal(below->calls, CALLS);
    assert_int_equal(below->timed_calls, CALLS);
    assert_true(below->inclusive_ns == 3.0 * CALLS);
    assert_int_equal(r->subroutine_calls, CALLS);
    assert_true(r->descendants == CALLS);
    assert_true(snap.records[r->parent].descendants == CALLS + timed);
}

static void what_is_not_timed_stays_in_its_callers_own_time(void **state)
{
    const struct portolan_probe_record *r, *below;
    double untimed;

    r = nest(&inner_port, &below);
    untimed = (double)(below->calls - below->timed_calls);
    assert_int_equal(r->timed_calls, CALLS);
    assert_true(untimed > 0);
    assert_true(r->inclusive_ns == 5.0 * CALLS);
    assert_true(r->exclusive_ns == 2.0 * CALLS + 3.0 * untimed);
    assert_true(r->descendants == (double)below->timed_calls);
}

static void mpi_inside_a_call_that_is_not_timed_is_not_in_its_record(void **state)
{
    const struct portolan_probe_record *r;

    portolan_probe_port_set_sampling(&port, ONE_IN);
    for (int i = 0; i < CALLS; i++) {
        PORTOLAN_PROBE_CALL(call);
        struct portolan_probe_context context[1] = {portolan_probe_context_int(1)};

        portolan_probe_enter(&call, &port, METHOD_WORK, context, 1);
        portolan_probe_mpi_enter();
        portolan_probe_clock_advance(7);
        portolan_probe_mpi_leave();
        portolan_probe_leave(&call);
    }
    take_snapshot();
    r = record_of(NULL, &binding, 1);
    assert_true(r->timed_calls < r->calls);
    assert_true(r->mpi_ns == 7.0 * (double)r->timed_calls);
}

static void a_call_that_fails_has_its_own_contexts_though_it_is_not_timed(void **state)
{
    const double x[] = {2.0, 2.125, 2.25}; /* of one bin */
    const struct portolan_probe_record *r;

    portolan_probe_port_set_sampling(&port, 1000000);
    for (int i = 0; i < 3; i++) {
        PORTOLAN_PROBE_CALL(call);
        struct portolan_probe_context context[2] = {portolan_probe_context_real(x[i]),
                                                    portolan_probe_context_int(3)};

        portolan_probe_enter(&call, &port, METHOD_SCALE, context, 2);
        if (i == 0)
            portolan_probe_leave(&call);
        else
            portolan_probe_leave_failed(&call);
    }
    take_snapshot();
    r = &snap.records[snap.count - 1];
    assert_int_equal(r->handle, binding.first_method_handle + METHOD_SCALE);
    assert_int_equal(r->failed_calls, 2);
    assert_true(r->context[0].failed_sum == 2.125 + 2.25);
    assert_true(r->context[1].failed_sum == 6);
}

static void sampling_ends_at_once(void **state)
{
    const struct portolan_probe_record *r;
    uint64_t before;

    portolan_probe_port_set_sampling(&port, 1000000);
    for (int i = 0; i < 100; i++)
        proxy_work(&port, 1);
    take_snapshot();
    before = record_of(NULL, &binding, 1)->timed_calls;
    portolan_probe_port_set_flags(&port, PORTOLAN_PROBE_MONITORED);
    assert_int_equal(portolan_probe_port_sampling(&port), 1000000);
    portolan_probe_port_set_sampling(&port, 1);
    for (int i = 0; i < 100; i++)
        proxy_work(&port, 1);
    take_snapshot();
    r = record_of(NULL, &binding, 1);
    assert_int_equal(r->calls, 200);
    assert_int_equal(r->timed_calls, before + 100);
    /* gaps drawn for a million do not hold for two */
    portolan_probe_port_set_sampling(&port, 1000000);
    proxy_work(&port, 1);
    portolan_probe_port_set_sampling(&port, 2);
    for (int i = 0; i < 1000; i++)
        proxy_work(&port, 1);
    take_snapshot();
    assert_true(record_of(NULL, &binding, 1)->timed_calls > before + 100 + 400);
}

static int check_rows(void *arg, const struct portolan_probe_row *rows, size_t n)
{
    (void)arg;
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(rows[i].one_in, ONE_IN);
        /* all last as long: the place among all calls shows in the time */
        assert_true(rows[i].start_ns == 5.0 * (double)rows[i].ordinal);
    }
    n_rows += n;
    return 0;
}

static void rows_are_of_timed_calls_and_know_their_place_among_all(void **state)
{
    uint64_t lost;

    portolan_probe_port_set_flags(&port, PORTOLAN_PROBE_MONITORED | PORTOLAN_PROBE_ROWS);
    portolan_probe_port_set_sampling(&port, ONE_IN);
    for (int i = 0; i < CALLS; i++)
        proxy_work(&port, 5);
    n_rows = 0;
    assert_int_equal(portolan_probe_rows_take(check_rows, NULL, &lost, NULL), PORTOLAN_OK);
    take_snapshot();
    assert_int_equal(n_rows, record_of(NULL, &binding, 5)->timed_calls);
    assert_int_equal(lost, 0);
}

static void a_port_that_is_not_measured_is_not_sampled_either(void **state)
{
    portolan_probe_port_set_sampling(&port, ONE_IN);
    portolan_probe_port_set_flags(&port, 0);
    proxy_work(&port, 1);            /* the first call takes the other way */
    assert_int_equal(port.flags, 0); /* so that calls take the short way */
    portolan_probe_port_set_flags(&port, PORTOLAN_PROBE_MONITORED);
    assert_int_equal(portolan_probe_port_flags(&port), PORTOLAN_PROBE_MONITORED);
    assert_int_equal(portolan_probe_port_sampling(&port), ONE_IN);
}

UNIT_TESTS(cmocka_unit_test_setup(every_call_is_counted_and_one_in_n_is_timed, set_up),
           cmocka_unit_test_setup(a_period_is_not_met_by_the_samples, set_up),
           cmocka_unit_test_setup(calls_inside_one_that_is_not_timed_have_their_own_times, set_up),
           cmocka_unit_test_setup(what_is_not_timed_stays_in_its_callers_own_time, set_up),
           cmocka_unit_test_setup(mpi_inside_a_call_that_is_not_timed_is_not_in_its_record, set_up),
           cmocka_unit_test_setup(a_call_that_fails_has_its_own_contexts_though_it_is_not_timed,
                                  set_up),
           cmocka_unit_test_setup(sampling_ends_at_once, set_up),
           cmocka_unit_test_setup(rows_are_of_timed_calls_and_know_their_place_among_all, set_up),
           cmocka_unit_test_setup(a_port_that_is_not_measured_is_not_sampled_either, set_up))
