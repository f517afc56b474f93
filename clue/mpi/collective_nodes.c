/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives over nodes: MPICH's compositions, and what it performs in a node's shared memory. */
#include "collective.h"

/* ---------------------------------------------------------------- nodes */

static void number_nodes(struct nodes *nodes, const struct mpi_group *group)
{
    int most = 0, *node_of_host;

    for (int i = 0; i < group->n; i++)
        if (clue_host_of(group->members[i]) > most)
            most = clue_host_of(group->members[i]);
    node_of_host = mpi_alloc((size_t)most + 1, sizeof *node_of_host);
    nodes->is_consecutive = true;
    for (int i = 0; i < group->n; i++) {
        int *node = &node_of_host[clue_host_of(group->members[i])]; /* 1 + the node's number */

        if (!*node) {
            nodes->leaders[nodes->n_nodes] = group->members[i];
            *node = ++nodes->n_nodes;
        }
        nodes->node_of[i] = *node - 1;
        nodes->local_rank[i] = nodes->begin[*node]++;
        nodes->is_consecutive &= i == 0 || nodes->node_of[i] >= nodes->node_of[i - 1];
    }
    free(node_of_host);
}

/* Returns the group's nodes, which all ranks share. */
static struct nodes *nodes_of(struct mpi_group *group)
{
    size_t n = (size_t)group->n;
    struct nodes *nodes = group->nodes;

    if (nodes)
        return nodes;
    group->nodes = nodes = mpi_alloc(1, sizeof *nodes + (5 * n + 2) * sizeof *nodes->ints);
    nodes->node_of = nodes->ints;
    nodes->local_rank = nodes->ints + n;
    nodes->tasks = nodes->ints + 2 * n;
    nodes->leaders = nodes->ints + 3 * n;
    nodes->begin = nodes->ints + 4 * n;
    number_nodes(nodes, group);
    nodes->is_hierarchy = nodes->n_nodes < group->n;
    nodes->is_consecutive &= nodes->is_hierarchy;
    for (int i = 0; i < nodes->n_nodes; i++)
        nodes->begin[i + 1] += nodes->begin[i];
    for (int i = 0; i < group->n; i++)
        nodes->tasks[nodes->begin[nodes->node_of[i]] + nodes->local_rank[i]] = group->members[i];
    return nodes;
}

/* ---------------------------------------------------------------- state of a communicator */

static void find_node(struct collective_state *state, const struct mpi_comm *comm)
{
    const struct nodes *nodes = state->nodes = nodes_of(comm->group);
    int own = nodes->node_of[comm->rank], local = nodes->local_rank[comm->rank];

    state->node =
        (struct ranks){nodes->begin[own + 1] - nodes->begin[own], local,
                       nodes->tasks + nodes->begin[own], comm->context + COLLECTIVE_ON_NODE};
    state->leaders = (struct ranks){nodes->n_nodes, local ? -1 : own, nodes->leaders,
                                    comm->context + COLLECTIVE_AMONG_NODES};
}

struct collective_state *collective_state_of(struct mpi_comm *comm)
{
    struct collective_state *state = comm->collective;
    uint64_t context = comm->context + MPI_COLLECTIVE;

    if (state)
        return state;
    state = mpi_alloc(1, sizeof *state);
    state->party = (struct ranks){comm->n, comm->rank, comm->group->members, context};
    if (comm->remote)
        state->remote = (struct ranks){comm->remote->n, -1, comm->remote->members, context};
    else
        find_node(state, comm);
    comm->collective = state;
    return state;
}

/* ---------------------------------------------------------------- parts */

static bool is_leader(const struct collective *c)
{
    return c->state->node.rank == 0;
}
static int root_node(const struct collective *c)
{
    return c->state->nodes->node_of[c->root];
}
static int root_on_node(const struct collective *c)
{
    return c->state->nodes->local_rank[c->root];
}
static bool is_root_here(const struct collective *c)
{
    return root_node(c) == c->state->nodes->node_of[c->p->rank];
}

/* Returns C as an operation of KIND among the ranks of a node. */
static struct collective on_node(const struct collective *c, enum collective_kind kind, int root)
{
    struct collective sub = *c;

    sub.kind = kind;
    sub.root = root;
    sub.p = &c->state->node;
    sub.is_whole = false;
    sub.is_on_node = true;
    return sub;
}

static struct collective among_leaders(const struct collective *c, enum collective_kind kind,
                                       int root)
{
    struct collective sub = on_node(c, kind, root);

    sub.p = &c->state->leaders;
    sub.is_on_node = false;
    return sub;
}

static void run_on_node(const struct collective *c, enum collective_kind kind, int root)
{
    struct collective sub = on_node(c, kind, root);

    if (sub.p->n > 1)
        collective_run_on_node(&sub);
}

static void run_among_leaders(const struct collective *c, enum collective_kind kind, int root)
{
    struct collective sub = among_leaders(c, kind, root);

    if (is_leader(c) && sub.p->n > 1)
        collective_run_flat(&sub);
}

/* ---------------------------------------------------------------- barrier, bcast */

static void barrier_over_nodes(const struct collective *c)
{
    struct collective release = on_node(c, BCAST, 0);

    run_on_node(c, BARRIER, 0);
    run_among_leaders(c, BARRIER, 0);
    if (c->state->node.n < 2)
        return;
    if (c->state->leaders.n == 1 && rules_use_device() &&
        clue_shared_ns(CLUE_SHARED_BARRIER, 0) >= 0) {
        c->state->node_calls++; /* the law describes the whole call */
        return;
    }
    release.receive.base = schedule_memory(c->s, 1);
    release.count = 1;
    collective_run_on_node(&release);
}

static void bcast_alpha(const struct collective *c)
{
    const struct ranks *node = &c->state->node;

    if (is_root_here(c) && root_on_node(c) != 0) {
        if (c->p->rank == c->root)
            schedule_send_now(c->s, node, result_of(c), 0);
        if (is_leader(c))
            schedule_receive_now(c->s, node, result_of(c), root_on_node(c));
    }
    run_among_leaders(c, BCAST, root_node(c));
    run_on_node(c, BCAST, 0);
}

static void bcast_beta(const struct collective *c)
{
    bool is_early = is_root_here(c) && root_on_node(c) != 0;

    if (is_early)
        run_on_node(c, BCAST, root_on_node(c));
    run_among_leaders(c, BCAST, root_node(c));
    if (!is_early)
        run_on_node(c, BCAST, 0);
}

/* ---------------------------------------------------------------- reductions */

/* Reduces on a node or among leaders; only the root has INTO. */
static void reduce_part(struct collective part, struct span own, struct span into)
{
    part.send.base = part.p->rank == part.root && own.at == into.at ? MPI_IN_PLACE : own.at;
    part.receive.base = into.at;
    if (part.is_on_node)
        collective_run_on_node(&part);
    else
        collective_run_flat(&part);
}

static void allreduce_over_nodes(const struct collective *c)
{
    struct collective leaders = among_leaders(c, ALLREDUCE, 0);

    if (c->state->node.n > 1)
        reduce_part(on_node(c, REDUCE, 0), operands(c), result_of(c));
    else if (!is_in_place(c))
        schedule_copy(c->s, operands(c), result_of(c));
    leaders.send.base = MPI_IN_PLACE;
    if (is_leader(c) && leaders.p->n > 1)
        collective_run_flat(&leaders);
    run_on_node(c, BCAST, 0);
}

/* Reduces on all nodes, then among leaders; the leader of the root's node sends the result on. */
static void reduce_alpha(const struct collective *c)
{
    struct span own = operands(c), sum = own;
    bool is_root = c->p->rank == c->root;

    if (is_leader(c) && (c->state->node.n > 1 || c->state->leaders.n > 1))
        sum = is_root ? result_of(c) : schedule_buffer(c->s, c->count, c->type);
    if (c->state->node.n > 1)
        reduce_part(on_node(c, REDUCE, 0), own, sum);
    else if (c->state->leaders.n > 1)
        schedule_copy(c->s, own, sum);
    if (is_leader(c) && c->state->leaders.n > 1)
        reduce_part(among_leaders(c, REDUCE, root_node(c)), sum, sum);
    if (!is_root_here(c) || root_on_node(c) == 0)
        return;
    if (is_leader(c))
        schedule_send_now(c->s, &c->state->node, sum, root_on_node(c));
    if (is_root)
        schedule_receive_now(c->s, &c->state->node, result_of(c), 0);
}

/* Reduces on the other nodes, then among leaders, and on the root's node last. */
static void reduce_beta(const struct collective *c)
{
    struct span own = operands(c);
    bool is_root = c->p->rank == c->root;

    if (c->state->node.n > 1 && !is_root_here(c)) {
        struct span sum = is_leader(c) ? schedule_buffer(c->s, c->count, c->type) : own;

        reduce_part(on_node(c, REDUCE, 0), own, sum);
        own = sum;
    }
    if (is_leader(c) && c->state->leaders.n > 1) {
        struct span sum = own;

        if (is_root_here(c))
            sum = is_root ? result_of(c) : schedule_buffer(c->s, c->count, c->type);
        reduce_part(among_leaders(c, REDUCE, root_node(c)), own, sum);
        own = sum;
    }
    if (!is_root_here(c))
        return;
    if (c->state->node.n > 1)
        reduce_part(on_node(c, REDUCE, root_on_node(c)), own, is_root ? result_of(c) : own);
    else
        schedule_copy(c->s, own, result_of(c));
}

static void scan_over_nodes(const struct collective *c)
{
    const struct ranks *node = &c->state->node, *leaders = &c->state->leaders;
    int own_node = c->state->nodes->node_of[c->p->rank], last = node->n - 1;
    struct collective part = on_node(c, SCAN, 0);
    struct span before = schedule_buffer(c->s, c->count, c->type), sum = result_of(c),
                upto = before;

    if (node->n > 1) {
        collective_run_flat(&part);
        if (is_leader(c)) {
            sum = schedule_buffer(c->s, c->count, c->type);
            schedule_receive_now(c->s, node, sum, last);
        } else if (node->rank == last)
            schedule_send_now(c->s, node, result_of(c), 0);
    } else if (!is_in_place(c))
        schedule_copy(c->s, operands(c), result_of(c));
    if (is_leader(c) && leaders->n > 1) {
        part = among_leaders(c, SCAN, 0);
        upto = schedule_buffer(c->s, c->count, c->type);
        part.send.base = sum.at;
        part.receive.base = upto.at;
        collective_run_flat(&part);
        if (own_node < leaders->n - 1)
            schedule_send_now(c->s, leaders, upto, own_node + 1);
        if (own_node > 0)
            schedule_receive_now(c->s, leaders, before, own_node - 1);
    }
    part = on_node(c, BCAST, 0);
    part.receive.base = schedule_memory(c->s, sizeof(int)); /* whether there are nodes before */
    part.count = 1;
    part.type = mpi_builtin_type(MPI_INT);
    if (node->n > 1)
        collective_run_on_node(&part);
    if (own_node == 0)
        return;
    part = on_node(c, BCAST, 0);
    part.receive.base = before.at;
    if (node->n > 1)
        collective_run_on_node(&part);
    schedule_reduce(c->s, before.at, result_of(c));
}

/* ---------------------------------------------------------------- shared memory */

/* Reduces as MPICH does: in a tree of four from rank 0, each child in turn; then sends to the
 * root. */
static void shared_reduce(const struct collective *c, struct span into)
{
    enum { CHILDREN = 4 };
    const struct ranks *p = c->p;
    struct span sum = p->rank == c->root ? into : schedule_buffer(c->s, c->count, c->type);
    struct span child = schedule_buffer(c->s, c->count, c->type);

    if (operands(c).at != sum.at)
        schedule_copy(c->s, operands(c), sum);
    for (int i = CHILDREN * p->rank + 1; i <= CHILDREN * (p->rank + 1) && i < p->n; i++) {
        schedule_receive_now(c->s, p, child, i);
        schedule_reduce(c->s, child.at, sum);
    }
    if (p->rank != 0)
        schedule_send_now(c->s, p, sum, (p->rank - 1) / CHILDREN);
    if (c->root != 0 && p->rank == 0)
        schedule_send_now(c->s, p, sum, c->root);
    if (c->root != 0 && p->rank == c->root)
        schedule_receive_now(c->s, p, sum, 0);
}

/* Reports pages that large reductions touch for the first time. MPICH allocates buffers. malloc()
 * maps those that are larger than all before; others are at the end of the heap, of which it gives
 * back what exceeds twice the largest block that was mapped, except for its padding. */
static void touch_buffers(struct mpi_heap_end *end, uint64_t bytes, uint64_t n, uint64_t written)
{
    enum { MAPPED = 128 << 10, PADDING = 128 << 10 };
    uint64_t kept = end->kept, all = n * bytes;
    bool is_mapped = bytes >= MAPPED && bytes > end->mapped;

    if (is_mapped)
        kept = 0;
    if (all > kept)
        clue_touch(NULL, written < all - kept ? written : all - kept);
    if (is_mapped)
        end->mapped = bytes;
    else if (all >= (end->mapped ? 2 * end->mapped : MAPPED))
        end->kept = PADDING;
    else if (all > kept)
        end->kept = all;
}

/* Reports what is written for the first time: results, and buffers. MPICH reduces large data by
 * halves; if only the root has the result, the others have two buffers and write one and a half. */
void collective_touch(const struct collective *c)
{
    enum { LEAST = 2048 };
    uint64_t bytes = (uint64_t)(c->count * c->type->size);
    bool is_result = c->kind == ALLREDUCE || (c->kind == REDUCE && c->p->rank == c->root);

    if (is_result && c->type->is_contiguous)
        clue_touch((char *)result_of(c).at + c->type->true_lb, bytes);
    if (bytes > LEAST && (is_result || c->kind == REDUCE))
        touch_buffers(&c->s->task->heap_end, bytes, is_result ? 1 : 2,
                      is_result ? bytes : bytes + bytes / 2);
}

/* Sends the data in messages that take no time, since the meeting takes it. */
static void run_in_shared_memory(const struct collective *c, enum clue_meeting_kind kind,
                                 int64_t ns)
{
    const struct algorithm *bcast = data_algorithms;
    struct collective all = *c;
    unsigned flags = c->s->flags;

    while (bcast->kind != BCAST)
        bcast++;
    c->s->flags |= CLUE_FREE;
    if (c->kind == ALLREDUCE)
        all.root = 0;
    if (c->kind == REDUCE || c->kind == ALLREDUCE)
        shared_reduce(&all, c->kind == ALLREDUCE || c->p->rank == c->root ? result_of(c)
                                                                          : (struct span){0});
    if (c->kind == BCAST || c->kind == ALLREDUCE)
        bcast->run(&all);
    c->s->flags = flags;
    clue_meet(
        &(struct clue_meeting){.kind = kind,
                               .context = c->comm->context + COLLECTIVE_MEETINGS,
                               .sequence = (uint64_t)c->state->nodes->node_of[c->comm->rank] << 40 |
                                           c->state->node_meetings++,
                               .n = c->p->n,
                               .index = c->p->rank,
                               .root = c->kind == BARRIER || c->kind == ALLREDUCE ? 0 : c->root,
                               .ns = ns});
}

void collective_run_on_node(const struct collective *c)
{
    enum { MESSAGES_AT_FIRST = 5 }; /* MPIR_CVAR_POSIX_NUM_COLLS_THRESHOLD */
    static const struct {
        enum clue_shared law;
        enum clue_meeting_kind meeting;
    } shared[COLLECTIVES] = {[BCAST] = {CLUE_SHARED_BCAST, CLUE_MEET_OF_ROOT},
                             [REDUCE] = {CLUE_SHARED_REDUCE, CLUE_MEET_AT_ROOT},
                             [ALLREDUCE] = {CLUE_SHARED_ALLREDUCE, CLUE_MEET_ALL},
                             [BARRIER] = {CLUE_SHARED_BARRIER, CLUE_MEET_ALL}};
    int64_t ns = -1;

    if (c->p->n > 1 && !c->s->is_stored && rules_use_device() &&
        rules_choose(RULES_SHARED_MEMORY, c) && ++c->state->node_calls > MESSAGES_AT_FIRST)
        ns = clue_shared_ns(shared[c->kind].law, (uint64_t)(c->count * c->type->size));
    if (ns >= 0)
        run_in_shared_memory(c, shared[c->kind].meeting, ns);
    else
        collective_run_flat(c);
}

void collective_run_flat(const struct collective *c)
{
    rules_choose(RULES_FLAT, c)->run(c);
}

void collective_run(const struct collective *c)
{
    const struct algorithm *composition = NULL;

    if (!c->s->is_stored)
        collective_touch(c);
    if (!c->s->is_stored && c->state->nodes && rules_use_device())
        composition = rules_choose(RULES_NODES, c);
    if (composition)
        composition->run(c);
    else
        collective_run_flat(c);
}

const struct algorithm node_algorithms[] = {
    {BARRIER, OVER_NODES, "smp composition_alpha", barrier_over_nodes},
    {BCAST, OVER_NODES, "smp composition_alpha", bcast_alpha},
    {BCAST, OVER_NODES, "composition_beta", bcast_beta},
    {ALLREDUCE, OVER_NODES, "smp composition_alpha", allreduce_over_nodes},
    {ALLREDUCE, OVER_NODES, "composition_gamma", collective_run_on_node},
    {REDUCE, OVER_NODES, "composition_alpha", reduce_alpha},
    {REDUCE, OVER_NODES, "smp composition_beta", reduce_beta},
    {SCAN, OVER_NODES, "smp composition_alpha", scan_over_nodes},
    {BCAST, WITHIN, "release_gather", collective_run_on_node},
    {REDUCE, WITHIN, "release_gather", collective_run_on_node},
    {ALLREDUCE, WITHIN, "release_gather", collective_run_on_node},
    {BARRIER, WITHIN, "release_gather", collective_run_on_node},
    {.run = NULL},
};
