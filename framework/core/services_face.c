/* SPDX-License-Identifier: BSD-3-Clause */
/* gov.cca.Services as components call it: arguments in, exceptions out. */
#include "services.h"

#include <string.h>

/* NULL with an exception once the instance is gone. */
static struct services *alive(void *self, sidl_BaseInterface *_ex)
{
    struct services *s = self;

    if (s->fw)
        return s;
    portolan_throw(_ex, PORTOLAN_EINVAL, "these Services belong to an instance that was destroyed");
    return NULL;
}

static void finish(sidl_BaseInterface *_ex, enum portolan_status status,
                   const struct portolan_error *err)
{
    if (status != PORTOLAN_OK)
        exception_from_error(_ex, err);
}

static gov_cca_Port face_get(void *self, const char *name, bool must, sidl_BaseInterface *_ex)
{
    struct services *s = alive(self, _ex);
    struct portolan_error err = {0};
    gov_cca_Port port = NULL;
    char label[300];

    if (!s)
        return NULL;
    finish(_ex, services_get(s, name ? name : "", &port, &err), &err);
    if (!port && must && !*_ex)
        portolan_throw(_ex, PORTOLAN_EPORTNOTCONNECTED,
                       "%s: uses port '%s' of type %s is not connected",
                       services_label(s, label, sizeof label), name, services_find(s, name)->type);
    return port;
}

static gov_cca_Port face_getPort(void *self, const char *name, sidl_BaseInterface *_ex)
{
    return face_get(self, name, true, _ex);
}

static gov_cca_Port face_getPortNonblocking(void *self, const char *name, sidl_BaseInterface *_ex)
{
    return face_get(self, name, false, _ex);
}

static void face_releasePort(void *self, const char *name, sidl_BaseInterface *_ex)
{
    struct services *s = alive(self, _ex);
    struct portolan_error err = {0};

    if (s)
        finish(_ex, services_release(s, name ? name : "", &err), &err);
}

static gov_cca_TypeMap face_createTypeMap(void *self, sidl_BaseInterface *_ex)
{
    return alive(self, _ex) ? portolan_typemap_create(_ex) : NULL;
}

static void face_registerUsesPort(void *self, const char *name, const char *type,
                                  gov_cca_TypeMap properties, sidl_BaseInterface *_ex)
{
    struct services *s = alive(self, _ex);
    struct portolan_error err = {0};

    if (s)
        finish(_ex, services_register_uses(s, name, type, properties, &err), &err);
}

static void face_unregisterUsesPort(void *self, const char *name, sidl_BaseInterface *_ex)
{
    struct services *s = alive(self, _ex);
    struct portolan_error err = {0};

    if (s)
        finish(_ex, services_unregister_uses(s, name ? name : "", &err), &err);
}

static void face_addProvidesPort(void *self, gov_cca_Port port, const char *name, const char *type,
                                 gov_cca_TypeMap properties, sidl_BaseInterface *_ex)
{
    struct services *s = alive(self, _ex);
    struct portolan_error err = {0};

    if (s)
        finish(_ex, services_add_provides(s, port, name, type, properties, &err), &err);
}

static void face_removeProvidesPort(void *self, const char *name, sidl_BaseInterface *_ex)
{
    struct services *s = alive(self, _ex);
    struct portolan_error err = {0};

    if (s)
        finish(_ex, services_remove_provides(s, name ? name : "", &err), &err);
}

static gov_cca_TypeMap face_getPortProperties(void *self, const char *name, sidl_BaseInterface *_ex)
{
    struct services *s = alive(self, _ex);
    struct port *p = s ? services_find(s, name) : NULL;
    char label[300];

    if (s && !p)
        portolan_throw(_ex, PORTOLAN_EPORTNOTDEFINED, "%s has no port '%s'",
                       services_label(s, label, sizeof label), name ? name : "");
    exception_undeclared(_ex);
    return p ? gov_cca_TypeMap_cloneTypeMap(p->properties, _ex) : NULL;
}

static gov_cca_ComponentID face_getComponentID(void *self, sidl_BaseInterface *_ex)
{
    struct services *s = alive(self, _ex);

    exception_undeclared(_ex);
    return s ? component_id_reference(s->instance->id) : NULL;
}

static void face_registerForRelease(void *self, gov_cca_ComponentRelease callback,
                                    sidl_BaseInterface *_ex)
{
    struct services *s = alive(self, _ex);
    struct portolan_error err = {0};

    if (s)
        finish(_ex, services_add_release(s, callback, &err), &err);
}

static const struct gov_cca_Services__epv services_epv = {
    .f_getPort = face_getPort,
    .f_getPortNonblocking = face_getPortNonblocking,
    .f_releasePort = face_releasePort,
    .f_createTypeMap = face_createTypeMap,
    .f_registerUsesPort = face_registerUsesPort,
    .f_unregisterUsesPort = face_unregisterUsesPort,
    .f_addProvidesPort = face_addProvidesPort,
    .f_getPortProperties = face_getPortProperties,
    .f_removeProvidesPort = face_removeProvidesPort,
    .f_getComponentID = face_getComponentID,
    .f_registerForRelease = face_registerForRelease,
};

static const struct sidl_implements services_implements[] = {
    {&gov_cca_Services__type, &services_epv}};

const struct sidl_class services_class = {
    .name = "portolan.Services",
    .version = "0.1",
    .size = sizeof(struct services),
    .implements = services_implements,
    .n_implements = 1,
};

gov_cca_TypeMap portolan_component_properties(gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct services *s = sidl_reference_peek(services);

    if (!s || s->object.cls != &services_class) {
        portolan_throw(_ex, PORTOLAN_EINVAL, "these Services are not of Portolan's framework");
        return NULL;
    }
    return alive(s, _ex) ? gov_cca_TypeMap_cloneTypeMap(s->properties, _ex) : NULL;
}
