/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of collective operations: each makes a struct collective of its arguments. */
#include "agreement.h"
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

static void begin_on(struct call *x, struct mpi_task *t, enum collective_kind kind,
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

static void begin(struct call *x, struct mpi_task *t, enum collective_kind kind, MPI_Comm comm,
                  MPI_Request *request)
{
    begin_on(x, t, kind, mpi_comm(t, comm), request);
}

static void take_tag(const struct collective *c)
{
    enum { TAGS = 1 << 28 };

    c->s->tag = (int)(c->comm->sequence++ % TAGS);
}

/* All steps are known: a blocking call has done them. */
static int finish(struct call *x)
{
    if (!x->request)
        return schedule_end(x->c.s);
    schedule_hold(x->c.s);
    mpi_schedule_advance(x->c.s);
    mpi_request_of_schedule(x->t, x->c.comm, x->c.s, x->request);
    return MPI_SUCCESS;
}

static int end(struct call *x)
{
    agreement_check(x->t, &x->c, x->c.comm->sequence);
    take_tag(&x->c);
    collective_run(&x->c);
    return finish(x);
}

static struct blocks uniform(const struct call *x, const void *buf, MPI_Count count,
                             MPI_Datatype type)
{
    struct mpi_type *t = buf == MPI_IN_PLACE ? NULL : mpi_type(x->t, type);

    return (struct blocks){.base = (void *)buf, .count = t ? count : 0, .type = t};
}

static struct blocks vector_of(const struct call *x, const void *buf, const MPI_Count *counts,
                               const MPI_Aint *displs, MPI_Datatype type, int n)
{
    struct blocks b = {.base = (void *)buf, .counts = counts};
    MPI_Aint *offsets;

    if (buf == MPI_IN_PLACE)
        return b;
    b.type = mpi_type(x->t, type);
    b.offsets = offsets = schedule_memory(x->c.s, (size_t)n * sizeof *offsets);
    for (int i = 0; i < n; i++)
        offsets[i] = displs[i] * b.type->extent;
    return b;
}

/* Offsets in bytes, and types of their own. */
static struct blocks vector_of_types(const struct call *x, const void *buf, const MPI_Count *counts,
                                     const MPI_Aint *offsets, const MPI_Datatype *types, int n)
{
    struct blocks b = {.base = (void *)buf, .counts = counts, .offsets = offsets};
    struct mpi_type **list;

    if (buf == MPI_IN_PLACE)
        return b;
    b.types = list = schedule_memory(x->c.s, (size_t)n * sizeof *list);
    for (int i = 0; i < n; i++)
        list[i] = mpi_type(x->t, types[i]);
    return b;
}

static int n_partners(const struct call *x)
{
    return x->c.remote ? x->c.remote->n : x->c.p->n;
}

static struct blocks vector(const struct call *x, const void *buf, const MPI_Count *counts,
                            const MPI_Aint *displs, MPI_Datatype type)
{
    return vector_of(x, buf, counts, displs, type, n_partners(x));
}

static bool is_root(const struct call *x)
{
    return x->c.remote ? x->c.root == MPI_ROOT : x->c.root == x->c.p->rank;
}

/* Whether this rank hands in data of its own where all but the root do. */
static bool is_leaf(const struct call *x)
{
    return x->c.remote ? x->c.root >= 0 : true;
}

/* ---------------------------------------------------------------- barrier, bcast */

int do_Barrier(struct mpi_task *t, MPI_Comm comm, MPI_Request *request)
{
    struct call x;

    begin(&x, t, BARRIER, comm, request);
    return end(&x);
}

int do_Bcast(struct mpi_task *t, void *buffer, MPI_Count count, MPI_Datatype datatype, int root,
             MPI_Comm comm, MPI_Request *request)
{
    struct call x;

    begin(&x, t, BCAST, comm, request);
    x.c.root = root;
    x.c.receive.base = buffer;
    if (root != MPI_PROC_NULL) {
        x.c.count = count;
        x.c.type = mpi_type(t, datatype);
    }
    return end(&x);
}

/* ---------------------------------------------------------------- gather, scatter */

int do_Gather(struct mpi_task *t, const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
              void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
              MPI_Request *request)
{
    struct call x;

    begin(&x, t, GATHER, comm, request);
    x.c.root = root;
    if (is_leaf(&x))
        x.c.send = uniform(&x, sendbuf, sendcount, sendtype);
    if (is_root(&x))
        x.c.receive = uniform(&x, recvbuf, recvcount, recvtype);
    return end(&x);
}

int do_Gatherv(struct mpi_task *t, const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
               void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
               MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request)
{
    struct call x;

    begin(&x, t, GATHERV, comm, request);
    x.c.root = root;
    if (is_leaf(&x))
        x.c.send = uniform(&x, sendbuf, sendcount, sendtype);
    if (is_root(&x))
        x.c.receive = vector(&x, recvbuf, recvcounts, displs, recvtype);
    return end(&x);
}

int do_Scatter(struct mpi_task *t, const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
               void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
               MPI_Request *request)
{
    struct call x;

    begin(&x, t, SCATTER, comm, request);
    x.c.root = root;
    if (is_leaf(&x))
        x.c.receive = uniform(&x, recvbuf, recvcount, recvtype);
    if (is_root(&x))
        x.c.send = uniform(&x, sendbuf, sendcount, sendtype);
    return end(&x);
}

int do_Scatterv(struct mpi_task *t, const void *sendbuf, const MPI_Count sendcounts[],
                const MPI_Aint displs[], MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
                MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request)
{
    struct call x;

    begin(&x, t, SCATTERV, comm, request);
    x.c.root = root;
    if (is_leaf(&x))
        x.c.receive = uniform(&x, recvbuf, recvcount, recvtype);
    if (is_root(&x))
        x.c.send = vector(&x, sendbuf, sendcounts, displs, sendtype);
    return end(&x);
}

/* ---------------------------------------------------------------- allgather, alltoall */

int do_Allgather(struct mpi_task *t, const void *sendbuf, MPI_Count sendcount,
                 MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                 MPI_Comm comm, MPI_Request *request)
{
    struct call x;

    begin(&x, t, ALLGATHER, comm, request);
    x.c.send = uniform(&x, sendbuf, sendcount, sendtype);
    x.c.receive = uniform(&x, recvbuf, recvcount, recvtype);
    return end(&x);
}

int do_Allgatherv(struct mpi_task *t, const void *sendbuf, MPI_Count sendcount,
                  MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[],
                  const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm,
                  MPI_Request *request)
{
    struct call x;

    begin(&x, t, ALLGATHERV, comm, request);
    x.c.send = uniform(&x, sendbuf, sendcount, sendtype);
    x.c.receive = vector(&x, recvbuf, recvcounts, displs, recvtype);
    return end(&x);
}

int do_Alltoall(struct mpi_task *t, const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                MPI_Request *request)
{
    struct call x;

    begin(&x, t, ALLTOALL, comm, request);
    x.c.send = uniform(&x, sendbuf, sendcount, sendtype);
    x.c.receive = uniform(&x, recvbuf, recvcount, recvtype);
    return end(&x);
}

int do_Alltoallv(struct mpi_task *t, const void *sendbuf, const MPI_Count sendcounts[],
                 const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf,
                 const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype,
                 MPI_Comm comm, MPI_Request *request)
{
    struct call x;

    begin(&x, t, ALLTOALLV, comm, request);
    x.c.send = vector(&x, sendbuf, sendcounts, sdispls, sendtype);
    x.c.receive = vector(&x, recvbuf, recvcounts, rdispls, recvtype);
    return end(&x);
}

int do_Alltoallw(struct mpi_task *t, const void *sendbuf, const MPI_Count sendcounts[],
                 const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf,
                 const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                 const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request)
{
    struct call x;

    begin(&x, t, ALLTOALLW, comm, request);
    x.c.send = vector_of_types(&x, sendbuf, sendcounts, sdispls, sendtypes, n_partners(&x));
    x.c.receive = vector_of_types(&x, recvbuf, recvcounts, rdispls, recvtypes, n_partners(&x));
    return end(&x);
}

/* ---------------------------------------------------------------- reductions */

/* Of reductions: COUNTS: of MPI_Reduce_scatter; COUNT: of the others. */
static int reduction(struct mpi_task *t, enum collective_kind kind, const void *out, void *in,
                     MPI_Count count, const MPI_Count *counts, MPI_Datatype type, MPI_Op op,
                     int root, MPI_Comm comm, MPI_Request *request)
{
    struct call x;
    int code = operation_check(t, mpi_op(t, op), mpi_type(t, type));

    if (code)
        return code;
    begin(&x, t, kind, comm, request);
    x.c.s->op = mpi_op(t, op);
    x.c.root = root;
    x.c.type = mpi_type(t, type);
    x.c.count = count;
    x.c.send.base = (void *)out;
    x.c.receive = (struct blocks){.base = in, .count = count, .counts = counts, .type = x.c.type};
    if (kind == REDUCE_SCATTER)
        x.c.count = 0;
    for (int i = 0; i < x.c.p->n && kind == REDUCE_SCATTER; i++)
        x.c.count += counts[i];
    if (kind == REDUCE_SCATTER_BLOCK)
        x.c.count *= x.c.p->n;
    return end(&x);
}

int do_Reduce(struct mpi_task *t, const void *sendbuf, void *recvbuf, MPI_Count count,
              MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm, MPI_Request *request)
{
    return reduction(t, REDUCE, sendbuf, recvbuf, count, NULL, datatype, op, root, comm, request);
}

int do_Allreduce(struct mpi_task *t, const void *sendbuf, void *recvbuf, MPI_Count count,
                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    return reduction(t, ALLREDUCE, sendbuf, recvbuf, count, NULL, datatype, op, 0, comm, request);
}

int do_Scan(struct mpi_task *t, const void *sendbuf, void *recvbuf, MPI_Count count,
            MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    return reduction(t, SCAN, sendbuf, recvbuf, count, NULL, datatype, op, 0, comm, request);
}

int do_Exscan(struct mpi_task *t, const void *sendbuf, void *recvbuf, MPI_Count count,
              MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    return reduction(t, EXSCAN, sendbuf, recvbuf, count, NULL, datatype, op, 0, comm, request);
}

int do_Reduce_scatter_block(struct mpi_task *t, const void *sendbuf, void *recvbuf,
                            MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                            MPI_Request *request)
{
    return reduction(t, REDUCE_SCATTER_BLOCK, sendbuf, recvbuf, recvcount, NULL, datatype, op, 0,
                     comm, request);
}

int do_Reduce_scatter(struct mpi_task *t, const void *sendbuf, void *recvbuf,
                      const MPI_Count recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                      MPI_Request *request)
{
    return reduction(t, REDUCE_SCATTER, sendbuf, recvbuf, 0, recvcounts, datatype, op, 0, comm,
                     request);
}

/* ---------------------------------------------------------------- neighbours */

/* Sends to all, then receives from all: MPICH has no other algorithm. Of MPI_Neighbor_alltoall
 * alone the last receive comes first: in a ring of two both neighbours are one, and what is sent
 * down comes from above. */
static void exchange_with_neighbours(struct call *x, const int *from, int n_from, const int *to,
                                     int n_to)
{
    struct collective *c = &x->c;
    bool is_gather = c->kind == NEIGHBOR_ALLGATHER || c->kind == NEIGHBOR_ALLGATHERV;
    bool is_reversed = c->kind == NEIGHBOR_ALLTOALL;

    for (int i = 0; i < n_to; i++)
        if (to[i] != MPI_PROC_NULL)
            schedule_send(c->s, c->p, block(&c->send, is_gather ? 0 : i), to[i]);
    for (int k = 0; k < n_from; k++) {
        int i = is_reversed ? n_from - 1 - k : k;

        if (from[i] != MPI_PROC_NULL)
            schedule_receive(c->s, c->p, block(&c->receive, i), from[i]);
    }
}

/* Partners of a neighbourhood collective. */
struct neighbours {
    int n_from, n_to, *from, *to;
};

static int begin_among(struct call *x, struct neighbours *p, struct mpi_task *t,
                       enum collective_kind kind, MPI_Comm comm, MPI_Request *request)
{
    if (!mpi_neighbours(mpi_comm(t, comm), &p->n_from, &p->from, &p->n_to, &p->to))
        return mpi_error(t, MPI_ERR_TOPOLOGY, "the communicator has no topology");
    begin(x, t, kind, comm, request);
    return MPI_SUCCESS;
}

static int end_among(struct call *x, struct neighbours *p)
{
    agreement_check(x->t, &x->c, x->c.comm->sequence);
    take_tag(&x->c);
    exchange_with_neighbours(x, p->from, p->n_from, p->to, p->n_to);
    free(p->from);
    free(p->to);
    return finish(x);
}

int do_Neighbor_allgather(struct mpi_task *t, const void *sendbuf, MPI_Count sendcount,
                          MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
                          MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    struct call x;
    struct neighbours p;
    int code = begin_among(&x, &p, t, NEIGHBOR_ALLGATHER, comm, request);

    if (code)
        return code;
    x.c.send = uniform(&x, sendbuf, sendcount, sendtype);
    x.c.receive = uniform(&x, recvbuf, recvcount, recvtype);
    return end_among(&x, &p);
}

int do_Neighbor_allgatherv(struct mpi_task *t, const void *sendbuf, MPI_Count sendcount,
                           MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[],
                           const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm,
                           MPI_Request *request)
{
    struct call x;
    struct neighbours p;
    int code = begin_among(&x, &p, t, NEIGHBOR_ALLGATHERV, comm, request);

    if (code)
        return code;
    x.c.send = uniform(&x, sendbuf, sendcount, sendtype);
    x.c.receive = vector_of(&x, recvbuf, recvcounts, displs, recvtype, p.n_from);
    return end_among(&x, &p);
}

int do_Neighbor_alltoall(struct mpi_task *t, const void *sendbuf, MPI_Count sendcount,
                         MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
                         MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    struct call x;
    struct neighbours p;
    int code = begin_among(&x, &p, t, NEIGHBOR_ALLTOALL, comm, request);

    if (code)
        return code;
    x.c.send = uniform(&x, sendbuf, sendcount, sendtype);
    x.c.receive = uniform(&x, recvbuf, recvcount, recvtype);
    return end_among(&x, &p);
}

int do_Neighbor_alltoallv(struct mpi_task *t, const void *sendbuf, const MPI_Count sendcounts[],
                          const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf,
                          const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                          MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    struct call x;
    struct neighbours p;
    int code = begin_among(&x, &p, t, NEIGHBOR_ALLTOALLV, comm, request);

    if (code)
        return code;
    x.c.send = vector_of(&x, sendbuf, sendcounts, sdispls, sendtype, p.n_to);
    x.c.receive = vector_of(&x, recvbuf, recvcounts, rdispls, recvtype, p.n_from);
    return end_among(&x, &p);
}

int do_Neighbor_alltoallw(struct mpi_task *t, const void *sendbuf, const MPI_Count sendcounts[],
                          const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf,
                          const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                          const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request)
{
    struct call x;
    struct neighbours p;
    int code = begin_among(&x, &p, t, NEIGHBOR_ALLTOALLW, comm, request);

    if (code)
        return code;
    x.c.send = vector_of_types(&x, sendbuf, sendcounts, sdispls, sendtypes, p.n_to);
    x.c.receive = vector_of_types(&x, recvbuf, recvcounts, rdispls, recvtypes, p.n_from);
    return end_among(&x, &p);
}

/* ---------------------------------------------------------------- for windows */

void window_barrier(struct mpi_task *t, struct mpi_win *w)
{
    struct call x;

    begin_on(&x, t, BARRIER, w->comm, NULL);
    end(&x);
}
