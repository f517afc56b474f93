/* SPDX-License-Identifier: BSD-3-Clause */
/* gov.cca.Services: what a component sees of the framework. The SIDL face is services_face.c. */
#include "services.h"

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

struct port *services_find(const struct services *s, const char *name)
{
    struct port *p;

    DL_FOREACH(s->ports, p)
    if (name && !strcmp(p->name, name))
        return p;
    return NULL;
}

enum portolan_status services_no_port(const struct services *s, const char *name, bool provides,
                                      struct portolan_error *err)
{
    const char *pair[2] = {NULL, NULL};
    char label[300];
    struct port *p;

    DL_FOREACH(s->ports, p)
    if (!!p->provided == provides) {
        pair[1] = p->name;
        pair[0] = portolan_nearest_word(name, pair, 2);
    }
    return portolan_error_set(
        err, PORTOLAN_EPORTNOTDEFINED, "%s%s%s%s has no %s port '%s'%s%s%s",
        services_label(s, label, sizeof label), *services_class_name(s) ? " (class " : "",
        services_class_name(s), *services_class_name(s) ? ")" : "", provides ? "provides" : "uses",
        name, pair[0] ? "; did you mean '" : "", pair[0] ? pair[0] : "", pair[0] ? "'?" : "");
}

static void free_port(struct port *p)
{
    sidl_reference_delete(p->provided, NULL);
    sidl_reference_delete(p->properties, NULL);
    free(p->name);
    free(p->type);
    free(p);
}

enum portolan_status services_set_port_properties(struct port *p, gov_cca_TypeMap properties,
                                                  struct portolan_error *err)
{
    gov_cca_TypeMap copy = typemap_copy(properties, err);
    enum portolan_status status;

    if (!copy)
        return err && err->status ? err->status : PORTOLAN_EBADPROPERTIES;
    status = typemap_put_text(copy, "cca.portName", PORTOLAN_VALUE_STRING, false, p->name, err);
    if (status == PORTOLAN_OK)
        status = typemap_put_text(copy, "cca.portType", PORTOLAN_VALUE_STRING, false, p->type, err);
    if (status != PORTOLAN_OK) {
        sidl_reference_delete(copy, NULL);
        return status;
    }
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
                                     gov_cca_TypeMap properties, struct port **port,
                                     struct portolan_error *err)
{
    enum portolan_status status = check_new_port(s, name, type, err);
    struct port *p;

    if (status != PORTOLAN_OK)
        return status;
    if (!(p = portolan_calloc(1, sizeof *p)))
        return portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    p->services = s;
    p->name = portolan_strdup(name);
    p->type = portolan_strdup(type);
    status = p->name && p->type ? services_set_port_properties(p, properties, err)
                                : portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    if (status != PORTOLAN_OK) {
        free_port(p);
        return status;
    }
    *port = p;
    return PORTOLAN_OK;
}

enum portolan_status services_register_uses(struct services *s, const char *name, const char *type,
                                            gov_cca_TypeMap properties, struct portolan_error *err)
{
    struct port *p;
    enum portolan_status status = new_port(s, name, type, properties, &p, err);
    struct service *service;

    if (status != PORTOLAN_OK)
        return status;
    LL_FOREACH(s->fw->services, service)
    {
        if (!strcmp(service->type, type)) {
            p->target = service->port;
            p->is_service = true;
        }
    }
    DL_APPEND(s->ports, p);
    return PORTOLAN_OK;
}

enum portolan_status services_unregister_uses(struct services *s, const char *name,
                                              struct portolan_error *err)
{
    struct port *p = services_find(s, name);
    char label[300];

    if (!p || p->provided)
        return services_no_port(s, name, false, err);
    if (p->held)
        return portolan_error_set(err, PORTOLAN_EPORTINUSE,
                                  "%s: uses port '%s' has not been released",
                                  services_label(s, label, sizeof label), name);
    if (p->connection)
        connect_drop(p->connection);
    DL_DELETE(s->ports, p);
    free_port(p);
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
    if (!object)
        return portolan_error_set(err, PORTOLAN_EINVAL, "%s: provides port '%s' is null", label,
                                  name ? name : "");
    if ((status = new_port(s, name, type, properties, &p, err)) != PORTOLAN_OK)
        return status;
    if (!services_is_of_type(object, type)) {
        free_port(p);
        return portolan_error_set(err, PORTOLAN_EBADPORTTYPE,
                                  "%s: the object given for provides port '%s' is not of type %s",
                                  label, name, type);
    }
    p->provided = gov_cca_Port__cast(object, NULL);
    DL_APPEND(s->ports, p);
    return PORTOLAN_OK;
}

enum portolan_status services_remove_provides(struct services *s, const char *name,
                                              struct portolan_error *err)
{
    struct port *p = services_find(s, name);
    struct connection *c, *next;
    char label[300], user[300];

    if (!p || !p->provided)
        return services_no_port(s, name, true, err);
    DL_FOREACH(s->fw->connections, c)
    if (c->provides == p && !s->fw->is_ending && !connect_may_move(c->uses))
        return portolan_error_set(err, PORTOLAN_EPORTINUSE,
                                  "%s: provides port '%s' is in use: %s holds its uses port "
                                  "'%s'",
                                  services_label(s, label, sizeof label), name,
                                  services_label(c->uses->services, user, sizeof user),
                                  c->uses->name);
    DL_FOREACH_SAFE(s->fw->connections, c, next)
    if (c->provides == p)
        connect_drop(c);
    DL_DELETE(s->ports, p);
    free_port(p);
    return PORTOLAN_OK;
}

enum portolan_status services_get(struct services *s, const char *name, gov_cca_Port *port,
                                  struct portolan_error *err)
{
    struct port *p = services_find(s, name);

    *port = NULL;
    if (!p)
        return services_no_port(s, name, false, err);
    *port = p->provided ? p->provided : __atomic_load_n(&p->target, __ATOMIC_ACQUIRE);
    if (*port) {
        __atomic_add_fetch(&p->held, 1, __ATOMIC_RELAXED);
        sidl_reference_add(*port, NULL);
    }
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
    held = __atomic_load_n(&p->held, __ATOMIC_RELAXED);
    while (held > 0)
        if (__atomic_compare_exchange_n(&p->held, &held, held - 1, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return PORTOLAN_OK;
    return portolan_error_set(err, PORTOLAN_EPORTNOTINUSE,
                              "%s: port '%s' is released more often than it was got",
                              services_label(s, label, sizeof label), name);
}

struct services *services_create(struct instance *instance,
                                 const struct portolan_class_description *class,
                                 gov_cca_TypeMap properties, struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    struct services *s = sidl_object_create(&services_class, &ex);

    if (portolan_catch(&ex, err) != PORTOLAN_OK)
        return NULL;
    if (!(s->properties = typemap_copy(properties, err))) {
        sidl_object_release(s);
        return NULL;
    }
    s->fw = instance->fw;
    s->instance = instance;
    s->class = class;
    return s;
}

gov_cca_Services services_reference(struct services *s)
{
    return sidl_object_facet(s, "gov.cca.Services");
}

enum portolan_status services_register_release(struct services *s,
                                               gov_cca_ComponentRelease callback,
                                               struct portolan_error *err)
{
    struct release *r;

    if (!callback)
        return portolan_error_set(err, PORTOLAN_EINVAL, "the ComponentRelease is null");
    LL_FOREACH(s->releases, r)
    if (sidl_reference_is_same(r->callback, callback, NULL))
        return PORTOLAN_OK;
    if (!(r = portolan_calloc(1, sizeof *r)))
        return portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    sidl_reference_add(callback, NULL);
    r->callback = callback;
    LL_APPEND(s->releases, r);
    return PORTOLAN_OK;
}

void services_tell_release(struct services *s)
{
    struct portolan_error err = {0};
    sidl_BaseInterface ex = NULL;
    struct release *r;
    char label[300];

    while ((r = s->releases)) {
        LL_DELETE(s->releases, r);
        gov_cca_ComponentRelease_releaseServices(r->callback, services_reference(s), &ex);
        if (portolan_catch(&ex, &err) != PORTOLAN_OK)
            portolan_log(PORTOLAN_LOG_WARNING, "framework", "%s: releaseServices failed: %s",
                         services_label(s, label, sizeof label), err.text);
        err = (struct portolan_error){0};
        sidl_reference_delete(r->callback, NULL);
        free(r);
    }
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

void services_retire(struct services *s)
{
    struct port *p, *next;
    char label[300];

    services_label(s, label, sizeof label);
    DL_FOREACH_SAFE(s->ports, p, next)
    {
        if (p->held > 0)
            portolan_log(PORTOLAN_LOG_WARNING, "framework",
                         "%s%s%s%s: uses port '%s' was not released (getPort %d times more than "
                         "releasePort)",
                         label, *services_class_name(s) ? " (class " : "", services_class_name(s),
                         *services_class_name(s) ? ")" : "", p->name, p->held);
        DL_DELETE(s->ports, p);
        free_port(p);
    }
    s->fw = NULL;
    s->instance = NULL;
    forget_releases(s);
    sidl_reference_delete(s->rebindable, NULL);
    sidl_reference_delete(s->properties, NULL);
    s->rebindable = NULL;
    s->properties = NULL;
    sidl_reference_delete(s->component, NULL);
    s->component = NULL;
    free(s->image_class);
    s->image_class = NULL;
    sidl_object_release(s);
}
