/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits, several connections on one port, time-outs, properties; the program looks like
 * components. */
#include "fixture.h"

#include <pthread.h>

struct side {
    gov_cca_Services services;
    gov_cca_ComponentID id;
};

static struct side join(struct fixture *f, const char *name)
{
    sidl_BaseInterface ex = NULL;
    struct side s = {.services =
                         portolan_framework_get_services(f->fw, name, "test.Image", NULL, &ex)};

    assert_null(ex);
    s.id = gov_cca_Services_getComponentID(s.services, &ex);
    return s;
}

static void leave(struct side *s)
{
    gov_cca_ComponentID_deleteRef(s->id, NULL);
    gov_cca_Services_deleteRef(s->services, NULL);
}

static gov_cca_TypeMap text_property(const char *key, const char *value)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_TypeMap map = portolan_typemap_create(&ex);

    gov_cca_TypeMap_putString(map, key, value, &ex);
    assert_null(ex);
    return map;
}

static void uses(struct side *s, const char *name, const char *max)
{
    gov_cca_TypeMap map = max ? text_property("MAX_CONNECTIONS", max) : NULL;
    sidl_BaseInterface ex = NULL;

    gov_cca_Services_registerUsesPort(s->services, name, "test.Thing", map, &ex);
    assert_null(ex);
    gov_cca_TypeMap_deleteRef(map, NULL);
}

static void provides(struct side *s, const char *name, void *pointer)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_Port port = portolan_foreign_create(pointer, "test.Thing", &ex);

    gov_cca_Services_addProvidesPort(s->services, port, name, "test.Thing", NULL, &ex);
    assert_null(ex);
    gov_cca_Port_deleteRef(port, NULL);
}

static gov_cca_ConnectionID connect(struct fixture *f, struct side *user, const char *port,
                                    struct side *provider, const char *provided,
                                    sidl_BaseInterface *ex)
{
    return gov_cca_ports_BuilderService_connect(portolan_framework_peek_builder(f->fw), user->id,
                                                port, provider->id, provided, ex);
}

static void expect_thrown(sidl_BaseInterface *ex, enum gov_cca_CCAExceptionType__enum type,
                          const char *text)
{
    gov_cca_CCAException e = gov_cca_CCAException__cast(*ex, NULL);
    struct portolan_error err = {0};
    sidl_BaseInterface none = NULL;

    assert_non_null(e);
    assert_int_equal(gov_cca_CCAException_getCCAExceptionType(e, &none), type);
    gov_cca_CCAException_deleteRef(e, NULL);
    portolan_catch(ex, &err);
    if (!strstr(err.text, text))
        fail_msg("text: %s\nexpected: %s", err.text, text);
}

static void a_uses_port_has_as_many_connections_as_it_asks_for(void **state)
{
    struct fixture f;
    struct side user, provider;
    sidl_BaseInterface ex = NULL;
    struct sidl_string__array *names;
    gov_cca_ConnectionID c[3];
    int things[3];
    char *name;

    fixture_open(&f);
    user = join(&f, "user");
    provider = join(&f, "provider");
    uses(&user, "thing", "2");
    for (int i = 0; i < 3; i++) {
        char port[] = {(char)('a' + i), '\0'};

        provides(&provider, port, &things[i]);
        c[i] = connect(&f, &user, "thing", &provider, port, &ex);
        if (i < 2)
            assert_null(ex);
    }
    expect_thrown(&ex, gov_cca_CCAExceptionType_Nonstandard, "takes at most 2 connections");
    assert_null(c[2]);
    assert_ptr_equal(portolan_foreign_get(user.services, "thing", "test.Thing", &ex), &things[0]);
    assert_ptr_equal(portolan_foreign_get(user.services, "thing[1]", "test.Thing", &ex),
                     &things[1]);
    name = gov_cca_ConnectionID_getUserPortName(c[1], &ex);
    assert_string_equal(name, "thing");
    sidl_String_free(name);
    names = gov_cca_ports_BuilderService_getUsedPortNames(portolan_framework_peek_builder(f.fw),
                                                          user.id, &ex);
    assert_int_equal(sidl_string__array_length(names, 0), 1);
    sidl_string__array_deleteRef(names);
    gov_cca_Services_unregisterUsesPort(user.services, "thing", &ex);
    expect_thrown(&ex, gov_cca_CCAExceptionType_UsesPortNotReleased, "has not been released");
    gov_cca_Services_releasePort(user.services, "thing", &ex);
    gov_cca_Services_unregisterUsesPort(user.services, "thing", &ex);
    expect_thrown(&ex, gov_cca_CCAExceptionType_UsesPortNotReleased, "'thing[1]'");
    gov_cca_Services_releasePort(user.services, "thing[1]", &ex);
    /* A place that became free is taken again; the others stay where they are. */
    gov_cca_ports_BuilderService_disconnect(portolan_framework_peek_builder(f.fw), c[0], 0, &ex);
    assert_null(ex);
    assert_null(gov_cca_Services_getPortNonblocking(user.services, "thing", &ex));
    c[2] = connect(&f, &user, "thing", &provider, "c", &ex);
    assert_ptr_equal(portolan_foreign_get(user.services, "thing", "test.Thing", &ex), &things[2]);
    gov_cca_Services_releasePort(user.services, "thing", &ex);
    gov_cca_Services_unregisterUsesPort(user.services, "thing", &ex);
    assert_null(ex);
    for (int i = 0; i < 3; i++)
        gov_cca_ConnectionID_deleteRef(c[i], NULL);
    leave(&user);
    leave(&provider);
    fixture_close(&f);
}

static void properties_that_cannot_be_are_refused(void **state)
{
    static const char *const bad[][2] = {
        {"MAX_CONNECTIONS", "many"},  {"MAX_CONNECTIONS", "-1"}, {"MAX_CONNECTIONS", ""},
        {"MIN_CONNECTIONS", "-2"},    {"MIN_CONNECTIONS", "2"},  {"MIN_CONNECTIONS", "unlimited"},
        {"ABLE_TO_PROXY", "perhaps"},
    };
    struct fixture f;
    struct side s;
    sidl_BaseInterface ex = NULL;
    gov_cca_TypeMap map;

    fixture_open(&f);
    s = join(&f, "s");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        map = text_property(bad[i][0], bad[i][1]);
        gov_cca_Services_registerUsesPort(s.services, "thing", "test.Thing", map, &ex);
        expect_thrown(&ex, gov_cca_CCAExceptionType_BadProperties, bad[i][0]);
        gov_cca_TypeMap_deleteRef(map, NULL);
    }
    uses(&s, "thing", "0");
    provides(&s, "mine", &f);
    assert_null(connect(&f, &s, "thing", &s, "mine", &ex));
    expect_thrown(&ex, gov_cca_CCAExceptionType_Nonstandard, "takes no connection");
    leave(&s);
    fixture_close(&f);
}

static void keys_of_the_framework_are_locked(void **state)
{
    struct fixture f;
    struct side s;
    sidl_BaseInterface ex = NULL;
    gov_cca_ports_BuilderService b;
    gov_cca_TypeMap map, wrong;
    gov_cca_ConnectionID c;

    fixture_open(&f);
    b = portolan_framework_peek_builder(f.fw);
    s = join(&f, "s");
    uses(&s, "thing", NULL);
    provides(&s, "mine", &f);
    c = connect(&f, &s, "thing", &s, "mine", &ex);
    wrong = text_property("cca.className", "other.Class");
    gov_cca_ports_BuilderService_setComponentProperties(b, s.id, wrong, &ex);
    expect_thrown(&ex, gov_cca_CCAExceptionType_BadProperties, "cca.className");
    gov_cca_TypeMap_deleteRef(wrong, NULL);
    wrong = text_property("cca.portType", "other.Thing");
    gov_cca_ports_BuilderService_setPortProperties(b, s.id, "thing", wrong, &ex);
    expect_thrown(&ex, gov_cca_CCAExceptionType_BadProperties, "cca.portType");
    gov_cca_TypeMap_deleteRef(wrong, NULL);
    wrong = text_property("cca.isInUse", "true");
    gov_cca_ports_BuilderService_setConnectionProperties(b, c, wrong, &ex);
    expect_thrown(&ex, gov_cca_CCAExceptionType_BadProperties, "cca.isInUse");
    gov_cca_TypeMap_deleteRef(wrong, NULL);
    /* What was read may be written back, with something new in it. */
    map = gov_cca_ports_BuilderService_getComponentProperties(b, s.id, &ex);
    gov_cca_TypeMap_putInt(map, "weight", 3, &ex);
    gov_cca_ports_BuilderService_setComponentProperties(b, s.id, map, &ex);
    gov_cca_TypeMap_deleteRef(map, NULL);
    map = gov_cca_ports_BuilderService_getConnectionProperties(b, c, &ex);
    assert_false(gov_cca_TypeMap_getBool(map, "cca.isInUse", TRUE, &ex));
    gov_cca_ports_BuilderService_setConnectionProperties(b, c, map, &ex);
    gov_cca_TypeMap_deleteRef(map, NULL);
    portolan_foreign_get(s.services, "thing", "test.Thing", &ex);
    map = gov_cca_ports_BuilderService_getConnectionProperties(b, c, &ex);
    assert_true(gov_cca_TypeMap_getBool(map, "cca.isInUse", FALSE, &ex));
    gov_cca_TypeMap_deleteRef(map, NULL);
    assert_null(ex);
    gov_cca_Services_releasePort(s.services, "thing", &ex);
    gov_cca_ConnectionID_deleteRef(c, NULL);
    leave(&s);
    fixture_close(&f);
}

static void methods_that_declare_nothing_throw_what_every_method_may(void **state)
{
    struct fixture f;
    struct side s;
    sidl_BaseInterface ex = NULL;

    fixture_open(&f);
    s = join(&f, "s");
    assert_null(gov_cca_Services_getPortProperties(s.services, "none", &ex));
    assert_true(SIDL_CATCH(ex, "sidl.RuntimeException"));
    expect_thrown(&ex, gov_cca_CCAExceptionType_PortNotDefined, "has no port 'none'");
    gov_cca_Services_releasePort(s.services, "none", &ex);
    assert_false(SIDL_CATCH(ex, "sidl.RuntimeException"));
    SIDL_CLEAR(ex);
    leave(&s);
    fixture_close(&f);
}

/* -- a time-out is for other threads -- */

struct holder {
    gov_cca_Services services;
    pthread_barrier_t got;
};

static void *hold_for_a_while(void *arg)
{
    struct holder *h = arg;
    sidl_BaseInterface ex = NULL;
    gov_cca_Port port;

    portolan_foreign_get(h->services, "thing", "test.Thing", &ex);
    pthread_barrier_wait(&h->got);
    while ((port = gov_cca_Services_getPortNonblocking(h->services, "thing", &ex))) {
        gov_cca_Port_deleteRef(port, NULL); /* until it is taken away */
        gov_cca_Services_releasePort(h->services, "thing", &ex);
    }
    gov_cca_Services_releasePort(h->services, "thing", &ex);
    SIDL_CLEAR(ex);
    return NULL;
}

static void another_thread_has_the_time_out_to_release_a_port(void **state)
{
    struct fixture f;
    struct side s;
    struct holder h = {0};
    sidl_BaseInterface ex = NULL;
    gov_cca_ConnectionID c;
    pthread_t thread;

    fixture_open(&f);
    s = join(&f, "s");
    uses(&s, "thing", NULL);
    provides(&s, "mine", &f);
    c = connect(&f, &s, "thing", &s, "mine", &ex);
    h.services = s.services;
    pthread_barrier_init(&h.got, NULL, 2);
    assert_int_equal(pthread_create(&thread, NULL, hold_for_a_while, &h), 0);
    pthread_barrier_wait(&h.got);
    gov_cca_ports_BuilderService_disconnect(portolan_framework_peek_builder(f.fw), c, 600, &ex);
    assert_null(ex);
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&h.got);
    gov_cca_ConnectionID_deleteRef(c, NULL);
    leave(&s);
    fixture_close(&f);
}

static void a_time_out_that_is_over_changes_nothing(void **state)
{
    struct fixture f;
    struct side user, provider;
    sidl_BaseInterface ex = NULL;
    gov_cca_ports_BuilderService b;
    gov_cca_ConnectionID c, d;
    int things[2];

    fixture_open(&f);
    b = portolan_framework_peek_builder(f.fw);
    user = join(&f, "user");
    provider = join(&f, "provider");
    uses(&user, "free", NULL);
    uses(&user, "held", NULL);
    provides(&provider, "a", &things[0]);
    provides(&provider, "b", &things[1]);
    c = connect(&f, &user, "free", &provider, "a", &ex);
    d = connect(&f, &user, "held", &provider, "b", &ex);
    portolan_foreign_get(user.services, "held", "test.Thing", &ex);
    gov_cca_ports_BuilderService_disconnectAll(b, user.id, provider.id, 0.001F, &ex);
    expect_thrown(&ex, gov_cca_CCAExceptionType_UsesPortNotReleased, "holds its uses port 'held'");
    /* The one that could have gone is still there, too. */
    assert_ptr_equal(portolan_foreign_get(user.services, "free", "test.Thing", &ex), &things[0]);
    gov_cca_Services_releasePort(user.services, "free", &ex);
    assert_ptr_equal(portolan_foreign_get(user.services, "held", "test.Thing", &ex), &things[1]);
    gov_cca_Services_releasePort(user.services, "held", &ex);
    gov_cca_Services_releasePort(user.services, "held", &ex);
    gov_cca_ports_BuilderService_disconnectAll(b, user.id, NULL, 0, &ex);
    assert_null(ex);
    assert_null(gov_cca_Services_getPortNonblocking(user.services, "free", &ex));
    gov_cca_ConnectionID_deleteRef(c, NULL);
    gov_cca_ConnectionID_deleteRef(d, NULL);
    leave(&user);
    leave(&provider);
    fixture_close(&f);
}

/* -- out of memory -- */

/* Every allocation that the calls make fails once: OutOfMemory, and the port is not there. */
static void out_of_memory_is_a_cca_exception_and_changes_nothing(void **state)
{
    struct fixture f;
    struct side s;
    sidl_BaseInterface ex = NULL;
    gov_cca_TypeMap map = text_property("MAX_CONNECTIONS", "3");
    unsigned long n = 0;

    fixture_open(&f);
    s = join(&f, "s");
    do {
        portolan_alloc_fail_at(++n);
        gov_cca_Services_registerUsesPort(s.services, "thing", "test.Thing", map, &ex);
        portolan_alloc_fail_at(0);
        if (!ex)
            break;
        expect_thrown(&ex, gov_cca_CCAExceptionType_OutOfMemory, "out of memory");
        gov_cca_Services_unregisterUsesPort(s.services, "thing", &ex);
        expect_thrown(&ex, gov_cca_CCAExceptionType_PortNotDefined, "'thing'");
    } while (n < 1000);
    assert_in_range(n, 5, 999);
    gov_cca_TypeMap_deleteRef(map, NULL);
    leave(&s);
    fixture_close(&f);
}

UNIT_TESTS(cmocka_unit_test(a_uses_port_has_as_many_connections_as_it_asks_for),
           cmocka_unit_test(properties_that_cannot_be_are_refused),
           cmocka_unit_test(keys_of_the_framework_are_locked),
           cmocka_unit_test(methods_that_declare_nothing_throw_what_every_method_may),
           cmocka_unit_test(another_thread_has_the_time_out_to_release_a_port),
           cmocka_unit_test(a_time_out_that_is_over_changes_nothing),
           cmocka_unit_test(out_of_memory_is_a_cca_exception_and_changes_nothing))
