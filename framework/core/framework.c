/* SPDX-License-Identifier: BSD-3-Clause */
#include "internal.h"

#include <stdlib.h>

static enum portolan_status add_own_services(struct portolan_framework *fw,
                                             struct portolan_error *err)
{
    static const char *const shared[] = {"gov.cca.ports.BuilderService", "portolan.ports.Builder",
                                         "gov.cca.ports.ComponentRepository"};
    static const char *const own[] = {
        "gov.cca.ports.ServiceRegistry", "gov.cca.ports.ConnectionEventService",
        "gov.cca.ports.ParameterPortFactory", "portolan.ports.ParameterFactory"};
    struct service *s;

    if (!(fw->face = face_create(fw, err)))
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
        if (!(s = service_add(fw, shared[i], NULL, err)))
            return PORTOLAN_ENOMEM;
        s->port = sidl_object_facet(fw->face, "gov.cca.Port");
        sidl_object_retain(fw->face);
    }
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        if (!(s = service_add(fw, own[i], NULL, err)))
            return PORTOLAN_ENOMEM;
        s->per_component = true;
    }
    if (portolan_framework_provide(fw, "portolan.Failure", &fw->failure, err) != PORTOLAN_OK)
        return PORTOLAN_ENOMEM;
    return portolan_framework_provide(fw, "portolan.Cohort", fw->cohort, err);
}

void portolan_framework_fail(struct portolan_framework *fw, const char *why)
{
    portolan_error_set(&fw->failure, PORTOLAN_ECOMPONENT, "%s", why);
}

enum portolan_status portolan_framework_create(const struct portolan_palette *palette,
                                               struct portolan_cohort *cohort,
                                               struct portolan_framework **out,
                                               struct portolan_error *err)
{
    struct portolan_framework *fw = portolan_calloc(1, sizeof *fw);
    enum portolan_status status;

    *out = NULL;
    if (!fw)
        return portolan_no_memory(err);
    fw->palette = palette;
    fw->cohort = cohort ? cohort : portolan_cohort_alone();
    status = add_own_services(fw, err);
    if (status == PORTOLAN_OK && !(fw->self = instance_create_self(fw, err)))
        status = PORTOLAN_ENOMEM;
    if (status != PORTOLAN_OK) {
        portolan_framework_destroy(fw);
        return status;
    }
    *out = fw;
    return PORTOLAN_OK;
}

void portolan_framework_destroy(struct portolan_framework *fw)
{
    if (!fw)
        return;
    instance_destroy_all(fw);
    if (fw->self) {
        services_retire(fw->self->services);
        instance_free(fw->self);
    }
    service_remove_all(fw, NULL);
    if (fw->face) {
        fw->face->fw = NULL;
        sidl_object_release(fw->face);
    }
    free(fw);
}

enum portolan_status portolan_framework_go(struct portolan_framework *fw, int *result,
                                           struct portolan_error *err)
{
    struct portolan_error later = {0}, thrown = {0};
    sidl_BaseInterface ex = NULL;
    enum portolan_status status;
    gov_cca_ports_GoPort go;
    gov_cca_Port port = NULL;

    *result = -2;
    if (!services_find(fw->self->services, "go"))
        return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                  "the assembly has no <go instance=… port=…/>");
    status = services_get(fw->self->services, "go", &port, err);
    if (status == PORTOLAN_OK && !port)
        status = portolan_error_set(err, PORTOLAN_EPORTNOTCONNECTED,
                                    "the go port is not connected any more");
    if (status != PORTOLAN_OK)
        return status;
    go = gov_cca_ports_GoPort__cast(port, &ex);
    if (go)
        *result = gov_cca_ports_GoPort_go(go, &ex);
    else if (!ex)
        status = portolan_error_set(err, PORTOLAN_EBADPORTTYPE,
                                    "the go port is no gov.cca.ports.GoPort");
    if (ex) {
        *result = -2;
        status = portolan_catch(&ex, err ? err : &thrown);
        portolan_framework_fail(fw, err ? err->text : thrown.text);
    } else if (*result) {
        portolan_error_set(&thrown, PORTOLAN_ECOMPONENT, "go returned %d", *result);
        portolan_framework_fail(fw, thrown.text);
    }
    sidl_reference_delete(go, NULL);
    sidl_reference_delete(port, NULL);
    services_release(fw->self->services, "go", &later);
    return status;
}

gov_cca_ports_BuilderService portolan_framework_peek_builder(struct portolan_framework *fw)
{
    return sidl_object_facet(fw->face, "gov.cca.ports.BuilderService");
}

portolan_ports_Builder portolan_framework_peek_extension(struct portolan_framework *fw)
{
    return sidl_object_facet(fw->face, "portolan.ports.Builder");
}
