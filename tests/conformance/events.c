/* SPDX-License-Identifier: BSD-3-Clause */
/* gov.cca.ports.EventType, ConnectionEvent, ConnectionEventListener, ConnectionEventService. */
#include "world.h"

/* Signs a listener up or off through the component's own ConnectionEventService. */
static void sign(struct world *w, const char *instance, enum gov_cca_ports_EventType__enum type,
                 gov_cca_ports_ConnectionEventListener listener, bool up)
{
    gov_cca_ports_ConnectionEventService events;
    gov_cca_Services s = services_of(instance);
    gov_cca_Port port = gov_cca_Services_getPortNonblocking(s, "events", &w->ex);

    if (w->ex) {
        SIDL_CLEAR(w->ex);
        gov_cca_Services_registerUsesPort(s, "events", "gov.cca.ports.ConnectionEventService", NULL,
                                          &w->ex);
        good(w);
        port = gov_cca_Services_getPort(s, "events", &w->ex);
    }
    good(w);
    assert_non_null(port);
    events = gov_cca_ports_ConnectionEventService__cast(port, &w->ex);
    good(w);
    assert_non_null(events);
    drop(port);
    if (up)
        gov_cca_ports_ConnectionEventService_addConnectionEventListener(events, type, listener,
                                                                        &w->ex);
    else
        gov_cca_ports_ConnectionEventService_removeConnectionEventListener(events, type, listener,
                                                                           &w->ex);
    drop(events);
    good(w);
    release(w, instance, "events");
}

/* A listener of INSTANCE for that type, whose lines in the journal begin with PREFIX; kept. */
static gov_cca_ports_ConnectionEventListener listen(struct world *w, const char *instance,
                                                    enum gov_cca_ports_EventType__enum type,
                                                    const char *prefix)
{
    gov_cca_ports_ConnectionEventListener listener = listener_create(prefix, &w->ex);

    good(w);
    world_keep(w, listener);
    sign(w, instance, type, listener, true);
    return listener;
}

/* user.in and provider.out, not connected; the journal is empty. */
static void make_ends(struct world *w)
{
    make(w, "user");
    make(w, "provider");
    uses(w, "user", "in");
    provides(w, "provider", "out");
    journal[0] = '\0';
}

static void disconnect(struct world *w, gov_cca_ConnectionID c)
{
    gov_cca_ports_BuilderService_disconnect(w->builder, c, 0, &w->ex);
}

SENTENCE(EV_01, "EventType has the numbers Error -1, ALL 0, ConnectPending 1, Connected 2, "
                "DisconnectPending 3, Disconnected 4")
{
    (void)w;
    assert_int_equal(EVENT(Error), -1);
    assert_int_equal(EVENT(ALL), 0);
    assert_int_equal(EVENT(ConnectPending), 1);
    assert_int_equal(EVENT(Connected), 2);
    assert_int_equal(EVENT(DisconnectPending), 3);
    assert_int_equal(EVENT(Disconnected), 4);
}

SENTENCE(EV_02,
         "a listener for ALL hears of every event, and ALL and Error are never heard themselves")
{
    make_ends(w);
    listen(w, "user", EVENT(ALL), "u");
    disconnect(w, join(w, "user", "in", "provider", "out"));
    good(w);
    expect_journal("u:ConnectPending:in u:Connected:in u:DisconnectPending:in u:Disconnected:in ");
}

/* What is seen of the connection while the listener runs. */
static void look(const char *when)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_Services s = services_of("user");
    gov_cca_Port port = gov_cca_Services_getPortNonblocking(s, "in", &ex);

    journal_add("%s:%s", when, port ? "connected" : ex ? "thrown" : "null");
    if (port) {
        drop(port);
        gov_cca_Services_releasePort(s, "in", &ex);
    }
    SIDL_CLEAR(ex);
}

static void watch(struct world *w, enum gov_cca_ports_EventType__enum type)
{
    make_ends(w);
    on_event = look;
    listen(w, "user", type, "u");
}

SENTENCE(EV_03, "ConnectPending: a connection is about to be attempted")
{
    watch(w, EVENT(ConnectPending));
    join(w, "user", "in", "provider", "out");
    expect_journal("u:ConnectPending:in u:null ");
}

SENTENCE(EV_04, "Connected: a connection has been made")
{
    watch(w, EVENT(Connected));
    join(w, "user", "in", "provider", "out");
    expect_journal("u:Connected:in u:connected ");
}

SENTENCE(EV_05, "DisconnectPending: a disconnection is about to be attempted")
{
    watch(w, EVENT(DisconnectPending));
    disconnect(w, join(w, "user", "in", "provider", "out"));
    good(w);
    expect_journal("u:DisconnectPending:in u:connected ");
}

SENTENCE(EV_06, "Disconnected: a disconnection has been made")
{
    watch(w, EVENT(Disconnected));
    disconnect(w, join(w, "user", "in", "provider", "out"));
    good(w);
    expect_journal("u:Disconnected:in u:null ");
}

SENTENCE(EV_07, "getEventType tells which event it is")
{
    make_ends(w);
    listen(w, "user", EVENT(Connected), "u");
    listen(w, "provider", EVENT(Connected), "p");
    join(w, "user", "in", "provider", "out");
    assert_non_null(strstr(journal, "u:Connected:"));
    assert_non_null(strstr(journal, "p:Connected:"));
    assert_null(strstr(journal, "Pending"));
}

SENTENCE(EV_09, "on disconnection the user hears first, then the provider")
{
    gov_cca_ConnectionID c;

    make_ends(w);
    listen(w, "provider", EVENT(ALL), "p");
    listen(w, "user", EVENT(ALL), "u");
    c = join(w, "user", "in", "provider", "out");
    journal[0] = '\0';
    disconnect(w, c);
    good(w);
    expect_journal("u:DisconnectPending:in p:DisconnectPending:out u:Disconnected:in "
                   "p:Disconnected:out ");
}

SENTENCE(EV_10, "on connection the provider hears first, then the user")
{
    make_ends(w);
    listen(w, "user", EVENT(ALL), "u");
    listen(w, "provider", EVENT(ALL), "p");
    join(w, "user", "in", "provider", "out");
    expect_journal("p:ConnectPending:out u:ConnectPending:in p:Connected:out u:Connected:in ");
}

SENTENCE(EV_11,
         "getPortInfo has the properties of the affected port, cca.portName and cca.portType "
         "among them")
{
    make_ends(w);
    on_info = true;
    listen(w, "user", EVENT(Connected), "u");
    listen(w, "provider", EVENT(Connected), "p");
    join(w, "user", "in", "provider", "out");
    expect_journal("p:Connected:out p:" GO_TYPE " u:Connected:in u:" GO_TYPE " ");
}

SENTENCE(EV_12, "connectionActivity is called on all listeners")
{
    make_ends(w);
    listen(w, "user", EVENT(Connected), "one");
    listen(w, "user", EVENT(Connected), "two");
    listen(w, "user", EVENT(ALL), "three");
    join(w, "user", "in", "provider", "out");
    assert_non_null(strstr(journal, "one:Connected:in "));
    assert_non_null(strstr(journal, "two:Connected:in "));
    assert_non_null(strstr(journal, "three:Connected:in "));
}

SENTENCE(EV_13, "ConnectionEventService is a service port: the framework connects it")
{
    gov_cca_Port port;

    make(w, "a");
    gov_cca_Services_registerUsesPort(services_of("a"), "events",
                                      "gov.cca.ports.ConnectionEventService", NULL, &w->ex);
    good(w);
    port = get(w, "a", "events");
    assert_true(gov_cca_Port_isType(port, "gov.cca.ports.ConnectionEventService", &w->ex));
    release(w, "a", "events");
}

SENTENCE(EV_14, "addConnectionEventListener signs up for the events of one type")
{
    static const struct {
        enum gov_cca_ports_EventType__enum type;
        const char *expected;
    } rows[] = {{EVENT(ConnectPending), "u:ConnectPending:in "},
                {EVENT(Connected), "u:Connected:in "},
                {EVENT(DisconnectPending), "u:DisconnectPending:in "},
                {EVENT(Disconnected), "u:Disconnected:in "}};

    make_ends(w);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gov_cca_ports_ConnectionEventListener l = listen(w, "user", rows[i].type, "u");

        disconnect(w, join(w, "user", "in", "provider", "out"));
        good(w);
        expect_journal(rows[i].expected);
        sign(w, "user", rows[i].type, l, false);
    }
}

SENTENCE(EV_15, "after removeConnectionEventListener events of that type are not heard any more")
{
    gov_cca_ports_ConnectionEventListener l;

    make_ends(w);
    l = listen(w, "user", EVENT(Connected), "u");
    sign(w, "user", EVENT(Disconnected), l, true);
    sign(w, "user", EVENT(Connected), l, false);
    disconnect(w, join(w, "user", "in", "provider", "out"));
    good(w);
    expect_journal("u:Disconnected:in ");
}

static void let_go(const char *when)
{
    sidl_BaseInterface ex = NULL;

    (void)when;
    gov_cca_Services_releasePort(services_of("user"), "in", &ex);
    assert_null(ex);
}

SENTENCE(EV_16,
         "a port is valid until its user has heard of the disconnection: one that releases it "
         "when it hears DisconnectPending lets the connection go")
{
    gov_cca_ConnectionID c;
    gov_cca_Port port;

    make_ends(w);
    c = join(w, "user", "in", "provider", "out");
    port = gov_cca_Services_getPort(services_of("user"), "in", &w->ex);
    good(w);
    drop(port);
    on_event = let_go;
    listen(w, "user", EVENT(DisconnectPending), "u");
    disconnect(w, c);
    good(w);
    assert_null(gov_cca_Services_getPortNonblocking(services_of("user"), "in", &w->ex));
    good(w);
}

static const struct conformance_sentence sentences[] = {
    TESTED(EV_01),
    TESTED(EV_02),
    TESTED(EV_03),
    TESTED(EV_04),
    TESTED(EV_05),
    TESTED(EV_06),
    TESTED(EV_07),
    NOT_COVERED(EV_08, "all members of a cohort hear all events in the same order",
                "needs several ranks; each rank's events depend on its own calls only, and those "
                "are alike"),
    TESTED(EV_09),
    TESTED(EV_10),
    TESTED(EV_11),
    TESTED(EV_12),
    TESTED(EV_13),
    TESTED(EV_14),
    TESTED(EV_15),
    TESTED(EV_16),
};
GROUP(events, "ConnectionEvent, ConnectionEventListener, ConnectionEventService", sentences);
