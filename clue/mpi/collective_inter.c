/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives between two groups: see collective.h. */
#include "collective.h"

/* Returns C as an operation of KIND within this rank's own group. */
static struct collective locally(const struct collective *c, enum collective_kind kind)
{
    struct collective sub = *c;

    sub.comm = c->comm->local;
    sub.state = collective_state_of(sub.comm);
    sub.p = &sub.state->party;
    sub.remote = NULL;
    sub.kind = kind;
    sub.root = 0;
    sub.is_whole = true;
    return sub;
}

static void bcast_locally(const struct collective *c, struct span data)
{
    struct collective sub = locally(c, BCAST);

    sub.receive.base = data.at;
    sub.count = data.count;
    sub.type = data.type;
    collective_run(&sub);
}

/* Reduces this group's operands at rank 0. */
static struct span reduce_locally(const struct collective *c, MPI_Count count)
{
    struct collective sub = locally(c, REDUCE);
    struct span sum = schedule_buffer(c->s, count, c->type);

    sub.count = count;
    sub.receive.base = sum.at;
    collective_run(&sub);
    return sum;
}

static void barrier_inter(const struct collective *c)
{
    struct collective sub = locally(c, BARRIER);
    struct span both = byte_buffer(c, 2), out = part(both, 0, 1), in = part(both, 1, 1);

    collective_run(&sub);
    if (c->p->rank == 0)
        schedule_exchange(c->s, c->remote, out, 0, in, 0);
    bcast_locally(c, in);
}

static void bcast_inter(const struct collective *c)
{
    if (c->root == MPI_PROC_NULL)
        return;
    if (c->root == MPI_ROOT) {
        schedule_send_now(c->s, c->remote, result_of(c), 0);
        return;
    }
    if (c->p->rank == 0)
        schedule_receive_now(c->s, c->remote, result_of(c), c->root);
    bcast_locally(c, result_of(c));
}

static void reduce_inter(const struct collective *c)
{
    if (c->root == MPI_PROC_NULL)
        return;
    if (c->root == MPI_ROOT)
        schedule_receive_now(c->s, c->remote, result_of(c), 0);
    else {
        struct span sum = reduce_locally(c, c->count);

        if (c->p->rank == 0)
            schedule_send_now(c->s, c->remote, sum, c->root);
    }
}

static void allreduce_inter(const struct collective *c)
{
    struct span sum = reduce_locally(c, c->count);

    if (c->p->rank == 0)
        schedule_exchange(c->s, c->remote, sum, 0, result_of(c), 0);
    bcast_locally(c, result_of(c));
}

static void reduce_scatter_inter(const struct collective *c)
{
    struct span sum = reduce_locally(c, c->count), all = sum;
    struct collective sub = locally(c, SCATTERV);
    MPI_Aint *offsets = schedule_memory(c->s, sizeof *offsets * (size_t)c->p->n);
    MPI_Count *counts = schedule_memory(c->s, sizeof *counts * (size_t)c->p->n), at = 0;

    for (int i = 0; i < c->p->n; i++) {
        counts[i] = c->receive.counts ? c->receive.counts[i] : c->receive.count;
        offsets[i] = at * c->type->extent;
        at += counts[i];
    }
    if (c->p->rank == 0) {
        all = schedule_buffer(c->s, at, c->type);
        schedule_exchange(c->s, c->remote, sum, 0, all, 0);
    }
    sub.send =
        (struct blocks){.base = all.at, .type = c->type, .counts = counts, .offsets = offsets};
    sub.receive =
        (struct blocks){.base = c->receive.base, .count = counts[c->p->rank], .type = c->type};
    collective_run(&sub);
}

/* ---------------------------------------------------------------- gather, scatter */

/* Gathers or scatters: the root is in the other group, or is this rank. */
static void rooted_linear(const struct collective *c)
{
    bool is_root = c->root == MPI_ROOT;
    bool receives = is_root == (c->kind == GATHER || c->kind == GATHERV);
    const struct blocks *blocks = receives ? &c->receive : &c->send;

    if (c->root == MPI_PROC_NULL)
        return;
    for (int i = 0; i < (is_root ? c->remote->n : 1); i++) {
        struct span data = block(blocks, i);

        if (span_bytes(data) && receives)
            schedule_receive(c->s, c->remote, data, is_root ? i : c->root);
        else if (span_bytes(data))
            schedule_send(c->s, c->remote, data, is_root ? i : c->root);
    }
    schedule_wait(c->s);
}

static void rooted_through_leader(const struct collective *c)
{
    bool is_gather = c->kind == GATHER, is_leader = c->p->rank == 0;
    struct collective sub;
    struct span all;

    if (c->root == MPI_PROC_NULL)
        return;
    if (c->root == MPI_ROOT && is_gather) {
        schedule_receive_now(c->s, c->remote, block_range(&c->receive, 0, c->remote->n), 0);
        return;
    }
    if (c->root == MPI_ROOT) {
        schedule_send_now(c->s, c->remote, block_range(&c->send, 0, c->remote->n), 0);
        return;
    }
    sub = locally(c, c->kind);
    all = byte_buffer(c, span_bytes(block(is_gather ? &c->send : &c->receive, 0)) * c->p->n);
    *(is_gather ? &sub.receive : &sub.send) =
        (struct blocks){.base = all.at, .count = all.count / c->p->n, .type = all.type};
    if (!is_gather && is_leader)
        schedule_receive_now(c->s, c->remote, all, c->root);
    collective_run(&sub);
    if (is_gather && is_leader)
        schedule_send_now(c->s, c->remote, all, c->root);
}

/* ---------------------------------------------------------------- allgather, alltoall */

/* Gathers each group's blocks at its rank 0, exchanges them there, and broadcasts them. */
static void allgather_inter(const struct collective *c)
{
    struct collective sub = locally(c, GATHER);
    MPI_Count bytes = span_bytes(block(&c->send, 0));
    struct span own = byte_buffer(c, bytes * c->p->n);
    struct span others = block_range(&c->receive, 0, c->remote->n);

    sub.receive = (struct blocks){.base = own.at, .count = bytes, .type = own.type};
    collective_run(&sub);
    if (c->p->rank == 0)
        schedule_exchange(c->s, c->remote, own, 0, others, 0);
    bcast_locally(c, others);
}

static void copy_blocks(const struct collective *c, struct span flat, bool into_blocks)
{
    MPI_Count at = 0;

    for (int i = 0; i < c->remote->n; i++) {
        struct span b = block(&c->receive, i), from = part(flat, at, span_bytes(b));

        schedule_copy(c->s, into_blocks ? from : b, into_blocks ? b : from);
        at += from.count;
    }
}

/* Gathers the other group's blocks at rank 0, and broadcasts them. */
static void allgatherv_inter(const struct collective *c)
{
    struct span all = bytes_at(NULL, 0);

    for (int i = 0; i < c->remote->n; i++) {
        struct span b = block(&c->receive, i);

        all.count += span_bytes(b);
        if (c->p->rank == 0 && b.count)
            schedule_receive(c->s, c->remote, b, i);
    }
    all.at = schedule_memory(c->s, (size_t)all.count);
    if (span_bytes(block(&c->send, 0)))
        schedule_send(c->s, c->remote, block(&c->send, 0), 0);
    schedule_wait(c->s);
    if (c->p->rank == 0)
        copy_blocks(c, all, false);
    bcast_locally(c, all);
    if (c->p->rank != 0)
        copy_blocks(c, all, true);
}

static void alltoall_inter(const struct collective *c)
{
    int most = c->p->n > c->remote->n ? c->p->n : c->remote->n;

    for (int i = 0; i < most; i++) {
        int from = (c->p->rank - i + most) % most, to = (c->p->rank + i) % most;

        if (from < c->remote->n)
            schedule_receive(c->s, c->remote, block(&c->receive, from), from);
        if (to < c->remote->n)
            schedule_send(c->s, c->remote, block(&c->send, to), to);
        schedule_wait(c->s);
    }
}

const struct algorithm inter_algorithms[] = {
    {BARRIER, BETWEEN, "bcast", barrier_inter},
    {BCAST, BETWEEN, "remote_send_local_bcast flat", bcast_inter},
    {REDUCE, BETWEEN, "local_reduce_remote_send", reduce_inter},
    {ALLREDUCE, BETWEEN, "reduce_exchange_bcast remote_reduce_local_bcast", allreduce_inter},
    {REDUCE_SCATTER, BETWEEN, "remote_reduce_local_scatter remote_reduce_local_scatterv",
     reduce_scatter_inter},
    {REDUCE_SCATTER_BLOCK, BETWEEN, "remote_reduce_local_scatter remote_reduce_local_scatterv",
     reduce_scatter_inter},
    {GATHER, BETWEEN, "linear long", rooted_linear},
    {GATHER, BETWEEN, "local_gather_remote_send short", rooted_through_leader},
    {SCATTER, BETWEEN, "linear", rooted_linear},
    {SCATTER, BETWEEN, "remote_send_local_scatter", rooted_through_leader},
    {GATHERV, BETWEEN, "linear", rooted_linear},
    {SCATTERV, BETWEEN, "linear", rooted_linear},
    {ALLGATHER, BETWEEN, "local_gather_remote_bcast", allgather_inter},
    {ALLGATHERV, BETWEEN, "remote_gather_local_bcast", allgatherv_inter},
    {ALLTOALL, BETWEEN, "pairwise_exchange", alltoall_inter},
    {ALLTOALLV, BETWEEN, "pairwise_exchange", alltoall_inter},
    {ALLTOALLW, BETWEEN, "pairwise_exchange", alltoall_inter},
    {.run = NULL},
};
