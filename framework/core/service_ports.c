/* SPDX-License-Identifier: BSD-3-Clause */
/* Ports that are connected without a request: of the framework, the program, or components. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

struct service *service_find(const struct portolan_framework *fw, const char *type)
{
    struct service *s;

    LL_FOREACH(fw->services, s)
    if (!strcmp(s->type, type))
        return s;
    return NULL;
}

struct service *service_add(struct portolan_framework *fw, const char *type, struct services *owner,
                            struct portolan_error *err)
{
    struct service *s = service_find(fw, type);

    /* While an instance is replaced, its new component's service comes before the old one's. */
    if (s && !(owner && s->owner && s->owner != owner && s->owner->instance == owner->instance)) {
        portolan_error_set(err, PORTOLAN_EEXISTS, "there is a framework service of type %s already",
                           type);
        return NULL;
    }
    s = portolan_calloc(1, sizeof *s);
    if (!s || !(s->type = portolan_strdup(type))) {
        free(s);
        portolan_no_memory(err);
        return NULL;
    }
    s->owner = owner;
    LL_PREPEND(fw->services, s);
    return s;
}

/* Users of a service that has a successor are connected to the successor. */
static void detach_all(struct services *users, const struct service *s)
{
    struct portolan_error err = {0};
    struct port *p;

    DL_FOREACH(users->ports, p)
    {
        if (p->service != s)
            continue;
        service_detach(p);
        if (service_attach(p, &err) != PORTOLAN_OK)
            portolan_log(PORTOLAN_LOG_WARNING, "framework", "service %s: %s", p->type, err.text);
        err = (struct portolan_error){0};
    }
}

void service_remove(struct portolan_framework *fw, struct service *s)
{
    struct services *users;

    if (!s)
        return;
    LL_DELETE(fw->services, s);
    DL_FOREACH(fw->all_services, users)
    detach_all(users, s);
    if (s->maker.end)
        s->maker.end(s->maker.arg);
    sidl_reference_delete(s->port, NULL);
    sidl_reference_delete(s->provider, NULL);
    free(s->type);
    free(s);
}

void service_remove_all(struct portolan_framework *fw, const struct services *owner)
{
    struct service *s, *next;

    LL_FOREACH_SAFE(fw->services, s, next)
    if (!owner || s->owner == owner)
        service_remove(fw, s);
}

/* Lets the service's component make a provides port for this user, and connects it. */
static enum portolan_status connect_to_provider(struct port *uses, struct service *s,
                                                struct portolan_error *err)
{
    gov_cca_ports_ServiceProvider provider = s->provider;
    struct services *owner = s->owner;
    struct connection *c = NULL;
    sidl_BaseInterface ex = NULL;
    enum portolan_status status;
    struct port *provides;
    char *name;

    sidl_reference_add(provider, NULL);
    name = gov_cca_ports_ServiceProvider_createService(provider, s->type, &ex);
    status = portolan_catch(&ex, err);
    provides = status == PORTOLAN_OK && owner->fw ? services_find(owner, name) : NULL;
    if (status == PORTOLAN_OK && (!provides || !provides->provided))
        status = portolan_error_set(err, PORTOLAN_EPORTNOTDEFINED,
                                    "createService of type %s returned '%s', which is no provides "
                                    "port of its component",
                                    uses->type, name ? name : "null");
    if (status == PORTOLAN_OK) {
        status = connect_make(uses, provides, &c, err);
        if (status == PORTOLAN_OK)
            sidl_reference_add(c->served = provider, NULL);
        else
            gov_cca_ports_ServiceProvider_destroyService(provider, name, &ex);
    }
    SIDL_CLEAR(ex);
    sidl_String_free(name);
    sidl_reference_delete(provider, NULL);
    return status;
}

enum portolan_status service_attach(struct port *uses, struct portolan_error *err)
{
    struct services *user = uses->services;
    struct service *s = service_find(user->fw, uses->type);
    sidl_BaseInterface ex = NULL;
    enum portolan_status status = PORTOLAN_OK;
    gov_cca_Port port;

    if (!s || s->owner == user)
        return PORTOLAN_OK;
    if (s->provider)
        return connect_to_provider(uses, s, err);
    if (s->maker.create) {
        port = uses->made = s->maker.create(s->maker.arg, services_reference(user), &ex);
        if ((status = portolan_catch(&ex, err)) != PORTOLAN_OK)
            uses->made = NULL;
    } else {
        port = s->per_component ? component_face_port(user, err) : s->port;
    }
    if (status == PORTOLAN_OK && !port)
        status =
            portolan_error_set(err, PORTOLAN_ECOMPONENT, "the service %s made no port", s->type);
    if (status != PORTOLAN_OK)
        return status;
    uses->service = s;
    __atomic_store_n(&uses->target, port, __ATOMIC_RELEASE);
    return PORTOLAN_OK;
}

void service_detach(struct port *uses)
{
    struct service *s = uses->service;

    if (!s)
        return;
    uses->service = NULL;
    __atomic_store_n(&uses->target, NULL, __ATOMIC_RELEASE);
    if (uses->made && s->maker.destroy)
        s->maker.destroy(s->maker.arg, uses->made);
    sidl_reference_delete(uses->made, NULL);
    uses->made = NULL;
}

enum portolan_status portolan_framework_provide(struct portolan_framework *fw, const char *type,
                                                void *pointer, struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_Port port = portolan_foreign_create(pointer, type, &ex);
    enum portolan_status status = portolan_catch(&ex, err);
    struct portolan_error cause = {0};
    struct service *s;

    if (status != PORTOLAN_OK)
        return status;
    if (!(s = service_add(fw, type, NULL, &cause))) {
        sidl_reference_delete(port, NULL);
        return portolan_error_set(err, cause.status, "%s", cause.text);
    }
    s->port = port;
    return PORTOLAN_OK;
}

enum portolan_status portolan_framework_serve(struct portolan_framework *fw,
                                              const struct portolan_service *service,
                                              struct portolan_error *err)
{
    struct portolan_error cause = {0};
    struct service *s = service_add(fw, service->type, NULL, &cause);

    if (!s)
        return portolan_error_set(err, cause.status, "%s", cause.text);
    s->maker = *service;
    s->maker.type = s->type;
    return PORTOLAN_OK;
}

enum portolan_status portolan_framework_unserve(struct portolan_framework *fw, const char *type,
                                                struct portolan_error *err)
{
    struct service *s = service_find(fw, type);

    if (!s || !s->maker.create)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND, "the program serves no %s", type);
    service_remove(fw, s);
    return PORTOLAN_OK;
}

/* -- gov.cca.ports.ServiceRegistry: services that a component offers to the others. -- */

struct services *component_face_services(void *self, sidl_BaseInterface *_ex)
{
    struct services *s = ((struct component_face *)self)->services;

    if (!s)
        portolan_throw(_ex, PORTOLAN_EINVAL, "the component of this service port was destroyed");
    return s;
}

/* A new service of the component's; NULL with an exception, or when another one exists already. */
static struct service *offer_service(void *self, const char *type, const void *server,
                                     sidl_BaseInterface *_ex)
{
    struct services *owner = component_face_services(self, _ex);
    struct portolan_error err = {0};
    struct service *s;

    if (!owner)
        return NULL;
    if (!type || !*type) {
        portolan_throw(_ex, PORTOLAN_EBADPORTTYPE, "a service needs a type");
        return NULL;
    }
    if (!server) {
        portolan_throw(_ex, PORTOLAN_EBADPORTINFO, "the server of service %s is null", type);
        return NULL;
    }
    if (!(s = service_add(owner->fw, type, owner, &err))) {
        if (err.status != PORTOLAN_EEXISTS)
            exception_from_error(_ex, &err);
        return NULL;
    }
    return s;
}

static sidl_bool registry_addService(void *self, const char *type,
                                     gov_cca_ports_ServiceProvider provider,
                                     sidl_BaseInterface *_ex)
{
    struct service *s = offer_service(self, type, provider, _ex);

    if (!s)
        return FALSE;
    sidl_reference_add(s->provider = provider, NULL);
    return TRUE;
}

static sidl_bool registry_addSingletonService(void *self, const char *type, gov_cca_Port server,
                                              sidl_BaseInterface *_ex)
{
    struct service *s;

    if (server && type && *type && !services_is_of_type(server, type)) {
        portolan_throw(_ex, PORTOLAN_EBADPORTTYPE, "the server given for service %s is not of it",
                       type);
        return FALSE;
    }
    if (!(s = offer_service(self, type, server, _ex)))
        return FALSE;
    sidl_reference_add(s->port = server, NULL);
    return TRUE;
}

static struct service *find_own_service(const struct services *owner, const char *type)
{
    struct service *s;

    LL_FOREACH(owner->fw->services, s)
    if (s->owner == owner && !strcmp(s->type, type))
        return s;
    return NULL;
}

static void registry_removeService(void *self, const char *type, sidl_BaseInterface *_ex)
{
    struct services *owner = component_face_services(self, _ex);
    struct service *s = owner && type ? find_own_service(owner, type) : NULL;

    if (s)
        service_remove(owner->fw, s);
    else if (owner)
        portolan_throw(_ex, PORTOLAN_ENOTFOUND, "this component offers no service of type %s",
                       type ? type : "null");
}

static const struct gov_cca_ports_ServiceRegistry__epv registry_epv = {
    .f_addService = registry_addService,
    .f_addSingletonService = registry_addSingletonService,
    .f_removeService = registry_removeService,
};

/* -- service ports that each component has for itself -- */

static const struct sidl_implements face_implements[] = {
    {&gov_cca_ports_ServiceRegistry__type, &registry_epv},
    {&gov_cca_ports_ConnectionEventService__type, &events_epv},
    {&portolan_ports_ParameterFactory__type, &parameter_factory_epv},
};

static const struct sidl_class face_class = {
    .name = "portolan.ComponentServices",
    .version = "0.1",
    .size = sizeof(struct component_face),
    .implements = face_implements,
    .n_implements = sizeof face_implements / sizeof *face_implements,
};

gov_cca_Port component_face_port(struct services *s, struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;

    if (!s->face) {
        s->face = exception_or_object(&face_class, &ex);
        if (portolan_catch(&ex, err) != PORTOLAN_OK)
            return NULL;
        s->face->services = s;
    }
    return sidl_object_facet(s->face, "gov.cca.Port");
}

void component_face_retire(struct services *s)
{
    if (!s->face)
        return;
    s->face->services = NULL;
    sidl_object_release(s->face);
    s->face = NULL;
}
