/* SPDX-License-Identifier: BSD-3-Clause */
#include "part.h"

#include <stdlib.h>

void part_begin(struct part *p, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    gov_cca_ComponentID id;
    sidl_BaseInterface no_log = NULL;

    gov_cca_Services_addRef(services, NULL);
    p->services = services;
    id = gov_cca_Services_getComponentID(services, _ex);
    if (*_ex)
        return;
    p->name = gov_cca_ComponentID_getInstanceName(id, _ex);
    gov_cca_ComponentID_deleteRef(id, NULL);
    if (*_ex)
        return;
    part_use(p, "log", "portolan.TestLog", _ex);
    if (*_ex)
        return;
    p->log = portolan_foreign_get(services, "log", "portolan.TestLog", &no_log);
    SIDL_CLEAR(no_log);
    gov_cca_Services_registerForRelease(services, sidl_object_facet(p, "gov.cca.ComponentRelease"),
                                        _ex);
}

void part_release(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct part *p = self;

    test_log_add(p->log, p->name, "release");
    if (p->log)
        gov_cca_Services_releasePort(services, "log", _ex);
    gov_cca_Services_deleteRef(p->services, NULL);
    p->services = NULL;
}

void part_destroy(void *self)
{
    struct part *p = self;

    gov_cca_Services_deleteRef(p->services, NULL);
    sidl_String_free(p->name);
}

void part_provide(struct part *p, const char *port, const char *type, sidl_BaseInterface *_ex)
{
    gov_cca_Services_addProvidesPort(p->services, sidl_object_facet(p, "gov.cca.Port"), port, type,
                                     NULL, _ex);
}

void part_use(struct part *p, const char *port, const char *type, sidl_BaseInterface *_ex)
{
    gov_cca_Services_registerUsesPort(p->services, port, type, NULL, _ex);
}

portolan_ports_Work part_get_work(struct part *p, const char *port, sidl_BaseInterface *_ex)
{
    gov_cca_Port got = gov_cca_Services_getPort(p->services, port, _ex);
    portolan_ports_Work work;

    if (*_ex)
        return NULL;
    work = portolan_ports_Work__cast(got, _ex);
    gov_cca_Port_deleteRef(got, NULL);
    return work;
}

void part_drop_work(struct part *p, const char *port, portolan_ports_Work work)
{
    sidl_BaseInterface ex = NULL;

    portolan_ports_Work_deleteRef(work, NULL);
    gov_cca_Services_releasePort(p->services, port, &ex);
    SIDL_CLEAR(ex);
}
