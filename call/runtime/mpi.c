/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The driver MPI. Blocks of samples go up MPICH's own tree when they are small, and else rank by
 * rank, so that process 0 has one of them in flight. Waits yield the processor, as there may be
 * more ranks than cores.
 */
#include <portolan/cll.h>

#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Process 0 takes that much through the tree. */
#define TREE_BYTES (16U << 20)
#define PIECE      (64 << 20)
#define TAG        1

static MPI_Comm comm_of(void *machine)
{
    return machine ? *(MPI_Comm *)machine : MPI_COMM_WORLD;
}

/* Outside MPI_Init and MPI_Finalize a process reaches no other, and MPI ends who tries. */
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

static int await(MPI_Request *request)
{
    int done = 0, result;

    while ((result = MPI_Test(request, &done, MPI_STATUS_IGNORE)) == MPI_SUCCESS && !done)
        sched_yield();
    return result == MPI_SUCCESS ? 0 : -1;
}

static void barrier(void *machine, void *argument)
{
    MPI_Request request;

    if (is_running() &&
        MPI_Ibarrier(comm_of(argument ? argument : machine), &request) == MPI_SUCCESS)
        await(&request);
}

/* ------------------------------------------------------------------ gathering */

typedef int take_fn(void *arg, int rank, const void *bytes, size_t n);

struct gathering {
    MPI_Comm comm;
    int rank, size;
    const void *bytes;
    uint64_t n, most;
    uint64_t *sizes; /* process 0: of all */
    take_fn *take;
    void *arg;
};

/* Everybody's size to process 0, and the largest to everybody. */
static int exchange_sizes(struct gathering *g)
{
    MPI_Request request;

    if (g->rank == 0 && !(g->sizes = calloc((size_t)g->size, sizeof *g->sizes)))
        g->n = UINT64_MAX; /* all give up */
    if (MPI_Iallreduce(&g->n, &g->most, 1, MPI_UINT64_T, MPI_MAX, g->comm, &request) !=
            MPI_SUCCESS ||
        await(&request) || g->most == UINT64_MAX)
        return -1;
    return MPI_Igather(&g->n, 1, MPI_UINT64_T, g->sizes, 1, MPI_UINT64_T, 0, g->comm, &request) ==
                   MPI_SUCCESS
               ? await(&request)
               : -1;
}

static int take_all(const struct gathering *g, const char *all)
{
    int result = 0;

    for (int i = 0; i < g->size && !result; i++)
        result = g->take(g->arg, i, all + (size_t)i * g->most, g->sizes[i]);
    return result;
}

/* All blocks as large as the largest. */
static int gather_tree(const struct gathering *g)
{
    char *mine = calloc(1, g->most + 1),
         *all = g->rank == 0 ? calloc((size_t)g->size, g->most + 1) : NULL;
    int good = mine && (all || g->rank != 0), all_good = 0, result = -1;
    MPI_Request request;

    if (good)
        memcpy(mine, g->bytes, g->n);
    if (MPI_Iallreduce(&good, &all_good, 1, MPI_INT, MPI_MIN, g->comm, &request) == MPI_SUCCESS &&
        await(&request) == 0 && all_good &&
        MPI_Igather(mine, (int)g->most, MPI_BYTE, all, (int)g->most, MPI_BYTE, 0, g->comm,
                    &request) == MPI_SUCCESS &&
        await(&request) == 0)
        result = g->rank == 0 ? take_all(g, all) : 0;
    free(mine);
    free(all);
    return result;
}

static int send_pieces(const struct gathering *g)
{
    const char *next = g->bytes;
    uint64_t left = g->n;
    MPI_Request request;

    for (; left > 0;) {
        int n = left < PIECE ? (int)left : PIECE;

        if (MPI_Issend(next, n, MPI_BYTE, 0, TAG, g->comm, &request) != MPI_SUCCESS ||
            await(&request))
            return -1;
        next += n;
        left -= (uint64_t)n;
    }
    return 0;
}

/* What there is no memory for is received all the same, or its sender would wait for ever. */
static int receive_pieces(const struct gathering *g, int from)
{
    char *block = calloc(1, g->sizes[from] + 1), *scrap = block ? NULL : malloc(PIECE);
    uint64_t got = 0;
    int result = block || scrap ? 0 : -1;
    MPI_Request request;

    while (got < g->sizes[from] && (block || scrap)) {
        uint64_t left = g->sizes[from] - got;
        int n = left < PIECE ? (int)left : PIECE;

        if (MPI_Irecv(block ? block + got : scrap, n, MPI_BYTE, from, TAG, g->comm, &request) !=
                MPI_SUCCESS ||
            await(&request)) {
            result = -1;
            break;
        }
        got += (uint64_t)n;
    }
    if (block && !result)
        result = g->take(g->arg, from, block, g->sizes[from]);
    else
        result = -1;
    free(block);
    free(scrap);
    return result;
}

static int gather_ranks(const struct gathering *g)
{
    int result;

    if (g->rank != 0)
        return send_pieces(g);
    result = g->take(g->arg, 0, g->bytes, g->n);
    for (int i = 1; i < g->size; i++) {
        int one = receive_pieces(g, i);

        result = result ? result : one;
    }
    return result;
}

static int gather(void *machine, const void *bytes, size_t n, take_fn *take, void *arg)
{
    struct gathering g = {.bytes = bytes, .n = n, .take = take, .arg = arg};
    int result;

    if (!is_running()) {
        fputs(
            "portolan-call: warning: ranks report together between MPI_Init and MPI_Finalize; this "
            "report stands outside\n",
            stderr);
        return -1;
    }
    /* The program's own messages are no concern of ours. */
    if (MPI_Comm_dup(comm_of(machine), &g.comm) != MPI_SUCCESS)
        return -1;
    MPI_Comm_rank(g.comm, &g.rank);
    MPI_Comm_size(g.comm, &g.size);
    result = exchange_sizes(&g);
    if (!result)
        result = g.most <= INT_MAX && g.most * (uint64_t)g.size <= TREE_BYTES ? gather_tree(&g)
                                                                              : gather_ranks(&g);
    free(g.sizes);
    MPI_Comm_free(&g.comm);
    return result;
}

const struct portolan_cll_driver portolan_cll_mpi = {
    .name = "MPI",
    .rank = rank,
    .size = size,
    .sync = barrier,
    .gather = gather,
};
