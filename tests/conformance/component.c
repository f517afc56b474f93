/* SPDX-License-Identifier: BSD-3-Clause */
/* gov.cca.Component, ComponentRelease, ComponentID. */
#include "world.h"

static void destroy(struct world *w, const char *name)
{
    gov_cca_ports_BuilderService_destroyInstance(w->builder, id_of(w, name), 0, &w->ex);
    good(w);
}

/* -- Component -- */

SENTENCE(CO_01, "a component's life in the framework begins with setServices")
{
    make(w, "a");
    expect_journal("a:set ");
}

SENTENCE(CO_02, "setServices is called exactly once for each instance")
{
    struct part *a = make(w, "a"), *b = make(w, "b");

    provides(w, "a", "out");
    uses(w, "b", "in");
    join(w, "b", "in", "a", "out");
    gov_cca_ports_BuilderService_disconnectAll(w->builder, id_of(w, "a"), NULL, 0, &w->ex);
    good(w);
    assert_int_equal(a->n_set, 1);
    assert_int_equal(b->n_set, 1);
}

SENTENCE(CO_03, "the services of setServices are never null")
{
    assert_false(make(w, "a")->null_set);
}

static void fetch_service(struct part *p, gov_cca_Services services, void *arg,
                          sidl_BaseInterface *_ex)
{
    gov_cca_Port port;

    (void)arg;
    gov_cca_Services_registerUsesPort(services, "classes", "gov.cca.ports.ComponentRepository",
                                      NULL, _ex);
    SIDL_CHECK(*_ex);
    port = gov_cca_Services_getPort(services, "classes", _ex);
    SIDL_CHECK(*_ex);
    journal_add("%s:%s", p->name, port ? "fetched" : "null");
    drop(port);
    gov_cca_Services_releasePort(services, "classes", _ex);
EXIT:;
}

SENTENCE(CO_04,
         "uses ports that the framework connects by itself (service ports) can be fetched with "
         "getPort during setServices")
{
    behaviour.begin = fetch_service;
    make(w, "a");
    expect_journal("a:set a:fetched ");
}

SENTENCE(CO_05, "setServices may throw; createInstance then throws a CCAException")
{
    assert_null(
        gov_cca_ports_BuilderService_createInstance(w->builder, "a", "suite.Fails", NULL, &w->ex));
    refused_somehow(w);
    assert_null(gov_cca_ports_BuilderService_getComponentID(w->builder, "a", &w->ex));
    refused_somehow(w);
}

/* -- ComponentRelease -- */

SENTENCE(CR_01, "releaseServices tells a component that it is about to be destroyed")
{
    make(w, "a");
    make(w, "b");
    destroy(w, "a");
    expect_journal("a:set b:set a:release a:destroy ");
}

static int n_told;

static void count_release(struct part *p, gov_cca_Services services, void *arg,
                          sidl_BaseInterface *_ex)
{
    (void)services, (void)arg, (void)_ex;
    n_told = p->n_released;
    assert_false(p->null_released);
    assert_false(p->other_released);
}

SENTENCE(CR_02, "releaseServices is called exactly once for each callback that was registered")
{
    n_told = 0;
    behaviour.end = count_release;
    make_pair(w);
    destroy(w, "provider");
    assert_int_equal(n_told, 1);
    expect_journal("user:set provider:set provider:release provider:destroy ");
}

SENTENCE(CR_03, "the services of releaseServices are never null")
{
    n_told = 0;
    behaviour.end = count_release; /* looks */
    make(w, "a");
    destroy(w, "a");
    assert_int_equal(n_told, 1);
}

SENTENCE(CR_04, "the services of releaseServices are those of setServices")
{
    n_told = 0;
    behaviour.end = count_release; /* looks */
    make(w, "a");
    make(w, "b");
    destroy(w, "b");
    destroy(w, "a");
    assert_int_equal(n_told, 1);
}

static void release_in(struct part *p, gov_cca_Services services, void *arg,
                       sidl_BaseInterface *_ex)
{
    (void)arg;
    gov_cca_Services_releasePort(services, "in", _ex);
    if (!*_ex)
        journal_add("%s:released", p->name);
}

SENTENCE(CR_05, "during releaseServices a component releases the ports that it has fetched")
{
    gov_cca_Port port;

    make_pair(w);
    port = gov_cca_Services_getPort(services_of("user"), "in", &w->ex);
    good(w);
    drop(port);
    behaviour.end = release_in;
    destroy(w, "user");
    behaviour.end = NULL;
    expect_journal("user:set provider:set user:release user:released user:destroy ");
    destroy(w, "provider");
}

SENTENCE(CR_06, "during releaseServices a component drops its reference to the services")
{
    make(w, "a"); /* suite.Part does so */
    destroy(w, "a");
    assert_null(part_find("a"));
}

SENTENCE(CR_07, "after releaseServices the instance is not in the framework any more")
{
    gov_cca_ComponentID id;

    make(w, "a");
    id = id_of(w, "a");
    destroy(w, "a");
    assert_null(gov_cca_ports_BuilderService_getComponentID(w->builder, "a", &w->ex));
    refused_somehow(w);
    gov_cca_ports_BuilderService_getUsedPortNames(w->builder, id, &w->ex);
    refused_somehow(w);
}

SENTENCE(CR_08,
         "an instance that the framework has made is destroyed after releaseServices, not recycled")
{
    make(w, "a");
    destroy(w, "a");
    expect_journal("a:set a:release a:destroy ");
    make(w, "a");
    expect_journal("a:set ");
}

static void take_back_ports(struct part *p, gov_cca_Services services, void *arg,
                            sidl_BaseInterface *_ex)
{
    (void)arg;
    gov_cca_Services_unregisterUsesPort(services, "in", _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_removeProvidesPort(services, "out", _ex);
    SIDL_CHECK(*_ex);
    journal_add("%s:clean", p->name);
EXIT:;
}

SENTENCE(CR_11, "a component may unregister and remove its ports during releaseServices")
{
    behaviour.end = take_back_ports;
    make(w, "a");
    uses(w, "a", "in");
    provides(w, "a", "out");
    destroy(w, "a");
    expect_journal("a:set a:release a:clean a:destroy ");
}

/* -- ComponentID -- */

SENTENCE(CI_01, "getInstanceName is the name that createInstance was given")
{
    make(w, "a");
    same_text(gov_cca_ComponentID_getInstanceName(id_of(w, "a"), &w->ex), "a");
    good(w);
}

SENTENCE(CI_02, "getInstanceName is the name that getServices was given")
{
    gov_cca_ComponentID id = world_keep(w, gov_cca_Services_getComponentID(w->services, &w->ex));

    good(w);
    same_text(gov_cca_ComponentID_getInstanceName(id, &w->ex), "program");
}

SENTENCE(CI_03, "getInstanceName throws a CCAException when the ComponentID is invalid")
{
    gov_cca_ComponentID id;

    make(w, "a");
    id = id_of(w, "a");
    destroy(w, "a");
    assert_null(gov_cca_ComponentID_getInstanceName(id, &w->ex));
    refused_somehow(w);
}

SENTENCE(CI_04, "getSerialization is a text of the framework's own form")
{
    char *a, *b;

    make(w, "a");
    make(w, "b");
    a = gov_cca_ComponentID_getSerialization(id_of(w, "a"), &w->ex);
    good(w);
    b = gov_cca_ComponentID_getSerialization(id_of(w, "b"), &w->ex);
    good(w);
    assert_string_not_equal(a, b);
    sidl_String_free(a);
    sidl_String_free(b);
}

SENTENCE(CI_05, "getSerialization throws a CCAException when the ComponentID is invalid")
{
    gov_cca_ComponentID id;

    make(w, "a");
    id = id_of(w, "a");
    destroy(w, "a");
    assert_null(gov_cca_ComponentID_getSerialization(id, &w->ex));
    refused_somehow(w);
}

static const struct conformance_sentence sentences[] = {
    TESTED(CO_01),
    TESTED(CO_02),
    TESTED(CO_03),
    TESTED(CO_04),
    TESTED(CO_05),
    TESTED(CR_01),
    TESTED(CR_02),
    TESTED(CR_03),
    TESTED(CR_04),
    TESTED(CR_05),
    TESTED(CR_06),
    TESTED(CR_07),
    TESTED(CR_08),
    NOT_COVERED(CR_09, "ports of a destroyed instance that are stored elsewhere must not be used",
                "the behaviour is undefined"),
    NOT_COVERED(CR_10, "a component may wait during releaseServices",
                "a permission; nothing can fail"),
    TESTED(CR_11),
    TESTED(CI_01),
    TESTED(CI_02),
    TESTED(CI_03),
    TESTED(CI_04),
    TESTED(CI_05),
};
GROUP(component, "Component, ComponentRelease, ComponentID", sentences);
