/* SPDX-License-Identifier: BSD-3-Clause */
/* script.Printer: a provider of portolan.ports.Work that prints what it is asked for. */
#include <portolan/framework.h>

#include <stdio.h>

static void consume(void *self, double seconds, sidl_BaseInterface *_ex)
{
    (void)self;
    (void)_ex;
    printf("%g seconds\n", seconds);
    fflush(stdout);
}

static void set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(self, "portolan.ports.Work"),
                                     "printer", "portolan.ports.Work", NULL, _ex);
}

static const struct gov_cca_Component__epv component_epv = {.f_setServices = set_services};
static const struct portolan_ports_Work__epv work_epv = {.f_consume = consume};
static const struct sidl_implements implements[] = {
    {&gov_cca_Component__type, &component_epv},
    {&portolan_ports_Work__type, &work_epv},
};
static const struct sidl_class class = {
    .name = "script.Printer",
    .version = "1.0",
    .size = sizeof(struct sidl_object),
    .implements = implements,
    .n_implements = sizeof implements / sizeof *implements,
};

static gov_cca_Component create(sidl_BaseInterface *_ex)
{
    return sidl_object_facet(sidl_object_create(&class, _ex), "gov.cca.Component");
}

PORTOLAN_COMPONENT(script_Printer, "script.Printer", create);
PORTOLAN_COMPONENT(script_PrintServer, "script.PrintServer", create);
