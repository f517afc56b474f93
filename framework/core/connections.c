/* SPDX-License-Identifier: BSD-3-Clause */
/* Connections between ports: connecting only moves a pointer. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <utlist.h>

/* The class's description may declare that a foreign port also has other types. */
static bool is_declared(const struct port *provides, const char *type)
{
    const struct portolan_class_description *class = provides->services->class;
    const struct portolan_port_description *d =
        class ? portolan_class_provides(class, provides->name) : NULL;

    return d && sidl_reference_is_type(provides->provided, "portolan.ForeignPort", NULL) &&
           portolan_port_is(d, type);
}

enum portolan_status connect_check_types(const struct port *uses, const struct port *provides,
                                         struct portolan_error *err)
{
    char label[300];

    if (!strcmp(uses->type, provides->type) ||
        services_is_of_type(provides->provided, uses->type) || is_declared(provides, uses->type))
        return PORTOLAN_OK;
    return portolan_error_set(
        err, PORTOLAN_EBADPORTTYPE, "%s: uses port '%s' has type %s, but '%s.%s' provides %s",
        services_label(uses->services, label, sizeof label), uses->name, uses->type,
        provides->services->instance->name, provides->name, provides->type);
}

enum portolan_status connect_find_ports(struct instance *user, const char *uses,
                                        struct instance *provider, const char *provides,
                                        struct port **uses_port, struct port **provides_port,
                                        struct portolan_error *err)
{
    *uses_port = services_find(user->services, uses);
    *provides_port = services_find(provider->services, provides);
    if (!*uses_port || (*uses_port)->provided || (*uses_port)->base)
        return services_no_port(user->services, uses, false, err);
    if (!*provides_port || !(*provides_port)->provided)
        return services_no_port(provider->services, provides, true, err);
    return PORTOLAN_OK;
}

enum portolan_status connect_rebind(struct port *uses, struct port *provides,
                                    struct portolan_error *err)
{
    struct services *user = uses->services;
    struct instance *proxy = user->instance;
    sidl_BaseInterface ex = NULL;
    enum portolan_status status;
    char label[300];

    if (user->rebindable) {
        portolan_Rebindable_rebind(
            user->rebindable, uses->name, provides ? provides->provided : NULL,
            provides ? provides->services->instance->name : "", provides ? provides->name : "",
            provides ? services_class_name(provides->services) : "",
            proxy->stands_for ? proxy->stands_for : proxy->name,
            proxy->stands_for ? proxy->stands_for_port : uses->name, &ex);
        if ((status = portolan_catch(&ex, err)) != PORTOLAN_OK) {
            portolan_error_prefix(err, "%s: uses port '%s' cannot be moved to '%s'",
                                  services_label(user, label, sizeof label), uses->name,
                                  provides ? provides->services->instance->name : "nothing");
            return status;
        }
    }
    __atomic_store_n(&uses->target, provides ? provides->provided : NULL, __ATOMIC_SEQ_CST);
    return PORTOLAN_OK;
}

static enum portolan_status check_uses(const struct port *uses, struct portolan_error *err)
{
    const struct connection *c = uses->connection;
    char label[300];

    services_label(uses->services, label, sizeof label);
    if (c && uses->max > 1)
        return portolan_error_set(err, PORTOLAN_EEXISTS,
                                  "%s: uses port '%s' takes at most %d connections "
                                  "(MAX_CONNECTIONS)",
                                  label, uses->name, uses->max);
    if (c)
        return portolan_error_set(
            err, PORTOLAN_EEXISTS, "%s: uses port '%s' is connected already, to '%s.%s'", label,
            uses->name, c->provides->services->instance->name, c->provides->name);
    if (uses->service)
        return portolan_error_set(err, PORTOLAN_EEXISTS,
                                  "%s: uses port '%s' of type %s is served by the framework%s",
                                  label, uses->name, uses->type,
                                  uses->service->owner ? " (a component's service)" : " itself");
    if (uses->max == 0)
        return portolan_error_set(err, PORTOLAN_EEXISTS,
                                  "%s: uses port '%s' takes no connection (MAX_CONNECTIONS)", label,
                                  uses->name);
    return PORTOLAN_OK;
}

static enum portolan_status check_count(const struct port *uses, const struct port *provides,
                                        struct portolan_error *err)
{
    enum portolan_status status = check_uses(uses, err);
    struct connection *c;
    char label[300];
    int count = 0;

    if (status != PORTOLAN_OK)
        return status;
    DL_FOREACH(uses->services->fw->connections, c)
    count += c->provides == provides && !c->is_moving;
    if (provides->max >= 0 && count >= provides->max)
        return portolan_error_set(err, PORTOLAN_EEXISTS,
                                  "%s: provides port '%s' takes at most %d connections "
                                  "(MAX_CONNECTIONS)",
                                  services_label(provides->services, label, sizeof label),
                                  provides->name, provides->max);
    return PORTOLAN_OK;
}

static enum portolan_status check_connection(struct port **uses, const struct port *provides,
                                             struct portolan_error *err)
{
    enum portolan_status status = events_check_quiet((*uses)->services->fw, err);

    if (status == PORTOLAN_OK && (*uses)->service)
        status = check_uses(*uses, err);
    if (status == PORTOLAN_OK)
        status = connect_check_types(*uses, provides, err);
    if (status == PORTOLAN_OK)
        status = port_take_slot(uses, err);
    return status == PORTOLAN_OK ? check_count(*uses, provides, err) : status;
}

enum portolan_status connect_make(struct port *uses, struct port *provides, struct connection **out,
                                  struct portolan_error *err)
{
    struct portolan_framework *fw = uses->services->fw;
    enum portolan_status status = check_connection(&uses, provides, err);
    struct connection *c;

    *out = NULL;
    if (status != PORTOLAN_OK)
        return status;
    if (!(c = portolan_calloc(1, sizeof *c)))
        return portolan_no_memory(err);
    c->uses = uses;
    c->provides = provides;
    if (!(c->id = connection_id_create(c, err))) {
        free(c);
        return PORTOLAN_ENOMEM;
    }
    events_notify(uses, provides, gov_cca_ports_EventType_ConnectPending);
    if ((status = connect_rebind(uses, provides, err)) != PORTOLAN_OK) {
        sidl_object_release(c->id);
        free(c);
        return status;
    }
    uses->connection = c;
    DL_APPEND(fw->connections, c);
    *out = c;
    events_notify(uses, provides, gov_cca_ports_EventType_Connected);
    return PORTOLAN_OK;
}

/* The component that made the provides port for this connection may now remove it. */
static void end_service(struct connection *c)
{
    gov_cca_ports_ServiceProvider provider = c->served;
    sidl_BaseInterface ex = NULL;
    struct portolan_error err = {0};
    char *name;

    c->served = NULL;
    if (provider && !c->provides->services->instance->is_ending) {
        name = portolan_strdup(c->provides->name);
        if (name)
            gov_cca_ports_ServiceProvider_destroyService(provider, name, &ex);
        free(name);
        if (portolan_catch(&ex, &err) != PORTOLAN_OK)
            portolan_log(PORTOLAN_LOG_WARNING, "framework", "destroyService failed: %s", err.text);
    }
    sidl_reference_delete(provider, NULL);
}

void connect_forget(struct connection *c)
{
    gov_cca_ports_ServiceProvider served = c->served;

    c->uses->connection = NULL;
    __atomic_store_n(&c->uses->target, NULL, __ATOMIC_SEQ_CST);
    DL_DELETE(c->uses->services->fw->connections, c);
    c->id->connection = NULL;
    if (served)
        end_service(c);
    sidl_object_release(c->id);
    sidl_reference_delete(c->properties, NULL);
    free(c);
}

/* Frees the connection and notifies the listeners of both ends. */
static void end_connection(struct connection *c)
{
    struct port *uses = c->uses, *provides = c->provides;
    bool is_served = c->served != NULL;

    if (is_served) /* the provides port may vanish with the connection */
        events_notify(uses, provides, gov_cca_ports_EventType_Disconnected);
    connect_forget(c);
    if (!is_served)
        events_notify(uses, provides, gov_cca_ports_EventType_Disconnected);
}

enum portolan_status connect_undo(struct connection *c, double timeout_s,
                                  struct portolan_error *err)
{
    enum portolan_status status = events_check_quiet(c->uses->services->fw, err);

    if (status == PORTOLAN_OK)
        status = connect_quiet(c, timeout_s, err);
    if (status == PORTOLAN_OK)
        status = connect_rebind(c->uses, NULL, err);
    if (status == PORTOLAN_OK)
        end_connection(c);
    else
        connect_unquiet(c);
    return status;
}

void connect_drop_all(const struct port *provides)
{
    struct portolan_framework *fw = provides->services->fw;
    struct connection *c;

    /* Start again each time, because listeners may undo other connections. */
    do {
        DL_SEARCH_SCALAR(fw->connections, c, provides, provides);
        if (!c)
            return;
        sidl_reference_delete(c->served, NULL); /* its maker is already taking the port back */
        c->served = NULL;
        connect_drop(c);
    } while (true);
}

void connect_drop(struct connection *c)
{
    struct portolan_error err = {0};

    if (!c->is_quiet)
        events_notify(c->uses, c->provides, gov_cca_ports_EventType_DisconnectPending);
    if (connect_rebind(c->uses, NULL, &err) != PORTOLAN_OK)
        portolan_log(PORTOLAN_LOG_WARNING, "framework", "%s", err.text);
    end_connection(c);
}

/* -- The end of use: a connection is quiet when its port is not held. -- */

/* Waits until the port is not held; other threads may be about to release it. */
static bool wait_until_free(const struct port *uses, double timeout_s)
{
    const struct timespec nap = {.tv_nsec = 200000};
    struct timespec begin, now;

    clock_gettime(CLOCK_MONOTONIC, &begin);
    while (port_is_held(uses)) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (!((double)(now.tv_sec - begin.tv_sec) + 1e-9 * (double)(now.tv_nsec - begin.tv_nsec) <
              timeout_s))
            return false;
        nanosleep(&nap, NULL);
    }
    return true;
}

enum portolan_status connect_quiet(struct connection *c, double timeout_s,
                                   struct portolan_error *err)
{
    struct port *uses = c->uses;
    gov_cca_Port target = uses->target;
    char label[300];

    if (c->is_quiet)
        return PORTOLAN_OK;
    events_notify(uses, c->provides, gov_cca_ports_EventType_DisconnectPending);
    if (uses->services->rebindable) {
        c->is_quiet = true;
        return PORTOLAN_OK;
    }
    __atomic_store_n(&uses->target, NULL, __ATOMIC_SEQ_CST);
    if (wait_until_free(uses, timeout_s)) {
        c->is_quiet = true;
        return PORTOLAN_OK;
    }
    __atomic_store_n(&uses->target, target, __ATOMIC_SEQ_CST);
    return portolan_error_set(err, PORTOLAN_EPORTINUSE,
                              "%s holds its uses port '%s', which is connected to '%s.%s'",
                              services_label(uses->services, label, sizeof label), uses->name,
                              c->provides->services->instance->name, c->provides->name);
}

void connect_unquiet(struct connection *c)
{
    if (c->is_quiet && !c->uses->services->rebindable)
        __atomic_store_n(&c->uses->target, c->provides->provided, __ATOMIC_SEQ_CST);
    c->is_quiet = false;
}

/* -- Connections that come and go with the ports of the user's present class. -- */

/* A port without monitoring can be monitored later, if a component takes its records. */
static enum portolan_status interpose_wanted(const struct dormant *wanted, struct connection *c,
                                             struct instance **proxy, struct portolan_error *err)
{
    static const struct proxy_start forward = {.variant = "forward"};
    const char *variant = wanted->start.variant;
    bool needs_all = wanted->monitored && (!variant || !strcmp(variant, "mastermind"));

    return interpose_proxy(c, NULL, wanted->monitored ? &wanted->start : &forward,
                           needs_all ? WIRE_ALL : WIRE_IF_FOUND, proxy, err);
}

enum portolan_status link_make(const struct dormant *wanted, struct connection **c,
                               struct instance **proxy, struct portolan_error *err)
{
    struct port *uses, *provides;
    enum portolan_status status = connect_find_ports(wanted->user, wanted->uses, wanted->provider,
                                                     wanted->provides, &uses, &provides, err);

    *c = NULL;
    *proxy = NULL;
    if (status == PORTOLAN_OK)
        status = connect_make(uses, provides, c, err);
    if (status != PORTOLAN_OK || !wanted->needs_proxy)
        return status;
    status = interpose_wanted(wanted, *c, proxy, err);
    if (status != PORTOLAN_OK) {
        connect_drop(*c);
        *c = NULL;
    }
    return status;
}

struct dormant *link_create_dormant(const struct dormant *wanted, struct portolan_error *err)
{
    struct dormant *d = portolan_calloc(1, sizeof *d);

    if (d) {
        *d = *wanted;
        d->next = NULL;
        d->uses = portolan_strdup(wanted->uses);
        d->provides = portolan_strdup(wanted->provides);
    }
    if (!d || !d->uses || !d->provides) {
        link_free_dormant(d);
        portolan_no_memory(err);
        return NULL;
    }
    return d;
}

void link_free_dormant(struct dormant *d)
{
    if (!d)
        return;
    free(d->uses);
    free(d->provides);
    free(d);
}

void link_forget(struct portolan_framework *fw, const struct instance *instance)
{
    struct dormant *d, *next;

    LL_FOREACH_SAFE(fw->dormants, d, next)
    if (!instance || d->user == instance || d->provider == instance) {
        LL_DELETE(fw->dormants, d);
        link_free_dormant(d);
    }
}
