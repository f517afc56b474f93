/* SPDX-License-Identifier: BSD-3-Clause */
#include "heat_agree.h"

enum portolan_status heat_agree(MPI_Comm comm, enum portolan_status status,
                                struct portolan_error *err)
{
    int rank, size, mine, lowest, code = status;
    struct portolan_error text = {0};

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    mine = status ? rank : size;
    MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, comm);
    if (lowest == size)
        return PORTOLAN_OK;
    if (rank == lowest && err)
        text = *err;
    MPI_Bcast(&code, 1, MPI_INT, lowest, comm);
    MPI_Bcast(text.text, sizeof text.text, MPI_CHAR, lowest, comm);
    if (err) {
        *err = (struct portolan_error){0};
        portolan_error_set(err, (enum portolan_status)code, "%s", text.text);
        if (size > 1)
            portolan_error_prefix(err, "rank %d", lowest);
    }
    return (enum portolan_status)code;
}
