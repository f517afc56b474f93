/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The interpreter as a component among the others: what it wants of a provides port it gets as any
 * user does, by connecting a uses port of its own for the time of one command.
 */
#include "interpreter.h"

#include <string.h>

#define CONSOLE_CLASS    "portolan.Console"
#define CONSOLE_INSTANCE "portolan.console"
#define CONSOLE_PORT     "use"

struct console {
    struct sidl_object object;
};

/* Hands its services to the interpreter, which offers itself as a framework service. */
static void set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct portolan_interpreter *in;

    (void)self;
    gov_cca_Services_registerUsesPort(services, "interpreter", CONSOLE_CLASS, NULL, _ex);
    SIDL_CHECK(*_ex);
    in = portolan_foreign_get(services, "interpreter", CONSOLE_CLASS, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_releasePort(services, "interpreter", _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_addRef(services, _ex);
    SIDL_CHECK(*_ex);
    in->services = services;
EXIT:;
}

static const struct gov_cca_Component__epv component_epv = {.f_setServices = set_services};
static const struct sidl_implements implements[] = {{&gov_cca_Component__type, &component_epv}};
static const struct sidl_class class = {
    .name = CONSOLE_CLASS,
    .version = "0.1",
    .size = sizeof(struct console),
    .implements = implements,
    .n_implements = sizeof implements / sizeof *implements,
};

static gov_cca_Component create(sidl_BaseInterface *_ex)
{
    struct console *c = sidl_object_create(&class, _ex);

    return c ? sidl_object_facet(c, "gov.cca.Component") : NULL;
}

static const struct portolan_component component = {sizeof(struct portolan_component),
                                                    PORTOLAN_COMPONENT_ABI, CONSOLE_CLASS, create};

bool console_is(const char *name)
{
    return !strcmp(name, CONSOLE_INSTANCE) || !strcmp(name, CONSOLE_CLASS);
}

static enum portolan_status start(struct portolan_interpreter *in, struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_ComponentID id;
    enum portolan_status status = PORTOLAN_OK;

    if (!portolan_palette_find(in->palette, CONSOLE_CLASS)) {
        status = portolan_palette_add_builtin(in->palette, &component,
                                              "<component class=\"" CONSOLE_CLASS "\"/>", err);
        if (status == PORTOLAN_OK)
            status = portolan_framework_provide(in->framework, CONSOLE_CLASS, in, err);
    }
    if (status != PORTOLAN_OK)
        return status;
    id = gov_cca_ports_BuilderService_createInstance(in->builder, CONSOLE_INSTANCE, CONSOLE_CLASS,
                                                     NULL, &ex);
    if (id)
        gov_cca_ComponentID_deleteRef(id, NULL);
    return portolan_catch(&ex, err);
}

static enum portolan_status connect(struct portolan_interpreter *in, const char *instance,
                                    const char *port, struct console_use *use,
                                    struct portolan_error *err)
{
    gov_cca_ComponentID self = arena_id(in, CONSOLE_INSTANCE, err);
    gov_cca_ComponentID other = self ? arena_id(in, instance, err) : NULL;
    sidl_BaseInterface ex = NULL;
    enum portolan_status status = other ? PORTOLAN_OK : PORTOLAN_ENOTFOUND;

    if (other) {
        use->connection =
            gov_cca_ports_BuilderService_connect(in->builder, self, CONSOLE_PORT, other, port, &ex);
        status = portolan_catch(&ex, err);
    }
    if (status == PORTOLAN_OK) {
        use->port = gov_cca_Services_getPort(in->services, CONSOLE_PORT, &ex);
        status = portolan_catch(&ex, err);
    }
    if (self)
        gov_cca_ComponentID_deleteRef(self, NULL);
    if (other)
        gov_cca_ComponentID_deleteRef(other, NULL);
    return status;
}

enum portolan_status console_open(struct portolan_interpreter *in, const char *instance,
                                  const char *port, struct console_use *use,
                                  struct portolan_error *err)
{
    struct portolan_arena arena = {0};
    struct portolan_error later = {0};
    sidl_BaseInterface ex = NULL;
    enum portolan_status status = PORTOLAN_OK;
    const char *type;

    *use = (struct console_use){0};
    if (!in->services)
        status = start(in, err);
    if (status == PORTOLAN_OK)
        status = arena_port_type(in, &arena, instance, port, &type, err);
    if (status == PORTOLAN_OK) {
        gov_cca_Services_registerUsesPort(in->services, CONSOLE_PORT, type, NULL, &ex);
        status = portolan_catch(&ex, err);
        if (status == PORTOLAN_OK &&
            (status = connect(in, instance, port, use, err)) != PORTOLAN_OK)
            console_close(in, use, &later);
    }
    portolan_arena_clear(&arena);
    return status;
}

enum portolan_status console_close(struct portolan_interpreter *in, struct console_use *use,
                                   struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    enum portolan_status status = PORTOLAN_OK;

    if (use->port) {
        gov_cca_Port_deleteRef(use->port, NULL);
        gov_cca_Services_releasePort(in->services, CONSOLE_PORT, &ex);
        status = portolan_catch(&ex, err);
    }
    if (use->connection) {
        gov_cca_ports_BuilderService_disconnect(in->builder, use->connection, 0, &ex);
        status = portolan_catch(&ex, err) == PORTOLAN_OK ? status : PORTOLAN_EINTERNAL;
        gov_cca_ConnectionID_deleteRef(use->connection, NULL);
    }
    gov_cca_Services_unregisterUsesPort(in->services, CONSOLE_PORT, &ex);
    if (portolan_catch(&ex, err) != PORTOLAN_OK)
        status = PORTOLAN_EINTERNAL;
    *use = (struct console_use){0};
    return status;
}
