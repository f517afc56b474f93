/* SPDX-License-Identifier: BSD-3-Clause */
/* speak.Ring: go() passes the ranks' numbers round on a communicator of its own. */
#include <portolan/framework.h>

#include <mpi.h>

struct ring {
    struct sidl_object object;
    gov_cca_Services services; /* borrowed */
};

static void ring_setServices(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct ring *r = self;

    r->services = services;
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(r, "gov.cca.Port"), "go",
                                     "gov.cca.ports.GoPort", NULL, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_registerUsesPort(services, "mpi", "gov.cca.ports.MPIService", NULL, _ex);
    SIDL_CHECK(*_ex);
EXIT:;
}

/* What comes from the neighbour below, when each rank sends its number up. */
static int pass_on(MPI_Comm comm, int size, int rank)
{
    int got = -1;

    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT,
                 (rank + size - 1) % size, 0, comm, MPI_STATUS_IGNORE);
    return got;
}

static int32_t ring_go(void *self, sidl_BaseInterface *_ex)
{
    struct ring *r = self;
    gov_cca_ports_MPIService mpi = NULL;
    int32_t size = 0, rank = 0, result = -1;
    gov_cca_Port port;
    int64_t comm;

    port = gov_cca_Services_getPort(r->services, "mpi", _ex);
    SIDL_CHECK(*_ex);
    mpi = gov_cca_ports_MPIService__cast(port, _ex);
    gov_cca_Port_deleteRef(port, NULL);
    gov_cca_ports_MPIService_getSizeRank(mpi, &size, &rank, _ex);
    SIDL_CHECK(*_ex);
    comm = gov_cca_ports_MPIService_getComm(mpi, _ex);
    SIDL_CHECK(*_ex);
    if (pass_on(MPI_Comm_f2c((MPI_Fint)comm), size, rank) == (rank + size - 1) % size)
        result = 0;
    gov_cca_ports_MPIService_releaseComm(mpi, comm, _ex);
    SIDL_CHECK(*_ex);
    gov_cca_Services_releasePort(r->services, "mpi", _ex);
EXIT:
    if (mpi)
        gov_cca_ports_MPIService_deleteRef(mpi, NULL);
    return result;
}

static const struct gov_cca_Component__epv component_epv = {.f_setServices = ring_setServices};
static const struct gov_cca_ports_GoPort__epv go_epv = {.f_go = ring_go};
static const struct sidl_implements implements[] = {{&gov_cca_Component__type, &component_epv},
                                                    {&gov_cca_ports_GoPort__type, &go_epv}};
static const struct sidl_class ring_class = {.name = "speak.Ring",
                                             .version = "1.0",
                                             .size = sizeof(struct ring),
                                             .implements = implements,
                                             .n_implements = 2};

static gov_cca_Component create(sidl_BaseInterface *_ex)
{
    return sidl_object_facet(sidl_object_create(&ring_class, _ex), "gov.cca.Component");
}

PORTOLAN_COMPONENT(speak_Ring, "speak.Ring", create);
