/* SPDX-License-Identifier: BSD-3-Clause */
/* gov.cca.ports.BuilderService. A time-out is how long other threads have to release a port; 0
 * means not to wait for them. */
#include "internal.h"

#include <stdlib.h>
#include <time.h>
#include <utlist.h>

static struct instance *builder_resolve(void *self, gov_cca_ComponentID id, sidl_BaseInterface *_ex)
{
    struct portolan_framework *fw = face_framework(self, _ex);
    struct portolan_error err = {0};
    struct instance *instance = NULL;

    if (fw)
        face_finish(_ex, component_id_resolve(fw, id, &instance, &err), &err);
    return instance;
}

static gov_cca_ComponentID builder_createInstance(void *self, const char *name,
                                                  const char *class_name,
                                                  gov_cca_TypeMap properties,
                                                  sidl_BaseInterface *_ex)
{
    struct portolan_framework *fw = face_framework(self, _ex);
    struct portolan_error err = {0};
    struct instance *instance = NULL;

    if (fw)
        face_finish(_ex, instance_create(fw, name, class_name, properties, &instance, &err), &err);
    return instance ? component_id_reference(instance->id) : NULL;
}

static struct gov_cca_ComponentID__array *builder_getComponentIDs(void *self,
                                                                  sidl_BaseInterface *_ex)
{
    struct portolan_framework *fw = face_framework(self, _ex);
    struct gov_cca_ComponentID__array *ids;
    struct instance *i;
    int32_t n = 0;

    if (!fw)
        return NULL;
    DL_COUNT(fw->instances, i, n);
    if (!(ids = gov_cca_ComponentID__array_create1d(n))) {
        exception_no_memory(_ex);
        return NULL;
    }
    n = 0;
    DL_FOREACH(fw->instances, i)
    gov_cca_ComponentID__array_set1(ids, n++, sidl_object_facet(i->id, "gov.cca.ComponentID"));
    return ids;
}

static gov_cca_TypeMap builder_getComponentProperties(void *self, gov_cca_ComponentID id,
                                                      sidl_BaseInterface *_ex)
{
    struct instance *i = builder_resolve(self, id, _ex);

    return i ? gov_cca_TypeMap_cloneTypeMap(i->services->properties, _ex) : NULL;
}

static void builder_setComponentProperties(void *self, gov_cca_ComponentID id, gov_cca_TypeMap map,
                                           sidl_BaseInterface *_ex)
{
    struct instance *i = builder_resolve(self, id, _ex);
    struct portolan_error err = {0};
    enum portolan_status status;
    const char *class_name;
    gov_cca_TypeMap copy;

    if (!i)
        return;
    class_name = services_class_name(i->services);
    status = typemap_check_own(map, "cca.className", class_name, &err);
    copy = status == PORTOLAN_OK ? typemap_copy(map, &err) : NULL;
    if (copy &&
        (status = typemap_put_own(copy, "cca.className", class_name, &err)) == PORTOLAN_OK) {
        sidl_reference_delete(i->services->properties, NULL);
        i->services->properties = copy;
        return;
    }
    sidl_reference_delete(copy, NULL);
    exception_from_error(_ex, &err);
}

static gov_cca_ComponentID builder_getComponentID(void *self, const char *name,
                                                  sidl_BaseInterface *_ex)
{
    struct portolan_framework *fw = face_framework(self, _ex);
    struct instance *i = fw && name ? instance_find(fw, name) : NULL;

    if (fw && !i)
        portolan_throw(_ex, PORTOLAN_ENOTFOUND, "there is no instance '%s'", name ? name : "");
    return i ? component_id_reference(i->id) : NULL;
}

static void builder_destroyInstance(void *self, gov_cca_ComponentID id, float timeout,
                                    sidl_BaseInterface *_ex)
{
    struct instance *i = builder_resolve(self, id, _ex);
    struct portolan_error err = {0};

    if (i && !i->fw->is_ending) /* else it is already being destroyed */
        face_finish(_ex, instance_destroy(i, timeout, &err), &err);
}

static struct sidl_string__array *port_names(struct instance *i, bool provided,
                                             sidl_BaseInterface *_ex)
{
    struct sidl_string__array *names;
    struct port *p;
    int32_t n = 0;

    if (!i)
        return NULL;
    DL_FOREACH(i->services->ports, p)
    n += !p->base && !!p->provided == provided;
    if (!(names = sidl_string__array_create1d(n))) {
        exception_no_memory(_ex);
        return NULL;
    }
    n = 0;
    DL_FOREACH(i->services->ports, p)
    if (!p->base && !!p->provided == provided)
        sidl_string__array_set1(names, n++, p->name);
    return names;
}

static struct sidl_string__array *builder_getProvidedPortNames(void *self, gov_cca_ComponentID id,
                                                               sidl_BaseInterface *_ex)
{
    return port_names(builder_resolve(self, id, _ex), true, _ex);
}

static struct sidl_string__array *builder_getUsedPortNames(void *self, gov_cca_ComponentID id,
                                                           sidl_BaseInterface *_ex)
{
    return port_names(builder_resolve(self, id, _ex), false, _ex);
}

static struct port *resolve_port(void *self, gov_cca_ComponentID id, const char *name,
                                 sidl_BaseInterface *_ex)
{
    struct instance *i = builder_resolve(self, id, _ex);
    struct port *p = i ? services_find(i->services, name) : NULL;

    if (i && !p)
        portolan_throw(_ex, PORTOLAN_EPORTNOTDEFINED, "instance '%s' has no port '%s'", i->name,
                       name ? name : "");
    return p;
}

static gov_cca_TypeMap builder_getPortProperties(void *self, gov_cca_ComponentID id,
                                                 const char *name, sidl_BaseInterface *_ex)
{
    struct port *p = resolve_port(self, id, name, _ex);

    return p ? gov_cca_TypeMap_cloneTypeMap(p->properties, _ex) : NULL;
}

static void builder_setPortProperties(void *self, gov_cca_ComponentID id, const char *name,
                                      gov_cca_TypeMap map, sidl_BaseInterface *_ex)
{
    struct port *p = resolve_port(self, id, name, _ex);
    struct portolan_error err = {0};

    if (p)
        face_finish(_ex, services_set_port_properties(p, map, &err), &err);
}

/* -- connections -- */

static const char in_use_key[] = "cca.isInUse";

static struct connection *resolve_connection(void *self, gov_cca_ConnectionID id,
                                             sidl_BaseInterface *_ex)
{
    struct portolan_framework *fw = face_framework(self, _ex);
    struct portolan_error err = {0};
    struct connection *c = NULL;

    if (fw)
        face_finish(_ex, connection_id_resolve(fw, id, &c, &err), &err);
    return c;
}

static gov_cca_ConnectionID builder_connect(void *self, gov_cca_ComponentID user_id,
                                            const char *uses_name, gov_cca_ComponentID provider_id,
                                            const char *provides_name, sidl_BaseInterface *_ex)
{
    struct instance *user = builder_resolve(self, user_id, _ex), *provider;
    struct port *uses, *provides;
    struct portolan_error err = {0};
    struct connection *c = NULL;
    enum portolan_status status;

    if (!user || !(provider = builder_resolve(self, provider_id, _ex)))
        return NULL;
    status = connect_find_ports(user, uses_name ? uses_name : "", provider,
                                provides_name ? provides_name : "", &uses, &provides, &err);
    if (status == PORTOLAN_OK)
        status = connect_make(uses, provides, &c, &err);
    face_finish(_ex, status, &err);
    return c ? connection_id_reference(c->id) : NULL;
}

/* Returns whether a listed component (NULL: any) is an end of C. The connection for go stays
 * hidden. */
static bool touches(const struct connection *c, const struct gov_cca_ComponentID__array *list,
                    struct instance **listed, int32_t n)
{
    if (!c->uses->services->instance->name[0])
        return false;
    for (int32_t k = 0; list && k < n; k++)
        if (c->uses->services->instance == listed[k] ||
            c->provides->services->instance == listed[k])
            return true;
    return !list;
}

static struct gov_cca_ConnectionID__array *list_connections(struct portolan_framework *fw,
                                                            struct gov_cca_ComponentID__array *list,
                                                            struct instance **listed, int32_t n,
                                                            sidl_BaseInterface *_ex)
{
    struct gov_cca_ConnectionID__array *ids;
    struct connection *c;
    int32_t count = 0;

    DL_FOREACH(fw->connections, c)
    count += touches(c, list, listed, n);
    if (!(ids = gov_cca_ConnectionID__array_create1d(count))) {
        exception_no_memory(_ex);
        return NULL;
    }
    count = 0;
    DL_FOREACH(fw->connections, c)
    if (touches(c, list, listed, n))
        gov_cca_ConnectionID__array_set1(ids, count++,
                                         sidl_object_facet(c->id, "gov.cca.ConnectionID"));
    return ids;
}

static struct gov_cca_ConnectionID__array *
builder_getConnectionIDs(void *self, struct gov_cca_ComponentID__array *list,
                         sidl_BaseInterface *_ex)
{
    struct portolan_framework *fw = face_framework(self, _ex);
    struct gov_cca_ConnectionID__array *ids = NULL;
    struct portolan_error err = {0};
    struct instance **listed;
    int32_t n = list ? gov_cca_ComponentID__array_length(list, 0) : 0;

    if (!fw)
        return NULL;
    if (!(listed = portolan_calloc((size_t)n + 1, sizeof(struct instance *)))) {
        exception_no_memory(_ex);
        return NULL;
    }
    for (int32_t k = 0; k < n && !*_ex; k++) {
        gov_cca_ComponentID id =
            gov_cca_ComponentID__array_get1(list, gov_cca_ComponentID__array_lower(list, 0) + k);

        face_finish(_ex, component_id_resolve(fw, id, &listed[k], &err), &err);
        sidl_reference_delete(id, NULL);
    }
    if (!*_ex)
        ids = list_connections(fw, list, listed, n, _ex);
    free(listed);
    return ids;
}

static gov_cca_TypeMap builder_getConnectionProperties(void *self, gov_cca_ConnectionID id,
                                                       sidl_BaseInterface *_ex)
{
    struct connection *c = resolve_connection(self, id, _ex);
    gov_cca_TypeMap map;

    if (!c)
        return NULL;
    map = c->properties ? gov_cca_TypeMap_cloneTypeMap(c->properties, _ex)
                        : portolan_typemap_create(_ex);
    if (map)
        gov_cca_TypeMap_putBool(map, in_use_key, port_is_held(c->uses), _ex);
    if (!*_ex)
        return map;
    sidl_reference_delete(map, NULL);
    return NULL;
}

static void builder_setConnectionProperties(void *self, gov_cca_ConnectionID id,
                                            gov_cca_TypeMap map, sidl_BaseInterface *_ex)
{
    struct connection *c = resolve_connection(self, id, _ex);
    struct portolan_error err = {0};
    sidl_BaseInterface ex = NULL;
    gov_cca_TypeMap copy;

    if (!c)
        return;
    if (map &&
        gov_cca_TypeMap_getBool(map, in_use_key, port_is_held(c->uses), &ex) !=
            port_is_held(c->uses) &&
        !ex)
        portolan_error_set(&err, PORTOLAN_EBADPROPERTIES,
                           "'%s' belongs to the framework and cannot be changed", in_use_key);
    if (portolan_catch(&ex, &err) != PORTOLAN_OK) /* a value of another type */
        err.status = PORTOLAN_EBADPROPERTIES;
    if (err.status || !(copy = typemap_copy(map, &err))) {
        exception_from_error(_ex, &err);
        return;
    }
    gov_cca_TypeMap_remove(copy, in_use_key, &ex); /* computed on each request */
    SIDL_CLEAR(ex);
    sidl_reference_delete(c->properties, NULL);
    c->properties = copy;
}

static void builder_disconnect(void *self, gov_cca_ConnectionID id, float timeout,
                               sidl_BaseInterface *_ex)
{
    struct connection *c = resolve_connection(self, id, _ex);
    struct portolan_error err = {0};

    if (c)
        face_finish(_ex, connect_undo(c, timeout, &err), &err);
}

static bool joins(const struct connection *c, const struct instance *a, const struct instance *b)
{
    const struct instance *user = c->uses->services->instance;
    const struct instance *provider = c->provides->services->instance;

    return b ? (user == a && provider == b) || (user == b && provider == a)
             : user == a || provider == a;
}

static struct connection *first_of(const struct instance *a, const struct instance *b)
{
    struct connection *c;

    DL_FOREACH(a->fw->connections, c)
    if (joins(c, a, b))
        return c;
    return NULL;
}

/* Returns the rest of a time-out that several connections share. */
static double remaining(double timeout_s, const struct timespec *begin)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return timeout_s - (double)(now.tv_sec - begin->tv_sec) -
           1e-9 * (double)(now.tv_nsec - begin->tv_nsec);
}

static void builder_disconnectAll(void *self, gov_cca_ComponentID id1, gov_cca_ComponentID id2,
                                  float timeout, sidl_BaseInterface *_ex)
{
    struct instance *a = builder_resolve(self, id1, _ex), *b = NULL;
    struct portolan_error err = {0};
    enum portolan_status status = PORTOLAN_OK;
    struct connection *c;
    struct timespec begin;

    if (!a || (id2 && !(b = builder_resolve(self, id2, _ex))))
        return;
    status = events_check_quiet(a->fw, &err);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    /* Make all connections ready before undoing the first. */
    DL_FOREACH(a->fw->connections, c)
    if (status == PORTOLAN_OK && joins(c, a, b))
        status = connect_quiet(c, remaining(timeout, &begin), &err);
    /* Start again each time, because listeners may undo other connections. */
    while (status == PORTOLAN_OK && (c = first_of(a, b)))
        status = connect_undo(c, 0, &err);
    DL_FOREACH(a->fw->connections, c)
    if (joins(c, a, b))
        connect_unquiet(c);
    face_finish(_ex, status, &err);
}

const struct gov_cca_ports_BuilderService__epv builder_epv = {
    .f_createInstance = builder_createInstance,
    .f_getComponentIDs = builder_getComponentIDs,
    .f_getComponentProperties = builder_getComponentProperties,
    .f_setComponentProperties = builder_setComponentProperties,
    .f_getDeserialization = builder_getComponentID,
    .f_getComponentID = builder_getComponentID,
    .f_destroyInstance = builder_destroyInstance,
    .f_getProvidedPortNames = builder_getProvidedPortNames,
    .f_getUsedPortNames = builder_getUsedPortNames,
    .f_getPortProperties = builder_getPortProperties,
    .f_setPortProperties = builder_setPortProperties,
    .f_connect = builder_connect,
    .f_getConnectionIDs = builder_getConnectionIDs,
    .f_getConnectionProperties = builder_getConnectionProperties,
    .f_setConnectionProperties = builder_setConnectionProperties,
    .f_disconnect = builder_disconnect,
    .f_disconnectAll = builder_disconnectAll,
};
