/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that do not end as they should, and time that belongs to nobody's call. */
#include "fixture.h"

static struct portolan_probe_port outer, inner;
static struct portolan_probe_binding outer_binding, inner_binding;
static uint32_t outer_work, inner_work;
static jmp_buf escape;

static void no_scale(struct worker *self, double x, int64_t m)
{
    (void)self, (void)x, (void)m;
}

static void leaf_work(struct worker *self, int64_t n)
{
    (void)self;
    portolan_probe_clock_advance(10);
    if (n < 0)
        longjmp(escape, 1);
}

/* n = -1: jumps out past itself; n = -2: catches the jump of the call below. */
static void nesting_work(struct worker *self, int64_t n)
{
    (void)self;
    portolan_probe_clock_advance(1);
    if (n != -2) {
        proxy_work(&inner, n);
    } else if (setjmp(escape) == 0) {
        proxy_work(&inner, -1);
    }
    portolan_probe_clock_advance(1);
}

static struct worker leaf = {leaf_work, no_scale, NULL}, nesting = {nesting_work, no_scale, NULL};

static int fresh(void **state)
{
    bind_worker(&outer_binding, &nesting, "driver", "outer", "test.Outer");
    bind_worker(&inner_binding, &leaf, "outer", "inner", "test.Leaf");
    outer_work = outer_binding.first_method_handle + METHOD_WORK;
    inner_work = inner_binding.first_method_handle + METHOD_WORK;
    portolan_probe_port_init(&outer, &outer_binding, PORTOLAN_PROBE_MONITORED);
    portolan_probe_port_init(&inner, &inner_binding, PORTOLAN_PROBE_MONITORED);
    return portolan_probe_clock_set(PORTOLAN_PROBE_CLOCK_MANUAL, NULL);
}

static void calls_after_a_longjmp_are_back_at_the_root(void **state)
{
    const struct portolan_probe_record *r;

    if (setjmp(escape) == 0)
        proxy_work(&outer, -1);
    proxy_work(&inner, 5);
    take_snapshot();
    r = find_record(&snap.records[0], inner_work, 5);
    assert_non_null(r);
    assert_int_equal(r->calls, 1);
    r = find_record(&snap.records[0], outer_work, -1);
    assert_int_equal(r->calls, 0); /* never ended */
    assert_true(r->open_inclusive_ns == 0);
}

static void a_call_that_caught_a_longjmp_ends_right(void **state)
{
    const struct portolan_probe_record *r;

    proxy_work(&outer, -2);
    proxy_work(&outer, 3);
    take_snapshot();
    r = find_record(&snap.records[0], outer_work, -2);
    assert_int_equal(r->calls, 1);
    assert_true(r->inclusive_ns == 12);
    assert_true(r->exclusive_ns == 12); /* the call it abandoned counts as its own time */
    r = find_record(&snap.records[0], outer_work, 3);
    assert_true(r->inclusive_ns == 12 && r->exclusive_ns == 2);
}

static int cleaned_up(struct portolan_probe_port *port)
{
    __attribute__((cleanup(portolan_probe_leave))) struct portolan_probe_call call;

    portolan_probe_enter(&call, port, METHOD_WORK,
                         &(struct portolan_probe_context){.key = 7, .x = 7.0}, 1);
    portolan_probe_clock_advance(4);
    return 1; /* as an exception path does, past any leave */
}

static void leave_works_as_a_cleanup(void **state)
{
    int (*volatile call)(struct portolan_probe_port *) = cleaned_up;
    const struct portolan_probe_record *r;

    assert_int_equal(call(&inner), 1);
    take_snapshot();
    r = find_record(&snap.records[0], inner_work, 7);
    assert_int_equal(r->calls, 1);
    assert_true(r->inclusive_ns == 4);
}

/* ------------------------------------------------------- failed calls */

/* As proxies do: n below 0 says that the call failed. */
__attribute__((noinline)) static void proxy_status(struct portolan_probe_port *port, int64_t n)
{
    const struct portolan_probe_context context[1] = {portolan_probe_context_int(n)};
    PORTOLAN_PROBE_CALL(call);
    struct portolan_probe_binding *b = portolan_probe_enter(&call, port, METHOD_WORK, context, 1);
    struct worker *w = b->target;

    w->work(w, n);
    if (n < 0)
        portolan_probe_leave_failed(&call);
    else
        portolan_probe_leave(&call);
}

static void tick(struct worker *self, int64_t n)
{
    (void)self, (void)n;
    portolan_probe_clock_advance(10);
}

static void failing_inside(struct worker *self, int64_t n)
{
    (void)self, (void)n;
    portolan_probe_clock_advance(1);
    proxy_status(&inner, -7);
    proxy_status(&inner, 7);
    portolan_probe_clock_advance(1);
}

static void a_failed_call_is_in_no_time_but_its_callers_inclusive(void **state)
{
    struct worker above = {failing_inside, no_scale, NULL}, below = {tick, no_scale, NULL};
    const struct portolan_probe_record *a, *failed, *good;

    outer_binding.target = &above;
    inner_binding.target = &below;
    proxy_status(&outer, 1);
    take_snapshot();
    a = find_record(&snap.records[0], outer_work, 1);
    failed = find_record(a, inner_work, -7);
    good = find_record(a, inner_work, 7);
    assert_true(a->inclusive_ns == 22 && a->exclusive_ns == 2);
    assert_int_equal(a->subroutine_calls, 1);
    assert_int_equal(failed->failed_calls, 1);
    assert_int_equal(failed->calls + failed->timed_calls, 0);
    assert_true(failed->inclusive_ns == 0 && failed->max_ns == 0 && failed->context[0].sum == 0);
    assert_int_equal(good->calls, 1);
    assert_int_equal(good->failed_calls, 0);
    assert_int_equal(portolan_probe_reset(NULL), PORTOLAN_OK);
    take_snapshot();
    assert_int_equal(find_record(a, inner_work, -7)->failed_calls, 0);
}

static void reset_inside(struct worker *self, int64_t n)
{
    (void)self, (void)n;
    portolan_probe_clock_advance(100);
    assert_int_equal(portolan_probe_reset_unprofiled(NULL), PORTOLAN_OK);
    portolan_probe_clock_advance(5);
}

/* What was told of it before it failed is told; nothing is owed to the next call. */
static void a_call_that_fails_after_a_reset_owes_nothing(void **state)
{
    struct worker w = {reset_inside, no_scale, NULL}, plain = {tick, no_scale, NULL};
    const struct portolan_probe_record *r;

    outer_binding.target = &w;
    proxy_status(&outer, -1);
    outer_binding.target = &plain;
    measure_work(&outer, -1);
    take_snapshot();
    r = find_record(&snap.records[0], outer_work, -1);
    assert_int_equal(r->failed_calls, 1);
    assert_int_equal(r->calls, 1);
    assert_true(r->inclusive_ns == 10 && r->exclusive_ns == 10);
}

__attribute__((noinline)) static void fail_scale(double x)
{
    struct portolan_probe_context context[2] = {portolan_probe_context_real(x),
                                                portolan_probe_context_int(2)};
    PORTOLAN_PROBE_CALL(call);

    portolan_probe_enter(&call, &inner, METHOD_SCALE, context, 2);
}

static void failed_calls_keep_their_contexts_apart(void **state)
{
    const struct portolan_probe_record *r = NULL;

    fail_scale(1.0); /* both in one bin */
    fail_scale(1.125);
    take_snapshot();
    for (size_t i = 0; i < snap.count; i++)
        if (snap.records[i].failed_calls)
            r = &snap.records[i];
    assert_non_null(r);
    assert_int_equal(r->failed_calls, 2);
    assert_true(r->context[0].failed_sum == 2.125 && r->context[1].failed_sum == 4);
    assert_true(r->context[0].sum == 0);
}

static void failed_calls_are_counted_whether_they_are_timed_or_not(void **state)
{
    struct worker w = {tick, no_scale, NULL};
    const struct portolan_probe_record *r;

    inner_binding.target = &w;
    portolan_probe_port_set_sampling(&inner, 1000);
    for (int i = 0; i < 100; i++)
        proxy_status(&inner, -3);
    portolan_probe_port_set_sampling(&inner, 1);
    take_snapshot();
    r = find_record(&snap.records[0], inner_work, -3);
    assert_int_equal(r->failed_calls, 100);
    assert_int_equal(r->calls, 0);
}

/* ------------------------------------------------------- open calls, pauses, MPI, timers */

static void open_work(struct worker *self, int64_t n)
{
    const struct portolan_probe_record *r;

    (void)self;
    portolan_probe_clock_advance(3);
    proxy_work(&inner, n);
    portolan_probe_clock_advance(4);
    take_snapshot();
    r = find_record(&snap.records[0], outer_work, n);
    assert_int_equal(r->calls, 0);
    assert_true(r->inclusive_ns == 0);
    assert_true(r->open_inclusive_ns == 17 && r->open_exclusive_ns == 7);
}

static void running_calls_show_what_they_took_so_far(void **state)
{
    struct worker w = {open_work, no_scale, NULL};
    const struct portolan_probe_record *r;

    outer_binding.target = &w;
    proxy_work(&outer, 2);
    take_snapshot();
    r = find_record(&snap.records[0], outer_work, 2);
    assert_true(r->open_inclusive_ns == 0 && r->inclusive_ns == 17 && r->exclusive_ns == 7);
}

static void reset_work(struct worker *self, int64_t n)
{
    (void)self, (void)n;
    portolan_probe_clock_advance(100);
    proxy_work(&inner, 1);
    assert_int_equal(portolan_probe_clock_set(PORTOLAN_PROBE_CLOCK_MANUAL, NULL), PORTOLAN_EBUSY);
    assert_int_equal(portolan_probe_reset(NULL), PORTOLAN_OK);
    portolan_probe_clock_advance(5);
    proxy_work(&inner, 1);
}

static void reset_lets_running_calls_begin_anew(void **state)
{
    struct worker w = {reset_work, no_scale, NULL};
    const struct portolan_probe_record *r;

    outer_binding.target = &w;
    proxy_work(&outer, 2);
    take_snapshot();
    r = find_record(&snap.records[0], outer_work, 2);
    assert_int_equal(r->calls, 1);
    assert_true(r->inclusive_ns == 15 && r->exclusive_ns == 5 && r->min_ns == 15);
    assert_int_equal(find_record(r, inner_work, 1)->calls, 1);
}

static void pausing_work(struct worker *self, int64_t n)
{
    (void)self;
    portolan_probe_clock_advance(3);
    portolan_probe_pause();
    portolan_probe_clock_advance(1000);
    portolan_probe_pause(); /* does nothing */
    take_snapshot();
    assert_true(find_record(&snap.records[0], outer_work, n)->open_inclusive_ns == 3);
    proxy_work(&inner, n);
    portolan_probe_resume();
    portolan_probe_resume();
    portolan_probe_clock_advance(4);
}

static void paused_time_is_in_no_running_call(void **state)
{
    struct worker w = {pausing_work, no_scale, NULL};
    const struct portolan_probe_record *r, *own = NULL;

    outer_binding.target = &w;
    proxy_work(&outer, 2);
    take_snapshot();
    r = find_record(&snap.records[0], outer_work, 2);
    assert_true(r->inclusive_ns == 7 && r->exclusive_ns == 7);
    for (size_t i = 0; i < snap.count; i++)
        if (snap.records[i].handle == PORTOLAN_PROBE_HANDLE_OWN)
            own = &snap.records[i];
    assert_non_null(own);
    assert_int_equal(own->parent, 0);
    assert_true(own->inclusive_ns == 1010 && own->exclusive_ns == 1000);
    assert_non_null(find_record(own, inner_work, 2));
}

static void mpi_work(struct worker *self, int64_t n)
{
    (void)self;
    portolan_probe_clock_advance(1);
    portolan_probe_mpi_enter();
    portolan_probe_clock_advance((uint64_t)n);
    portolan_probe_mpi_enter();
    portolan_probe_clock_advance(2);
    assert_int_equal(portolan_probe_mpi_leave(), 0);
    assert_int_equal(portolan_probe_mpi_leave(), n + 2);
    assert_int_equal(portolan_probe_mpi_leave(), 0); /* one too many */
}

static void mpi_outer_work(struct worker *self, int64_t n)
{
    mpi_work(self, n);
    proxy_work(&inner, n + 1);
}

static void mpi_time_belongs_to_the_call_it_is_made_from(void **state)
{
    struct worker above = {mpi_outer_work, no_scale, NULL}, below = {mpi_work, no_scale, NULL};
    const struct portolan_probe_record *a, *b;

    outer_binding.target = &above;
    inner_binding.target = &below;
    proxy_work(&outer, 20);
    take_snapshot();
    a = find_record(&snap.records[0], outer_work, 20);
    b = find_record(a, inner_work, 21);
    assert_true(a->mpi_ns == 22 && a->mpi_inclusive_ns == 45 && a->exclusive_ns == 23);
    assert_true(b->mpi_ns == 23 && b->mpi_inclusive_ns == 23);
}

static void a_timer_keeps_sums_of_a_context_known_at_its_end(void **state)
{
    struct portolan_probe_activation ignored;
    static const struct portolan_probe_connection nobody;
    static const struct portolan_probe_method method = {
        .name = "routine", .n_context = 2, .context = {"n", "tol"}, .real_contexts = 3U};
    const struct portolan_probe_record *timer = NULL;
    uint32_t handle;

    assert_int_equal(portolan_probe_methods_register(&nobody, &method, 1, &handle, NULL),
                     PORTOLAN_OK);
    for (int n = 1; n <= 3; n++) {
        double values[2] = {n, 0.5};

        assert_int_equal(portolan_probe_timer_start(handle), PORTOLAN_OK);
        portolan_probe_clock_advance(10 * (uint64_t)n);
        assert_int_equal(portolan_probe_timer_stop_reading(handle, values, 2, &ignored),
                         PORTOLAN_OK);
    }
    take_snapshot();
    for (size_t i = 0; i < snap.count; i++)
        timer = snap.records[i].handle == handle ? &snap.records[i] : timer;
    assert_non_null(timer);
    assert_int_equal(timer->calls, 3);
    assert_false(timer->context[0].exact);
    assert_true(timer->context[0].sum == 6 && timer->context[0].sum_squares == 14);
    assert_true(timer->context[0].sum_time_ns == 140 && timer->context[1].sum == 1.5);
}

static void timers_nest_with_port_calls(void **state)
{
    const struct portolan_probe_record *r, *timer = NULL;
    uint32_t handle;

    assert_int_equal(portolan_probe_methods_register(
                         &(struct portolan_probe_connection){.user = "a program"},
                         &(struct portolan_probe_method){.name = "phase"}, 1, &handle, NULL),
                     PORTOLAN_OK);
    assert_int_equal(portolan_probe_timer_start(handle), PORTOLAN_OK);
    portolan_probe_clock_advance(8);
    proxy_work(&inner, 3);
    assert_int_equal(portolan_probe_timer_stop(handle + 1), PORTOLAN_EINVAL);
    assert_int_equal(portolan_probe_timer_stop(handle), PORTOLAN_OK);
    assert_int_equal(portolan_probe_timer_stop(handle), PORTOLAN_EINVAL);
    take_snapshot();
    for (size_t i = 0; i < snap.count; i++)
        if (snap.records[i].handle == handle)
            timer = &snap.records[i];
    assert_non_null(timer);
    assert_true(timer->inclusive_ns == 18 && timer->exclusive_ns == 8);
    r = find_record(timer, inner_work, 3);
    assert_non_null(r);
    assert_int_equal(r->calls, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(calls_after_a_longjmp_are_back_at_the_root, fresh),
        cmocka_unit_test_setup(a_call_that_caught_a_longjmp_ends_right, fresh),
        cmocka_unit_test_setup(leave_works_as_a_cleanup, fresh),
        cmocka_unit_test_setup(a_failed_call_is_in_no_time_but_its_callers_inclusive, fresh),
        cmocka_unit_test_setup(a_call_that_fails_after_a_reset_owes_nothing, fresh),
        cmocka_unit_test_setup(failed_calls_keep_their_contexts_apart, fresh),
        cmocka_unit_test_setup(failed_calls_are_counted_whether_they_are_timed_or_not, fresh),
        cmocka_unit_test_setup(running_calls_show_what_they_took_so_far, fresh),
        cmocka_unit_test_setup(reset_lets_running_calls_begin_anew, fresh),
        cmocka_unit_test_setup(paused_time_is_in_no_running_call, fresh),
        cmocka_unit_test_setup(mpi_time_belongs_to_the_call_it_is_made_from, fresh),
        cmocka_unit_test_setup(timers_nest_with_port_calls, fresh),
        cmocka_unit_test_setup(a_timer_keeps_sums_of_a_context_known_at_its_end, fresh),
    };
    int failed = cmocka_run_group_tests_name("unwind", tests, NULL, NULL);

    portolan_probe_snapshot_clear(&snap);
    return failed;
}
