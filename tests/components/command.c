/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * command.Step: between two steps rank 0 runs `sh SCRIPT STEP`, and all ranks wait for its end.
 * Then the step goes on to who is connected to "next".
 */
#include <portolan/framework.h>

#include <stdlib.h>

struct command {
    struct sidl_object object;
    gov_cca_Services services; /* borrowed */
    struct portolan_cohort *cohort;
    char *script;
};

/* Who is connected to "next", or NULL; it stays as long as the connection. */
static portolan_ports_StepListener next_of(struct command *c, sidl_BaseInterface *_ex)
{
    gov_cca_Port port = gov_cca_Services_getPortNonblocking(c->services, "next", _ex);
    portolan_ports_StepListener next;

    if (*_ex || !port)
        return NULL;
    next = portolan_ports_StepListener__cast(port, _ex);
    gov_cca_Port_deleteRef(port, NULL);
    gov_cca_Services_releasePort(c->services, "next", _ex);
    if (next)
        portolan_ports_StepListener_deleteRef(next, NULL);
    return next;
}

static void command_setServices(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct command *c = self;
    gov_cca_TypeMap properties = NULL;

    c->services = services;
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(c, "portolan.ports.StepListener"),
                                     "steps", "portolan.ports.StepListener", NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_registerUsesPort(services, "cohort", "portolan.Cohort", NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_registerUsesPort(services, "next", "portolan.ports.StepListener", NULL, _ex);
    SIDL_CHECK(*_ex);
    c->cohort = portolan_foreign_get(services, "cohort", "portolan.Cohort", _ex);
    SIDL_CHECK(*_ex);
    properties = portolan_component_properties(services, _ex);
    SIDL_CHECK(*_ex);
    c->script = gov_cca_TypeMap_getString(properties, "script", "", _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_registerForRelease(services, sidl_object_facet(c, "gov.cca.ComponentRelease"),
                                        _ex);
    SIDL_CHECK(*_ex);
EXIT:
    gov_cca_TypeMap_deleteRef(properties, NULL);
}

static void command_reached(void *self, int32_t step, sidl_BaseInterface *_ex)
{
    struct command *c = self;
    char *line = portolan_asprintf("sh '%s' %d", c->script, (int)step);
    double failed = c->cohort->rank == 0 && line && system(line) != 0;
    portolan_ports_StepListener next = next_of(c, _ex);

    free(line);
    if (c->cohort->max(c->cohort, &failed, 1) || failed > 0)
        portolan_throw(_ex, PORTOLAN_ECOMPONENT, "the script failed at step %d", (int)step);
    else if (next && !*_ex)
        portolan_ports_StepListener_reached(next, step, _ex);
}

static void command_announce(void *self, const char *name, double value, sidl_BaseInterface *_ex)
{
    portolan_ports_StepListener next = next_of(self, _ex);

    if (next)
        portolan_ports_StepListener_announce(next, name, value, _ex);
}

static sidl_bool command_failed(void *self, int32_t step, const char *why, sidl_BaseInterface *_ex)
{
    portolan_ports_StepListener next = next_of(self, _ex);

    return next ? portolan_ports_StepListener_failed(next, step, why, _ex) : FALSE;
}

static void command_releaseServices(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct command *c = self;

    if (c->cohort)
        gov_cca_Services_releasePort(services, "cohort", _ex);
    sidl_String_free(c->script);
    c->cohort = NULL;
    c->script = NULL;
}

static const struct gov_cca_Component__epv component_epv = {.f_setServices = command_setServices};
static const struct gov_cca_ComponentRelease__epv release_epv = {.f_releaseServices =
                                                                     command_releaseServices};
static const struct portolan_ports_StepListener__epv steps_epv = {
    .f_reached = command_reached, .f_announce = command_announce, .f_failed = command_failed};
static const struct sidl_implements implements[] = {
    {&gov_cca_Component__type, &component_epv},
    {&gov_cca_ComponentRelease__type, &release_epv},
    {&portolan_ports_StepListener__type, &steps_epv}};
static const struct sidl_class command_class = {.name = "command.Step",
                                                .version = "1.0",
                                                .size = sizeof(struct command),
                                                .implements = implements,
                                                .n_implements = 3};

static gov_cca_Component create(sidl_BaseInterface *_ex)
{
    struct command *c = sidl_object_create(&command_class, _ex);

    return c ? sidl_object_facet(c, "gov.cca.Component") : NULL;
}

PORTOLAN_COMPONENT(command_Step, "command.Step", create);
