/* SPDX-License-Identifier: BSD-3-Clause */
/* Timers and phases: what they keep, who hears of them, their parameters. */
#include "fixture.h"

static uint32_t timer, phase;
static struct portolan_error err;

static int fresh(void **state)
{
    timer = register_timer("assemble", "SOLVER", PORTOLAN_PROBE_TIMER);
    phase = register_timer("step", "TAU_USER", PORTOLAN_PROBE_PHASE);
    return portolan_probe_clock_set(PORTOLAN_PROBE_CLOCK_MANUAL, NULL);
}

static void run(uint32_t handle, uint64_t ns)
{
    assert_int_equal(portolan_probe_timer_start(handle), PORTOLAN_OK);
    portolan_probe_clock_advance(ns);
    assert_int_equal(portolan_probe_timer_stop(handle), PORTOLAN_OK);
}

/* Of those with calls, the first that the timer NAME has; with parameter VALUE of N of them. */
static const struct portolan_probe_record *record_of(const char *name, unsigned n, int64_t value)
{
    for (size_t i = 0; i < snap.count; i++) {
        const struct portolan_probe_record *r = &snap.records[i];
        const struct portolan_probe_method_info *info = portolan_probe_method_peek(r->handle);

        if (r->calls && !strcmp(info->method.name, name) && r->n_context == n &&
            (!n || r->context[0].value == value))
            return r;
    }
    return NULL;
}

static void what_is_registered_comes_back(void **state)
{
    const struct portolan_probe_method_info *info = portolan_probe_method_peek(phase);

    assert_non_null(info);
    assert_int_equal(info->handle, phase);
    assert_int_equal(info->method.kind, PORTOLAN_PROBE_PHASE);
    assert_string_equal(info->connection.port_type, "TAU_USER");
    assert_int_equal(register_timer("step", "TAU_USER", PORTOLAN_PROBE_PHASE), phase);
    assert_int_not_equal(register_timer("step", "TAU_USER", PORTOLAN_PROBE_TIMER), phase);
    assert_int_not_equal(register_timer("step", "OTHER", PORTOLAN_PROBE_PHASE), phase);
}

static void methods_of_one_registration_are_of_one_kind(void **state)
{
    struct portolan_probe_method methods[2] = {{.name = "a"},
                                               {.name = "b", .kind = PORTOLAN_PROBE_TIMER}};
    uint32_t handle;

    assert_int_equal(portolan_probe_methods_register(&(struct portolan_probe_connection){0},
                                                     methods, 2, &handle, &err),
                     PORTOLAN_EINVAL);
    assert_non_null(strstr(err.text, "different kinds"));
}

static void a_timer_nests_in_itself(void **state)
{
    const struct portolan_probe_record *outer;

    portolan_probe_timer_start(timer);
    portolan_probe_clock_advance(5);
    run(timer, 7);
    assert_int_equal(portolan_probe_timer_stop(phase), PORTOLAN_EINVAL);
    assert_int_equal(portolan_probe_timer_stop(timer), PORTOLAN_OK);
    assert_int_equal(portolan_probe_timer_stop(timer), PORTOLAN_EINVAL);
    take_snapshot();
    outer = record_of("assemble", 0, 0);
    assert_true(outer->inclusive_ns == 12 && outer->exclusive_ns == 5);
    assert_int_equal(outer->subroutine_calls, 1);
}

static void below_a_phase_everything_is_told_apart(void **state)
{
    size_t records = 0;

    run(timer, 3);
    portolan_probe_timer_start(phase);
    run(timer, 40);
    portolan_probe_timer_stop(phase);
    take_snapshot();
    for (size_t i = 0; i < snap.count; i++)
        if (snap.records[i].handle == timer && snap.records[i].calls) {
            assert_true(snap.records[i].inclusive_ns == (records ? 40 : 3));
            records++;
        }
    assert_int_equal(records, 2);
}

static void a_parameter_has_a_record_per_value(void **state)
{
    const struct portolan_probe_record *r;

    for (int64_t n = 0; n < 3; n++)
        for (int64_t i = 0; i <= n; i++) {
            portolan_probe_timer_start(timer);
            assert_int_equal(portolan_probe_timer_set_parameter(timer, "n", n), PORTOLAN_OK);
            portolan_probe_clock_advance(10 * (uint64_t)n + 1);
            assert_int_equal(portolan_probe_timer_stop(timer), PORTOLAN_OK);
        }
    take_snapshot();
    for (int64_t n = 0; n < 3; n++) {
        r = record_of("assemble", 1, n);
        assert_non_null(r);
        assert_int_equal(r->calls, n + 1);
        assert_true(r->inclusive_ns == (double)((n + 1) * (10 * n + 1)));
        assert_true(r->context[0].exact && r->context[0].sum == (double)(n * (n + 1)));
        assert_string_equal(portolan_probe_method_peek(r->handle)->method.context[0], "n");
    }
    assert_null(record_of("assemble", 0, 0));
}

static void several_parameters_have_their_latest_values(void **state)
{
    const struct portolan_probe_record *r;

    portolan_probe_timer_start(timer);
    assert_int_equal(portolan_probe_timer_set_parameter(timer, "n", 1), PORTOLAN_OK);
    assert_int_equal(portolan_probe_timer_set_parameter(timer, "m", 2), PORTOLAN_OK);
    assert_int_equal(portolan_probe_timer_set_parameter(timer, "n", 3), PORTOLAN_OK);
    assert_int_equal(portolan_probe_timer_set_parameter(timer, "k", 4), PORTOLAN_OK);
    assert_int_equal(portolan_probe_timer_set_parameter(timer, "l", 5), PORTOLAN_OK);
    assert_int_equal(portolan_probe_timer_set_parameter(timer, "j", 6), PORTOLAN_EINVAL);
    assert_int_equal(portolan_probe_timer_set_parameter(phase, "n", 1), PORTOLAN_EINVAL);
    assert_int_equal(portolan_probe_timer_set_parameter(timer, "", 1), PORTOLAN_EINVAL);
    assert_int_equal(portolan_probe_timer_stop(timer), PORTOLAN_OK);
    take_snapshot();
    r = record_of("assemble", 4, 3);
    assert_non_null(r);
    assert_int_equal(r->context[1].value, 2);
    assert_int_equal(r->context[3].value, 5);
}

static void a_parameter_is_for_one_activation(void **state)
{
    portolan_probe_timer_start(timer);
    portolan_probe_timer_set_parameter(timer, "n", 1);
    portolan_probe_timer_stop(timer);
    run(timer, 9);
    take_snapshot();
    assert_int_equal(record_of("assemble", 0, 0)->calls, 1);
    assert_int_equal(record_of("assemble", 1, 1)->calls, 1);
}

static void timers_belong_to_both_kinds_of_records(void **state)
{
    run(timer, 9);
    for (int profiled = 0; profiled < 2; profiled++) {
        take_snapshot();
        portolan_probe_snapshot_select(&snap, profiled);
        assert_non_null(record_of("assemble", 0, 0));
    }
}

static void what_is_taken_step_by_step_is_carried(void **state)
{
    struct portolan_probe_record *r;

    run(timer, 9);
    portolan_probe_timer_start(timer);
    portolan_probe_clock_advance(20);
    portolan_probe_mpi_enter();
    portolan_probe_clock_advance(4);
    portolan_probe_mpi_leave();
    portolan_probe_timer_start(phase);
    portolan_probe_clock_advance(100);
    assert_int_equal(portolan_probe_reset_unprofiled(NULL), PORTOLAN_OK);
    portolan_probe_clock_advance(1000);
    portolan_probe_timer_stop(phase);
    portolan_probe_clock_advance(300);
    portolan_probe_timer_stop(timer);
    take_snapshot();
    r = (struct portolan_probe_record *)record_of("assemble", 0, 0);
    assert_true(r->calls == 1 && r->inclusive_ns == 1300 && r->exclusive_ns == 300);
    assert_true(r->carried.calls == 1 && r->carried.mpi_ns == 4);
    assert_true(r->carried.inclusive_ns == 9 + 124 && r->carried.exclusive_ns == 9 + 24);
    r = (struct portolan_probe_record *)record_of("step", 0, 0);
    assert_true(r->carried.inclusive_ns == 100 && r->inclusive_ns == 1000);
    assert_int_equal(portolan_probe_reset(NULL), PORTOLAN_OK);
    run(timer, 1);
    take_snapshot();
    r = (struct portolan_probe_record *)record_of("assemble", 0, 0);
    assert_true(r->carried.calls == 0 && r->carried.inclusive_ns == 0);
}

static void a_parameter_after_a_reset_takes_the_call_along(void **state)
{
    const struct portolan_probe_record *r;
    unsigned n = 0;

    portolan_probe_timer_start(timer);
    portolan_probe_clock_advance(20);
    assert_int_equal(portolan_probe_reset_unprofiled(NULL), PORTOLAN_OK);
    portolan_probe_clock_advance(7);
    assert_int_equal(portolan_probe_timer_set_parameter(timer, "n", 3), PORTOLAN_OK);
    portolan_probe_clock_advance(5);
    portolan_probe_timer_stop(timer);
    take_snapshot();
    for (size_t i = 0; i < snap.count; i++) {
        r = &snap.records[i];
        if (r->handle == timer)
            assert_true(r->calls == 0 && r->inclusive_ns == 0 && r->exclusive_ns == 0);
        if (!r->n_context || !r->calls)
            continue;
        n++;
        assert_true(r->inclusive_ns == 12 && r->exclusive_ns == 12 && r->max_ns == 32);
    }
    assert_int_equal(n, 1);
}

static void stopping_tells_what_the_activation_took(void **state)
{
    struct portolan_probe_activation took;

    portolan_probe_timer_start(timer);
    portolan_probe_clock_advance(10);
    portolan_probe_pause();
    portolan_probe_clock_advance(1000);
    assert_int_equal(portolan_probe_reset_unprofiled(NULL), PORTOLAN_OK);
    portolan_probe_clock_advance(500);
    portolan_probe_resume();
    run(phase, 5);
    portolan_probe_mpi_enter();
    portolan_probe_clock_advance(2);
    portolan_probe_mpi_leave();
    assert_int_equal(portolan_probe_timer_stop_reading(timer, NULL, 0, &took), PORTOLAN_OK);
    assert_true(took.inclusive_ns == 17 && took.mpi_ns == 2);
}

static void an_unmeasured_activation_nests_and_leaves_nothing(void **state)
{
    struct portolan_probe_activation took;

    portolan_probe_timer_start(phase);
    assert_int_equal(portolan_probe_timer_start_unmeasured(timer), PORTOLAN_OK);
    assert_int_equal(portolan_probe_timer_set_parameter(timer, "n", 3), PORTOLAN_OK);
    portolan_probe_clock_advance(10);
    assert_int_equal(portolan_probe_timer_stop(phase), PORTOLAN_EINVAL);
    run(phase, 5);
    assert_int_equal(portolan_probe_timer_stop_reading(timer, NULL, 0, &took), PORTOLAN_OK);
    assert_true(took.inclusive_ns == 0);
    assert_int_equal(portolan_probe_timer_stop(phase), PORTOLAN_OK);
    take_snapshot();
    assert_null(record_of("assemble", 0, 0));
    assert_true(record_of("step", 0, 0)->inclusive_ns == 15 &&
                record_of("step", 0, 0)->exclusive_ns == 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_is_registered_comes_back, fresh),
        cmocka_unit_test_setup(methods_of_one_registration_are_of_one_kind, fresh),
        cmocka_unit_test_setup(a_timer_nests_in_itself, fresh),
        cmocka_unit_test_setup(below_a_phase_everything_is_told_apart, fresh),
        cmocka_unit_test_setup(a_parameter_has_a_record_per_value, fresh),
        cmocka_unit_test_setup(several_parameters_have_their_latest_values, fresh),
        cmocka_unit_test_setup(a_parameter_is_for_one_activation, fresh),
        cmocka_unit_test_setup(timers_belong_to_both_kinds_of_records, fresh),
        cmocka_unit_test_setup(what_is_taken_step_by_step_is_carried, fresh),
        cmocka_unit_test_setup(a_parameter_after_a_reset_takes_the_call_along, fresh),
        cmocka_unit_test_setup(stopping_tells_what_the_activation_took, fresh),
        cmocka_unit_test_setup(an_unmeasured_activation_nests_and_leaves_nothing, fresh),
    };
    int failed = cmocka_run_group_tests_name("timers", tests, NULL, NULL);

    portolan_probe_snapshot_clear(&snap);
    return failed;
}
