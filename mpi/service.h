/* SPDX-License-Identifier: BSD-3-Clause */
/* gov.cca.ports.MPIService: what its two files share. */
#ifndef PORTOLAN_MPI_SERVICE_H
#define PORTOLAN_MPI_SERVICE_H

#include "internal.h"

#include <portolan/framework.h>

#define MPI_SERVICE_TYPE "gov.cca.ports.MPIService"

/* One service in one framework. */
struct mpi_service {
    MPI_Comm scope; /* whose duplicates components get; not ours */
    bool is_losing; /* what components have left is not freed */
};

/* Takes over SERVICE when it succeeds. */
enum portolan_status mpi_service_offer(struct portolan_framework *fw, struct mpi_service *service,
                                       struct portolan_error *err);
/* A new service for that scope; NULL with EINVAL (MPI is not running) or ENOMEM in ERR. */
struct mpi_service *mpi_service_create(MPI_Comm scope, struct portolan_error *err);

#endif
