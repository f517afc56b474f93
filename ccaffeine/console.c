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

bool console_is(const char *name)
{
    return !strcmp(name, CONSOLE_INSTANCE);
}

static enum portolan_status start(struct portolan_interpreter *in, struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;

    in->services =
        portolan_framework_get_services(in->framework, CONSOLE_INSTANCE, CONSOLE_CLASS, NULL, &ex);
    return portolan_catch(&ex, err);
}

void console_end(struct portolan_interpreter *in)
{
    sidl_BaseInterface ex = NULL;

    if (!in->services)
        return;
    portolan_framework_release_services(in->framework, in->services, &ex);
    SIDL_CLEAR(ex);
    gov_cca_Services_deleteRef(in->services, NULL);
    in->services = NULL;
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
