/* SPDX-License-Identifier: BSD-3-Clause */
/* portolan.ManualClock: time stands still until work moves it. */
#include "measurement.h"

#include <math.h>

struct manual_clock {
    struct sidl_object object;
    enum portolan_probe_clock before;
    bool switched;
};

static void consume(void *self, double seconds, sidl_BaseInterface *_ex)
{
    enum portolan_status status;

    (void)self;
    /* Up to 2^53 ns a number of seconds has its whole nanosecond exactly. */
    if (!(seconds >= 0 && seconds * 1e9 <= 9007199254740992.0)) {
        portolan_throw(_ex, PORTOLAN_EINVAL, "a clock cannot move by %g s", seconds);
        return;
    }
    status = portolan_probe_clock_advance((uint64_t)llround(seconds * 1e9));
    if (status)
        portolan_throw(_ex, status, "somebody else has switched the clock from manual");
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
EXIT:;
}

/*
 * Not in releaseServices: switching empties the records, and a Mastermind that is released later
 * still wants them; it keeps this object alive until then.
 */
static void destroy(void *self)
{
    struct manual_clock *c = self;

    portolan_control_finish(NULL); /* calls that came after the release */
    if (c->switched)
        portolan_probe_clock_set(c->before, NULL);
}

static const struct portolan_ports_Work__epv work_epv = {.f_consume = consume};
static const struct gov_cca_Component__epv component_epv = {.f_setServices = set_services};
static const struct sidl_implements implements[] = {
    {&gov_cca_Component__type, &component_epv},
    MEASUREMENT_IMPLEMENTS,
    {&portolan_ports_Work__type, &work_epv},
};
static const struct sidl_class class = {
    .name = "portolan.ManualClock",
    .version = "0.1",
    .size = sizeof(struct manual_clock),
    .implements = implements,
    .n_implements = sizeof implements / sizeof *implements,
    .destroy = destroy,
};

static gov_cca_Component create(sidl_BaseInterface *_ex)
{
    struct manual_clock *c = sidl_object_create(&class, _ex);

    return c ? sidl_object_facet(c, "gov.cca.Component") : NULL;
}

PORTOLAN_COMPONENT(portolan_ManualClock, "portolan.ManualClock", create);
