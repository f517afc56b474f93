/* SPDX-License-Identifier: BSD-3-Clause */
/* portolan.ports.Builder: replacing instances, interposing proxies, asking by type. */
#include "fixture.h"

#define CHOICE                                                                                     \
    "<instance name='worker' class='test.Worker'><alternative class='test.Other'/>"                \
    "<alternative class='test.Helped'/></instance>\n"
#define MIND "<instance name='mind' class='test.Monitor'/>\n"

static void behind_a_proxy_an_instance_is_replaced_while_its_user_holds_the_port(void **state)
{
    struct fixture f;

    fixture_run(
        &f,
        ASSEMBLY("<instance name='driver' class='test.Driver'>"
                 "<parameter name='hold' type='bool' value='true'/></instance>" CHOICE WIRE GO));
    fixture_go(&f);
    f.log.text[0] = '\0';
    assert_int_equal(fixture_replace(&f, "worker", "test.Other"), PORTOLAN_OK);
    fixture_expect_log(&f, "worker:start rebind:use(worker.work/test.Other,driver.work) "
                           "worker:release ");
    assert_string_equal(fixture_class_of(&f, "worker"), "test.Other");
    fixture_go(&f);
    fixture_expect_log(&f, "driver:go proxy:consume Other:consume ");
    fixture_close(&f);
    assert_string_equal(f.warnings.text, "");
}

static void without_a_proxy_the_user_must_not_hold_the_port(void **state)
{
    struct fixture f;

    fixture_run(
        &f,
        ASSEMBLY("<instance name='driver' class='test.Driver'>"
                 "<parameter name='hold' type='bool' value='true'/></instance>" WORKER WIRE GO));
    assert_int_equal(fixture_replace(&f, "worker", "test.Other"), PORTOLAN_OK);
    fixture_go(&f);
    f.log.text[0] = '\0';
    fixture_expect_error(&f, fixture_replace(&f, "worker", "test.Worker"), PORTOLAN_EPORTINUSE,
                         "instance 'worker' cannot be replaced: instance 'driver' holds its uses "
                         "port 'work'");
    fixture_expect_log(&f, "worker:start worker:release "); /* the new one came and went */
    fixture_go(&f);
    fixture_expect_log(&f, "driver:go Other:consume ");
    fixture_close(&f);
    assert_string_equal(f.warnings.text, "");
}

static const struct {
    const char *class_name;
    enum portolan_status status;
    const char *text;
} failures[] = {
    {"test.Fails", PORTOLAN_ECOMPONENT,
     "instance 'worker' (class test.Fails): setServices failed: licence server is down"},
    {"test.Wroker", PORTOLAN_ENOTFOUND, "did you mean 'test.Worker'?"},
    {"test.Missing", PORTOLAN_ENOTFOUND, "there is no shared object"},
    {"test.Lacking", PORTOLAN_EPORTNOTDEFINED,
     "instance 'worker' (class test.Lacking) has no provides port 'work'"},
    {"test.Unwelcome", PORTOLAN_EUNSUPPORTED,
     "instance 'aide.work.proxy': uses port 'use' cannot be moved to 'worker': test.Unwelcome is "
     "not welcome"},
};

/* The driver is no Rebindable and is moved first; then the proxy refuses. */
static void what_fails_leaves_the_old_instance_running(void **state)
{
    struct fixture f;
    size_t n = sizeof failures / sizeof *failures;

    for (size_t i = 0; i < n; i++) {
        sidl_BaseInterface ex = NULL;
        gov_cca_ports_BuilderService builder;
        gov_cca_ComponentID id;

        fixture_run(&f, ASSEMBLY(DRIVER CHOICE "<instance name='aide' class='test.Driver'/>" WIRE
                                               "<connect user='aide' uses='work' provider='worker' "
                                               "provides='work'/>" GO));
        /* One user without a proxy, one with. */
        builder = portolan_framework_peek_builder(f.fw);
        id = gov_cca_ports_BuilderService_getComponentID(builder, "driver.work.proxy", &ex);
        assert_null(ex);
        gov_cca_ports_BuilderService_destroyInstance(builder, id, 0, &ex);
        assert_null(ex);
        gov_cca_ComponentID_deleteRef(id, NULL);
        {
            gov_cca_ComponentID user =
                gov_cca_ports_BuilderService_getComponentID(builder, "driver", &ex);
            gov_cca_ComponentID provider =
                gov_cca_ports_BuilderService_getComponentID(builder, "worker", &ex);
            gov_cca_ConnectionID c =
                gov_cca_ports_BuilderService_connect(builder, user, "work", provider, "work", &ex);

            assert_null(ex);
            gov_cca_ConnectionID_deleteRef(c, NULL);
            gov_cca_ComponentID_deleteRef(user, NULL);
            gov_cca_ComponentID_deleteRef(provider, NULL);
        }
        fixture_expect_error(&f, fixture_replace(&f, "worker", failures[i].class_name),
                             failures[i].status, failures[i].text);
        assert_string_equal(fixture_class_of(&f, "worker"), "test.Worker");
        f.log.text[0] = '\0';
        fixture_go(&f);
        fixture_expect_log(&f, "driver:go Worker:consume ");
        /* And it can still be replaced by one that works. */
        assert_int_equal(fixture_replace(&f, "worker", "test.Other"), PORTOLAN_OK);
        f.log.text[0] = '\0';
        fixture_go(&f);
        fixture_expect_log(&f, "driver:go Other:consume ");
        fixture_close(&f);
        assert_string_equal(f.warnings.text, "");
    }
}

static void a_dormant_connection_awakes_with_the_port_and_sleeps_without(void **state)
{
    struct fixture f;

    fixture_run(&f, ASSEMBLY(DRIVER CHOICE AIDE MIND WIRE HELPER
                             "<monitor user='worker' uses='helper'/>" GO));
    for (int round = 0; round < 3; round++) {
        assert_int_equal(fixture_replace(&f, "worker", "test.Helped"), PORTOLAN_OK);
        f.log.text[0] = '\0';
        fixture_go(&f);
        fixture_expect_log(&f, "driver:go proxy:consume Helped:consume proxy:consume "
                               "Worker:consume ");
        assert_int_equal(fixture_replace(&f, "worker", "test.Other"), PORTOLAN_OK);
        f.log.text[0] = '\0';
        fixture_go(&f);
        fixture_expect_log(&f, "driver:go proxy:consume Other:consume ");
    }
    fixture_close(&f);
    assert_string_equal(f.warnings.text, "");
}

static void a_failed_awakening_is_undone(void **state)
{
    struct fixture f;

    /* The dormant connection is to be monitored, and nobody provides a Monitor. */
    fixture_run(
        &f, ASSEMBLY(DRIVER CHOICE AIDE WIRE HELPER "<monitor user='worker' uses='helper'/>" GO));
    for (int round = 0; round < 2; round++) {
        fixture_expect_error(&f, fixture_replace(&f, "worker", "test.Helped"), PORTOLAN_ENOTFOUND,
                             "no instance provides a port of type portolan.ports.Monitor");
        f.log.text[0] = '\0';
        fixture_go(&f);
        fixture_expect_log(&f, "driver:go proxy:consume Worker:consume ");
    }
    fixture_close(&f);
    assert_string_equal(f.warnings.text, "");
}

static void a_replaced_user_keeps_its_connections(void **state)
{
    struct fixture f;

    fixture_run(
        &f, ASSEMBLY("<instance name='worker' class='test.Helped'>"
                     "<alternative class='test.Worker'/></instance>" DRIVER AIDE WIRE HELPER GO));
    assert_int_equal(fixture_replace(&f, "worker", "test.Helped"), PORTOLAN_OK);
    f.log.text[0] = '\0';
    fixture_go(&f);
    fixture_expect_log(&f, "driver:go proxy:consume Helped:consume Worker:consume ");
    fixture_close(&f);
}

static void an_alternative_gets_the_parameters_that_the_assembly_gives_it(void **state)
{
    struct fixture f;

    fixture_run(&f, ASSEMBLY("<instance name='driver' class='test.Driver'>"
                             "<parameter name='seconds' type='double' value='0.5'/>"
                             "</instance>" WORKER WIRE GO));
    assert_int_equal(fixture_replace(&f, "driver", "test.Driver"), PORTOLAN_OK);
    fixture_go(&f);
    assert_true(f.log.consumed == 0.5);
    fixture_close(&f);
}

static void the_running_driver_cannot_be_replaced_without_its_proxy(void **state)
{
    struct fixture f;

    fixture_run(&f, ASSEMBLY(DRIVER WORKER WIRE GO));
    assert_int_equal(fixture_replace(&f, "driver", "test.Driver"), PORTOLAN_OK);
    fixture_go(&f);
    fixture_expect_error(&f, fixture_replace(&f, "driver", "test.Worker"), PORTOLAN_EPORTNOTDEFINED,
                         "has no provides port 'go'");
    fixture_expect_error(&f, fixture_replace(&f, "nobody", "test.Worker"), PORTOLAN_ENOTFOUND,
                         "there is no instance 'nobody'");
    fixture_go(&f);
    fixture_close(&f);
}

static gov_cca_ConnectionID only_connection(struct fixture *f)
{
    sidl_BaseInterface ex = NULL;
    struct gov_cca_ConnectionID__array *all = gov_cca_ports_BuilderService_getConnectionIDs(
        portolan_framework_peek_builder(f->fw), NULL, &ex);
    gov_cca_ConnectionID c;

    assert_null(ex);
    assert_int_equal(gov_cca_ConnectionID__array_length(all, 0), 1);
    c = gov_cca_ConnectionID__array_get1(all, 0);
    gov_cca_ConnectionID__array_deleteRef(all);
    return c;
}

static void a_proxy_can_be_interposed_on_a_connection(void **state)
{
    struct fixture f;
    sidl_BaseInterface ex = NULL;
    portolan_ports_Builder extension;
    gov_cca_ConnectionID c;
    gov_cca_ComponentID proxy, provider;
    char *name;

    fixture_run(&f, ASSEMBLY(DRIVER WORKER WIRE GO));
    extension = portolan_framework_peek_extension(f.fw);
    c = only_connection(&f);
    proxy = portolan_ports_Builder_interpose(extension, c, "test.WorkProxy", &ex);
    assert_null(ex);
    name = gov_cca_ComponentID_getInstanceName(proxy, &ex);
    assert_string_equal(name, "driver.work.proxy");
    sidl_String_free(name);
    provider = gov_cca_ConnectionID_getProvider(c, &ex);
    assert_true(gov_cca_ComponentID_isSame(provider, (sidl_BaseInterface)proxy, &ex));
    gov_cca_ComponentID_deleteRef(provider, NULL);
    gov_cca_ComponentID_deleteRef(proxy, NULL);
    /* A class that is no proxy for the type is refused and leaves nothing behind. */
    proxy = portolan_ports_Builder_interpose(extension, c, "test.GoProxy", &ex);
    assert_null(proxy);
    assert_int_equal(portolan_catch(&ex, &f.err), PORTOLAN_EBADPORTTYPE);
    gov_cca_ConnectionID_deleteRef(c, NULL);
    f.log.text[0] = '\0';
    fixture_go(&f);
    fixture_expect_log(&f, "driver:go proxy:consume Worker:consume ");
    fixture_close(&f);
}

static void no_proxy_comes_under_a_held_port(void **state)
{
    struct fixture f;
    sidl_BaseInterface ex = NULL;
    gov_cca_ConnectionID c;

    fixture_run(
        &f,
        ASSEMBLY("<instance name='driver' class='test.Driver'>"
                 "<parameter name='hold' type='bool' value='true'/></instance>" WORKER WIRE GO));
    fixture_go(&f);
    c = only_connection(&f);
    assert_null(portolan_ports_Builder_interpose(portolan_framework_peek_extension(f.fw), c,
                                                 "test.WorkProxy", &ex));
    assert_int_equal(portolan_catch(&ex, &f.err), PORTOLAN_EPORTINUSE);
    gov_cca_ConnectionID_deleteRef(c, NULL);
    fixture_close(&f);
}

static void expect_names(struct sidl_string__array *names, const char *expected)
{
    char text[500] = "";

    for (int32_t i = 0; i < sidl_string__array_length(names, 0); i++) {
        char *name = sidl_string__array_get1(names, i);

        snprintf(text + strlen(text), sizeof text - strlen(text), "%s ", name);
        sidl_String_free(name);
    }
    sidl_string__array_deleteRef(names);
    assert_string_equal(text, expected);
}

static void classes_are_found_by_port_type(void **state)
{
    struct fixture f;
    sidl_BaseInterface ex = NULL;
    portolan_ports_Builder extension;

    fixture_open(&f);
    extension = portolan_framework_peek_extension(f.fw);
    expect_names(portolan_ports_Builder_getProviders(extension, "gov.cca.ports.GoPort", &ex),
                 "test.Driver ");
    expect_names(portolan_ports_Builder_getProxies(extension, "gov.cca.ports.GoPort", &ex),
                 "test.GoProxy ");
    expect_names(portolan_ports_Builder_getProxies(extension, "no.Type", &ex), "");
    assert_null(ex);
    fixture_close(&f);
}

/* -- calls that do not end -- */

static void a_call_that_stays_inside_ends_the_swap_and_is_named(void **state)
{
    static const char *const classes[] = {"test.Other", "test.Deaf"};
    struct fixture f;

    for (size_t i = 0; i < 2; i++) { /* without state, and with */
        fixture_run(&f, ASSEMBLY(DRIVER CHOICE WIRE GO));
        portolan_framework_set_swap_wait(f.fw, 0.25);
        f.log.inside = i ? 1 : 2; /* without it, the first wait is for a moment */
        fixture_expect_error(&f, fixture_replace(&f, "worker", classes[i]), PORTOLAN_ETIMEOUT,
                             "instance 'worker' cannot be replaced: thread 1 is "
                             "still inside consume");
        assert_string_equal(fixture_class_of(&f, "worker"), "test.Worker");
        f.log.text[0] = '\0';
        fixture_go(&f);
        fixture_expect_log(&f, "driver:go proxy:consume Worker:consume ");
        fixture_close(&f);
    }
}

static int released(const struct fixture *f)
{
    int n = 0;

    for (const char *at = f->log.text; (at = strstr(at, "worker:release")); at++)
        n++;
    return n;
}

/* It was let into the new component, and then another user's call did not leave the old one. */
static void what_a_call_may_still_be_in_is_released_when_it_is_quiet(void **state)
{
    struct fixture f;

    fixture_run(&f, ASSEMBLY(DRIVER CHOICE WIRE GO));
    f.log.inside = 3; /* twice after the swap, and after it was undone */
    assert_int_equal(fixture_replace(&f, "worker", "test.Other"), PORTOLAN_ETIMEOUT);
    assert_int_equal(released(&f), 0);
    f.log.inside = 1; /* still, when the next one begins */
    assert_int_equal(fixture_replace(&f, "worker", "test.Other"), PORTOLAN_OK);
    assert_int_equal(released(&f), 1); /* the old one */
    assert_int_equal(fixture_replace(&f, "worker", "test.Worker"), PORTOLAN_OK);
    assert_int_equal(released(&f), 3);
    f.log.inside = 3;
    assert_int_equal(fixture_replace(&f, "worker", "test.Other"), PORTOLAN_ETIMEOUT);
    assert_int_equal(released(&f), 3);
    portolan_framework_destroy(f.fw); /* at the latest now, with what runs */
    assert_int_equal(released(&f), 5);
    f.fw = NULL;
    fixture_close(&f);
    assert_string_equal(f.warnings.text, "");
}

/* -- ports that are withdrawn meanwhile -- */

#define FICKLE                                                                                     \
    "<instance name='worker' class='test.Fickle' stateful='no'>"                                   \
    "<alternative class='test.Worker'/></instance>\n"

static void a_port_that_is_withdrawn_before_users_are_moved_ends_the_swap(void **state)
{
    struct fixture f;

    fixture_run(&f, ASSEMBLY(DRIVER FICKLE AIDE WIRE HELPER GO));
    f.log.fault = "withdraw early";
    fixture_expect_error(&f, fixture_replace(&f, "worker", "test.Fickle"), PORTOLAN_EPORTNOTDEFINED,
                         "has no provides port 'work'");
    f.log.text[0] = '\0';
    fixture_go(&f);
    fixture_expect_log(&f, "driver:go proxy:consume Fickle:consume ");
    fixture_close(&f);
    assert_string_equal(f.warnings.text, "");
}

static void a_port_that_is_withdrawn_later_is_disconnected(void **state)
{
    struct fixture f;
    int result;

    fixture_run(&f, ASSEMBLY(DRIVER FICKLE AIDE WIRE HELPER GO));
    f.log.fault = "withdraw late";
    assert_int_equal(fixture_replace(&f, "worker", "test.Fickle"), PORTOLAN_OK);
    assert_non_null(strstr(f.warnings.text,
                           "instance 'worker': test.Fickle has withdrawn port 'work' "
                           "while it took its place"));
    assert_int_equal(portolan_framework_go(f.fw, &result, &f.err), PORTOLAN_EPORTNOTCONNECTED);
    fixture_close(&f);
}

/* -- handles -- */

static void handles_stay_valid_or_fail_loudly(void **state)
{
    gov_cca_ComponentID before, after;
    gov_cca_ConnectionID c;
    sidl_BaseInterface ex = NULL;
    struct fixture f;
    char *name;

    fixture_run(&f, ASSEMBLY(DRIVER "<instance name='worker' class='test.Counter'/>" WIRE GO));
    c = only_connection(&f);
    before = gov_cca_ConnectionID_getProvider(c, &ex);
    f.log.fault = "keep services";
    fixture_go(&f);
    assert_non_null(f.log.services);
    assert_int_equal(fixture_replace(&f, "worker", "test.Tally"), PORTOLAN_OK);
    after = gov_cca_ConnectionID_getProvider(c, &ex);
    assert_null(ex);
    assert_true(gov_cca_ComponentID_isSame(before, (sidl_BaseInterface)after, &ex));
    name = gov_cca_ComponentID_getInstanceName(before, &ex);
    assert_string_equal(name, "worker");
    sidl_String_free(name);
    gov_cca_Services_registerUsesPort(f.log.services, "more", "portolan.ports.Work", NULL, &ex);
    assert_int_equal(portolan_catch(&ex, &f.err), PORTOLAN_EINVAL);
    assert_non_null(strstr(f.err.text, "belong to an instance that was destroyed"));
    gov_cca_Services_deleteRef(f.log.services, NULL);
    gov_cca_ComponentID_deleteRef(before, NULL);
    gov_cca_ComponentID_deleteRef(after, NULL);
    gov_cca_ConnectionID_deleteRef(c, NULL);
    fixture_close(&f);
}

UNIT_TESTS(cmocka_unit_test(behind_a_proxy_an_instance_is_replaced_while_its_user_holds_the_port),
           cmocka_unit_test(without_a_proxy_the_user_must_not_hold_the_port),
           cmocka_unit_test(what_fails_leaves_the_old_instance_running),
           cmocka_unit_test(a_dormant_connection_awakes_with_the_port_and_sleeps_without),
           cmocka_unit_test(a_failed_awakening_is_undone),
           cmocka_unit_test(a_replaced_user_keeps_its_connections),
           cmocka_unit_test(an_alternative_gets_the_parameters_that_the_assembly_gives_it),
           cmocka_unit_test(the_running_driver_cannot_be_replaced_without_its_proxy),
           cmocka_unit_test(a_proxy_can_be_interposed_on_a_connection),
           cmocka_unit_test(no_proxy_comes_under_a_held_port),
           cmocka_unit_test(classes_are_found_by_port_type),
           cmocka_unit_test(a_call_that_stays_inside_ends_the_swap_and_is_named),
           cmocka_unit_test(what_a_call_may_still_be_in_is_released_when_it_is_quiet),
           cmocka_unit_test(a_port_that_is_withdrawn_before_users_are_moved_ends_the_swap),
           cmocka_unit_test(a_port_that_is_withdrawn_later_is_disconnected),
           cmocka_unit_test(handles_stay_valid_or_fail_loudly))
