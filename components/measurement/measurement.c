/* SPDX-License-Identifier: BSD-3-Clause */
/* portolan.Measurement: the probe's clock and counters as a port. */
#include "measurement.h"

struct measurement {
    struct sidl_object object;
};

static void choose_counters(const char *text, sidl_BaseInterface *_ex)
{
    struct portolan_error err = {0};

    if (*text && portolan_probe_counter_sets_define(text, &err))
        portolan_throw(_ex, err.status, "%s", err.text);
}

static void set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    gov_cca_TypeMap properties = NULL;
    sidl_BaseInterface ignored = NULL;
    char *counters = NULL;

    measurement_add_ports(self, services, _ex);
    SIDL_CHECK(*_ex);
    properties = portolan_component_properties(services, _ex);
    SIDL_CHECK(*_ex);
    counters = gov_cca_TypeMap_getString(properties, "counters", "", _ex);
    SIDL_CHECK(*_ex);
    choose_counters(counters, _ex);
EXIT:
    sidl_String_free(counters);
    gov_cca_TypeMap_deleteRef(properties, &ignored);
}

static const struct gov_cca_Component__epv component_epv = {.f_setServices = set_services};
static const struct sidl_implements implements[] = {
    {&gov_cca_Component__type, &component_epv},
    MEASUREMENT_IMPLEMENTS,
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
