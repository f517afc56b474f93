/* SPDX-License-Identifier: BSD-3-Clause */
#include "portolan_parts.h"

#include "parts.h"

bool proxy_refuses;

struct port_part {
    struct sidl_object object;
    gov_cca_ports_GoPort behind; /* a proxy's; ours */
};

static void part_destroy(void *self)
{
    gov_cca_ports_GoPort_deleteRef(((struct port_part *)self)->behind, NULL);
    parts_alive--;
}

static void set_services(void *self, gov_cca_Services services, const char *provides,
                         const char *uses, sidl_BaseInterface *_ex)
{
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(self, "gov.cca.Port"), provides,
                                     "gov.cca.ports.GoPort", NULL, _ex);
    if (!*_ex)
        gov_cca_Services_registerUsesPort(services, uses, "gov.cca.ports.GoPort", NULL, _ex);
}

static void worker_setServices(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    set_services(self, services, "out", "in", _ex);
}

static int32_t worker_go(void *self, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    journal_add("work");
    return 0;
}

static void proxy_setServices(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    set_services(self, services, "provide", "use", _ex);
}

static int32_t proxy_go(void *self, sidl_BaseInterface *_ex)
{
    journal_add("proxy");
    return gov_cca_ports_GoPort_go(((struct port_part *)self)->behind, _ex);
}

static void proxy_rebind(void *self, const char *uses, gov_cca_Port port, const char *instance,
                         const char *provided, const char *implementation, const char *user,
                         const char *user_port, sidl_BaseInterface *_ex)
{
    struct port_part *p = self;

    if (proxy_refuses && port) {
        portolan_throw(_ex, PORTOLAN_EUNSUPPORTED, "the proxy refuses");
        return;
    }
    if (port)
        journal_add("%s:%s.%s/%s,%s.%s", uses, instance, provided, implementation, user, user_port);
    else
        journal_add("%s:null", uses);
    gov_cca_ports_GoPort_deleteRef(p->behind, NULL);
    p->behind = gov_cca_ports_GoPort__cast(port, _ex);
}

static const struct gov_cca_Component__epv worker_component = {.f_setServices = worker_setServices};
static const struct gov_cca_ports_GoPort__epv worker_go_epv = {.f_go = worker_go};
static const struct sidl_implements worker_implements[] = {
    {&gov_cca_Component__type, &worker_component}, {&gov_cca_ports_GoPort__type, &worker_go_epv}};
static const struct sidl_class worker_class = {.name = "suite.Worker",
                                               .version = "1.0",
                                               .size = sizeof(struct port_part),
                                               .implements = worker_implements,
                                               .n_implements = 2,
                                               .destroy = part_destroy};

static const struct gov_cca_Component__epv proxy_component = {.f_setServices = proxy_setServices};
static const struct gov_cca_ports_GoPort__epv proxy_go_epv = {.f_go = proxy_go};
static const struct portolan_Rebindable__epv proxy_rebindable = {.f_rebind = proxy_rebind};
static const struct sidl_implements proxy_implements[] = {
    {&gov_cca_Component__type, &proxy_component},
    {&gov_cca_ports_GoPort__type, &proxy_go_epv},
    {&portolan_Rebindable__type, &proxy_rebindable}};
static const struct sidl_class proxy_class = {.name = "suite.Proxy",
                                              .version = "1.0",
                                              .size = sizeof(struct port_part),
                                              .implements = proxy_implements,
                                              .n_implements = 3,
                                              .destroy = part_destroy};

static gov_cca_Component create(const struct sidl_class *cls, sidl_BaseInterface *_ex)
{
    void *part = sidl_object_create(cls, _ex);

    parts_alive += part != NULL;
    return sidl_object_facet(part, "gov.cca.Component");
}

static gov_cca_Component worker_create(sidl_BaseInterface *_ex)
{
    return create(&worker_class, _ex);
}

static gov_cca_Component proxy_create(sidl_BaseInterface *_ex)
{
    return create(&proxy_class, _ex);
}

const struct portolan_part portolan_parts[] = {
    {"suite.Worker", worker_create, "",
     "<provides port='out' type='gov.cca.ports.GoPort'/>"
     "<uses port='in' type='gov.cca.ports.GoPort' optional='true'/>"},
    {"suite.Proxy", proxy_create, " proxy-for='gov.cca.ports.GoPort'",
     "<provides port='provide' type='gov.cca.ports.GoPort'/>"
     "<uses port='use' type='gov.cca.ports.GoPort'/>"},
};
const size_t portolan_n_parts = sizeof portolan_parts / sizeof *portolan_parts;
