/* SPDX-License-Identifier: BSD-3-Clause */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

#include <utlist.h>

static void free_service(struct service *s)
{
    sidl_reference_delete(s->port, NULL);
    free(s->type);
    free(s);
}

/* Takes over the reference PORT, also on failure. */
static enum portolan_status add_service(struct portolan_framework *fw, const char *type,
                                        gov_cca_Port port, struct portolan_error *err)
{
    struct service *s, *there;

    LL_FOREACH(fw->services, there)
    if (!strcmp(there->type, type)) {
        sidl_reference_delete(port, NULL);
        return portolan_error_set(err, PORTOLAN_EEXISTS,
                                  "there is a framework service of type %s already", type);
    }
    s = portolan_calloc(1, sizeof *s);
    if (!s || !(s->type = portolan_strdup(type))) {
        free(s);
        sidl_reference_delete(port, NULL);
        return portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    }
    s->port = port;
    LL_PREPEND(fw->services, s);
    return PORTOLAN_OK;
}

enum portolan_status portolan_framework_provide(struct portolan_framework *fw, const char *type,
                                                void *pointer, struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_Port port = portolan_foreign_create(pointer, type, &ex);
    enum portolan_status status = portolan_catch(&ex, err);

    return status == PORTOLAN_OK ? add_service(fw, type, port, err) : status;
}

void framework_withdraw(struct portolan_framework *fw, const char *type)
{
    struct service *s, *next;

    LL_FOREACH_SAFE(fw->services, s, next)
    if (!strcmp(s->type, type)) {
        LL_DELETE(fw->services, s);
        free_service(s);
    }
}

static enum portolan_status add_own_services(struct portolan_framework *fw,
                                             struct portolan_error *err)
{
    static const char *const types[] = {"gov.cca.ports.BuilderService", "portolan.ports.Builder",
                                        "gov.cca.ports.ComponentRepository"};
    enum portolan_status status = PORTOLAN_OK;

    if (!(fw->face = face_create(fw, err)))
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < sizeof types / sizeof *types && status == PORTOLAN_OK; i++) {
        sidl_object_retain(fw->face);
        status = add_service(fw, types[i], sidl_object_facet(fw->face, "gov.cca.Port"), err);
    }
    if (status == PORTOLAN_OK)
        status = portolan_framework_provide(fw, "portolan.Cohort", fw->cohort, err);
    return status;
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
        return portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
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
    struct service *s, *next;

    if (!fw)
        return;
    instance_destroy_all(fw);
    if (fw->self) {
        services_retire(fw->self->services);
        instance_free(fw->self);
    }
    LL_FOREACH_SAFE(fw->services, s, next)
    free_service(s);
    if (fw->face) {
        fw->face->fw = NULL;
        sidl_object_release(fw->face);
    }
    free(fw);
}

enum portolan_status portolan_framework_go(struct portolan_framework *fw, int *result,
                                           struct portolan_error *err)
{
    struct portolan_error later = {0};
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
        status = portolan_catch(&ex, err);
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
