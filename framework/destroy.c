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
    struct connection *c, *next;

    DL_FOREACH_SAFE(instance->fw->connections, c, next)
    if (c->provides->services->instance == instance)
        connect_drop(c);
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
    drop_provides(instance);
    quiet(instance);
    drop_uses(instance);
    link_forget(instance->fw, instance);
    DL_DELETE(instance->fw->instances, instance);
    services_retire(instance->services);
    instance_free(instance);
}

enum portolan_status instance_destroy(struct instance *instance, struct portolan_error *err)
{
    struct portolan_framework *fw = instance->fw;
    struct connection *c;
    char label[300];

    if (instance->services->image_class)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "instance '%s' is the program's own image: it goes with "
                                  "releaseServices",
                                  instance->name);
    DL_FOREACH(fw->connections, c)
    if (c->provides->services->instance == instance && c->uses->services->instance != instance &&
        !connect_may_move(c->uses))
        return portolan_error_set(
            err, PORTOLAN_EPORTINUSE,
            "instance '%s' cannot be destroyed: %s holds its uses port "
            "'%s', which is connected to it",
            instance->name, services_label(c->uses->services, label, sizeof label), c->uses->name);
    instance_withdraw(instance);
    return PORTOLAN_OK;
}

void instance_destroy_all(struct portolan_framework *fw)
{
    struct instance *i;

    fw->is_ending = true;
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
