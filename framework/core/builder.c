/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gov.cca.ports.BuilderService. A time-out is how long other threads have to release a port; 0
 * means not to wait for them. The connections' part is builder_connect.c.
 */
#include <stdlib.h>

#include <utlist.h>

#include "builder.h"

struct instance *builder_resolve(void *self, gov_cca_ComponentID id, sidl_BaseInterface *_ex)
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

    if (i && !i->fw->is_ending) /* then it goes anyway */
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
