/* SPDX-License-Identifier: BSD-3-Clause */
/* gov.cca.ports.MPIService: communicators that are a component's own. */
#include "service.h"

#include <stdlib.h>

#include <utlist.h>

struct given {
    struct given *next;
    MPI_Comm comm;
};

/* The port of one component. */
struct mpi_port {
    struct sidl_object object;
    struct mpi_service *service; /* NULL once the service or the component has ended */
    struct given *given;         /* in order of getComm */
};

static struct mpi_port *alive(void *self, sidl_BaseInterface *_ex)
{
    struct mpi_port *p = self;

    if (p->service && portolan_mpi_is_running())
        return p;
    portolan_throw(_ex, PORTOLAN_EINVAL,
                   p->service ? "MPI is not running" : "the MPI service has ended");
    return NULL;
}

/* A duplicate with the error handler of SCOPE; making it reports errors whatever that is. */
static int duplicate(MPI_Comm scope, MPI_Comm *comm)
{
    MPI_Errhandler handler;
    int result = PMPI_Comm_get_errhandler(scope, &handler);

    if (result != MPI_SUCCESS)
        return result;
    PMPI_Comm_set_errhandler(scope, MPI_ERRORS_RETURN);
    result = PMPI_Comm_dup(scope, comm);
    PMPI_Comm_set_errhandler(scope, handler);
    if (result == MPI_SUCCESS)
        PMPI_Comm_set_errhandler(*comm, handler);
    PMPI_Errhandler_free(&handler);
    return result;
}

static int64_t port_getComm(void *self, sidl_BaseInterface *_ex)
{
    struct mpi_port *p = alive(self, _ex);
    struct given *g = p ? portolan_calloc(1, sizeof *g) : NULL;
    char text[MPI_MAX_ERROR_STRING];
    int result;

    if (!p)
        return 0;
    if (!g) {
        portolan_throw(_ex, PORTOLAN_ENOMEM, "out of memory");
        return 0;
    }
    if ((result = duplicate(p->service->scope, &g->comm)) != MPI_SUCCESS) {
        free(g);
        portolan_throw(_ex, PORTOLAN_EIO, "no communicator for the component: %s",
                       mpi_error_text(result, text));
        return 0;
    }
    LL_APPEND(p->given, g);
    return PMPI_Comm_c2f(g->comm);
}

static void port_releaseComm(void *self, int64_t comm, sidl_BaseInterface *_ex)
{
    struct mpi_port *p = alive(self, _ex);
    struct given *g;

    if (!p)
        return;
    LL_FOREACH(p->given, g)
    if (PMPI_Comm_c2f(g->comm) == comm) {
        LL_DELETE(p->given, g);
        PMPI_Comm_free(&g->comm);
        free(g);
        return;
    }
    portolan_throw(_ex, PORTOLAN_EINVAL,
                   "communicator %lld was not got from this component's MPIService, or is released "
                   "already",
                   (long long)comm);
}

static void port_getSizeRank(void *self, int32_t *size, int32_t *rank, sidl_BaseInterface *_ex)
{
    struct mpi_port *p = alive(self, _ex);
    int n = 0, me = 0;

    if (!p)
        return;
    PMPI_Comm_size(p->service->scope, &n);
    PMPI_Comm_rank(p->service->scope, &me);
    *size = n;
    *rank = me;
}

static const struct gov_cca_ports_MPIService__epv port_epv = {
    .f_getComm = port_getComm,
    .f_releaseComm = port_releaseComm,
    .f_getSizeRank = port_getSizeRank,
};

static const struct sidl_implements port_implements[] = {
    {&gov_cca_ports_MPIService__type, &port_epv}};

static const struct sidl_class port_class = {
    .name = "portolan.MPIService",
    .version = "0.1",
    .size = sizeof(struct mpi_port),
    .implements = port_implements,
    .n_implements = 1,
};

/* -- the service -- */

static gov_cca_Port create_port(void *arg, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct mpi_port *p = sidl_object_create(&port_class, _ex);

    (void)services;
    if (!p)
        return NULL;
    p->service = arg;
    return sidl_object_facet(p, "gov.cca.Port");
}

/* Freeing is collective, as is the end of a component. */
static void destroy_port(void *arg, gov_cca_Port port)
{
    struct mpi_port *p = sidl_reference_peek(port);
    const struct mpi_service *service = arg;
    struct given *g, *next;

    LL_FOREACH_SAFE(p->given, g, next)
    {
        if (!service->is_losing && portolan_mpi_is_running())
            PMPI_Comm_free(&g->comm);
        free(g);
    }
    p->given = NULL;
    p->service = NULL;
}

struct mpi_service *mpi_service_create(MPI_Comm scope, struct portolan_error *err)
{
    struct mpi_service *service;

    if (!portolan_mpi_is_running()) {
        portolan_error_set(err, PORTOLAN_EINVAL, "MPI is not running");
        return NULL;
    }
    if (!(service = portolan_calloc(1, sizeof *service))) {
        portolan_no_memory(err);
        return NULL;
    }
    service->scope = scope;
    return service;
}

enum portolan_status mpi_service_offer(struct portolan_framework *fw, struct mpi_service *service,
                                       struct portolan_error *err)
{
    const struct portolan_service offer = {.type = MPI_SERVICE_TYPE,
                                           .arg = service,
                                           .create = create_port,
                                           .destroy = destroy_port,
                                           .end = free};

    return portolan_framework_serve(fw, &offer, err);
}

enum portolan_status portolan_mpi_serve(struct portolan_framework *fw, struct portolan_error *err)
{
    struct portolan_error cause = {0};
    struct mpi_service *service = mpi_service_create(MPI_COMM_WORLD, &cause);
    enum portolan_status status = service ? mpi_service_offer(fw, service, &cause) : cause.status;

    if (status == PORTOLAN_OK)
        return status;
    free(service);
    return portolan_error_set(err, status, "%s", cause.text);
}
