/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gov.cca.ports.MPIService: communicators that are a component's own. gov.cca.ports.MPISetup: a
 * program that embeds a framework offers that service in it.
 */
#include "internal.h"

#include <portolan/framework.h>

#include <stdlib.h>

#include <utlist.h>

#define MPI_SERVICE_TYPE "gov.cca.ports.MPIService"

/* One service in one framework. */
struct mpi_service {
    MPI_Comm scope; /* components get duplicates of it; not ours */
    bool is_losing; /* what components did not release is not freed */
};

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

/* A duplicate with the error handler of SCOPE; errors in making it are always returned. */
static int duplicate(MPI_Comm scope, MPI_Comm *comm)
{
    MPI_Errhandler handler;
    int result = PMPI_Comm_get_errhandler(scope, &handler);

    if (result != MPI_SUCCESS)
        return result;
    PMPI_Comm_set_errhandler(scope, MPI_ERRORS_RETURN);
    result = PMPI_Comm_dup(scope, comm);
    if (result == MPI_SUCCESS && mpi_is_observable)
        mpi_number_comm(scope, *comm);
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
    portolan_throw(
        _ex, PORTOLAN_EINVAL,
        "communicator %lld does not come from this component's MPIService, or has been released",
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

static const struct sidl_class port_class =
    SIDL_CLASS("portolan.MPIService", "0.1", mpi_port, gov_cca_ports_MPIService, port_epv, NULL);

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

/* A service for SCOPE; NULL with EINVAL (MPI is not running) or ENOMEM in ERR. */
static struct mpi_service *service_create(MPI_Comm scope, struct portolan_error *err)
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

/* Takes over SERVICE when it succeeds. */
static enum portolan_status service_offer(struct portolan_framework *fw,
                                          struct mpi_service *service, struct portolan_error *err)
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
    struct mpi_service *service = service_create(MPI_COMM_WORLD, &cause);
    enum portolan_status status = service ? service_offer(fw, service, &cause) : cause.status;

    if (status == PORTOLAN_OK)
        return status;
    free(service);
    return portolan_error_set(err, status, "%s", cause.text);
}

/* -- the setup -- */

struct setup {
    struct sidl_object object;
    gov_cca_AbstractFramework framework; /* where the service is; ours, or NULL */
    struct mpi_service *service;         /* the framework's */
};

/* Returns whether the service is there: the framework may have been shut down since. */
static bool is_serving(const struct setup *s)
{
    return s->framework && portolan_framework_peek(s->framework);
}

static sidl_bool setup_isInitialized(void *self, sidl_BaseInterface *_ex)
{
    (void)_ex;
    return is_serving(self);
}

static void setup_forget(struct setup *s)
{
    sidl_reference_delete(s->framework, NULL);
    s->framework = NULL;
    s->service = NULL;
}

static enum portolan_status setup_offer(struct setup *s, int64_t comm, gov_cca_AbstractFramework af,
                                        struct portolan_error *err)
{
    struct portolan_framework *fw = portolan_framework_peek(af);
    MPI_Comm scope = PMPI_Comm_f2c((MPI_Fint)comm);
    struct mpi_service *service;
    enum portolan_status status;

    if (is_serving(s))
        return portolan_error_set(err, PORTOLAN_EEXISTS, "the MPI service was set up already");
    if (!fw)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "the MPI service needs a framework of Portolan that is not shut "
                                  "down");
    if (scope == MPI_COMM_NULL)
        return portolan_error_set(err, PORTOLAN_EINVAL, "the communicator is null");
    if (!(service = service_create(scope, err)))
        return err->status;
    if ((status = service_offer(fw, service, err)) != PORTOLAN_OK) {
        free(service);
        return status;
    }
    setup_forget(s);
    s->service = service;
    sidl_reference_add(s->framework = af, NULL);
    return PORTOLAN_OK;
}

static void setup_initAsService(void *self, int64_t comm, gov_cca_AbstractFramework *af,
                                sidl_BaseInterface *_ex)
{
    struct portolan_error err = {0};

    if (setup_offer(self, comm, *af, &err) != PORTOLAN_OK)
        portolan_throw(_ex, err.status, "%s", err.text);
}

static void setup_finalize(void *self, sidl_bool reclaim, sidl_BaseInterface *_ex)
{
    struct setup *s = self;
    struct portolan_error err = {0};

    if (!is_serving(s)) {
        portolan_throw(_ex, PORTOLAN_EINVAL, "the MPI service is not set up");
        return;
    }
    s->service->is_losing = !reclaim;
    if (portolan_framework_unserve(portolan_framework_peek(s->framework), MPI_SERVICE_TYPE, &err) !=
        PORTOLAN_OK)
        portolan_throw(_ex, err.status, "%s", err.text);
    setup_forget(s);
}

static void setup_destroy(void *self)
{
    setup_forget(self);
}

static const struct gov_cca_ports_MPISetup__epv setup_epv = {
    .f_isInitialized = setup_isInitialized,
    .f_initAsService = setup_initAsService,
    .f_finalize = setup_finalize,
};

static const struct sidl_class setup_class =
    SIDL_CLASS("portolan.MPISetup", "0.1", setup, gov_cca_ports_MPISetup, setup_epv, setup_destroy);

gov_cca_ports_MPISetup portolan_mpi_setup_create(sidl_BaseInterface *_ex)
{
    *_ex = NULL;
    return sidl_object_facet(sidl_object_create(&setup_class, _ex), "gov.cca.ports.MPISetup");
}
