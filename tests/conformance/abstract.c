/* SPDX-License-Identifier: BSD-3-Clause */
/* gov.cca.AbstractFramework, ConnectionID. */
#include "world.h"

static gov_cca_Services get_services(struct world *w, const char *name, gov_cca_TypeMap properties)
{
    gov_cca_Services s =
        gov_cca_AbstractFramework_getServices(w->fw, name, "suite.Image", properties, &w->ex);

    return world_keep(w, s);
}

static void release_services(struct world *w, gov_cca_Services services)
{
    gov_cca_AbstractFramework_releaseServices(w->fw, services, &w->ex);
}

/* -- AbstractFramework -- */

SENTENCE(AF_01, "createTypeMap makes an empty map")
{
    gov_cca_TypeMap map = gov_cca_AbstractFramework_createTypeMap(w->fw, &w->ex);

    good(w);
    world_keep(w, map);
    same_names(gov_cca_TypeMap_getAllKeys(map, T(NoType), &w->ex), "");
    gov_cca_TypeMap_putInt(map, "n", 1, &w->ex);
    get_services(w, "other", map); /* what it is for */
    good(w);
}

SENTENCE(AF_02, "getServices is the way to ports, BuilderService among them")
{
    gov_cca_Services s = get_services(w, "other", NULL);
    gov_cca_Port port;

    good(w);
    assert_non_null(s);
    gov_cca_Services_registerUsesPort(s, "b", "gov.cca.ports.BuilderService", NULL, &w->ex);
    good(w);
    port = world_keep(w, gov_cca_Services_getPort(s, "b", &w->ex));
    good(w);
    assert_true(gov_cca_Port_isType(port, "gov.cca.ports.BuilderService", &w->ex));
    gov_cca_Services_releasePort(s, "b", &w->ex);
    good(w);
}

SENTENCE(AF_03, "with getServices the program appears as a component in the framework")
{
    gov_cca_Services s = get_services(w, "other", NULL);
    gov_cca_Port port;

    good(w);
    gov_cca_Services_registerUsesPort(s, "in", GO_TYPE, NULL, &w->ex);
    good(w);
    make(w, "provider");
    provides(w, "provider", "out");
    join(w, "other", "in", "provider", "out");
    port = world_keep(w, gov_cca_Services_getPort(s, "in", &w->ex));
    good(w);
    assert_int_equal(call_go(w, port), 0);
    gov_cca_Services_releasePort(s, "in", &w->ex);
    good(w);
}

SENTENCE(AF_04,
         "getServices may be called any number of times, and makes a new component each time")
{
    gov_cca_Services first = NULL;
    char name[20];

    for (int i = 0; i < 10; i++) {
        gov_cca_Services s;

        snprintf(name, sizeof name, "image%d", i);
        s = get_services(w, name, NULL);
        good(w);
        assert_false(same_object(s, first ? first : w->services));
        first = s;
        id_of(w, name);
    }
}

SENTENCE(AF_05, "only releaseServices ends Services of getServices, not the loss of the reference")
{
    gov_cca_Services s =
        gov_cca_AbstractFramework_getServices(w->fw, "other", "suite.Image", NULL, &w->ex);

    good(w);
    drop(s);
    same_text(gov_cca_ComponentID_getInstanceName(id_of(w, "other"), &w->ex), "other");
}

SENTENCE(AF_06, "the program's component has the instance name that getServices was given")
{
    gov_cca_Services s = get_services(w, "other", NULL);
    gov_cca_ComponentID id = world_keep(w, gov_cca_Services_getComponentID(s, &w->ex));

    good(w);
    assert_true(same_object(id, id_of(w, "other")));
}

SENTENCE(AF_07, "the program's component has the class name that getServices was given")
{
    gov_cca_TypeMap map;

    get_services(w, "other", NULL);
    map = world_keep(w, gov_cca_ports_BuilderService_getComponentProperties(
                            w->builder, id_of(w, "other"), &w->ex));
    good(w);
    same_text(gov_cca_TypeMap_getString(map, "cca.className", "?", &w->ex), "suite.Image");
}

SENTENCE(AF_08, "the properties of getServices are those of the component; they may be null")
{
    gov_cca_TypeMap map = map_with_int(w, "n", 4);

    get_services(w, "first", NULL);
    good(w);
    get_services(w, "other", map);
    good(w);
    map = world_keep(w, gov_cca_ports_BuilderService_getComponentProperties(
                            w->builder, id_of(w, "other"), &w->ex));
    good(w);
    assert_int_equal(gov_cca_TypeMap_getInt(map, "n", 0, &w->ex), 4);
}

SENTENCE(AF_09, "getServices throws a CCAException when the instance name is in use already")
{
    make(w, "a");
    assert_null(get_services(w, "a", NULL));
    refused_somehow(w);
    assert_null(get_services(w, "program", NULL));
    refused_somehow(w);
}

SENTENCE(AF_10, "the Services of getServices are like those that setServices brings a component")
{
    gov_cca_Services s = get_services(w, "other", NULL);
    gov_cca_Port go = go_create("out", 3, &w->ex);
    gov_cca_ComponentRelease callback = release_create("callback", &w->ex);

    gov_cca_Services_addProvidesPort(s, go, "out", GO_TYPE, NULL, &w->ex);
    drop(go);
    good(w);
    gov_cca_Services_registerForRelease(s, callback, &w->ex);
    drop(callback);
    good(w);
    make(w, "user");
    uses(w, "user", "in");
    join(w, "user", "in", "other", "out");
    assert_int_equal(call_go(w, get(w, "user", "in")), 3);
    release(w, "user", "in");
    journal[0] = '\0';
    release_services(w, s);
    good(w);
    expect_journal("callback:release ");
}

SENTENCE(AF_11, "releaseServices removes the program's component from the framework")
{
    gov_cca_Services s = get_services(w, "other", NULL);

    id_of(w, "other");
    release_services(w, s);
    good(w);
    assert_null(gov_cca_ports_BuilderService_getComponentID(w->builder, "other", &w->ex));
    refused_somehow(w);
    get_services(w, "other", NULL); /* the name is free again */
    good(w);
}

SENTENCE(AF_12, "releaseServices makes ComponentIDs of that component invalid")
{
    gov_cca_Services s = get_services(w, "other", NULL);
    gov_cca_ComponentID id = id_of(w, "other");

    release_services(w, s);
    good(w);
    assert_null(gov_cca_ComponentID_getInstanceName(id, &w->ex));
    refused_somehow(w);
    gov_cca_ports_BuilderService_getUsedPortNames(w->builder, id, &w->ex);
    refused_somehow(w);
}

SENTENCE(AF_13, "releaseServices makes ConnectionIDs of that component invalid")
{
    gov_cca_Services s = get_services(w, "other", NULL);
    gov_cca_ConnectionID c;

    gov_cca_Services_registerUsesPort(s, "in", GO_TYPE, NULL, &w->ex);
    make(w, "provider");
    provides(w, "provider", "out");
    c = join(w, "other", "in", "provider", "out");
    release_services(w, s);
    good(w);
    assert_null(gov_cca_ConnectionID_getProvider(c, &w->ex));
    refused_somehow(w);
}

SENTENCE(AF_14, "releaseServices throws a CCAException when the Services were released already")
{
    gov_cca_Services s = get_services(w, "other", NULL);

    release_services(w, s);
    good(w);
    release_services(w, s);
    refused_somehow(w);
}

SENTENCE(AF_15, "releaseServices throws a CCAException for Services that are not from getServices")
{
    make(w, "a");
    release_services(w, services_of("a"));
    refused_somehow(w);
    uses(w, "a", "in"); /* they still work */
}

SENTENCE(AF_16, "after shutdownFramework everything is cleaned up")
{
    make(w, "a");
    make_pair(w);
    world_shut_down(w);
    assert_int_equal(parts_alive, 0);
    assert_non_null(strstr(journal, "a:release "));
    assert_non_null(strstr(journal, "a:destroy "));
}

SENTENCE(AF_17, "shutdownFramework throws a CCAException when it was called before")
{
    world_shut_down(w);
    gov_cca_AbstractFramework_shutdownFramework(w->fw, &w->ex);
    refused_somehow(w);
}

SENTENCE(AF_18, "createEmptyFramework makes another framework of the same implementation")
{
    gov_cca_AbstractFramework other =
        world_keep(w, gov_cca_AbstractFramework_createEmptyFramework(w->fw, &w->ex));
    gov_cca_Services s;

    good(w);
    assert_false(same_object(other, w->fw));
    s = world_keep(
        w, gov_cca_AbstractFramework_getServices(other, "program", "suite.Image", NULL, &w->ex));
    good(w);
    gov_cca_AbstractFramework_releaseServices(other, s, &w->ex);
    good(w);
    gov_cca_AbstractFramework_shutdownFramework(other, &w->ex);
    good(w);
    make(w, "a"); /* the first one lives on */
}

SENTENCE(AF_19, "components of the first framework are not in the one of createEmptyFramework")
{
    gov_cca_AbstractFramework other =
        world_keep(w, gov_cca_AbstractFramework_createEmptyFramework(w->fw, &w->ex));
    gov_cca_ports_BuilderService builder;
    gov_cca_Services s;
    gov_cca_Port port;

    good(w);
    make(w, "a");
    s = world_keep(w,
                   gov_cca_AbstractFramework_getServices(other, "b", "suite.Image", NULL, &w->ex));
    good(w);
    gov_cca_Services_registerUsesPort(s, "b", "gov.cca.ports.BuilderService", NULL, &w->ex);
    port = world_keep(w, gov_cca_Services_getPort(s, "b", &w->ex));
    good(w);
    builder = world_keep(w, gov_cca_ports_BuilderService__cast(port, &w->ex));
    assert_null(gov_cca_ports_BuilderService_getComponentID(builder, "a", &w->ex));
    refused_somehow(w);
    gov_cca_Services_releasePort(s, "b", &w->ex);
    gov_cca_AbstractFramework_shutdownFramework(other, &w->ex);
    good(w);
}

SENTENCE(AF_20, "createEmptyFramework throws a CCAException after shutdownFramework")
{
    world_shut_down(w);
    assert_null(gov_cca_AbstractFramework_createEmptyFramework(w->fw, &w->ex));
    refused_somehow(w);
}

/* -- ConnectionID -- */

SENTENCE(CN_01, "getProvider is the ID of the component that has provided the connection's port")
{
    gov_cca_ComponentID id = world_keep(w, gov_cca_ConnectionID_getProvider(make_pair(w), &w->ex));

    good(w);
    same_text(gov_cca_ComponentID_getInstanceName(id, &w->ex), "provider");
}

SENTENCE(CN_02, "getUser is the ID of the component that uses the port")
{
    gov_cca_ComponentID id = world_keep(w, gov_cca_ConnectionID_getUser(make_pair(w), &w->ex));

    good(w);
    same_text(gov_cca_ComponentID_getInstanceName(id, &w->ex), "user");
}

SENTENCE(CN_03, "getProviderPortName is the port's name in the providing component")
{
    same_text(gov_cca_ConnectionID_getProviderPortName(make_pair(w), &w->ex), "out");
    good(w);
}

SENTENCE(CN_04, "getUserPortName is the port's name in the using component")
{
    same_text(gov_cca_ConnectionID_getUserPortName(make_pair(w), &w->ex), "in");
    good(w);
}

static gov_cca_ConnectionID broken(struct world *w)
{
    gov_cca_ConnectionID c = make_pair(w);

    gov_cca_ports_BuilderService_disconnect(w->builder, c, 0, &w->ex);
    good(w);
    return c;
}

SENTENCE(CN_05, "getProvider throws a CCAException when the connection is not valid any more")
{
    assert_null(gov_cca_ConnectionID_getProvider(broken(w), &w->ex));
    refused_somehow(w);
}

SENTENCE(CN_06, "getUser throws a CCAException when the connection is not valid any more")
{
    assert_null(gov_cca_ConnectionID_getUser(broken(w), &w->ex));
    refused_somehow(w);
}

SENTENCE(CN_07,
         "getProviderPortName throws a CCAException when the connection is not valid any more")
{
    assert_null(gov_cca_ConnectionID_getProviderPortName(broken(w), &w->ex));
    refused_somehow(w);
}

SENTENCE(CN_08, "getUserPortName throws a CCAException when the connection is not valid any more")
{
    assert_null(gov_cca_ConnectionID_getUserPortName(broken(w), &w->ex));
    refused_somehow(w);
}

static const struct conformance_sentence sentences[] = {
    TESTED(AF_01),
    TESTED(AF_02),
    TESTED(AF_03),
    TESTED(AF_04),
    TESTED(AF_05),
    TESTED(AF_06),
    TESTED(AF_07),
    TESTED(AF_08),
    TESTED(AF_09),
    TESTED(AF_10),
    TESTED(AF_11),
    TESTED(AF_12),
    TESTED(AF_13),
    TESTED(AF_14),
    TESTED(AF_15),
    TESTED(AF_16),
    TESTED(AF_17),
    TESTED(AF_18),
    TESTED(AF_19),
    TESTED(AF_20),
    NOT_COVERED(AF_21, "createEmptyFramework throws when there can be no second framework",
                "holds for frameworks that allow only one; AF-18 is for the others"),
    TESTED(CN_01),
    TESTED(CN_02),
    TESTED(CN_03),
    TESTED(CN_04),
    TESTED(CN_05),
    TESTED(CN_06),
    TESTED(CN_07),
    TESTED(CN_08),
};
GROUP(abstract, "AbstractFramework, ConnectionID", sentences);
