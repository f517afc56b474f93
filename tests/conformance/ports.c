/* SPDX-License-Identifier: BSD-3-Clause */
/* gov.cca.Services: registering, adding, removing ports, and their properties. */
#include "world.h"

static void register_with(struct world *w, const char *instance, const char *port,
                          gov_cca_TypeMap properties)
{
    gov_cca_Services_registerUsesPort(services_of(instance), port, GO_TYPE, properties, &w->ex);
}

static gov_cca_TypeMap properties_of(struct world *w, const char *instance, const char *port)
{
    gov_cca_TypeMap map = gov_cca_Services_getPortProperties(services_of(instance), port, &w->ex);

    good(w);
    assert_non_null(map);
    return world_keep(w, map);
}

/* -- registerUsesPort -- */

SENTENCE(SV_18, "registerUsesPort announces a port that getPort will retrieve later")
{
    make(w, "user");
    make(w, "provider");
    provides(w, "provider", "out");
    assert_null(gov_cca_Services_getPort(services_of("user"), "in", &w->ex));
    refused(w, PortNotDefined);
    uses(w, "user", "in");
    join(w, "user", "in", "provider", "out");
    get(w, "user", "in");
    release(w, "user", "in");
}

SENTENCE(SV_19, "a port's name is unique within its component, over uses and provides ports: else "
                "registerUsesPort throws PortAlreadyDefined")
{
    make(w, "a");
    uses(w, "a", "one");
    provides(w, "a", "two");
    register_with(w, "a", "one", NULL);
    refused(w, PortAlreadyDefined);
    register_with(w, "a", "two", NULL);
    refused(w, PortAlreadyDefined);
    make(w, "b"); /* another component's names are its own */
    uses(w, "b", "one");
    uses(w, "b", "two");
}

SENTENCE(SV_20, "the properties of registerUsesPort may be null: an empty list")
{
    make(w, "a");
    register_with(w, "a", "in", NULL);
    good(w);
    properties_of(w, "a", "in");
}

SENTENCE(SV_21, "the properties may come from createTypeMap or from any other source")
{
    gov_cca_TypeMap own = map_with_int(w, "n", 3), other;

    other = world_keep(w, gov_cca_AbstractFramework_createTypeMap(w->fw, &w->ex));
    good(w);
    make(w, "a");
    register_with(w, "a", "one", own);
    good(w);
    register_with(w, "a", "two", other);
    good(w);
    register_with(w, "a", "three", properties_of(w, "a", "one"));
    good(w);
}

SENTENCE(SV_22,
         "the properties of registerUsesPort are copied: later changes of the map have no effect")
{
    gov_cca_TypeMap map = map_with_int(w, "n", 1);

    make(w, "a");
    register_with(w, "a", "in", map);
    gov_cca_TypeMap_putInt(map, "n", 2, &w->ex);
    gov_cca_TypeMap_putString(map, "later", "x", &w->ex);
    good(w);
    map = properties_of(w, "a", "in");
    assert_int_equal(gov_cca_TypeMap_getInt(map, "n", 1, &w->ex), 1);
    assert_false(gov_cca_TypeMap_hasKey(map, "later", &w->ex));
}

SENTENCE(SV_23, "MAX_CONNECTIONS of a uses port is 1 unless it says otherwise")
{
    make_pair(w);
    make(w, "second");
    provides(w, "second", "out");
    assert_null(try_join(w, "user", "in", "second", "out"));
    refused_somehow(w);
    assert_int_equal(call_go(w, get(w, "user", "in")), 0);
    release(w, "user", "in");
}

SENTENCE(SV_24,
         "MAX_CONNECTIONS is a number in string form or \"unlimited\"; a framework may refuse "
         "what it cannot do")
{
    make(w, "provider");
    provides(w, "provider", "out");
    make(w, "a");
    register_with(w, "a", "one", map_with_string(w, "MAX_CONNECTIONS", "1"));
    good(w);
    join(w, "a", "one", "provider", "out");
    register_with(w, "a", "all", map_with_string(w, "MAX_CONNECTIONS", "unlimited"));
    if (w->ex) {
        refused_somehow(w);
        return;
    }
    for (int i = 0; i < 3; i++)
        join(w, "a", "all", "provider", "out");
    get(w, "a", "all");
    release(w, "a", "all");
}

SENTENCE(SV_25, "MIN_CONNECTIONS is 0 by default: a uses port may stay unconnected")
{
    make(w, "a");
    uses(w, "a", "in");
    make_pair(w);
    get(w, "user", "in");
    release(w, "user", "in");
}

SENTENCE(SV_26,
         "MIN_CONNECTIONS (a number) and ABLE_TO_PROXY (\"true\", \"false\") in string form are "
         "recognized")
{
    gov_cca_TypeMap map = map_with_string(w, "MIN_CONNECTIONS", "1");

    gov_cca_TypeMap_putString(map, "ABLE_TO_PROXY", "true", &w->ex);
    good(w);
    make(w, "a");
    register_with(w, "a", "in", map);
    good(w);
}

/* -- unregisterUsesPort -- */

SENTENCE(SV_28, "after unregisterUsesPort the port is not there any more")
{
    make_pair(w);
    gov_cca_Services_unregisterUsesPort(services_of("user"), "in", &w->ex);
    good(w);
    assert_null(gov_cca_Services_getPort(services_of("user"), "in", &w->ex));
    refused(w, PortNotDefined);
    uses(w, "user", "in"); /* the name is free again */
}

SENTENCE(SV_29, "unregisterUsesPort of a port in use throws UsesPortNotReleased")
{
    gov_cca_Port port;

    make_pair(w);
    port = get(w, "user", "in");
    gov_cca_Services_unregisterUsesPort(services_of("user"), "in", &w->ex);
    refused(w, UsesPortNotReleased);
    assert_int_equal(call_go(w, port), 0);
    release(w, "user", "in");
    gov_cca_Services_unregisterUsesPort(services_of("user"), "in", &w->ex);
    good(w);
}

SENTENCE(SV_30, "unregisterUsesPort of a port that was not registered throws PortNotDefined")
{
    make(w, "a");
    gov_cca_Services_unregisterUsesPort(services_of("a"), "in", &w->ex);
    refused(w, PortNotDefined);
}

/* -- addProvidesPort -- */

SENTENCE(SV_31, "addProvidesPort makes a port available for connection to other components")
{
    make(w, "user");
    make(w, "provider");
    uses(w, "user", "in");
    assert_null(try_join(w, "user", "in", "provider", "out"));
    refused_somehow(w);
    provides(w, "provider", "out");
    join(w, "user", "in", "provider", "out");
}

SENTENCE(SV_32, "what is made available is the object given: the users' calls reach it")
{
    gov_cca_Port go = go_create("ran", 7, &w->ex);

    good(w);
    make(w, "user");
    make(w, "provider");
    gov_cca_Services_addProvidesPort(services_of("provider"), go, "out", GO_TYPE, NULL, &w->ex);
    drop(go); /* the framework holds its own */
    good(w);
    uses(w, "user", "in");
    join(w, "user", "in", "provider", "out");
    journal[0] = '\0';
    assert_int_equal(call_go(w, get(w, "user", "in")), 7);
    expect_journal("ran ");
    release(w, "user", "in");
}

static void add_again(struct world *w, const char *port)
{
    gov_cca_Port go = go_create(port, 0, &w->ex);

    gov_cca_Services_addProvidesPort(services_of("a"), go, port, GO_TYPE, NULL, &w->ex);
    drop(go);
}

SENTENCE(
    SV_33,
    "a provides port's name is unique within its component, over uses and provides ports: else "
    "addProvidesPort throws PortAlreadyDefined")
{
    make(w, "a");
    uses(w, "a", "one");
    provides(w, "a", "two");
    add_again(w, "one");
    refused(w, PortAlreadyDefined);
    add_again(w, "two");
    refused(w, PortAlreadyDefined);
    make(w, "b");
    provides(w, "b", "one");
    provides(w, "b", "two");
}

SENTENCE(SV_34, "the properties of addProvidesPort may be null: an empty list")
{
    make(w, "a");
    provides_as(w, "a", "out", GO_TYPE, NULL);
    properties_of(w, "a", "out");
}

SENTENCE(SV_35,
         "the properties of addProvidesPort are copied: later changes of the map have no effect")
{
    gov_cca_TypeMap map = map_with_int(w, "n", 1);

    make(w, "a");
    provides_as(w, "a", "out", GO_TYPE, map);
    gov_cca_TypeMap_putInt(map, "n", 2, &w->ex);
    gov_cca_TypeMap_putString(map, "later", "x", &w->ex);
    good(w);
    map = properties_of(w, "a", "out");
    assert_int_equal(gov_cca_TypeMap_getInt(map, "n", 1, &w->ex), 1);
    assert_false(gov_cca_TypeMap_hasKey(map, "later", &w->ex));
}

static void connect_users(struct world *w, int n, int allowed)
{
    for (int i = 0; i < n; i++) {
        char name[20];

        snprintf(name, sizeof name, "user%d", i);
        make(w, name);
        uses(w, name, "in");
        if (i < allowed) {
            join(w, name, "in", "provider", "out");
        } else {
            assert_null(try_join(w, name, "in", "provider", "out"));
            refused_somehow(w);
        }
    }
}

SENTENCE(
    SV_36,
    "a provides port takes as many connections as its MAX_CONNECTIONS (a number in string form) "
    "says")
{
    make(w, "provider");
    provides_as(w, "provider", "out", GO_TYPE, map_with_string(w, "MAX_CONNECTIONS", "2"));
    connect_users(w, 4, 2);
}

SENTENCE(SV_37,
         "with MAX_CONNECTIONS \"unlimited\" a provides port takes any number of connections")
{
    make(w, "provider");
    provides_as(w, "provider", "out", GO_TYPE, map_with_string(w, "MAX_CONNECTIONS", "unlimited"));
    connect_users(w, 12, 12);
}

SENTENCE(SV_53,
         "MIN_CONNECTIONS and ABLE_TO_PROXY in string form are recognized for provides ports, too")
{
    gov_cca_TypeMap map = map_with_string(w, "MIN_CONNECTIONS", "1");

    gov_cca_TypeMap_putString(map, "ABLE_TO_PROXY", "false", &w->ex);
    good(w);
    make(w, "provider");
    provides_as(w, "provider", "out", GO_TYPE, map);
    connect_users(w, 1, 1);
}

/* -- getPortProperties -- */

SENTENCE(SV_39, "getPortProperties has the port's name as cca.portName")
{
    make(w, "a");
    uses(w, "a", "in");
    provides(w, "a", "out");
    same_text(gov_cca_TypeMap_getString(properties_of(w, "a", "in"), "cca.portName", "?", &w->ex),
              "in");
    same_text(gov_cca_TypeMap_getString(properties_of(w, "a", "out"), "cca.portName", "?", &w->ex),
              "out");
}

SENTENCE(SV_40, "getPortProperties has the port's type as cca.portType")
{
    make(w, "a");
    uses(w, "a", "in");
    provides(w, "a", "out");
    same_text(gov_cca_TypeMap_getString(properties_of(w, "a", "in"), "cca.portType", "?", &w->ex),
              GO_TYPE);
    same_text(gov_cca_TypeMap_getString(properties_of(w, "a", "out"), "cca.portType", "?", &w->ex),
              GO_TYPE);
}

SENTENCE(
    SV_41,
    "getPortProperties has the properties given when the port was registered, or those of them "
    "that the framework honours")
{
    gov_cca_TypeMap map = map_with_string(w, "MAX_CONNECTIONS", "1");

    gov_cca_TypeMap_putInt(map, "n", 5, &w->ex);
    make(w, "a");
    register_with(w, "a", "in", map);
    map = properties_of(w, "a", "in");
    assert_int_equal(gov_cca_TypeMap_getInt(map, "n", 5, &w->ex), 5);
    good(w);
    same_text(gov_cca_TypeMap_getString(map, "MAX_CONNECTIONS", "1", &w->ex), "1");
}

/* -- removeProvidesPort -- */

SENTENCE(SV_42, "after removeProvidesPort the port is not available any more")
{
    make(w, "user");
    uses(w, "user", "in");
    make(w, "provider");
    provides(w, "provider", "out");
    gov_cca_Services_removeProvidesPort(services_of("provider"), "out", &w->ex);
    good(w);
    assert_null(try_join(w, "user", "in", "provider", "out"));
    refused_somehow(w);
    provides(w, "provider", "out"); /* the name is free again */
}

SENTENCE(SV_43, "the object of a removed port must exist only until removeProvidesPort returns")
{
    int before;

    make(w, "a");
    before = parts_alive;
    provides(w, "a", "out");
    assert_int_equal(parts_alive, before + 1);
    gov_cca_Services_removeProvidesPort(services_of("a"), "out", &w->ex);
    good(w);
    assert_int_equal(parts_alive, before);
}

SENTENCE(SV_44, "removeProvidesPort of a name that was not added throws PortNotDefined")
{
    make(w, "a");
    uses(w, "a", "in");
    gov_cca_Services_removeProvidesPort(services_of("a"), "out", &w->ex);
    refused(w, PortNotDefined);
}

SENTENCE(
    SV_45,
    "the framework doesn't dictate when a component stops offering a port: a connected one may "
    "be removed, too")
{
    make_pair(w);
    gov_cca_Services_removeProvidesPort(services_of("provider"), "out", &w->ex);
    good(w);
    assert_null(gov_cca_Services_getPortNonblocking(services_of("user"), "in", &w->ex));
    good(w);
}

static const struct conformance_sentence sentences[] = {
    TESTED(SV_18),
    TESTED(SV_19),
    TESTED(SV_20),
    TESTED(SV_21),
    TESTED(SV_22),
    TESTED(SV_23),
    TESTED(SV_24),
    TESTED(SV_25),
    TESTED(SV_26),
    NOT_COVERED(SV_27,
                "a component need not work when its connection requirements are not satisfied",
                "frees components from a duty; nothing can fail"),
    TESTED(SV_28),
    TESTED(SV_29),
    TESTED(SV_30),
    TESTED(SV_31),
    TESTED(SV_32),
    TESTED(SV_33),
    TESTED(SV_34),
    TESTED(SV_35),
    TESTED(SV_36),
    TESTED(SV_37),
    NOT_COVERED(SV_38, "MAX_CONNECTIONS of a provides port is 1 unless it says otherwise",
                "one provider usually serves several users, and assemblies count on it: Portolan's "
                "default for provides ports is \"unlimited\""),
    TESTED(SV_39),
    TESTED(SV_40),
    TESTED(SV_41),
    TESTED(SV_42),
    TESTED(SV_43),
    TESTED(SV_44),
    TESTED(SV_45),
    NOT_COVERED(SV_46, "the same while a user holds the port",
                "contradicts SV-05; in Portolan the component may (XD-04)"),
    TESTED(SV_53),
};
GROUP(ports, "Services: registering, adding and removing ports", sentences);
