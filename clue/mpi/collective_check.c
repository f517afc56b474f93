/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks that all ranks of a communicator call the same collectives. For each call that not all
 * ranks have made yet, it keeps what the first rank called. */
#include "collective.h"

#include <stdio.h>

struct first_call {
    struct first_call *next;
    uint64_t context, sequence;
    int n_left; /* number of ranks that have not called */
    int rank, task;
    int root, root_task; /* PORTOLAN_MPI_NONE: no root, or not known to this rank */
    MPI_Op op;           /* 0: none, or the program's own; MPI_OP_NULL: not known to this rank */
    MPI_Count bytes;     /* -1: the size may differ between ranks */
    uint32_t routine;
    char name[40]; /* the routine's */
    const void *site;
};

enum { SLOTS = 1024 };

static bool is_root(const struct collective *c)
{
    return c->remote ? c->root == MPI_ROOT : c->root == c->p->rank;
}

/* Returns the bytes that are the same on all ranks; -1: they may differ. */
static MPI_Count common_bytes(const struct collective *c)
{
    const struct blocks *b = &c->receive;

    if (c->remote && c->root == MPI_PROC_NULL)
        return -1;
    switch (c->kind) {
    case GATHER:
        b = is_root(c) ? &c->receive : &c->send;
        break;
    case SCATTER:
        b = is_root(c) ? &c->send : &c->receive;
        break;
    case ALLGATHER:
    case ALLTOALL:
        if (c->remote) /* each group has its own size */
            return -1;
        break;
    case GATHERV:
    case SCATTERV:
    case ALLGATHERV:
    case ALLTOALLV:
    case ALLTOALLW:
    case NEIGHBOR_ALLGATHER:
    case NEIGHBOR_ALLGATHERV:
    case NEIGHBOR_ALLTOALL:
    case NEIGHBOR_ALLTOALLV:
    case NEIGHBOR_ALLTOALLW:
        return -1;
    default:
        return c->count * c->type->size;
    }
    return b->type ? b->count * b->type->size : 0;
}

static void describe(char *text, size_t size, const struct first_call *a)
{
    int n = snprintf(text, size, "%s(", a->name);

    if (a->root == MPI_ROOT)
        n += snprintf(text + n, size - (size_t)n, "root MPI_ROOT, ");
    else if (a->root != PORTOLAN_MPI_NONE)
        n += snprintf(text + n, size - (size_t)n, "root %d, ", a->root);
    if (a->op && a->op != MPI_OP_NULL)
        n += snprintf(text + n, size - (size_t)n, "operation 0x%x, ", (unsigned)a->op);
    if (a->bytes >= 0)
        n += snprintf(text + n, size - (size_t)n, "%lld bytes, ", (long long)a->bytes);
    snprintf(text + n - (text[n - 1] == ' ' ? 2 : 0), size - (size_t)n, ")");
}

/* Ends the run if the two calls differ. FIRST takes over what only OWN knows. */
static void compare(struct first_call *first, const struct first_call *own)
{
    char there[160], here[160];
    bool is_same_size = first->bytes == own->bytes || first->bytes < 0 || own->bytes < 0;
    bool is_same_root =
        first->root_task == own->root_task || first->root_task < 0 || own->root_task < 0;
    bool is_same_op = first->op == own->op || first->op == MPI_OP_NULL || own->op == MPI_OP_NULL;

    if (first->routine == own->routine && is_same_root && is_same_op && is_same_size) {
        first->op = first->op == MPI_OP_NULL ? own->op : first->op;
        first->bytes = first->bytes < 0 ? own->bytes : first->bytes;
        first->root_task = first->root_task < 0 ? own->root_task : first->root_task;
        return;
    }
    describe(there, sizeof there, first);
    describe(here, sizeof here, own);
    clue_fail("collectives differ: rank %d of the communicator calls %s, but its call number %llu "
              "of a collective was %s on rank %d, at %s",
              own->rank, here, (unsigned long long)own->sequence + 1, there, first->rank,
              clue_site_text(first->task, first->site));
}

static int root_task_of(const struct collective *c)
{
    if (!c->remote)
        return c->p->tasks[c->root];
    return c->root == MPI_ROOT ? clue_self()
           : c->root < 0       ? PORTOLAN_MPI_NONE
                               : c->remote->tasks[c->root];
}

static struct first_call call_of(const struct mpi_task *t, const struct mpi_comm *comm)
{
    struct first_call own = {.context = comm->context,
                             .sequence = comm->sequence,
                             .n_left = comm->n + (comm->remote ? comm->remote->n : 0),
                             .rank = comm->rank,
                             .task = clue_self(),
                             .root = PORTOLAN_MPI_NONE,
                             .root_task = PORTOLAN_MPI_NONE,
                             .bytes = -1,
                             .routine = t->routine->number,
                             .site = t->site};

    snprintf(own.name, sizeof own.name, "%s", t->routine->name);
    return own;
}

static struct first_call describe_call(struct mpi_task *t, const struct collective *c)
{
    bool is_rooted = c->kind == BCAST || c->kind == REDUCE || c->kind == GATHER ||
                     c->kind == GATHERV || c->kind == SCATTER || c->kind == SCATTERV;
    /* Each rank has its own handle of an operation of the program, so those are not compared. */
    bool has_op = c->s->op && c->s->op->is_builtin;
    struct first_call own = call_of(t, c->comm);

    if (is_rooted) {
        own.root = c->root;
        own.root_task = root_task_of(c);
    }
    own.op = has_op ? c->s->op->handle : 0;
    if (c->kind == REDUCE && c->root == MPI_PROC_NULL)
        own.op = MPI_OP_NULL;
    own.bytes = c->kind == BARRIER ? -1 : common_bytes(c);
    return own;
}

static struct first_call **slots_of(struct mpi_shared *shared)
{
    if (!shared->agreements)
        shared->agreements = clue_share(SLOTS * sizeof *shared->agreements);
    return shared->agreements;
}

static void check(struct first_call own)
{
    struct mpi_shared *shared = mpi_shared();
    struct first_call **link = &slots_of(shared)[(own.context + own.sequence * 31) % SLOTS], *a;

    while (*link && ((*link)->context != own.context || (*link)->sequence != own.sequence))
        link = &(*link)->next;
    if (!*link) {
        if (!(a = shared->free_agreements))
            a = clue_share(sizeof *a);
        else
            shared->free_agreements = a->next;
        *a = own;
        *link = a;
    } else
        compare(*link, &own);
    a = *link;
    if (--a->n_left == 0) {
        *link = a->next;
        a->next = shared->free_agreements;
        shared->free_agreements = a;
    }
}

void collective_check(struct mpi_task *t, const struct collective *c)
{
    check(describe_call(t, c));
}

void collective_check_making(struct mpi_task *t, struct mpi_comm *comm)
{
    check(call_of(t, comm));
    comm->sequence++;
}
