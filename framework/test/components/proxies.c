/* SPDX-License-Identifier: BSD-3-Clause */
/* Proxies that log every rebind, a monitor, and proxies for GoPort. */
#include "part.h"

#include <stdio.h>
#include <string.h>

struct proxy {
    struct part part;
    gov_cca_Port behind; /* ours */
    portolan_ports_Work work;
    gov_cca_ports_GoPort go;
    bool is_suspended, was_called;
};

static void proxy_forget(struct proxy *p)
{
    gov_cca_Port_deleteRef(p->behind, NULL);
    portolan_ports_Work_deleteRef(p->work, NULL);
    gov_cca_ports_GoPort_deleteRef(p->go, NULL);
    p->behind = NULL;
    p->work = NULL;
    p->go = NULL;
}

static void proxy_rebind(void *self, const char *uses, gov_cca_Port port, const char *instance,
                         const char *provided, const char *implementation, const char *user,
                         const char *user_port, sidl_BaseInterface *_ex)
{
    struct proxy *p = self;
    char text[200];

    if (!strcmp(implementation, "test.Unwelcome")) {
        portolan_throw(_ex, PORTOLAN_EUNSUPPORTED, "%s is not welcome", implementation);
        return;
    }
    if (test_log_fails(p->part.log, "publish")) {
        portolan_throw(_ex, PORTOLAN_EIO, "no memory for a binding");
        return;
    }
    snprintf(text, sizeof text, "%s(%s.%s/%s,%s.%s)", uses, port ? instance : "-",
             port ? provided : "-", port ? implementation : "-", user, user_port);
    test_log_add(p->part.log, "rebind", text);
    if (strcmp(uses, "use"))
        return;
    proxy_forget(p);
    if (!port)
        return;
    gov_cca_Port_addRef(port, NULL);
    p->behind = port;
    p->work = portolan_ports_Work__cast(port, _ex);
    p->go = gov_cca_ports_GoPort__cast(port, _ex);
}

static void proxy_consume(void *self, double seconds, sidl_BaseInterface *_ex)
{
    struct proxy *p = self;

    test_log_add(p->part.log, p->is_suspended ? "suspended" : "proxy", "consume");
    p->was_called = true;
    if (p->work)
        portolan_ports_Work_consume(p->work, seconds, _ex);
    else
        portolan_throw(_ex, PORTOLAN_EPORTNOTCONNECTED, "nothing is behind the proxy");
}

static int32_t proxy_go(void *self, sidl_BaseInterface *_ex)
{
    struct proxy *p = self;

    test_log_add(p->part.log, "proxy", "go");
    return gov_cca_ports_GoPort_go(p->go, _ex);
}

static void set_services(struct part *p, gov_cca_Services services, const char *type,
                         sidl_BaseInterface *_ex)
{
    part_begin(p, services, _ex);
    SIDL_CHECK(*_ex);
    part_provide(p, "provide", type, _ex);
    SIDL_CHECK(*_ex);
    part_use(p, "use", type, _ex);
    SIDL_CHECK(*_ex);
    part_use(p, "monitor", "portolan.ports.Monitor", _ex);
    SIDL_CHECK(*_ex);
EXIT:;
}

static void work_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    set_services(self, services, "portolan.ports.Work", _ex);
}

static void go_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    set_services(self, services, "gov.cca.ports.GoPort", _ex);
}

static void proxy_release(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    proxy_forget(self);
    part_release(self, services, _ex);
}

static const struct portolan_ports_Work__epv proxy_work = {.f_consume = proxy_consume};
static const struct gov_cca_ports_GoPort__epv proxy_go_epv = {.f_go = proxy_go};
static void proxy_suspend(void *self, const char *uses, sidl_BaseInterface *_ex)
{
    (void)uses, (void)_ex;
    ((struct proxy *)self)->is_suspended = true;
}

static void proxy_resume(void *self, const char *uses, sidl_BaseInterface *_ex)
{
    (void)uses, (void)_ex;
    ((struct proxy *)self)->is_suspended = false;
}

static void proxy_drain(void *self, const char *uses, double seconds, sidl_BaseInterface *_ex)
{
    struct proxy *p = self;

    (void)uses, (void)seconds;
    if (p->part.log && p->part.log->inside > 0) {
        p->part.log->inside--;
        portolan_throw(_ex, PORTOLAN_ETIMEOUT, "thread 1 is still inside consume");
    }
}

static sidl_bool proxy_was_called(void *self, const char *uses, sidl_BaseInterface *_ex)
{
    (void)uses, (void)_ex;
    return ((struct proxy *)self)->was_called;
}

static const struct portolan_Suspendable__epv proxy_suspendable = {.f_rebind = proxy_rebind,
                                                                   .f_suspend = proxy_suspend,
                                                                   .f_resume = proxy_resume,
                                                                   .f_drain = proxy_drain,
                                                                   .f_wasCalled = proxy_was_called};
static const struct portolan_Rebindable__epv proxy_rebindable = {.f_rebind = proxy_rebind};
static const struct gov_cca_Component__epv work_component = {.f_setServices = work_set_services};
static const struct gov_cca_Component__epv go_component = {.f_setServices = go_set_services};
static const struct gov_cca_ComponentRelease__epv proxy_release_epv = {.f_releaseServices =
                                                                           proxy_release};

PART_CLASS(test_WorkProxy, "test.WorkProxy", struct proxy,
           {&portolan_ports_Work__type, &proxy_work},
           {&portolan_Suspendable__type, &proxy_suspendable},
           {&gov_cca_Component__type, &work_component},
           {&gov_cca_ComponentRelease__type, &proxy_release_epv});
PART_CLASS(test_GoProxy, "test.GoProxy", struct proxy, {&gov_cca_ports_GoPort__type, &proxy_go_epv},
           {&portolan_Rebindable__type, &proxy_rebindable},
           {&gov_cca_Component__type, &go_component},
           {&gov_cca_ComponentRelease__type, &proxy_release_epv});

/* -- test.Monitor -- */

static void monitor_probe(void *self, void *probe_port, sidl_BaseInterface *_ex)
{
    (void)self, (void)probe_port, (void)_ex;
}

static void monitor_metadata(void *self, const char *name, const char *value,
                             sidl_BaseInterface *_ex)
{
    (void)self, (void)name, (void)value, (void)_ex;
}

static void monitor_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    part_begin(self, services, _ex);
    if (!*_ex)
        part_provide(self, "monitor", "portolan.ports.Monitor", _ex);
}

static const struct portolan_ports_Monitor__epv monitor_epv = {
    .f_attach = monitor_probe,
    .f_detach = monitor_probe,
    .f_setMetadata = monitor_metadata,
};
static const struct gov_cca_Component__epv monitor_component = {.f_setServices =
                                                                    monitor_set_services};
static const struct gov_cca_ComponentRelease__epv monitor_release = {.f_releaseServices =
                                                                         part_release};

PART_CLASS(test_Monitor, "test.Monitor", struct part, {&portolan_ports_Monitor__type, &monitor_epv},
           {&gov_cca_Component__type, &monitor_component},
           {&gov_cca_ComponentRelease__type, &monitor_release});
