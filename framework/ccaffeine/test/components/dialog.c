/* SPDX-License-Identifier: BSD-3-Clause */
/* script.Dialog: its parameter port is made by the framework's factory, with groups and limits. */
#include <portolan/framework.h>

#include <stdio.h>

struct dialog {
    struct sidl_object object;
    gov_cca_Services services;
    gov_cca_TypeMap data;
};

static void fill(struct dialog *d, gov_cca_ports_ParameterPortFactory f, sidl_BaseInterface *_ex)
{
    gov_cca_ports_ParameterPortFactory_initParameterData(f, &d->data, "CONFIG", _ex);
    SIDL_CHECK(*_ex);
    gov_cca_ports_ParameterPortFactory_setBatchTitle(f, d->data, "How to talk", _ex);
    SIDL_CHECK(*_ex);
    gov_cca_ports_ParameterPortFactory_setGroupName(f, d->data, "Words", _ex);
    SIDL_CHECK(*_ex);
    gov_cca_ports_ParameterPortFactory_addRequestString(f, d->data, "greeting", "what is said",
                                                        "Greeting", "hello", _ex);
    SIDL_CHECK(*_ex);
    gov_cca_ports_ParameterPortFactory_addRequestStringChoice(f, d->data, "greeting", "hello", _ex);
    SIDL_CHECK(*_ex);
    gov_cca_ports_ParameterPortFactory_addRequestStringChoice(f, d->data, "greeting", "good bye",
                                                              _ex);
    SIDL_CHECK(*_ex);
    gov_cca_ports_ParameterPortFactory_setGroupName(f, d->data, "Numbers", _ex);
    SIDL_CHECK(*_ex);
    gov_cca_ports_ParameterPortFactory_addRequestInt(f, d->data, "times", "how often it is said",
                                                     "Times", 1, 0, 3, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_ports_ParameterPortFactory_addParameterPort(f, d->data, d->services, _ex);
EXIT:;
}

static void set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct dialog *d = self;
    gov_cca_Port port = NULL;
    gov_cca_ports_ParameterPortFactory factory = NULL;

    gov_cca_Services_addRef(services, _ex);
    d->services = services;
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(d, "gov.cca.ports.GoPort"), "go",
                                     "gov.cca.ports.GoPort", NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_registerUsesPort(services, "factory", "gov.cca.ports.ParameterPortFactory",
                                      NULL, _ex);
    SIDL_CHECK(*_ex);
    port = gov_cca_Services_getPort(services, "factory", _ex);
    SIDL_CHECK(*_ex);
    factory = gov_cca_ports_ParameterPortFactory__cast(port, _ex);
    SIDL_CHECK(*_ex);
    d->data = gov_cca_Services_createTypeMap(services, _ex);
    SIDL_CHECK(*_ex);
    fill(d, factory, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_releasePort(services, "factory", _ex);
    SIDL_CHECK(*_ex);
EXIT:
    gov_cca_ports_ParameterPortFactory_deleteRef(factory, NULL);
    gov_cca_Port_deleteRef(port, NULL);
}

static int32_t go(void *self, sidl_BaseInterface *_ex)
{
    struct dialog *d = self;
    char *greeting = gov_cca_TypeMap_getString(d->data, "greeting", "", _ex);
    int32_t times = gov_cca_TypeMap_getInt(d->data, "times", 0, _ex);

    while (times-- > 0)
        printf("%s\n", greeting);
    fflush(stdout);
    sidl_String_free(greeting);
    return 0;
}

static void destroy(void *self)
{
    struct dialog *d = self;

    gov_cca_TypeMap_deleteRef(d->data, NULL);
    gov_cca_Services_deleteRef(d->services, NULL);
}

static const struct gov_cca_Component__epv component_epv = {.f_setServices = set_services};
static const struct gov_cca_ports_GoPort__epv go_epv = {.f_go = go};
static const struct sidl_implements implements[] = {
    {&gov_cca_Component__type, &component_epv},
    {&gov_cca_ports_GoPort__type, &go_epv},
};
static const struct sidl_class class = {
    .name = "script.Dialog",
    .version = "1.0",
    .size = sizeof(struct dialog),
    .implements = implements,
    .n_implements = sizeof implements / sizeof *implements,
    .destroy = destroy,
};

static gov_cca_Component create(sidl_BaseInterface *_ex)
{
    return sidl_object_facet(sidl_object_create(&class, _ex), "gov.cca.Component");
}

PORTOLAN_COMPONENT(script_Dialog, "script.Dialog", create);
