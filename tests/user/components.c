/* SPDX-License-Identifier: BSD-3-Clause */
/* A user's first two components, compiled against an installed Portolan. */
#include <portolan/framework.h>

#include "mine.h"

#include <stdio.h>

/* ------------------------------------------------------------------ mine.Times */

struct times {
    struct sidl_object object;
};

static double times_square(void *self, double x, sidl_BaseInterface *_ex)
{
    (void)self;
    *_ex = NULL;
    return x * x;
}

static void times_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(self, "gov.cca.Port"), "square",
                                     "mine.Square", NULL, _ex);
}

static const struct mine_Square__epv square_epv = {.f_square = times_square};
static const struct gov_cca_Component__epv times_epv = {.f_setServices = times_set_services};
static const struct sidl_implements times_implements[] = {{&mine_Square__type, &square_epv},
                                                          {&gov_cca_Component__type, &times_epv}};
static const struct sidl_class times_class = {.name = "mine.Times",
                                              .version = "1.0",
                                              .size = sizeof(struct times),
                                              .implements = times_implements,
                                              .n_implements = 2};

static gov_cca_Component times_create(sidl_BaseInterface *_ex)
{
    return sidl_object_facet(sidl_object_create(&times_class, _ex), "gov.cca.Component");
}

PORTOLAN_COMPONENT(mine_Times, "mine.Times", times_create);

/* ------------------------------------------------------------------ mine.Driver */

struct driver {
    struct sidl_object object;
    gov_cca_Services services; /* borrowed: it outlives the component's use of it */
};

static int32_t driver_go(void *self, sidl_BaseInterface *_ex)
{
    struct driver *d = self;
    gov_cca_TypeMap map = portolan_component_properties(d->services, _ex);
    gov_cca_Port port = NULL;
    mine_Square square = NULL;
    sidl_BaseInterface ignored;
    double x, y;

    SIDL_CHECK(*_ex);
    x = gov_cca_TypeMap_getDouble(map, "x", 0, _ex);
    SIDL_CHECK(*_ex);
    port = gov_cca_Services_getPort(d->services, "square", _ex);
    SIDL_CHECK(*_ex);
    square = mine_Square__cast(port, _ex);
    SIDL_CHECK(*_ex);
    y = mine_Square_square(square, x, _ex);
    SIDL_CHECK(*_ex);
    printf("the square of %g is %g\n", x, y);
EXIT:
    if (square)
        mine_Square_deleteRef(square, NULL);
    if (port) {
        gov_cca_Port_deleteRef(port, NULL);
        gov_cca_Services_releasePort(d->services, "square", &ignored);
    }
    if (map)
        gov_cca_TypeMap_deleteRef(map, NULL);
    return *_ex ? -1 : 0;
}

static void driver_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    ((struct driver *)self)->services = services;
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(self, "gov.cca.Port"), "go",
                                     "gov.cca.ports.GoPort", NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_registerUsesPort(services, "square", "mine.Square", NULL, _ex);
EXIT:;
}

static const struct gov_cca_ports_GoPort__epv go_epv = {.f_go = driver_go};
static const struct gov_cca_Component__epv driver_epv = {.f_setServices = driver_set_services};
static const struct sidl_implements driver_implements[] = {{&gov_cca_ports_GoPort__type, &go_epv},
                                                           {&gov_cca_Component__type, &driver_epv}};
static const struct sidl_class driver_class = {.name = "mine.Driver",
                                               .version = "1.0",
                                               .size = sizeof(struct driver),
                                               .implements = driver_implements,
                                               .n_implements = 2};

static gov_cca_Component driver_create(sidl_BaseInterface *_ex)
{
    return sidl_object_facet(sidl_object_create(&driver_class, _ex), "gov.cca.Component");
}

PORTOLAN_COMPONENT(mine_Driver, "mine.Driver", driver_create);
