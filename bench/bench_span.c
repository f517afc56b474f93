/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded into programs as they are: each rank prints the seconds from MPI_Init to MPI_Finalize.
 */
#include <mpi.h>
#include <stdio.h>

static double begin;

int MPI_Init(int *argc, char ***argv)
{
    int result = PMPI_Init(argc, argv);

    PMPI_Barrier(MPI_COMM_WORLD);
    begin = PMPI_Wtime();
    return result;
}

int MPI_Finalize(void)
{
    fprintf(stderr, "span %.9f\n", PMPI_Wtime() - begin);
    return PMPI_Finalize();
}
