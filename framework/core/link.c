/* SPDX-License-Identifier: BSD-3-Clause */
/* Connections that come and go with the ports of a user's class of the moment. */
#include <stdlib.h>
#include <string.h>

#include <utlist.h>

#include "services.h"

/* A port that is not monitored can be so later, if there is somebody who takes its records. */
static enum portolan_status interpose(const struct dormant *wanted, struct connection *c,
                                      struct instance **proxy, struct portolan_error *err)
{
    static const struct proxy_start forward = {.variant = "forward"};
    const char *variant = wanted->start.variant;
    bool needs_all = wanted->monitored && (!variant || !strcmp(variant, "mastermind"));

    return interpose_proxy(c, NULL, wanted->monitored ? &wanted->start : &forward,
                           needs_all ? WIRE_ALL : WIRE_IF_FOUND, proxy, err);
}

enum portolan_status link_make(const struct dormant *wanted, struct connection **c,
                               struct instance **proxy, struct portolan_error *err)
{
    struct port *uses, *provides;
    enum portolan_status status = connect_find_ports(wanted->user, wanted->uses, wanted->provider,
                                                     wanted->provides, &uses, &provides, err);

    *c = NULL;
    *proxy = NULL;
    if (status == PORTOLAN_OK)
        status = connect_make(uses, provides, c, err);
    if (status != PORTOLAN_OK || !wanted->needs_proxy)
        return status;
    status = interpose(wanted, *c, proxy, err);
    if (status != PORTOLAN_OK) {
        connect_drop(*c);
        *c = NULL;
    }
    return status;
}

struct dormant *link_create_dormant(const struct dormant *wanted, struct portolan_error *err)
{
    struct dormant *d = portolan_calloc(1, sizeof *d);

    if (d) {
        *d = *wanted;
        d->next = NULL;
        d->uses = portolan_strdup(wanted->uses);
        d->provides = portolan_strdup(wanted->provides);
    }
    if (!d || !d->uses || !d->provides) {
        link_free_dormant(d);
        portolan_no_memory(err);
        return NULL;
    }
    return d;
}

void link_free_dormant(struct dormant *d)
{
    if (!d)
        return;
    free(d->uses);
    free(d->provides);
    free(d);
}

void link_forget(struct portolan_framework *fw, const struct instance *instance)
{
    struct dormant *d, *next;

    LL_FOREACH_SAFE(fw->dormants, d, next)
    if (!instance || d->user == instance || d->provider == instance) {
        LL_DELETE(fw->dormants, d);
        link_free_dormant(d);
    }
}
