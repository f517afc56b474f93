/* SPDX-License-Identifier: BSD-3-Clause */
/* gov.cca.Services but for what makes ports; Port, GoPort. */
#include "world.h"

static gov_cca_ComponentID provider_of(struct world *w, gov_cca_ConnectionID c)
{
    gov_cca_ComponentID id = gov_cca_ConnectionID_getProvider(c, &w->ex);

    return world_keep(w, id);
}

static void disconnect(struct world *w, gov_cca_ConnectionID c)
{
    gov_cca_ports_BuilderService_disconnect(w->builder, c, 0.01F, &w->ex);
}

/* -- getPort -- */

SENTENCE(SV_01, "getPort fetches the port that a registered uses port is connected to")
{
    make_pair(w);
    assert_int_equal(call_go(w, get(w, "user", "in")), 0);
    release(w, "user", "in");
    expect_journal("user:set provider:set out ");
}

SENTENCE(SV_02, "getPort also fetches a port that the component itself has added")
{
    make(w, "a");
    provides(w, "a", "own");
    assert_int_equal(call_go(w, get(w, "a", "own")), 0);
    release(w, "a", "own");
    expect_journal("a:set own ");
}

SENTENCE(SV_03,
         "getPort never returns null: when there is no connection, PortNotConnected is thrown")
{
    make(w, "a");
    uses(w, "a", "in");
    assert_null(gov_cca_Services_getPort(services_of("a"), "in", &w->ex));
    refused(w, PortNotConnected);
}

SENTENCE(SV_04, "getPort of a name that was neither registered nor added throws PortNotDefined")
{
    make(w, "a");
    assert_null(gov_cca_Services_getPort(services_of("a"), "in", &w->ex));
    refused(w, PortNotDefined);
}

SENTENCE(SV_05,
         "a port stays valid until releasePort: when its user listens for no disconnect events, "
         "its connection is not broken before")
{
    gov_cca_ConnectionID c = make_pair(w);
    gov_cca_Port port = get(w, "user", "in");

    disconnect(w, c);
    refused_somehow(w);
    assert_int_equal(call_go(w, port), 0);
    provider_of(w, c);
    good(w);
    release(w, "user", "in");
    disconnect(w, c);
    good(w);
}

/* -- getPortNonblocking -- */

SENTENCE(SV_07, "getPortNonblocking returns the port when it is connected")
{
    gov_cca_Port port;

    make_pair(w);
    port = world_keep(w, gov_cca_Services_getPortNonblocking(services_of("user"), "in", &w->ex));
    good(w);
    assert_non_null(port);
    assert_int_equal(call_go(w, port), 0);
    release(w, "user", "in");
}

SENTENCE(SV_08, "getPortNonblocking returns a port that the component itself provides")
{
    gov_cca_Port port;

    make(w, "a");
    provides(w, "a", "own");
    port = world_keep(w, gov_cca_Services_getPortNonblocking(services_of("a"), "own", &w->ex));
    good(w);
    assert_non_null(port);
    assert_int_equal(call_go(w, port), 0);
    release(w, "a", "own");
}

SENTENCE(SV_09, "getPortNonblocking returns null when the port is registered but not connected")
{
    make(w, "a");
    uses(w, "a", "in");
    assert_null(gov_cca_Services_getPortNonblocking(services_of("a"), "in", &w->ex));
    good(w);
}

SENTENCE(SV_10, "getPortNonblocking throws PortNotDefined when the port is neither registered nor "
                "provided")
{
    make(w, "a");
    assert_null(gov_cca_Services_getPortNonblocking(services_of("a"), "in", &w->ex));
    refused(w, PortNotDefined);
}

SENTENCE(SV_11, "a port of getPortNonblocking remains valid like one of getPort")
{
    gov_cca_ConnectionID c = make_pair(w);
    gov_cca_Port port =
        world_keep(w, gov_cca_Services_getPortNonblocking(services_of("user"), "in", &w->ex));

    disconnect(w, c);
    refused_somehow(w);
    assert_int_equal(call_go(w, port), 0);
    release(w, "user", "in");
}

/* -- releasePort -- */

SENTENCE(SV_12, "releasePort tells the framework that the component has finished with the port")
{
    gov_cca_ConnectionID c = make_pair(w);

    get(w, "user", "in");
    release(w, "user", "in");
    disconnect(w, c);
    good(w);
}

SENTENCE(SV_13, "calls of getPort and releasePort are paired: two gets need two releases")
{
    gov_cca_ConnectionID c = make_pair(w);

    get(w, "user", "in");
    get(w, "user", "in");
    release(w, "user", "in");
    disconnect(w, c);
    refused_somehow(w);
    release(w, "user", "in");
    disconnect(w, c);
    good(w);
}

SENTENCE(SV_14, "an extra releasePort may throw PortNotInUse, and does no harm")
{
    make_pair(w);
    get(w, "user", "in");
    release(w, "user", "in");
    gov_cca_Services_releasePort(services_of("user"), "in", &w->ex);
    if (w->ex)
        refused(w, PortNotInUse);
    assert_int_equal(call_go(w, get(w, "user", "in")), 0);
    release(w, "user", "in");
}

SENTENCE(SV_15, "releasePort of a port that is not defined throws PortNotDefined")
{
    make(w, "a");
    gov_cca_Services_releasePort(services_of("a"), "in", &w->ex);
    refused(w, PortNotDefined);
}

SENTENCE(SV_16, "releasePort of a port that was never fetched throws PortNotInUse")
{
    make_pair(w);
    gov_cca_Services_releasePort(services_of("user"), "in", &w->ex);
    refused(w, PortNotInUse);
}

/* -- createTypeMap -- */

SENTENCE(SV_17, "createTypeMap makes a map that is empty at first")
{
    same_names(gov_cca_TypeMap_getAllKeys(new_map(w), T(NoType), &w->ex), "");
    good(w);
}

/* -- getComponentID, registerForRelease -- */

SENTENCE(SV_47, "getComponentID refers to the component that the Services belong to")
{
    gov_cca_ComponentID id;

    make(w, "a");
    make(w, "b");
    id = world_keep(w, gov_cca_Services_getComponentID(services_of("a"), &w->ex));
    good(w);
    same_text(gov_cca_ComponentID_getInstanceName(id, &w->ex), "a");
    provides(w, "a", "out");
    same_names(gov_cca_ports_BuilderService_getProvidedPortNames(w->builder, id, &w->ex), "out ");
}

SENTENCE(SV_48,
         "the callback of registerForRelease is called when the component is to be destroyed")
{
    gov_cca_ComponentRelease callback = release_create("callback", &w->ex);

    behaviour.not_for_release = true;
    make(w, "a");
    gov_cca_Services_registerForRelease(services_of("a"), callback, &w->ex);
    drop(callback);
    good(w);
    expect_journal("a:set ");
    gov_cca_ports_BuilderService_destroyInstance(w->builder, id_of(w, "a"), 0, &w->ex);
    good(w);
    expect_journal("callback:release a:destroy ");
}

static void use_services(struct part *p, gov_cca_Services services, void *arg,
                         sidl_BaseInterface *_ex)
{
    gov_cca_ComponentID id = gov_cca_Services_getComponentID(services, _ex);
    gov_cca_TypeMap map;

    (void)arg;
    SIDL_CHECK(*_ex);
    drop(id);
    map = gov_cca_Services_getPortProperties(services, "in", _ex);
    SIDL_CHECK(*_ex);
    drop(map);
    gov_cca_Services_unregisterUsesPort(services, "in", _ex);
    SIDL_CHECK(*_ex);
    journal_add("%s:used", p->name);
EXIT:;
}

SENTENCE(SV_49, "while the release callback runs, the Services are still valid")
{
    behaviour.end = use_services;
    make(w, "a");
    uses(w, "a", "in");
    gov_cca_ports_BuilderService_destroyInstance(w->builder, id_of(w, "a"), 0, &w->ex);
    good(w);
    expect_journal("a:set a:release a:used a:destroy ");
}

SENTENCE(SV_50, "every callback that was registered for release is called")
{
    gov_cca_ComponentRelease one = release_create("one", &w->ex),
                             two = release_create("two", &w->ex);

    behaviour.not_for_release = true;
    make(w, "a");
    gov_cca_Services_registerForRelease(services_of("a"), one, &w->ex);
    good(w);
    gov_cca_Services_registerForRelease(services_of("a"), two, &w->ex);
    drop(one);
    drop(two);
    good(w);
    journal[0] = '\0';
    gov_cca_ports_BuilderService_destroyInstance(w->builder, id_of(w, "a"), 0, &w->ex);
    good(w);
    assert_non_null(strstr(journal, "one:release "));
    assert_non_null(strstr(journal, "two:release "));
}

SENTENCE(SV_52, "each component has Services of its own")
{
    make(w, "a");
    make(w, "b");
    assert_false(same_object(services_of("a"), services_of("b")));
    uses(w, "a", "in");
    assert_null(gov_cca_Services_getPortNonblocking(services_of("b"), "in", &w->ex));
    refused(w, PortNotDefined);
}

/* -- Port, GoPort -- */

SENTENCE(PT_01, "every port derives from gov.cca.Port")
{
    gov_cca_Port port;

    make_pair(w);
    port = get(w, "user", "in");
    assert_true(gov_cca_Port_isType(port, "gov.cca.Port", &w->ex));
    release(w, "user", "in");
}

static void go_returns(struct world *w, int result)
{
    gov_cca_Port go = go_create("go", result, &w->ex);

    good(w);
    make(w, "user");
    make(w, "provider");
    gov_cca_Services_addProvidesPort(services_of("provider"), go, "out", GO_TYPE, NULL, &w->ex);
    drop(go);
    uses(w, "user", "in");
    join(w, "user", "in", "provider", "out");
    assert_int_equal(call_go(w, get(w, "user", "in")), result);
    release(w, "user", "in");
}

SENTENCE(GO_01, "go runs what the component encapsulates and returns 0 when all is well")
{
    go_returns(w, 0);
    assert_non_null(strstr(journal, "go "));
}

SENTENCE(GO_02, "go returns -1 after an internal error; the component may be used further")
{
    go_returns(w, -1);
    assert_int_equal(call_go(w, get(w, "user", "in")), -1);
    release(w, "user", "in");
}

SENTENCE(GO_03, "go returns -2 after an error that leaves the component unusable")
{
    go_returns(w, -2);
}

static const struct conformance_sentence sentences[] = {
    TESTED(PT_01),
    TESTED(SV_01),
    TESTED(SV_02),
    TESTED(SV_03),
    TESTED(SV_04),
    TESTED(SV_05),
    NOT_COVERED(SV_06, "getPort may wait or go through some machinations before it gives up",
                "a permission; nothing can fail"),
    TESTED(SV_07),
    TESTED(SV_08),
    TESTED(SV_09),
    TESTED(SV_10),
    TESTED(SV_11),
    TESTED(SV_12),
    TESTED(SV_13),
    TESTED(SV_14),
    TESTED(SV_15),
    TESTED(SV_16),
    TESTED(SV_17),
    TESTED(SV_47),
    TESTED(SV_48),
    TESTED(SV_49),
    TESTED(SV_50),
    NOT_COVERED(SV_51, "after the release callbacks the Services must not be used",
                "the behaviour is undefined"),
    TESTED(SV_52),
    TESTED(GO_01),
    TESTED(GO_02),
    TESTED(GO_03),
};
GROUP(services, "Services: getting and releasing; Port, GoPort", sentences);
