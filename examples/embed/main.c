/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that frames its own application: it embeds the framework in its main, looks like a
 * component there, lends a function of its own to a component from the palette, presses that
 * component's button and reads the result.
 *
 *   PORTOLAN_PATH=FOLDER ./embed      FOLDER holds embed.Midpoint.xml and embed_midpoint.so
 */
#include <portolan/framework.h>

#include <stdio.h>

#include "embed.h"

/* -- what the program provides -- */

static double quarter_circle_evaluate(void *self, double x, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    return 4 / (1 + x * x);
}

static const struct embed_Function__epv function_epv = {.f_evaluate = quarter_circle_evaluate};
static const struct sidl_implements implements[] = {{&embed_Function__type, &function_epv}};
static const struct sidl_class function_class = {
    .name = "embed.QuarterCircle",
    .version = "1.0",
    .size = sizeof(struct sidl_object),
    .implements = implements,
    .n_implements = 1,
};

static void provide_function(gov_cca_Services services, sidl_BaseInterface *_ex)
{
    void *function = sidl_object_create(&function_class, _ex);

    SIDL_CHECK(*_ex);
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(function, "gov.cca.Port"),
                                     "function", "embed.Function", NULL, _ex);
    sidl_object_release(function); /* the framework has its own reference */
EXIT:;
}

/* -- the assembly, made by hand -- */

static void connect(gov_cca_ports_BuilderService builder, gov_cca_ComponentID user,
                    gov_cca_ComponentID provider, const char *port, sidl_BaseInterface *_ex)
{
    gov_cca_ConnectionID connection =
        gov_cca_ports_BuilderService_connect(builder, user, port, provider, port, _ex);

    if (connection)
        gov_cca_ConnectionID_deleteRef(connection, NULL);
}

static void assemble(gov_cca_Services services, sidl_BaseInterface *_ex)
{
    gov_cca_ports_BuilderService builder = NULL;
    gov_cca_ComponentID self = NULL, midpoint = NULL;
    gov_cca_Port port;

    gov_cca_Services_registerUsesPort(services, "builder", "gov.cca.ports.BuilderService", NULL,
                                      _ex);
    SIDL_CHECK(*_ex);
    port = gov_cca_Services_getPort(services, "builder", _ex);
    SIDL_CHECK(*_ex);
    builder = gov_cca_ports_BuilderService__cast(port, _ex);
    gov_cca_Port_deleteRef(port, NULL);

    self = gov_cca_Services_getComponentID(services, _ex);
    SIDL_CHECK(*_ex);
    midpoint = gov_cca_ports_BuilderService_createInstance(builder, "midpoint", "embed.Midpoint",
                                                           NULL, _ex);
    SIDL_CHECK(*_ex);
    connect(builder, midpoint, self, "function", _ex);
    SIDL_CHECK(*_ex);
    connect(builder, self, midpoint, "go", _ex);
    SIDL_CHECK(*_ex);
    connect(builder, self, midpoint, "integral", _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_releasePort(services, "builder", _ex);
EXIT:
    if (builder)
        gov_cca_ports_BuilderService_deleteRef(builder, NULL);
    if (self)
        gov_cca_ComponentID_deleteRef(self, NULL);
    if (midpoint)
        gov_cca_ComponentID_deleteRef(midpoint, NULL);
}

/* -- using it -- */

static int press_go(gov_cca_Services services, sidl_BaseInterface *_ex)
{
    gov_cca_Port port = gov_cca_Services_getPort(services, "go", _ex);
    gov_cca_ports_GoPort go;
    int result = -2;

    if (!port)
        return result;
    go = gov_cca_ports_GoPort__cast(port, _ex);
    result = gov_cca_ports_GoPort_go(go, _ex);
    gov_cca_ports_GoPort_deleteRef(go, NULL);
    gov_cca_Port_deleteRef(port, NULL);
    if (!*_ex)
        gov_cca_Services_releasePort(services, "go", _ex);
    return result;
}

static double read_integral(gov_cca_Services services, sidl_BaseInterface *_ex)
{
    gov_cca_Port port = gov_cca_Services_getPort(services, "integral", _ex);
    embed_Integral integral;
    double value = 0;

    if (!port)
        return value;
    integral = embed_Integral__cast(port, _ex);
    value = embed_Integral_getValue(integral, _ex);
    embed_Integral_deleteRef(integral, NULL);
    gov_cca_Port_deleteRef(port, NULL);
    if (!*_ex)
        gov_cca_Services_releasePort(services, "integral", _ex);
    return value;
}

static void run(gov_cca_AbstractFramework framework, sidl_BaseInterface *_ex)
{
    gov_cca_Services services =
        gov_cca_AbstractFramework_getServices(framework, "main", "embed.Main", NULL, _ex);
    double value;

    SIDL_CHECK(*_ex);
    provide_function(services, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_registerUsesPort(services, "go", "gov.cca.ports.GoPort", NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_registerUsesPort(services, "integral", "embed.Integral", NULL, _ex);
    SIDL_CHECK(*_ex);
    assemble(services, _ex);
    SIDL_CHECK(*_ex);
    if (press_go(services, _ex) == 0) {
        value = read_integral(services, _ex);
        printf("pi is about %.6f\n", value);
    }
    SIDL_CHECK(*_ex);
    gov_cca_AbstractFramework_releaseServices(framework, services, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_AbstractFramework_shutdownFramework(framework, _ex);
EXIT:
    if (services)
        gov_cca_Services_deleteRef(services, NULL);
}

int main(void)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_AbstractFramework framework = portolan_framework_abstract(NULL, NULL, &ex);
    struct portolan_error err = {0};

    if (framework) {
        run(framework, &ex);
        gov_cca_AbstractFramework_deleteRef(framework, NULL);
    }
    if (portolan_catch(&ex, &err) == PORTOLAN_OK)
        return 0;
    fprintf(stderr, "embed: error: %s\n", err.text);
    return 1;
}
