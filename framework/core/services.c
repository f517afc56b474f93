/* SPDX-License-Identifier: BSD-3-Clause */
/* gov.cca.Services: what a component sees of the framework, and its SIDL face. The ports are in
 * ports.c. */
#include "assembly/value.h"
#include "internal.h"
#include "parameters/parameters.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

const char *services_label(const struct services *s, char *buffer, size_t size)
{
    const struct instance *i = s->instance;

    if (i && i->name[0])
        snprintf(buffer, size, "instance '%s'", i->name);
    else
        snprintf(buffer, size, "%s", i ? "the framework" : "a destroyed instance");
    return buffer;
}

const char *services_class_name(const struct services *s)
{
    if (s->class)
        return s->class->class_name;
    return s->image_class ? s->image_class : "";
}

enum portolan_status services_no_port(const struct services *s, const char *name, bool provides,
                                      struct portolan_error *err)
{
    const char *near = NULL;
    char label[300];
    struct port *p;

    DL_FOREACH(s->ports, p)
    if (!!p->provided == provides)
        near = nearer_word(name, near, p->name);
    return portolan_error_set(err, PORTOLAN_EPORTNOTDEFINED, "%s%s%s%s has no %s port '%s'%s",
                              services_label(s, label, sizeof label),
                              *services_class_name(s) ? " (class " : "", services_class_name(s),
                              *services_class_name(s) ? ")" : "", provides ? "provides" : "uses",
                              name, portolan_did_you_mean(near).text);
}

struct services *services_create(struct instance *instance,
                                 const struct portolan_class_description *class,
                                 gov_cca_TypeMap properties, struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    struct services *s = exception_or_object(&services_class, &ex);

    if (portolan_catch(&ex, err) != PORTOLAN_OK)
        return NULL;
    if (!(s->properties = typemap_copy(properties, err))) {
        sidl_object_release(s);
        return NULL;
    }
    s->fw = instance->fw;
    s->instance = instance;
    s->class = class;
    DL_APPEND(s->fw->all_services, s);
    return s;
}

gov_cca_Services services_reference(struct services *s)
{
    return sidl_object_facet(s, "gov.cca.Services");
}

static enum portolan_status add_release(struct services *s, gov_cca_ComponentRelease callback,
                                        struct portolan_error *err)
{
    struct release *r;

    if (!callback)
        return portolan_error_set(err, PORTOLAN_EINVAL, "registerForRelease needs a callback");
    LL_FOREACH(s->releases, r)
    if (sidl_reference_is_same(r->callback, callback, NULL))
        return PORTOLAN_OK; /* call each object exactly once */
    if (!(r = portolan_calloc(1, sizeof *r)))
        return portolan_no_memory(err);
    sidl_reference_add(r->callback = callback, NULL);
    LL_APPEND(s->releases, r);
    return PORTOLAN_OK;
}

static void forget_releases(struct services *s)
{
    struct release *r, *next;

    LL_FOREACH_SAFE(s->releases, r, next)
    {
        sidl_reference_delete(r->callback, NULL);
        free(r);
    }
    s->releases = NULL;
}

void services_notify_release(struct services *s)
{
    struct portolan_error err = {0};
    sidl_BaseInterface ex = NULL;
    struct release *r;
    char label[300];

    while ((r = s->releases)) {
        LL_DELETE(s->releases, r);
        gov_cca_ComponentRelease_releaseServices(r->callback, services_reference(s), &ex);
        if (portolan_catch(&ex, &err) != PORTOLAN_OK) {
            portolan_log(PORTOLAN_LOG_WARNING, "framework", "%s: releaseServices failed: %s",
                         services_label(s, label, sizeof label), err.text);
            err = (struct portolan_error){0};
        }
        sidl_reference_delete(r->callback, NULL);
        free(r);
    }
    events_forget(s);
}

void services_retire(struct services *s)
{
    struct port *p, *next;
    char label[300];

    services_label(s, label, sizeof label);
    DL_FOREACH_SAFE(s->ports, p, next)
    {
        if (p->held > 0 && !p->provided)
            portolan_log(PORTOLAN_LOG_WARNING, "framework",
                         "%s%s%s%s: uses port '%s' was not released (getPort %d times more than "
                         "releasePort)",
                         label, *services_class_name(s) ? " (class " : "", services_class_name(s),
                         *services_class_name(s) ? ")" : "", p->name, p->held);
        service_detach(p);
        DL_DELETE(s->ports, p);
        port_free(p);
    }
    service_remove_all(s->fw, s);
    DL_DELETE(s->fw->all_services, s);
    s->fw = NULL;
    s->instance = NULL;
    events_forget(s);
    parameters_retire(&s->parameters);
    component_face_retire(s);
    forget_releases(s);
    sidl_reference_delete(s->rebindable, NULL);
    sidl_reference_delete(s->suspendable, NULL);
    sidl_reference_delete(s->properties, NULL);
    s->rebindable = NULL;
    s->suspendable = NULL;
    s->properties = NULL;
    sidl_reference_delete(s->component, NULL);
    s->component = NULL;
    free(s->image_class);
    s->image_class = NULL;
    sidl_object_release(s);
}

/* -- gov.cca.Services as components call it: arguments in, exceptions out. -- */

/* NULL with an exception once the instance is gone. */
static struct services *services_alive(void *self, sidl_BaseInterface *_ex)
{
    struct services *s = self;

    if (s->fw)
        return s;
    portolan_throw(_ex, PORTOLAN_EINVAL, "these Services belong to an instance that was destroyed");
    return NULL;
}

static gov_cca_Port face_get(void *self, const char *name, bool must, sidl_BaseInterface *_ex)
{
    struct services *s = services_alive(self, _ex);
    struct portolan_error err = {0};
    gov_cca_Port port = NULL;
    char label[300];

    if (!s)
        return NULL;
    face_finish(_ex, services_get(s, name ? name : "", &port, &err), &err);
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
    struct services *s = services_alive(self, _ex);
    struct portolan_error err = {0};

    if (s)
        face_finish(_ex, services_release(s, name ? name : "", &err), &err);
}

static gov_cca_TypeMap face_createTypeMap(void *self, sidl_BaseInterface *_ex)
{
    return services_alive(self, _ex) ? portolan_typemap_create(_ex) : NULL;
}

static void face_registerUsesPort(void *self, const char *name, const char *type,
                                  gov_cca_TypeMap properties, sidl_BaseInterface *_ex)
{
    struct services *s = services_alive(self, _ex);
    struct portolan_error err = {0};

    if (s)
        face_finish(_ex, services_register_uses(s, name, type, properties, &err), &err);
}

static void face_unregisterUsesPort(void *self, const char *name, sidl_BaseInterface *_ex)
{
    struct services *s = services_alive(self, _ex);
    struct portolan_error err = {0};

    if (s)
        face_finish(_ex, services_unregister_uses(s, name ? name : "", &err), &err);
}

static void face_addProvidesPort(void *self, gov_cca_Port port, const char *name, const char *type,
                                 gov_cca_TypeMap properties, sidl_BaseInterface *_ex)
{
    struct services *s = services_alive(self, _ex);
    struct portolan_error err = {0};

    if (s)
        face_finish(_ex, services_add_provides(s, port, name, type, properties, &err), &err);
}

static void face_removeProvidesPort(void *self, const char *name, sidl_BaseInterface *_ex)
{
    struct services *s = services_alive(self, _ex);
    struct portolan_error err = {0};

    if (s)
        face_finish(_ex, services_remove_provides(s, name ? name : "", &err), &err);
}

static gov_cca_TypeMap face_getPortProperties(void *self, const char *name, sidl_BaseInterface *_ex)
{
    struct services *s = services_alive(self, _ex);
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
    struct services *s = services_alive(self, _ex);

    exception_undeclared(_ex);
    return s ? component_id_reference(s->instance->id) : NULL;
}

static void face_registerForRelease(void *self, gov_cca_ComponentRelease callback,
                                    sidl_BaseInterface *_ex)
{
    struct services *s = services_alive(self, _ex);
    struct portolan_error err = {0};

    if (s)
        face_finish(_ex, add_release(s, callback, &err), &err);
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

const struct sidl_class services_class =
    SIDL_CLASS("portolan.Services", "0.1", services, gov_cca_Services, services_epv, NULL);

gov_cca_TypeMap portolan_component_properties(gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct services *s = sidl_reference_peek(services);

    if (!s || s->object.cls != &services_class) {
        portolan_throw(_ex, PORTOLAN_EINVAL, "these Services are not of Portolan's framework");
        return NULL;
    }
    return services_alive(s, _ex) ? gov_cca_TypeMap_cloneTypeMap(s->properties, _ex) : NULL;
}
