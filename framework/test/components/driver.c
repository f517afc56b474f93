/* SPDX-License-Identifier: BSD-3-Clause */
/* test.Driver: go() gives work to its uses port; with hold="true" it keeps the port from go on. */
#include "part.h"

struct driver {
    struct part part;
    sidl_bool holds, leaks;
    double seconds;
    portolan_ports_Work held;
};

static void read_parameters(struct driver *d, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    gov_cca_TypeMap properties = portolan_component_properties(services, _ex);

    SIDL_CHECK(*_ex);
    d->holds = gov_cca_TypeMap_getBool(properties, "hold", FALSE, _ex);
    SIDL_CHECK(*_ex);
    d->leaks = gov_cca_TypeMap_getBool(properties, "leak", FALSE, _ex);
    SIDL_CHECK(*_ex);
    d->seconds = gov_cca_TypeMap_getDouble(properties, "seconds", -1, _ex);
    SIDL_CHECK(*_ex);
    /* The instance's properties are the port's as well: an assembly can set MIN_CONNECTIONS. */
    gov_cca_Services_registerUsesPort(services, "work", "portolan.ports.Work", properties, _ex);
    SIDL_CHECK(*_ex);
EXIT:
    gov_cca_TypeMap_deleteRef(properties, NULL);
}

static void driver_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct driver *d = self;

    part_begin(&d->part, services, _ex);
    SIDL_CHECK(*_ex);
    test_log_add(d->part.log, d->part.name, "start");
    part_provide(&d->part, "go", "gov.cca.ports.GoPort", _ex);
    SIDL_CHECK(*_ex);
    read_parameters(d, services, _ex);
    SIDL_CHECK(*_ex);
EXIT:;
}

static int32_t driver_go(void *self, sidl_BaseInterface *_ex)
{
    struct driver *d = self;
    portolan_ports_Work work = d->held ? d->held : part_get_work(&d->part, "work", _ex);

    SIDL_CHECK(*_ex);
    test_log_add(d->part.log, d->part.name, "go");
    portolan_ports_Work_consume(work, d->seconds, _ex);
    SIDL_CHECK(*_ex);
EXIT:
    if (d->holds)
        d->held = work;
    else if (work && d->leaks)
        portolan_ports_Work_deleteRef(work, NULL);
    else if (work)
        part_drop_work(&d->part, "work", work);
    return 0;
}

static void driver_release(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct driver *d = self;

    if (d->held)
        part_drop_work(&d->part, "work", d->held);
    d->held = NULL;
    part_release(self, services, _ex);
}

static const struct gov_cca_ports_GoPort__epv driver_go_epv = {.f_go = driver_go};
static const struct gov_cca_Component__epv driver_component = {.f_setServices =
                                                                   driver_set_services};
static const struct gov_cca_ComponentRelease__epv driver_release_epv = {.f_releaseServices =
                                                                            driver_release};

PART_CLASS(test_Driver, "test.Driver", struct driver, {&gov_cca_ports_GoPort__type, &driver_go_epv},
           {&gov_cca_Component__type, &driver_component},
           {&gov_cca_ComponentRelease__type, &driver_release_epv});
