/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts a proxy between the two ends of a connection. */
#include <stdlib.h>
#include <string.h>

#include <utlist.h>

#include "internal.h"

static enum portolan_status find_proxy_class(struct connection *c, const char **class_name,
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

/* `<user>.<uses>.proxy`; a second proxy on the same connection gets a number. */
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

/* The only provides port of TYPE of an instance that is not a proxy; *COUNT: how many exist. */
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
    const struct portolan_class_description *class = proxy->services->class;
    enum portolan_status status = PORTOLAN_OK;
    struct port *p;

    DL_FOREACH(proxy->services->ports, p)
    if (status == PORTOLAN_OK && !p->provided && !p->target && strcmp(p->name, "use"))
        /* the proxy can do without ports that its description does not name */
        status = wire_port(
            p, class && !portolan_class_uses(class, p->name) ? WIRE_IF_FOUND : wiring, err);
    return status;
}

/* Connects the user to the proxy instead of its provider. */
static enum portolan_status move_user(struct connection *c, struct port *provide,
                                      struct portolan_error *err)
{
    struct port *before = c->provides;
    enum portolan_status status = connect_rebind(c->uses, provide, err);

    if (status != PORTOLAN_OK)
        return status;
    c->provides = provide;
    c->is_quiet = false;
    events_notify(c->uses, before, gov_cca_ports_EventType_Disconnected);
    events_notify(c->uses, provide, gov_cca_ports_EventType_ConnectPending);
    events_notify(c->uses, provide, gov_cca_ports_EventType_Connected);
    return PORTOLAN_OK;
}

static enum portolan_status insert_proxy(struct connection *c, struct instance *proxy,
                                         enum wiring wiring, struct portolan_error *err)
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
    if ((status = wire_others(proxy, wiring, err)) != PORTOLAN_OK)
        return status;
    /* The proxy takes the place that C gives up at the provider. */
    c->is_moving = true;
    status = connect_make(use, c->provides, &behind, err);
    c->is_moving = false;
    return status == PORTOLAN_OK ? move_user(c, provide, err) : status;
}

/* Fails while listeners are being called, or if an end of the connection does not allow a proxy. */
static enum portolan_status check_ends(const struct connection *c, struct portolan_error *err)
{
    const struct port *unable = c->uses->no_proxy       ? c->uses
                                : c->provides->no_proxy ? c->provides
                                                        : NULL;
    enum portolan_status status = events_check_quiet(c->uses->services->fw, err);
    char label[300];

    if (status != PORTOLAN_OK || !unable)
        return status;
    return portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                              "%s: port '%s' bears no proxy (ABLE_TO_PROXY is false)",
                              services_label(unable->services, label, sizeof label), unable->name);
}

static enum portolan_status create_proxy(struct portolan_framework *fw, const char *name,
                                         const char *class_name, const struct proxy_start *start,
                                         struct instance **proxy, struct portolan_error *err)
{
    gov_cca_TypeMap properties = typemap_copy(NULL, err);
    enum portolan_status status = properties ? PORTOLAN_OK : PORTOLAN_ENOMEM;
    char one_in[20];

    snprintf(one_in, sizeof one_in, "%u", start->one_in);
    if (properties && start->variant)
        status = typemap_put_own(properties, "portolan.variant", start->variant, err);
    if (status == PORTOLAN_OK && start->has_rows)
        status = typemap_put_own(properties, "portolan.rows", "yes", err);
    if (status == PORTOLAN_OK && start->one_in)
        status = typemap_put_own(properties, "portolan.sample", one_in, err);
    if (status == PORTOLAN_OK)
        status = instance_create(fw, name, class_name, properties, proxy, err);
    sidl_reference_delete(properties, NULL);
    return status;
}

enum portolan_status interpose_proxy(struct connection *c, const char *class_name,
                                     const struct proxy_start *start, enum wiring wiring,
                                     struct instance **proxy, struct portolan_error *err)
{
    struct instance *user = c->uses->services->instance, *p = NULL;
    struct portolan_error later = {0};
    enum portolan_status status;
    char *name;

    *proxy = NULL;
    if ((status = check_ends(c, err)) != PORTOLAN_OK)
        return status;
    if (!class_name && (status = find_proxy_class(c, &class_name, err)) != PORTOLAN_OK)
        return status;
    if (!(name = proxy_name(c)))
        return portolan_no_memory(err);
    status = create_proxy(user->fw, name, class_name, start, &p, err);
    free(name);
    if (status != PORTOLAN_OK)
        return status;
    p->stands_for = portolan_strdup(user->name);
    p->stands_for_port = portolan_strdup(c->uses->name);
    if (!p->stands_for || !p->stands_for_port)
        status = portolan_no_memory(err);
    else if ((status = connect_quiet(c, 0, err)) == PORTOLAN_OK)
        status = insert_proxy(c, p, wiring, err);
    if (status != PORTOLAN_OK) {
        connect_unquiet(c);
        instance_destroy(p, 0, &later);
        return status;
    }
    *proxy = p;
    return PORTOLAN_OK;
}
