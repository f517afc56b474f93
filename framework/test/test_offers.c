/* SPDX-License-Identifier: BSD-3-Clause */
/* Services that components offer: taken back, replaced, asked for by a component that is replaced.
 */
#include "fixture.h"

/* -- test.Offer and test.Better offer test.Thing, the address of their class -- */

struct offer {
    struct sidl_object object;
};

static void set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    gov_cca_ports_ServiceRegistry registry = NULL;
    gov_cca_Port port, thing = NULL;

    gov_cca_Services_registerUsesPort(services, "registry", "gov.cca.ports.ServiceRegistry", NULL,
                                      _ex);
    SIDL_CHECK(*_ex);
    port = gov_cca_Services_getPort(services, "registry", _ex);
    SIDL_CHECK(*_ex);
    registry = gov_cca_ports_ServiceRegistry__cast(port, _ex);
    gov_cca_Port_deleteRef(port, NULL);
    gov_cca_Services_releasePort(services, "registry", _ex);
    thing = portolan_foreign_create((void *)((struct sidl_object *)self)->cls, "test.Thing", _ex);
    assert_true(
        gov_cca_ports_ServiceRegistry_addSingletonService(registry, "test.Thing", thing, _ex));
EXIT:
    gov_cca_Port_deleteRef(thing, NULL);
    gov_cca_ports_ServiceRegistry_deleteRef(registry, NULL);
}

static const struct gov_cca_Component__epv offer_epv = {.f_setServices = set_services};
static const struct sidl_implements offer_implements[] = {{&gov_cca_Component__type, &offer_epv}};
static const struct sidl_class offer_class = {.name = "test.Offer",
                                              .version = "1",
                                              .size = sizeof(struct offer),
                                              .implements = offer_implements,
                                              .n_implements = 1};
static const struct sidl_class better_class = {.name = "test.Better",
                                               .version = "1",
                                               .size = sizeof(struct offer),
                                               .implements = offer_implements,
                                               .n_implements = 1};

static gov_cca_Component create_offer(sidl_BaseInterface *_ex)
{
    return sidl_object_facet(sidl_object_create(&offer_class, _ex), "gov.cca.Component");
}

static gov_cca_Component create_better(sidl_BaseInterface *_ex)
{
    return sidl_object_facet(sidl_object_create(&better_class, _ex), "gov.cca.Component");
}

static const struct portolan_component offer = {sizeof offer, PORTOLAN_COMPONENT_ABI, "test.Offer",
                                                create_offer, NULL};
static const struct portolan_component better = {sizeof better, PORTOLAN_COMPONENT_ABI,
                                                 "test.Better", create_better, NULL};

static void open_fixture(struct fixture *f)
{
    fixture_open(f);
    assert_int_equal(
        portolan_palette_add_builtin(f->palette, &offer, "<component class='test.Offer'/>", NULL),
        PORTOLAN_OK);
    assert_int_equal(
        portolan_palette_add_builtin(f->palette, &better, "<component class='test.Better'/>", NULL),
        PORTOLAN_OK);
}

static gov_cca_Services join(struct fixture *f, const char *name)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_Services s = portolan_framework_get_services(f->fw, name, "test.Image", NULL, &ex);

    assert_null(ex);
    return s;
}

static void use_thing(gov_cca_Services s)
{
    sidl_BaseInterface ex = NULL;

    gov_cca_Services_registerUsesPort(s, "thing", "test.Thing", NULL, &ex);
    assert_null(ex);
}

static const void *fetch_thing(gov_cca_Services s)
{
    sidl_BaseInterface ex = NULL;
    void *thing = portolan_foreign_get(s, "thing", "test.Thing", &ex);

    assert_null(ex);
    gov_cca_Services_releasePort(s, "thing", &ex);
    assert_null(ex);
    return thing;
}

static void users_of_an_instance_that_is_replaced_go_over(void **state)
{
    struct fixture f;
    gov_cca_Services user;
    gov_cca_ComponentID id;
    sidl_BaseInterface ex = NULL;

    open_fixture(&f);
    id = gov_cca_ports_BuilderService_createInstance(portolan_framework_peek_builder(f.fw), "o",
                                                     "test.Offer", NULL, &ex);
    user = join(&f, "user");
    use_thing(user);
    assert_ptr_equal(fetch_thing(user), &offer_class);
    assert_int_equal(fixture_replace(&f, "o", "test.Better"), PORTOLAN_OK);
    assert_ptr_equal(fetch_thing(user), &better_class);
    assert_true(fixture_replace(&f, "o", "test.Fails") != PORTOLAN_OK);
    assert_ptr_equal(fetch_thing(user), &better_class);
    gov_cca_ports_BuilderService_destroyInstance(portolan_framework_peek_builder(f.fw), id, 0, &ex);
    assert_null(ex);
    assert_null(gov_cca_Services_getPortNonblocking(user, "thing", &ex));
    gov_cca_ComponentID_deleteRef(id, NULL);
    gov_cca_Services_deleteRef(user, NULL);
    fixture_close(&f);
}

/* -- a provider whose destroyService takes the port back -- */

struct provider {
    struct sidl_object object;
    gov_cca_Services services; /* borrowed */
    int made, destroyed;
};

static char *provider_create(void *self, const char *type, sidl_BaseInterface *_ex)
{
    struct provider *p = self;
    gov_cca_Port port = portolan_foreign_create(p, type, _ex);
    char name[20];

    snprintf(name, sizeof name, "thing%d", p->made++);
    gov_cca_Services_addProvidesPort(p->services, port, name, type, NULL, _ex);
    gov_cca_Port_deleteRef(port, NULL);
    return sidl_String_strdup(name);
}

static void provider_destroy(void *self, const char *name, sidl_BaseInterface *_ex)
{
    struct provider *p = self;

    p->destroyed++;
    gov_cca_Services_removeProvidesPort(p->services, name, _ex);
}

static const struct gov_cca_ports_ServiceProvider__epv provider_epv = {
    .f_createService = provider_create, .f_destroyService = provider_destroy};
static const struct sidl_implements provider_implements[] = {
    {&gov_cca_ports_ServiceProvider__type, &provider_epv}};
static const struct sidl_class provider_class = {.name = "test.Provider",
                                                 .version = "1",
                                                 .size = sizeof(struct provider),
                                                 .implements = provider_implements,
                                                 .n_implements = 1};

static struct provider *serve(gov_cca_Services services)
{
    sidl_BaseInterface ex = NULL;
    struct provider *p = sidl_object_create(&provider_class, &ex);
    gov_cca_ports_ServiceRegistry registry;
    gov_cca_Port port;

    p->services = services;
    gov_cca_Services_registerUsesPort(services, "registry", "gov.cca.ports.ServiceRegistry", NULL,
                                      &ex);
    port = gov_cca_Services_getPort(services, "registry", &ex);
    registry = gov_cca_ports_ServiceRegistry__cast(port, &ex);
    gov_cca_Port_deleteRef(port, NULL);
    gov_cca_Services_releasePort(services, "registry", &ex);
    assert_true(gov_cca_ports_ServiceRegistry_addService(
        registry, "test.Thing", sidl_object_facet(p, "gov.cca.ports.ServiceProvider"), &ex));
    assert_null(ex);
    gov_cca_ports_ServiceRegistry_deleteRef(registry, NULL);
    return p;
}

static void a_served_port_is_taken_back_once_whoever_begins(void **state)
{
    struct fixture f;
    gov_cca_Services user, server;
    struct provider *p;
    sidl_BaseInterface ex = NULL;

    open_fixture(&f);
    server = join(&f, "server");
    user = join(&f, "user");
    p = serve(server);
    use_thing(user);
    assert_ptr_equal(fetch_thing(user), p);
    gov_cca_Services_unregisterUsesPort(user, "thing", &ex); /* the user begins */
    assert_null(ex);
    assert_int_equal(p->destroyed, 1);
    use_thing(user);
    gov_cca_Services_removeProvidesPort(server, "thing1", &ex); /* the provider begins */
    assert_null(ex);
    assert_int_equal(p->destroyed, 1);
    assert_null(gov_cca_Services_getPortNonblocking(user, "thing", &ex));
    gov_cca_Services_unregisterUsesPort(user, "thing", &ex);
    use_thing(user);
    portolan_framework_release_services(f.fw, server, &ex); /* the provider goes */
    assert_null(ex);
    assert_int_equal(p->destroyed, 1);
    assert_int_equal(p->made, 3);
    sidl_object_release(p);
    gov_cca_Services_deleteRef(user, NULL);
    gov_cca_Services_deleteRef(server, NULL);
    fixture_close(&f);
}

UNIT_TESTS(cmocka_unit_test(users_of_an_instance_that_is_replaced_go_over),
           cmocka_unit_test(a_served_port_is_taken_back_once_whoever_begins))
