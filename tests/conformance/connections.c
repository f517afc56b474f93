/* SPDX-License-Identifier: BSD-3-Clause */
/* gov.cca.ports.BuilderService: connections. */
#include "world.h"

#define B(METHOD) gov_cca_ports_BuilderService_##METHOD

/* A ConnectionID whose connection is no more; make_pair's components stay. */
static gov_cca_ConnectionID dead_connection(struct world *w)
{
    gov_cca_ConnectionID c = make_pair(w);

    B(disconnect)(w->builder, c, 0, &w->ex);
    good(w);
    return c;
}

SENTENCE(BS_35, "connect joins a port of the user to a port of the provider")
{
    gov_cca_ConnectionID c = make_pair(w);

    assert_non_null(c);
    assert_true(is_connected(w, "user", "in"));
    assert_int_equal(call_go(w, get(w, "user", "in")), 0);
    release(w, "user", "in");
}

SENTENCE(BS_36, "losing the ConnectionID does not disconnect")
{
    drop(make_pair(w));
    w->n_kept--; /* make_pair has kept it */
    assert_true(is_connected(w, "user", "in"));
}

SENTENCE(BS_37, "connect throws a CCAException when the user is an invalid component")
{
    make_pair(w);
    assert_null(B(connect)(w->builder, dead_id(w), "in", id_of(w, "provider"), "out", &w->ex));
    refused_somehow(w);
}

SENTENCE(BS_38, "connect throws a CCAException when the provider is an invalid component")
{
    make(w, "a");
    uses(w, "a", "in");
    assert_null(B(connect)(w->builder, id_of(w, "a"), "in", dead_id(w), "out", &w->ex));
    refused_somehow(w);
    assert_false(is_connected(w, "a", "in"));
}

SENTENCE(BS_39, "connect throws a CCAException when the user has no uses port of that name")
{
    make(w, "user");
    make(w, "provider");
    provides(w, "provider", "out");
    assert_null(try_join(w, "user", "in", "provider", "out"));
    refused(w, PortNotDefined);
    provides(w, "user", "in"); /* a port, but not to be used */
    assert_null(try_join(w, "user", "in", "provider", "out"));
    refused_somehow(w);
}

SENTENCE(BS_40, "connect throws a CCAException when the provider has no provides port of that name")
{
    make(w, "user");
    make(w, "provider");
    uses(w, "user", "in");
    assert_null(try_join(w, "user", "in", "provider", "out"));
    refused(w, PortNotDefined);
    uses(w, "provider", "out"); /* a port, but not provided */
    assert_null(try_join(w, "user", "in", "provider", "out"));
    refused_somehow(w);
    assert_false(is_connected(w, "user", "in"));
}

SENTENCE(BS_41, "connect throws a CCAException when something else prevents it: the types differ")
{
    make(w, "user");
    make(w, "provider");
    gov_cca_Services_registerUsesPort(services_of("user"), "in", "gov.cca.ports.BasicParameterPort",
                                      NULL, &w->ex);
    good(w);
    provides(w, "provider", "out");
    assert_null(try_join(w, "user", "in", "provider", "out"));
    refused_somehow(w);
    assert_false(is_connected(w, "user", "in"));
}

/* "user.in>provider.out " of each connection that touches the listed instances, sorted. */
static void expect_connections(struct world *w, const char *const names[], int n,
                               const char *expected)
{
    struct gov_cca_ComponentID__array *list = gov_cca_ComponentID__array_create1d(n);
    struct gov_cca_ConnectionID__array *ids;
    struct sidl_string__array *texts;
    int32_t count;

    for (int i = 0; i < n; i++)
        gov_cca_ComponentID__array_set1(list, i, id_of(w, names[i]));
    ids = B(getConnectionIDs)(w->builder, list, &w->ex);
    gov_cca_ComponentID__array_deleteRef(list);
    good(w);
    assert_non_null(ids);
    count = gov_cca_ConnectionID__array_length(ids, 0);
    texts = sidl_string__array_create1d(count);
    for (int32_t i = 0; i < count; i++) {
        gov_cca_ConnectionID c = gov_cca_ConnectionID__array_get1(ids, i);
        gov_cca_ComponentID user = world_keep(w, gov_cca_ConnectionID_getUser(c, &w->ex));
        gov_cca_ComponentID provider = world_keep(w, gov_cca_ConnectionID_getProvider(c, &w->ex));
        char *u = gov_cca_ComponentID_getInstanceName(user, &w->ex), text[60];
        char *p = gov_cca_ComponentID_getInstanceName(provider, &w->ex);

        snprintf(text, sizeof text, "%s>%s", u, p);
        sidl_String_free(u);
        sidl_String_free(p);
        sidl_string__array_set1(texts, i, text);
        drop(c);
    }
    gov_cca_ConnectionID__array_deleteRef(ids);
    same_names(texts, expected);
}

/* a uses b, b uses c, c uses d */
static void make_chain(struct world *w)
{
    static const char *const names[] = {"a", "b", "c", "d"};

    for (int i = 0; i < 4; i++) {
        make(w, names[i]);
        provides(w, names[i], "out");
        uses(w, names[i], "in");
    }
    for (int i = 0; i < 3; i++)
        join(w, names[i], "in", names[i + 1], "out");
}

SENTENCE(BS_42, "getConnectionIDs has all connections of the components listed")
{
    make_chain(w);
    expect_connections(w, (const char *const[]){"a", "b", "c", "d"}, 4, "a>b b>c c>d ");
}

SENTENCE(BS_43, "getConnectionIDs has a connection also when only one of its ends is listed")
{
    make_chain(w);
    expect_connections(w, (const char *const[]){"a"}, 1, "a>b ");
    expect_connections(w, (const char *const[]){"b"}, 1, "a>b b>c ");
    expect_connections(w, (const char *const[]){"d", "a"}, 2, "a>b c>d ");
}

SENTENCE(BS_44, "getConnectionIDs throws a CCAException when any listed component is invalid")
{
    struct gov_cca_ComponentID__array *list = gov_cca_ComponentID__array_create1d(2);

    make_pair(w);
    gov_cca_ComponentID__array_set1(list, 0, id_of(w, "user"));
    gov_cca_ComponentID__array_set1(list, 1, dead_id(w));
    assert_null(B(getConnectionIDs)(w->builder, list, &w->ex));
    gov_cca_ComponentID__array_deleteRef(list);
    refused_somehow(w);
}

static gov_cca_TypeMap connection_properties(struct world *w, gov_cca_ConnectionID c)
{
    gov_cca_TypeMap map = B(getConnectionProperties)(w->builder, c, &w->ex);

    good(w);
    assert_non_null(map);
    return world_keep(w, map);
}

static bool in_use(struct world *w, gov_cca_ConnectionID c)
{
    gov_cca_TypeMap map = connection_properties(w, c);
    bool value;

    assert_int_equal(gov_cca_TypeMap_typeOf(map, "cca.isInUse", &w->ex), T(Bool));
    value = gov_cca_TypeMap_getBool(map, "cca.isInUse", FALSE, &w->ex);
    good(w);
    return value;
}

SENTENCE(BS_45,
         "a connection's property cca.isInUse is true while there have been more getPort than "
         "releasePort calls")
{
    gov_cca_ConnectionID c = make_pair(w);

    assert_false(in_use(w, c));
    get(w, "user", "in");
    get(w, "user", "in");
    assert_true(in_use(w, c));
    release(w, "user", "in");
    assert_true(in_use(w, c));
    release(w, "user", "in");
    assert_false(in_use(w, c));
}

SENTENCE(BS_46, "getConnectionProperties has the properties of the connection")
{
    gov_cca_ConnectionID c = make_pair(w);

    connection_properties(w, c);
    B(setConnectionProperties)(w->builder, c, map_with_int(w, "n", 2), &w->ex);
    good(w);
    assert_int_equal(gov_cca_TypeMap_getInt(connection_properties(w, c), "n", 0, &w->ex), 2);
}

SENTENCE(BS_47, "getConnectionProperties throws a CCAException for an invalid connection")
{
    assert_null(B(getConnectionProperties)(w->builder, dead_connection(w), &w->ex));
    refused_somehow(w);
}

SENTENCE(BS_48, "setConnectionProperties gives the connection these properties")
{
    gov_cca_ConnectionID c = make_pair(w);

    B(setConnectionProperties)(w->builder, c, map_with_string(w, "s", "x"), &w->ex);
    good(w);
    same_text(gov_cca_TypeMap_getString(connection_properties(w, c), "s", "?", &w->ex), "x");
}

SENTENCE(BS_49, "setConnectionProperties throws a CCAException for an invalid connection")
{
    B(setConnectionProperties)(w->builder, dead_connection(w), new_map(w), &w->ex);
    refused_somehow(w);
}

SENTENCE(BS_50,
         "setConnectionProperties throws a CCAException for a change of a property that is locked; "
         "cca.isInUse stays true")
{
    gov_cca_ConnectionID c = make_pair(w);
    gov_cca_TypeMap map = new_map(w);

    gov_cca_TypeMap_putBool(map, "cca.isInUse", TRUE, &w->ex);
    B(setConnectionProperties)(w->builder, c, map, &w->ex);
    if (w->ex)
        refused_somehow(w);
    assert_false(in_use(w, c));
}

SENTENCE(BS_51, "disconnect breaks the connection")
{
    B(disconnect)(w->builder, make_pair(w), 0, &w->ex);
    good(w);
    assert_false(is_connected(w, "user", "in"));
    expect_connections(w, (const char *const[]){"user", "provider"}, 2, "");
}

SENTENCE(BS_52, "after disconnect the ConnectionID is invalid")
{
    gov_cca_ConnectionID c = make_pair(w);

    B(disconnect)(w->builder, c, 0, &w->ex);
    good(w);
    assert_null(gov_cca_ConnectionID_getUser(c, &w->ex));
    refused_somehow(w);
    join(w, "user", "in", "provider", "out"); /* another connection */
    assert_null(gov_cca_ConnectionID_getUser(c, &w->ex));
    refused_somehow(w);
}

SENTENCE(BS_53, "disconnect throws a CCAException for an invalid connection")
{
    B(disconnect)(w->builder, dead_connection(w), 0, &w->ex);
    refused_somehow(w);
}

SENTENCE(BS_54,
         "disconnect throws a CCAException when the time-out is exceeded, and the connection "
         "stays valid")
{
    gov_cca_ConnectionID c = make_pair(w);
    gov_cca_Port port = get(w, "user", "in");

    B(disconnect)(w->builder, c, 0.01F, &w->ex);
    refused_somehow(w);
    same_text(gov_cca_ConnectionID_getUserPortName(c, &w->ex), "in");
    assert_int_equal(call_go(w, port), 0);
    release(w, "user", "in");
}

SENTENCE(BS_55,
         "disconnectAll removes all connections between two components, whichever uses the other")
{
    make_chain(w);
    uses(w, "b", "back");
    join(w, "b", "back", "a", "out");
    B(disconnectAll)(w->builder, id_of(w, "a"), id_of(w, "b"), 0, &w->ex);
    good(w);
    expect_connections(w, (const char *const[]){"a", "b", "c", "d"}, 4, "b>c c>d ");
}

SENTENCE(BS_56, "disconnectAll with a null second component removes all connections of the first")
{
    make_chain(w);
    B(disconnectAll)(w->builder, id_of(w, "b"), NULL, 0, &w->ex);
    good(w);
    expect_connections(w, (const char *const[]){"a", "b", "c", "d"}, 4, "c>d ");
}

SENTENCE(BS_57, "disconnectAll throws a CCAException when a component is invalid")
{
    gov_cca_ComponentID dead;

    make_pair(w);
    dead = dead_id(w);
    B(disconnectAll)(w->builder, dead, NULL, 0, &w->ex);
    refused_somehow(w);
    B(disconnectAll)(w->builder, id_of(w, "user"), dead, 0, &w->ex);
    refused_somehow(w);
    B(disconnectAll)(w->builder, NULL, id_of(w, "user"), 0, &w->ex);
    refused_somehow(w);
    assert_true(is_connected(w, "user", "in"));
}

SENTENCE(BS_58, "disconnectAll throws a CCAException when the time-out is exceeded")
{
    gov_cca_Port port;

    make_pair(w);
    port = get(w, "user", "in");
    B(disconnectAll)(w->builder, id_of(w, "user"), id_of(w, "provider"), 0.01F, &w->ex);
    refused_somehow(w);
    assert_int_equal(call_go(w, port), 0);
    release(w, "user", "in");
    B(disconnectAll)(w->builder, id_of(w, "user"), id_of(w, "provider"), 0.01F, &w->ex);
    good(w);
}

static const struct conformance_sentence sentences[] = {
    TESTED(BS_35), TESTED(BS_36), TESTED(BS_37), TESTED(BS_38), TESTED(BS_39), TESTED(BS_40),
    TESTED(BS_41), TESTED(BS_42), TESTED(BS_43), TESTED(BS_44), TESTED(BS_45), TESTED(BS_46),
    TESTED(BS_47), TESTED(BS_48), TESTED(BS_49), TESTED(BS_50), TESTED(BS_51), TESTED(BS_52),
    TESTED(BS_53), TESTED(BS_54), TESTED(BS_55), TESTED(BS_56), TESTED(BS_57), TESTED(BS_58),
};
GROUP(connections, "BuilderService: connections", sentences);
