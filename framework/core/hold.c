/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which ports a component is using: getPort and releasePort, by any thread. A connection ends when
 * its port's target has been taken away and nobody holds it any more; whoever comes later finds
 * the target gone.
 */
#include <time.h>

#include <utlist.h>

#include "services.h"

bool port_is_held(const struct port *p)
{
    return __atomic_load_n(&p->held, __ATOMIC_SEQ_CST) > 0;
}

enum portolan_status services_get(struct services *s, const char *name, gov_cca_Port *port,
                                  struct portolan_error *err)
{
    struct port *p = services_find(s, name);

    *port = NULL;
    if (!p)
        return services_no_port(s, name, false, err);
    /* Announced first: whoever takes the target away looks at `held` afterwards. */
    __atomic_add_fetch(&p->held, 1, __ATOMIC_SEQ_CST);
    *port = p->provided ? p->provided : __atomic_load_n(&p->target, __ATOMIC_SEQ_CST);
    if (*port)
        sidl_reference_add(*port, NULL);
    else
        __atomic_sub_fetch(&p->held, 1, __ATOMIC_SEQ_CST);
    return PORTOLAN_OK;
}

enum portolan_status services_release(struct services *s, const char *name,
                                      struct portolan_error *err)
{
    struct port *p = services_find(s, name);
    char label[300];
    int held;

    if (!p)
        return services_no_port(s, name, false, err);
    held = __atomic_load_n(&p->held, __ATOMIC_SEQ_CST);
    while (held > 0)
        if (__atomic_compare_exchange_n(&p->held, &held, held - 1, true, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST))
            return PORTOLAN_OK;
    return portolan_error_set(err, PORTOLAN_EPORTNOTINUSE,
                              "%s: port '%s' is released more often than it was got",
                              services_label(s, label, sizeof label), name);
}

/* Until nobody holds the port; other threads may be about to release it. */
static bool wait_until_free(const struct port *uses, double timeout_s)
{
    const struct timespec nap = {.tv_nsec = 200000};
    struct timespec begin, now;

    clock_gettime(CLOCK_MONOTONIC, &begin);
    while (port_is_held(uses)) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (!((double)(now.tv_sec - begin.tv_sec) + 1e-9 * (double)(now.tv_nsec - begin.tv_nsec) <
              timeout_s))
            return false;
        nanosleep(&nap, NULL);
    }
    return true;
}

enum portolan_status connect_quiet(struct connection *c, double timeout_s,
                                   struct portolan_error *err)
{
    struct port *uses = c->uses;
    gov_cca_Port target = uses->target;
    char label[300];

    if (c->is_quiet)
        return PORTOLAN_OK;
    events_tell(uses, c->provides, gov_cca_ports_EventType_DisconnectPending);
    if (uses->services->rebindable) {
        c->is_quiet = true;
        return PORTOLAN_OK;
    }
    __atomic_store_n(&uses->target, NULL, __ATOMIC_SEQ_CST);
    if (wait_until_free(uses, timeout_s)) {
        c->is_quiet = true;
        return PORTOLAN_OK;
    }
    __atomic_store_n(&uses->target, target, __ATOMIC_SEQ_CST);
    return portolan_error_set(err, PORTOLAN_EPORTINUSE,
                              "%s holds its uses port '%s', which is connected to '%s.%s'",
                              services_label(uses->services, label, sizeof label), uses->name,
                              c->provides->services->instance->name, c->provides->name);
}

void connect_unquiet(struct connection *c)
{
    if (c->is_quiet && !c->uses->services->rebindable)
        __atomic_store_n(&c->uses->target, c->provides->provided, __ATOMIC_SEQ_CST);
    c->is_quiet = false;
}
