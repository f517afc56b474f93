/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * portolan.SwapPoint: passes the simulation's steps on to its listeners, in their order. Short
 * steps are grouped (docs/decisions/0069): in a group a step costs a counter.
 */
#include <portolan/framework.h>
#include <portolan/probe.h>
#include <portolan/record.h>

#include "portolan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Logarithms that differ more are of other data (as for the race, <portolan/race.h>). */
static const double other_data = 0.1;

/* A value that was announced. */
struct announced {
    char *name;
    double told, latest; /* told: to the listeners */
};

struct swap_point {
    struct sidl_object object;
    gov_cca_Services services;
    int32_t group; /* steps of the present one */
    int32_t left;  /* of them; the last one, 1, is told of */
    int32_t least; /* steps that it has even if announced values change */
    bool is_other; /* they did: the next group has one step */
    size_t n_announced;
    struct announced *announced;
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

/* After how many steps LISTENER wants to hear again. */
static int32_t ask_pace(portolan_ports_StepListener listener, int32_t *least)
{
    sidl_BaseInterface ex = NULL, ignored = NULL;
    portolan_ports_Pace pace = portolan_ports_Pace__cast(listener, &ex);
    int32_t n = 1;

    if (pace)
        n = portolan_ports_Pace_getPace(pace, least, &ex);
    portolan_ports_Pace_deleteRef(pace, &ignored);
    n = ex || n < 1 ? 1 : n;
    SIDL_CLEAR(ex);
    return n;
}

static void tell_value(struct swap_point *s, const char *name, double value,
                       sidl_BaseInterface *_ex)
{
    for (int i = 0; i < N_LISTENERS && !*_ex; ++i) {
        portolan_ports_StepListener listener = get_listener(s, listeners[i], _ex);

        if (listener)
            portolan_ports_StepListener_announce(listener, name, value, _ex);
        release(s, listeners[i], listener);
    }
}

static void tell_values(struct swap_point *s, sidl_BaseInterface *_ex)
{
    for (size_t i = 0; i < s->n_announced && !*_ex; ++i) {
        struct announced *a = &s->announced[i];

        if (a->latest != a->told)
            tell_value(s, a->name, a->latest, _ex);
        a->told = a->latest;
    }
}

/* The listeners have heard; MOST and LEAST are what they said of the next group. */
static void begin_group(struct swap_point *s, int32_t most, int32_t least)
{
    int32_t doubled = s->group < INT32_MAX / 2 ? 2 * s->group : INT32_MAX;

    if (s->is_other && least < most)
        most = least;
    s->group = s->left = most < doubled ? most : doubled < 1 ? 1 : doubled;
    s->least = least < s->group ? least : s->group;
    s->is_other = false;
}

static void tell_step(struct swap_point *s, int32_t step, sidl_BaseInterface *_ex)
{
    int32_t most = INT32_MAX, least = 1;

    for (int i = 0; i < N_LISTENERS && !*_ex; ++i) {
        portolan_ports_StepListener listener = get_listener(s, listeners[i], _ex);
        int32_t pace, own = 1;

        if (listener) {
            portolan_ports_StepListener_reached(listener, step, _ex);
            pace = *_ex ? 1 : ask_pace(listener, &own);
            most = pace < most ? pace : most;
            least = own > least ? own : least;
        } else if (i == 0) {
            most = 1; /* only the Mastermind measures how long steps last */
        }
        release(s, listeners[i], listener);
    }
    begin_group(s, *_ex ? 1 : most, least);
}

/* What the listeners do does not count as the simulation's time; in a trace it is a phase. */
static void reached(void *self, int32_t step, sidl_BaseInterface *_ex)
{
    static const struct portolan_trace_region here = {
        .kind = PORTOLAN_TRACE_PHASE, .name = "swap point", .user = "", .port = "", .provider = ""};
    struct swap_point *s = self;
    bool is_recorded;
    uint32_t region;

    portolan_probe_step_set(step);
    if (s->left > 1) {
        s->left--;
        if (portolan_record_is_possible()) /* a window of steps may begin with this one */
            portolan_record_step(step);
        return;
    }
    is_recorded = portolan_record_is_on();
    region = is_recorded ? portolan_record_region(&here) : 0;
    portolan_probe_pause();
    if (is_recorded)
        portolan_record_enter(region);
    tell_values(s, _ex);
    if (!*_ex)
        tell_step(s, step, _ex);
    if (is_recorded)
        portolan_record_leave(region);
    portolan_record_step(step);
    portolan_probe_resume();
}

/* The value of NAME, a new one if need be; NULL: no memory. */
static struct announced *find_value(struct swap_point *s, const char *name)
{
    struct announced *a;

    for (size_t i = 0; i < s->n_announced; ++i)
        if (!strcmp(s->announced[i].name, name))
            return &s->announced[i];
    if (!(a = portolan_reallocarray(s->announced, s->n_announced + 1, sizeof *a)))
        return NULL;
    s->announced = a;
    a += s->n_announced;
    *a = (struct announced){.name = portolan_strdup(name), .told = NAN, .latest = NAN};
    s->n_announced += a->name != NULL;
    return a->name ? a : NULL;
}

static bool is_other_data(double a, double b)
{
    return !(fabs(log1p(fabs(a)) - log1p(fabs(b))) <= other_data) || (a < 0) != (b < 0);
}

/* In a group a value is kept for the next step that listeners hear of. */
static void announce(void *self, const char *name, double value, sidl_BaseInterface *_ex)
{
    struct swap_point *s = self;
    struct announced *a = find_value(s, name ? name : "");
    bool ends_group = a && is_other_data(a->told, value);

    if (a)
        a->latest = value;
    if (ends_group && s->left > 1) {
        int32_t done = s->group - s->left;

        s->left = s->least > done + 1 ? s->least - done : 1;
    }
    s->is_other = s->is_other || (ends_group && !isnan(a->told));
    if (a && s->left > 1)
        return;
    portolan_probe_pause();
    tell_value(s, name, value, _ex);
    portolan_probe_resume();
    if (a)
        a->told = value;
}

static sidl_bool step_failed(void *self, int32_t step, const char *why, sidl_BaseInterface *_ex)
{
    struct swap_point *s = self;
    portolan_ports_StepListener optimizer;
    sidl_bool undone = FALSE;

    s->left = 1; /* what is done about it begins with the next step */
    s->group = 0;
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
    portolan_probe_step_set(-1);
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
    for (size_t i = 0; i < s->n_announced; ++i)
        free(s->announced[i].name);
    free(s->announced);
    s->announced = NULL;
    s->n_announced = 0;
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
