/* SPDX-License-Identifier: BSD-3-Clause */
/* embed.Midpoint: integrates the function that it is connected to, whoever provides it. */
#include <portolan/framework.h>

#include "embed.h"

struct midpoint {
    struct sidl_object object; /* first */
    gov_cca_Services services;
    double value;
};

static void midpoint_setServices(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct midpoint *m = self;
    void *object = sidl_object_facet(m, "gov.cca.Port");

    m->services = services; /* borrowed: they are valid as long as the component is */
    gov_cca_Services_addProvidesPort(services, object, "go", "gov.cca.ports.GoPort", NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_addProvidesPort(services, object, "integral", "embed.Integral", NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_registerUsesPort(services, "function", "embed.Function", NULL, _ex);
    SIDL_CHECK(*_ex);
EXIT:;
}

static int32_t midpoint_go(void *self, sidl_BaseInterface *_ex)
{
    struct midpoint *m = self;
    gov_cca_TypeMap parameters = NULL;
    embed_Function function = NULL;
    gov_cca_Port port;
    int32_t n;

    port = gov_cca_Services_getPort(m->services, "function", _ex);
    SIDL_CHECK(*_ex);
    function = embed_Function__cast(port, _ex);
    gov_cca_Port_deleteRef(port, NULL);
    parameters = portolan_component_properties(m->services, _ex);
    SIDL_CHECK(*_ex);
    n = gov_cca_TypeMap_getInt(parameters, "intervals", 1000, _ex);
    SIDL_CHECK(*_ex);
    m->value = 0;
    for (int32_t i = 0; i < n; i++) {
        m->value += embed_Function_evaluate(function, (i + 0.5) / n, _ex) / n;
        SIDL_CHECK(*_ex);
    }
    gov_cca_Services_releasePort(m->services, "function", _ex);
EXIT:
    if (parameters)
        gov_cca_TypeMap_deleteRef(parameters, NULL);
    if (function)
        embed_Function_deleteRef(function, NULL);
    return *_ex ? -1 : 0;
}

static double midpoint_getValue(void *self, sidl_BaseInterface *_ex)
{
    (void)_ex;
    return ((struct midpoint *)self)->value;
}

static const struct gov_cca_Component__epv component_epv = {.f_setServices = midpoint_setServices};
static const struct gov_cca_ports_GoPort__epv go_epv = {.f_go = midpoint_go};
static const struct embed_Integral__epv integral_epv = {.f_getValue = midpoint_getValue};
static const struct sidl_implements implements[] = {
    {&gov_cca_Component__type, &component_epv},
    {&gov_cca_ports_GoPort__type, &go_epv},
    {&embed_Integral__type, &integral_epv},
};
static const struct sidl_class midpoint_class = {
    .name = "embed.Midpoint",
    .version = "1.0",
    .size = sizeof(struct midpoint),
    .implements = implements,
    .n_implements = sizeof implements / sizeof *implements,
};

static gov_cca_Component create(sidl_BaseInterface *_ex)
{
    return sidl_object_facet(sidl_object_create(&midpoint_class, _ex), "gov.cca.Component");
}

PORTOLAN_COMPONENT(embed_Midpoint, "embed.Midpoint", create);
