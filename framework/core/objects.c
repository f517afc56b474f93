/* SPDX-License-Identifier: BSD-3-Clause */
/* The small objects: gov.cca.ComponentID, ConnectionID and ComponentClassDescription, and
 * portolan.ForeignPort, a C pointer with its type's name as a port. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

/* Copies TEXT to *TO. False when memory is out; then releases OBJECT, the owner of the copy. */
static bool keep_text(void *object, char **to, const char *text, sidl_BaseInterface *_ex)
{
    if ((*to = portolan_strdup(text)))
        return true;
    sidl_object_release(object);
    exception_no_memory(_ex);
    return false;
}

/* -- ComponentID -- */

static char *component_name(void *self, sidl_BaseInterface *_ex)
{
    const struct component_id *id = self;

    if (id->instance)
        return exception_or_text(id->name, _ex);
    portolan_throw(_ex, PORTOLAN_ENOTFOUND, "instance '%s' does not exist any more", id->name);
    return NULL;
}

static void component_destroy(void *self)
{
    free(((struct component_id *)self)->name);
}

static const struct gov_cca_ComponentID__epv component_epv = {
    .f_getInstanceName = component_name,
    .f_getSerialization = component_name,
};

static const struct sidl_class component_class =
    SIDL_CLASS("portolan.ComponentID", "0.1", component_id, gov_cca_ComponentID, component_epv,
               component_destroy);

struct component_id *component_id_create(struct instance *instance, struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    struct component_id *id = exception_or_object(&component_class, &ex);

    if (id && keep_text(id, &id->name, instance->name, &ex))
        id->instance = instance;
    return portolan_catch(&ex, err) == PORTOLAN_OK ? id : NULL;
}

gov_cca_ComponentID component_id_reference(struct component_id *id)
{
    sidl_object_retain(id);
    return sidl_object_facet(id, "gov.cca.ComponentID");
}

enum portolan_status component_id_resolve(struct portolan_framework *fw, gov_cca_ComponentID id,
                                          struct instance **instance, struct portolan_error *err)
{
    struct component_id *ours = sidl_reference_peek(id);
    sidl_BaseInterface ex = NULL;
    enum portolan_status status;
    char *name;

    *instance = NULL;
    if (!id)
        return portolan_error_set(err, PORTOLAN_EINVAL, "the ComponentID is null");
    if (ours->object.cls == &component_class) {
        if (ours->instance && ours->instance->fw == fw)
            *instance = ours->instance;
        return *instance ? PORTOLAN_OK
                         : portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                              "instance '%s' does not exist any more", ours->name);
    }
    name = gov_cca_ComponentID_getInstanceName(id, &ex);
    if ((status = portolan_catch(&ex, err)) != PORTOLAN_OK)
        return status;
    *instance = name ? instance_find(fw, name) : NULL;
    if (!*instance)
        status = portolan_error_set(err, PORTOLAN_ENOTFOUND, "there is no instance '%s'",
                                    name ? name : "");
    sidl_String_free(name);
    return status;
}

/* -- ConnectionID -- */

static struct connection *connection_alive(void *self, sidl_BaseInterface *_ex)
{
    struct connection *c = ((struct connection_id *)self)->connection;

    if (!c)
        portolan_throw(_ex, PORTOLAN_ENOTFOUND, "the connection does not exist any more");
    return c;
}

static gov_cca_ComponentID connection_provider(void *self, sidl_BaseInterface *_ex)
{
    struct connection *c = connection_alive(self, _ex);

    return c ? component_id_reference(c->provides->services->instance->id) : NULL;
}

static gov_cca_ComponentID connection_user(void *self, sidl_BaseInterface *_ex)
{
    struct connection *c = connection_alive(self, _ex);

    return c ? component_id_reference(c->uses->services->instance->id) : NULL;
}

static char *connection_provides(void *self, sidl_BaseInterface *_ex)
{
    struct connection *c = connection_alive(self, _ex);

    return c ? exception_or_text(c->provides->name, _ex) : NULL;
}

static char *connection_uses(void *self, sidl_BaseInterface *_ex)
{
    struct connection *c = connection_alive(self, _ex);

    return c ? exception_or_text(port_name(c->uses), _ex) : NULL;
}

static const struct gov_cca_ConnectionID__epv connection_epv = {
    .f_getProvider = connection_provider,
    .f_getUser = connection_user,
    .f_getProviderPortName = connection_provides,
    .f_getUserPortName = connection_uses,
};

static const struct sidl_class connection_class = SIDL_CLASS(
    "portolan.ConnectionID", "0.1", connection_id, gov_cca_ConnectionID, connection_epv, NULL);

struct connection_id *connection_id_create(struct connection *c, struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    struct connection_id *id = exception_or_object(&connection_class, &ex);

    if (portolan_catch(&ex, err) != PORTOLAN_OK)
        return NULL;
    id->connection = c;
    return id;
}

gov_cca_ConnectionID connection_id_reference(struct connection_id *id)
{
    sidl_object_retain(id);
    return sidl_object_facet(id, "gov.cca.ConnectionID");
}

enum portolan_status connection_id_resolve(struct portolan_framework *fw, gov_cca_ConnectionID id,
                                           struct connection **c, struct portolan_error *err)
{
    struct connection_id *ours = sidl_reference_peek(id);

    *c = NULL;
    if (!id || ours->object.cls != &connection_class)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "the ConnectionID is not one of this framework");
    if (!ours->connection || ours->connection->uses->services->fw != fw)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                  "the connection does not exist any more");
    *c = ours->connection;
    return PORTOLAN_OK;
}

/* -- ComponentClassDescription -- */

struct class_description {
    struct sidl_object object;
    char *name;
};

static char *description_name(void *self, sidl_BaseInterface *_ex)
{
    return exception_or_text(((struct class_description *)self)->name, _ex);
}

static void description_destroy(void *self)
{
    free(((struct class_description *)self)->name);
}

static const struct gov_cca_ComponentClassDescription__epv description_epv = {
    .f_getComponentClassName = description_name,
};

static const struct sidl_class description_class =
    SIDL_CLASS("portolan.ComponentClassDescription", "0.1", class_description,
               gov_cca_ComponentClassDescription, description_epv, description_destroy);

gov_cca_ComponentClassDescription class_description_create(const char *class_name,
                                                           sidl_BaseInterface *_ex)
{
    struct class_description *d = exception_or_object(&description_class, _ex);

    if (!d || !keep_text(d, &d->name, class_name, _ex))
        return NULL;
    return sidl_object_facet(d, "gov.cca.ComponentClassDescription");
}

/* -- ForeignPort -- */

struct foreign {
    struct sidl_object object;
    void *pointer;
    char *type;
};

static void *foreign_get_pointer(void *self, sidl_BaseInterface *_ex)
{
    (void)_ex;
    return ((struct foreign *)self)->pointer;
}

static char *foreign_get_type(void *self, sidl_BaseInterface *_ex)
{
    return exception_or_text(((struct foreign *)self)->type, _ex);
}

static void foreign_destroy(void *self)
{
    free(((struct foreign *)self)->type);
}

static const struct portolan_ForeignPort__epv foreign_epv = {
    .f_getPointer = foreign_get_pointer,
    .f_getTypeName = foreign_get_type,
};

static const struct sidl_class foreign_class = SIDL_CLASS(
    "portolan.ForeignPortImpl", "0.1", foreign, portolan_ForeignPort, foreign_epv, foreign_destroy);

gov_cca_Port portolan_foreign_create(void *pointer, const char *type, sidl_BaseInterface *_ex)
{
    struct foreign *f = exception_or_object(&foreign_class, _ex);

    if (!f || !keep_text(f, &f->type, type, _ex))
        return NULL;
    f->pointer = pointer;
    return sidl_object_facet(f, "gov.cca.Port");
}

void *portolan_port_get(gov_cca_Services services, const char *uses_port, const char *type,
                        sidl_BaseInterface *_ex)
{
    gov_cca_Port port = gov_cca_Services_getPort(services, uses_port, _ex);
    sidl_BaseInterface later = NULL;
    void *typed = NULL;

    if (*_ex)
        return NULL;
    typed = sidl_reference_cast(port, type, _ex);
    if (!typed && !*_ex)
        portolan_throw(_ex, PORTOLAN_EBADPORTTYPE, "what uses port '%s' is connected to is no %s",
                       uses_port, type);
    gov_cca_Port_deleteRef(port, NULL);
    if (*_ex) {
        gov_cca_Services_releasePort(services, uses_port, &later);
        SIDL_CLEAR(later);
    }
    return typed;
}

void portolan_port_release(gov_cca_Services services, const char *uses_port, void *port)
{
    sidl_BaseInterface later = NULL;

    if (!port)
        return;
    sidl_reference_delete(port, NULL);
    gov_cca_Services_releasePort(services, uses_port, &later);
    SIDL_CLEAR(later);
}

void *portolan_foreign_get(gov_cca_Services services, const char *uses_port, const char *type,
                           sidl_BaseInterface *_ex)
{
    gov_cca_Port port = gov_cca_Services_getPort(services, uses_port, _ex);
    portolan_ForeignPort foreign = NULL;
    sidl_BaseInterface later = NULL;
    void *pointer = NULL;
    char *name = NULL;

    if (*_ex)
        return NULL;
    foreign = portolan_ForeignPort__cast(port, _ex);
    if (foreign)
        name = portolan_ForeignPort_getTypeName(foreign, _ex);
    if (name && !strcmp(name, type))
        pointer = portolan_ForeignPort_getPointer(foreign, _ex);
    else if (!*_ex)
        portolan_throw(_ex, PORTOLAN_EBADPORTTYPE,
                       "uses port '%s' is connected to a port of type %s, not %s", uses_port,
                       name ? name : "other than portolan.ForeignPort", type);
    sidl_String_free(name);
    portolan_ForeignPort_deleteRef(foreign, NULL);
    gov_cca_Port_deleteRef(port, NULL);
    if (*_ex) {
        gov_cca_Services_releasePort(services, uses_port, &later);
        SIDL_CLEAR(later);
        return NULL;
    }
    return pointer;
}
