/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * script.Starter: go() prints its label and gives its uses port "printer" work, `n` times. What it
 * does is set at its parameter port CONFIG; "seconds" is a parameter (property) at first.
 */
#include <portolan/framework.h>

#include <stdio.h>
#include <string.h>

struct starter {
    struct sidl_object object;
    gov_cca_Services services;
    gov_cca_TypeMap fields;
};

static void make_fields(struct starter *s, sidl_BaseInterface *_ex)
{
    gov_cca_TypeMap properties = portolan_component_properties(s->services, _ex);
    struct sidl_double__array *values = sidl_double__array_create1d(2);
    double seconds = 0;

    SIDL_CHECK(*_ex);
    seconds = gov_cca_TypeMap_getDouble(properties, "seconds", 0, _ex);
    SIDL_CHECK(*_ex);
    s->fields = portolan_typemap_create(_ex);
    SIDL_CHECK(*_ex);
    gov_cca_TypeMap_putInt(s->fields, "n", 1, _ex);
    gov_cca_TypeMap_putDouble(s->fields, "seconds", seconds, _ex);
    gov_cca_TypeMap_putString(s->fields, "label", "work", _ex);
    gov_cca_TypeMap_putBool(s->fields, "fails", FALSE, _ex);
    sidl_double__array_set1(values, 0, 0.5);
    sidl_double__array_set1(values, 1, 2);
    gov_cca_TypeMap_putDoubleArray(s->fields, "values", values, _ex);
    SIDL_CHECK(*_ex);
EXIT:
    sidl_double__array_deleteRef(values);
    gov_cca_TypeMap_deleteRef(properties, NULL);
}

static void set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct starter *s = self;

    gov_cca_Services_addRef(services, _ex);
    s->services = services;
    make_fields(s, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(s, "gov.cca.ports.GoPort"), "go",
                                     "gov.cca.ports.GoPort", NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_addProvidesPort(services,
                                     sidl_object_facet(s, "gov.cca.ports.BasicParameterPort"),
                                     "CONFIG", "gov.cca.ports.BasicParameterPort", NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_registerUsesPort(services, "printer", "portolan.ports.Work", NULL, _ex);
EXIT:;
}

static void destroy(void *self)
{
    struct starter *s = self;

    gov_cca_TypeMap_deleteRef(s->fields, NULL);
    gov_cca_Services_deleteRef(s->services, NULL);
}

/* ----------------------------------------------------------------------------------- go port */

static void work(struct starter *s, int32_t n, double seconds, sidl_BaseInterface *_ex)
{
    gov_cca_Port port = gov_cca_Services_getPort(s->services, "printer", _ex);
    portolan_ports_Work printer = NULL;
    sidl_BaseInterface later = NULL;

    SIDL_CHECK(*_ex);
    printer = portolan_ports_Work__cast(port, _ex);
    for (int32_t i = 0; i < n && !*_ex; i++)
        portolan_ports_Work_consume(printer, seconds, _ex);
    portolan_ports_Work_deleteRef(printer, NULL);
    gov_cca_Port_deleteRef(port, NULL);
    gov_cca_Services_releasePort(s->services, "printer", &later);
    SIDL_CLEAR(later);
EXIT:;
}

static int32_t go(void *self, sidl_BaseInterface *_ex)
{
    struct starter *s = self;
    char *label = gov_cca_TypeMap_getString(s->fields, "label", "", _ex);
    double seconds = gov_cca_TypeMap_getDouble(s->fields, "seconds", 0, _ex);
    int32_t n = gov_cca_TypeMap_getInt(s->fields, "n", 0, _ex);
    bool fails = gov_cca_TypeMap_getBool(s->fields, "fails", FALSE, _ex);

    printf("%s\n", label);
    fflush(stdout);
    sidl_String_free(label);
    work(s, n, seconds, _ex);
    return fails ? -1 : 0;
}

/* -------------------------------------------------------------------------------- parameters */

static gov_cca_TypeMap read_map(void *self, sidl_BaseInterface *_ex)
{
    return gov_cca_TypeMap_cloneTypeMap(((struct starter *)self)->fields, _ex);
}

static struct sidl_string__array *read_keys(void *self, sidl_BaseInterface *_ex)
{
    static const char *const names[] = {"n", "seconds", "label", "fails", "values"};
    struct sidl_string__array *keys = sidl_string__array_create1d(5);

    (void)self;
    (void)_ex;
    for (int32_t i = 0; keys && i < 5; i++)
        sidl_string__array_set1(keys, i, names[i]);
    return keys;
}

static void write_map(void *self, gov_cca_TypeMap map, sidl_BaseInterface *_ex)
{
    struct starter *s = self;
    gov_cca_TypeMap copy;

    if (gov_cca_TypeMap_getInt(map, "n", 0, _ex) < 0) {
        portolan_throw(_ex, PORTOLAN_EINVAL, "n must not be negative");
        return;
    }
    copy = gov_cca_TypeMap_cloneTypeMap(map, _ex);
    if (*_ex)
        return;
    gov_cca_TypeMap_deleteRef(s->fields, NULL);
    s->fields = copy;
}

static const struct gov_cca_Component__epv component_epv = {.f_setServices = set_services};
static const struct gov_cca_ports_GoPort__epv go_epv = {.f_go = go};
static const struct gov_cca_ports_BasicParameterPort__epv parameters_epv = {
    .f_readConfigurationMap = read_map,
    .f_writeConfigurationMap = write_map,
    .f_readConfigurationKeys = read_keys,
};
static const struct sidl_implements implements[] = {
    {&gov_cca_Component__type, &component_epv},
    {&gov_cca_ports_GoPort__type, &go_epv},
    {&gov_cca_ports_BasicParameterPort__type, &parameters_epv},
};
static const struct sidl_class class = {
    .name = "script.Starter",
    .version = "1.0",
    .size = sizeof(struct starter),
    .implements = implements,
    .n_implements = sizeof implements / sizeof *implements,
    .destroy = destroy,
};

static gov_cca_Component create(sidl_BaseInterface *_ex)
{
    return sidl_object_facet(sidl_object_create(&class, _ex), "gov.cca.Component");
}

PORTOLAN_COMPONENT(script_Starter, "script.Starter", create);
PORTOLAN_COMPONENT(script_Second, "script.Second", create);
