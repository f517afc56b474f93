/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators: their contents and ends, and how their ranks agree. */
#include "schedule.h"

/* Mixes two numbers into a hash (the finalizer of MurmurHash3). */
static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t x = a * 0x9e3779b97f4a7c15U + b + 0x7f4a7c15U;

    x = (x ^ x >> 33) * 0xff51afd7ed558ccdU;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53U;
    return x ^ x >> 33;
}

uint64_t mpi_context_of(uint64_t a, uint64_t b)
{
    return mix(a, b) & ~(uint64_t)(MPI_CHANNELS - 1);
}

uint64_t mpi_context_next(struct mpi_comm *c, uint64_t split)
{
    return mpi_context_of(mix(c->context, ++c->n_made), split);
}

struct mpi_comm *mpi_comm_new(struct mpi_task *t, uint64_t context, struct mpi_group *group,
                              struct mpi_group *remote)
{
    struct mpi_comm *c = mpi_alloc(1, sizeof *c);

    c->refs = 1;
    c->context = context;
    c->group = mpi_group_retain(group);
    c->remote = remote ? mpi_group_retain(remote) : NULL;
    c->n = group->n;
    c->rank = mpi_group_rank(group, t->rank);
    c->seen = (struct portolan_mpi_comm){.id = context,
                                         .n_members = group->n,
                                         .members = group->members,
                                         .n_remote = remote ? remote->n : 0,
                                         .remote = remote ? remote->members : NULL};
    if (remote) {
        c->is_low = group->members[0] < remote->members[0];
        c->local =
            mpi_comm_new(t, mpi_context_of(context, (uint64_t)group->members[0]), group, NULL);
    }
    return c;
}

MPI_Comm mpi_comm_publish(struct mpi_task *t, struct mpi_comm *c, const struct mpi_comm *parent)
{
    c->seen.number = t->n_comms++;
    c->handle = mpi_handle(t, MPI_KIND_COMM, c);
    if (parent)
        mpi_errhandler_share(&c->object, parent->object.errhandler);
    return c->handle;
}

void mpi_comm_retain(struct mpi_comm *c)
{
    c->refs++;
}

void mpi_comm_release(struct mpi_comm *c)
{
    if (!c || --c->refs)
        return;
    free(c->collective);
    mpi_errhandler_share(&c->object, NULL);
    mpi_hints_free(&c->object);
    mpi_comm_release(c->local);
    mpi_topology_free(c->topology);
    mpi_group_release(c->group);
    mpi_group_release(c->remote);
    free(c->neighbours);
    free(c);
}

int do_Comm_free(struct mpi_task *t, MPI_Comm *handle)
{
    struct mpi_comm *c = mpi_comm(t, *handle);
    int code;

    if (!c || c == t->world || c == t->self)
        return mpi_error(t, MPI_ERR_COMM, "0x%x is no communicator made by the program", *handle);
    code = mpi_attributes_delete(*handle, &c->object);
    if (code != MPI_SUCCESS)
        return code;
    mpi_handle_free(t, *handle);
    mpi_comm_release(c);
    *handle = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

/* ---------------------------------------------------------------- how ranks agree */

void mpi_exchange(struct mpi_task *t, struct mpi_comm *c, int tag, int to, const void *data,
                  size_t n, int from, void *got, size_t room)
{
    struct mpi_schedule s = {.task = t, .tag = tag};
    struct ranks p = {c->n, c->rank, mpi_partners(c)->members, c->context + MPI_MAKING};

    if (from >= 0)
        schedule_receive(&s, &p, bytes_at(got, (MPI_Count)room), from);
    if (to >= 0)
        schedule_send(&s, &p, bytes_at(data, (MPI_Count)n), to);
    schedule_end(&s);
}

/* Gathers by Bruck's algorithm: after each step a rank has twice as many blocks, its own first. */
void mpi_gather_all(struct mpi_task *t, struct mpi_comm *c, const void *mine, void *all,
                    size_t bytes)
{
    size_t n = (size_t)c->n, have = 1;
    char *row = all, *copy;

    memcpy(row, mine, bytes);
    while (have < n) {
        size_t more = have < n - have ? have : n - have;

        mpi_exchange(t, c, 0, (c->rank - (int)have + c->n) % c->n, row, more * bytes,
                     (c->rank + (int)have) % c->n, row + have * bytes, more * bytes);
        have += more;
    }
    copy = mpi_copy_of(row, n, bytes);
    memcpy(row + (size_t)c->rank * bytes, copy, (n - (size_t)c->rank) * bytes);
    memcpy(row, copy + (n - (size_t)c->rank) * bytes, (size_t)c->rank * bytes);
    free(copy);
}

void mpi_meet(struct mpi_task *t, struct mpi_comm *c)
{
    char mine = 0, *all = mpi_alloc((size_t)c->n, 1);

    mpi_gather_all(t, c, &mine, all, 1);
    free(all);
}

/* Broadcasts down a binomial tree. */
void mpi_broadcast(struct mpi_task *t, struct mpi_comm *c, int root, void *data, size_t bytes)
{
    int relative = (c->rank - root + c->n) % c->n, bit = 1;

    for (; bit < c->n && !(relative & bit); bit <<= 1)
        ;
    if (relative)
        mpi_exchange(t, c, 0, -1, NULL, 0, (c->rank - bit + c->n) % c->n, data, bytes);
    for (bit >>= 1; bit > 0; bit >>= 1)
        if (relative + bit < c->n)
            mpi_exchange(t, c, 0, (c->rank + bit) % c->n, data, bytes, -1, NULL, 0);
}

/* ---------------------------------------------------------------- questions */

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* MPI_IDENT, MPI_CONGRUENT, MPI_SIMILAR and MPI_UNEQUAL are numbers in this order. */
int do_Comm_compare(struct mpi_task *t, MPI_Comm comm1, MPI_Comm comm2, int *result)
{
    struct mpi_comm *a = mpi_comm(t, comm1), *b = mpi_comm(t, comm2);

    if (a == b)
        *result = MPI_IDENT;
    else if (!a->remote != !b->remote)
        *result = MPI_UNEQUAL;
    else
        *result = larger(MPI_CONGRUENT, mpi_group_compare(a->group, b->group));
    if (a->remote && b->remote)
        *result = larger(*result, mpi_group_compare(a->remote, b->remote));
    return MPI_SUCCESS;
}
