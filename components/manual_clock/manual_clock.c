/* SPDX-License-Identifier: BSD-3-Clause */
/* portolan.ManualClock: time stands still until work moves it. */
#include "measurement.h"

#include <math.h>

struct manual_clock {
    struct sidl_object object;
    enum portolan_probe_clock before;
    bool switched;
};

/* Up to 2^53 ns a double holds every whole nanosecond exactly. */
static bool to_ns(double seconds, uint64_t *ns)
{
    if (!(seconds >= 0 && seconds * 1e9 <= 9007199254740992.0))
        return false;
    *ns = (uint64_t)llround(seconds * 1e9);
    return true;
}

static void consume(void *self, double seconds, sidl_BaseInterface *_ex)
{
    enum portolan_status status;
    uint64_t ns;

    (void)self;
    if (!to_ns(seconds, &ns)) {
        portolan_throw(_ex, PORTOLAN_EINVAL, "a clock cannot move by %g s", seconds);
        return;
    }
    status = portolan_probe_clock_advance(ns);
    if (status)
        portolan_throw(_ex, status, "another component has switched the clock from manual");
}

static void set_tick(gov_cca_Services services, sidl_BaseInterface *_ex)
{
    gov_cca_TypeMap properties = portolan_component_properties(services, _ex);
    sidl_BaseInterface ignored = NULL;
    double seconds;
    uint64_t ns;

    SIDL_CHECK(*_ex);
    seconds = gov_cca_TypeMap_getDouble(properties, "tick", 0, _ex);
    SIDL_CHECK(*_ex);
    if (to_ns(seconds, &ns))
        portolan_probe_clock_tick(ns);
    else
        portolan_throw(_ex, PORTOLAN_EINVAL,
                       "parameter 'tick' is %g; it must be at least 0 seconds", seconds);
EXIT:
    gov_cca_TypeMap_deleteRef(properties, &ignored);
}

static void set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct manual_clock *c = self;
    struct portolan_error err = {0};

    measurement_add_ports(self, services, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(self, "portolan.ports.Work"),
                                     "work", "portolan.ports.Work", NULL, _ex);
    SIDL_CHECK(*_ex);
    c->before = portolan_probe_clock_get();
    c->switched = !portolan_probe_clock_set(PORTOLAN_PROBE_CLOCK_MANUAL, &err);
    if (!c->switched)
        portolan_throw(_ex, err.status, "the clock cannot be switched to manual: %s", err.text);
    SIDL_CHECK(*_ex);
    set_tick(services, _ex);
EXIT:;
}

/*
 * Not in releaseServices: switching empties the records, which a Mastermind that is released later
 * still needs; the Mastermind keeps this object alive until then.
 */
static void destroy(void *self)
{
    struct manual_clock *c = self;

    portolan_control_finish(NULL); /* calls that came after the release */
    if (c->switched)
        portolan_probe_clock_set(c->before, NULL);
}

static const struct portolan_ports_Work__epv work_epv = {.f_consume = consume};

PORTOLAN_COMPONENT_CLASS(portolan_ManualClock, "portolan.ManualClock", struct manual_clock,
                         set_services, destroy, MEASUREMENT_IMPLEMENTS,
                         {&portolan_ports_Work__type, &work_epv});
