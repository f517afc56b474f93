/* SPDX-License-Identifier: BSD-3-Clause */
/* gov.cca.ports.MPISetup: a program that embeds a framework offers MPIService in it. */
#include "service.h"

#include <stdlib.h>

struct setup {
    struct sidl_object object;
    gov_cca_AbstractFramework framework; /* where the service is; ours, or NULL */
    struct mpi_service *service;         /* the framework's */
};

/* Whether the service is there: the framework may have been shut down since. */
static bool is_serving(const struct setup *s)
{
    return s->framework && portolan_framework_peek(s->framework);
}

static sidl_bool setup_isInitialized(void *self, sidl_BaseInterface *_ex)
{
    (void)_ex;
    return is_serving(self);
}

static void forget(struct setup *s)
{
    sidl_reference_delete(s->framework, NULL);
    s->framework = NULL;
    s->service = NULL;
}

static enum portolan_status offer(struct setup *s, int64_t comm, gov_cca_AbstractFramework af,
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
    if (!(service = mpi_service_create(scope, err)))
        return err->status;
    if ((status = mpi_service_offer(fw, service, err)) != PORTOLAN_OK) {
        free(service);
        return status;
    }
    forget(s);
    s->service = service;
    sidl_reference_add(s->framework = af, NULL);
    return PORTOLAN_OK;
}

static void setup_initAsService(void *self, int64_t comm, gov_cca_AbstractFramework *af,
                                sidl_BaseInterface *_ex)
{
    struct portolan_error err = {0};

    if (offer(self, comm, *af, &err) != PORTOLAN_OK)
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
    forget(s);
}

static void setup_destroy(void *self)
{
    forget(self);
}

static const struct gov_cca_ports_MPISetup__epv setup_epv = {
    .f_isInitialized = setup_isInitialized,
    .f_initAsService = setup_initAsService,
    .f_finalize = setup_finalize,
};

static const struct sidl_implements setup_implements[] = {
    {&gov_cca_ports_MPISetup__type, &setup_epv}};

static const struct sidl_class setup_class = {
    .name = "portolan.MPISetup",
    .version = "0.1",
    .size = sizeof(struct setup),
    .implements = setup_implements,
    .n_implements = 1,
    .destroy = setup_destroy,
};

gov_cca_ports_MPISetup portolan_mpi_setup_create(sidl_BaseInterface *_ex)
{
    *_ex = NULL;
    return sidl_object_facet(sidl_object_create(&setup_class, _ex), "gov.cca.ports.MPISetup");
}
