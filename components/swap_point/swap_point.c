/* SPDX-License-Identifier: BSD-3-Clause */
/* portolan.SwapPoint: passes the simulation's steps on to its listeners, in their order. */
#include <portolan/framework.h>
#include <portolan/probe.h>
#include <portolan/record.h>

#include "portolan.h"

struct swap_point {
    struct sidl_object object;
    gov_cca_Services services;
};

/* The listener at a uses port, or NULL when none is connected; end with release(). */
static portolan_ports_StepListener get_listener(struct swap_point *s, const char *uses,
                                                sidl_BaseInterface *_ex)
{
    gov_cca_Port port = gov_cca_Services_getPortNonblocking(s->services, uses, _ex);
    portolan_ports_StepListener listener = NULL;
    sidl_BaseInterface ignored = NULL;

    if (*_ex || !port)
        return NULL;
    listener = portolan_ports_StepListener__cast(port, _ex);
    gov_cca_Port_deleteRef(port, &ignored);
    if (!listener) {
        gov_cca_Services_releasePort(s->services, uses, &ignored);
        SIDL_CLEAR(ignored);
        portolan_throw(_ex, PORTOLAN_EBADPORTTYPE,
                       "the port connected to '%s' is not a portolan.ports.StepListener", uses);
    }
    return listener;
}

static void release(struct swap_point *s, const char *uses, portolan_ports_StepListener listener)
{
    sidl_BaseInterface ignored = NULL;

    if (!listener)
        return;
    portolan_ports_StepListener_deleteRef(listener, &ignored);
    gov_cca_Services_releasePort(s->services, uses, &ignored);
    SIDL_CLEAR(ignored);
}

static const char *const listeners[] = {"mastermind", "diagnosis", "optimizer"};
enum { N_LISTENERS = sizeof listeners / sizeof *listeners };

/* What the listeners do does not count as the simulation's time; in a trace it is a phase. */
static void reached(void *self, int32_t step, sidl_BaseInterface *_ex)
{
    static const struct portolan_trace_region here = {
        .kind = PORTOLAN_TRACE_PHASE, .name = "swap point", .user = "", .port = "", .provider = ""};
    struct swap_point *s = self;
    bool is_recorded = portolan_record_is_on();
    uint32_t region = is_recorded ? portolan_record_region(&here) : 0;

    portolan_probe_pause();
    if (is_recorded)
        portolan_record_enter(region);
    for (int i = 0; i < N_LISTENERS && !*_ex; ++i) {
        portolan_ports_StepListener listener = get_listener(s, listeners[i], _ex);

        if (listener)
            portolan_ports_StepListener_reached(listener, step, _ex);
        release(s, listeners[i], listener);
    }
    if (is_recorded)
        portolan_record_leave(region);
    portolan_record_step(step);
    portolan_probe_resume();
}

static void announce(void *self, const char *name, double value, sidl_BaseInterface *_ex)
{
    struct swap_point *s = self;

    portolan_probe_pause();
    for (int i = 0; i < N_LISTENERS && !*_ex; ++i) {
        portolan_ports_StepListener listener = get_listener(s, listeners[i], _ex);

        if (listener)
            portolan_ports_StepListener_announce(listener, name, value, _ex);
        release(s, listeners[i], listener);
    }
    portolan_probe_resume();
}

static sidl_bool step_failed(void *self, int32_t step, const char *why, sidl_BaseInterface *_ex)
{
    struct swap_point *s = self;
    portolan_ports_StepListener optimizer;
    sidl_bool undone = FALSE;

    portolan_probe_pause();
    optimizer = get_listener(s, "optimizer", _ex);
    if (optimizer)
        undone = portolan_ports_StepListener_failed(optimizer, step, why, _ex);
    release(s, "optimizer", optimizer);
    portolan_probe_resume();
    return undone && !*_ex;
}

static void set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct swap_point *s = self;
    sidl_BaseInterface ignored = NULL;

    s->services = services;
    gov_cca_Services_addRef(services, &ignored);
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(self, "portolan.ports.SwapPoint"),
                                     "swappoint", "portolan.ports.SwapPoint", NULL, _ex);
    SIDL_CHECK(*_ex);
    for (int i = 0; i < N_LISTENERS; ++i) {
        gov_cca_Services_registerUsesPort(services, listeners[i], "portolan.ports.StepListener",
                                          NULL, _ex);
        SIDL_CHECK(*_ex);
    }
    gov_cca_Services_registerForRelease(services,
                                        sidl_object_facet(self, "gov.cca.ComponentRelease"), _ex);
    SIDL_CHECK(*_ex);
EXIT:;
}

static void destroy(void *self)
{
    struct swap_point *s = self;
    sidl_BaseInterface ignored = NULL;

    gov_cca_Services_deleteRef(s->services, &ignored);
    s->services = NULL;
}

static void release_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    (void)services, (void)_ex;
    destroy(self);
}

static const struct portolan_ports_SwapPoint__epv swap_point_epv = {
    .f_reached = reached, .f_announce = announce, .f_failed = step_failed};
static const struct gov_cca_ComponentRelease__epv release_epv = {.f_releaseServices =
                                                                     release_services};

PORTOLAN_COMPONENT_CLASS(portolan_SwapPoint, "portolan.SwapPoint", struct swap_point, set_services,
                         destroy, {&gov_cca_ComponentRelease__type, &release_epv},
                         {&portolan_ports_SwapPoint__type, &swap_point_epv});
