/* SPDX-License-Identifier: BSD-3-Clause */
/* What a generated SIDL proxy measures, on a clock that stands still; and how it is moved. */
#include "kinds.h"

#include <string.h>

extern const struct portolan_component portolan_component_test_KindsProxy;

struct fixture {
    bool gone[2];
    struct kinds *behind[2]; /* classes "test.One" and "test.Two" */
    struct test_monitor *monitor;
    gov_cca_Component component;
    test_Kinds port;
};

static int set_up(void **state)
{
    static struct fixture f;
    sidl_BaseInterface _ex = NULL;

    records_begin();
    f = (struct fixture){.monitor = test_monitor_create()};
    for (int i = 0; i < 2; i++)
        f.behind[i] = kinds_create(100 * (i + 1), &f.gone[i]);
    f.component = portolan_component_test_KindsProxy.create(&_ex);
    bind_use(f.component, kinds_port(f.behind[0]), "kinds", "test.One", &_ex);
    bind_monitor(f.component, f.monitor, &_ex);
    f.port = test_Kinds__cast(f.component, &_ex);
    assert_no_exception(&_ex);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    sidl_BaseInterface _ex = NULL;

    test_Kinds_deleteRef(f->port, &_ex);
    gov_cca_Component_deleteRef(f->component, &_ex);
    for (int i = 0; i < 2; i++)
        kinds_release(f->behind[i]);
    sidl_object_release(f->monitor);
    return f->gone[0] && f->gone[1] ? 0 : -1;
}

static int32_t number_of(struct fixture *f, sidl_BaseInterface *_ex)
{
    int32_t out;

    return test_Kinds_names(f->port, 0, 0, 0, 0, &out, 0, _ex);
}

/* ------------------------------------------------------------------ time and contexts */

static void nested_calls_have_exact_times(void **state)
{
    struct fixture *f = *state;
    sidl_BaseInterface _ex = NULL;
    struct portolan_probe_record r;

    assert_true(test_Kinds_callback(f->port, f->port, 3, &_ex) == 4);
    assert_no_exception(&_ex);
    r = records_of("callback", NULL);
    assert_int_equal(r.calls, 4);
    assert_true(r.exclusive_ns == 60);
    for (size_t i = 0; i < 4; i++) { /* parents come first */
        r = records_node("callback", i);
        assert_int_equal(r.calls, 1);
        assert_int_equal(r.context[0].value, 3 - i);
        assert_true(r.inclusive_ns == 60 - 15 * (double)i);
        assert_true(r.exclusive_ns == 15);
        assert_int_equal(r.subroutine_calls, i < 3);
    }
}

static void a_call_back_into_the_port_counts_once_each(void **state)
{
    struct fixture *f = *state;
    sidl_BaseInterface _ex = NULL;

    /* The implementation's calls go past the proxy when it is given its own object. */
    test_Kinds_callback(f->port, kinds_port(f->behind[0]), 2, &_ex);
    assert_int_equal(records_of("callback", NULL).calls, 1);
    assert_true(records_of("callback", NULL).exclusive_ns == 45);
    test_Kinds_callback(f->port, f->port, 1, &_ex);
    assert_int_equal(records_of("callback", NULL).calls, 3);
    assert_no_exception(&_ex);
}

static void contexts_tell_calls_apart(void **state)
{
    struct fixture *f = *state;
    sidl_BaseInterface _ex = NULL;
    double a[6] = {0}, b[6] = {0}, out, inout = 1;
    struct portolan_probe_record r;

    for (int i = 0; i < 5; i++)
        test_Kinds_rarrays(f->port, a, b, 2 + i % 2, 2, &_ex);
    r = records_node("rarrays", 0);
    assert_int_equal(r.calls, 3);
    assert_int_equal(r.n_context, 2);
    assert_true(r.context[0].exact && r.context[0].value == 2 && r.context[1].value == 2);
    r = records_node("rarrays", 1);
    assert_int_equal(r.calls, 2);
    assert_int_equal(r.context[0].value, 3);

    test_Kinds_doubles(f->port, 1e-9, &out, &inout, &_ex);
    r = records_node("doubles", 0);
    assert_false(r.context[0].exact);
    assert_true(r.context[0].lower <= 1e-9 && 1e-9 <= r.context[0].upper);
    assert_true(r.context[0].sum == 1e-9);
    assert_no_exception(&_ex);
}

static void a_call_that_throws_has_failed(void **state)
{
    struct fixture *f = *state;
    sidl_BaseInterface _ex = NULL;
    struct portolan_probe_record r;

    test_Kinds_fail(f->port, TRUE, &_ex);
    assert_true(SIDL_CATCH(_ex, "gov.cca.CCAException"));
    assert_exception(&_ex, PORTOLAN_EINFEASIBLE, "it had to fail");
    test_Kinds_fail(f->port, FALSE, &_ex);
    assert_no_exception(&_ex);
    r = records_of("fail", NULL);
    assert_int_equal(r.calls, 1);
    assert_int_equal(r.failed_calls, 1);
    assert_true(r.inclusive_ns == 7);
    portolan_probe_clock_advance(100); /* nobody's */
    assert_true(records_of("fail", NULL).inclusive_ns == 7);
}

static void a_status_other_than_0_has_failed(void **state)
{
    struct fixture *f = *state;
    sidl_BaseInterface _ex = NULL;

    assert_int_equal(test_Kinds_sumTwo(f->port, 1, -1, &_ex), 0);
    assert_int_equal(test_Kinds_sumTwo(f->port, 1, 1, &_ex), 2);
    assert_no_exception(&_ex);
    assert_int_equal(records_of("sumTwo", NULL).calls, 1);
    assert_int_equal(records_of("sumTwo", NULL).failed_calls, 1);
}

static void accuracy_is_noted_on_success_only(void **state)
{
    struct fixture *f = *state;
    sidl_BaseInterface _ex = NULL;
    double reached;

    test_Kinds_residual(f->port, 8, TRUE, &_ex);
    assert_exception(&_ex, PORTOLAN_EINFEASIBLE, "no convergence");
    assert_false(records_of("residual", NULL).has_quality);
    assert_true(test_Kinds_residual(f->port, 0.5, FALSE, &_ex) == 0.25);
    assert_true(records_of("residual", NULL).quality == 0.25);
    test_Kinds_refine(f->port, &reached, &_ex);
    assert_true(records_of("refine", NULL).quality == 0.125);
    assert_no_exception(&_ex);
}

static void the_monitor_switches_measuring(void **state)
{
    struct fixture *f = *state;
    sidl_BaseInterface _ex = NULL;

    assert_non_null(f->monitor->attached);
    number_of(f, &_ex);
    assert_int_equal(records_of("names", NULL).calls, 1);
    bind_monitor(f->component, NULL, &_ex);
    assert_null(f->monitor->attached);
    assert_int_equal(number_of(f, &_ex), 100);
    assert_int_equal(records_of("names", NULL).calls, 1);
    bind_monitor(f->component, f->monitor, &_ex);
    number_of(f, &_ex);
    assert_int_equal(records_of("names", NULL).calls, 2);
    assert_no_exception(&_ex);
}

static void a_monitor_that_refuses_leaves_the_former_one(void **state)
{
    struct fixture *f = *state;
    struct test_monitor *other = test_monitor_create();
    sidl_BaseInterface _ex = NULL;

    other->refuses = true;
    bind_monitor(f->component, other, &_ex);
    assert_exception(&_ex, PORTOLAN_EBUSY, "takes nobody");
    sidl_object_release(other);
    assert_non_null(f->monitor->attached);
    number_of(f, &_ex);
    assert_int_equal(records_of("names", NULL).calls, 1);
    assert_no_exception(&_ex);
}

/* ------------------------------------------------------------------ swapping */

static void a_swap_moves_calls_and_keeps_records_apart(void **state)
{
    struct fixture *f = *state;
    sidl_BaseInterface _ex = NULL;

    assert_int_equal(number_of(f, &_ex), 100);
    bind_use(f->component, kinds_port(f->behind[1]), "kinds", "test.Two", &_ex);
    assert_int_equal(number_of(f, &_ex), 200);
    assert_int_equal(number_of(f, &_ex), 200);
    bind_use(f->component, kinds_port(f->behind[0]), "kinds", "test.One", &_ex);
    assert_int_equal(number_of(f, &_ex), 100);
    assert_no_exception(&_ex);
    assert_int_equal(records_of("names", "test.One").calls, 2);
    assert_int_equal(records_of("names", "test.Two").calls, 2);
}

static void a_swap_lets_go_of_the_former_implementation(void **state)
{
    struct fixture *f = *state;
    sidl_BaseInterface _ex = NULL;

    kinds_release(f->behind[0]);
    assert_false(f->gone[0]); /* the proxy's reference holds it */
    bind_use(f->component, kinds_port(f->behind[1]), "kinds", "test.Two", &_ex);
    assert_true(f->gone[0]);
    assert_no_exception(&_ex);
    f->behind[0] = kinds_create(100, &f->gone[0]);
}

static void a_port_of_another_type_is_refused(void **state)
{
    struct fixture *f = *state;
    sidl_BaseInterface _ex = NULL;

    bind_use(f->component, test_monitor_port(f->monitor), "wrong", "test.Wrong", &_ex);
    assert_exception(&_ex, PORTOLAN_EBADPORTTYPE, "no test.Kinds");
    assert_int_equal(number_of(f, &_ex), 100);
    assert_no_exception(&_ex);
}

static void calls_of_an_unconnected_port_throw(void **state)
{
    struct fixture *f = *state;
    sidl_BaseInterface _ex = NULL;

    bind_use(f->component, NULL, "", "", &_ex);
    assert_no_exception(&_ex);
    assert_int_equal(number_of(f, &_ex), 0);
    assert_exception(&_ex, PORTOLAN_EPORTNOTCONNECTED, "'names'");
    bind_use(f->component, kinds_port(f->behind[1]), "kinds", "test.Two", &_ex);
    assert_int_equal(number_of(f, &_ex), 200);
    assert_no_exception(&_ex);
}

static void swap_from_inside(void *arg)
{
    struct fixture *f = arg;
    sidl_BaseInterface _ex = NULL;

    bind_use(f->component, kinds_port(f->behind[1]), "kinds", "test.Two", &_ex);
    assert_exception(&_ex, PORTOLAN_EBUSY, "driver.work");
}

static void a_swap_from_inside_a_call_of_the_port_is_refused(void **state)
{
    struct fixture *f = *state;
    sidl_BaseInterface _ex = NULL;

    f->behind[0]->meanwhile = swap_from_inside;
    f->behind[0]->arg = f;
    assert_int_equal(number_of(f, &_ex), 100);
    f->behind[0]->meanwhile = NULL;
    assert_int_equal(number_of(f, &_ex), 100);
    assert_no_exception(&_ex);
}

static void a_cast_asks_what_is_behind(void **state)
{
    struct fixture *f = *state;
    sidl_BaseInterface _ex = NULL;
    test_Plain plain = test_Plain__cast(f->port, &_ex);

    assert_int_equal(test_Plain_getNumber(plain, &_ex), 100);
    test_Plain_deleteRef(plain, &_ex);
    assert_null(test_Kinds__cast2(f->port, "test.Nothing", &_ex));
    bind_use(f->component, NULL, "", "", &_ex);
    assert_null(test_Plain__cast(f->port, &_ex));
    assert_no_exception(&_ex);
}

static void a_proxy_has_no_other_uses_ports(void **state)
{
    struct fixture *f = *state;
    sidl_BaseInterface _ex = NULL;
    portolan_Rebindable r = portolan_Rebindable__cast(f->component, &_ex);

    portolan_Rebindable_rebind(r, "usw", NULL, "", "", "", "", "", &_ex);
    assert_exception(&_ex, PORTOLAN_EBADPORTNAME, "'usw'");
    portolan_Rebindable_deleteRef(r, &_ex);
}

static void missing_memory_is_an_exception(void **state)
{
    struct fixture *f = *state;
    unsigned long n = 0;
    bool failed;

    do {
        sidl_BaseInterface _ex = NULL;

        portolan_alloc_fail_at(++n);
        bind_use(f->component, kinds_port(f->behind[1]), "kinds", "test.Two", &_ex);
        portolan_alloc_fail_at(0);
        failed = _ex != NULL;
        if (failed) {
            SIDL_CLEAR(_ex);
            assert_int_equal(number_of(f, &_ex), 100);
        }
    } while (failed);
    assert_true(n > 1);
}

/* A thread may have begun a call while it was in force. */
static void what_was_published_in_vain_is_kept_until_the_port_is_quiet(void **state)
{
    struct fixture *f = *state;
    unsigned long n = 0;
    bool failed, kept = false;

    do {
        sidl_BaseInterface _ex = NULL, ignored = NULL;
        bool gone = false;
        struct kinds *vain = kinds_create(300, &gone);

        portolan_alloc_fail_at(++n);
        bind_use(f->component, kinds_port(vain), "kinds", "test.Vain", &_ex);
        portolan_alloc_fail_at(0);
        failed = _ex != NULL;
        SIDL_CLEAR(_ex);
        kinds_release(vain);
        kept |= failed && !gone;
        bind_use(f->component, kinds_port(f->behind[0]), "kinds", "test.One", &ignored);
        assert_no_exception(&ignored);
        assert_true(gone);
    } while (failed);
    assert_true(kept);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
UNIT_TESTS(TEST(nested_calls_have_exact_times), TEST(a_call_back_into_the_port_counts_once_each),
           TEST(contexts_tell_calls_apart), TEST(a_call_that_throws_has_failed),
           TEST(a_status_other_than_0_has_failed), TEST(accuracy_is_noted_on_success_only),
           TEST(the_monitor_switches_measuring), TEST(a_monitor_that_refuses_leaves_the_former_one),
           TEST(a_swap_moves_calls_and_keeps_records_apart),
           TEST(a_swap_lets_go_of_the_former_implementation),
           TEST(a_port_of_another_type_is_refused), TEST(calls_of_an_unconnected_port_throw),
           TEST(a_swap_from_inside_a_call_of_the_port_is_refused), TEST(a_cast_asks_what_is_behind),
           TEST(a_proxy_has_no_other_uses_ports), TEST(missing_memory_is_an_exception),
           TEST(what_was_published_in_vain_is_kept_until_the_port_is_quiet))
