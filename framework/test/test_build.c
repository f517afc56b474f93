/* SPDX-License-Identifier: BSD-3-Clause */
/* Building, running and taking down assemblies. Run with loaded and with linked-in components. */
#include "fixture.h"

static void an_assembly_runs_and_is_released_in_reverse(void **state)
{
    struct fixture f;

    fixture_run(&f, ASSEMBLY(DRIVER WORKER WIRE GO));
    fixture_expect_log(&f, "driver:start worker:start ");
    fixture_go(&f);
    fixture_expect_log(&f, "driver:go Worker:consume ");
    assert_true(f.log.consumed == 1.5); /* the palette's default */
    fixture_close(&f);
    fixture_expect_log(&f, "worker:release driver:release ");
    assert_string_equal(f.warnings.text, "");
}

static void parameters_of_the_assembly_reach_the_component(void **state)
{
    struct fixture f;

    fixture_run(
        &f,
        ASSEMBLY(
            "<instance name='driver' class='test.Driver'>"
            "<parameter name='seconds' type='double' value='0.25'/></instance>" WORKER WIRE GO));
    fixture_go(&f);
    assert_true(f.log.consumed == 0.25);
    fixture_close(&f);
}

static void a_component_learns_where_its_assembly_lies(void **state)
{
    struct fixture f;
    sidl_BaseInterface ex = NULL;
    gov_cca_ports_BuilderService builder;
    gov_cca_ComponentID id;
    gov_cca_TypeMap map;
    char *dir;

    fixture_run(&f, ASSEMBLY(WORKER));
    builder = portolan_framework_peek_builder(f.fw);
    id = gov_cca_ports_BuilderService_getComponentID(builder, "worker", &ex);
    map = gov_cca_ports_BuilderService_getComponentProperties(builder, id, &ex);
    assert_null(ex);
    dir = gov_cca_TypeMap_getString(map, "portolan.assemblyDir", NULL, &ex);
    assert_string_equal(dir, "/tmp");
    sidl_String_free(dir);
    gov_cca_TypeMap_deleteRef(map, NULL);
    gov_cca_ComponentID_deleteRef(id, NULL);
    fixture_close(&f);
}

static void a_monitored_connection_gets_a_wired_proxy(void **state)
{
    struct fixture f;

    fixture_run(&f, ASSEMBLY(DRIVER WORKER "<instance name='mind' class='test.Monitor'/>" WIRE
                                           "<monitor user='driver' uses='work'/>"
                                           "<monitor instance='driver' port='go'/>" GO));
    fixture_expect_log(&f, "driver:start worker:start "
                           "rebind:monitor(mind.monitor/test.Monitor,driver.work) "
                           "rebind:use(worker.work/test.Worker,driver.work) "
                           "rebind:monitor(mind.monitor/test.Monitor,.go) "
                           "rebind:use(driver.go/test.Driver,.go) ");
    fixture_go(&f);
    fixture_expect_log(&f, "proxy:go driver:go proxy:consume Worker:consume ");
    fixture_close(&f);
    fixture_expect_log(&f, "rebind:use(-.-/-,.go) rebind:monitor(-.-/-,.go) go.proxy:release "
                           "rebind:use(-.-/-,driver.work) rebind:monitor(-.-/-,driver.work) "
                           "driver.work.proxy:release "
                           "mind:release worker:release driver:release ");
    assert_string_equal(f.warnings.text, "");
}

static void an_instance_with_alternatives_gets_a_forwarding_proxy(void **state)
{
    struct fixture f;

    fixture_run(&f, ASSEMBLY(DRIVER "<instance name='worker' class='test.Worker'>"
                                    "<alternative class='test.Other'/></instance>" WIRE GO));
    fixture_expect_log(
        &f, "driver:start worker:start rebind:use(worker.work/test.Worker,driver.work) ");
    fixture_go(&f);
    fixture_expect_log(&f, "driver:go proxy:consume Worker:consume ");
    fixture_close(&f);
}

static const struct bad_case {
    const char *xml;
    enum portolan_status status;
    const char *text;
} bad_cases[] = {
    {ASSEMBLY("<instance name='w' class='test.Wroker'/>"), PORTOLAN_ENOTFOUND,
     ":2: instance 'w' (class test.Wroker): unknown class 'test.Wroker'; did you mean "
     "'test.Worker'?"},
    {ASSEMBLY("<instance name='w' class='test.Fails'/>"), PORTOLAN_ECOMPONENT,
     ":2: instance 'w' (class test.Fails): setServices failed: licence server is down"},
    {ASSEMBLY("<instance name='w' class='test.Missing'/>"), PORTOLAN_ENOTFOUND,
     "no_such_file.so; build or install it, or correct the attribute 'library' in"},
    {ASSEMBLY("<instance name='w' class='test.Garbage'/>"), PORTOLAN_EFOREIGN, "cannot load"},
    {ASSEMBLY("<instance name='w' class='test.Stranger'/>"), PORTOLAN_EFOREIGN,
     "it exports no 'portolan_component_test_Stranger'; export that descriptor, or correct"},
    {ASSEMBLY("<instance name='w' class='test.OldAbi'/>"), PORTOLAN_EFOREIGN,
     "was built for component ABI 99, but this Portolan has 2; rebuild it"},
    {ASSEMBLY("<instance name='w' class='test.Misnamed'/>"), PORTOLAN_EFOREIGN,
     "is of class 'test.Worker'; correct"},
    {ASSEMBLY("<instance name='w' class='test.Liar'/>"), PORTOLAN_EBADPORTTYPE,
     "the object given for provides port 'work' is not of type gov.cca.ports.GoPort"},
    {ASSEMBLY(DRIVER "<connect user='driver' uses='work' provider='driver' provides='go'/>"),
     PORTOLAN_EBADPORTTYPE,
     "instance 'driver': uses port 'work' has type portolan.ports.Work, but 'driver.go' provides "
     "gov.cca.ports.GoPort"},
    {ASSEMBLY(DRIVER WORKER "<connect user='driver' uses='wrok' provider='worker' "
                            "provides='work'/>"),
     PORTOLAN_EPORTNOTDEFINED,
     "instance 'driver' (class test.Driver) has no uses port 'wrok'; did you mean 'work'?"},
    {ASSEMBLY(DRIVER WORKER "<connect user='driver' uses='work' provider='worker' "
                            "provides='wor'/>"),
     PORTOLAN_EPORTNOTDEFINED,
     "instance 'worker' (class test.Worker) has no provides port 'wor'; did you mean 'work'?"},
    {ASSEMBLY(DRIVER WORKER "<connect user='driver' uses='log' provider='worker' "
                            "provides='work'/>"),
     PORTOLAN_EEXISTS, "uses port 'log' of type portolan.TestLog is served by the framework"},
    {ASSEMBLY(DRIVER WORKER WIRE "<monitor user='driver' uses='work'/>"), PORTOLAN_ENOTFOUND,
     "no instance provides a port of type portolan.ports.Monitor, which uses port 'monitor' of the "
     "proxy 'driver.work.proxy' needs"},
    {ASSEMBLY(DRIVER WORKER WIRE "<monitor user='driver' uses='work'/>"
                                 "<instance name='m' class='test.Monitor'/>"
                                 "<instance name='n' class='test.Monitor'/>"),
     PORTOLAN_EEXISTS, "2 provides ports have type portolan.ports.Monitor"},
    {ASSEMBLY("<instance name='driver' class='test.Driver'>"
              "<parameter name='seconds' type='int' value='1'/></instance>"),
     PORTOLAN_EBADPROPERTIES,
     "parameter 'seconds' of class 'test.Driver' has type Double, not "
     "Int"},
    {ASSEMBLY("<instance name='driver' class='test.Driver'>"
              "<parameter name='MIN_CONNECTIONS' type='int' value='1'/></instance>"),
     PORTOLAN_EPORTNOTCONNECTED,
     "instance 'driver': port 'work' has 0 connections, but needs at least 1 (MIN_CONNECTIONS)"},
    {ASSEMBLY(WORKER "<go instance='worker' port='work'/>"), PORTOLAN_EBADPORTTYPE,
     "the framework: uses port 'go' has type gov.cca.ports.GoPort, but 'worker.work' provides "
     "portolan.ports.Work"},
};

static void what_cannot_be_built_is_said_and_taken_down(void **state)
{
    for (size_t i = 0; i < sizeof bad_cases / sizeof *bad_cases; i++) {
        struct fixture f;
        enum portolan_status status;
        struct portolan_assembly *good;
        int result;

        status = fixture_build(&f, bad_cases[i].xml);
        fixture_expect_error(&f, status, bad_cases[i].status, bad_cases[i].text);
        assert_int_equal(portolan_framework_go(f.fw, &result, NULL), PORTOLAN_ENOTFOUND);
        /* Nothing is left in the way of another attempt. */
        good = fixture_read(ASSEMBLY(DRIVER WORKER WIRE GO));
        assert_int_equal(portolan_framework_build(f.fw, good, NULL), PORTOLAN_OK);
        fixture_go(&f);
        assert_int_equal(portolan_framework_build(f.fw, good, NULL), PORTOLAN_EEXISTS);
        fixture_close(&f);
        portolan_assembly_destroy(good);
    }
}

static void a_port_that_is_never_released_is_reported(void **state)
{
    struct fixture f;

    fixture_run(
        &f,
        ASSEMBLY("<instance name='driver' class='test.Driver'>"
                 "<parameter name='leak' type='bool' value='true'/></instance>" WORKER WIRE GO));
    fixture_go(&f);
    fixture_go(&f);
    fixture_close(&f);
    assert_string_equal(f.warnings.text,
                        "instance 'driver' (class test.Driver): uses port 'work' was "
                        "not released (getPort 2 times more than releasePort)\n");
}

static void an_unconnected_port_throws_through_go(void **state)
{
    struct fixture f;
    int result;

    fixture_run(&f, ASSEMBLY(DRIVER GO));
    fixture_expect_error(&f, portolan_framework_go(f.fw, &result, &f.err),
                         PORTOLAN_EPORTNOTCONNECTED,
                         "instance 'driver': uses port 'work' of type portolan.ports.Work is not "
                         "connected");
    assert_int_equal(result, -2);
    fixture_close(&f);
}

static void every_failed_allocation_is_survived(void **state)
{
    struct portolan_assembly *a = fixture_read(
        ASSEMBLY(DRIVER "<instance name='worker' class='test.Worker'>"
                        "<alternative class='test.Helped'/></instance>"
                        "<instance name='mind' class='test.Monitor'/>" WIRE
                        "<instance name='aide' class='test.Worker'/>"
                        "<connect user='worker' uses='helper' provider='aide' provides='work'/>"
                        "<monitor user='driver' uses='work'/>" GO));
    struct portolan_palette *palette = fixture_palette(BUILTIN);
    bool done = false;

    for (unsigned long n = 1; !done; n++) {
        struct portolan_framework *fw;
        struct portolan_error err = {0};
        enum portolan_status status;
        struct test_log log = {0};
        sidl_BaseInterface ex = NULL;

        assert_true(n < 20000);
        portolan_alloc_fail_at(n);
        status = portolan_framework_create(palette, NULL, &fw, &err);
        if (status == PORTOLAN_OK)
            status = portolan_framework_provide(fw, "portolan.TestLog", &log, &err);
        if (status == PORTOLAN_OK)
            status = portolan_framework_build(fw, a, &err);
        if (status == PORTOLAN_OK) {
            portolan_ports_Builder_replace(portolan_framework_peek_extension(fw), "worker",
                                           "test.Helped", NULL, &ex);
            status = portolan_catch(&ex, &err);
        }
        portolan_alloc_fail_at(0);
        done = status == PORTOLAN_OK;
        if (!done && status != PORTOLAN_ENOMEM)
            fail_msg("allocation %lu: %d %s", n, status, err.text);
        portolan_framework_destroy(fw);
    }
    portolan_palette_destroy(palette);
    portolan_assembly_destroy(a);
}

UNIT_TESTS(cmocka_unit_test(an_assembly_runs_and_is_released_in_reverse),
           cmocka_unit_test(parameters_of_the_assembly_reach_the_component),
           cmocka_unit_test(a_component_learns_where_its_assembly_lies),
           cmocka_unit_test(a_monitored_connection_gets_a_wired_proxy),
           cmocka_unit_test(an_instance_with_alternatives_gets_a_forwarding_proxy),
           cmocka_unit_test(what_cannot_be_built_is_said_and_taken_down),
           cmocka_unit_test(a_port_that_is_never_released_is_reported),
           cmocka_unit_test(an_unconnected_port_throws_through_go),
           cmocka_unit_test(every_failed_allocation_is_survived))
