/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compiled twice, as classes names.One and names.Two, with all names visible and common variables:
 * in one program neither may see the other's, nor Portolan's own. Each has a class of SIDL, too.
 */
#include <portolan/framework.h>

#include "vals.h"

#include <stdio.h>

int written; /* common */

int answer(void);
/* Names that Portolan keeps to itself. */
int xml_read_file(void);
int print_error(void);
int library_load(void);

int answer(void)
{
    return WHICH;
}

int xml_read_file(void)
{
    return 10 * WHICH;
}

int print_error(void)
{
    return 100 * WHICH;
}

int library_load(void)
{
    return 1000 * WHICH;
}

static int32_t go(void *self, sidl_BaseInterface *_ex)
{
    vals_Value value = vals_Value__create(_ex);
    int32_t got = value ? vals_Value_get(value, _ex) : -1;

    (void)self;
    if (!value)
        return -1;
    vals_Value_deleteRef(value, _ex);
    printf("go: %d %d %d\n", (int)got, written,
           answer() + xml_read_file() + print_error() + library_load());
    return 0;
}

static void set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    written = WHICH;
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(self, "gov.cca.Port"), "go",
                                     "gov.cca.ports.GoPort", NULL, _ex);
}

static const struct gov_cca_ports_GoPort__epv go_epv = {.f_go = go};
static const struct gov_cca_Component__epv component_epv = {.f_setServices = set_services};
static const struct sidl_implements implements[] = {
    {&gov_cca_ports_GoPort__type, &go_epv},
    {&gov_cca_Component__type, &component_epv},
};

struct names {
    struct sidl_object object;
};

static const struct sidl_class cls = {
    .name = CLASS,
    .version = "1.0",
    .size = sizeof(struct names),
    .implements = implements,
    .n_implements = sizeof implements / sizeof *implements,
};

static gov_cca_Component create(sidl_BaseInterface *_ex)
{
    void *names = sidl_object_create(&cls, _ex);

    return names ? sidl_object_facet(names, "gov.cca.Component") : NULL;
}

#define COMPONENT(NAME) PORTOLAN_COMPONENT(NAME, CLASS, create)
COMPONENT(SYMBOL);
