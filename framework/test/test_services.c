/* SPDX-License-Identifier: BSD-3-Clause */
/* gov.cca.Services and BuilderService as the specification has them, and foreign ports. */
#include "fixture.h"

#include "sidl_BaseException.h"
#include "sidl_SIDLException.h"

/* -- a component whose Services the test drives by hand -- */

struct puppet {
    struct sidl_object object;
    gov_cca_Services services;
};

static gov_cca_Services puppet_services; /* of the puppet made last; the test's reference */

static void puppet_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    gov_cca_Services_addRef(services, NULL);
    puppet_services = services;
}

static int32_t puppet_go(void *self, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    return 0;
}

static const struct gov_cca_Component__epv puppet_epv = {.f_setServices = puppet_set_services};
static const struct gov_cca_ports_GoPort__epv puppet_go_epv = {.f_go = puppet_go};
static const struct sidl_implements puppet_implements[] = {
    {&gov_cca_Component__type, &puppet_epv}, {&gov_cca_ports_GoPort__type, &puppet_go_epv}};
static const struct sidl_class puppet_class = {.name = "test.Puppet",
                                               .version = "1",
                                               .size = sizeof(struct puppet),
                                               .implements = puppet_implements,
                                               .n_implements = 2};

static gov_cca_Component puppet_create(sidl_BaseInterface *_ex)
{
    return sidl_object_facet(sidl_object_create(&puppet_class, _ex), "gov.cca.Component");
}

static const struct portolan_component puppet = {sizeof puppet, PORTOLAN_COMPONENT_ABI,
                                                 "test.Puppet", puppet_create, NULL};

static gov_cca_ports_BuilderService open_with_puppet(struct fixture *f, gov_cca_ComponentID *id)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_ports_BuilderService builder;

    fixture_open(f);
    assert_int_equal(portolan_palette_add_builtin(f->palette, &puppet,
                                                  "<component class='test.Puppet'>"
                                                  "<parameter name='n' type='int' default='3'/>"
                                                  "<parameter name='list' type='double[]' "
                                                  "default=' 1 2.5 '/>"
                                                  "<parameter name='words' type='string[]' "
                                                  "default='a bc'/>"
                                                  "<parameter name='big' type='long' "
                                                  "default='5000000000'/></component>",
                                                  NULL),
                     PORTOLAN_OK);
    builder = portolan_framework_peek_builder(f->fw);
    *id = gov_cca_ports_BuilderService_createInstance(builder, "p", "test.Puppet", NULL, &ex);
    assert_null(ex);
    return builder;
}

static void close_with_puppet(struct fixture *f, gov_cca_ComponentID id)
{
    gov_cca_Services_deleteRef(puppet_services, NULL);
    gov_cca_ComponentID_deleteRef(id, NULL);
    fixture_close(f);
}

/* Takes the exception out of EX; its type and a piece of its note must be these. */
static void expect_thrown(sidl_BaseInterface *ex, enum gov_cca_CCAExceptionType__enum type,
                          const char *text)
{
    gov_cca_CCAException e = gov_cca_CCAException__cast(*ex, NULL);
    sidl_BaseInterface none = NULL;
    char *note;

    assert_non_null(e);
    assert_int_equal(gov_cca_CCAException_getCCAExceptionType(e, &none), type);
    note = gov_cca_CCAException_getNote(e, &none);
    if (!strstr(note, text))
        fail_msg("note: %s\nexpected: %s", note, text);
    sidl_String_free(note);
    gov_cca_CCAException_deleteRef(e, NULL);
    SIDL_CLEAR(*ex);
}

static void ports_are_registered_once_and_found_by_name(void **state)
{
    struct fixture f;
    sidl_BaseInterface ex = NULL;
    gov_cca_ComponentID id;
    gov_cca_Port port;

    open_with_puppet(&f, &id);
    gov_cca_Services_registerUsesPort(puppet_services, "work", "portolan.ports.Work", NULL, &ex);
    assert_null(ex);
    gov_cca_Services_registerUsesPort(puppet_services, "work", "other.Type", NULL, &ex);
    expect_thrown(&ex, gov_cca_CCAExceptionType_PortAlreadyDefined,
                  "instance 'p': port 'work' is registered already");
    gov_cca_Services_registerUsesPort(puppet_services, "", "other.Type", NULL, &ex);
    expect_thrown(&ex, gov_cca_CCAExceptionType_BadPortName, "needs a name");
    gov_cca_Services_registerUsesPort(puppet_services, "x", "", NULL, &ex);
    expect_thrown(&ex, gov_cca_CCAExceptionType_BadPortType, "port 'x' needs a type");
    port = gov_cca_Services_getPort(puppet_services, "wrk", &ex);
    assert_null(port);
    expect_thrown(&ex, gov_cca_CCAExceptionType_PortNotDefined,
                  "instance 'p' (class test.Puppet) has no uses port 'wrk'; did you mean 'work'?");
    port = gov_cca_Services_getPort(puppet_services, "work", &ex);
    assert_null(port);
    expect_thrown(&ex, gov_cca_CCAExceptionType_PortNotConnected,
                  "instance 'p': uses port 'work' of type portolan.ports.Work is not connected");
    port = gov_cca_Services_getPortNonblocking(puppet_services, "work", &ex);
    assert_null(port);
    assert_null(ex);
    gov_cca_Services_unregisterUsesPort(puppet_services, "work", &ex);
    assert_null(ex);
    gov_cca_Services_unregisterUsesPort(puppet_services, "work", &ex);
    expect_thrown(&ex, gov_cca_CCAExceptionType_PortNotDefined, "no uses port 'work'");
    close_with_puppet(&f, id);
}

static gov_cca_ComponentID create(gov_cca_ports_BuilderService b, const char *name,
                                  const char *class)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_ComponentID id = gov_cca_ports_BuilderService_createInstance(b, name, class, NULL, &ex);

    assert_null(ex);
    return id;
}

static void get_and_release_must_balance(void **state)
{
    struct fixture f;
    sidl_BaseInterface ex = NULL;
    gov_cca_ComponentID id, worker;
    gov_cca_ports_BuilderService b;
    gov_cca_ConnectionID c;
    gov_cca_Port port;

    b = open_with_puppet(&f, &id);
    worker = create(b, "worker", "test.Worker");
    gov_cca_Services_registerUsesPort(puppet_services, "work", "portolan.ports.Work", NULL, &ex);
    c = gov_cca_ports_BuilderService_connect(b, id, "work", worker, "work", &ex);
    assert_null(ex);
    assert_null(gov_cca_ports_BuilderService_connect(b, id, "work", worker, "work", &ex));
    assert_int_equal(portolan_catch(&ex, &f.err), PORTOLAN_EEXISTS);
    assert_string_equal(f.err.text,
                        "instance 'p': uses port 'work' is connected already, to 'worker.work'");
    for (int i = 0; i < 2; i++) {
        port = gov_cca_Services_getPort(puppet_services, "work", &ex);
        assert_non_null(port);
        gov_cca_Port_deleteRef(port, NULL);
    }
    gov_cca_Services_releasePort(puppet_services, "work", &ex);
    assert_null(ex);
    gov_cca_Services_unregisterUsesPort(puppet_services, "work", &ex);
    expect_thrown(&ex, gov_cca_CCAExceptionType_UsesPortNotReleased, "has not been released");
    gov_cca_ports_BuilderService_disconnect(b, c, 0, &ex);
    expect_thrown(&ex, gov_cca_CCAExceptionType_UsesPortNotReleased,
                  "instance 'p' holds its uses port 'work', which is connected to 'worker.work'");
    gov_cca_ports_BuilderService_destroyInstance(b, worker, 0, &ex);
    expect_thrown(&ex, gov_cca_CCAExceptionType_UsesPortNotReleased,
                  "instance 'worker' cannot be destroyed: instance 'p' holds its uses port 'work'");
    gov_cca_Services_releasePort(puppet_services, "work", &ex);
    assert_null(ex);
    gov_cca_Services_releasePort(puppet_services, "work", &ex);
    expect_thrown(&ex, gov_cca_CCAExceptionType_PortNotInUse,
                  "released more often than it was got");
    gov_cca_ports_BuilderService_destroyInstance(b, worker, 0, &ex);
    assert_null(ex);
    assert_null(gov_cca_ConnectionID_getUser(c, &ex));
    expect_thrown(&ex, gov_cca_CCAExceptionType_Nonstandard, "connection does not exist any more");
    gov_cca_ports_BuilderService_destroyInstance(b, worker, 0, &ex);
    expect_thrown(&ex, gov_cca_CCAExceptionType_Nonstandard,
                  "instance 'worker' does not exist any more");
    gov_cca_ConnectionID_deleteRef(c, NULL);
    gov_cca_ComponentID_deleteRef(worker, NULL);
    close_with_puppet(&f, id);
}

static void a_component_may_always_stop_offering_a_port(void **state)
{
    struct fixture f;
    sidl_BaseInterface ex = NULL;
    gov_cca_ComponentID id, user;
    gov_cca_Services provider;
    gov_cca_ports_BuilderService b;
    gov_cca_ConnectionID c;
    gov_cca_Port port;

    b = open_with_puppet(&f, &id);
    provider = puppet_services;
    port = portolan_foreign_create(&f, "some.Struct", &ex);
    gov_cca_Services_addProvidesPort(provider, port, "thing", "some.Struct", NULL, &ex);
    assert_null(ex);
    gov_cca_Services_addProvidesPort(provider, port, "other", "other.Struct", NULL, &ex);
    expect_thrown(&ex, gov_cca_CCAExceptionType_BadPortType, "is not of type other.Struct");
    gov_cca_Services_addProvidesPort(provider, NULL, "none", "other.Struct", NULL, &ex);
    expect_thrown(&ex, gov_cca_CCAExceptionType_BadPortInfo, "provides port 'none' is null");
    gov_cca_Port_deleteRef(port, NULL);
    user = create(b, "", "test.Puppet");
    gov_cca_Services_registerUsesPort(puppet_services, "thing", "some.Struct", NULL, &ex);
    c = gov_cca_ports_BuilderService_connect(b, user, "thing", id, "thing", &ex);
    assert_null(ex);
    assert_ptr_equal(portolan_foreign_get(puppet_services, "thing", "some.Struct", &ex), &f);
    assert_null(portolan_foreign_get(puppet_services, "thing", "wrong.Struct", &ex));
    expect_thrown(&ex, gov_cca_CCAExceptionType_BadPortType,
                  "is connected to a port of type some.Struct, not wrong.Struct");
    gov_cca_Services_removeProvidesPort(provider, "thing", &ex);
    assert_null(ex);
    assert_null(gov_cca_Services_getPortNonblocking(puppet_services, "thing", &ex));
    gov_cca_Services_releasePort(puppet_services, "thing", &ex); /* the pair of the first */
    assert_null(ex);
    gov_cca_ConnectionID_deleteRef(c, NULL);
    gov_cca_ComponentID_deleteRef(user, NULL);
    gov_cca_Services_deleteRef(provider, NULL);
    close_with_puppet(&f, id);
}

static void properties_have_defaults_and_are_copies(void **state)
{
    struct fixture f;
    sidl_BaseInterface ex = NULL;
    gov_cca_ComponentID id;
    gov_cca_TypeMap map;
    struct sidl_double__array *list;
    struct sidl_string__array *words;
    char *text;

    open_with_puppet(&f, &id);
    map = portolan_component_properties(puppet_services, &ex);
    assert_null(ex);
    assert_int_equal(gov_cca_TypeMap_getInt(map, "n", -1, &ex), 3);
    assert_true(gov_cca_TypeMap_getLong(map, "big", -1, &ex) == INT64_C(5000000000));
    list = gov_cca_TypeMap_getDoubleArray(map, "list", NULL, &ex);
    assert_int_equal(sidl_double__array_length(list, 0), 2);
    assert_true(sidl_double__array_get1(list, 1) == 2.5);
    sidl_double__array_deleteRef(list);
    words = gov_cca_TypeMap_getStringArray(map, "words", NULL, &ex);
    text = sidl_string__array_get1(words, 1);
    assert_string_equal(text, "bc");
    sidl_String_free(text);
    sidl_string__array_deleteRef(words);
    gov_cca_TypeMap_putInt(map, "n", 99, &ex);
    gov_cca_TypeMap_deleteRef(map, NULL);
    map = portolan_component_properties(puppet_services, &ex);
    assert_int_equal(gov_cca_TypeMap_getInt(map, "n", -1, &ex), 3);
    gov_cca_TypeMap_deleteRef(map, NULL);
    map = gov_cca_Services_createTypeMap(puppet_services, &ex);
    gov_cca_TypeMap_putString(map, "color", "red", &ex);
    gov_cca_Services_registerUsesPort(puppet_services, "work", "portolan.ports.Work", map, &ex);
    gov_cca_TypeMap_deleteRef(map, NULL);
    map = gov_cca_Services_getPortProperties(puppet_services, "work", &ex);
    assert_null(ex);
    text = gov_cca_TypeMap_getString(map, "cca.portType", NULL, &ex);
    assert_string_equal(text, "portolan.ports.Work");
    sidl_String_free(text);
    assert_true(gov_cca_TypeMap_hasKey(map, "color", &ex));
    gov_cca_TypeMap_deleteRef(map, NULL);
    close_with_puppet(&f, id);
}

static void services_outlive_their_instance_harmlessly(void **state)
{
    struct fixture f;
    sidl_BaseInterface ex = NULL;
    gov_cca_ComponentID id;
    gov_cca_ports_BuilderService b;

    b = open_with_puppet(&f, &id);
    gov_cca_ports_BuilderService_destroyInstance(b, id, 0, &ex);
    assert_null(ex);
    assert_null(gov_cca_Services_getPort(puppet_services, "x", &ex));
    expect_thrown(&ex, gov_cca_CCAExceptionType_Nonstandard, "belong to an instance that was");
    gov_cca_ports_BuilderService_addRef(b, NULL);
    close_with_puppet(&f, id);
    assert_null(gov_cca_ports_BuilderService_getComponentIDs(b, &ex));
    expect_thrown(&ex, gov_cca_CCAExceptionType_Nonstandard,
                  "framework of this port was destroyed");
    gov_cca_ports_BuilderService_deleteRef(b, NULL);
}

static void service_ports_are_there_at_once(void **state)
{
    static const char *const types[] = {"gov.cca.ports.BuilderService", "portolan.ports.Builder",
                                        "gov.cca.ports.ComponentRepository"};
    struct fixture f;
    sidl_BaseInterface ex = NULL;
    gov_cca_ComponentID id;

    open_with_puppet(&f, &id);
    for (size_t i = 0; i < 3; i++) {
        gov_cca_Port port;

        gov_cca_Services_registerUsesPort(puppet_services, types[i], types[i], NULL, &ex);
        port = gov_cca_Services_getPort(puppet_services, types[i], &ex);
        assert_null(ex);
        assert_true(gov_cca_Port_isType(port, types[i], &ex));
        gov_cca_Port_deleteRef(port, NULL);
        gov_cca_Services_releasePort(puppet_services, types[i], &ex);
    }
    gov_cca_Services_registerUsesPort(puppet_services, "cohort", "portolan.Cohort", NULL, &ex);
    assert_ptr_equal(portolan_foreign_get(puppet_services, "cohort", "portolan.Cohort", &ex),
                     portolan_cohort_alone());
    gov_cca_Services_releasePort(puppet_services, "cohort", &ex);
    assert_null(ex);
    assert_int_equal(portolan_framework_provide(f.fw, "portolan.Cohort", &f, NULL),
                     PORTOLAN_EEXISTS);
    close_with_puppet(&f, id);
}

static void the_builder_lists_and_disconnects(void **state)
{
    struct fixture f;
    sidl_BaseInterface ex = NULL;
    gov_cca_ComponentID id, a, b, again;
    gov_cca_ports_BuilderService builder;
    struct gov_cca_ComponentID__array *ids;
    struct gov_cca_ConnectionID__array *connections;
    struct sidl_string__array *names;
    gov_cca_ConnectionID c;
    gov_cca_TypeMap map;
    char *text;

    builder = open_with_puppet(&f, &id);
    a = create(builder, "a", "test.Driver");
    b = create(builder, "b", "test.Worker");
    ids = gov_cca_ports_BuilderService_getComponentIDs(builder, &ex);
    assert_int_equal(gov_cca_ComponentID__array_length(ids, 0), 3);
    gov_cca_ComponentID__array_deleteRef(ids);
    names = gov_cca_ports_BuilderService_getProvidedPortNames(builder, a, &ex);
    assert_int_equal(sidl_string__array_length(names, 0), 1);
    sidl_string__array_deleteRef(names);
    names = gov_cca_ports_BuilderService_getUsedPortNames(builder, a, &ex);
    assert_int_equal(sidl_string__array_length(names, 0), 2);
    sidl_string__array_deleteRef(names);
    assert_null(
        gov_cca_ports_BuilderService_createInstance(builder, "a", "test.Worker", NULL, &ex));
    assert_int_equal(portolan_catch(&ex, &f.err), PORTOLAN_EEXISTS);
    assert_null(gov_cca_ports_BuilderService_connect(builder, a, "work", a, "go", &ex));
    expect_thrown(&ex, gov_cca_CCAExceptionType_BadPortType,
                  "instance 'a': uses port 'work' has type portolan.ports.Work, but 'a.go' "
                  "provides gov.cca.ports.GoPort");
    c = gov_cca_ports_BuilderService_connect(builder, a, "work", b, "work", &ex);
    assert_null(ex);
    text = gov_cca_ConnectionID_getUserPortName(c, &ex);
    assert_string_equal(text, "work");
    sidl_String_free(text);
    map = gov_cca_ports_BuilderService_getConnectionProperties(builder, c, &ex);
    gov_cca_TypeMap_putInt(map, "weight", 4, &ex);
    gov_cca_ports_BuilderService_setConnectionProperties(builder, c, map, &ex);
    gov_cca_TypeMap_deleteRef(map, NULL);
    map = gov_cca_ports_BuilderService_getConnectionProperties(builder, c, &ex);
    assert_int_equal(gov_cca_TypeMap_getInt(map, "weight", 0, &ex), 4);
    gov_cca_TypeMap_deleteRef(map, NULL);
    ids = gov_cca_ComponentID__array_create1d(1);
    gov_cca_ComponentID__array_set1(ids, 0, id);
    connections = gov_cca_ports_BuilderService_getConnectionIDs(builder, ids, &ex);
    assert_int_equal(gov_cca_ConnectionID__array_length(connections, 0), 0);
    gov_cca_ConnectionID__array_deleteRef(connections);
    gov_cca_ComponentID__array_set1(ids, 0, b);
    connections = gov_cca_ports_BuilderService_getConnectionIDs(builder, ids, &ex);
    assert_int_equal(gov_cca_ConnectionID__array_length(connections, 0), 1);
    gov_cca_ConnectionID__array_deleteRef(connections);
    gov_cca_ComponentID__array_deleteRef(ids);
    gov_cca_ports_BuilderService_disconnectAll(builder, b, NULL, 0, &ex);
    assert_null(ex);
    gov_cca_ports_BuilderService_disconnect(builder, c, 0, &ex);
    expect_thrown(&ex, gov_cca_CCAExceptionType_Nonstandard, "does not exist any more");
    text = gov_cca_ComponentID_getSerialization(b, &ex);
    again = gov_cca_ports_BuilderService_getDeserialization(builder, text, &ex);
    assert_true(gov_cca_ComponentID_isSame(again, (sidl_BaseInterface)b, &ex));
    sidl_String_free(text);
    gov_cca_ComponentID_deleteRef(again, NULL);
    gov_cca_ConnectionID_deleteRef(c, NULL);
    gov_cca_ComponentID_deleteRef(a, NULL);
    gov_cca_ComponentID_deleteRef(b, NULL);
    close_with_puppet(&f, id);
}

static void max_connections_bounds_a_provides_port(void **state)
{
    struct fixture f;
    sidl_BaseInterface ex = NULL;
    gov_cca_ComponentID id, a, b;
    gov_cca_ports_BuilderService builder;
    gov_cca_ConnectionID c;
    gov_cca_Port object;
    gov_cca_TypeMap map;

    builder = open_with_puppet(&f, &id);
    map = gov_cca_Services_createTypeMap(puppet_services, &ex);
    gov_cca_TypeMap_putInt(map, "MAX_CONNECTIONS", 1, &ex);
    object = portolan_foreign_create(&f, "portolan.ports.Work", &ex);
    gov_cca_Services_addProvidesPort(puppet_services, object, "w", "portolan.ports.Work", map, &ex);
    assert_null(ex);
    gov_cca_Port_deleteRef(object, NULL);
    gov_cca_TypeMap_deleteRef(map, NULL);
    a = create(builder, "a", "test.Driver");
    b = create(builder, "b", "test.Driver");
    c = gov_cca_ports_BuilderService_connect(builder, a, "work", id, "w", &ex);
    assert_null(ex);
    gov_cca_ConnectionID_deleteRef(c, NULL);
    assert_null(gov_cca_ports_BuilderService_connect(builder, b, "work", id, "w", &ex));
    expect_thrown(&ex, gov_cca_CCAExceptionType_Nonstandard, "takes at most 1 connections");
    gov_cca_ComponentID_deleteRef(a, NULL);
    gov_cca_ComponentID_deleteRef(b, NULL);
    close_with_puppet(&f, id);
}

static void every_class_of_the_palette_is_in_the_repository(void **state)
{
    struct fixture f;
    sidl_BaseInterface ex = NULL;
    gov_cca_ComponentID id;
    gov_cca_ports_BuilderService builder = open_with_puppet(&f, &id);
    gov_cca_ports_ComponentRepository r = gov_cca_ports_ComponentRepository__cast(builder, &ex);
    struct gov_cca_ComponentClassDescription__array *all;
    gov_cca_ComponentClassDescription last;
    int32_t n;
    char *name;

    all = gov_cca_ports_ComponentRepository_getAvailableComponentClasses(r, &ex);
    assert_null(ex);
    n = gov_cca_ComponentClassDescription__array_length(all, 0);
    assert_int_equal(n, 22);
    last = gov_cca_ComponentClassDescription__array_get1(all, n - 1);
    name = gov_cca_ComponentClassDescription_getComponentClassName(last, &ex);
    assert_string_equal(name, "test.Puppet");
    sidl_String_free(name);
    gov_cca_ComponentClassDescription_deleteRef(last, NULL);
    gov_cca_ComponentClassDescription__array_deleteRef(all);
    gov_cca_ports_ComponentRepository_deleteRef(r, NULL);
    close_with_puppet(&f, id);
}

static void status_and_exceptions_convert_both_ways(void **state)
{
    static const enum portolan_status all[] = {
#define ROW(name, number, text, cca) PORTOLAN_##name,
        PORTOLAN_STATUS_LIST(ROW)
#undef ROW
    };
    sidl_BaseInterface ex = NULL;
    struct portolan_error err = {0};

    for (size_t i = 1; i < sizeof all / sizeof *all; i++) {
        err = (struct portolan_error){0};
        portolan_throw(&ex, all[i], "text %d", 5);
        assert_true(SIDL_CATCH(ex, "sidl.BaseException"));
        portolan_throw(&ex, PORTOLAN_EIO, "later"); /* the first cause stays */
        assert_int_equal(portolan_catch(&ex, &err), all[i]);
        assert_null(ex);
        assert_string_equal(err.text, all[i] == PORTOLAN_ENOMEM ? "out of memory" : "text 5");
    }
    assert_int_equal(portolan_catch(&ex, &err), PORTOLAN_OK);
    ex = sidl_exception_fill(sidl_SIDLException__create(&ex), "mine", "f.c", 1, "g");
    err = (struct portolan_error){0};
    assert_int_equal(portolan_catch(&ex, &err), PORTOLAN_ECOMPONENT);
    assert_string_equal(err.text, "mine");
}

static enum portolan_answer never_applies(portolan_condition_lookup_fn lookup, void *arg)
{
    (void)lookup, (void)arg;
    return PORTOLAN_NO;
}

static const struct portolan_component asked = {sizeof asked, PORTOLAN_COMPONENT_ABI, "test.Asked",
                                                puppet_create, never_applies};

/* DESCRIBED: what stands in the description of C; the query that an alternative of it gets. */
static portolan_applies_fn query_in_assembly(struct fixture *f, const struct portolan_component *c,
                                             const char *described)
{
    char text[200];

    fixture_open(f);
    snprintf(text, sizeof text, "<component class='%s'>%s</component>", c->class_name, described);
    assert_int_equal(portolan_palette_add_builtin(f->palette, c, text, NULL), PORTOLAN_OK);
    snprintf(text, sizeof text, "<assembly name='a'><instance name='x' class='%s'/></assembly>",
             c->class_name);
    f->assembly = fixture_read(text);
    assert_int_equal(portolan_assembly_join_applies(f->assembly, f->palette, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_framework_build(f->fw, f->assembly, NULL), PORTOLAN_OK);
    return f->assembly->instances[0].alternatives[0].query;
}

static void close_assembly(struct fixture *f)
{
    gov_cca_Services_deleteRef(puppet_services, NULL);
    fixture_close(f);
}

static void classes_are_asked_where_their_descriptions_say_so(void **state)
{
    static const struct portolan_component older = {
        offsetof(struct portolan_component, applies), PORTOLAN_COMPONENT_ABI, "test.Older",
        puppet_create, never_applies}; /* compiled when there was no such function */
    struct fixture f;

    assert_ptr_equal(query_in_assembly(&f, &asked, "<applies query='true'/>"), never_applies);
    assert_string_equal(f.warnings.text, "");
    close_assembly(&f);
    assert_null(query_in_assembly(&f, &asked, ""));
    assert_non_null(
        strstr(f.warnings.text, "class 'test.Asked' can say where it applies and is not"));
    close_assembly(&f);
    assert_null(query_in_assembly(&f, &older, "<applies query='true'/>"));
    assert_non_null(strstr(f.warnings.text, "its descriptor has no function 'applies'"));
    close_assembly(&f);
}

UNIT_TESTS(cmocka_unit_test(ports_are_registered_once_and_found_by_name),
           cmocka_unit_test(get_and_release_must_balance),
           cmocka_unit_test(a_component_may_always_stop_offering_a_port),
           cmocka_unit_test(properties_have_defaults_and_are_copies),
           cmocka_unit_test(services_outlive_their_instance_harmlessly),
           cmocka_unit_test(service_ports_are_there_at_once),
           cmocka_unit_test(the_builder_lists_and_disconnects),
           cmocka_unit_test(max_connections_bounds_a_provides_port),
           cmocka_unit_test(every_class_of_the_palette_is_in_the_repository),
           cmocka_unit_test(classes_are_asked_where_their_descriptions_say_so),
           cmocka_unit_test(status_and_exceptions_convert_both_ways))
