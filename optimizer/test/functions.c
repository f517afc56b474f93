/* SPDX-License-Identifier: BSD-3-Clause */
#include "functions.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

struct script script;

static gov_cca_Port get(gov_cca_Services services, const char *uses, sidl_BaseInterface *_ex)
{
    return gov_cca_Services_getPort(services, uses, _ex);
}

static void put(gov_cca_Services services, const char *uses, void *port)
{
    sidl_BaseInterface ignored = NULL;

    sidl_reference_delete(port, NULL);
    gov_cca_Services_releasePort(services, uses, &ignored);
    SIDL_CLEAR(ignored);
}

/* ------------------------------------------------- the functions */

struct function {
    struct sidl_object object;
    gov_cca_Services services;
};

static double time_of(char kind, char number, double x)
{
    if (kind == 'A')
        return number == '1' ? 2 * x : x * x;
    if (number == '1' && script.b1_slow_from && script.steps >= script.b1_slow_from)
        return 3 * x * x * x;
    return number == '1' ? x * x * x : number == '2' ? 2 * x * x : 0.1 * x;
}

static void work(struct function *f, const char *class_name, double x, sidl_BaseInterface *_ex)
{
    char kind = class_name[5], number = class_name[6];
    gov_cca_Port port = get(f->services, "work", _ex);
    portolan_ports_Work clock = NULL;

    SIDL_CHECK(*_ex);
    clock = portolan_ports_Work__cast(port, _ex);
    SIDL_CHECK(*_ex);
    portolan_ports_Work_consume(clock, time_of(kind, number, x), _ex);
    SIDL_CHECK(*_ex);
    script.ran[script.steps][kind == 'B'] = number;
    if (number == '3' && script.b3_fails)
        portolan_throw(_ex, PORTOLAN_ECOMPONENT, "B3 diverged");
EXIT:
    sidl_reference_delete(clock, NULL);
    if (port)
        put(f->services, "work", port);
}

static void start(struct function *f, const char *class_name, gov_cca_Services services,
                  sidl_BaseInterface *_ex)
{
    f->services = services;
    if (class_name[6] == '3' && script.b3_fails_to_start) {
        portolan_throw(_ex, PORTOLAN_ECOMPONENT, "licence server is down");
        return;
    }
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(f, "test.Function"), "function",
                                     "test.Function", NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_registerUsesPort(services, "work", "portolan.ports.Work", NULL, _ex);
EXIT:;
}

#define FUNCTION(NAME)                                                                             \
    static void NAME##_evaluate(void *self, double x, sidl_BaseInterface *_ex)                     \
    {                                                                                              \
        work(self, "test." #NAME, x, _ex);                                                         \
    }                                                                                              \
    static void NAME##_start(void *self, gov_cca_Services s, sidl_BaseInterface *_ex)              \
    {                                                                                              \
        start(self, "test." #NAME, s, _ex);                                                        \
    }                                                                                              \
    static const struct test_Function__epv NAME##_function = {.f_evaluate = NAME##_evaluate};      \
    static const struct gov_cca_Component__epv NAME##_component = {.f_setServices = NAME##_start}; \
    static const struct sidl_implements NAME##_implements[] = {                                    \
        {&gov_cca_Component__type, &NAME##_component}, {&test_Function__type, &NAME##_function}};  \
    static const struct sidl_class NAME##_class = {.name = "test." #NAME,                          \
                                                   .version = "1",                                 \
                                                   .size = sizeof(struct function),                \
                                                   .implements = NAME##_implements,                \
                                                   .n_implements = 2};                             \
    static gov_cca_Component NAME##_create(sidl_BaseInterface *_ex)                                \
    {                                                                                              \
        return sidl_object_facet(sidl_object_create(&NAME##_class, _ex), "gov.cca.Component");     \
    }                                                                                              \
    static const struct portolan_component NAME##_descriptor = {                                   \
        sizeof(struct portolan_component), PORTOLAN_COMPONENT_ABI, "test." #NAME, NAME##_create,   \
        NULL}

FUNCTION(A1);
FUNCTION(A2);
FUNCTION(B1);
FUNCTION(B2);
FUNCTION(B3);

/* ------------------------------------------------- the driver */

static void call(struct function *d, const char *uses, double x, sidl_BaseInterface *_ex)
{
    gov_cca_Port port = get(d->services, uses, _ex);
    test_Function function = NULL;

    SIDL_CHECK(*_ex);
    function = test_Function__cast(port, _ex);
    SIDL_CHECK(*_ex);
    test_Function_evaluate(function, x, _ex);
EXIT:
    sidl_reference_delete(function, NULL);
    if (port)
        put(d->services, uses, port);
}

static void one_step(struct function *d, portolan_ports_SwapPoint swap, double x,
                     sidl_BaseInterface *_ex)
{
    struct portolan_error err = {0};

    if (script.announces)
        portolan_ports_SwapPoint_announce(swap, "x", x, _ex);
    SIDL_CHECK(*_ex);
    portolan_ports_SwapPoint_reached(swap, script.steps, _ex);
    SIDL_CHECK(*_ex);
    for (;;) {
        call(d, "a", x, _ex);
        SIDL_CHECK(*_ex);
        call(d, "b", x, _ex);
        if (!portolan_catch(_ex, &err))
            return;
        if (!portolan_ports_SwapPoint_failed(swap, script.steps, err.text, _ex) || *_ex)
            break;
        script.repeated++;
        err = (struct portolan_error){0};
    }
    portolan_throw(_ex, PORTOLAN_ECOMPONENT, "%s", err.text);
EXIT:;
}

static int32_t go(void *self, sidl_BaseInterface *_ex)
{
    struct function *d = self;
    gov_cca_TypeMap parameters = portolan_component_properties(d->services, _ex);
    gov_cca_Port port = get(d->services, "swap", _ex);
    portolan_ports_SwapPoint swap = portolan_ports_SwapPoint__cast(port, _ex);
    double x = gov_cca_TypeMap_getDouble(parameters, "x", 0, _ex);
    int steps = gov_cca_TypeMap_getInt(parameters, "steps", 0, _ex);

    for (script.steps = 0; script.steps < steps && !*_ex; script.steps++)
        one_step(d, swap, script.course ? script.course[script.steps] : x, _ex);
    sidl_reference_delete(parameters, NULL);
    sidl_reference_delete(swap, NULL);
    put(d->services, "swap", port);
    return *_ex ? -1 : 0;
}

static void driver_start(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct function *d = self;

    d->services = services;
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(d, "gov.cca.ports.GoPort"), "go",
                                     "gov.cca.ports.GoPort", NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_registerUsesPort(services, "a", "test.Function", NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_registerUsesPort(services, "b", "test.Function", NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_registerUsesPort(services, "swap", "portolan.ports.SwapPoint", NULL, _ex);
EXIT:;
}

static const struct gov_cca_ports_GoPort__epv go_epv = {.f_go = go};
static const struct gov_cca_Component__epv driver_epv = {.f_setServices = driver_start};
static const struct sidl_implements driver_implements[] = {{&gov_cca_Component__type, &driver_epv},
                                                           {&gov_cca_ports_GoPort__type, &go_epv}};
static const struct sidl_class driver_class = {.name = "test.Driver",
                                               .version = "1",
                                               .size = sizeof(struct function),
                                               .implements = driver_implements,
                                               .n_implements = 2};

static gov_cca_Component driver_create(sidl_BaseInterface *_ex)
{
    return sidl_object_facet(sidl_object_create(&driver_class, _ex), "gov.cca.Component");
}

static const struct portolan_component driver_descriptor = {
    sizeof driver_descriptor, PORTOLAN_COMPONENT_ABI, "test.Driver", driver_create, NULL};

enum portolan_status functions_register(struct portolan_palette *palette,
                                        struct portolan_error *err)
{
    static const struct portolan_component *const all[] = {
        &A1_descriptor, &A2_descriptor, &B1_descriptor, &B2_descriptor, &B3_descriptor};
    static const char driver_xml[] =
        "<component class='test.Driver' library='none'><summary>The driver</summary>"
        "<provides port='go' type='gov.cca.ports.GoPort'/>"
        "<uses port='a' type='test.Function'/><uses port='b' type='test.Function'/>"
        "<uses port='swap' type='portolan.ports.SwapPoint'/>"
        "<parameter name='x' type='double' default='1'>x</parameter>"
        "<parameter name='steps' type='int' default='1'>steps</parameter></component>";
    enum portolan_status status =
        portolan_palette_add_builtin(palette, &driver_descriptor, driver_xml, err);

    for (size_t i = 0; !status && i < sizeof all / sizeof *all; i++) {
        char xml[400];

        snprintf(xml, sizeof xml,
                 "<component class='%s' library='none'><summary>A function</summary>"
                 "<provides port='function' type='test.Function'/>"
                 "<uses port='work' type='portolan.ports.Work'/></component>",
                 all[i]->class_name);
        status = portolan_palette_add_builtin(palette, all[i], xml, err);
    }
    return status;
}
