/* SPDX-License-Identifier: BSD-3-Clause */
/* A plug-in as components are: linked with libmpich, knows nothing of Portolan's wrappers. */
#include <mpi.h>

__attribute__((visibility("default"))) int plugin_talk(double *sum);

/* One Allreduce of 1 double, one Sendrecv of 10 ints with itself. */
int plugin_talk(double *sum)
{
    int rank, out[10] = {0}, in[10];
    double one = 1.0;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (MPI_Allreduce(&one, sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD) != MPI_SUCCESS)
        return 1;
    return MPI_Sendrecv(out, 10, MPI_INT, rank, 5, in, 10, MPI_INT, rank, 5, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE) != MPI_SUCCESS;
}
