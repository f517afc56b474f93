/* SPDX-License-Identifier: BSD-3-Clause */
/* gov.cca.AbstractFramework: a program that looks like a component. */
#include "fixture.h"

static struct portolan_palette *palette;

static int make_palette(void **state)
{
    palette = fixture_palette(BUILTIN);
    return 0;
}

static int drop_palette(void **state)
{
    portolan_palette_destroy(palette);
    return 0;
}

static gov_cca_AbstractFramework open_framework(void)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_AbstractFramework fw = portolan_framework_abstract(palette, NULL, &ex);

    assert_null(ex);
    assert_non_null(fw);
    return fw;
}

static gov_cca_Services get_services(gov_cca_AbstractFramework fw, const char *name)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_Services s = gov_cca_AbstractFramework_getServices(fw, name, "test.Main", NULL, &ex);

    assert_null(ex);
    return s;
}

static void expect_nonstandard(sidl_BaseInterface *ex, const char *text)
{
    gov_cca_CCAException e = gov_cca_CCAException__cast(*ex, NULL);
    struct portolan_error err = {0};
    sidl_BaseInterface none = NULL;

    assert_non_null(e);
    assert_int_equal(gov_cca_CCAException_getCCAExceptionType(e, &none),
                     gov_cca_CCAExceptionType_Nonstandard);
    gov_cca_CCAException_deleteRef(e, NULL);
    portolan_catch(ex, &err);
    if (!strstr(err.text, text))
        fail_msg("text: %s\nexpected: %s", err.text, text);
}

static gov_cca_ports_BuilderService get_builder(gov_cca_Services s)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_ports_BuilderService builder;
    gov_cca_Port port;

    gov_cca_Services_registerUsesPort(s, "builder", "gov.cca.ports.BuilderService", NULL, &ex);
    assert_null(ex);
    port = gov_cca_Services_getPort(s, "builder", &ex);
    assert_null(ex);
    builder = gov_cca_ports_BuilderService__cast(port, &ex);
    gov_cca_Port_deleteRef(port, NULL);
    return builder;
}

static void a_program_uses_a_component_as_a_component_does(void **state)
{
    struct test_log log = {.text = ""};
    sidl_BaseInterface ex = NULL;
    gov_cca_AbstractFramework fw = open_framework();
    gov_cca_Services s = get_services(fw, "main");
    gov_cca_ports_BuilderService b = get_builder(s);
    gov_cca_ComponentID self, worker;
    gov_cca_ConnectionID c;
    gov_cca_Port port;
    portolan_ports_Work work;
    char *name;

    assert_int_equal(
        portolan_framework_provide(portolan_framework_peek(fw), "portolan.TestLog", &log, NULL),
        PORTOLAN_OK);
    self = gov_cca_Services_getComponentID(s, &ex);
    name = gov_cca_ComponentID_getInstanceName(self, &ex);
    assert_string_equal(name, "main");
    sidl_String_free(name);
    gov_cca_Services_registerUsesPort(s, "work", "portolan.ports.Work", NULL, &ex);
    worker = gov_cca_ports_BuilderService_createInstance(b, "w", "test.Worker", NULL, &ex);
    c = gov_cca_ports_BuilderService_connect(b, self, "work", worker, "work", &ex);
    assert_null(ex);
    port = gov_cca_Services_getPort(s, "work", &ex);
    work = portolan_ports_Work__cast(port, &ex);
    portolan_ports_Work_consume(work, 2, &ex);
    assert_null(ex);
    portolan_ports_Work_deleteRef(work, NULL);
    gov_cca_Port_deleteRef(port, NULL);
    gov_cca_Services_releasePort(s, "work", &ex);
    gov_cca_Services_releasePort(s, "builder", &ex);
    assert_null(ex);
    assert_true(strlen(log.text) > 0);
    gov_cca_ports_BuilderService_deleteRef(b, NULL);
    gov_cca_AbstractFramework_releaseServices(fw, s, &ex);
    assert_null(ex);
    assert_null(gov_cca_ConnectionID_getUser(c, &ex));
    expect_nonstandard(&ex, "does not exist any more");
    gov_cca_AbstractFramework_shutdownFramework(fw, &ex);
    assert_null(ex);
    gov_cca_ConnectionID_deleteRef(c, NULL);
    gov_cca_ComponentID_deleteRef(self, NULL);
    gov_cca_ComponentID_deleteRef(worker, NULL);
    gov_cca_Services_deleteRef(s, NULL);
    gov_cca_AbstractFramework_deleteRef(fw, NULL);
}

static void names_of_images_are_unique_and_may_be_chosen(void **state)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_AbstractFramework fw = open_framework();
    gov_cca_Services a = get_services(fw, "main"), b = get_services(fw, "");
    gov_cca_ComponentID id = gov_cca_Services_getComponentID(b, &ex);
    char *name = gov_cca_ComponentID_getInstanceName(id, &ex);

    assert_string_equal(name, "main1");
    sidl_String_free(name);
    assert_null(gov_cca_AbstractFramework_getServices(fw, "main", "test.Main", NULL, &ex));
    expect_nonstandard(&ex, "there is an instance 'main' already");
    gov_cca_ComponentID_deleteRef(id, NULL);
    gov_cca_Services_deleteRef(a, NULL);
    gov_cca_Services_deleteRef(b, NULL);
    gov_cca_AbstractFramework_deleteRef(fw, NULL);
}

static void services_are_released_once_and_only_to_their_framework(void **state)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_AbstractFramework fw = open_framework(), other = open_framework();
    gov_cca_Services s = get_services(fw, "main");
    gov_cca_ports_BuilderService b = get_builder(s);
    gov_cca_ComponentID self = gov_cca_Services_getComponentID(s, &ex);

    gov_cca_AbstractFramework_releaseServices(other, s, &ex);
    expect_nonstandard(&ex, "not obtained from getServices of this framework");
    gov_cca_AbstractFramework_releaseServices(fw, NULL, &ex);
    expect_nonstandard(&ex, "belong to another framework");
    gov_cca_ports_BuilderService_destroyInstance(b, self, 0, &ex);
    expect_nonstandard(&ex, "it goes with releaseServices");
    gov_cca_Services_releasePort(s, "builder", &ex);
    gov_cca_ports_BuilderService_deleteRef(b, NULL);
    gov_cca_AbstractFramework_releaseServices(fw, s, &ex);
    assert_null(ex);
    gov_cca_AbstractFramework_releaseServices(fw, s, &ex);
    expect_nonstandard(&ex, "have been released already");
    gov_cca_ComponentID_deleteRef(self, NULL);
    gov_cca_Services_deleteRef(s, NULL);
    gov_cca_AbstractFramework_deleteRef(fw, NULL);
    gov_cca_AbstractFramework_deleteRef(other, NULL);
}

static void a_framework_that_is_shut_down_refuses_everything(void **state)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_AbstractFramework fw = open_framework();
    gov_cca_Services s = get_services(fw, "main");

    gov_cca_AbstractFramework_shutdownFramework(fw, &ex);
    assert_null(ex);
    gov_cca_AbstractFramework_shutdownFramework(fw, &ex);
    expect_nonstandard(&ex, "has been shut down");
    assert_null(gov_cca_AbstractFramework_createTypeMap(fw, &ex));
    expect_nonstandard(&ex, "has been shut down");
    assert_null(gov_cca_AbstractFramework_getServices(fw, "x", "test.Main", NULL, &ex));
    expect_nonstandard(&ex, "has been shut down");
    assert_null(gov_cca_AbstractFramework_createEmptyFramework(fw, &ex));
    expect_nonstandard(&ex, "has been shut down");
    gov_cca_AbstractFramework_releaseServices(fw, s, &ex);
    expect_nonstandard(&ex, "has been shut down");
    assert_null(portolan_framework_peek(fw));
    gov_cca_Services_deleteRef(s, NULL);
    gov_cca_AbstractFramework_deleteRef(fw, NULL);
}

static void an_empty_framework_knows_the_classes_but_not_the_instances(void **state)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_AbstractFramework fw = open_framework(), empty;
    gov_cca_Services s = get_services(fw, "main"), t;
    struct gov_cca_ComponentID__array *ids;
    gov_cca_ports_BuilderService b;
    gov_cca_TypeMap map;

    map = gov_cca_AbstractFramework_createTypeMap(fw, &ex);
    assert_non_null(map);
    gov_cca_TypeMap_deleteRef(map, NULL);
    empty = gov_cca_AbstractFramework_createEmptyFramework(fw, &ex);
    assert_null(ex);
    gov_cca_Services_deleteRef(s, NULL);
    gov_cca_AbstractFramework_deleteRef(fw, NULL); /* the new one does without */
    t = get_services(empty, "main");
    b = get_builder(t);
    ids = gov_cca_ports_BuilderService_getComponentIDs(b, &ex);
    assert_int_equal(gov_cca_ComponentID__array_length(ids, 0), 1);
    gov_cca_ComponentID__array_deleteRef(ids);
    gov_cca_ports_BuilderService_deleteRef(b, NULL);
    gov_cca_Services_releasePort(t, "builder", &ex);
    gov_cca_Services_deleteRef(t, NULL);
    gov_cca_AbstractFramework_deleteRef(empty, NULL);
}

UNIT_TESTS_BETWEEN(make_palette, drop_palette,
                   cmocka_unit_test(a_program_uses_a_component_as_a_component_does),
                   cmocka_unit_test(names_of_images_are_unique_and_may_be_chosen),
                   cmocka_unit_test(services_are_released_once_and_only_to_their_framework),
                   cmocka_unit_test(a_framework_that_is_shut_down_refuses_everything),
                   cmocka_unit_test(an_empty_framework_knows_the_classes_but_not_the_instances))
