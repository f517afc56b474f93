/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Providers of portolan.ports.Work that keep something between calls: x of the logistic map, whose
 * every bit shows after some iterations, and their number. They fail where the log says so.
 */
#include "counting.h"
#include "part.h"

#include <stdlib.h>

struct counter {
    struct part part;
    double x;
    int64_t count;
    int32_t version;
};

static void counter_consume(void *self, double seconds, sidl_BaseInterface *_ex)
{
    struct counter *c = self;

    (void)seconds, (void)_ex;
    test_log_add(c->part.log, c->part.object.cls->name + 5, "consume");
    c->x = 3.9 * c->x * (1 - c->x);
    c->count++;
    if (!c->part.log)
        return;
    c->part.log->consumed = c->x;
    if (test_log_fails(c->part.log, "keep services"))
        gov_cca_Services_addRef(c->part.log->services = c->part.services, NULL);
}

/* -- portolan.ports.Stateful -- */

static int32_t state_version(void *self, sidl_BaseInterface *_ex)
{
    (void)_ex;
    return ((struct counter *)self)->version;
}

static void state_export(void *self, int32_t version, gov_cca_TypeMap state,
                         sidl_BaseInterface *_ex)
{
    struct counter *c = self;

    gov_cca_TypeMap_putDouble(state, "x", c->x, _ex);
    SIDL_CHECK(*_ex);
    if (test_log_fails(c->part.log, "export")) /* in the midst of it */
        portolan_throw(_ex, PORTOLAN_EIO, "the state cannot be written");
    else if (version > 1)
        gov_cca_TypeMap_putLong(state, "count", c->count, _ex);
EXIT:;
}

static void state_import(void *self, int32_t version, gov_cca_TypeMap state,
                         sidl_BaseInterface *_ex)
{
    struct counter *c = self;

    c->x = gov_cca_TypeMap_getDouble(state, "x", 0, _ex);
    SIDL_CHECK(*_ex);
    if (version > 1)
        c->count = gov_cca_TypeMap_getLong(state, "count", -1, _ex);
    SIDL_CHECK(*_ex);
    if (test_log_fails(c->part.log, "import"))
        portolan_throw(_ex, PORTOLAN_EIO, "the state cannot be read");
EXIT:;
}

static const struct counting_State__epv state_epv = {
    .f_getVersion = state_version, .f_exportState = state_export, .f_importState = state_import};
static const struct portolan_ports_Stateful__epv private_epv = {
    .f_getVersion = state_version, .f_exportState = state_export, .f_importState = state_import};

/* -- gov.cca.Component -- */

static void begin(struct counter *c, gov_cca_Services services, const char *format, int version,
                  sidl_BaseInterface *_ex)
{
    c->x = 0.3;
    c->version = version;
    part_begin(&c->part, services, _ex);
    SIDL_CHECK(*_ex);
    if (test_log_fails(c->part.log, "create")) {
        portolan_throw(_ex, PORTOLAN_EIO, "no room for a counter");
        return;
    }
    part_provide(&c->part, "work", "portolan.ports.Work", _ex);
    SIDL_CHECK(*_ex);
    if (format)
        part_provide(&c->part, "state", format, _ex);
    SIDL_CHECK(*_ex);
    part_use(&c->part, "helper",
             test_log_fails(c->part.log, "connect") ? "gov.cca.ports.GoPort"
                                                    : "portolan.ports.Work",
             _ex);
EXIT:;
}

static void counter_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    begin(self, services, "counting.State", 2, _ex);
}

static void tally_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    begin(self, services, "counting.State", 3, _ex);
}

static void private_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    begin(self, services, "portolan.ports.Stateful", 1, _ex);
}

static void deaf_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    begin(self, services, NULL, 0, _ex);
}

static void counter_release(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct counter *c = self;
    bool fails = test_log_fails(c->part.log, "retire");

    part_release(self, services, _ex);
    if (fails)
        portolan_throw(_ex, PORTOLAN_EIO, "the counter is not released");
}

static const struct portolan_ports_Work__epv counter_work = {.f_consume = counter_consume};
static const struct gov_cca_Component__epv counter_component = {.f_setServices =
                                                                    counter_set_services};
static const struct gov_cca_Component__epv tally_component = {.f_setServices = tally_set_services};
static const struct gov_cca_Component__epv private_component = {.f_setServices =
                                                                    private_set_services};
static const struct gov_cca_Component__epv deaf_component = {.f_setServices = deaf_set_services};
static const struct gov_cca_ComponentRelease__epv counter_release_epv = {.f_releaseServices =
                                                                             counter_release};

#define COUNTER_FACETS(COMPONENT)                                                                  \
    {&portolan_ports_Work__type, &counter_work}, {&gov_cca_Component__type, &(COMPONENT)},         \
    {                                                                                              \
        &gov_cca_ComponentRelease__type, &counter_release_epv                                      \
    }

PART_CLASS(test_Counter, "test.Counter", struct counter, COUNTER_FACETS(counter_component),
           {&counting_State__type, &state_epv});
PART_CLASS(test_Tally, "test.Tally", struct counter, COUNTER_FACETS(tally_component),
           {&counting_State__type, &state_epv});
/* Its format has no interface. */
PART_CLASS(test_Private, "test.Private", struct counter, COUNTER_FACETS(private_component),
           {&portolan_ports_Stateful__type, &private_epv});
/* Keeps what it has, and cannot tell it. */
PART_CLASS(test_Deaf, "test.Deaf", struct counter, COUNTER_FACETS(deaf_component));

/* -- test.Fickle: withdraws its port when its uses port is moved, or its predecessor's ends -- */

static struct counter *newest_fickle; /* not used with several ranks */

static void fickle_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    deaf_set_services(self, services, _ex);
    newest_fickle = self;
}

static void fickle_rebind(void *self, const char *uses, gov_cca_Port port, const char *instance,
                          const char *provided, const char *implementation, const char *user,
                          const char *user_port, sidl_BaseInterface *_ex)
{
    struct counter *c = self;

    (void)uses, (void)instance, (void)provided, (void)implementation, (void)user, (void)user_port;
    if (port && test_log_fails(c->part.log, "withdraw early"))
        gov_cca_Services_removeProvidesPort(c->part.services, "work", _ex);
    else if (!port && test_log_fails(c->part.log, "withdraw late"))
        gov_cca_Services_removeProvidesPort(newest_fickle->part.services, "work", _ex);
}

static const struct gov_cca_Component__epv fickle_component = {.f_setServices =
                                                                   fickle_set_services};
static const struct portolan_Rebindable__epv fickle_rebindable = {.f_rebind = fickle_rebind};

PART_CLASS(test_Fickle, "test.Fickle", struct counter, COUNTER_FACETS(fickle_component),
           {&portolan_Rebindable__type, &fickle_rebindable});
