/* SPDX-License-Identifier: BSD-3-Clause */
/* Portolan's own group: what it decided where the specification leaves something open. */
#include "params.h"

static void register_with(struct world *w, const char *instance, const char *port, const char *key,
                          const char *value)
{
    gov_cca_Services_registerUsesPort(services_of(instance), port, GO_TYPE,
                                      map_with_string(w, key, value), &w->ex);
}

static void add(struct world *w, gov_cca_Port object, const char *port, const char *type)
{
    gov_cca_Services_addProvidesPort(services_of("a"), object, port, type, NULL, &w->ex);
}

/* "user" with uses port "in" for two connections, the first to out1, the second to out2. */
static void make_places(struct world *w, gov_cca_ConnectionID *first)
{
    make(w, "user");
    make(w, "provider");
    register_with(w, "user", "in", "MAX_CONNECTIONS", "2");
    good(w);
    provides(w, "provider", "out1");
    provides(w, "provider", "out2");
    provides(w, "provider", "out3");
    *first = join(w, "user", "in", "provider", "out1");
    join(w, "user", "in", "provider", "out2");
    journal[0] = '\0';
}

static void place_leads_to(struct world *w, const char *place, const char *word)
{
    call_go(w, get(w, "user", place));
    release(w, "user", place);
    expect_journal(word);
}

SENTENCE(XD_01, "a uses port with several connections has numbered places: \"in\", \"in[1]\", …")
{
    gov_cca_ConnectionID first;

    make_places(w, &first);
    place_leads_to(w, "in", "out1 ");
    place_leads_to(w, "in[1]", "out2 ");
    assert_null(try_join(w, "user", "in", "provider", "out3"));
    refused(w, Nonstandard);
}

SENTENCE(XD_02, "a new connection takes the lowest free place, the others keep theirs")
{
    gov_cca_ConnectionID first;

    make_places(w, &first);
    gov_cca_ports_BuilderService_disconnect(w->builder, first, 0, &w->ex);
    good(w);
    place_leads_to(w, "in[1]", "out2 ");
    join(w, "user", "in", "provider", "out3");
    place_leads_to(w, "in", "out3 ");
}

SENTENCE(XD_03, "a provides port that states no MAX_CONNECTIONS takes any number")
{
    make_pair(w);
    for (int i = 0; i < 5; i++) {
        char name[20];

        snprintf(name, sizeof name, "more%d", i);
        make(w, name);
        uses(w, name, "in");
        join(w, name, "in", "provider", "out");
    }
}

SENTENCE(XD_04, "a component may remove a provides port of its own while others hold it")
{
    make_pair(w);
    get(w, "user", "in");
    gov_cca_Services_removeProvidesPort(services_of("provider"), "out", &w->ex);
    good(w);
    assert_null(gov_cca_Services_getPort(services_of("user"), "in", &w->ex));
    refused(w, PortNotConnected);
    release(w, "user", "in");
}

SENTENCE(XD_05, "release callbacks are called in the order of their registration")
{
    gov_cca_ComponentRelease one = release_create("one", &w->ex);
    gov_cca_ComponentRelease two = release_create("two", &w->ex);

    make(w, "a");
    gov_cca_Services_registerForRelease(services_of("a"), one, &w->ex);
    gov_cca_Services_registerForRelease(services_of("a"), two, &w->ex);
    drop(one);
    drop(two);
    gov_cca_ports_BuilderService_destroyInstance(w->builder, id_of(w, "a"), 0, &w->ex);
    good(w);
    expect_journal("a:set a:release one:release two:release a:destroy ");
}

SENTENCE(XD_06,
         "at shutdown all components are told in reverse order of creation, then destroyed so")
{
    make(w, "a");
    make_pair(w);
    journal[0] = '\0';
    world_shut_down(w);
    expect_journal("provider:release user:release a:release provider:destroy user:destroy "
                   "a:destroy ");
}

SENTENCE(XD_07, "a TypeMap's get of another type throws TypeMismatchException")
{
    gov_cca_TypeMap_getDouble(map_with_int(w, "n", 1), "n", 2.0, &w->ex);
    mismatched(w, T(Double), T(Int));
}

SENTENCE(XD_08, "methods that declare no exception throw one that is a sidl.RuntimeException, too")
{
    make(w, "a");
    assert_null(gov_cca_Services_getPortProperties(services_of("a"), "none", &w->ex));
    assert_true(SIDL_CATCH(w->ex, "sidl.RuntimeException"));
    refused(w, PortNotDefined);
}

static struct world *the_world;

static void end_something(const char *prefix)
{
    sidl_BaseInterface ex = NULL;

    (void)prefix;
    gov_cca_ports_BuilderService_disconnectAll(the_world->builder, id_of(the_world, "user"), NULL,
                                               0, &ex);
    assert_int_equal(exception_type(&ex), CCA(Nonstandard));
    gov_cca_Services_removeProvidesPort(services_of("provider"), "out", &ex);
    assert_int_equal(exception_type(&ex), CCA(Nonstandard));
}

SENTENCE(XD_09, "while a listener is told, what ends ports, connections or instances is refused")
{
    gov_cca_ports_ConnectionEventListener l = listener_create("u", &w->ex);
    gov_cca_ports_ConnectionEventService events;
    gov_cca_Port port;

    make(w, "user");
    make(w, "provider");
    uses(w, "user", "in");
    provides(w, "provider", "out");
    gov_cca_Services_registerUsesPort(services_of("user"), "events",
                                      "gov.cca.ports.ConnectionEventService", NULL, &w->ex);
    port = get(w, "user", "events");
    events = world_keep(w, gov_cca_ports_ConnectionEventService__cast(port, &w->ex));
    gov_cca_ports_ConnectionEventService_addConnectionEventListener(events, EVENT(Connected), l,
                                                                    &w->ex);
    drop(l);
    good(w);
    release(w, "user", "events");
    the_world = w;
    on_event = end_something;
    join(w, "user", "in", "provider", "out");
    assert_true(is_connected(w, "user", "in"));
}

SENTENCE(XD_10, "an empty port name is BadPortName")
{
    gov_cca_Port go = world_keep(w, go_create("go", 0, &w->ex));

    make(w, "a");
    gov_cca_Services_registerUsesPort(services_of("a"), "", GO_TYPE, NULL, &w->ex);
    refused(w, BadPortName);
    add(w, go, "", GO_TYPE);
    refused(w, BadPortName);
}

SENTENCE(XD_11, "an empty type, and an object that is not of the type, are BadPortType")
{
    gov_cca_Port go = world_keep(w, go_create("go", 0, &w->ex));

    make(w, "a");
    gov_cca_Services_registerUsesPort(services_of("a"), "in", "", NULL, &w->ex);
    refused(w, BadPortType);
    add(w, go, "out", "gov.cca.ports.BuilderService");
    refused(w, BadPortType);
}

SENTENCE(XD_12, "a null port is BadPortInfo")
{
    make(w, "a");
    add(w, NULL, "out", GO_TYPE);
    refused(w, BadPortInfo);
}

SENTENCE(XD_13,
         "limits that cannot be, and other values under the framework's keys, are BadProperties")
{
    make(w, "a");
    register_with(w, "a", "in", "MAX_CONNECTIONS", "several");
    refused(w, BadProperties);
    register_with(w, "a", "in", "MIN_CONNECTIONS", "-1");
    refused(w, BadProperties);
    uses(w, "a", "in");
    gov_cca_ports_BuilderService_setComponentProperties(
        w->builder, id_of(w, "a"), map_with_string(w, "cca.className", "other"), &w->ex);
    refused(w, BadProperties);
    gov_cca_ports_BuilderService_setPortProperties(
        w->builder, id_of(w, "a"), "in", map_with_string(w, "cca.portType", "other"), &w->ex);
    refused(w, BadProperties);
}

SENTENCE(XD_14, "connect of ports whose types differ is BadPortType")
{
    make_pair(w);
    gov_cca_Services_registerUsesPort(services_of("user"), "other", "suite.OtherType", NULL,
                                      &w->ex);
    good(w);
    assert_null(try_join(w, "user", "other", "provider", "out"));
    refused(w, BadPortType);
}

SENTENCE(XD_15,
         "disconnect, disconnectAll and destroyInstance of what is held are UsesPortNotReleased")
{
    gov_cca_ConnectionID c = make_pair(w);

    get(w, "user", "in");
    gov_cca_ports_BuilderService_disconnect(w->builder, c, 0.01F, &w->ex);
    refused(w, UsesPortNotReleased);
    gov_cca_ports_BuilderService_disconnectAll(w->builder, id_of(w, "provider"), NULL, 0.01F,
                                               &w->ex);
    refused(w, UsesPortNotReleased);
    gov_cca_ports_BuilderService_destroyInstance(w->builder, id_of(w, "provider"), 0.01F, &w->ex);
    refused(w, UsesPortNotReleased);
    assert_true(is_connected(w, "user", "in"));
    release(w, "user", "in");
}

SENTENCE(XD_17,
         "no such instance or class, a name that is taken, a setServices that throws: Nonstandard")
{
    static const char *const rows[][2] = {
        {"a", PART}, {"b", "suite.NoSuchClass"}, {"b", "suite.Fails"}};

    make(w, "a");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_null(gov_cca_ports_BuilderService_createInstance(w->builder, rows[i][0], rows[i][1],
                                                                NULL, &w->ex));
        refused(w, Nonstandard);
    }
    assert_null(gov_cca_ports_BuilderService_getComponentID(w->builder, "b", &w->ex));
    refused(w, Nonstandard);
}

SENTENCE(XD_18, "parameters of no named group are in the group Main")
{
    struct params p = {0};

    params_begin(w, &p, NULL, "CONFIG");
    F(addRequestInt)(p.factory, p.map, "i", "", "", 1, 0, 9, &w->ex);
    good(w);
    params_publish(w, &p, "CONFIG");
    same_names(P(readGroupKeys)(p.port, "Main", &w->ex), "i ");
    good(w);
}

SENTENCE(XD_19,
         "a map of parameters is written as a whole or not at all; what cannot be is BadProperties")
{
    gov_cca_TypeMap map = map_with_int(w, "i", 7);
    struct params p = {0};

    params_usual(w, &p);
    gov_cca_TypeMap_putDouble(map, "d", 99.0, &w->ex); /* out of bounds */
    P(writeConfigurationMap)(p.port, map, &w->ex);
    refused(w, BadProperties);
    assert_int_equal(gov_cca_TypeMap_getInt(p.map, "i", 0, &w->ex), 5);
    assert_true(gov_cca_TypeMap_getDouble(p.map, "d", 0, &w->ex) == 5);
}

SENTENCE(XD_20, "parameter listeners hear of values that differ from those before")
{
    gov_cca_ports_ParameterSetListener l = set_listener_create(&w->ex);
    gov_cca_TypeMap map = map_with_int(w, "i", 5);
    struct params p = {0};

    params_define(w, &p);
    F(registerUpdatedListener)(p.factory, p.map, l, &w->ex);
    drop(l);
    params_publish(w, &p, "CONFIG");
    gov_cca_TypeMap_putString(map, "s", "green", &w->ex);
    journal[0] = '\0';
    P(writeConfigurationMap)(p.port, map, &w->ex);
    good(w);
    expect_journal("set:CONFIG.s ");
}

static const struct conformance_sentence sentences[] = {
    TESTED(XD_01),
    TESTED(XD_02),
    TESTED(XD_03),
    TESTED(XD_04),
    TESTED(XD_05),
    TESTED(XD_06),
    TESTED(XD_07),
    TESTED(XD_08),
    TESTED(XD_09),
    TESTED(XD_10),
    TESTED(XD_11),
    TESTED(XD_12),
    TESTED(XD_13),
    TESTED(XD_14),
    TESTED(XD_15),
    ELSEWHERE(XD_16, "other threads have the time-out to release a port",
              "framework/test/test_connections.c "
              "another_thread_has_the_time_out_to_release_a_port"),
    TESTED(XD_17),
    TESTED(XD_18),
    TESTED(XD_19),
    TESTED(XD_20),
    ELSEWHERE(
        XD_21,
        "an assembly that leaves a port with fewer connections than MIN_CONNECTIONS is refused",
        "framework/test/test_build.c what_cannot_be_built_is_said_and_taken_down"),
};
GROUP(decisions, "Portolan's decisions (docs/decisions/0012)", sentences);
