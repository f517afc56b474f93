/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of collective operations: each makes a struct collective of its arguments. */
#include "collective.h"
#include "window.h"

/* A call: blocking if REQUEST is NULL. */
struct call {
    struct mpi_task *t;
    struct collective c;
    struct mpi_schedule own;
    struct scratch scratch;
    MPI_Request *request;
};

static void begin(struct call *x, struct mpi_task *t, enum collective_kind kind,
                  struct mpi_comm *comm, MPI_Request *request)
{
    struct collective_state *state = collective_state_of(comm);
    struct mpi_schedule *s = request ? mpi_alloc(1, sizeof *s) : &x->own;

    *s = (struct mpi_schedule){
        .task = t, .is_stored = request != NULL, .scratch = request ? NULL : &x->scratch};
    x->scratch.used = 0;
    x->t = t;
    x->request = request;
    x->c = (struct collective){.s = s,
                               .comm = comm,
                               .state = state,
                               .p = &state->party,
                               .remote = comm->remote ? &state->remote : NULL,
                               .is_whole = !comm->remote,
                               .kind = kind,
                               .type = mpi_builtin_type(MPI_BYTE)};
}

static void take_tag(const struct collective *c)
{
    enum { TAGS = 1 << 28 };

    c->s->tag = (int)(c->comm->sequence++ % TAGS);
}

/* Completes the call when all steps are known: a blocking call has performed them. */
static int finish(struct call *x, bool is_persistent)
{
    if (!x->request)
        return schedule_end(x->c.s);
    schedule_hold(x->c.s);
    if (!is_persistent)
        mpi_schedule_begin(x->c.s);
    mpi_request_of_schedule(x->t, x->c.comm, x->c.s, is_persistent, x->request);
    return MPI_SUCCESS;
}

/* ---------------------------------------------------------------- arguments */

/* Returns the blocks of a buffer for N partners. */
static struct blocks blocks_of(const struct call *x, const struct buffer *b, int n)
{
    struct blocks blocks = {.base = (void *)b->at, .counts = b->counts};
    struct mpi_type **types;
    MPI_Aint *offsets;

    if (b->at == MPI_IN_PLACE)
        return blocks;
    if (b->types) {
        blocks.offsets = b->displs;
        blocks.types = types = schedule_memory(x->c.s, (size_t)n * sizeof *types);
        for (int i = 0; i < n; i++)
            types[i] = mpi_type(x->t, b->types[i]);
        return blocks;
    }
    blocks.type = mpi_type(x->t, b->type);
    blocks.count = b->count;
    if (!b->counts)
        return blocks;
    blocks.offsets = offsets = schedule_memory(x->c.s, (size_t)n * sizeof *offsets);
    for (int i = 0; i < n; i++)
        offsets[i] = b->displs[i] * blocks.type->extent;
    return blocks;
}

static bool is_gather(enum collective_kind kind)
{
    return kind == GATHER || kind == GATHERV;
}

static bool is_scatter(enum collective_kind kind)
{
    return kind == SCATTER || kind == SCATTERV;
}

static void take_blocks(struct call *x, const struct arguments *a, int n_to, int n_from)
{
    struct collective *c = &x->c;
    bool is_rooted = is_gather(c->kind) || is_scatter(c->kind);
    bool is_root = c->remote ? c->root == MPI_ROOT : c->root == c->p->rank;
    bool is_leaf = !c->remote || c->root >= 0; /* has a block where all but the root have one */

    if (!is_rooted || (is_gather(c->kind) ? is_leaf : is_root))
        c->send = blocks_of(x, &a->send, n_to);
    if (!is_rooted || (is_gather(c->kind) ? is_root : is_leaf))
        c->receive = blocks_of(x, &a->receive, n_from);
}

/* Returns whether RANK sends its own block of a buffer of all ranks. */
static bool is_own_block(struct mpi_task *t, const struct buffer *own, const struct buffer *all,
                         int rank)
{
    MPI_Count i = all->counts ? all->displs[rank] : rank * all->count;

    return own->type == all->type && own->count &&
           (all->counts ? all->counts[rank] != 0 : own->count == all->count) &&
           own->at == (const char *)all->at + i * mpi_type(t, all->type)->size;
}

static bool is_same_exchange(const struct buffer *a, const struct buffer *b, int n)
{
    bool is_used = false;

    if (a->at != b->at)
        return false;
    if (!a->counts)
        return a->type == b->type && a->count == b->count && a->count;
    for (int i = 0; i < n; i++) {
        if (a->counts[i] != b->counts[i] ||
            (a->types ? a->types[i] != b->types[i] : a->type != b->type))
            return false;
        is_used |= a->counts[i] != 0;
    }
    return is_used;
}

static bool is_operand_twice(enum collective_kind kind, const struct arguments *a, int n)
{
    MPI_Count sum = a->receive.count;

    for (int i = 0; i < n && kind == REDUCE_SCATTER; i++)
        sum += a->receive.counts[i];
    return sum && a->send.at == a->receive.at;
}

/* Finds errors as MPICH does: the two buffers are one, or MPI_IN_PLACE is not allowed. */
static int check_buffers(struct mpi_task *t, enum collective_kind kind, const struct mpi_comm *comm,
                         const struct arguments *a)
{
    const struct buffer *own = is_scatter(kind) ? &a->receive : &a->send;
    const struct buffer *all = is_scatter(kind) ? &a->send : &a->receive;
    bool is_rooted = is_gather(kind) || is_scatter(kind) || kind == REDUCE, is_same;

    if (comm->remote || kind == BARRIER || kind == BCAST || kind >= NEIGHBOR_ALLGATHER ||
        (is_rooted && a->root != comm->rank))
        return MPI_SUCCESS;
    if (all->at == MPI_IN_PLACE && (all->count || all->counts))
        return mpi_error(t, MPI_ERR_BUFFER, "MPI_IN_PLACE is for the other buffer");
    if (own->at == MPI_IN_PLACE)
        return MPI_SUCCESS;
    if (a->op)
        is_same = is_operand_twice(kind, a, comm->n);
    else if (kind == ALLTOALL || kind == ALLTOALLV || kind == ALLTOALLW)
        is_same = is_same_exchange(own, all, comm->n);
    else
        is_same = is_own_block(t, own, all, comm->rank);
    return is_same ? mpi_error(t, MPI_ERR_BUFFER, "the two buffers are the same; use MPI_IN_PLACE")
                   : MPI_SUCCESS;
}

/* Takes the operands of a reduction, or the buffer of MPI_Bcast. */
static void take_operands(struct call *x, const struct arguments *a)
{
    struct collective *c = &x->c;

    c->receive.base = (void *)a->receive.at;
    if (c->root == MPI_PROC_NULL) /* its other arguments are not significant */
        return;
    c->s->op = a->op ? mpi_op(x->t, a->op) : NULL;
    c->type = mpi_type(x->t, a->receive.type);
    c->count = a->receive.count;
    c->send.base = (void *)a->send.at;
    c->receive.count = c->count;
    c->receive.counts = a->receive.counts;
    c->receive.type = c->type;
    for (int i = 0; i < c->p->n && c->kind == REDUCE_SCATTER; i++)
        c->count += a->receive.counts[i];
    if (c->kind == REDUCE_SCATTER_BLOCK)
        c->count *= c->p->n;
}

/* ---------------------------------------------------------------- calls */

/* Sends to all neighbours, then receives from all: MPICH has no other algorithm. In
 * MPI_Neighbor_alltoall alone the last receive comes first: in a ring of two both neighbours are
 * the same rank, and what is sent down comes from above. */
static void exchange_with_neighbours(const struct collective *c, const struct mpi_neighbours *p)
{
    bool is_gather = c->kind == NEIGHBOR_ALLGATHER || c->kind == NEIGHBOR_ALLGATHERV;
    bool is_reversed = c->kind == NEIGHBOR_ALLTOALL;

    for (int i = 0; i < p->n_to; i++)
        if (p->to[i] != MPI_PROC_NULL)
            schedule_send(c->s, c->p, block(&c->send, is_gather ? 0 : i), p->to[i]);
    for (int k = 0; k < p->n_from; k++) {
        int i = is_reversed ? p->n_from - 1 - k : k;

        if (p->from[i] != MPI_PROC_NULL)
            schedule_receive(c->s, c->p, block(&c->receive, i), p->from[i]);
    }
}

/* Takes the time of MPI's work before the first message, except on a communicator of one rank. */
static void take_call(const struct mpi_comm *comm)
{
    int64_t ns = comm->n > 1 ? clue_shared_ns(CLUE_COLLECTIVE_CALL, 0) : -1;

    if (ns > 0)
        clue_spend(ns);
}

static int call(struct mpi_task *t, enum collective_kind kind, struct mpi_comm *comm,
                MPI_Request *request, bool is_persistent, const struct arguments *a)
{
    bool is_among_neighbours = kind >= NEIGHBOR_ALLGATHER;
    struct mpi_neighbours neighbours;
    struct call x;
    bool is_reduction = a->op && a->root != MPI_PROC_NULL;
    int code = MPI_SUCCESS;

    if (is_reduction)
        code = operation_check(t, mpi_op(t, a->op), mpi_type(t, a->receive.type));
    if (code || (code = check_buffers(t, kind, comm, a)))
        return code;
    if (is_among_neighbours && !mpi_neighbours(comm, &neighbours))
        return mpi_error(t, MPI_ERR_TOPOLOGY, "the communicator has no topology");
    begin(&x, t, kind, comm, request);
    x.c.root = a->root;
    if (a->op || kind == BCAST)
        take_operands(&x, a);
    else if (is_among_neighbours)
        take_blocks(&x, a, neighbours.n_to, neighbours.n_from);
    else if (kind != BARRIER)
        take_blocks(&x, a, mpi_partners(comm)->n, mpi_partners(comm)->n);
    collective_check(t, &x.c);
    take_tag(&x.c);
    if (!is_persistent)
        take_call(comm);
    if (is_among_neighbours) {
        exchange_with_neighbours(&x.c, &neighbours);
        free(neighbours.from);
        free(neighbours.to);
    } else {
        collective_run(&x.c);
    }
    return finish(&x, is_persistent);
}

int collective_call(struct mpi_task *t, enum collective_kind kind, MPI_Comm comm,
                    MPI_Request *request, const struct arguments *a)
{
    return call(t, kind, mpi_comm(t, comm), request, false, a);
}

int collective_init(struct mpi_task *t, enum collective_kind kind, MPI_Comm comm,
                    MPI_Request *request, const struct arguments *a)
{
    return call(t, kind, mpi_comm(t, comm), request, true, a);
}

void mpi_start_collective(struct mpi_task *t, struct mpi_request *r)
{
    take_call(r->comm);
    mpi_schedule_begin(r->schedule);
    mpi_request_activate(t, r);
    if (mpi_is_observed())
        mpi_notify_collective(t, r->comm, (uint64_t)r->bytes, r->rank, &r->handle);
}

void window_barrier(struct mpi_task *t, struct mpi_win *w)
{
    call(t, BARRIER, w->comm, NULL, false, &(const struct arguments){0});
}
