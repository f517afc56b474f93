/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gov.cca.Services: what a component sees of the framework. Its ports are in port.c and hold.c, the
 * SIDL face is services_face.c.
 */
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
    return portolan_error_set(err, PORTOLAN_EPORTNOTDEFINED, "%s%s%s%s has no %s port '%s'%s",
                              services_label(s, label, sizeof label),
                              *services_class_name(s) ? " (class " : "", services_class_name(s),
                              *services_class_name(s) ? ")" : "", provides ? "provides" : "uses",
                              name, portolan_did_you_mean(pair[0]).text);
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

enum portolan_status services_add_release(struct services *s, gov_cca_ComponentRelease callback,
                                          struct portolan_error *err)
{
    struct release *r;

    if (!callback)
        return portolan_error_set(err, PORTOLAN_EINVAL, "registerForRelease needs a callback");
    LL_FOREACH(s->releases, r)
    if (sidl_reference_is_same(r->callback, callback, NULL))
        return PORTOLAN_OK; /* each is called exactly once */
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

void services_tell_release(struct services *s)
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
    parameters_retire(s);
    component_face_retire(s);
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
