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

PORTOLAN_COMPONENT_CLASS(portolan_Measurement, "portolan.Measurement", struct measurement,
                         set_services, NULL, MEASUREMENT_IMPLEMENTS);
