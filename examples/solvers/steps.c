/* SPDX-License-Identifier: BSD-3-Clause */
#include "steps.h"

#include <math.h>

#include "heat_agree.h"

/* The port as TYPE, a reference of the caller's; NULL when it is not connected. */
static void *get_port(gov_cca_Services services, const char *name, const char *type,
                      sidl_BaseInterface *_ex)
{
    gov_cca_Port port = gov_cca_Services_getPortNonblocking(services, name, _ex);
    sidl_BaseInterface ignored;
    void *cast;

    if (*_ex || !port)
        return NULL;
    cast = sidl_reference_cast(port, type, _ex);
    gov_cca_Port_deleteRef(port, &ignored);
    return cast;
}

static void release_port(gov_cca_Services services, const char *name, void *port)
{
    sidl_BaseInterface ignored = NULL;

    if (!port)
        return;
    sidl_reference_delete(port, &ignored);
    gov_cca_Services_releasePort(services, name, &ignored);
    SIDL_CLEAR(ignored);
}

static void get_ports(struct steps *s, sidl_BaseInterface *_ex)
{
    s->port = get_port(s->services, s->kind->port, s->kind->type, _ex);
    SIDL_CHECK(*_ex);
    if (!s->port)
        portolan_throw(_ex, PORTOLAN_EPORTNOTCONNECTED, "nothing is connected to \"%s\"",
                       s->kind->port);
    SIDL_CHECK(*_ex);
    s->swap = get_port(s->services, "swap", "portolan.ports.SwapPoint", _ex);
EXIT:;
}

static enum portolan_status configure(struct steps *s, struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL, ignored;
    gov_cca_TypeMap properties = portolan_component_properties(s->services, &ex);
    enum portolan_status status = PORTOLAN_OK;

    SIDL_CHECK(ex);
    s->n_steps = gov_cca_TypeMap_getInt(properties, "steps", 1, &ex);
    SIDL_CHECK(ex);
    s->tolerance = gov_cca_TypeMap_getDouble(properties, "tolerance", INFINITY, &ex);
    SIDL_CHECK(ex);
    status = s->kind->prepare(s, properties, err);
    if (!status)
        get_ports(s, &ex);
EXIT:
    if (properties)
        gov_cca_TypeMap_deleteRef(properties, &ignored);
    return ex ? portolan_catch(&ex, err) : status;
}

/* Collective. Before step STEP, whose calls will have these contexts. */
static enum portolan_status reached(struct steps *s, int step, struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;

    if (!s->swap)
        return PORTOLAN_OK;
    for (int i = 0; i < STEPS_CONTEXTS && s->contexts[i].name && step < s->n_steps; i++) {
        portolan_ports_SwapPoint_announce(s->swap, s->contexts[i].name, s->contexts[i].value, &ex);
        SIDL_CHECK(ex);
    }
    portolan_ports_SwapPoint_reached(s->swap, step, &ex);
EXIT:
    return heat_agree(MPI_COMM_WORLD, portolan_catch(&ex, err), err);
}

/* Collective. Whether another implementation came in, so that the step is worth repeating. */
static bool worth_repeating(struct steps *s, int step, const char *why)
{
    sidl_BaseInterface ex = NULL;
    int mine = 0, all = 0;

    if (s->swap)
        mine = portolan_ports_SwapPoint_failed(s->swap, step, why, &ex) && !ex;
    SIDL_CLEAR(ex); /* what made the step fail is the better cause */
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return all;
}

/* Collective. The step once; its accuracy is the worst of all ranks'. */
static enum portolan_status try_step(struct steps *s, struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    double mine = s->kind->step(s, s->port, &ex);
    enum portolan_status status = heat_agree(MPI_COMM_WORLD, portolan_catch(&ex, err), err);

    if (!status)
        MPI_Allreduce(&mine, &s->accuracy, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return status;
}

/* A result that is not accurate enough, with nothing better left, is one: it is told at the end. */
static enum portolan_status do_step(struct steps *s, int step, struct portolan_error *err)
{
    for (;;) {
        struct portolan_error why = {0};
        enum portolan_status status = try_step(s, &why);

        if (!status && s->accuracy <= s->tolerance)
            return PORTOLAN_OK;
        if (!status)
            portolan_error_set(&why, PORTOLAN_ECOMPONENT, "its accuracy is %.1e, wanted was %.1e",
                               s->accuracy, s->tolerance);
        portolan_error_prefix(&why, "step %d", step);
        if (!worth_repeating(s, step, why.text))
            return status ? portolan_error_set(err, status, "%s", why.text) : PORTOLAN_OK;
    }
}

static void report_end(const struct steps *s)
{
    bool missed = s->accuracy > s->tolerance;
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        portolan_log(missed ? PORTOLAN_LOG_WARNING : PORTOLAN_LOG_NOTICE, s->kind->cls.name,
                     "%d steps done, accuracy %.1e%s", s->n_steps, s->accuracy,
                     missed ? ": the results are wrong" : "");
}

static enum portolan_status run(struct steps *s, struct portolan_error *err)
{
    enum portolan_status status = heat_agree(MPI_COMM_WORLD, configure(s, err), err);

    for (int step = 0; !status && step < s->n_steps; step++) {
        status = reached(s, step, err);
        if (!status)
            status = do_step(s, step, err);
    }
    if (!status)
        status = reached(s, s->n_steps, err);
    if (!status)
        report_end(s);
    return status;
}

/* -- the component --------------------------------------------------------------------------- */

static int32_t driver_go(void *self, sidl_BaseInterface *_ex)
{
    struct steps *s = self;
    struct portolan_error err = {0};
    int ready = 0;

    MPI_Initialized(&ready);
    if (!ready)
        portolan_error_set(&err, PORTOLAN_ECOMPONENT,
                           "it needs MPI: start with mpiexec -n 1 portolan run ...");
    else if (run(s, &err))
        portolan_error_prefix(&err, "%s", s->kind->cls.name);
    s->kind->finish(s);
    release_port(s->services, s->kind->port, s->port);
    release_port(s->services, "swap", s->swap);
    s->port = NULL;
    s->swap = NULL;
    if (err.status)
        portolan_throw(_ex, err.status, "%s", err.text);
    return err.status ? -1 : 0;
}

static void driver_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct steps *s = self;

    s->services = services;
    gov_cca_Services_addRef(services, _ex);
    gov_cca_Services_registerForRelease(services,
                                        sidl_object_facet(self, "gov.cca.ComponentRelease"), _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_registerUsesPort(services, s->kind->port, s->kind->type, NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_registerUsesPort(services, "swap", "portolan.ports.SwapPoint", NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(self, "gov.cca.Port"), "go",
                                     "gov.cca.ports.GoPort", NULL, _ex);
EXIT:;
}

static void driver_release_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct steps *s = self;

    (void)services;
    gov_cca_Services_deleteRef(s->services, _ex);
    s->services = NULL;
}

static const struct gov_cca_Component__epv component_epv = {.f_setServices = driver_set_services};
static const struct gov_cca_ComponentRelease__epv release_epv = {.f_releaseServices =
                                                                     driver_release_services};
static const struct gov_cca_ports_GoPort__epv go_epv = {.f_go = driver_go};

const struct sidl_implements steps_implements[3] = {
    {&gov_cca_Component__type, &component_epv},
    {&gov_cca_ComponentRelease__type, &release_epv},
    {&gov_cca_ports_GoPort__type, &go_epv},
};

gov_cca_Component steps_create(const struct steps_kind *kind, sidl_BaseInterface *_ex)
{
    struct steps *s = sidl_object_create(&kind->cls, _ex);

    if (!s)
        return NULL;
    s->kind = kind;
    return sidl_object_facet(s, "gov.cca.Component");
}
