/* SPDX-License-Identifier: BSD-3-Clause */
/* Putting a proxy between the two ends of a connection. */
#include <stdlib.h>
#include <string.h>

#include <utlist.h>

#include "services.h"

static enum portolan_status find_class(struct connection *c, const char **class_name,
                                       struct portolan_error *err)
{
    const char *type = c->uses->type;
    const struct portolan_class_description *class =
        portolan_palette_next_proxy(c->uses->services->fw->palette, type, NULL);

    if (!class)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                  "the palette has no proxy for port type %s; make one with: "
                                  "portolan proxygen FILE.sidl --port %s -o DIR",
                                  type, type);
    *class_name = class->class_name;
    return PORTOLAN_OK;
}

/* `<user>.<uses>.proxy`; a second one on the same connection gets a number. */
static char *proxy_name(const struct connection *c)
{
    const struct instance *user = c->uses->services->instance;
    const char *dot = user->name[0] ? "." : "";
    char *name = portolan_asprintf("%s%s%s.proxy", user->name, dot, c->uses->name);

    for (int n = 2; name && instance_find(user->fw, name); n++) {
        free(name);
        name = portolan_asprintf("%s%s%s.proxy%d", user->name, dot, c->uses->name, n);
    }
    return name;
}

/* The only provides port of TYPE of an instance that is no proxy; *COUNT of them there are. */
static struct port *only_provider(struct portolan_framework *fw, const char *type, int *count)
{
    struct port *p, *found = NULL;
    struct instance *i;

    *count = 0;
    DL_FOREACH(fw->instances, i)
    {
        if (i->stands_for || (i->services->class && i->services->class->proxy_for))
            continue;
        DL_FOREACH(i->services->ports, p)
        if (p->provided && !strcmp(p->type, type)) {
            found = p;
            ++*count;
        }
    }
    return found;
}

static enum portolan_status wire_port(struct port *uses, enum wiring wiring,
                                      struct portolan_error *err)
{
    struct portolan_framework *fw = uses->services->fw;
    struct port *provides;
    struct connection *c;
    int count;

    provides = only_provider(fw, uses->type, &count);
    if (count == 1)
        return connect_make(uses, provides, &c, err);
    if (wiring == WIRE_IF_FOUND)
        return PORTOLAN_OK;
    if (count)
        return portolan_error_set(err, PORTOLAN_EEXISTS,
                                  "%d provides ports have type %s, so that uses port '%s' of the "
                                  "proxy '%s' cannot be connected by itself",
                                  count, uses->type, uses->name, uses->services->instance->name);
    return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                              "no instance provides a port of type %s, which uses port '%s' of "
                              "the proxy '%s' needs; add one to the assembly",
                              uses->type, uses->name, uses->services->instance->name);
}

static enum portolan_status wire_others(struct instance *proxy, enum wiring wiring,
                                        struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;
    struct port *p;

    DL_FOREACH(proxy->services->ports, p)
    if (status == PORTOLAN_OK && !p->provided && !p->target && strcmp(p->name, "use"))
        status = wire_port(p, wiring, err);
    return status;
}

static enum portolan_status insert(struct connection *c, struct instance *proxy, enum wiring wiring,
                                   struct portolan_error *err)
{
    struct port *provide = services_find(proxy->services, "provide");
    struct port *use = services_find(proxy->services, "use");
    struct connection *behind;
    enum portolan_status status;

    if (!provide || !provide->provided)
        return services_no_port(proxy->services, "provide", true, err);
    if (!use || use->provided)
        return services_no_port(proxy->services, "use", false, err);
    if ((status = connect_check_types(c->uses, provide, err)) != PORTOLAN_OK)
        return status;
    if (wiring != WIRE_NONE && (status = wire_others(proxy, wiring, err)) != PORTOLAN_OK)
        return status;
    /* The place at the provider that C gives up is the one that the proxy takes. */
    c->is_moving = true;
    status = connect_make(use, c->provides, &behind, err);
    c->is_moving = false;
    if (status == PORTOLAN_OK)
        status = connect_rebind(c->uses, provide, err);
    if (status == PORTOLAN_OK)
        c->provides = provide;
    return status;
}

enum portolan_status interpose_proxy(struct connection *c, const char *class_name,
                                     enum wiring wiring, struct instance **proxy,
                                     struct portolan_error *err)
{
    struct instance *user = c->uses->services->instance, *p = NULL;
    struct portolan_error later = {0};
    enum portolan_status status = PORTOLAN_OK;
    char label[300], *name;

    *proxy = NULL;
    if (!connect_may_move(c->uses))
        return portolan_error_set(err, PORTOLAN_EPORTINUSE,
                                  "%s holds its uses port '%s', so that no proxy can be put there",
                                  services_label(user->services, label, sizeof label),
                                  c->uses->name);
    if (!class_name && (status = find_class(c, &class_name, err)) != PORTOLAN_OK)
        return status;
    if (!(name = proxy_name(c)))
        return portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    status = instance_create(user->fw, name, class_name, NULL, &p, err);
    free(name);
    if (status != PORTOLAN_OK)
        return status;
    p->stands_for = portolan_strdup(user->name);
    p->stands_for_port = portolan_strdup(c->uses->name);
    if (!p->stands_for || !p->stands_for_port)
        status = portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    else
        status = insert(c, p, wiring, err);
    if (status != PORTOLAN_OK) {
        instance_destroy(p, &later);
        return status;
    }
    *proxy = p;
    return PORTOLAN_OK;
}
