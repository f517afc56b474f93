/* SPDX-License-Identifier: BSD-3-Clause */
/* The operations of random sequences: what the model expects, and what it learns. */
#include "random_model.h"

#define B(METHOD) gov_cca_ports_BuilderService_##METHOD

static const char *const classes[] = {PART, "suite.Other", "suite.Fails", "suite.NoSuchClass"};

/* Mostly a living one. */
static int pick_component(struct model *m)
{
    int i = (int)random_number(m, COMPONENTS);

    for (int tries = 0; tries < 4 && !m->components[i].alive; tries++)
        i = (int)random_number(m, COMPONENTS);
    return i;
}

enum wish { A_FREE_NAME, A_USES, A_LOOSE_USES, A_JOINED_USES, A_PROVIDES, A_HELD };

static bool suits(const struct model_port *p, enum wish wish)
{
    switch (wish) {
    case A_FREE_NAME:
        return p->kind == NO_PORT;
    case A_USES:
        return p->kind == USES;
    case A_LOOSE_USES:
        return p->kind == USES && p->connection < 0;
    case A_JOINED_USES:
        return p->kind == USES && p->connection >= 0;
    case A_PROVIDES:
        return p->kind == PROVIDES;
    case A_HELD:
        return p->held > 0;
    }
    return false;
}

struct place {
    int component, port;
};

/* Mostly a port as wished for of a living component, if there is one. */
static struct place pick_place(struct model *m, enum wish wish)
{
    struct place at = {0, 0};

    for (int tries = 0; tries < 16; tries++) {
        const struct model_component *c;

        at.component = (int)random_number(m, COMPONENTS);
        at.port = (int)random_number(m, PORTS);
        c = &m->components[at.component];
        if (c->alive && suits(&c->ports[at.port], wish))
            break;
    }
    return at;
}

/* Mostly a living connection. */
static int pick_connection(struct model *m)
{
    int k = (int)random_number(m, CONNECTIONS);

    for (int tries = 0; tries < 60 && !m->connections[k].alive; tries++)
        k = (int)random_number(m, CONNECTIONS);
    return k;
}

/* A living component's Services, or NULL: then there is nothing to do. */
static gov_cca_Services alive(struct model *m, int i)
{
    if (m->components[i].services)
        return m->components[i].services;
    return m->components[i].alive ? services_of(component_names[i]) : NULL;
}

/* -- events -- */

static void append_event(const struct model *m, char *text, size_t size, int component, int port,
                         const char *event)
{
    if (m->components[component].listens)
        snprintf(text + strlen(text), size - strlen(text), "%s:%s:%s ", component_names[component],
                 event, port_names[port]);
}

/* Who hears what when C is made or broken. */
static void check_events(struct model *m, const struct model_connection *c, bool made)
{
    static const char *const events[2][2] = {{"DisconnectPending", "Disconnected"},
                                             {"ConnectPending", "Connected"}};
    char text[300] = "";

    for (int k = 0; k < 2; k++) {
        if (!made)
            append_event(m, text, sizeof text, c->user, c->uses, events[made][k]);
        append_event(m, text, sizeof text, c->provider, c->provides, events[made][k]);
        if (made)
            append_event(m, text, sizeof text, c->user, c->uses, events[made][k]);
    }
    if (strcmp(text, journal) != 0) {
        model_log(m, "heard: %s\nright: %s\n", journal, text);
        model_fail(m, "other events");
    }
}

static void check_end_heard(struct model *m, int component, int port)
{
    static const char *const events[] = {"DisconnectPending", "Disconnected"};

    for (int k = 0; k < 2; k++) {
        char text[80] = "";

        append_event(m, text, sizeof text, component, port, events[k]);
        if (!strstr(journal, text)) {
            model_log(m, "heard: %s\nmissing: %s\n", journal, text);
            model_fail(m, "an event is missing");
        }
    }
}

/* The connections of COMPONENT (PROVIDES -1: all, else those of that provides port) are broken, and
 * the other ends have heard of it. */
static void break_heard(struct model *m, int component, int provides)
{
    for (int k = 0; k < CONNECTIONS; k++) {
        const struct model_connection *c = &m->connections[k];

        if (!c->alive || (provides >= 0 ? c->provider != component || c->provides != provides
                                        : c->provider != component && c->user != component))
            continue;
        if (c->user != component)
            check_end_heard(m, c->user, c->uses);
        else if (c->provider != component)
            check_end_heard(m, c->provider, c->provides);
        model_break(m, k);
    }
}

/* -- instances -- */

static void forget(struct model *m, int i)
{
    struct model_component *c = &m->components[i];

    break_heard(m, i, -1);
    c->alive = c->listens = c->lets_go = false;
    drop(c->listener);
    drop(c->services);
    c->listener = NULL;
    c->services = NULL;
    memset(c->ports, 0, sizeof c->ports);
}

void do_create(struct model *m)
{
    int i = (int)random_number(m, COMPONENTS), class = (int)random_number(m, 10);
    struct model_component *c = &m->components[i];
    gov_cca_ComponentID id;

    class = class < 6 ? 0 : class < 8 ? 1 : class - 6;
    model_log(m, "create %s %s", component_names[i], classes[class]);
    id = B(createInstance)(m->w->builder, component_names[i], classes[class], NULL, &m->w->ex);
    if (!model_check(m, c->alive || class > 1 ? ANY : SUCCEED))
        return;
    drop(c->id);
    c->id = id;
    c->alive = true;
    c->class_name = classes[class];
    for (int p = 0; p < PORTS; p++)
        c->ports[p].connection = -1;
}

/* ANY, EITHER or SUCCEED for what model_is_held_by_others says. */
static int when_held(int held)
{
    return held == 1 ? ANY : held == 2 ? EITHER : SUCCEED;
}

void do_destroy(struct model *m)
{
    int i = pick_component(m);
    struct model_component *c = &m->components[i];

    if (!c->id)
        return;
    model_log(m, "destroy %s", component_names[i]);
    B(destroyInstance)(m->w->builder, c->id, 0, &m->w->ex);
    if (model_check(m, !c->alive     ? ANY
                       : c->services ? EITHER
                                     : when_held(model_is_held_by_others(m, i, -1, true))))
        forget(m, i);
}

void end_image(struct model *m, int i)
{
    struct model_component *c = &m->components[i];

    for (int p = 0; p < PORTS; p++)
        for (; c->ports[p].held > 0; c->ports[p].held--) {
            gov_cca_Services_releasePort(c->services, port_names[p], &m->w->ex);
            if (m->w->ex)
                model_fail(m, "an image could not release its ports");
        }
    gov_cca_AbstractFramework_releaseServices(m->w->fw, c->services, &m->w->ex);
    if (model_check(m, SUCCEED))
        forget(m, i);
}

/* The program appears as one more component, or ends one such. */
void do_image(struct model *m)
{
    int i = (int)random_number(m, COMPONENTS);
    struct model_component *c = &m->components[i];
    gov_cca_Services services;

    if (c->services && model_is_held_by_others(m, i, -1, false))
        return; /* it may go or not */
    model_log(m, "%s %s", c->services ? "releaseServices" : "getServices", component_names[i]);
    if (c->services) {
        end_image(m, i);
        return;
    }
    services = gov_cca_AbstractFramework_getServices(m->w->fw, component_names[i], "suite.Image",
                                                     NULL, &m->w->ex);
    if (!model_check(m, c->alive ? ANY : SUCCEED))
        return;
    drop(c->id);
    c->services = services;
    c->id = gov_cca_Services_getComponentID(services, &m->w->ex);
    c->alive = true;
    for (int p = 0; p < PORTS; p++)
        c->ports[p].connection = -1;
}

/* The new instance has the old one's ports and connections; it holds and hears nothing. */
static void replaced(struct model_component *c, const char *class_name)
{
    c->class_name = class_name;
    c->listens = c->lets_go = false;
    drop(c->listener);
    c->listener = NULL;
    for (int p = 0; p < PORTS; p++) {
        c->ports[p].held = 0;
        c->ports[p].fetched = false;
    }
}

void do_replace(struct model *m)
{
    int i = pick_component(m), class = (int)random_number(m, 8), held, expected;
    struct model_component *c = &m->components[i];

    if (!conformance_extras.replace || c->services)
        return;
    class = class < 6 ? class / 3 : class - 4;
    model_log(m, "replace %s %s", component_names[i], classes[class]);
    held = c->alive ? model_is_held_by_others(m, i, -1, false) : 0;
    expected = !c->alive || class > 1 ? ANY
               : held == 1            ? CCA(UsesPortNotReleased)
                                      : when_held(held);
    m->replacing = i;
    conformance_extras.replace(m->w->services, component_names[i], classes[class], &m->w->ex);
    m->replacing = -1;
    if (model_check(m, expected))
        replaced(c, classes[class]);
}

/* -- ports -- */

static void add_port(struct model *m, int kind)
{
    struct place at = pick_place(m, A_FREE_NAME);
    int i = at.component, p = at.port;
    struct model_port *there = &m->components[i].ports[p], port = {.connection = -1};

    port.kind = kind;
    port.is_odd = kind == USES && random_number(m, 8) == 0;
    port.limit = kind == PROVIDES ? (int)random_number(m, 4) : 0;
    if (!alive(m, i))
        return;
    model_log(m, "%s %s.%s%s limit %d", kind == USES ? "register" : "add", component_names[i],
              port_names[p], port.is_odd ? " (odd)" : "", port.limit);
    model_add_port(m, alive(m, i), p, &port, &m->w->ex);
    if (model_check(m, there->kind == NO_PORT ? SUCCEED : CCA(PortAlreadyDefined)))
        *there = port;
}

void do_register(struct model *m)
{
    add_port(m, USES);
}

void do_add(struct model *m)
{
    add_port(m, PROVIDES);
}

void do_unregister(struct model *m)
{
    struct place at = pick_place(m, A_USES);
    int i = at.component, p = at.port, expected;
    struct model_port *port = &m->components[i].ports[p];

    if (!alive(m, i))
        return;
    model_log(m, "unregister %s.%s", component_names[i], port_names[p]);
    expected = port->kind != USES ? CCA(PortNotDefined)
               : port->held       ? CCA(UsesPortNotReleased)
                                  : SUCCEED;
    gov_cca_Services_unregisterUsesPort(alive(m, i), port_names[p], &m->w->ex);
    if (!model_check(m, expected))
        return;
    if (port->connection >= 0) {
        check_events(m, &m->connections[port->connection], false);
        model_break(m, port->connection);
    }
    *port = (struct model_port){.connection = -1};
}

void do_remove(struct model *m)
{
    struct place at = pick_place(m, A_PROVIDES);
    int i = at.component, p = at.port, expected;
    struct model_port *port = &m->components[i].ports[p];

    if (!alive(m, i))
        return;
    model_log(m, "remove %s.%s", component_names[i], port_names[p]);
    expected = port->kind != PROVIDES                                  ? CCA(PortNotDefined)
               : port->held || model_is_held_by_others(m, i, p, false) ? EITHER
                                                                       : SUCCEED;
    gov_cca_Services_removeProvidesPort(alive(m, i), port_names[p], &m->w->ex);
    if (!model_check(m, expected))
        return;
    break_heard(m, i, p);
    *port = (struct model_port){.connection = -1};
}

static void get_port(struct model *m, bool nonblocking)
{
    struct place at = pick_place(m, A_JOINED_USES);
    int i = at.component, p = at.port, expected = SUCCEED;
    struct model_port *port = &m->components[i].ports[p];
    gov_cca_Services s = alive(m, i);
    gov_cca_Port got;
    bool there = port->kind == PROVIDES || (port->kind == USES && port->connection >= 0);

    if (!s)
        return;
    model_log(m, "%s %s.%s", nonblocking ? "poll" : "get", component_names[i], port_names[p]);
    if (port->kind == NO_PORT)
        expected = CCA(PortNotDefined);
    else if (!there && !nonblocking)
        expected = CCA(PortNotConnected);
    got = nonblocking ? gov_cca_Services_getPortNonblocking(s, port_names[p], &m->w->ex)
                      : gov_cca_Services_getPort(s, port_names[p], &m->w->ex);
    if (!model_check(m, expected))
        return;
    if (!got != !there)
        model_fail(m, "a port where none is, or none where one is");
    if (!got)
        return;
    if (random_number(m, 4) == 0)
        call_go(m->w, got);
    drop(got);
    port->held++;
    port->fetched = true;
}

void do_get(struct model *m)
{
    get_port(m, false);
}

void do_poll(struct model *m)
{
    get_port(m, true);
}

void do_release(struct model *m)
{
    struct place at = pick_place(m, A_HELD);
    int i = at.component, p = at.port;
    struct model_port *port = &m->components[i].ports[p];

    if (!alive(m, i))
        return;
    model_log(m, "release %s.%s", component_names[i], port_names[p]);
    gov_cca_Services_releasePort(alive(m, i), port_names[p], &m->w->ex);
    model_check(m, port->kind == NO_PORT ? CCA(PortNotDefined)
                   : port->held          ? SUCCEED
                   : port->fetched       ? EXTRA_RELEASE
                                         : CCA(PortNotInUse));
    if (port->held)
        port->held--;
}

/* -- connections -- */

static int free_connection(struct model *m)
{
    int k = (int)random_number(m, CONNECTIONS);

    while (m->connections[k].alive)
        k = (k + 1) % CONNECTIONS; /* there are fewer than CONNECTIONS uses ports */
    return k;
}

static int expect_connect(const struct model *m, const struct model_connection *c)
{
    const struct model_component *user = &m->components[c->user];
    const struct model_component *provider = &m->components[c->provider];
    const struct model_port *uses = &user->ports[c->uses];
    const struct model_port *provides = &provider->ports[c->provides];

    if (!user->alive || !provider->alive)
        return ANY;
    if (uses->kind == NO_PORT || (uses->kind == USES && provides->kind == NO_PORT))
        return CCA(PortNotDefined);
    if (uses->kind != USES || provides->kind != PROVIDES || uses->connection >= 0 || uses->is_odd)
        return ANY;
    if (provides->limit && model_count(m, c->provider, c->provides) >= provides->limit)
        return ANY;
    return SUCCEED;
}

void do_connect(struct model *m)
{
    struct place uses = pick_place(m, A_LOOSE_USES), provides = pick_place(m, A_PROVIDES);
    struct model_connection c = {.user = uses.component,
                                 .uses = uses.port,
                                 .provider = provides.component,
                                 .provides = provides.port};
    int k;

    if (!m->components[c.user].id || !m->components[c.provider].id)
        return;
    model_log(m, "connect %s.%s %s.%s", component_names[c.user], port_names[c.uses],
              component_names[c.provider], port_names[c.provides]);
    c.id = B(connect)(m->w->builder, m->components[c.user].id, port_names[c.uses],
                      m->components[c.provider].id, port_names[c.provides], &m->w->ex);
    if (!model_check(m, expect_connect(m, &c)))
        return;
    check_events(m, &c, true);
    k = free_connection(m);
    drop(m->connections[k].id);
    c.alive = true;
    m->connections[k] = c;
    m->components[c.user].ports[c.uses].connection = k;
}

static int expect_disconnect(const struct model *m, const struct model_connection *c)
{
    if (!c->alive)
        return ANY;
    if (!m->components[c->user].ports[c->uses].held || m->components[c->user].lets_go)
        return SUCCEED;
    return m->components[c->user].listens ? EITHER : ANY;
}

void do_disconnect(struct model *m)
{
    int k = pick_connection(m);
    const struct model_connection *c = &m->connections[k];

    if (!c->id)
        return;
    model_log(m, "disconnect %s.%s%s", component_names[c->user], port_names[c->uses],
              c->alive ? "" : " (dead)");
    B(disconnect)(m->w->builder, c->id, 0, &m->w->ex);
    if (!model_check(m, expect_disconnect(m, c)))
        return;
    check_events(m, c, false);
    model_break(m, k);
}

/* Learns which connections a refused disconnectAll has undone before; held ones stay. */
static void look_again(struct model *m)
{
    for (int k = 0; k < CONNECTIONS; k++) {
        const struct model_connection *c = &m->connections[k];
        gov_cca_ComponentID id;

        if (!c->alive)
            continue;
        id = gov_cca_ConnectionID_getUser(c->id, &m->w->ex);
        if (exception_type(&m->w->ex) == 0) {
            drop(id);
            continue;
        }
        if (expect_disconnect(m, c) == ANY)
            model_fail(m, "a held connection was broken");
        check_end_heard(m, c->user, c->uses);
        check_end_heard(m, c->provider, c->provides);
        model_break(m, k);
    }
}

void do_disconnect_all(struct model *m)
{
    int a = pick_component(m), b = (int)random_number(m, COMPONENTS + 1), expected = SUCCEED;
    const struct model_component *first = &m->components[a];
    const struct model_component *second = b < COMPONENTS ? &m->components[b] : NULL;

    if (!first->id || (second && !second->id))
        return;
    model_log(m, "disconnectAll %s %s", component_names[a], second ? component_names[b] : "(all)");
    if (!first->alive || (second && !second->alive))
        expected = ANY;
    for (int k = 0; expected != ANY && k < CONNECTIONS; k++) {
        const struct model_connection *c = &m->connections[k];

        if (c->alive &&
            (second ? (c->user == a && c->provider == b) || (c->user == b && c->provider == a)
                    : c->user == a || c->provider == a)) {
            int one = expect_disconnect(m, c);

            expected = one == SUCCEED ? expected : one;
        }
    }
    B(disconnectAll)(m->w->builder, first->id, second ? second->id : NULL, 0, &m->w->ex);
    model_check(m, expected);
    look_again(m);
}

/* -- listeners, questions -- */

void do_listen(struct model *m)
{
    int i = pick_component(m);
    struct model_component *c = &m->components[i];
    gov_cca_ports_ConnectionEventService events;
    gov_cca_Services s = alive(m, i);
    gov_cca_Port port;

    if (!s)
        return;
    model_log(m, "%s %s", c->listens ? "unlisten" : "listen", component_names[i]);
    port = gov_cca_Services_getPortNonblocking(s, "events", &m->w->ex);
    if (exception_type(&m->w->ex) != 0) {
        gov_cca_Services_registerUsesPort(s, "events", "gov.cca.ports.ConnectionEventService", NULL,
                                          &m->w->ex);
        port = gov_cca_Services_getPort(s, "events", &m->w->ex);
    }
    if (m->w->ex || !port)
        model_fail(m, "no ConnectionEventService");
    events = gov_cca_ports_ConnectionEventService__cast(port, &m->w->ex);
    drop(port);
    if (!c->listener)
        c->listener = listener_create(component_names[i], &m->w->ex);
    if (c->listens)
        gov_cca_ports_ConnectionEventService_removeConnectionEventListener(events, EVENT(ALL),
                                                                           c->listener, &m->w->ex);
    else
        gov_cca_ports_ConnectionEventService_addConnectionEventListener(events, EVENT(ALL),
                                                                        c->listener, &m->w->ex);
    drop(events);
    gov_cca_Services_releasePort(s, "events", &m->w->ex);
    model_check(m, SUCCEED);
    c->listens = !c->listens;
    c->listens_on = s;
    c->lets_go = c->listens && random_number(m, 2);
    if (c->lets_go)
        model_log(m, "(%s lets go)\n", component_names[i]);
}

void do_compare(struct model *m)
{
    model_log(m, "compare\n");
    model_compare(m);
    m->done++;
}
