/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of a framework, also as gov.cca.AbstractFramework in a program with its own main. */
#include "internal.h"

#include <stdlib.h>

/* How long a swap waits for calls, unless the program says otherwise. */
static const double usual_swap_wait_s = 5;

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
    fw->swap_wait_s = usual_swap_wait_s;
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

void portolan_framework_set_swap_wait(struct portolan_framework *fw, double seconds)
{
    fw->swap_wait_s = seconds > 0 ? seconds : 0;
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
                                    "the go port is not a gov.cca.ports.GoPort");
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

/* -- gov.cca.AbstractFramework: a framework in a program with its own main. -- */

struct abstract {
    struct sidl_object object;
    struct portolan_framework *fw; /* NULL once shut down */
    const struct portolan_palette *palette;
    struct portolan_cohort *cohort;
    struct portolan_palette *owned; /* the palette, when it was made here */
    struct abstract *origin;        /* owner of the palette, if another; retained */
};

static struct portolan_framework *abstract_alive(void *self, sidl_BaseInterface *_ex)
{
    struct portolan_framework *fw = ((struct abstract *)self)->fw;

    if (!fw)
        portolan_throw(_ex, PORTOLAN_EINVAL, "the framework has been shut down");
    return fw;
}

static gov_cca_TypeMap abstract_createTypeMap(void *self, sidl_BaseInterface *_ex)
{
    return abstract_alive(self, _ex) ? portolan_typemap_create(_ex) : NULL;
}

gov_cca_Services portolan_framework_get_services(struct portolan_framework *fw,
                                                 const char *instance, const char *class_name,
                                                 gov_cca_TypeMap properties,
                                                 sidl_BaseInterface *_ex)
{
    struct portolan_error err = {0};
    struct instance *image;
    gov_cca_Services services;

    if (instance_create_image(fw, instance, class_name, properties, &image, &err) != PORTOLAN_OK) {
        exception_from_error(_ex, &err);
        return NULL;
    }
    services = services_reference(image->services);
    sidl_reference_add(services, NULL);
    return services;
}

void portolan_framework_release_services(struct portolan_framework *fw, gov_cca_Services services,
                                         sidl_BaseInterface *_ex)
{
    struct services *s = sidl_reference_peek(services);
    struct portolan_error err = {0};

    if (events_check_quiet(fw, &err) != PORTOLAN_OK)
        exception_from_error(_ex, &err);
    else if (!s || s->object.cls != &services_class)
        portolan_throw(_ex, PORTOLAN_EINVAL, "these Services belong to another framework");
    else if (!s->fw)
        portolan_throw(_ex, PORTOLAN_EINVAL, "these Services have been released already");
    else if (s->instance->is_ending)
        portolan_throw(_ex, PORTOLAN_EINVAL, "these Services are being released already");
    else if (s->fw != fw || !s->image_class)
        portolan_throw(_ex, PORTOLAN_EINVAL,
                       "these Services were not obtained from getServices of this framework");
    else
        instance_withdraw(s->instance);
}

static gov_cca_Services abstract_getServices(void *self, const char *instance,
                                             const char *class_name, gov_cca_TypeMap properties,
                                             sidl_BaseInterface *_ex)
{
    struct portolan_framework *fw = abstract_alive(self, _ex);

    return fw ? portolan_framework_get_services(fw, instance, class_name, properties, _ex) : NULL;
}

static void abstract_releaseServices(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct portolan_framework *fw = abstract_alive(self, _ex);

    if (fw)
        portolan_framework_release_services(fw, services, _ex);
}

static void shut_down(struct abstract *a)
{
    struct portolan_framework *fw = a->fw;

    a->fw = NULL; /* components may ask for it while they are being destroyed */
    portolan_framework_destroy(fw);
}

static void abstract_shutdownFramework(void *self, sidl_BaseInterface *_ex)
{
    struct portolan_framework *fw = abstract_alive(self, _ex);
    struct portolan_error err = {0};

    if (!fw)
        return;
    if (events_check_quiet(fw, &err) == PORTOLAN_OK)
        shut_down(self);
    else
        exception_from_error(_ex, &err);
}

static gov_cca_AbstractFramework abstract_createEmptyFramework(void *self, sidl_BaseInterface *_ex);

static void abstract_destroy(void *self)
{
    struct abstract *a = self;

    shut_down(a);
    portolan_palette_destroy(a->owned);
    sidl_object_release(a->origin);
}

static const struct gov_cca_AbstractFramework__epv abstract_epv = {
    .f_createTypeMap = abstract_createTypeMap,
    .f_getServices = abstract_getServices,
    .f_releaseServices = abstract_releaseServices,
    .f_shutdownFramework = abstract_shutdownFramework,
    .f_createEmptyFramework = abstract_createEmptyFramework,
};

static const struct sidl_class abstract_class =
    SIDL_CLASS("portolan.AbstractFramework", "0.1", abstract, gov_cca_AbstractFramework,
               abstract_epv, abstract_destroy);

static gov_cca_AbstractFramework abstract_create(const struct portolan_palette *palette,
                                                 struct portolan_cohort *cohort,
                                                 struct abstract *origin, sidl_BaseInterface *_ex)
{
    struct abstract *a = exception_or_object(&abstract_class, _ex);
    enum portolan_status status = PORTOLAN_OK;
    struct portolan_error err = {0};

    if (!a)
        return NULL;
    if (!palette) {
        status = portolan_palette_create(&a->owned, &err);
        if (status == PORTOLAN_OK)
            status = portolan_palette_add_defaults(a->owned, NULL, &err);
    }
    a->palette = palette ? palette : a->owned;
    a->cohort = cohort;
    if (status == PORTOLAN_OK)
        status = portolan_framework_create(a->palette, cohort, &a->fw, &err);
    if (status != PORTOLAN_OK) {
        exception_from_error(_ex, &err);
        sidl_object_release(a);
        return NULL;
    }
    if (origin)
        sidl_object_retain(a->origin = origin);
    return sidl_object_facet(a, "gov.cca.AbstractFramework");
}

static gov_cca_AbstractFramework abstract_createEmptyFramework(void *self, sidl_BaseInterface *_ex)
{
    struct abstract *a = self;

    return abstract_alive(a, _ex) ? abstract_create(a->palette, a->cohort, a, _ex) : NULL;
}

gov_cca_AbstractFramework portolan_framework_abstract(const struct portolan_palette *palette,
                                                      struct portolan_cohort *cohort,
                                                      sidl_BaseInterface *_ex)
{
    *_ex = NULL;
    return abstract_create(palette, cohort, NULL, _ex);
}

struct portolan_framework *portolan_framework_peek(gov_cca_AbstractFramework framework)
{
    struct abstract *a = sidl_reference_peek(framework);

    return a && a->object.cls == &abstract_class ? a->fw : NULL;
}
