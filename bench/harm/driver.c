/* SPDX-License-Identifier: BSD-3-Clause */
/* harm.Driver: a call per step, with a SwapPoint between steps. */
#include "driver.h"

#include "law.h"

struct driver {
    struct sidl_object object;
    gov_cca_Services services;
};

static void take_steps(void *part, portolan_ports_SwapPoint swap, int steps,
                       sidl_BaseInterface *_ex)
{
    int good = 0;

    for (int step = 0; step < steps; step++) {
        portolan_ports_SwapPoint_reached(swap, step, _ex);
        SIDL_CHECK(*_ex);
        good += harm_forward(part, harm_size(step), _ex) <= 1e-6;
        SIDL_CHECK(*_ex);
    }
    portolan_ports_SwapPoint_reached(swap, steps, _ex);
    SIDL_CHECK(*_ex);
    harm_report(steps, good);
EXIT:;
}

static int32_t go(void *self, sidl_BaseInterface *_ex)
{
    gov_cca_Services services = ((struct driver *)self)->services;
    gov_cca_TypeMap parameters = portolan_component_properties(services, _ex);
    portolan_ports_SwapPoint swap = NULL;
    sidl_BaseInterface ignored = NULL;
    void *part = NULL;
    int steps;

    SIDL_CHECK(*_ex);
    steps = gov_cca_TypeMap_getInt(parameters, "steps", 1, _ex);
    SIDL_CHECK(*_ex);
    part = harm_is_foreign ? portolan_foreign_get(services, "part", harm_type, _ex)
                           : portolan_port_get(services, "part", harm_type, _ex);
    SIDL_CHECK(*_ex);
    swap = portolan_port_get(services, "swap", "portolan.ports.SwapPoint", _ex);
    SIDL_CHECK(*_ex);
    take_steps(part, swap, steps, _ex);
EXIT:
    portolan_port_release(services, "swap", swap);
    if (harm_is_foreign && part)
        gov_cca_Services_releasePort(services, "part", &ignored);
    else
        portolan_port_release(services, "part", part);
    if (parameters)
        gov_cca_TypeMap_deleteRef(parameters, NULL);
    return *_ex ? -1 : 0;
}

static void set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    ((struct driver *)self)->services = services;
    gov_cca_Services_registerUsesPort(services, "part", harm_type, NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_registerUsesPort(services, "swap", "portolan.ports.SwapPoint", NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(self, "gov.cca.Port"), "go",
                                     "gov.cca.ports.GoPort", NULL, _ex);
EXIT:;
}

static const struct gov_cca_ports_GoPort__epv go_epv = {.f_go = go};

PORTOLAN_COMPONENT_CLASS(harm_Driver, "harm.Driver", struct driver, set_services, NULL,
                         {&gov_cca_ports_GoPort__type, &go_epv});
