/* SPDX-License-Identifier: BSD-3-Clause */
#include "heat_component.h"

#include <stdlib.h>

/* -- the port "preconditioner" as the kernel sees it ---------------------------------------- */

static enum portolan_status port_setup(struct heat_preconditioner *p, const struct heat_matrix *a,
                                       struct portolan_error *err)
{
    struct heat_port_preconditioner *port = (struct heat_port_preconditioner *)p;
    sidl_BaseInterface ex = NULL;

    heat_Preconditioner_setup(port->port, port->matrix, a->order, &ex);
    port->order = a->order;
    if (!ex)
        return PORTOLAN_OK;
    portolan_catch(&ex, err);
    portolan_error_prefix(err, "preconditioner.setup");
    return PORTOLAN_ECOMPONENT;
}

static enum portolan_status port_apply(struct heat_preconditioner *p, const double *r, double *z,
                                       struct portolan_error *err)
{
    struct heat_port_preconditioner *port = (struct heat_port_preconditioner *)p;
    sidl_BaseInterface ex;

    heat_Preconditioner_apply(port->port, r, z, port->order, &ex);
    if (!ex)
        return PORTOLAN_OK;
    portolan_catch(&ex, err);
    portolan_error_prefix(err, "preconditioner.apply");
    return PORTOLAN_ECOMPONENT;
}

static void port_destroy(struct heat_preconditioner *p)
{
    (void)p; /* part of the component */
}

static const struct heat_preconditioner_ops port_ops = {
    .size = sizeof port_ops, .setup = port_setup, .apply = port_apply, .destroy = port_destroy};

/* Ports are held during a call only, so that a preconditioner can be replaced between calls. */
static void get_preconditioner(struct heat_solver_component *s, sidl_BaseInterface *_ex)
{
    gov_cca_Port port;
    sidl_BaseInterface ignored;

    if (!s->kind->uses_preconditioner)
        return;
    port = gov_cca_Services_getPort(s->services, "preconditioner", _ex);
    if (*_ex)
        return;
    s->preconditioner.port = heat_Preconditioner__cast(port, _ex);
    gov_cca_Port_deleteRef(port, &ignored);
    if (!s->preconditioner.port && !*_ex)
        portolan_throw(_ex, PORTOLAN_EBADPORTTYPE,
                       "what is connected to \"preconditioner\" is no heat.Preconditioner");
}

static void release_preconditioner(struct heat_solver_component *s)
{
    sidl_BaseInterface ignored = NULL;

    if (!s->preconditioner.port)
        return;
    heat_Preconditioner_deleteRef(s->preconditioner.port, &ignored);
    s->preconditioner.port = NULL;
    gov_cca_Services_releasePort(s->services, "preconditioner", &ignored);
    SIDL_CLEAR(ignored);
}

/* -- the component --------------------------------------------------------------------------- */

static void create_kernel(struct heat_solver_component *s, sidl_BaseInterface *_ex)
{
    gov_cca_TypeMap properties = portolan_component_properties(s->services, _ex);
    struct heat_preconditioner *p = NULL;
    struct portolan_error err = {0};
    enum portolan_status status;
    sidl_BaseInterface ignored;

    if (*_ex)
        return;
    if (s->kind->uses_preconditioner) {
        p = &s->preconditioner.preconditioner;
        p->ops = &port_ops;
    }
    status = s->kind->create(properties, p, &s->solver, &err);
    gov_cca_TypeMap_deleteRef(properties, &ignored);
    if (status)
        portolan_throw(_ex, status, "%s: %s", s->kind->cls.name, err.text);
}

static void solver_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct heat_solver_component *s = self;
    sidl_BaseInterface ignored;

    s->services = services;
    gov_cca_Services_addRef(services, &ignored);
    create_kernel(s, _ex);
    SIDL_CHECK(*_ex);
    if (s->kind->uses_preconditioner) {
        gov_cca_Services_registerUsesPort(services, "preconditioner", "heat.Preconditioner", NULL,
                                          _ex);
        SIDL_CHECK(*_ex);
    }
    if (s->kind->uses_blas) {
        heat_use_one_thread();
        gov_cca_Services_registerUsesPort(services, "monitor", "portolan.ports.Monitor", NULL, _ex);
        SIDL_CHECK(*_ex);
    }
    gov_cca_Services_registerForRelease(services,
                                        sidl_object_facet(self, "gov.cca.ComponentRelease"), _ex);
    SIDL_CHECK(*_ex);
    heat_provide(services, self, "solver", "heat.LinearSolver", _ex);
EXIT:;
}

static void solver_release_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct heat_solver_component *s = self;

    (void)services;
    gov_cca_Services_deleteRef(s->services, _ex);
    s->services = NULL;
}

/* Once, and only where somebody listens: which library serves BLAS calls. */
static void tell_blas(struct heat_solver_component *s)
{
    sidl_BaseInterface ex = NULL, ignored = NULL;
    gov_cca_Port port;
    portolan_ports_Monitor monitor;
    char *library;

    if (s->blas_told || !s->kind->uses_blas)
        return;
    s->blas_told = true;
    port = gov_cca_Services_getPortNonblocking(s->services, "monitor", &ex);
    if (ex || !port) {
        SIDL_CLEAR(ex); /* not connected: the port is optional */
        return;
    }
    monitor = portolan_ports_Monitor__cast(port, &ex);
    library = heat_blas_library();
    if (monitor && library)
        portolan_ports_Monitor_setMetadata(monitor, "blas.library", library, &ex);
    SIDL_CLEAR(ex);
    free(library);
    portolan_ports_Monitor_deleteRef(monitor, &ignored);
    gov_cca_Port_deleteRef(port, &ignored);
    gov_cca_Services_releasePort(s->services, "monitor", &ignored);
    SIDL_CLEAR(ignored);
}

static void solver_setup(void *self, heat_Matrix a, int32_t n, sidl_BaseInterface *_ex)
{
    struct heat_solver_component *s = self;
    const struct heat_matrix *matrix = heat_matrix_peek(a, _ex);
    struct portolan_error err = {0};

    if (*_ex)
        return;
    s->order = 0;
    tell_blas(s);
    get_preconditioner(s, _ex);
    if (*_ex)
        return;
    s->preconditioner.matrix = a;
    if (n != matrix->order)
        portolan_error_set(&err, PORTOLAN_EINVAL, "setup: the matrix is of order %d, not %d",
                           matrix->order, n);
    else
        s->solver->ops->setup(s->solver, matrix, &err);
    s->preconditioner.matrix = NULL;
    release_preconditioner(s);
    if (err.status)
        heat_throw(_ex, &err);
    else
        s->order = n;
}

static double solver_solve(void *self, struct sidl_double__array *b, struct sidl_double__array *x,
                           sidl_BaseInterface *_ex)
{
    struct heat_solver_component *s = self;
    struct portolan_error err = {0};
    double residual = 0.0;

    get_preconditioner(s, _ex);
    if (*_ex)
        return 0.0;
    if (sidlLength(b, 0) != s->order || sidlLength(x, 0) != s->order)
        portolan_error_set(&err, PORTOLAN_EINVAL, "solve: %d values for a matrix of order %d",
                           sidlLength(b, 0), s->order);
    else
        s->solver->ops->solve(s->solver, b->d_firstElement, x->d_firstElement, &residual, &err);
    release_preconditioner(s);
    if (err.status)
        heat_throw(_ex, &err);
    return residual;
}

static const struct gov_cca_Component__epv component_epv = {.f_setServices = solver_set_services};
static const struct gov_cca_ComponentRelease__epv release_epv = {.f_releaseServices =
                                                                     solver_release_services};
static const struct heat_LinearSolver__epv solver_epv = {.f_setup = solver_setup,
                                                         .f_solve = solver_solve};

const struct sidl_implements heat_solver_implements[3] = {
    {&gov_cca_Component__type, &component_epv},
    {&gov_cca_ComponentRelease__type, &release_epv},
    {&heat_LinearSolver__type, &solver_epv},
};

void heat_solver_component_destroy(void *self)
{
    struct heat_solver_component *s = self;
    sidl_BaseInterface ignored;

    heat_solver_destroy(s->solver);
    gov_cca_Services_deleteRef(s->services, &ignored);
}

gov_cca_Component heat_solver_component_create(const struct heat_solver_kind *kind,
                                               sidl_BaseInterface *_ex)
{
    struct heat_solver_component *s = sidl_object_create(&kind->cls, _ex);

    if (!s)
        return NULL;
    s->kind = kind;
    return sidl_object_facet(s, "gov.cca.Component");
}
