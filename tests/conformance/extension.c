/* SPDX-License-Identifier: BSD-3-Clause */
/* Portolan's own group: portolan.ports.Builder, Rebindable, ForeignPort. */
#include "portolan_parts.h"
#include "world.h"

#define X(METHOD) portolan_ports_Builder_##METHOD

static portolan_ports_Builder extension(struct world *w)
{
    portolan_ports_Builder x;
    gov_cca_Port port;

    gov_cca_Services_registerUsesPort(w->services, "extension", "portolan.ports.Builder", NULL,
                                      &w->ex);
    good(w);
    port = world_hold(w, "extension");
    x = portolan_ports_Builder__cast(port, &w->ex);
    good(w);
    assert_non_null(x);
    return world_keep(w, x);
}

static void make_worker(struct world *w, const char *name)
{
    world_keep(w, gov_cca_ports_BuilderService_createInstance(w->builder, name, "suite.Worker",
                                                              NULL, &w->ex));
    good(w);
}

/* user.in, provided by the suite.Worker "worker" as out. */
static gov_cca_ConnectionID make_line(struct world *w)
{
    proxy_refuses = false;
    make(w, "user");
    uses(w, "user", "in");
    make_worker(w, "worker");
    return join(w, "user", "in", "worker", "out");
}

static void user_goes(struct world *w, const char *expected)
{
    gov_cca_Port port = get(w, "user", "in");

    journal[0] = '\0';
    call_go(w, port);
    release(w, "user", "in");
    expect_journal(expected);
}

static void add_out(struct part *p, gov_cca_Services services, void *arg, sidl_BaseInterface *_ex)
{
    gov_cca_Port go = go_create(p->class_name, 0, _ex);

    (void)arg;
    if (!*_ex)
        gov_cca_Services_addProvidesPort(services, go, "out", GO_TYPE, NULL, _ex);
    drop(go);
}

static void class_is(struct world *w, portolan_ports_Builder x, const char *instance,
                     const char *class_name)
{
    same_text(X(getClassName)(x, instance, &w->ex), class_name);
    good(w);
}

SENTENCE(XB_01, "Builder is a service port of every framework")
{
    assert_true(portolan_ports_Builder_isType(extension(w), "gov.cca.Port", &w->ex));
}

/* -- replace -- */

SENTENCE(XB_02,
         "replace puts a new instance of another class in the place of the old one, under its name")
{
    portolan_ports_Builder x = extension(w);

    make(w, "a");
    journal[0] = '\0';
    X(replace)(x, "a", "suite.Other", NULL, &w->ex);
    good(w);
    assert_non_null(strstr(journal, "a:set "));
    assert_non_null(strstr(journal, "a:release a:destroy "));
    assert_string_equal(part_find("a")->class_name, "suite.Other");
    same_text(gov_cca_ComponentID_getInstanceName(id_of(w, "a"), &w->ex), "a");
}

SENTENCE(XB_03,
         "replace keeps the connections in which the instance is the provider, and their IDs")
{
    portolan_ports_Builder x = extension(w);
    gov_cca_ConnectionID c = make_line(w);

    behaviour.begin = add_out;
    X(replace)(x, "worker", "suite.Other", NULL, &w->ex);
    good(w);
    user_goes(w, "suite.Other ");
    same_text(gov_cca_ConnectionID_getProviderPortName(c, &w->ex), "out");
    good(w);
}

SENTENCE(XB_04, "replace keeps the connections in which the instance is the user")
{
    portolan_ports_Builder x = extension(w);
    gov_cca_ConnectionID c;

    make_worker(w, "first");
    make_line(w);
    c = join(w, "worker", "in", "first", "out");
    X(replace)(x, "worker", "suite.Worker", NULL, &w->ex);
    good(w);
    same_text(gov_cca_ConnectionID_getUserPortName(c, &w->ex), "in");
    good(w);
    user_goes(w, "work ");
}

static int n_connections(struct world *w, const char *instance)
{
    struct gov_cca_ComponentID__array *list = gov_cca_ComponentID__array_create1d(1);
    struct gov_cca_ConnectionID__array *found;
    int n;

    gov_cca_ComponentID__array_set1(list, 0, id_of(w, instance));
    found = gov_cca_ports_BuilderService_getConnectionIDs(w->builder, list, &w->ex);
    gov_cca_ComponentID__array_deleteRef(list);
    good(w);
    n = gov_cca_ConnectionID__array_length(found, 0);
    gov_cca_ConnectionID__array_deleteRef(found);
    return n;
}

SENTENCE(XB_05,
         "a connection whose uses port the new class lacks sleeps until a class has it again")
{
    portolan_ports_Builder x = extension(w);

    make_line(w);
    make_worker(w, "first");
    join(w, "worker", "in", "first", "out");
    behaviour.begin = add_out; /* suite.Other has no "in" */
    X(replace)(x, "worker", "suite.Other", NULL, &w->ex);
    good(w);
    assert_int_equal(n_connections(w, "first"), 0);
    X(replace)(x, "worker", "suite.Worker", NULL, &w->ex);
    good(w);
    assert_int_equal(n_connections(w, "first"), 1);
}

SENTENCE(XB_06, "replace hands the properties to the new instance")
{
    portolan_ports_Builder x = extension(w);
    gov_cca_TypeMap map;

    make(w, "a");
    X(replace)(x, "a", "suite.Other", map_with_int(w, "n", 3), &w->ex);
    good(w);
    map = world_keep(
        w, gov_cca_ports_BuilderService_getComponentProperties(w->builder, id_of(w, "a"), &w->ex));
    good(w);
    assert_int_equal(gov_cca_TypeMap_getInt(map, "n", 0, &w->ex), 3);
}

SENTENCE(
    XB_08,
    "a user that holds the port must be Rebindable, else replace throws UsesPortNotReleased and "
    "the old instance stays")
{
    portolan_ports_Builder x = extension(w);
    gov_cca_Port port;

    make_line(w);
    port = get(w, "user", "in");
    behaviour.begin = add_out;
    X(replace)(x, "worker", "suite.Other", NULL, &w->ex);
    refused(w, UsesPortNotReleased);
    journal[0] = '\0';
    call_go(w, port);
    expect_journal("work ");
    release(w, "user", "in");
    class_is(w, x, "worker", "suite.Worker");
}

SENTENCE(XB_09, "behind a Rebindable proxy an instance is replaced while its user holds the port")
{
    portolan_ports_Builder x = extension(w);
    gov_cca_ConnectionID c = make_line(w);
    gov_cca_Port port;

    world_keep(w, X(interpose)(x, c, "suite.Proxy", &w->ex));
    good(w);
    port = get(w, "user", "in");
    behaviour.begin = add_out;
    X(replace)(x, "worker", "suite.Other", NULL, &w->ex);
    good(w);
    journal[0] = '\0';
    call_go(w, port);
    expect_journal("proxy suite.Other ");
    release(w, "user", "in");
}

static void stays(struct world *w, portolan_ports_Builder x)
{
    refused_somehow(w);
    class_is(w, x, "worker", "suite.Worker");
    user_goes(w, "work ");
}

SENTENCE(XB_10, "when the class is unknown, replace throws and the old instance stays")
{
    portolan_ports_Builder x = extension(w);

    make_line(w);
    X(replace)(x, "worker", "suite.NoSuchClass", NULL, &w->ex);
    stays(w, x);
}

SENTENCE(XB_11,
         "when setServices of the new instance throws, replace throws and the old instance stays")
{
    portolan_ports_Builder x = extension(w);

    make_line(w);
    X(replace)(x, "worker", "suite.Fails", NULL, &w->ex);
    stays(w, x);
}

SENTENCE(XB_12,
         "when the new class lacks a connected port, replace throws and the old instance stays")
{
    portolan_ports_Builder x = extension(w);

    make_line(w);
    X(replace)(x, "worker", "suite.Other", NULL, &w->ex);
    stays(w, x);
}

SENTENCE(XB_13, "when a user cannot be moved, replace throws and the old instance stays")
{
    portolan_ports_Builder x = extension(w);
    gov_cca_ConnectionID c = make_line(w);

    world_keep(w, X(interpose)(x, c, "suite.Proxy", &w->ex));
    good(w);
    proxy_refuses = true;
    behaviour.begin = add_out;
    X(replace)(x, "worker", "suite.Other", NULL, &w->ex);
    proxy_refuses = false;
    refused_somehow(w);
    class_is(w, x, "worker", "suite.Worker");
    user_goes(w, "proxy work ");
}

/* -- interpose -- */

SENTENCE(
    XB_14,
    "interpose puts an instance of a proxy class between the ends of a connection, and returns "
    "its ID")
{
    portolan_ports_Builder x = extension(w);
    gov_cca_ComponentID proxy, provider;
    gov_cca_ConnectionID c = make_line(w);

    proxy = world_keep(w, X(interpose)(x, c, "suite.Proxy", &w->ex));
    good(w);
    provider = world_keep(w, gov_cca_ConnectionID_getProvider(c, &w->ex));
    assert_true(same_object(proxy, provider));
    user_goes(w, "proxy work ");
}

static void alone(struct world *w, int n)
{
    struct gov_cca_ComponentID__array *ids =
        gov_cca_ports_BuilderService_getComponentIDs(w->builder, &w->ex);

    good(w);
    assert_int_equal(gov_cca_ComponentID__array_length(ids, 0), n);
    gov_cca_ComponentID__array_deleteRef(ids);
    user_goes(w, "work ");
}

SENTENCE(
    XB_15,
    "interpose throws for a class without the ports \"provide\" and \"use\", and leaves nothing "
    "behind")
{
    portolan_ports_Builder x = extension(w);
    gov_cca_ConnectionID c = make_line(w);

    assert_null(X(interpose)(x, c, "suite.Worker", &w->ex));
    refused_somehow(w);
    alone(w, 3);
}

SENTENCE(XB_16, "interpose throws UsesPortNotReleased while the user holds the port")
{
    portolan_ports_Builder x = extension(w);
    gov_cca_ConnectionID c = make_line(w);

    get(w, "user", "in");
    assert_null(X(interpose)(x, c, "suite.Proxy", &w->ex));
    refused(w, UsesPortNotReleased);
    release(w, "user", "in");
    alone(w, 3);
}

SENTENCE(XB_17, "interpose throws for a connection that is not valid any more")
{
    portolan_ports_Builder x = extension(w);
    gov_cca_ConnectionID c = make_line(w);

    gov_cca_ports_BuilderService_disconnect(w->builder, c, 0, &w->ex);
    good(w);
    assert_null(X(interpose)(x, c, "suite.Proxy", &w->ex));
    refused_somehow(w);
}

/* -- questions -- */

SENTENCE(XB_18, "getProviders has the classes that provide a port of the type, proxies left out")
{
    portolan_ports_Builder x = extension(w);

    same_names(X(getProviders)(x, GO_TYPE, &w->ex), "suite.Worker ");
    same_names(X(getProviders)(x, "no.such.Type", &w->ex), "");
    good(w);
}

SENTENCE(XB_19, "getProxies has the proxies for the type")
{
    portolan_ports_Builder x = extension(w);

    same_names(X(getProxies)(x, GO_TYPE, &w->ex), "suite.Proxy ");
    same_names(X(getProxies)(x, "no.such.Type", &w->ex), "");
    good(w);
}

SENTENCE(XB_20, "getClassName is the class of which an instance is at present")
{
    portolan_ports_Builder x = extension(w);

    make(w, "a");
    class_is(w, x, "a", PART);
    X(replace)(x, "a", "suite.Other", NULL, &w->ex);
    class_is(w, x, "a", "suite.Other");
    class_is(w, x, "program", "suite.Program");
}

SENTENCE(XB_21, "getClassName throws when there is no such instance")
{
    assert_null(X(getClassName)(extension(w), "nobody", &w->ex));
    refused_somehow(w);
}

/* -- Rebindable -- */

SENTENCE(
    RB_01,
    "rebind is called for a connected uses port, with the provider, its port and class, and the "
    "user that the proxy stands in for")
{
    portolan_ports_Builder x = extension(w);
    gov_cca_ConnectionID c = make_line(w);

    journal[0] = '\0';
    world_keep(w, X(interpose)(x, c, "suite.Proxy", &w->ex));
    good(w);
    expect_journal("use:worker.out/suite.Worker,user.in ");
}

SENTENCE(RB_02, "rebind is called when the provider is replaced")
{
    portolan_ports_Builder x = extension(w);
    gov_cca_ConnectionID c = make_line(w);

    world_keep(w, X(interpose)(x, c, "suite.Proxy", &w->ex));
    good(w);
    behaviour.begin = add_out;
    journal[0] = '\0';
    X(replace)(x, "worker", "suite.Other", NULL, &w->ex);
    good(w);
    assert_non_null(strstr(journal, "use:worker.out/suite.Other,user.in "));
}

SENTENCE(RB_03, "rebind with a null port disconnects")
{
    portolan_ports_Builder x = extension(w);
    gov_cca_ComponentID proxy;
    gov_cca_ConnectionID c = make_line(w);

    proxy = world_keep(w, X(interpose)(x, c, "suite.Proxy", &w->ex));
    good(w);
    journal[0] = '\0';
    gov_cca_ports_BuilderService_disconnectAll(w->builder, proxy, id_of(w, "worker"), 0, &w->ex);
    good(w);
    expect_journal("use:null ");
}

/* -- ForeignPort -- */

SENTENCE(FP_01,
         "getPointer is the C object that the provider has given, getTypeName the name of its type")
{
    int thing = 3;
    portolan_ForeignPort foreign;
    gov_cca_Port port = portolan_foreign_create(&thing, "some.Thing", &w->ex);

    good(w);
    make(w, "user");
    make(w, "provider");
    gov_cca_Services_registerUsesPort(services_of("user"), "in", "some.Thing", NULL, &w->ex);
    good(w);
    gov_cca_Services_addProvidesPort(services_of("provider"), port, "out", "some.Thing", NULL,
                                     &w->ex);
    drop(port);
    good(w);
    join(w, "user", "in", "provider", "out");
    foreign = world_keep(w, portolan_ForeignPort__cast(get(w, "user", "in"), &w->ex));
    good(w);
    assert_ptr_equal(portolan_ForeignPort_getPointer(foreign, &w->ex), &thing);
    same_text(portolan_ForeignPort_getTypeName(foreign, &w->ex), "some.Thing");
    release(w, "user", "in");
}

static const struct conformance_sentence sentences[] = {
    TESTED(XB_01),
    TESTED(XB_02),
    TESTED(XB_03),
    TESTED(XB_04),
    TESTED(XB_05),
    TESTED(XB_06),
    ELSEWHERE(XB_07, "null properties: those that the assembly gives the class as an alternative",
              "framework/test/test_replace.c "
              "an_alternative_gets_the_parameters_that_the_assembly_gives_it"),
    TESTED(XB_08),
    TESTED(XB_09),
    TESTED(XB_10),
    TESTED(XB_11),
    TESTED(XB_12),
    TESTED(XB_13),
    TESTED(XB_14),
    TESTED(XB_15),
    TESTED(XB_16),
    TESTED(XB_17),
    TESTED(XB_18),
    TESTED(XB_19),
    TESTED(XB_20),
    TESTED(XB_21),
    ELSEWHERE(XB_22, "state goes over where both sides provide a Stateful of the same type",
              "framework/test/test_state.c state_goes_over_there_and_back"),
    ELSEWHERE(XB_23,
              "replace throws when state would be lost that calls have made, and "
              "getObstacle tells before",
              "framework/test/test_state.c "
              "what_is_kept_is_not_lost_once_there_were_calls"),
    TESTED(RB_01),
    TESTED(RB_02),
    TESTED(RB_03),
    ELSEWHERE(RB_04, "when rebind returns, no thread is inside the former provider any more",
              "probe/test/test_retarget.c a_busy_target_times_out_and_stays"),
    ELSEWHERE(RB_05,
              "replace is collective: when it fails on one rank, all put the old instance back",
              "framework/test/test_ranks.c "
              "a_replacement_that_fails_on_one_rank_is_put_back_on_all"),
    TESTED(FP_01),
};
/* Proposed to the CCA Forum, not voted on. */
#define SERVICE_TEST "mpi/test/test_service.c every_component_has_communicators_of_its_own"
#define SETUP_TEST   "mpi/test/test_service.c a_program_sets_the_service_up_on_its_own_communicator"

static const struct conformance_sentence mpi_sentences[] = {
    ELSEWHERE(MS_01, "getComm: a communicator with the scope of the component, never MPI_COMM_NULL",
              SERVICE_TEST),
    ELSEWHERE(MS_02, "the communicator of getComm is private to the one that asked", SERVICE_TEST),
    ELSEWHERE(MS_03, "releaseComm lets go of a communicator of getComm, and throws for another one",
              SERVICE_TEST),
    ELSEWHERE(MS_04, "getSizeRank tells size and rank in that scope", SERVICE_TEST),
    ELSEWHERE(MS_05, "communicators that a component leaves are freed when it goes",
              "mpi/test/test_service.c communicators_end_with_their_component"),
    ELSEWHERE(MS_06, "MPISetup.isInitialized: whether initAsService was called, and finalize not",
              SETUP_TEST),
    ELSEWHERE(MS_07,
              "MPISetup.initAsService offers MPIService on a duplicate of a communicator; once",
              SETUP_TEST),
    ELSEWHERE(MS_08, "MPISetup.finalize ends the service", SETUP_TEST),
    NOT_COVERED(MS_09, "getComm throws a CCAException where MPI is not present",
                "Portolan offers no MPIService then"),
};
GROUP(mpi, "MPIService, MPISetup (proposed; two ranks)", mpi_sentences);

GROUP(extension, "portolan.ports.Builder, Rebindable, ForeignPort (Portolan's extension)",
      sentences);
