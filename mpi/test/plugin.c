/* SPDX-License-Identifier: BSD-3-Clause */
/* A plug-in as components are: linked with libmpich, knows nothing of Portolan's wrappers. */
#include <mpi.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int plugin_talk(double *sum);
EXPORT int plugin_ring(void);
EXPORT int plugin_begin_and_end(void);

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

/* Nonblocking: 5 doubles round the ring, twice, once with counts beyond int. */
int plugin_ring(void)
{
    double out[5] = {1, 2, 3, 4, 5}, in[5] = {0};
    int rank, size, done = 0, bad;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Comm own;

    bad = MPI_Comm_dup(MPI_COMM_WORLD, &own) != MPI_SUCCESS;
    MPI_Comm_rank(own, &rank);
    MPI_Comm_size(own, &size);
    bad |= MPI_Irecv(in, 5, MPI_DOUBLE, (rank + size - 1) % size, 1, own, &requests[0]) ||
           MPI_Isend(out, 5, MPI_DOUBLE, (rank + 1) % size, 1, own, &requests[1]) ||
           MPI_Waitall(2, requests, statuses) || in[4] < 5;
#if MPI_VERSION < 4
#define MPI_Irecv_c MPI_Irecv
#define MPI_Isend_c MPI_Isend
#endif
    bad |= MPI_Irecv_c(in, 5, MPI_DOUBLE, (rank + size - 1) % size, 2, own, &requests[0]) ||
           MPI_Isend_c(out, 5, MPI_DOUBLE, (rank + 1) % size, 2, own, &requests[1]);
    while (!bad && !done)
        bad |= MPI_Testall(2, requests, &done, statuses) != MPI_SUCCESS;
    bad |= MPI_Comm_free(&own) != MPI_SUCCESS;
    return bad;
}

/* As a component does that was a program of its own. */
int plugin_begin_and_end(void)
{
    int provided = -1;

    return MPI_Init(0, 0) || MPI_Init_thread(0, 0, MPI_THREAD_SINGLE, &provided) || provided < 0 ||
           MPI_Finalize();
}
