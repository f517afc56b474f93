/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that do not return: C++ exceptions, the end of a thread, longjmp. */
#include "records.h"

#include <pthread.h>
#include <stdlib.h>

#include "test_Bmi_proxy.h"
#include "throws.h"

static jmp_buf where;

static int jump(Bmi *self)
{
    (void)self;
    portolan_probe_clock_advance(9);
    longjmp(where, 1);
}

static int leave_thread(Bmi *self)
{
    (void)self;
    portolan_probe_clock_advance(6);
    pthread_exit(NULL);
}

static int finish(Bmi *self)
{
    (void)self;
    portolan_probe_clock_advance(1);
    return BMI_SUCCESS;
}

static struct plain_ops adding = {.add = throws_add};

/* An object that calls another one's face, as a driver calls a model. */
static int relay(Bmi *self)
{
    return catches_update(self->data);
}

static int set_up(void **state)
{
    records_begin();
    return 0;
}

static void an_exception_ends_the_call_of_a_struct(void **state)
{
    Bmi thrower = {.update = throws_update, .finalize = finish};
    Bmi *face = test_BmiProxy_wrap(&thrower, "thrower");

    assert_int_equal(catches_update(face), 17);
    assert_int_equal(records_of("update", NULL).failed_calls, 1);
    assert_int_equal(records_of("update", NULL).calls, 0);
    assert_int_equal(records_of("update", NULL).inclusive_ns, 0);
    face->finalize(face);
    assert_int_equal(records_node("finalize", 0).parent, records_node("update", 0).parent);
}

static void an_exception_ends_the_call_of_a_table(void **state)
{
    struct plain thrower = {.methods = &adding};
    struct plain *face = test_PlainProxy_wrap(&thrower, "thrower");

    assert_int_equal(catches_add(face, 2, 3), 5);
    assert_int_equal(catches_add(face, 4, 3), 7);
    assert_int_equal(records_of("add", NULL).failed_calls, 2);
    assert_int_equal(records_of("add", NULL).inclusive_ns, 0);
    assert_ptr_equal(test_PlainProxy_unwrap(face), &thrower);
}

static void a_call_that_catches_has_not_failed_and_its_own_time(void **state)
{
    Bmi thrower = {.update = throws_update}, driver = {.update_until = NULL, .update = relay};
    Bmi *inner = test_BmiProxy_wrap(&thrower, "inner");
    Bmi *outer;

    driver.data = inner;
    outer = test_BmiProxy_wrap(&driver, "outer");
    assert_int_equal(outer->update(outer), 17);
    assert_int_equal(records_of("update", NULL).calls, 1);
    assert_int_equal(records_of("update", NULL).failed_calls, 1);
    assert_int_equal(records_of("update", NULL).inclusive_ns, 4);
    assert_int_equal(records_of("update", NULL).exclusive_ns, 0);
    test_BmiProxy_unwrap(outer);
    test_BmiProxy_unwrap(inner);
}

static void *run(void *face)
{
    ((Bmi *)face)->update(face);
    return face;
}

static void the_end_of_a_thread_ends_the_call(void **state)
{
    Bmi model = {.update = leave_thread};
    Bmi *face = test_BmiProxy_wrap(&model, "thread");
    pthread_t thread;
    void *result;

    assert_int_equal(pthread_create(&thread, NULL, run, face), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_null(result);
    assert_int_equal(records_of("update", NULL).failed_calls, 1);
    assert_int_equal(records_of("update", NULL).inclusive_ns, 0);
    test_BmiProxy_unwrap(face);
}

static void after_a_longjmp_the_next_call_puts_things_right(void **state)
{
    Bmi model = {.update = jump, .finalize = finish};
    Bmi *face = test_BmiProxy_wrap(&model, "jumper");

    if (setjmp(where) == 0)
        face->update(face);
    assert_int_equal(records_of("update", NULL).calls, 0); /* it never ended */
    face->finalize(face);
    assert_int_equal(records_of("finalize", NULL).calls, 1);
    assert_int_equal(records_of("finalize", NULL).inclusive_ns, 1);
    assert_int_equal(records_node("finalize", 0).parent, 0); /* the root, not the abandoned call */
}

UNIT_TESTS(cmocka_unit_test_setup(an_exception_ends_the_call_of_a_struct, set_up),
           cmocka_unit_test_setup(an_exception_ends_the_call_of_a_table, set_up),
           cmocka_unit_test_setup(a_call_that_catches_has_not_failed_and_its_own_time, set_up),
           cmocka_unit_test_setup(the_end_of_a_thread_ends_the_call, set_up),
           cmocka_unit_test_setup(after_a_longjmp_the_next_call_puts_things_right, set_up))
