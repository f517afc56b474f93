/* SPDX-License-Identifier: BSD-3-Clause */
/* Components around lists of functions: providers, which open a library, and fronts. */
#include "functions_internal.h"
#include "proxy_internal.h"

#include <portolan/functions_component.h>

#include <stdlib.h>
#include <string.h>

#define PORT "functions"

/* ------------------------------------------------------------------ providers */

gov_cca_Component
portolan_functions_provider_create(const struct sidl_class *cls,
                                   const struct portolan_functions_description *description,
                                   const char *file, sidl_BaseInterface *_ex)
{
    struct portolan_functions_provider *p = sidl_object_create(cls, _ex);

    if (!p)
        return NULL;
    p->description = description;
    p->file = file;
    return sidl_object_facet(p, "gov.cca.Component");
}

void portolan_functions_provider_destroy(void *self)
{
    portolan_functions_library_close(((struct portolan_functions_provider *)self)->library);
}

/* The file that the parameter names, or the default one; the caller frees it. */
static char *chosen_file(const struct portolan_functions_provider *p, gov_cca_Services services,
                         sidl_BaseInterface *_ex)
{
    gov_cca_TypeMap properties = portolan_component_properties(services, _ex);
    char *name = NULL, *folder = NULL, *file = NULL;

    SIDL_CHECK(*_ex);
    name = gov_cca_TypeMap_getString(properties, "library", p->file, _ex);
    SIDL_CHECK(*_ex);
    folder = gov_cca_TypeMap_getString(properties, "portolan.assemblyDir", "", _ex);
    SIDL_CHECK(*_ex);
    file = folder && *folder && *name != '/' && strchr(name, '/')
               ? portolan_asprintf("%s/%s", folder, name)
               : portolan_strdup(name);
    if (!file)
        portolan_throw(_ex, PORTOLAN_ENOMEM, "out of memory");
EXIT:
    sidl_String_free(name);
    sidl_String_free(folder);
    if (properties)
        gov_cca_TypeMap_deleteRef(properties, &(sidl_BaseInterface){NULL});
    return file;
}

static void provider_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct portolan_functions_provider *p = self;
    struct portolan_error err = {0};
    gov_cca_Port port = NULL;
    char *file = chosen_file(p, services, _ex);
    enum portolan_status status;

    if (!file)
        return;
    status = portolan_functions_library_open(p->description, file, &p->library, &err);
    free(file);
    if (status != PORTOLAN_OK) {
        portolan_throw(_ex, status, "%s", err.text);
        return;
    }
    port = portolan_foreign_create((void *)portolan_functions_library_table(p->library),
                                   p->description->type, _ex);
    if (!port)
        return;
    gov_cca_Services_addProvidesPort(services, port, PORT, p->description->type, NULL, _ex);
    gov_cca_Port_deleteRef(port, &(sidl_BaseInterface){NULL});
}

const struct gov_cca_Component__epv portolan_functions_provider_component = {
    .f_setServices = provider_set_services};

/* ------------------------------------------------------------------ fronts */

gov_cca_Component portolan_functions_front_component_create(const struct sidl_class *cls,
                                                            struct portolan_functions_front *front,
                                                            sidl_BaseInterface *_ex)
{
    struct portolan_functions_front_component *c = sidl_object_create(cls, _ex);
    void *nobody = NULL;

    if (!c)
        return NULL;
    if (!__atomic_compare_exchange_n(&front->owner, &nobody, c, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST)) {
        portolan_throw(_ex, PORTOLAN_EEXISTS,
                       "there is an instance of %s already, and the functions exist only once",
                       cls->name);
        sidl_object_release(c);
        return NULL;
    }
    c->front = front;
    return sidl_object_facet(c, "gov.cca.Component");
}

static void move(struct portolan_functions_front_component *c, const void *table, void *reference,
                 const struct portolan_probe_connection *connection, sidl_BaseInterface *_ex)
{
    struct portolan_error err = {0};
    enum portolan_status status =
        portolan_functions_front_bind_table(c->front, table, connection, &err);
    void *old = reference;

    if (status == PORTOLAN_OK) {
        old = c->reference;
        c->reference = reference;
    } else {
        portolan_throw(_ex, status, "%s", err.text);
        if (functions_front_is_in_doubt(c->front))
            return; /* calls that began meanwhile may be using it */
    }
    if (old)
        sidl_reference_delete(old, NULL);
}

static void front_rebind(void *self, const char *uses_port, gov_cca_Port port, const char *instance,
                         const char *provided_port, const char *implementation,
                         const char *user_instance, const char *user_port, sidl_BaseInterface *_ex)
{
    struct portolan_functions_front_component *c = self;
    const struct portolan_probe_connection connection = {.user = user_instance,
                                                         .uses = user_port,
                                                         .provider = instance,
                                                         .provides = provided_port,
                                                         .provider_class = implementation,
                                                         .port_type = c->front->description->type};
    struct portolan_error err = {0};
    void *reference = NULL, *table = NULL;

    if (strcmp(uses_port, PORT) != 0) {
        portolan_throw(_ex, PORTOLAN_EBADPORTNAME, "a front has uses port '%s', and no '%s'", PORT,
                       uses_port);
        return;
    }
    if (!port ||
        proxy_foreign_target(port, connection.port_type, &reference, &table, &err) == PORTOLAN_OK) {
        move(c, table, reference, &connection, _ex);
        return;
    }
    sidl_reference_delete(reference, NULL);
    portolan_throw(_ex, err.status, "%s", err.text);
}

static struct portolan_probe_port *port_of(void *self)
{
    return &((struct portolan_functions_front_component *)self)->front->port;
}

static void front_suspend(void *self, const char *uses_port, sidl_BaseInterface *_ex)
{
    struct portolan_error err = {0};

    (void)uses_port;
    if (portolan_probe_gate_shut(port_of(self), &err) != PORTOLAN_OK)
        portolan_throw(_ex, err.status, "%s", err.text);
}

static void front_resume(void *self, const char *uses_port, sidl_BaseInterface *_ex)
{
    (void)uses_port, (void)_ex;
    portolan_probe_gate_open(port_of(self), NULL);
}

static void front_drain(void *self, const char *uses_port, double seconds, sidl_BaseInterface *_ex)
{
    struct portolan_error err = {0};

    (void)uses_port;
    if (proxy_port_drain(port_of(self), seconds, &err) != PORTOLAN_OK)
        portolan_throw(_ex, err.status, "%s", err.text);
}

static sidl_bool front_was_called(void *self, const char *uses_port, sidl_BaseInterface *_ex)
{
    (void)uses_port, (void)_ex;
    return portolan_probe_port_was_called(port_of(self));
}

/* A front's rebind waits also while it is suspended. */
const struct portolan_Suspendable__epv portolan_functions_front_suspendable = {
    .f_rebind = front_rebind,
    .f_suspend = front_suspend,
    .f_resume = front_resume,
    .f_drain = front_drain,
    .f_wasCalled = front_was_called,
};

static void front_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct portolan_functions_front_component *c = self;

    gov_cca_Services_registerUsesPort(services, PORT, c->front->description->type, NULL, _ex);
    if (!*_ex)
        gov_cca_Services_registerForRelease(
            services, sidl_object_facet(self, "gov.cca.ComponentRelease"), _ex);
}

const struct gov_cca_Component__epv portolan_functions_front_component = {.f_setServices =
                                                                              front_set_services};

/* From here on calls go to the program's own functions. */
static void let_go(struct portolan_functions_front_component *c, sidl_BaseInterface *_ex)
{
    const struct portolan_probe_connection nobody = {.port_type = c->front->description->type};

    if (c->reference)
        move(c, NULL, NULL, &nobody, _ex);
}

static void front_release(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    (void)services;
    let_go(self, _ex);
}

const struct gov_cca_ComponentRelease__epv portolan_functions_front_release = {.f_releaseServices =
                                                                                   front_release};

void portolan_functions_front_component_destroy(void *self)
{
    struct portolan_functions_front_component *c = self;
    sidl_BaseInterface ignored = NULL;

    if (!c->front)
        return;
    let_go(c, &ignored);
    SIDL_CLEAR(ignored);
    __atomic_store_n(&c->front->owner, NULL, __ATOMIC_SEQ_CST);
}
