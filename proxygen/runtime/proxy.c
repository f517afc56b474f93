/* SPDX-License-Identifier: BSD-3-Clause */
/* The component that every proxy is. */
#include "proxy_internal.h"

#include <stdlib.h>

/* ------------------------------------------------------------------ control */

static void follow(void *self, uint32_t flags)
{
    proxy_set_flags(self, flags);
}

void proxy_control_leave(struct portolan_proxy *proxy)
{
    struct portolan_proxy_state *s = proxy->state;

    if (s->name)
        portolan_control_remove(&s->control);
    free(s->name);
    s->name = NULL;
}

enum portolan_status proxy_control_enter(struct portolan_proxy *proxy, const char *user,
                                         const char *uses, struct portolan_error *err)
{
    struct portolan_proxy_state *s = proxy->state;
    char *name = portolan_asprintf("%s%s%s", user ? user : "", user && *user ? "." : "", uses);

    if (!name)
        return portolan_no_memory(err);
    if (s->name && !strcmp(s->name, name)) {
        free(name);
        return PORTOLAN_OK;
    }
    proxy_control_leave(proxy);
    s->name = name;
    s->control.name = name;
    s->control.type = proxy->description->type;
    s->control.port = &proxy->port;
    s->control.follow = follow;
    s->control.self = proxy;
    s->control.has_mastermind = s->monitor != NULL;
    portolan_control_add(&s->control);
    return PORTOLAN_OK;
}

static void has_monitor(struct portolan_proxy_state *s, bool is_there)
{
    if (s->name)
        portolan_control_set_mastermind(&s->control, is_there);
}

/* ------------------------------------------------------------------ life */

struct portolan_proxy_state *proxy_state_create(enum proxy_kind kind, struct portolan_error *err)
{
    struct portolan_proxy_state *s = portolan_calloc(1, sizeof *s);

    if (!s) {
        portolan_no_memory(err);
        return NULL;
    }
    s->control.variant = PORTOLAN_VARIANT_MASTERMIND;
    if (pthread_mutex_init(&s->lock, NULL) != 0) {
        portolan_error_set(err, PORTOLAN_ENOMEM, "no mutex to be had");
        free(s);
        return NULL;
    }
    s->kind = kind;
    s->slot = -1;
    return s;
}

void proxy_state_destroy(struct portolan_proxy *proxy)
{
    struct portolan_proxy_state *s = proxy->state;

    while (s->old) {
        struct proxy_record *r = s->old;

        s->old = r->next;
        proxy_record_destroy(r);
    }
    proxy_record_destroy(s->current);
    proxy_table_leave(proxy);
    pthread_mutex_destroy(&s->lock);
    free(s);
    proxy->state = NULL;
}

gov_cca_Component portolan_proxy_create(const struct sidl_class *cls,
                                        const struct portolan_proxy_description *description,
                                        sidl_BaseInterface *_ex)
{
    const struct portolan_probe_connection nobody = {.port_type = description->type};
    struct portolan_error err = {0};
    struct portolan_proxy *proxy = sidl_object_create(cls, _ex);

    if (!proxy)
        return NULL;
    proxy->description = description;
    proxy->state = proxy_state_create(PROXY_COMPONENT, &err);
    if (!proxy->state ||
        proxy_record_create(proxy, NULL, &nobody, &proxy->state->current, &err) != PORTOLAN_OK) {
        portolan_throw(_ex, err.status, "%s: %s", cls->name, err.text);
        sidl_object_release(proxy);
        return NULL;
    }
    portolan_probe_port_init(&proxy->port, &proxy->state->current->binding, 0);
    return sidl_object_facet(proxy, "gov.cca.Component");
}

void portolan_proxy_destroy(void *self)
{
    struct portolan_proxy *proxy = self;

    if (!proxy->state)
        return;
    proxy_monitor(proxy, NULL, NULL);
    proxy_control_leave(proxy);
    sidl_reference_delete(proxy->state->measurement, NULL);
    proxy_orphan(proxy);
    proxy_state_destroy(proxy);
}

void *portolan_proxy_cast(void *self, const char *type)
{
    struct portolan_proxy_state *s = ((struct portolan_proxy *)self)->state;
    void *behind, *found;

    pthread_mutex_lock(&s->lock);
    behind = s->current->reference;
    sidl_reference_add(behind, NULL);
    pthread_mutex_unlock(&s->lock);
    found = behind ? sidl_reference_cast(behind, type, NULL) : NULL;
    sidl_reference_delete(behind, NULL);
    return found;
}

void portolan_proxy_throw_unconnected(struct portolan_proxy *proxy, size_t method,
                                      sidl_BaseInterface *_ex)
{
    portolan_throw(_ex, PORTOLAN_EPORTNOTCONNECTED,
                   "call of '%s': nothing is connected behind the proxy for %s",
                   proxy->description->methods[method].name, proxy->description->type);
}

/* ------------------------------------------------------------------ monitoring */

static void leave_monitor(struct portolan_proxy *proxy, sidl_BaseInterface *_ex)
{
    portolan_ports_Monitor monitor = proxy->state->monitor;

    if (!monitor)
        return;
    proxy->state->monitor = NULL;
    has_monitor(proxy->state, false);
    portolan_ports_Monitor_detach(monitor, &proxy->port, _ex);
    portolan_ports_Monitor_deleteRef(monitor, &(sidl_BaseInterface){NULL});
}

void proxy_monitor(struct portolan_proxy *proxy, gov_cca_Port port, sidl_BaseInterface *_ex)
{
    sidl_BaseInterface ignored = NULL;
    portolan_ports_Monitor monitor = NULL;

    if (port) {
        monitor = portolan_ports_Monitor__cast(port, _ex);
        if (!monitor) {
            portolan_throw(_ex, PORTOLAN_EBADPORTTYPE, "the provider is no portolan.ports.Monitor");
            return;
        }
        if (sidl_reference_is_same(monitor, proxy->state->monitor, &ignored)) {
            portolan_ports_Monitor_deleteRef(monitor, &ignored);
            return;
        }
        portolan_ports_Monitor_attach(monitor, &proxy->port, _ex);
        if (*_ex) {
            portolan_ports_Monitor_deleteRef(monitor, &ignored);
            return;
        }
    }
    leave_monitor(proxy, &ignored);
    SIDL_CLEAR(ignored);
    proxy->state->monitor = monitor;
    has_monitor(proxy->state, monitor != NULL);
}

/* ------------------------------------------------------------------ portolan.Suspendable */

static void rebind(void *self, const char *uses_port, gov_cca_Port port, const char *instance,
                   const char *provided_port, const char *implementation, const char *user_instance,
                   const char *user_port, sidl_BaseInterface *_ex)
{
    struct portolan_proxy *proxy = self;
    const struct portolan_probe_connection connection = {.user = user_instance,
                                                         .uses = user_port,
                                                         .provider = instance,
                                                         .provides = provided_port,
                                                         .provider_class = implementation,
                                                         .port_type = proxy->description->type};
    struct portolan_error err = {0};
    struct proxy_record *record;
    enum portolan_status status;

    if (strcmp(uses_port, "monitor") == 0) {
        proxy_monitor(proxy, port, _ex);
        return;
    }
    if (strcmp(uses_port, "measurement") == 0) {
        sidl_reference_delete(proxy->state->measurement, NULL);
        sidl_reference_add(proxy->state->measurement = port, NULL);
        return;
    }
    if (strcmp(uses_port, "use") != 0) {
        portolan_throw(_ex, PORTOLAN_EBADPORTNAME,
                       "a proxy has uses ports 'use', 'monitor' and 'measurement', and no '%s'",
                       uses_port);
        return;
    }
    /* Commands can reach a proxy once it knows its user. */
    status = port && user_port ? proxy_control_enter(proxy, user_instance, user_port, &err)
                               : PORTOLAN_OK;
    if (status == PORTOLAN_OK)
        status = proxy_record_create(proxy, port, &connection, &record, &err);
    if (status == PORTOLAN_OK)
        status = proxy_bind(proxy, record, &err);
    if (status != PORTOLAN_OK)
        portolan_throw(_ex, status, "proxy of %s.%s: %s", user_instance ? user_instance : "",
                       user_port ? user_port : "", err.text);
}

/* Only calls of "use" pass through the probe; monitors are called under locks of their own. */
static bool is_gated(const char *uses_port)
{
    return strcmp(uses_port, "use") == 0;
}

static void suspend(void *self, const char *uses_port, sidl_BaseInterface *_ex)
{
    struct portolan_proxy *proxy = self;
    struct portolan_error err = {0};

    if (is_gated(uses_port) && portolan_probe_gate_shut(&proxy->port, &err) != PORTOLAN_OK)
        portolan_throw(_ex, err.status, "%s", err.text);
}

static void resume(void *self, const char *uses_port, sidl_BaseInterface *_ex)
{
    (void)_ex;
    if (is_gated(uses_port))
        portolan_probe_gate_open(&((struct portolan_proxy *)self)->port, NULL);
}

static void drain(void *self, const char *uses_port, double seconds, sidl_BaseInterface *_ex)
{
    struct portolan_error err = {0};

    if (is_gated(uses_port) && proxy_drain(self, seconds, &err) != PORTOLAN_OK)
        portolan_throw(_ex, err.status, "%s", err.text);
}

static sidl_bool was_called(void *self, const char *uses_port, sidl_BaseInterface *_ex)
{
    (void)_ex;
    return !is_gated(uses_port) ||
           portolan_probe_port_was_called(&((struct portolan_proxy *)self)->port);
}

const struct portolan_Suspendable__epv portolan_proxy_suspendable = {.f_rebind = rebind,
                                                                     .f_suspend = suspend,
                                                                     .f_resume = resume,
                                                                     .f_drain = drain,
                                                                     .f_wasCalled = was_called};

/* ------------------------------------------------------------------ gov.cca.Component */

/* Reads the properties. Default: the Mastermind, if one is connected, gets all calls as totals. */
static void read_start(struct portolan_proxy *proxy, gov_cca_Services services,
                       sidl_BaseInterface *_ex)
{
    gov_cca_TypeMap properties = portolan_component_properties(services, _ex);
    struct portolan_control_port *control = &proxy->state->control;
    sidl_BaseInterface ignored = NULL;
    char *word = NULL;
    int64_t one_in;

    SIDL_CHECK(*_ex);
    word = gov_cca_TypeMap_getString(properties, "portolan.variant", "mastermind", _ex);
    SIDL_CHECK(*_ex);
    if (!portolan_variant_read(word, &control->variant)) {
        portolan_throw(_ex, PORTOLAN_EBADPROPERTIES,
                       "unknown variant '%s'; use forward, profile or mastermind", word);
        goto EXIT;
    }
    sidl_String_free(word);
    word = gov_cca_TypeMap_getString(properties, "portolan.rows", "no", _ex);
    SIDL_CHECK(*_ex);
    control->has_rows = !strcmp(word, "yes");
    sidl_String_free(word);
    word = gov_cca_TypeMap_getString(properties, "portolan.sample", "1", _ex);
    SIDL_CHECK(*_ex);
    if (portolan_read_int64(word, &one_in) && one_in > 0 && one_in <= PORTOLAN_PROBE_SAMPLING_MAX)
        control->one_in = (uint32_t)one_in;
    else
        portolan_throw(_ex, PORTOLAN_EBADPROPERTIES,
                       "'%s' is no number of calls of which one is timed, 1 to %u", word,
                       PORTOLAN_PROBE_SAMPLING_MAX);
EXIT:
    sidl_String_free(word);
    gov_cca_TypeMap_deleteRef(properties, &ignored);
}

static void set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct portolan_proxy *proxy = self;
    const char *type = proxy->description->type;

    /* A C object travels under its own type's name, and its port is a portolan.ForeignPort. */
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(self, "gov.cca.Port"), "provide",
                                     type, NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_registerUsesPort(services, "use", type, NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_registerUsesPort(services, "monitor", "portolan.ports.Monitor", NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_registerUsesPort(services, "measurement", "portolan.ports.Measurement", NULL,
                                      _ex);
    SIDL_CHECK(*_ex);
    read_start(proxy, services, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_registerForRelease(services,
                                        sidl_object_facet(self, "gov.cca.ComponentRelease"), _ex);
    SIDL_CHECK(*_ex);
EXIT:;
}

const struct gov_cca_Component__epv portolan_proxy_component = {.f_setServices = set_services};

static void release_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    (void)services;
    leave_monitor(self, _ex);
}

const struct gov_cca_ComponentRelease__epv portolan_proxy_release = {.f_releaseServices =
                                                                         release_services};

/* ------------------------------------------------------------------ portolan.ForeignPort */

static void *get_pointer(void *self, sidl_BaseInterface *_ex)
{
    struct portolan_proxy *proxy = self;

    if (!proxy->state->current->binding.target) {
        portolan_throw(_ex, PORTOLAN_EPORTNOTCONNECTED,
                       "nothing is connected behind the proxy for %s", proxy->description->type);
        return NULL;
    }
    proxy->state->face_given = true;
    if (proxy->description->face)
        return proxy->description->face(proxy);
    return (char *)proxy + proxy->description->table->face_offset;
}

static char *get_type_name(void *self, sidl_BaseInterface *_ex)
{
    char *name = sidl_String_strdup(((struct portolan_proxy *)self)->description->type);

    if (!name)
        portolan_throw(_ex, PORTOLAN_ENOMEM, "out of memory");
    return name;
}

const struct portolan_ForeignPort__epv portolan_proxy_foreign = {.f_getPointer = get_pointer,
                                                                 .f_getTypeName = get_type_name};
