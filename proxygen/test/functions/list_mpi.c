/* SPDX-License-Identifier: BSD-3-Clause */
/* An implementation that calls MPI by itself; nobody defines the function, as with MPI's own. */
#include "headers/list.h"

extern int MPI_Comm_rank(int communicator, int *rank);

int list_which(void)
{
    int rank = 0;

    return MPI_Comm_rank(0, &rank) + rank;
}
