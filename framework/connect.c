/* SPDX-License-Identifier: BSD-3-Clause */
/* Connections between ports: a pointer is moved, nothing else. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <utlist.h>

#include "services.h"

/* A foreign port may be declared to be of further types by its class's description. */
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
    if (!*uses_port || (*uses_port)->provided)
        return services_no_port(user->services, uses, false, err);
    if (!*provides_port || !(*provides_port)->provided)
        return services_no_port(provider->services, provides, true, err);
    return PORTOLAN_OK;
}

bool connect_may_move(const struct port *uses)
{
    return uses->services->rebindable || __atomic_load_n(&uses->held, __ATOMIC_RELAXED) == 0;
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
    __atomic_store_n(&uses->target, provides ? provides->provided : NULL, __ATOMIC_RELEASE);
    return PORTOLAN_OK;
}

/* The properties key of the specification, a number or its text; -1 = "unlimited" or absent. */
static int max_connections(const struct port *p)
{
    sidl_BaseInterface ex = NULL;
    enum gov_cca_Type__enum type = gov_cca_TypeMap_typeOf(p->properties, "MAX_CONNECTIONS", &ex);
    int limit = -1;
    char *text, *end;
    long number;

    if (!ex && type == gov_cca_Type_Int) {
        limit = gov_cca_TypeMap_getInt(p->properties, "MAX_CONNECTIONS", -1, &ex);
    } else if (!ex && type == gov_cca_Type_String) {
        text = gov_cca_TypeMap_getString(p->properties, "MAX_CONNECTIONS", NULL, &ex);
        number = text ? strtol(text, &end, 10) : -1;
        if (text && end > text && !*end && number >= 0)
            limit = number < INT_MAX ? (int)number : INT_MAX;
        sidl_String_free(text);
    }
    SIDL_CLEAR(ex);
    return limit;
}

static enum portolan_status check_count(const struct port *uses, const struct port *provides,
                                        struct portolan_error *err)
{
    struct portolan_framework *fw = uses->services->fw;
    int count = 0, limit = max_connections(provides);
    struct connection *c = uses->connection;
    char label[300];

    if (c)
        return portolan_error_set(err, PORTOLAN_EEXISTS,
                                  "%s: uses port '%s' is connected already, to '%s.%s'",
                                  services_label(uses->services, label, sizeof label), uses->name,
                                  c->provides->services->instance->name, c->provides->name);
    if (uses->is_service)
        return portolan_error_set(err, PORTOLAN_EEXISTS,
                                  "%s: uses port '%s' of type %s is served by the framework itself",
                                  services_label(uses->services, label, sizeof label), uses->name,
                                  uses->type);
    DL_FOREACH(fw->connections, c)
    count += c->provides == provides && !c->is_moving;
    if (limit >= 0 && count >= limit)
        return portolan_error_set(err, PORTOLAN_EEXISTS,
                                  "%s: provides port '%s' takes at most %d connections "
                                  "(MAX_CONNECTIONS)",
                                  services_label(provides->services, label, sizeof label),
                                  provides->name, limit);
    return PORTOLAN_OK;
}

enum portolan_status connect_make(struct port *uses, struct port *provides, struct connection **out,
                                  struct portolan_error *err)
{
    struct portolan_framework *fw = uses->services->fw;
    enum portolan_status status = check_count(uses, provides, err);
    struct connection *c;

    *out = NULL;
    if (status == PORTOLAN_OK)
        status = connect_check_types(uses, provides, err);
    if (status != PORTOLAN_OK)
        return status;
    if (!(c = portolan_calloc(1, sizeof *c)))
        return portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    c->uses = uses;
    c->provides = provides;
    if (!(c->id = connection_id_create(c, err)))
        status = PORTOLAN_ENOMEM;
    else
        status = connect_rebind(uses, provides, err);
    if (status != PORTOLAN_OK) {
        sidl_object_release(c->id);
        free(c);
        return status;
    }
    uses->connection = c;
    DL_APPEND(fw->connections, c);
    *out = c;
    return PORTOLAN_OK;
}

void connect_forget(struct connection *c)
{
    DL_DELETE(c->uses->services->fw->connections, c);
    c->uses->connection = NULL;
    __atomic_store_n(&c->uses->target, NULL, __ATOMIC_RELEASE);
    c->id->connection = NULL;
    sidl_object_release(c->id);
    sidl_reference_delete(c->properties, NULL);
    free(c);
}

enum portolan_status connect_undo(struct connection *c, struct portolan_error *err)
{
    enum portolan_status status;
    char label[300];

    if (!connect_may_move(c->uses))
        return portolan_error_set(err, PORTOLAN_EPORTINUSE, "%s: uses port '%s' is in use",
                                  services_label(c->uses->services, label, sizeof label),
                                  c->uses->name);
    if ((status = connect_rebind(c->uses, NULL, err)) == PORTOLAN_OK)
        connect_forget(c);
    return status;
}

void connect_drop(struct connection *c)
{
    struct portolan_error err = {0};

    if (connect_rebind(c->uses, NULL, &err) != PORTOLAN_OK)
        portolan_log(PORTOLAN_LOG_WARNING, "framework", "%s", err.text);
    connect_forget(c);
}
