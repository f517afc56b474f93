/* SPDX-License-Identifier: BSD-3-Clause */
/* What is noted of one-sided transfers and of collectives, by 2 ranks or more. */
#include "traffic.h"

#include <stdlib.h>
#include <string.h>

static void one_sided_transfers_are_with_their_target(void **state)
{
    double *memory, in[4], out[4] = {0};
    MPI_Request r[2];
    MPI_Win win;

    OK(MPI_Win_allocate(64, 8, MPI_INFO_NULL, reversed, &memory, &win));
    memset(memory, 0, 64);
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(out, 3, MPI_DOUBLE, next_reversed, 0, 3, MPI_DOUBLE, win));
    OK(MPI_Put(out, 3, MPI_DOUBLE, MPI_PROC_NULL, 0, 3, MPI_DOUBLE, win));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Get(in, 2, MPI_DOUBLE, next_reversed, 0, 2, MPI_DOUBLE, win));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Accumulate(out, 4, MPI_DOUBLE, next_reversed, 0, 4, MPI_DOUBLE, MPI_SUM, win));
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Get_accumulate(out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, next_reversed, 0, 2, MPI_DOUBLE,
                          MPI_SUM, win));
    OK(MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, in, 3, MPI_DOUBLE, next_reversed, 0, 3,
                          MPI_DOUBLE, MPI_NO_OP, win));
    OK(MPI_Fetch_and_op(out, in, MPI_DOUBLE, next_reversed, 0, MPI_SUM, win));
    OK(MPI_Rput(out, 1, MPI_DOUBLE, next_reversed, 4, 1, MPI_DOUBLE, win, &r[0]));
    OK(MPI_Rget(in, 1, MPI_DOUBLE, next_reversed, 5, 1, MPI_DOUBLE, win, &r[1]));
    OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
    OK(MPI_Win_unlock_all(win));
    expect("MPI_Put", next, false, 1, 24);
    expect("MPI_Put", -1, false, 1, 0);
    expect("MPI_Get", next, true, 1, 16);
    expect("MPI_Accumulate", next, false, 1, 32);
    expect("MPI_Get_accumulate", next, false, 2, 16);
    expect("MPI_Get_accumulate", next, true, 0, 40);
    expect("MPI_Fetch_and_op", next, false, 1, 8);
    expect("MPI_Fetch_and_op", next, true, 0, 8);
    expect("MPI_Rput", next, false, 1, 8);
    expect("MPI_Rget", next, true, 1, 8);
    OK(MPI_Win_free(&win));
}

/* Counts 1, 2, … for each rank of N, their displacements; the sum. */
static int steps(int *counts, int *displacements, int n)
{
    int sum = 0;

    for (int i = 0; i < n; i++) {
        counts[i] = i + 1;
        displacements[i] = sum;
        sum += counts[i];
    }
    return sum;
}

static void collectives_are_noted_with_the_own_buffer(void **state)
{
    MPI_Comm c = MPI_COMM_WORLD;
    int counts[size], at[size], sum = steps(counts, at, size);
    int out[4 * sum], in[4 * sum];
    uint64_t n = (uint64_t)size, own = (uint64_t)rank + 1;

    memset(out, 0, sizeof out);
    OK(MPI_Barrier(c));
    expect("MPI_Barrier", -1, false, 1, 0);
    OK(MPI_Bcast(out, 3, MPI_INT, 0, c));
    expect("MPI_Bcast", -1, false, 1, 12);
    OK(MPI_Gather(out, 2, MPI_INT, in, 2, MPI_INT, 0, c));
    expect("MPI_Gather", -1, false, 1, 8);
#if MPI_VERSION >= 4
    OK(MPI_Gather_c(rank ? out : MPI_IN_PLACE, rank ? 2 : 99, MPI_INT, in, 2, MPI_INT, 0, c));
    expect("MPI_Gather_c", -1, false, 1, 8);
#endif
    OK(MPI_Gatherv(rank ? out : MPI_IN_PLACE, (int)own, MPI_INT, in, counts, at, MPI_INT, 0, c));
    expect("MPI_Gatherv", -1, false, 1, 4 * own);
    OK(MPI_Scatter(out, 2, MPI_INT, rank ? in : MPI_IN_PLACE, 2, MPI_INT, 0, c));
    expect("MPI_Scatter", -1, false, 1, 8);
    OK(MPI_Scatterv(out, counts, at, MPI_INT, in, (int)own, MPI_INT, 0, c));
    expect("MPI_Scatterv", -1, false, 1, 4 * own);
    OK(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 3, MPI_INT, c));
    expect("MPI_Allgather", -1, false, 1, 12);
    OK(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts, at, MPI_INT, c));
    expect("MPI_Allgatherv", -1, false, 1, 4 * own);
    OK(MPI_Alltoall(out, 2, MPI_INT, in, 2, MPI_INT, c));
    expect("MPI_Alltoall", -1, false, 1, 8 * n);
    OK(MPI_Reduce(out, in, 3, MPI_INT, MPI_SUM, 0, c));
    expect("MPI_Reduce", -1, false, 1, 12);
    OK(MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, c));
    expect("MPI_Reduce_scatter", -1, false, 1, 4 * (uint64_t)sum);
    OK(MPI_Reduce_scatter_block(out, in, 2, MPI_INT, MPI_SUM, c));
    expect("MPI_Reduce_scatter_block", -1, false, 1, 8 * n);
    OK(MPI_Exscan(MPI_IN_PLACE, in, 2, MPI_INT, MPI_SUM, c));
    expect("MPI_Exscan", -1, false, 1, 8);
}

/* Rank i sends j - i + size elements to rank j. */
static void vectors_to_all_are_noted_with_their_sum(void **state)
{
    int out_n[size], in_n[size], at[size], bytes_at[size], room = 2 * size, sent = 0;
    MPI_Datatype types[size];
    char out[room * size], in[room * size];
#if MPI_VERSION >= 4
    MPI_Count out_c[size], in_c[size];
    MPI_Aint at_c[size];
    MPI_Request r;
#endif

    memset(out, 0, sizeof out);
    for (int i = 0; i < size; i++) {
        out_n[i] = i - rank + size;
        in_n[i] = rank - i + size;
        bytes_at[i] = at[i] = i * room;
#if MPI_VERSION >= 4
        out_c[i] = out_n[i];
        in_c[i] = in_n[i];
        at_c[i] = at[i];
#endif
        types[i] = MPI_CHAR;
        sent += out_n[i];
    }
    OK(MPI_Alltoallv(out, out_n, at, MPI_CHAR, in, in_n, at, MPI_CHAR, MPI_COMM_WORLD));
    expect("MPI_Alltoallv", -1, false, 1, (uint64_t)sent);
#if MPI_VERSION >= 4
    OK(MPI_Ialltoallv_c(out, out_c, at_c, MPI_CHAR, in, in_c, at_c, MPI_CHAR, MPI_COMM_WORLD, &r));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    expect("MPI_Ialltoallv_c", -1, false, 1, (uint64_t)sent);
#endif
    OK(MPI_Alltoallw(out, out_n, bytes_at, types, in, in_n, bytes_at, types, MPI_COMM_WORLD));
    expect("MPI_Alltoallw", -1, false, 1, (uint64_t)sent);
    for (int i = 0; i < size; i++)
        in_n[i] = i == rank ? 3 : 1;
    OK(MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in,
                     (const int *)memcpy(out_n, in_n, sizeof in_n), at, MPI_CHAR, MPI_COMM_WORLD));
    expect("MPI_Alltoallv", -1, false, 2, (uint64_t)(sent + 3 + size - 1));
}

#if MPI_VERSION >= 4
static void persistent_collectives_are_noted_at_each_start(void **state)
{
    int value = 1;
    MPI_Request r;

    OK(MPI_Bcast_init(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r));
    for (int i = 0; i < 2; i++) {
        OK(MPI_Start(&r));
        OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    }
    expect("MPI_Bcast_init", -1, false, 1, 0);
    expect("MPI_Start", -1, false, 2, 8);
    OK(MPI_Request_free(&r));
}
#endif

static void neighbours_get_what_a_rank_sends_them(void **state)
{
    int periods = 1, counts[2] = {1, 2}, at[2] = {0, 1}, back[2] = {2, 1}, out[3] = {0}, in[4];
    MPI_Comm ring;

    OK(MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periods, 0, &ring));
    OK(MPI_Neighbor_allgather(out, 2, MPI_INT, in, 2, MPI_INT, ring));
    expect("MPI_Neighbor_allgather", -1, false, 1, 8);
    OK(MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring));
    expect("MPI_Neighbor_alltoall", -1, false, 1, 8);
    OK(MPI_Neighbor_alltoallv(out, counts, at, MPI_INT, in, back, (int[]){0, 2}, MPI_INT, ring));
    expect("MPI_Neighbor_alltoallv", -1, false, 1, 12);
    OK(MPI_Comm_free(&ring));
}

/* Rank 0 on one side, the others on the other. */
static void partners_across_an_intercommunicator_have_world_ranks(void **state)
{
    int others = size - 1, value[4] = {0}, n = rank ? 1 : others, root;
    char in[8] = {0};
    MPI_Comm side, inter;

    OK(MPI_Comm_split(MPI_COMM_WORLD, rank != 0, -rank, &side));
    OK(MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, rank ? 0 : size - 1, 14, &inter));
    if (rank == 0) {
        OK(MPI_Send(in, 3, MPI_CHAR, others - 1, 15, inter)); /* the last of them is rank 1 */
        OK(MPI_Recv(in, 8, MPI_CHAR, MPI_ANY_SOURCE, 15, inter, MPI_STATUS_IGNORE));
        expect("MPI_Send", 1, false, 1, 3);
        expect("MPI_Recv", 1, true, 1, 2);
    } else if (rank == 1) {
        OK(MPI_Recv(in, 8, MPI_CHAR, 0, 15, inter, MPI_STATUS_IGNORE));
        OK(MPI_Send(in, 2, MPI_CHAR, 0, 15, inter));
        expect("MPI_Recv", 0, true, 1, 3);
        expect("MPI_Send", 0, false, 1, 2);
    }
    root = rank == 0 ? MPI_ROOT : 0;
    OK(MPI_Gather(value, 1, MPI_INT, value, 1, MPI_INT, root, inter));
    expect("MPI_Gather", -1, false, 1, rank ? 4 : 0);
    OK(MPI_Alltoall(value, 1, MPI_INT, value + 2, 1, MPI_INT, inter));
    expect("MPI_Alltoall", -1, false, 1, 4 * (uint64_t)n);
    OK(MPI_Comm_free(&inter));
    OK(MPI_Comm_free(&side));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(one_sided_transfers_are_with_their_target),
        TEST(collectives_are_noted_with_the_own_buffer),
        TEST(vectors_to_all_are_noted_with_their_sum),
#if MPI_VERSION >= 4
        TEST(persistent_collectives_are_noted_at_each_start),
#endif
        TEST(neighbours_get_what_a_rank_sends_them),
        TEST(partners_across_an_intercommunicator_have_world_ranks),
    };

    return RUN("traffic of groups", tests);
}
