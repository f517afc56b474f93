/* SPDX-License-Identifier: BSD-3-Clause */
/* portolan.Measurement: the probe's clock and counters as a port. */
#include "measurement_port.h"

#include <portolan/framework.h>
#include <portolan/probe.h>

#include <stdlib.h>
#include <string.h>

struct measurement {
    struct sidl_object object;
};

/* The parameter, as the method takes it: words. */
static void choose_counters(const char *text, sidl_BaseInterface *_ex)
{
    const char *names[PORTOLAN_PROBE_COUNTERS_MAX];
    char *copy = portolan_strdup(text), *rest = NULL;
    struct portolan_error err = {0};
    size_t n = 0;

    if (!copy) {
        sidl_exception_throw_no_memory(_ex);
        return;
    }
    for (char *w = strtok_r(copy, " ,\t\n", &rest); w; w = strtok_r(NULL, " ,\t\n", &rest), ++n)
        if (n < PORTOLAN_PROBE_COUNTERS_MAX)
            names[n] = w;
    if (n > PORTOLAN_PROBE_COUNTERS_MAX)
        portolan_throw(_ex, PORTOLAN_EINVAL, "%zu counters are too many, %d can be read together",
                       n, PORTOLAN_PROBE_COUNTERS_MAX);
    else if (n && portolan_probe_counters_set(names, n, &err))
        portolan_throw(_ex, err.status, "%s", err.text);
    free(copy);
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
