/* SPDX-License-Identifier: BSD-3-Clause */
/* Providers of portolan.ports.Work, good and bad. */
#include "part.h"

#include "sidl_SIDLException.h"

/* -- test.Worker and, the same under another name, test.Other -- */

static void worker_consume(void *self, double seconds, sidl_BaseInterface *_ex)
{
    struct part *p = self;

    (void)_ex;
    test_log_add(p->log, p->object.cls->name + 5, "consume");
    if (p->log)
        p->log->consumed += seconds;
}

static void worker_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct part *p = self;

    part_begin(p, services, _ex);
    SIDL_CHECK(*_ex);
    test_log_add(p->log, p->name, "start");
    part_provide(p, "work", "portolan.ports.Work", _ex);
    SIDL_CHECK(*_ex);
EXIT:;
}

static const struct portolan_ports_Work__epv worker_work = {.f_consume = worker_consume};
static const struct gov_cca_Component__epv worker_component = {.f_setServices =
                                                                   worker_set_services};
static const struct gov_cca_ComponentRelease__epv part_release_epv = {.f_releaseServices =
                                                                          part_release};

#define WORKER_FACETS(COMPONENT)                                                                   \
    {&portolan_ports_Work__type, &worker_work}, {&gov_cca_Component__type, &(COMPONENT)},          \
    {                                                                                              \
        &gov_cca_ComponentRelease__type, &part_release_epv                                         \
    }

PART_CLASS(test_Worker, "test.Worker", struct part, WORKER_FACETS(worker_component));
PART_CLASS(test_Other, "test.Other", struct part, WORKER_FACETS(worker_component));
/* The test proxies refuse to be moved to this one. */
PART_CLASS(test_Unwelcome, "test.Unwelcome", struct part, WORKER_FACETS(worker_component));

/* -- test.Helped: its work is done by the instance at its uses port "helper" -- */

static void helped_consume(void *self, double seconds, sidl_BaseInterface *_ex)
{
    struct part *p = self;
    portolan_ports_Work helper = part_get_work(p, "helper", _ex);

    SIDL_CHECK(*_ex);
    test_log_add(p->log, "Helped", "consume");
    portolan_ports_Work_consume(helper, seconds, _ex);
    SIDL_CHECK(*_ex);
EXIT:
    if (helper)
        part_drop_work(p, "helper", helper);
}

static void helped_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    worker_set_services(self, services, _ex);
    if (!*_ex)
        part_use(self, "helper", "portolan.ports.Work", _ex);
}

static const struct portolan_ports_Work__epv helped_work = {.f_consume = helped_consume};
static const struct gov_cca_Component__epv helped_component = {.f_setServices =
                                                                   helped_set_services};

PART_CLASS(test_Helped, "test.Helped", struct part, {&portolan_ports_Work__type, &helped_work},
           {&gov_cca_Component__type, &helped_component},
           {&gov_cca_ComponentRelease__type, &part_release_epv});

/* -- test.Fails: throws in setServices after it has begun -- */

static void fails_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    worker_set_services(self, services, _ex);
    SIDL_CHECK(*_ex);
    SIDL_THROW(*_ex, sidl_SIDLException, "licence server is down");
EXIT:;
}

static const struct gov_cca_Component__epv fails_component = {.f_setServices = fails_set_services};

PART_CLASS(test_Fails, "test.Fails", struct part, WORKER_FACETS(fails_component));

/* -- test.Lacking: has no port "work" at all; test.Liar: says its object is what it is not -- */

static void lacking_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    part_begin(self, services, _ex);
}

static void liar_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    part_begin(self, services, _ex);
    if (!*_ex)
        part_provide(self, "work", "gov.cca.ports.GoPort", _ex);
}

static const struct gov_cca_Component__epv lacking_component = {.f_setServices =
                                                                    lacking_set_services};
static const struct gov_cca_Component__epv liar_component = {.f_setServices = liar_set_services};

PART_CLASS(test_Lacking, "test.Lacking", struct part, WORKER_FACETS(lacking_component));
PART_CLASS(test_Liar, "test.Liar", struct part, WORKER_FACETS(liar_component));

/* -- descriptors that must be refused -- */

PORTOLAN_API extern const struct portolan_component portolan_component_test_OldAbi;
const struct portolan_component portolan_component_test_OldAbi = {
    sizeof(struct portolan_component), 99, "test.OldAbi", test_Worker_create, NULL};

PORTOLAN_API extern const struct portolan_component portolan_component_test_Misnamed;
const struct portolan_component portolan_component_test_Misnamed = {
    sizeof(struct portolan_component), PORTOLAN_COMPONENT_ABI, "test.Worker", test_Worker_create,
    NULL};
