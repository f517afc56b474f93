/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives of 8 B to 4 MiB, with some work between them: one of the programs of clue_truth.sh.
 */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 4 << 20 };

static double work(int n)
{
    double x = 1;

    for (int i = 0; i < n; i++)
        x = x * 0.9999 + 1;
    return x;
}

int main(int argc, char **argv)
{
    double *out, *in, sum = 0;
    int rank, n_ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    out = calloc((size_t)n_ranks, MOST);
    in = calloc((size_t)n_ranks, MOST);
    for (int bytes = 8; out && in && bytes <= MOST; bytes *= 2) {
        int n = bytes / 8, times = MOST / (bytes + 16384) + 2;

        for (int i = 0; i < times; i++) {
            sum += work(2000);
            MPI_Bcast(out, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
            MPI_Allreduce(out, in, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
            MPI_Alltoall(out, n / n_ranks, MPI_DOUBLE, in, n / n_ranks, MPI_DOUBLE, MPI_COMM_WORLD);
            MPI_Allgather(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, MPI_COMM_WORLD);
            MPI_Reduce(out, in, n, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        }
    }
    if (rank == 0)
        printf("sum %g\n", sum);
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
