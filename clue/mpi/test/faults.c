/* SPDX-License-Identifier: BSD-3-Clause */
/* Mistakes that end a run, by number: the error must name routine, rank and line. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, in[2] = {0}, out[4] = {1, 2, 3, 4};
    MPI_File file;
    MPI_Request request;

    if (argc > 1 && atoi(argv[1]) == 4)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    switch (argc > 1 ? atoi(argv[1]) : 0) {
    case 0:
        if (rank == 1)
            MPI_Send(out, 1, MPI_INT, 7, 0, MPI_COMM_WORLD);
        break;
    case 1:
        MPI_File_open(MPI_COMM_WORLD, "x", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
        break;
    case 2:
        if (rank == 0)
            MPI_Send(out, 4, MPI_INT, 1, 3, MPI_COMM_WORLD);
        else
            MPI_Recv(in, 2, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        break;
    case 3:
        if (rank == 1)
            MPI_Abort(MPI_COMM_WORLD, 3);
        break;
    case 5:
        MPI_Irecv(in, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD, &request);
        break;
    }
    MPI_Finalize();
    return 0;
}
