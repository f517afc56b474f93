/* SPDX-License-Identifier: BSD-3-Clause */
#include "component.h"

#include <string.h>

void component_register(struct component *c, gov_cca_Services services, const char *provides,
                        const char *type, const struct component_use uses[COMPONENT_USES],
                        sidl_BaseInterface *_ex)
{
    c->services = services;
    gov_cca_Services_addRef(services, _ex);
    gov_cca_Services_registerForRelease(services, sidl_object_facet(c, "gov.cca.ComponentRelease"),
                                        _ex);
    SIDL_CHECK(*_ex);
    for (int k = 0; k < COMPONENT_USES && uses[k].name; k++) {
        c->uses[k] = uses[k];
        gov_cca_Services_registerUsesPort(services, uses[k].name, uses[k].type, NULL, _ex);
        SIDL_CHECK(*_ex);
    }
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(c, type), provides, type, NULL,
                                     _ex);
EXIT:;
}

void *component_port(struct component *c, int k, sidl_BaseInterface *_ex)
{
    struct component_use *use = &c->uses[k];
    sidl_BaseInterface ignored;
    gov_cca_Port port;

    *_ex = NULL;
    if (use->port)
        return use->port;
    port = gov_cca_Services_getPort(c->services, use->name, _ex);
    if (*_ex)
        return NULL;
    use->port = sidl_reference_cast(port, use->type, _ex);
    gov_cca_Port_deleteRef(port, &ignored);
    return use->port;
}

double component_parameter(struct component *c, const char *name, double usual,
                           sidl_BaseInterface *_ex)
{
    gov_cca_TypeMap properties = portolan_component_properties(c->services, _ex);
    sidl_BaseInterface ignored;
    double value;

    if (*_ex)
        return usual;
    value = gov_cca_TypeMap_getDouble(properties, name, usual, _ex);
    gov_cca_TypeMap_deleteRef(properties, &ignored);
    return value;
}

static void release_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct component *c = self;
    sidl_BaseInterface ignored = NULL;

    *_ex = NULL;
    for (int k = 0; k < COMPONENT_USES; k++) {
        if (!c->uses[k].port)
            continue;
        sidl_reference_delete(c->uses[k].port, &ignored);
        SIDL_CLEAR(ignored);
        gov_cca_Services_releasePort(services, c->uses[k].name, &ignored);
        SIDL_CLEAR(ignored);
        c->uses[k].port = NULL;
    }
    gov_cca_Services_deleteRef(c->services, &ignored);
    c->services = NULL;
}

const struct gov_cca_ComponentRelease__epv component_release_epv = {.f_releaseServices =
                                                                        release_services};
