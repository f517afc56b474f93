/* SPDX-License-Identifier: BSD-3-Clause */
#include "random_model.h"

#include <stdarg.h>

#define B(METHOD) gov_cca_ports_BuilderService_##METHOD

const char *const component_names[COMPONENTS] = {"a", "b", "c", "d"};
const char *const port_names[PORTS] = {"p", "q", "r", "s"};

uint32_t random_number(struct model *m, uint32_t below)
{
    uint64_t z = m->state += 0x9e3779b97f4a7c15U; /* splitmix64 */

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return (uint32_t)(((z ^ (z >> 31)) >> 32) * below >> 32);
}

void model_log(struct model *m, const char *format, ...)
{
    size_t used = strlen(m->log);
    va_list args;

    va_start(args, format);
    vsnprintf(m->log + used, sizeof m->log - used, format, args);
    va_end(args);
}

void model_fail(struct model *m, const char *what)
{
    fprintf(stderr, "%s\nwrong: %s\n", m->log, what); /* too long for cmocka */
    fail();
}

static bool fits(int type, int expected)
{
    switch (expected) {
    case ANY:
        return type != 0 && type != -100;
    case EITHER:
        return type != -100;
    case EXTRA_RELEASE:
        return type == 0 || type == CCA(PortNotInUse);
    default:
        return type == expected;
    }
}

bool model_check(struct model *m, int expected)
{
    int type = exception_type(&m->w->ex);
    char text[100];

    model_log(m, " -> %d\n", type);
    if (!fits(type, expected)) {
        snprintf(text, sizeof text, "%d was expected (0: success, %d: any CCAException)", expected,
                 ANY);
        model_fail(m, text);
    }
    *(type ? &m->refused : &m->done) += 1;
    return type == 0;
}

/* -- the state -- */

int model_count(const struct model *m, int provider, int provides)
{
    int n = 0;

    for (int i = 0; i < CONNECTIONS; i++) {
        const struct model_connection *c = &m->connections[i];

        n += c->alive && c->provider == provider && c->provides == provides;
    }
    return n;
}

int model_is_held_by_others(const struct model *m, int provider, int provides, bool are_told)
{
    int held = 0;

    for (int i = 0; i < CONNECTIONS; i++) {
        const struct model_connection *c = &m->connections[i];

        if (!c->alive || c->provider != provider || (provides >= 0 && c->provides != provides) ||
            (c->user == provider && provides < 0) || !m->components[c->user].ports[c->uses].held ||
            (are_told && m->components[c->user].lets_go))
            continue;
        if (!m->components[c->user].listens)
            return 1;
        held = 2;
    }
    return held;
}

void model_break(struct model *m, int connection)
{
    struct model_connection *c = &m->connections[connection];

    c->alive = false;
    m->components[c->user].ports[c->uses].connection = -1;
}

/* -- the same in the framework -- */

static void compare_names(struct model *m, int i, int kind, struct sidl_string__array *names)
{
    const struct model_component *c = &m->components[i];
    int n = 0;

    if (m->w->ex || !names)
        model_fail(m, "no port names");
    for (int p = 0; p < PORTS; p++)
        if (c->ports[p].kind == (unsigned)kind) {
            n++;
            if (!has_name(names, port_names[p]))
                model_fail(m, "a port is missing");
        }
    for (int k = 0; k < sidl_string__array_length(names, 0); k++) {
        char *name = sidl_string__array_get1(names, sidl_string__array_lower(names, 0) + k);

        n -= strlen(name) == 1; /* service ports have longer names */
        sidl_String_free(name);
    }
    sidl_string__array_deleteRef(names);
    if (n)
        model_fail(m, "there is a port that should not be there");
}

static void compare_connection(struct model *m, const struct model_connection *c)
{
    int held = m->components[c->user].ports[c->uses].held;
    gov_cca_TypeMap map = B(getConnectionProperties)(m->w->builder, c->id, &m->w->ex);

    if (m->w->ex || !map)
        model_fail(m, "a connection is lost");
    if (!gov_cca_TypeMap_getBool(map, "cca.isInUse", FALSE, &m->w->ex) != !held || m->w->ex)
        model_fail(m, "cca.isInUse is wrong");
    drop(map);
}

static int count_connections(struct model *m, int component)
{
    struct gov_cca_ComponentID__array *list = gov_cca_ComponentID__array_create1d(1);
    struct gov_cca_ConnectionID__array *found;
    int n;

    gov_cca_ComponentID__array_set1(list, 0, m->components[component].id);
    found = B(getConnectionIDs)(m->w->builder, list, &m->w->ex);
    gov_cca_ComponentID__array_deleteRef(list);
    if (m->w->ex)
        model_fail(m, "getConnectionIDs");
    n = gov_cca_ConnectionID__array_length(found, 0);
    gov_cca_ConnectionID__array_deleteRef(found);
    return n;
}

static void compare_component(struct model *m, int i)
{
    const struct model_component *c = &m->components[i];
    gov_cca_ports_BuilderService b = m->w->builder;
    int n = 0;

    if (!c->services && (!part_find(component_names[i]) ||
                         strcmp(part_find(component_names[i])->class_name, c->class_name) != 0))
        model_fail(m, "the instance is not of its class");
    compare_names(m, i, USES, B(getUsedPortNames)(b, c->id, &m->w->ex));
    compare_names(m, i, PROVIDES, B(getProvidedPortNames)(b, c->id, &m->w->ex));
    for (int k = 0; k < CONNECTIONS; k++)
        n += m->connections[k].alive &&
             (m->connections[k].user == i || m->connections[k].provider == i);
    if (count_connections(m, i) != n)
        model_fail(m, "another number of connections");
}

void model_compare(struct model *m)
{
    struct gov_cca_ComponentID__array *ids = B(getComponentIDs)(m->w->builder, &m->w->ex);
    int n = 1; /* the program */

    if (m->w->ex)
        model_fail(m, "getComponentIDs");
    for (int i = 0; i < COMPONENTS; i++) {
        n += m->components[i].alive;
        if (m->components[i].alive)
            compare_component(m, i);
    }
    if (gov_cca_ComponentID__array_length(ids, 0) != n)
        model_fail(m, "another number of components");
    gov_cca_ComponentID__array_deleteRef(ids);
    for (int i = 0; i < CONNECTIONS; i++)
        if (m->connections[i].alive)
            compare_connection(m, &m->connections[i]);
}

/* -- components -- */

void model_add_port(struct model *m, gov_cca_Services services, int port,
                    const struct model_port *p, sidl_BaseInterface *_ex)
{
    gov_cca_TypeMap map = NULL;
    char limit[20];
    gov_cca_Port go;

    (void)m;
    if (p->kind == USES) {
        gov_cca_Services_registerUsesPort(services, port_names[port],
                                          p->is_odd ? "suite.OtherType" : GO_TYPE, NULL, _ex);
        return;
    }
    if (p->limit) {
        map = gov_cca_Services_createTypeMap(services, _ex);
        snprintf(limit, sizeof limit, "%d", p->limit);
        gov_cca_TypeMap_putString(map, "MAX_CONNECTIONS", limit, _ex);
    }
    go = go_create("go", 0, _ex);
    gov_cca_Services_addProvidesPort(services, go, port_names[port], GO_TYPE, map, _ex);
    drop(go);
    drop(map);
}

/* setServices of an instance that takes the place of another: the same ports. */
void model_begin_part(struct part *p, gov_cca_Services services, void *arg, sidl_BaseInterface *ex)
{
    struct model *m = arg;

    (void)p;
    for (int i = 0; m->replacing >= 0 && i < PORTS && !*ex; i++)
        if (m->components[m->replacing].ports[i].kind != NO_PORT)
            model_add_port(m, services, i, &m->components[m->replacing].ports[i], ex);
}

struct model *model_running;

void model_hear(const char *component)
{
    static const char event[] = ":DisconnectPending:";
    const char *at = journal, *next;
    sidl_BaseInterface ex = NULL;
    struct model *m = model_running;
    int i = 0, p = 0;

    while ((next = strstr(at + 1, event))) /* the last one */
        at = next;
    while (strcmp(component_names[i], component) != 0)
        i++;
    /* Nothing may stand behind it but the port and a blank: else this is another event. */
    if (at == journal || strlen(at) != strlen(event) + 2 || !m->components[i].lets_go)
        return;
    while (port_names[p][0] != at[strlen(event)])
        p++;
    for (; m->components[i].ports[p].held > 0 && !ex; m->components[i].ports[p].held--)
        gov_cca_Services_releasePort(m->components[i].listens_on, port_names[p], &ex);
    if (exception_type(&ex) != 0)
        journal_add("release-failed");
}

/* releaseServices: gives back what it has fetched. */
void model_end_part(struct part *p, gov_cca_Services services, void *arg, sidl_BaseInterface *ex)
{
    struct model *m = arg;

    if (m->replacing >= 0 && p == part_find(p->name))
        return; /* the new instance, which goes again and has fetched nothing */
    for (int i = 0; i < COMPONENTS; i++) {
        if (strcmp(p->name, component_names[i]) != 0)
            continue;
        for (int k = 0; k < PORTS; k++)
            for (; m->components[i].ports[k].held > 0 && !*ex; m->components[i].ports[k].held--)
                gov_cca_Services_releasePort(services, port_names[k], ex);
    }
    if (*ex)
        journal_add("release-failed");
}
