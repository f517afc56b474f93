/* SPDX-License-Identifier: BSD-3-Clause */
/* ComponentRepository, ComponentClassDescription, ServiceProvider, ServiceRegistry. */
#include "world.h"

#define SERVICE_TYPE GO_TYPE /* what the services here are ports of */

/* -- ComponentRepository, ComponentClassDescription -- */

static struct gov_cca_ComponentClassDescription__array *classes(struct world *w)
{
    gov_cca_Port port = world_service(w, "classes", "gov.cca.ports.ComponentRepository");
    gov_cca_ports_ComponentRepository r = gov_cca_ports_ComponentRepository__cast(port, &w->ex);
    struct gov_cca_ComponentClassDescription__array *all;

    drop(port);
    good(w);
    assert_non_null(r);
    all = gov_cca_ports_ComponentRepository_getAvailableComponentClasses(r, &w->ex);
    drop(r);
    good(w);
    assert_non_null(all);
    gov_cca_Services_releasePort(w->services, "classes", &w->ex);
    good(w);
    return all;
}

/* The names, in an array that the caller drops. */
static struct sidl_string__array *class_names(struct world *w)
{
    struct gov_cca_ComponentClassDescription__array *all = classes(w);
    int32_t n = gov_cca_ComponentClassDescription__array_length(all, 0);
    struct sidl_string__array *names = sidl_string__array_create1d(n);

    for (int32_t i = 0; i < n; i++) {
        gov_cca_ComponentClassDescription d = gov_cca_ComponentClassDescription__array_get1(
            all, gov_cca_ComponentClassDescription__array_lower(all, 0) + i);
        char *name = gov_cca_ComponentClassDescription_getComponentClassName(d, &w->ex);

        good(w);
        sidl_string__array_set1(names, i, name);
        sidl_String_free(name);
        drop(d);
    }
    gov_cca_ComponentClassDescription__array_deleteRef(all);
    return names;
}

SENTENCE(RP_01, "ComponentRepository is a port that the framework implements")
{
    gov_cca_Port port = world_service(w, "classes", "gov.cca.ports.ComponentRepository");

    world_keep(w, port);
    assert_true(gov_cca_Port_isType(port, "gov.cca.ports.ComponentRepository", &w->ex));
    gov_cca_Services_releasePort(w->services, "classes", &w->ex);
    good(w);
}

SENTENCE(RP_02, "getAvailableComponentClasses has the classes that can be instantiated at once")
{
    struct sidl_string__array *names = class_names(w);

    for (size_t i = 0; i < conformance_n_classes; i++)
        assert_true(has_name(names, conformance_classes[i].name));
    sidl_string__array_deleteRef(names);
}

SENTENCE(RP_03, "getAvailableComponentClasses has the classes of instances that exist already")
{
    struct sidl_string__array *names;

    make(w, "a");
    names = class_names(w);
    assert_true(has_name(names, part_find("a")->class_name));
    sidl_string__array_deleteRef(names);
}

SENTENCE(CC_01, "getComponentClassName is a name that createInstance takes")
{
    struct sidl_string__array *names = class_names(w);
    int32_t lower = sidl_string__array_lower(names, 0), upper = sidl_string__array_upper(names, 0);

    assert_true(upper >= lower);
    for (int32_t i = lower; i <= upper; i++) {
        char *name = sidl_string__array_get1(names, i);

        if (strcmp(name, "suite.Fails")) {
            world_keep(
                w, gov_cca_ports_BuilderService_createInstance(w->builder, "", name, NULL, &w->ex));
            good(w);
        }
        sidl_String_free(name);
    }
    sidl_string__array_deleteRef(names);
}

/* -- ServiceRegistry, ServiceProvider -- */

/* The ServiceRegistry of a component, which must be given back with put_registry. */
static gov_cca_ports_ServiceRegistry registry_of(struct world *w, const char *instance)
{
    gov_cca_ports_ServiceRegistry registry;
    gov_cca_Services s = services_of(instance);
    gov_cca_Port port = gov_cca_Services_getPortNonblocking(s, "registry", &w->ex);

    if (w->ex) {
        SIDL_CLEAR(w->ex);
        gov_cca_Services_registerUsesPort(s, "registry", "gov.cca.ports.ServiceRegistry", NULL,
                                          &w->ex);
        good(w);
        port = gov_cca_Services_getPort(s, "registry", &w->ex);
    }
    good(w);
    registry = gov_cca_ports_ServiceRegistry__cast(port, &w->ex);
    drop(port);
    good(w);
    assert_non_null(registry);
    return registry;
}

static void put_registry(struct world *w, const char *instance, gov_cca_ports_ServiceRegistry r)
{
    drop(r);
    release(w, instance, "registry");
}

/* INSTANCE offers to make services; whether it is going to be asked. */
static bool add_service(struct world *w, const char *instance)
{
    gov_cca_ports_ServiceRegistry r = registry_of(w, instance);
    gov_cca_ports_ServiceProvider provider = provider_create(services_of(instance), &w->ex);
    bool accepted;

    good(w);
    accepted = gov_cca_ports_ServiceRegistry_addService(r, SERVICE_TYPE, provider, &w->ex);
    drop(provider);
    good(w);
    put_registry(w, instance, r);
    return accepted;
}

static bool add_singleton(struct world *w, const char *instance, const char *word)
{
    gov_cca_ports_ServiceRegistry r = registry_of(w, instance);
    gov_cca_Port go = go_create(word, 0, &w->ex);
    bool accepted;

    good(w);
    accepted = gov_cca_ports_ServiceRegistry_addSingletonService(r, SERVICE_TYPE, go, &w->ex);
    drop(go);
    good(w);
    put_registry(w, instance, r);
    return accepted;
}

static void remove_service(struct world *w, const char *instance)
{
    gov_cca_ports_ServiceRegistry r = registry_of(w, instance);

    gov_cca_ports_ServiceRegistry_removeService(r, SERVICE_TYPE, &w->ex);
    good(w);
    put_registry(w, instance, r);
}

/* "server" makes services of SERVICE_TYPE; the journal is empty. */
static void make_server(struct world *w)
{
    make(w, "server");
    assert_true(add_service(w, "server"));
    journal[0] = '\0';
}

/* A new component with uses port "in" of the type; calls it. */
static void use_service(struct world *w, const char *name)
{
    make(w, name);
    uses(w, name, "in");
    call_go(w, get(w, name, "in"));
    release(w, name, "in");
}

SENTENCE(SP_01, "a component gets the ServiceRegistry with a uses port")
{
    gov_cca_ports_ServiceRegistry r;

    make(w, "server");
    r = registry_of(w, "server");
    put_registry(w, "server", r);
}

SENTENCE(SP_02,
         "with a ServiceProvider in the registry, createService is asked for the port when a "
         "component wants the service")
{
    make_server(w);
    use_service(w, "user");
    assert_non_null(strstr(journal, "create:service1 "));
}

SENTENCE(SP_03, "createService adds a provides port to its component, and returns its name")
{
    make_server(w);
    use_service(w, "user");
    same_names(
        gov_cca_ports_BuilderService_getProvidedPortNames(w->builder, id_of(w, "server"), &w->ex),
        "service1 ");
}

SENTENCE(SP_04, "the framework connects the component that serves to the one that asks")
{
    make_server(w);
    use_service(w, "user");
    assert_non_null(strstr(journal, " service1 ")); /* go() ran there */
}

SENTENCE(SP_05, "such a service is no singleton: each user has a port of its own")
{
    make_server(w);
    use_service(w, "one");
    use_service(w, "two");
    assert_non_null(strstr(journal, "create:service1 "));
    assert_non_null(strstr(journal, "create:service2 "));
    assert_non_null(strstr(journal, " service2 "));
}

SENTENCE(SP_06,
         "destroyService tells that a service is not needed any more, and its port can be removed")
{
    make_server(w);
    use_service(w, "user");
    gov_cca_Services_unregisterUsesPort(services_of("user"), "in", &w->ex);
    good(w);
    assert_non_null(strstr(journal, "destroy:service1 "));
    same_names(
        gov_cca_ports_BuilderService_getProvidedPortNames(w->builder, id_of(w, "server"), &w->ex),
        "");
    use_service(w, "other");
    gov_cca_ports_BuilderService_destroyInstance(w->builder, id_of(w, "other"), 0, &w->ex);
    good(w);
    assert_non_null(strstr(journal, "destroy:service2 "));
}

SENTENCE(SR_01, "ServiceRegistry is a port that the framework provides")
{
    gov_cca_Port port = world_keep(w, world_service(w, "r", "gov.cca.ports.ServiceRegistry"));

    assert_true(gov_cca_Port_isType(port, "gov.cca.ports.ServiceRegistry", &w->ex));
    gov_cca_Services_releasePort(w->services, "r", &w->ex);
    good(w);
}

SENTENCE(SR_02,
         "addService adds a provider that makes service ports for other components from then on; "
         "true means that it does")
{
    make(w, "server");
    assert_true(add_service(w, "server"));
    use_service(w, "user");
}

SENTENCE(SR_03,
         "addService is false when the provider is not going to work: another one does the job")
{
    make_server(w);
    make(w, "second");
    if (add_service(w, "second")) {
        use_service(w, "user"); /* then it has taken over */
        same_names(gov_cca_ports_BuilderService_getProvidedPortNames(w->builder, id_of(w, "second"),
                                                                     &w->ex),
                   "service1 ");
    } else {
        use_service(w, "user");
        same_names(gov_cca_ports_BuilderService_getProvidedPortNames(w->builder, id_of(w, "second"),
                                                                     &w->ex),
                   "");
    }
}

SENTENCE(SR_04, "addSingletonService adds one port that all users share")
{
    make(w, "server");
    assert_true(add_singleton(w, "server", "single"));
    journal[0] = '\0';
    use_service(w, "one");
    use_service(w, "two");
    expect_journal("one:set single two:set single ");
}

SENTENCE(SR_05, "after removeService the service is not used any more")
{
    make_server(w);
    remove_service(w, "server");
    make(w, "user");
    uses(w, "user", "in");
    assert_null(gov_cca_Services_getPortNonblocking(services_of("user"), "in", &w->ex));
    good(w);
    assert_null(strstr(journal, "create:"));
    assert_true(add_singleton(w, "server", "single"));
    remove_service(w, "server");
    make(w, "other");
    uses(w, "other", "in");
    assert_null(gov_cca_Services_getPortNonblocking(services_of("other"), "in", &w->ex));
    good(w);
}

static const struct conformance_sentence sentences[] = {
    TESTED(RP_01),
    TESTED(RP_02),
    TESTED(RP_03),
    NOT_COVERED(RP_04, "the repository may have operations to obtain more classes",
                "the interface has none"),
    TESTED(CC_01),
    NOT_COVERED(CC_02,
                "getComponentClassName throws a CCAException when the description is invalid",
                "the specification names nothing that makes one invalid"),
    TESTED(SP_01),
    TESTED(SP_02),
    TESTED(SP_03),
    TESTED(SP_04),
    TESTED(SP_05),
    TESTED(SP_06),
    TESTED(SR_01),
    TESTED(SR_02),
    TESTED(SR_03),
    TESTED(SR_04),
    TESTED(SR_05),
};
GROUP(registry, "ComponentRepository, ComponentClassDescription, ServiceProvider, ServiceRegistry",
      sentences);
