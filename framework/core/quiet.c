/* SPDX-License-Identifier: BSD-3-Clause */
/* The users of an instance, held up while another class takes its place (portolan.Suspendable). */
#include "internal.h"

#include <time.h>
#include <utlist.h>

bool quiet_is_user(const struct connection *c, const struct services *s)
{
    return c->provides->services == s && c->uses->services != s;
}

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static enum portolan_status cannot_wait(const struct connection *c, struct portolan_error *err)
{
    char label[300];

    return portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                              "%s cannot hold up its calls of port '%s' while state moves (it is "
                              "no portolan.Suspendable)",
                              services_label(c->uses->services, label, sizeof label),
                              c->uses->name);
}

enum portolan_status quiet_suspend(const struct services *s, bool must, struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    enum portolan_status status;
    struct connection *c;

    DL_FOREACH(s->fw->connections, c)
    {
        const struct services *user = c->uses->services;

        if (!quiet_is_user(c, s) || !user->rebindable)
            continue; /* what is no Rebindable does not hold the port now */
        if (!user->suspendable) {
            if (must)
                return cannot_wait(c, err);
            continue;
        }
        portolan_Suspendable_suspend(user->suspendable, c->uses->name, &ex);
        if ((status = portolan_catch(&ex, err)) != PORTOLAN_OK)
            return status;
        c->is_suspended = true;
    }
    return PORTOLAN_OK;
}

enum portolan_status quiet_drain(const struct services *s, double seconds,
                                 struct portolan_error *err)
{
    double deadline = now_s() + seconds;
    sidl_BaseInterface ex = NULL;
    enum portolan_status status = PORTOLAN_OK;
    struct connection *c;

    DL_FOREACH(s->fw->connections, c)
    {
        double left = deadline - now_s();

        if (status != PORTOLAN_OK || !quiet_is_user(c, s) || !c->uses->services->suspendable)
            continue;
        portolan_Suspendable_drain(c->uses->services->suspendable, c->uses->name,
                                   left > 0 ? left : 0, &ex);
        status = portolan_catch(&ex, err);
    }
    return status;
}

void quiet_resume(const struct services *s)
{
    struct portolan_error err = {0};
    sidl_BaseInterface ex = NULL;
    struct connection *c;

    DL_FOREACH(s->fw->connections, c)
    {
        if (!c->is_suspended || !quiet_is_user(c, s))
            continue;
        c->is_suspended = false;
        portolan_Suspendable_resume(c->uses->services->suspendable, c->uses->name, &ex);
        if (portolan_catch(&ex, &err) != PORTOLAN_OK) {
            portolan_log(PORTOLAN_LOG_WARNING, "framework", "%s", err.text);
            err = (struct portolan_error){0};
        }
    }
}

bool quiet_was_called(const struct services *s)
{
    sidl_BaseInterface ex = NULL;
    bool called = false;
    struct connection *c;

    DL_FOREACH(s->fw->connections, c)
    if (quiet_is_user(c, s)) {
        portolan_Suspendable user = c->uses->services->suspendable;

        called = called || !user || portolan_Suspendable_wasCalled(user, c->uses->name, &ex) || ex;
        SIDL_CLEAR(ex);
    }
    return called;
}
