/* SPDX-License-Identifier: BSD-3-Clause */
/* Connection events: their order, what a listener may do, and who releases a port in time. */
#include "fixture.h"

#include "sidl_SIDLException.h"

/* -- listeners that write down what they hear, as "user:ConnectPending " -- */

static char heard[1000];

struct listener {
    struct sidl_object object;
    const char *name;
    gov_cca_Services services; /* borrowed */
    const char *releases;      /* a port to release when its disconnection is pending, or NULL */
    gov_cca_ports_BuilderService builder; /* to try what is not allowed with, or NULL */
    bool throws;
};

static const char *word(enum gov_cca_ports_EventType__enum type)
{
    static const char *const words[] = {"ALL", "ConnectPending", "Connected", "DisconnectPending",
                                        "Disconnected"};

    return words[type];
}

static void listener_hear(void *self, gov_cca_ports_ConnectionEvent event, sidl_BaseInterface *_ex)
{
    struct listener *l = self;
    enum gov_cca_ports_EventType__enum type =
        gov_cca_ports_ConnectionEvent_getEventType(event, _ex);
    gov_cca_TypeMap info = gov_cca_ports_ConnectionEvent_getPortInfo(event, _ex);
    char *port = gov_cca_TypeMap_getString(info, "cca.portName", "", _ex);
    size_t used = strlen(heard);

    snprintf(heard + used, sizeof heard - used, "%s.%s:%s ", l->name, port, word(type));
    if (l->releases && type == gov_cca_ports_EventType_DisconnectPending)
        gov_cca_Services_releasePort(l->services, l->releases, _ex);
    if (l->builder) {
        gov_cca_ComponentID id = gov_cca_Services_getComponentID(l->services, _ex);
        sidl_BaseInterface ex = NULL;

        gov_cca_ports_BuilderService_disconnectAll(l->builder, id, NULL, 0, &ex);
        assert_non_null(ex);
        SIDL_CLEAR(ex);
        gov_cca_Services_unregisterUsesPort(l->services, port, &ex);
        assert_non_null(ex);
        SIDL_CLEAR(ex);
        gov_cca_ComponentID_deleteRef(id, NULL);
    }
    sidl_String_free(port);
    gov_cca_TypeMap_deleteRef(info, NULL);
    if (l->throws)
        SIDL_THROW(*_ex, sidl_SIDLException, "not today");
EXIT:;
}

static const struct gov_cca_ports_ConnectionEventListener__epv listener_epv = {
    .f_connectionActivity = listener_hear};
static const struct sidl_implements listener_implements[] = {
    {&gov_cca_ports_ConnectionEventListener__type, &listener_epv}};
static const struct sidl_class listener_class = {.name = "test.Listener",
                                                 .version = "1",
                                                 .size = sizeof(struct listener),
                                                 .implements = listener_implements,
                                                 .n_implements = 1};

/* -- a part of an assembly that the test plays -- */

struct side {
    gov_cca_Services services;
    gov_cca_ComponentID id;
    struct listener *listener;
};

static struct side join(struct fixture *f, const char *name)
{
    sidl_BaseInterface ex = NULL;
    struct side s = {.services =
                         portolan_framework_get_services(f->fw, name, "test.Image", NULL, &ex)};
    gov_cca_ports_ConnectionEventService events;
    gov_cca_Port port;

    s.id = gov_cca_Services_getComponentID(s.services, &ex);
    s.listener = sidl_object_create(&listener_class, &ex);
    s.listener->name = name;
    s.listener->services = s.services;
    gov_cca_Services_registerUsesPort(s.services, "events", "gov.cca.ports.ConnectionEventService",
                                      NULL, &ex);
    port = gov_cca_Services_getPort(s.services, "events", &ex);
    events = gov_cca_ports_ConnectionEventService__cast(port, &ex);
    gov_cca_ports_ConnectionEventService_addConnectionEventListener(
        events, gov_cca_ports_EventType_ALL,
        sidl_object_facet(s.listener, "gov.cca.ports.ConnectionEventListener"), &ex);
    assert_null(ex);
    gov_cca_Port_deleteRef(port, NULL);
    gov_cca_ports_ConnectionEventService_deleteRef(events, NULL);
    gov_cca_Services_releasePort(s.services, "events", &ex);
    heard[0] = '\0';
    return s;
}

static void leave(struct side *s)
{
    sidl_object_release(s->listener);
    gov_cca_ComponentID_deleteRef(s->id, NULL);
    gov_cca_Services_deleteRef(s->services, NULL);
}

static void use_work(struct side *s)
{
    sidl_BaseInterface ex = NULL;

    gov_cca_Services_registerUsesPort(s->services, "work", "portolan.ports.Work", NULL, &ex);
    assert_null(ex);
}

static void provide_work(struct side *s)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_Port port = portolan_foreign_create(s, "portolan.ports.Work", &ex);

    gov_cca_Services_addProvidesPort(s->services, port, "give", "portolan.ports.Work", NULL, &ex);
    assert_null(ex);
    gov_cca_Port_deleteRef(port, NULL);
}

static gov_cca_ConnectionID connect(struct fixture *f, struct side *user, gov_cca_ComponentID to,
                                    const char *port)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_ConnectionID c = gov_cca_ports_BuilderService_connect(
        portolan_framework_peek_builder(f->fw), user->id, "work", to, port, &ex);

    assert_null(ex);
    return c;
}

static void hold_work(struct side *s)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_Port port = gov_cca_Services_getPort(s->services, "work", &ex);

    assert_null(ex);
    gov_cca_Port_deleteRef(port, NULL);
}

static gov_cca_ComponentID create(struct fixture *f, const char *name, const char *class)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_ComponentID id = gov_cca_ports_BuilderService_createInstance(
        portolan_framework_peek_builder(f->fw), name, class, NULL, &ex);

    assert_null(ex);
    return id;
}

static void expect_heard(const char *expected)
{
    assert_string_equal(heard, expected);
    heard[0] = '\0';
}

static void the_provider_hears_first_of_a_beginning_the_user_of_an_end(void **state)
{
    struct fixture f;
    struct side user, provider;
    sidl_BaseInterface ex = NULL;
    gov_cca_ConnectionID c;

    fixture_open(&f);
    provider = join(&f, "provider");
    user = join(&f, "user");
    use_work(&user);
    provide_work(&provider);
    c = connect(&f, &user, provider.id, "give");
    expect_heard("provider.give:ConnectPending user.work:ConnectPending "
                 "provider.give:Connected user.work:Connected ");
    gov_cca_ports_BuilderService_disconnect(portolan_framework_peek_builder(f.fw), c, 0, &ex);
    assert_null(ex);
    expect_heard("user.work:DisconnectPending provider.give:DisconnectPending "
                 "user.work:Disconnected provider.give:Disconnected ");
    gov_cca_ConnectionID_deleteRef(c, NULL);
    c = connect(&f, &user, provider.id, "give");
    heard[0] = '\0';
    gov_cca_Services_removeProvidesPort(provider.services, "give", &ex);
    assert_null(ex);
    expect_heard("user.work:DisconnectPending provider.give:DisconnectPending "
                 "user.work:Disconnected provider.give:Disconnected ");
    gov_cca_ConnectionID_deleteRef(c, NULL);
    leave(&user);
    leave(&provider);
    fixture_close(&f);
}

static void who_releases_in_time_lets_an_instance_be_destroyed(void **state)
{
    struct fixture f;
    struct side user;
    sidl_BaseInterface ex = NULL;
    gov_cca_ComponentID worker;
    gov_cca_ConnectionID c;

    fixture_open(&f);
    worker = create(&f, "worker", "test.Worker");
    user = join(&f, "user");
    use_work(&user);
    c = connect(&f, &user, worker, "work");
    hold_work(&user);
    heard[0] = '\0';
    gov_cca_ports_BuilderService_destroyInstance(portolan_framework_peek_builder(f.fw), worker, 0,
                                                 &ex);
    assert_int_equal(portolan_catch(&ex, &f.err), PORTOLAN_EPORTINUSE);
    expect_heard("user.work:DisconnectPending "); /* refused: nothing else happened */
    hold_work(&user);
    gov_cca_Services_releasePort(user.services, "work", &ex);
    user.listener->releases = "work";
    gov_cca_ports_BuilderService_destroyInstance(portolan_framework_peek_builder(f.fw), worker, 0,
                                                 &ex);
    assert_null(ex);
    expect_heard("user.work:DisconnectPending user.work:Disconnected ");
    gov_cca_ConnectionID_deleteRef(c, NULL);
    gov_cca_ComponentID_deleteRef(worker, NULL);
    leave(&user);
    fixture_close(&f);
}

static void who_releases_in_time_lets_an_instance_be_replaced(void **state)
{
    struct fixture f;
    struct side user;
    sidl_BaseInterface ex = NULL;
    gov_cca_ComponentID worker;
    gov_cca_ConnectionID c;

    fixture_open(&f);
    worker = create(&f, "worker", "test.Worker");
    user = join(&f, "user");
    use_work(&user);
    c = connect(&f, &user, worker, "work");
    hold_work(&user);
    heard[0] = '\0';
    fixture_expect_error(&f, fixture_replace(&f, "worker", "test.Other"), PORTOLAN_EPORTINUSE,
                         "instance 'worker' cannot be replaced: instance 'user' holds its uses "
                         "port 'work'");
    expect_heard("user.work:DisconnectPending ");
    hold_work(&user); /* the old one is in place */
    gov_cca_Services_releasePort(user.services, "work", &ex);
    user.listener->releases = "work";
    assert_int_equal(fixture_replace(&f, "worker", "test.Other"), PORTOLAN_OK);
    expect_heard("user.work:DisconnectPending user.work:Disconnected "
                 "user.work:ConnectPending user.work:Connected ");
    hold_work(&user);
    gov_cca_Services_releasePort(user.services, "work", &ex);
    gov_cca_ConnectionID_deleteRef(c, NULL);
    gov_cca_ComponentID_deleteRef(worker, NULL);
    leave(&user);
    fixture_close(&f);
}

static void a_proxy_is_heard_coming_between(void **state)
{
    struct fixture f;
    struct side user;
    sidl_BaseInterface ex = NULL;
    gov_cca_ComponentID worker, proxy;
    gov_cca_ConnectionID c;

    fixture_open(&f);
    worker = create(&f, "worker", "test.Worker");
    user = join(&f, "user");
    use_work(&user);
    c = connect(&f, &user, worker, "work");
    hold_work(&user);
    user.listener->releases = "work";
    heard[0] = '\0';
    proxy = portolan_ports_Builder_interpose(portolan_framework_peek_extension(f.fw), c,
                                             "test.WorkProxy", &ex);
    assert_null(ex);
    expect_heard("user.work:DisconnectPending user.work:Disconnected "
                 "user.work:ConnectPending user.work:Connected ");
    user.listener->releases = NULL;
    gov_cca_ConnectionID_deleteRef(c, NULL);
    gov_cca_ComponentID_deleteRef(worker, NULL);
    gov_cca_ComponentID_deleteRef(proxy, NULL);
    leave(&user);
    fixture_close(&f);
}

static void a_port_that_bears_no_proxy_gets_none(void **state)
{
    struct fixture f;
    struct side user;
    sidl_BaseInterface ex = NULL;
    gov_cca_TypeMap map = portolan_typemap_create(&ex);
    gov_cca_ComponentID worker;
    gov_cca_ConnectionID c;

    fixture_open(&f);
    worker = create(&f, "worker", "test.Worker");
    user = join(&f, "user");
    gov_cca_TypeMap_putString(map, "ABLE_TO_PROXY", "false", &ex);
    gov_cca_Services_registerUsesPort(user.services, "work", "portolan.ports.Work", map, &ex);
    gov_cca_TypeMap_deleteRef(map, NULL);
    c = connect(&f, &user, worker, "work");
    assert_null(portolan_ports_Builder_interpose(portolan_framework_peek_extension(f.fw), c,
                                                 "test.WorkProxy", &ex));
    assert_int_equal(portolan_catch(&ex, &f.err), PORTOLAN_EUNSUPPORTED);
    gov_cca_ConnectionID_deleteRef(c, NULL);
    gov_cca_ComponentID_deleteRef(worker, NULL);
    leave(&user);
    fixture_close(&f);
}

static void a_listener_cannot_change_what_it_is_told_of(void **state)
{
    struct fixture f;
    struct side user, provider;
    gov_cca_ConnectionID c;
    sidl_BaseInterface ex = NULL;

    fixture_open(&f);
    provider = join(&f, "provider");
    user = join(&f, "user");
    use_work(&user);
    provide_work(&provider);
    user.listener->builder = portolan_framework_peek_builder(f.fw);
    provider.listener->throws = true;
    c = connect(&f, &user, provider.id, "give");
    gov_cca_ports_BuilderService_disconnect(portolan_framework_peek_builder(f.fw), c, 0, &ex);
    assert_null(ex);
    assert_non_null(
        strstr(f.warnings.text, "instance 'provider': a connection listener failed: not"));
    provider.listener->throws = false;
    gov_cca_ConnectionID_deleteRef(c, NULL);
    leave(&user);
    leave(&provider);
    fixture_close(&f);
}

static void an_instance_that_ends_hears_what_is_to_come_and_then_nothing(void **state)
{
    struct fixture f;
    struct side user, provider;
    sidl_BaseInterface ex = NULL;
    gov_cca_ConnectionID c;

    fixture_open(&f);
    provider = join(&f, "provider");
    user = join(&f, "user");
    use_work(&user);
    provide_work(&provider);
    c = connect(&f, &user, provider.id, "give");
    heard[0] = '\0';
    portolan_framework_release_services(f.fw, user.services, &ex);
    assert_null(ex);
    expect_heard("user.work:DisconnectPending provider.give:DisconnectPending "
                 "provider.give:Disconnected ");
    gov_cca_ConnectionID_deleteRef(c, NULL);
    leave(&user);
    leave(&provider);
    fixture_close(&f);
}

/* -- services of the program -- */

struct maker {
    int made, destroyed;
    bool ended, refuses;
};

static gov_cca_Port maker_create(void *arg, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct maker *m = arg;

    (void)services;
    if (m->refuses) {
        portolan_throw(_ex, PORTOLAN_EUNSUPPORTED, "no more of these");
        return NULL;
    }
    m->made++;
    return portolan_foreign_create(m, "test.Made", _ex);
}

static void maker_destroy(void *arg, gov_cca_Port port)
{
    (void)port;
    ((struct maker *)arg)->destroyed++;
}

static void maker_end(void *arg)
{
    ((struct maker *)arg)->ended = true;
}

static void a_service_of_the_program_makes_one_port_per_uses_port(void **state)
{
    struct maker m = {.made = 0};
    const struct portolan_service service = {.type = "test.Made",
                                             .arg = &m,
                                             .create = maker_create,
                                             .destroy = maker_destroy,
                                             .end = maker_end};
    struct fixture f;
    struct side user;
    sidl_BaseInterface ex = NULL;

    fixture_open(&f);
    assert_int_equal(portolan_framework_serve(f.fw, &service, &f.err), PORTOLAN_OK);
    assert_int_equal(portolan_framework_serve(f.fw, &service, NULL), PORTOLAN_EEXISTS);
    assert_false(m.ended);
    user = join(&f, "user");
    gov_cca_Services_registerUsesPort(user.services, "a", "test.Made", NULL, &ex);
    gov_cca_Services_registerUsesPort(user.services, "b", "test.Made", NULL, &ex);
    assert_ptr_equal(portolan_foreign_get(user.services, "a", "test.Made", &ex), &m);
    gov_cca_Services_releasePort(user.services, "a", &ex);
    assert_int_equal(m.made, 2);
    gov_cca_Services_unregisterUsesPort(user.services, "a", &ex);
    assert_null(ex);
    assert_int_equal(m.destroyed, 1);
    m.refuses = true;
    gov_cca_Services_registerUsesPort(user.services, "c", "test.Made", NULL, &ex);
    assert_int_equal(portolan_catch(&ex, &f.err), PORTOLAN_EUNSUPPORTED);
    assert_int_equal(portolan_framework_unserve(f.fw, "test.Made", NULL), PORTOLAN_OK);
    assert_true(m.ended);
    assert_int_equal(m.destroyed, 2);
    assert_null(gov_cca_Services_getPortNonblocking(user.services, "b", &ex));
    assert_int_equal(portolan_framework_unserve(f.fw, "test.Made", NULL), PORTOLAN_ENOTFOUND);
    leave(&user);
    fixture_close(&f);
}

UNIT_TESTS(cmocka_unit_test(the_provider_hears_first_of_a_beginning_the_user_of_an_end),
           cmocka_unit_test(who_releases_in_time_lets_an_instance_be_destroyed),
           cmocka_unit_test(who_releases_in_time_lets_an_instance_be_replaced),
           cmocka_unit_test(a_proxy_is_heard_coming_between),
           cmocka_unit_test(a_port_that_bears_no_proxy_gets_none),
           cmocka_unit_test(a_listener_cannot_change_what_it_is_told_of),
           cmocka_unit_test(an_instance_that_ends_hears_what_is_to_come_and_then_nothing),
           cmocka_unit_test(a_service_of_the_program_makes_one_port_per_uses_port))
