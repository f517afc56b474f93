/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives that do not agree: mistakes root|size|operation|order. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
    double in[2] = {1, 2}, out[2];
    const char *what = argc > 1 ? argv[1] : "root";
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(what, "root") == 0)
        MPI_Bcast(in, 1, MPI_DOUBLE, rank, MPI_COMM_WORLD);
    else if (strcmp(what, "size") == 0)
        MPI_Allreduce(in, out, 1 + rank, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    else if (strcmp(what, "operation") == 0)
        MPI_Reduce(in, out, 1, MPI_DOUBLE, rank ? MPI_SUM : MPI_MAX, 0, MPI_COMM_WORLD);
    else if (rank)
        MPI_Barrier(MPI_COMM_WORLD);
    else
        MPI_Bcast(in, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
