/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gov.cca.ports.ConnectionEventService notifies a component of the connections that its own ports
 * get and lose. Everything happens in the call that changes the connection, so every rank of an
 * SPMD program sees the same order.
 */
#include <stdlib.h>

#include <utlist.h>

#include "internal.h"

/* -- gov.cca.ports.ConnectionEvent -- */

struct event {
    struct sidl_object object;
    enum gov_cca_ports_EventType__enum type;
    gov_cca_TypeMap properties; /* ours */
};

static enum gov_cca_ports_EventType__enum event_type(void *self, sidl_BaseInterface *_ex)
{
    (void)_ex;
    return ((struct event *)self)->type;
}

static gov_cca_TypeMap event_info(void *self, sidl_BaseInterface *_ex)
{
    return gov_cca_TypeMap_cloneTypeMap(((struct event *)self)->properties, _ex);
}

static void event_destroy(void *self)
{
    sidl_reference_delete(((struct event *)self)->properties, NULL);
}

static const struct gov_cca_ports_ConnectionEvent__epv event_epv = {
    .f_getEventType = event_type,
    .f_getPortInfo = event_info,
};

static const struct sidl_class event_class =
    SIDL_CLASS("portolan.ConnectionEvent", "0.1", event, gov_cca_ports_ConnectionEvent, event_epv,
               event_destroy);

static struct event *create_event(const struct port *p, enum gov_cca_ports_EventType__enum type,
                                  sidl_BaseInterface *_ex)
{
    struct event *e = exception_or_object(&event_class, _ex);

    if (!e)
        return NULL;
    e->type = type;
    e->properties = gov_cca_TypeMap_cloneTypeMap(p->properties, _ex);
    if (!*_ex)
        return e;
    sidl_object_release(e);
    return NULL;
}

/* -- notifying -- */

static unsigned type_bits(enum gov_cca_ports_EventType__enum type)
{
    return type == gov_cca_ports_EventType_ALL ? ~0U : 1U << type;
}

/* A copy of the listeners to call, because the list may change meanwhile. NULL: no listeners. */
static gov_cca_ports_ConnectionEventListener *
gather_listeners(const struct services *s, enum gov_cca_ports_EventType__enum type, size_t *count)
{
    gov_cca_ports_ConnectionEventListener *all;
    const struct listener *l;

    *count = 0;
    LL_FOREACH(s->listeners, l)
    *count += (l->types & type_bits(type)) != 0;
    all = *count ? portolan_calloc(*count, sizeof *all) : NULL;
    if (*count && !all)
        portolan_log(PORTOLAN_LOG_WARNING, "framework", "no memory to tell connection listeners");
    *count = 0;
    LL_FOREACH(s->listeners, l)
    if (all && (l->types & type_bits(type)))
        sidl_reference_add(all[(*count)++] = l->listener, NULL);
    return all;
}

static void notify_listeners(const struct port *p, enum gov_cca_ports_EventType__enum type)
{
    struct portolan_error err = {0};
    gov_cca_ports_ConnectionEventListener *all;
    sidl_BaseInterface ex = NULL;
    struct event *e;
    char label[300];
    size_t count;

    if (!(all = gather_listeners(p->services, type, &count)))
        return;
    e = create_event(p, type, &ex);
    for (size_t i = 0; i < count; i++) {
        if (e)
            gov_cca_ports_ConnectionEventListener_connectionActivity(
                all[i], sidl_object_facet(e, "gov.cca.ports.ConnectionEvent"), &ex);
        if (portolan_catch(&ex, &err) != PORTOLAN_OK)
            portolan_log(PORTOLAN_LOG_WARNING, "framework", "%s: a connection listener failed: %s",
                         services_label(p->services, label, sizeof label), err.text);
        err = (struct portolan_error){0};
        sidl_reference_delete(all[i], NULL);
    }
    sidl_object_release(e);
    free(all);
}

void events_notify(const struct port *uses, const struct port *provides,
                   enum gov_cca_ports_EventType__enum type)
{
    struct portolan_framework *fw = uses->services->fw;
    bool connects =
        type == gov_cca_ports_EventType_ConnectPending || type == gov_cca_ports_EventType_Connected;

    fw->telling++;
    notify_listeners(connects ? provides : uses, type);
    notify_listeners(connects ? uses : provides, type);
    fw->telling--;
}

enum portolan_status events_check_quiet(const struct portolan_framework *fw,
                                        struct portolan_error *err)
{
    if (!fw->telling)
        return PORTOLAN_OK;
    return portolan_error_set(err, PORTOLAN_EINVAL,
                              "a listener that is being told of a connection cannot change "
                              "instances, connections or ports");
}

/* -- the port -- */

static void free_listener(struct listener *l)
{
    sidl_reference_delete(l->listener, NULL);
    free(l);
}

void events_forget(struct services *s)
{
    struct listener *l, *next;

    LL_FOREACH_SAFE(s->listeners, l, next)
    {
        LL_DELETE(s->listeners, l);
        free_listener(l);
    }
}

static struct listener *find_listener(const struct services *s,
                                      gov_cca_ports_ConnectionEventListener listener)
{
    struct listener *l;

    LL_FOREACH(s->listeners, l)
    if (sidl_reference_is_same(l->listener, listener, NULL))
        return l;
    return NULL;
}

static struct services *check_listener(void *self, enum gov_cca_ports_EventType__enum type,
                                       gov_cca_ports_ConnectionEventListener listener,
                                       sidl_BaseInterface *_ex)
{
    struct services *s = component_face_services(self, _ex);

    if (s && !listener)
        portolan_throw(_ex, PORTOLAN_EINVAL, "the connection listener is null");
    else if (s &&
             (type < gov_cca_ports_EventType_ALL || type > gov_cca_ports_EventType_Disconnected))
        portolan_throw(_ex, PORTOLAN_EINVAL, "nobody ever gets an event of type %d", (int)type);
    exception_undeclared(_ex);
    return *_ex ? NULL : s;
}

static void events_add(void *self, enum gov_cca_ports_EventType__enum type,
                       gov_cca_ports_ConnectionEventListener listener, sidl_BaseInterface *_ex)
{
    struct services *s = check_listener(self, type, listener, _ex);
    struct listener *l = s ? find_listener(s, listener) : NULL;

    if (!s)
        return;
    if (!l) {
        if (!(l = portolan_calloc(1, sizeof *l))) {
            exception_no_memory(_ex);
            return;
        }
        sidl_reference_add(l->listener = listener, NULL);
        LL_APPEND(s->listeners, l);
    }
    l->types |= type_bits(type);
}

static void events_remove(void *self, enum gov_cca_ports_EventType__enum type,
                          gov_cca_ports_ConnectionEventListener listener, sidl_BaseInterface *_ex)
{
    struct services *s = check_listener(self, type, listener, _ex);
    struct listener *l = s ? find_listener(s, listener) : NULL;

    if (!l)
        return;
    l->types &= ~type_bits(type);
    if (l->types & (type_bits(gov_cca_ports_EventType_ConnectPending) |
                    type_bits(gov_cca_ports_EventType_Connected) |
                    type_bits(gov_cca_ports_EventType_DisconnectPending) |
                    type_bits(gov_cca_ports_EventType_Disconnected)))
        return;
    LL_DELETE(s->listeners, l);
    free_listener(l);
}

const struct gov_cca_ports_ConnectionEventService__epv events_epv = {
    .f_addConnectionEventListener = events_add,
    .f_removeConnectionEventListener = events_remove,
};
