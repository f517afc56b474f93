/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of instances: one, or all in reverse order. */
#include <stdlib.h>

#include <utlist.h>

#include "services.h"

/* Undoes the instance's connections as a user, the last made first. */
static void drop_uses(struct instance *instance)
{
    struct connection *c, *last;

    do {
        last = NULL;
        DL_FOREACH(instance->fw->connections, c)
        if (c->uses->services->instance == instance)
            last = c;
        if (last)
            connect_drop(last);
    } while (last);
}

static void drop_provides(struct instance *instance)
{
    struct port *p;

    DL_FOREACH(instance->services->ports, p)
    if (p->provided)
        connect_drop_all(p);
}

/*
 * A Rebindable hears of its connections' end while all is still there; others release their ports
 * in releaseServices first.
 */
static void quiet(struct instance *instance)
{
    if (instance->services->rebindable)
        drop_uses(instance);
    services_tell_release(instance->services);
}

void instance_withdraw(struct instance *instance)
{
    struct connection *c;

    instance->is_ending = true;
    drop_provides(instance);
    /* Its listeners go with releaseServices, and hear of what is to come before. */
    DL_FOREACH(instance->fw->connections, c)
    if (c->uses->services->instance == instance) {
        events_tell(c->uses, c->provides, gov_cca_ports_EventType_DisconnectPending);
        c->is_quiet = true;
    }
    quiet(instance);
    drop_uses(instance);
    drop_provides(instance); /* what was connected meanwhile */
    link_forget(instance->fw, instance);
    DL_DELETE(instance->fw->instances, instance);
    services_retire(instance->services);
    instance_free(instance);
}

static enum portolan_status check(const struct instance *instance, struct portolan_error *err)
{
    if (instance->services->image_class)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "instance '%s' is the program's own image: it goes with "
                                  "releaseServices",
                                  instance->name);
    if (instance->is_starting)
        return portolan_error_set(err, PORTOLAN_EINVAL, "instance '%s' is still being created",
                                  instance->name);
    if (instance->is_ending)
        return portolan_error_set(err, PORTOLAN_EINVAL, "instance '%s' is being destroyed already",
                                  instance->name);
    return events_check_quiet(instance->fw, err);
}

enum portolan_status instance_destroy(struct instance *instance, double timeout_s,
                                      struct portolan_error *err)
{
    enum portolan_status status = check(instance, err);
    struct portolan_error cause = {0};
    struct connection *c;

    if (status != PORTOLAN_OK)
        return status;
    DL_FOREACH(instance->fw->connections, c)
    if (status == PORTOLAN_OK && c->provides->services->instance == instance &&
        c->uses->services->instance != instance)
        status = connect_quiet(c, timeout_s, &cause);
    if (status != PORTOLAN_OK) {
        DL_FOREACH(instance->fw->connections, c)
        if (c->provides->services->instance == instance)
            connect_unquiet(c);
        return portolan_error_set(err, status, "instance '%s' cannot be destroyed: %s",
                                  instance->name, cause.text);
    }
    instance_withdraw(instance);
    return PORTOLAN_OK;
}

void instance_destroy_all(struct portolan_framework *fw)
{
    struct instance *i;

    fw->is_ending = true;
    DL_FOREACH(fw->instances, i)
    i->is_ending = true;
    link_forget(fw, NULL);
    if (fw->self)
        drop_uses(fw->self);
    /* All components are alive while any of them is told. */
    for (i = fw->instances ? fw->instances->prev : NULL; i; i = i == fw->instances ? NULL : i->prev)
        quiet(i);
    while (fw->connections)
        connect_drop(fw->connections->prev);
    while (fw->instances) {
        i = fw->instances->prev;
        DL_DELETE(fw->instances, i);
        services_retire(i->services);
        instance_free(i);
    }
    fw->is_ending = false;
}
