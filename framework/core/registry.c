/* SPDX-License-Identifier: BSD-3-Clause */
/* gov.cca.ports.ServiceRegistry: services that a component offers to the others. */
#include "services.h"

/* A new service of the component's, or NULL: an exception, or another one is doing the job. */
static struct service *offer(void *self, const char *type, const void *server,
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
    struct service *s = offer(self, type, provider, _ex);

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
    if (!(s = offer(self, type, server, _ex)))
        return FALSE;
    sidl_reference_add(s->port = server, NULL);
    return TRUE;
}

static void registry_removeService(void *self, const char *type, sidl_BaseInterface *_ex)
{
    struct services *owner = component_face_services(self, _ex);
    struct service *s = owner && type ? service_find_own(owner, type) : NULL;

    if (s)
        service_remove(owner->fw, s);
    else if (owner)
        portolan_throw(_ex, PORTOLAN_ENOTFOUND, "this component offers no service of type %s",
                       type ? type : "null");
}

const struct gov_cca_ports_ServiceRegistry__epv registry_epv = {
    .f_addService = registry_addService,
    .f_addSingletonService = registry_addSingletonService,
    .f_removeService = registry_removeService,
};
