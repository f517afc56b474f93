/* SPDX-License-Identifier: BSD-3-Clause */
/* portolan.Measurement: the probe's clock and counters as a port. */
#include "measurement_port.h"

#include <portolan/framework.h>

struct measurement {
    struct sidl_object object;
};

static void set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    gov_cca_Services_addProvidesPort(services,
                                     sidl_object_facet(self, "portolan.ports.Measurement"),
                                     "measurement", "portolan.ports.Measurement", NULL, _ex);
}

static const struct gov_cca_Component__epv component_epv = {.f_setServices = set_services};
static const struct sidl_implements implements[] = {
    {&gov_cca_Component__type, &component_epv},
    {&portolan_ports_Measurement__type, &measurement_port_epv},
};
static const struct sidl_class class = {
    .name = "portolan.Measurement",
    .version = "0.1",
    .size = sizeof(struct measurement),
    .implements = implements,
    .n_implements = sizeof implements / sizeof *implements,
};

static gov_cca_Component create(sidl_BaseInterface *_ex)
{
    struct measurement *m = sidl_object_create(&class, _ex);

    return m ? sidl_object_facet(m, "gov.cca.Component") : NULL;
}

PORTOLAN_COMPONENT(portolan_Measurement, "portolan.Measurement", create);
