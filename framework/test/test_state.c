/* SPDX-License-Identifier: BSD-3-Clause */
/* portolan.ports.Builder: the state of an instance goes over to the one that replaces it. */
#include "fixture.h"

#define COUNTERS(CLASS)                                                                            \
    "<instance name='worker' class='" CLASS "'><alternative class='test.Counter'/>"                \
    "<alternative class='test.Tally'/></instance>\n"

/* The same map as in test.Counter, iterated N times without any component. */
static double iterated(int n)
{
    double x = 0.3;

    while (n-- > 0)
        x = 3.9 * x * (1 - x);
    return x;
}

static void expect_iterations(struct fixture *f, int n)
{
    double expected = iterated(n);

    assert_memory_equal(&f->log.consumed, &expected, sizeof expected);
}

static void state_goes_over_there_and_back(void **state)
{
    struct fixture f;

    fixture_run(&f, ASSEMBLY(DRIVER COUNTERS("test.Counter") WIRE GO));
    for (int n = 0; n < 40; n++) {
        fixture_go(&f);
        assert_int_equal(fixture_replace(&f, "worker", n % 2 ? "test.Counter" : "test.Tally"),
                         PORTOLAN_OK);
        f.log.text[0] = '\0';
    }
    fixture_go(&f);
    expect_iterations(&f, 41);
    fixture_close(&f);
    assert_string_equal(f.warnings.text, "");
}

/* Each step of a swap, with what is told. */
static const struct {
    const char *fault, *class_name, *text;
} steps[] = {
    {NULL, "test.Missing", "there is no shared object"},
    {"create", "test.Tally", "setServices failed: no room for a counter"},
    {"connect", "test.Tally", "uses port 'helper' has type gov.cca.ports.GoPort"},
    {"export", "test.Tally",
     "the state of instance 'worker' does not go over from test.Counter to test.Tally: "
     "exportState (version 2) failed: the state cannot be written"},
    {"import", "test.Tally", "importState (version 2) failed: the state cannot be read"},
    {"publish", "test.Tally", "no memory for a binding"},
};

static void obstacle(struct fixture *f, const char *class_name, char *text, size_t size)
{
    sidl_BaseInterface ex = NULL;
    char *why = portolan_ports_Builder_getObstacle(portolan_framework_peek_extension(f->fw),
                                                   "worker", class_name, &ex);

    assert_null(ex);
    snprintf(text, size, "%s", why);
    sidl_String_free(why);
}

static void a_fault_at_any_step_leaves_the_old_one_and_every_bit_of_its_state(void **state)
{
    enum { EXPORT = 3, IMPORT = 4 }; /* of the steps */
    bool gives_no_state = false;
    char why[1000];
    struct fixture f;
    int n = 0;

    fixture_run(&f, ASSEMBLY(DRIVER COUNTERS("test.Counter") AIDE WIRE HELPER GO));
    for (size_t i = 0; i < 3 * sizeof steps / sizeof *steps; i++) {
        size_t k = i % (sizeof steps / sizeof *steps);

        fixture_go(&f);
        expect_iterations(&f, ++n);
        f.log.fault = steps[k].fault;
        assert_int_not_equal(fixture_replace(&f, "worker", steps[k].class_name), PORTOLAN_OK);
        if (!strstr(f.err.text, steps[k].text))
            fail_msg("%s", f.err.text);
        assert_string_equal(fixture_class_of(&f, "worker"), "test.Counter");
        obstacle(&f, "test.Tally", why, sizeof why); /* who gives no state is to blame itself */
        gives_no_state = k == EXPORT || (gives_no_state && k != IMPORT);
        assert_string_equal(why, gives_no_state ? "test.Counter stays in instance 'worker': its "
                                                  "exportState failed"
                                                : "");
        f.log.text[0] = '\0';
    }
    assert_string_equal(f.warnings.text, "");
    f.log.fault = "retire"; /* what fails now is told, and the swap stands */
    assert_int_equal(fixture_replace(&f, "worker", "test.Tally"), PORTOLAN_OK);
    assert_non_null(strstr(f.warnings.text, "releaseServices failed: the counter is not released"));
    fixture_go(&f);
    expect_iterations(&f, n + 1);
    fixture_close(&f);
}

/* From a class that was called to one that cannot take over what it keeps. */
static const struct {
    const char *from, *to, *text;
} refusals[] = {
    {"test.Deaf", "test.Other",
     "test.Deaf keeps state between calls, and provides no "
     "portolan.ports.Stateful; the state would be lost"},
    {"test.Counter", "test.Other",
     "of format counting.State, and test.Other provides no port of that type"},
    {"test.Counter", "test.Private", "of format counting.State, and test.Private provides no"},
    {"test.Private", "test.Counter", "whose format has no interface, and only that class reads it"},
    {"test.Other", "test.Deaf",
     "test.Deaf keeps state between calls, and it cannot get that of "
     "the calls that test.Other has had"},
};

static void what_is_kept_is_not_lost_once_there_were_calls(void **state)
{
    char xml[1000], text[1000];
    struct fixture f;

    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        snprintf(xml, sizeof xml,
                 ASSEMBLY(DRIVER "<instance name='worker' class='%s'><alternative "
                                 "class='test.Worker'/></instance>" WIRE GO),
                 refusals[i].from);
        fixture_run(&f, xml);
        obstacle(&f, refusals[i].to, text, sizeof text);
        assert_string_equal(text, "");
        assert_int_equal(fixture_replace(&f, "worker", refusals[i].to), PORTOLAN_OK);
        assert_int_equal(fixture_replace(&f, "worker", refusals[i].from), PORTOLAN_OK);
        fixture_go(&f);
        obstacle(&f, refusals[i].to, text, sizeof text);
        if (!strstr(text, refusals[i].text))
            fail_msg("%s", text);
        fixture_expect_error(&f, fixture_replace(&f, "worker", refusals[i].to),
                             PORTOLAN_EUNSUPPORTED, refusals[i].text);
        assert_string_equal(fixture_class_of(&f, "worker"), refusals[i].from);
        fixture_go(&f);
        fixture_close(&f);
        assert_string_equal(f.warnings.text, "");
    }
}

static void the_assembly_may_allow_to_lose_it(void **state)
{
    struct fixture f;

    fixture_run(&f, ASSEMBLY(DRIVER "<instance name='worker' class='test.Deaf' stateful='no'>"
                                    "<alternative class='test.Other'/></instance>" WIRE GO));
    fixture_go(&f);
    assert_int_equal(fixture_replace(&f, "worker", "test.Other"), PORTOLAN_OK);
    fixture_close(&f);
}

/* Properties that say only this leave those of the assembly in force. */
static void a_program_may_allow_to_lose_it(void **state)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_TypeMap properties = portolan_typemap_create(&ex);
    struct fixture f;

    fixture_run(&f, ASSEMBLY(DRIVER "<instance name='worker' class='test.Deaf'>"
                                    "<alternative class='test.Other'/></instance>" WIRE GO));
    fixture_go(&f);
    for (int lose = 0; lose < 2; lose++) {
        gov_cca_TypeMap_putBool(properties, "portolan.loseState", lose, &ex);
        portolan_ports_Builder_replace(portolan_framework_peek_extension(f.fw), "worker",
                                       "test.Other", properties, &ex);
        assert_int_equal(portolan_catch(&ex, &f.err), lose ? PORTOLAN_OK : PORTOLAN_EUNSUPPORTED);
    }
    assert_string_equal(fixture_class_of(&f, "worker"), "test.Other");
    gov_cca_TypeMap_deleteRef(properties, NULL);
    fixture_close(&f);
}

static void a_user_that_cannot_wait_keeps_state_where_it_is(void **state)
{
    struct fixture f;

    fixture_run(&f, ASSEMBLY("<instance name='worker' class='test.Counter'/>"
                             "<instance name='user' class='test.Fickle'/>"
                             "<connect user='user' uses='helper' provider='worker' "
                             "provides='work'/>" DRIVER WIRE GO));
    fixture_expect_error(&f, fixture_replace(&f, "worker", "test.Tally"), PORTOLAN_EUNSUPPORTED,
                         "instance 'user' cannot hold up its calls of port 'helper'");
    fixture_close(&f);
}

UNIT_TESTS(cmocka_unit_test(state_goes_over_there_and_back),
           cmocka_unit_test(a_fault_at_any_step_leaves_the_old_one_and_every_bit_of_its_state),
           cmocka_unit_test(what_is_kept_is_not_lost_once_there_were_calls),
           cmocka_unit_test(the_assembly_may_allow_to_lose_it),
           cmocka_unit_test(a_program_may_allow_to_lose_it),
           cmocka_unit_test(a_user_that_cannot_wait_keeps_state_where_it_is))
