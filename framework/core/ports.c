/* SPDX-License-Identifier: BSD-3-Clause */
/* A component's ports: register, add, get, release, remove. Names are unique over both kinds. */
#include "internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

struct port *services_find(const struct services *s, const char *name)
{
    struct port *p;

    DL_FOREACH(s->ports, p)
    if (name && !strcmp(p->name, name))
        return p;
    return NULL;
}

const char *port_name(const struct port *p)
{
    return p->base ? p->base->name : p->name;
}

void port_free(struct port *p)
{
    if (!p)
        return;
    sidl_reference_delete(p->provided, NULL);
    sidl_reference_delete(p->made, NULL);
    sidl_reference_delete(p->properties, NULL);
    free(p->name);
    free(p->type);
    free(p);
}

/*
 * -- MAX_CONNECTIONS, MIN_CONNECTIONS and ABLE_TO_PROXY. The specification writes their values as
 * strings; numbers and bools are understood as well. --
 */

static enum portolan_status bad_value(const struct port *p, const char *key, const char *wanted,
                                      struct portolan_error *err)
{
    char label[300];

    return portolan_error_set(err, PORTOLAN_EBADPROPERTIES, "%s: port '%s': %s must be %s",
                              services_label(p->services, label, sizeof label), p->name, key,
                              wanted);
}

static enum portolan_status read_count(const struct port *p, gov_cca_TypeMap map, const char *key,
                                       bool may_be_unlimited, int *count,
                                       struct portolan_error *err)
{
    enum gov_cca_Type__enum type;
    int64_t number;
    char *text;
    enum portolan_status status = portolan_typemap_get_text(map, key, &type, &text, err);

    if (status != PORTOLAN_OK || type == gov_cca_Type_NoType)
        ; /* *COUNT is unchanged */
    else if (may_be_unlimited && !strcmp(text, "unlimited"))
        *count = -1;
    else if (portolan_read_int64(text, &number) && number >= 0 && number <= INT_MAX)
        *count = (int)number;
    else
        status = bad_value(
            p, key, may_be_unlimited ? "a number from 0 or \"unlimited\"" : "a number from 0", err);
    free(text);
    return status;
}

static enum portolan_status read_able_to_proxy(const struct port *p, gov_cca_TypeMap map,
                                               bool *no_proxy, struct portolan_error *err)
{
    enum gov_cca_Type__enum type;
    char *text;
    enum portolan_status status =
        portolan_typemap_get_text(map, "ABLE_TO_PROXY", &type, &text, err);

    *no_proxy = text && !strcmp(text, "false");
    if (status == PORTOLAN_OK && type != gov_cca_Type_NoType && !*no_proxy && strcmp(text, "true"))
        status = bad_value(p, "ABLE_TO_PROXY", "\"true\" or \"false\"", err);
    free(text);
    return status;
}

/* Reads the keys of the specification into P. */
static enum portolan_status read_limits(struct port *p, gov_cca_TypeMap properties, bool provides,
                                        struct portolan_error *err)
{
    int max = provides ? -1 : 1, min = 0;
    bool no_proxy;
    enum portolan_status status = read_count(p, properties, "MAX_CONNECTIONS", true, &max, err);

    if (status == PORTOLAN_OK)
        status = read_count(p, properties, "MIN_CONNECTIONS", false, &min, err);
    if (status == PORTOLAN_OK && max >= 0 && min > max)
        status = bad_value(p, "MIN_CONNECTIONS", "at most MAX_CONNECTIONS", err);
    if (status == PORTOLAN_OK)
        status = read_able_to_proxy(p, properties, &no_proxy, err);
    if (status != PORTOLAN_OK)
        return status;
    p->max = max;
    p->min = min;
    p->no_proxy = no_proxy;
    return PORTOLAN_OK;
}

/* -- registering, adding, removing -- */

/* *COPY becomes a copy of PROPERTIES with the framework's own keys; P's limits are read from it. */
static enum portolan_status copy_properties(struct port *p, gov_cca_TypeMap properties,
                                            bool provides, gov_cca_TypeMap *copy,
                                            struct portolan_error *err)
{
    struct portolan_error cause = {0};
    enum portolan_status status;

    if (!(*copy = typemap_copy(properties, &cause))) {
        status = cause.status == PORTOLAN_ENOMEM ? PORTOLAN_ENOMEM : PORTOLAN_EBADPROPERTIES;
        return portolan_error_set(err, status, "port '%s': the properties cannot be copied: %s",
                                  p->name, cause.text);
    }
    status = typemap_put_own(*copy, "cca.portName", p->name, err);
    if (status == PORTOLAN_OK)
        status = typemap_put_own(*copy, "cca.portType", p->type, err);
    if (status == PORTOLAN_OK)
        status = read_limits(p, *copy, provides, err);
    if (status == PORTOLAN_OK)
        return PORTOLAN_OK;
    sidl_reference_delete(*copy, NULL);
    *copy = NULL;
    return status;
}

enum portolan_status services_set_port_properties(struct port *p, gov_cca_TypeMap properties,
                                                  struct portolan_error *err)
{
    enum portolan_status status = typemap_check_own(properties, "cca.portName", p->name, err);
    gov_cca_TypeMap copy;

    if (status == PORTOLAN_OK)
        status = typemap_check_own(properties, "cca.portType", p->type, err);
    if (status == PORTOLAN_OK)
        status = copy_properties(p, properties, p->provided != NULL, &copy, err);
    if (status != PORTOLAN_OK)
        return status;
    sidl_reference_delete(p->properties, NULL);
    p->properties = copy;
    return PORTOLAN_OK;
}

static enum portolan_status check_new_port(const struct services *s, const char *name,
                                           const char *type, struct portolan_error *err)
{
    char label[300];

    services_label(s, label, sizeof label);
    if (!name || !*name)
        return portolan_error_set(err, PORTOLAN_EBADPORTNAME, "%s: a port needs a name", label);
    if (!type || !*type)
        return portolan_error_set(err, PORTOLAN_EBADPORTTYPE, "%s: port '%s' needs a type", label,
                                  name);
    if (services_find(s, name))
        return portolan_error_set(err, PORTOLAN_EPORTDEFINED, "%s: port '%s' is registered already",
                                  label, name);
    return PORTOLAN_OK;
}

static enum portolan_status new_port(struct services *s, const char *name, const char *type,
                                     gov_cca_TypeMap properties, bool provides, struct port **port,
                                     struct portolan_error *err)
{
    enum portolan_status status = check_new_port(s, name, type, err);
    struct port *p;

    if (status != PORTOLAN_OK)
        return status;
    if (!(p = portolan_calloc(1, sizeof *p)))
        return portolan_no_memory(err);
    p->services = s;
    p->name = portolan_strdup(name);
    p->type = portolan_strdup(type);
    status = p->name && p->type ? copy_properties(p, properties, provides, &p->properties, err)
                                : portolan_no_memory(err);
    if (status != PORTOLAN_OK) {
        port_free(p);
        return status;
    }
    *port = p;
    return PORTOLAN_OK;
}

enum portolan_status services_register_uses(struct services *s, const char *name, const char *type,
                                            gov_cca_TypeMap properties, struct portolan_error *err)
{
    struct port *p;
    enum portolan_status status = new_port(s, name, type, properties, false, &p, err);

    if (status != PORTOLAN_OK)
        return status;
    DL_APPEND(s->ports, p);
    if ((status = service_attach(p, err)) != PORTOLAN_OK) {
        DL_DELETE(s->ports, p);
        port_free(p);
    }
    return status;
}

enum portolan_status services_unregister_uses(struct services *s, const char *name,
                                              struct portolan_error *err)
{
    struct port *p = services_find(s, name), *q, *next;
    enum portolan_status status = events_check_quiet(s->fw, err);
    char label[300];

    if (status != PORTOLAN_OK)
        return status;
    if (!p || p->provided || p->base)
        return services_no_port(s, name, false, err);
    DL_FOREACH(s->ports, q)
    if ((q == p || q->base == p) && port_is_held(q))
        return portolan_error_set(err, PORTOLAN_EPORTINUSE,
                                  "%s: uses port '%s' has not been released",
                                  services_label(s, label, sizeof label), q->name);
    DL_FOREACH_SAFE(s->ports, q, next)
    if (q->base == p) {
        if (q->connection)
            connect_drop(q->connection);
        DL_DELETE(s->ports, q);
        port_free(q);
    }
    if (p->connection)
        connect_drop(p->connection);
    service_detach(p);
    DL_DELETE(s->ports, p);
    port_free(p);
    return PORTOLAN_OK;
}

bool services_is_of_type(gov_cca_Port object, const char *type)
{
    sidl_BaseInterface ex = NULL;
    portolan_ForeignPort foreign;
    char *name;
    bool same;

    if (sidl_reference_is_type(object, type, NULL))
        return true;
    if (!(foreign = portolan_ForeignPort__cast(object, &ex)))
        return false;
    name = portolan_ForeignPort_getTypeName(foreign, &ex);
    portolan_ForeignPort_deleteRef(foreign, NULL);
    same = !ex && name && !strcmp(name, type);
    if (!ex)
        sidl_String_free(name);
    SIDL_CLEAR(ex);
    return same;
}

enum portolan_status services_add_provides(struct services *s, gov_cca_Port object,
                                           const char *name, const char *type,
                                           gov_cca_TypeMap properties, struct portolan_error *err)
{
    enum portolan_status status;
    char label[300];
    struct port *p;

    services_label(s, label, sizeof label);
    if ((status = check_new_port(s, name, type, err)) != PORTOLAN_OK)
        return status;
    if (!object)
        return portolan_error_set(err, PORTOLAN_EBADPORTINFO, "%s: provides port '%s' is null",
                                  label, name);
    if (!services_is_of_type(object, type))
        return portolan_error_set(err, PORTOLAN_EBADPORTTYPE,
                                  "%s: the object given for provides port '%s' is not of type %s",
                                  label, name, type);
    if ((status = new_port(s, name, type, properties, true, &p, err)) != PORTOLAN_OK)
        return status;
    p->provided = gov_cca_Port__cast(object, NULL);
    DL_APPEND(s->ports, p);
    return PORTOLAN_OK;
}

enum portolan_status services_remove_provides(struct services *s, const char *name,
                                              struct portolan_error *err)
{
    struct port *p = services_find(s, name);
    enum portolan_status status = events_check_quiet(s->fw, err);

    if (status != PORTOLAN_OK)
        return status;
    if (!p || !p->provided)
        return services_no_port(s, name, true, err);
    connect_drop_all(p);
    DL_DELETE(s->ports, p);
    port_free(p);
    return PORTOLAN_OK;
}

/* -- further connections of one uses port -- */

static enum portolan_status add_slot(struct port *base, const char *name, struct port **slot,
                                     struct portolan_error *err)
{
    struct port *p;
    enum portolan_status status =
        new_port(base->services, name, base->type, base->properties, false, &p, err);

    if (status == PORTOLAN_OK)
        status = typemap_put_own(p->properties, "cca.portName", base->name, err);
    if (status != PORTOLAN_OK)
        return status;
    p->base = base;
    DL_APPEND(base->services->ports, p);
    *slot = p;
    return PORTOLAN_OK;
}

enum portolan_status port_take_slot(struct port **uses, struct portolan_error *err)
{
    struct port *base = *uses, *p;
    enum portolan_status status = PORTOLAN_OK;

    if (base->base || base->service || !base->connection)
        return PORTOLAN_OK;
    for (int k = 1; base->max < 0 || k < base->max; k++) {
        char *name = portolan_asprintf("%s[%d]", base->name, k);

        if (!name)
            return portolan_no_memory(err);
        p = services_find(base->services, name);
        if (!p)
            status = add_slot(base, name, &p, err);
        free(name);
        if (status != PORTOLAN_OK)
            return status;
        if (p->base == base && !p->connection) {
            *uses = p;
            return PORTOLAN_OK;
        }
    }
    return PORTOLAN_OK; /* the port is connected already; the caller reports it */
}

struct port *services_find_uses(struct services *s, const char *name)
{
    struct port *p = services_find(s, name), *base;
    const char *bracket = strchr(name, '[');
    int64_t k = 0;
    char *part;

    if (p)
        return p->provided ? NULL : p;
    if (!bracket || !(part = portolan_strdup(name)))
        return NULL;
    part[bracket - name] = '\0';
    base = services_find(s, part);
    part[strlen(name) - 1] = '\0'; /* the other bracket */
    if (!base || base->provided || !portolan_read_int64(part + (bracket - name) + 1, &k) ||
        (base->max >= 0 && k >= base->max) || add_slot(base, name, &p, NULL) != PORTOLAN_OK)
        p = NULL;
    free(part);
    return p;
}

/*
 * -- Which ports a component is using: getPort and releasePort, by any thread. A connection ends
 * when its port's target has been removed and the port is not held any more; later callers find no
 * target. --
 */

bool port_is_held(const struct port *p)
{
    return __atomic_load_n(&p->held, __ATOMIC_SEQ_CST) > 0;
}

enum portolan_status services_get(struct services *s, const char *name, gov_cca_Port *port,
                                  struct portolan_error *err)
{
    struct port *p = services_find(s, name);

    *port = NULL;
    if (!p)
        return services_no_port(s, name, false, err);
    /* Count first: a thread that removes the target looks at `held` afterwards. */
    __atomic_add_fetch(&p->held, 1, __ATOMIC_SEQ_CST);
    *port = p->provided ? p->provided : __atomic_load_n(&p->target, __ATOMIC_SEQ_CST);
    if (*port)
        sidl_reference_add(*port, NULL);
    else
        __atomic_sub_fetch(&p->held, 1, __ATOMIC_SEQ_CST);
    return PORTOLAN_OK;
}

enum portolan_status services_release(struct services *s, const char *name,
                                      struct portolan_error *err)
{
    struct port *p = services_find(s, name);
    char label[300];
    int held;

    if (!p)
        return services_no_port(s, name, false, err);
    held = __atomic_load_n(&p->held, __ATOMIC_SEQ_CST);
    while (held > 0)
        if (__atomic_compare_exchange_n(&p->held, &held, held - 1, true, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST))
            return PORTOLAN_OK;
    return portolan_error_set(err, PORTOLAN_EPORTNOTINUSE,
                              "%s: port '%s' is released more often than it was got",
                              services_label(s, label, sizeof label), name);
}
