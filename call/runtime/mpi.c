/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The driver MPI. Blocks of samples go rank by rank, so that process 0 has one of them in flight.
 * Waits yield the processor, as there may be more ranks than cores.
 */
#include <portolan/cll.h>

#include <mpi.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define PIECE (64 << 20)
#define TAG   1

static MPI_Comm comm_of(void *machine)
{
    return machine ? *(MPI_Comm *)machine : MPI_COMM_WORLD;
}

/* Before MPI_Init and after MPI_Finalize a process is alone; a call of MPI would abort it. */
static int is_running(void)
{
    int begun = 0, ended = 0;

    return MPI_Initialized(&begun) == MPI_SUCCESS && begun &&
           MPI_Finalized(&ended) == MPI_SUCCESS && !ended;
}

static int rank(void *machine)
{
    int r = 0;

    if (is_running())
        MPI_Comm_rank(comm_of(machine), &r);
    return r;
}

static int size(void *machine)
{
    int n = 1;

    if (is_running())
        MPI_Comm_size(comm_of(machine), &n);
    return n;
}

/* BEGUN is the result of the call that made the request. */
static int await(int begun, MPI_Request *request)
{
    int done = 0, result = begun;

    while (result == MPI_SUCCESS && !done) {
        result = MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (!done)
            sched_yield();
    }
    return result == MPI_SUCCESS ? 0 : -1;
}

static void barrier(void *machine, void *argument)
{
    MPI_Request request;

    if (is_running())
        await(MPI_Ibarrier(comm_of(argument ? argument : machine), &request), &request);
}

/* ------------------------------------------------------------------ gathering */

typedef int take_fn(void *arg, int rank, const void *bytes, size_t n);

static int length_of_piece(uint64_t left)
{
    return left < PIECE ? (int)left : PIECE;
}

static int send_block(MPI_Comm comm, const void *bytes, uint64_t n)
{
    MPI_Request request;
    int result = await(MPI_Issend(&n, 1, MPI_UINT64_T, 0, TAG, comm, &request), &request);

    for (uint64_t sent = 0; !result && sent < n; sent += PIECE)
        result = await(MPI_Issend((const char *)bytes + sent, length_of_piece(n - sent), MPI_BYTE,
                                  0, TAG, comm, &request),
                       &request);
    return result;
}

/* Receives a block even without memory for it, or its sender would wait for ever. */
static int receive_block(MPI_Comm comm, int from, take_fn *take, void *arg)
{
    MPI_Request request;
    uint64_t n = 0;
    int result = await(MPI_Irecv(&n, 1, MPI_UINT64_T, from, TAG, comm, &request), &request);
    char *block = result ? NULL : calloc(1, n + 1), *scrap = block ? NULL : malloc(PIECE);

    if (!block && !scrap)
        return -1;
    for (uint64_t got = 0; !result && got < n; got += PIECE)
        result = await(MPI_Irecv(block ? block + got : scrap, length_of_piece(n - got), MPI_BYTE,
                                 from, TAG, comm, &request),
                       &request);
    if (!result)
        result = block ? take(arg, from, block, n) : -1;
    free(block);
    free(scrap);
    return result;
}

static int gather(void *machine, const void *bytes, size_t n, take_fn *take, void *arg)
{
    MPI_Comm comm;
    int result, own, ranks;

    if (!is_running()) {
        fputs(
            "portolan-call: warning: ranks report together between MPI_Init and MPI_Finalize; this "
            "report stands outside\n",
            stderr);
        return -1;
    }
    /* A communicator of our own does not mix with the program's messages. */
    if (MPI_Comm_dup(comm_of(machine), &comm) != MPI_SUCCESS)
        return -1;
    MPI_Comm_rank(comm, &own);
    MPI_Comm_size(comm, &ranks);
    result = own == 0 ? take(arg, 0, bytes, n) : send_block(comm, bytes, n);
    for (int i = 1; own == 0 && i < ranks; i++) {
        int one = receive_block(comm, i, take, arg);

        result = result ? result : one;
    }
    MPI_Comm_free(&comm);
    return result;
}

const struct portolan_cll_driver portolan_cll_mpi = {
    .name = "MPI",
    .rank = rank,
    .size = size,
    .sync = barrier,
    .gather = gather,
};
