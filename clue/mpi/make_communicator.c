/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes communicators. Contexts need no messages here, but the ranks meet where those of MPICH
 * agree on a context.
 */
#include "internal.h"

/*
 * The leaders of two groups exchange N bytes of MINE, and all ranks of LOCAL get the other
 * leader's, malloc'ed, and *N_THEIRS. LEADER: rank in LOCAL of the leader, for which PEER_RANK of
 * PEER is the other one.
 */
static void *swap_bytes(struct mpi_task *t, struct mpi_comm *local, int leader,
                        struct mpi_comm *peer, int peer_rank, int tag, const void *mine, size_t n,
                        size_t *n_theirs)
{
    size_t other = 0;
    void *theirs;

    if (local->rank == leader)
        mpi_exchange(t, peer, tag, peer_rank, &n, sizeof n, peer_rank, &other, sizeof other);
    mpi_broadcast(t, local, leader, &other, sizeof other);
    theirs = mpi_alloc(other, 1);
    if (local->rank == leader)
        mpi_exchange(t, peer, tag, peer_rank, mine, n, peer_rank, theirs, other);
    mpi_broadcast(t, local, leader, theirs, other);
    *n_theirs = other;
    return theirs;
}

/* Does the same over an intercommunicator. */
static void *swap_over(struct mpi_task *t, struct mpi_comm *c, const void *mine, size_t n,
                       size_t *n_theirs)
{
    return swap_bytes(t, c->local, 0, c, 0, 0, mine, n, n_theirs);
}

/* ---------------------------------------------------------------- duplicates */

int mpi_comm_duplicate(struct mpi_task *t, struct mpi_comm *c, MPI_Comm *new)
{
    struct mpi_comm *copy = mpi_comm_new(t, mpi_context_next(c, 0), c->group, c->remote);
    int code = mpi_attributes_copy(c->handle, &c->object, &copy->object);

    copy->topology = mpi_topology_retain(c->topology);
    copy->is_low = c->is_low;
    *new = MPI_COMM_NULL;
    if (code == MPI_SUCCESS)
        *new = mpi_comm_publish(t, copy, c);
    else
        mpi_comm_release(copy);
    return code;
}

/* ---------------------------------------------------------------- parts */

struct ticket {
    int color, key;
};
struct place {
    int key, rank;
};

static int by_key(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    return x->key != y->key ? PORTOLAN_ORDER(x->key, y->key) : PORTOLAN_ORDER(x->rank, y->rank);
}

/* Returns the group of those ranks of OLD that have COLOR, by key. */
static struct mpi_group *group_of_color(const struct ticket *tickets, struct mpi_group *old,
                                        int color)
{
    struct place *places = mpi_alloc((size_t)old->n, sizeof *places);
    int n = 0, *members;

    for (int i = 0; i < old->n; i++)
        if (tickets[i].color == color)
            places[n++] = (struct place){tickets[i].key, i};
    qsort(places, (size_t)n, sizeof *places, by_key);
    members = mpi_alloc((size_t)n, sizeof *members);
    for (int i = 0; i < n; i++)
        members[i] = old->members[places[i].rank];
    free(places);
    return mpi_group_new(n, members);
}

int mpi_comm_split(struct mpi_task *t, struct mpi_comm *c, int color, int key, MPI_Comm *new)
{
    struct ticket mine = {color, key}, *theirs = NULL;
    struct ticket *all = mpi_alloc((size_t)c->n, sizeof *all);
    struct mpi_group *group = NULL, *remote = NULL;
    size_t bytes = 0;

    mpi_gather_all(t, c->remote ? c->local : c, &mine, all, sizeof mine);
    if (c->remote)
        theirs = swap_over(t, c, all, (size_t)c->n * sizeof *all, &bytes);
    mpi_meet(t, c->remote ? c->local : c);
    *new = MPI_COMM_NULL;
    if (color != MPI_UNDEFINED) {
        group = group_of_color(all, c->group, color);
        remote = theirs ? group_of_color(theirs, c->remote, color) : NULL;
    }
    if (group && (!remote || remote->n))
        *new = mpi_comm_publish(
            t, mpi_comm_new(t, mpi_context_next(c, (uint64_t)color), group, remote), c);
    else
        c->n_made++;
    mpi_group_release(group);
    mpi_group_release(remote);
    free(all);
    free(theirs);
    return MPI_SUCCESS;
}

int do_Comm_create(struct mpi_task *t, MPI_Comm comm, MPI_Group handle, MPI_Comm *new)
{
    struct mpi_comm *c = mpi_comm(t, comm);
    struct mpi_group *group = mpi_group(t, handle), *remote = NULL;
    uint64_t context;
    size_t bytes;
    int *theirs;

    for (int i = 0; i < group->n; i++)
        if (mpi_group_rank(c->group, group->members[i]) == MPI_UNDEFINED)
            return mpi_error(t, MPI_ERR_GROUP, "the group is not a part of the communicator's");
    if (c->remote) {
        theirs = swap_over(t, c, group->members, (size_t)group->n * sizeof(int), &bytes);
        remote = mpi_group_new((int)(bytes / sizeof(int)), theirs);
    } else {
        mpi_meet(t, c);
    }
    context = mpi_context_next(c, c->remote || !group->n ? 0 : (uint64_t)group->members[0]);
    *new = MPI_COMM_NULL;
    if (mpi_group_rank(group, t->rank) != MPI_UNDEFINED && (!remote || remote->n))
        *new = mpi_comm_publish(t, mpi_comm_new(t, context, group, remote), c);
    mpi_group_release(remote);
    return MPI_SUCCESS;
}

/* Draws a number that no other rank draws. */
static uint64_t draw(struct mpi_task *t)
{
    return (uint64_t)t->rank << 32 | ++t->n_drawn;
}

int do_Comm_create_group(struct mpi_task *t, MPI_Comm comm, MPI_Group handle, int tag,
                         MPI_Comm *new)
{
    struct mpi_comm *c = mpi_comm(t, comm), *meeting;
    struct mpi_group *group = mpi_group(t, handle);
    uint64_t number = draw(t);

    *new = MPI_COMM_NULL;
    if (mpi_group_rank(group, t->rank) == MPI_UNDEFINED)
        return MPI_SUCCESS;
    meeting = mpi_comm_new(
        t, mpi_context_of(mpi_context_of(c->context, group->hash), (uint64_t)tag), group, NULL);
    mpi_meet(t, meeting);
    mpi_broadcast(t, meeting, 0, &number, sizeof number);
    mpi_comm_release(meeting);
    *new = mpi_comm_publish(t, mpi_comm_new(t, mpi_context_of(number, 1), group, NULL), c);
    return MPI_SUCCESS;
}

/* ---------------------------------------------------------------- two groups */

int do_Intercomm_create(struct mpi_task *t, MPI_Comm local_comm, int local_leader,
                        MPI_Comm peer_comm, int remote_leader, int tag, MPI_Comm *new)
{
    struct mpi_comm *c = mpi_comm(t, local_comm), *peer = mpi_comm(t, peer_comm);
    size_t n_mine = sizeof(uint64_t) + (size_t)c->n * sizeof(int), n_theirs;
    uint64_t mine = draw(t), other, number;
    struct mpi_group *remote;
    char *row, *theirs;
    int n;

    if (local_leader < 0 || local_leader >= c->n)
        return mpi_error(t, MPI_ERR_RANK, "local leader is %d", local_leader);
    if (c->rank == local_leader &&
        (!peer || remote_leader < 0 || remote_leader >= mpi_partners(peer)->n))
        return mpi_error(t, peer ? MPI_ERR_RANK : MPI_ERR_COMM, "remote leader is %d",
                         remote_leader);
    mpi_broadcast(t, c, local_leader, &mine, sizeof mine);
    row = mpi_alloc(n_mine, 1);
    memcpy(row, &mine, sizeof mine);
    memcpy(row + sizeof mine, c->group->members, (size_t)c->n * sizeof(int));
    theirs = swap_bytes(t, c, local_leader, peer, remote_leader, tag, row, n_mine, &n_theirs);
    memcpy(&other, theirs, sizeof other);
    n = (int)((n_theirs - sizeof other) / sizeof(int));
    remote = mpi_group_new(n, mpi_copy_of(theirs + sizeof other, (size_t)n, sizeof(int)));
    number = mpi_context_of(mine < other ? mine : other, mine < other ? other : mine);
    *new = mpi_comm_publish(t, mpi_comm_new(t, number, c->group, remote), c);
    mpi_group_release(remote);
    free(row);
    free(theirs);
    return MPI_SUCCESS;
}

int do_Intercomm_merge(struct mpi_task *t, MPI_Comm intercomm, int high, MPI_Comm *new)
{
    struct mpi_comm *c = mpi_comm(t, intercomm);
    struct mpi_group *first, *second, *group;
    int *theirs, *members;
    bool is_first;
    size_t n;

    high = high != 0;
    theirs = swap_over(t, c, &high, sizeof high, &n);
    is_first = high == *theirs ? c->is_low : !high;
    free(theirs);
    first = is_first ? c->group : c->remote;
    second = is_first ? c->remote : c->group;
    members = mpi_alloc((size_t)(first->n + second->n), sizeof *members);
    memcpy(members, first->members, (size_t)first->n * sizeof *members);
    memcpy(members + first->n, second->members, (size_t)second->n * sizeof *members);
    group = mpi_group_new(first->n + second->n, members);
    *new = mpi_comm_publish(t, mpi_comm_new(t, mpi_context_next(c, 0), group, NULL), c);
    mpi_group_release(group);
    return MPI_SUCCESS;
}
