/* SPDX-License-Identifier: BSD-3-Clause */
#include "params.h"

static void find_factory(struct world *w, struct params *p)
{
    gov_cca_Port port;

    if (!part_find("owner"))
        make(w, "owner");
    gov_cca_Services_registerUsesPort(services_of("owner"), "factory",
                                      "gov.cca.ports.ParameterPortFactory", NULL, &w->ex);
    good(w);
    port = get(w, "owner", "factory");
    p->factory = gov_cca_ports_ParameterPortFactory__cast(port, &w->ex);
    good(w);
    assert_non_null(p->factory);
    world_keep(w, p->factory);
}

static void release_factory(struct part *part, gov_cca_Services services, void *arg,
                            sidl_BaseInterface *_ex)
{
    (void)arg;
    if (!strcmp(part->name, "owner"))
        gov_cca_Services_releasePort(services, "factory", _ex);
}

void params_begin(struct world *w, struct params *p, gov_cca_TypeMap map, const char *port)
{
    behaviour.end = release_factory;
    p->port = NULL;
    if (!p->factory)
        find_factory(w, p);
    p->map = map ? map : gov_cca_Services_createTypeMap(services_of("owner"), &w->ex);
    good(w);
    if (map)
        gov_cca_TypeMap_addRef(map, &w->ex); /* an inout argument is given away */
    F(initParameterData)(p->factory, &p->map, port, &w->ex);
    good(w);
    assert_non_null(p->map);
    world_keep(w, p->map);
}

void params_publish(struct world *w, struct params *p, const char *port)
{
    gov_cca_Port got;

    F(addParameterPort)(p->factory, p->map, services_of("owner"), &w->ex);
    good(w);
    gov_cca_Services_registerUsesPort(w->services, port, "gov.cca.ports.ParameterPort", NULL,
                                      &w->ex);
    good(w);
    join(w, "program", port, "owner", port);
    got = world_hold(w, port);
    p->port = gov_cca_ports_ParameterPort__cast(got, &w->ex);
    good(w);
    assert_non_null(p->port);
    world_keep(w, p->port);
}

void params_define(struct world *w, struct params *p)
{
    params_begin(w, p, NULL, "CONFIG");
    F(setBatchTitle)(p->factory, p->map, "A title", &w->ex);
    F(setGroupName)(p->factory, p->map, "numbers", &w->ex);
    good(w);
    F(addRequestInt)(p->factory, p->map, "i", "i help", "i?", 5, 0, 10, &w->ex);
    good(w);
    F(addRequestLong)(p->factory, p->map, "l", "l help", "l?", 5, 0, 10, &w->ex);
    good(w);
    F(addRequestFloat)(p->factory, p->map, "f", "f help", "f?", 5, 0, 10, &w->ex);
    good(w);
    F(addRequestDouble)(p->factory, p->map, "d", "d help", "d?", 5, 0, 10, &w->ex);
    good(w);
    F(setGroupNameAndTitle)(p->factory, p->map, "words", "All the words", &w->ex);
    good(w);
    F(addRequestBoolean)(p->factory, p->map, "b", "b help", "b?", TRUE, &w->ex);
    good(w);
    F(addRequestString)(p->factory, p->map, "s", "s help", "s?", "red", &w->ex);
    good(w);
}

void params_usual(struct world *w, struct params *p)
{
    params_define(w, p);
    params_publish(w, p, "CONFIG");
}

void params_write_int(struct world *w, struct params *p, const char *key, int32_t value)
{
    P(writeConfigurationMap)(p->port, map_with_int(w, key, value), &w->ex);
}

void params_write_string(struct world *w, struct params *p, const char *key, const char *value)
{
    P(writeConfigurationMap)(p->port, map_with_string(w, key, value), &w->ex);
}
