/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * collective: collective operations are MPICH 4.0's algorithms, chosen by MPICH's rules; see
 * docs/decisions/0054-mpi-of-its-own.md. An algorithm is a function of struct collective that asks
 * for steps (schedule.h); in rules it has MPICH's name.
 */
#ifndef CLUE_MPI_COLLECTIVE_H
#define CLUE_MPI_COLLECTIVE_H

#include "operation.h"
#include "schedule.h"

#pragma GCC visibility push(hidden)

/* clang-format off */
/** The kinds of collectives with their names in rules. */
#define COLLECTIVE_KINDS(X)                                                                        \
    X(ALLGATHER, allgather) X(ALLGATHERV, allgatherv) X(ALLREDUCE, allreduce)                      \
    X(ALLTOALL, alltoall) X(ALLTOALLV, alltoallv) X(ALLTOALLW, alltoallw)                          \
    X(BARRIER, barrier) X(BCAST, bcast) X(EXSCAN, exscan) X(GATHER, gather) X(GATHERV, gatherv)    \
    X(REDUCE, reduce) X(REDUCE_SCATTER, reduce_scatter)                                            \
    X(REDUCE_SCATTER_BLOCK, reduce_scatter_block)                                                  \
    X(SCAN, scan) X(SCATTER, scatter) X(SCATTERV, scatterv)                                        \
    X(NEIGHBOR_ALLGATHER, neighbor_allgather) X(NEIGHBOR_ALLGATHERV, neighbor_allgatherv)          \
    X(NEIGHBOR_ALLTOALL, neighbor_alltoall) X(NEIGHBOR_ALLTOALLV, neighbor_alltoallv)              \
    X(NEIGHBOR_ALLTOALLW, neighbor_alltoallw)
/* clang-format on */
#define COLLECTIVE_KIND(kind, name) kind,
enum collective_kind { COLLECTIVE_KINDS(COLLECTIVE_KIND) COLLECTIVES };

/**
 * A buffer with a block for each rank. Block i is COUNT elements at i * COUNT; or, with COUNTS,
 * counts[i] elements at offsets[i] bytes; of types[i] if there are TYPES.
 */
struct blocks {
    void *base; /**< may be MPI_IN_PLACE */
    MPI_Count count;
    struct mpi_type *type;
    const MPI_Count *counts;
    const MPI_Aint *offsets;
    struct mpi_type *const *types;
};

/** Says which ranks of a group share a node. Nodes are in the order of their lowest ranks. */
struct nodes {
    int n_nodes;
    bool is_hierarchy;   /**< some ranks share a node (MPICH: "parent") */
    bool is_consecutive; /**< the ranks of each node follow each other */
    int *node_of;        /**< by rank */
    int *local_rank;     /**< rank among those of its node, by rank */
    int *begin;          /**< by node: index in `tasks` at which its tasks begin; [n_nodes]: n */
    int *tasks;          /**< ordered by node and rank */
    int *leaders;        /**< their tasks */
    int ints[];
};

/** What collectives keep for a communicator. */
struct collective_state {
    struct ranks party, remote; /**< REMOTE: the other group of an intercommunicator */
    struct ranks node, leaders; /**< NODE: ranks of this node; LEADERS: one rank of each node,
                                 * leaders.rank is -1 in other ranks */
    struct nodes *nodes;        /**< NULL in an intercommunicator */
    unsigned node_calls;        /**< calls so far that may use the node's shared memory */
    uint64_t node_meetings;
};

/** Channels of a communicator's contexts, in addition to those of internal.h. */
enum { COLLECTIVE_ON_NODE = 4, COLLECTIVE_AMONG_NODES = 5, COLLECTIVE_MEETINGS = 6 };

/** An operation to perform, or a part of one. */
struct collective {
    struct mpi_schedule *s;
    struct mpi_comm *comm;
    struct collective_state *state;
    const struct ranks *p;
    const struct ranks *remote; /**< NULL: the operation is within one group */
    bool is_whole;              /**< P is the whole communicator, so nodes count */
    bool is_on_node;            /**< all of P is on one node */
    enum collective_kind kind;
    int root; /**< between groups also MPI_ROOT or MPI_PROC_NULL */
    struct blocks send, receive;
    /** For reductions, MPI_Bcast, MPI_Barrier: COUNT elements of TYPE, from send.base to
     * receive.base. */
    MPI_Count count;
    struct mpi_type *type;
};

typedef void algorithm_fn(const struct collective *c);

/** An algorithm. The name is MPICH's in lower case, without library, collective and
 * communicator. */
struct algorithm {
    enum collective_kind kind;
    enum {
        WITHIN,    /**< works in one group */
        BETWEEN,   /**< works between two groups */
        OVER_NODES /**< works in a communicator with `nodes` */
    } where;
    const char *name;
    algorithm_fn *run;
};
/** The tables end with an entry whose `run` is NULL. */
extern const struct algorithm data_algorithms[], reduce_algorithms[], node_algorithms[],
    inter_algorithms[];

/** A buffer with the other arguments of a call that belong to it. */
struct buffer {
    const void *at;
    MPI_Count count;
    const MPI_Count *counts;
    const MPI_Aint *displs;
    MPI_Datatype type;
    const MPI_Datatype *types;
};
struct arguments {
    struct buffer send, receive; /**< RECEIVE: also the only count and type of a call */
    MPI_Op op;
    int root;
};
/** Performs a collective; blocking if REQUEST is NULL. */
int collective_call(struct mpi_task *t, enum collective_kind kind, MPI_Comm comm,
                    MPI_Request *request, const struct arguments *a);
/** Makes a persistent collective, which mpi_start_collective() begins. Its messages are
 * distinguished by the order in which such collectives were made, not begun. */
int collective_init(struct mpi_task *t, enum collective_kind kind, MPI_Comm comm,
                    MPI_Request *request, const struct arguments *a);

/** Checks that all ranks of a communicator call the same collectives in the same order, with the
 * same root, operation and size: ends the run if C differs from an earlier rank's call. */
void collective_check(struct mpi_task *t, const struct collective *c);

/* ---------------------------------------------------------------- rules */

enum rules_layer {
    RULES_SHARED_MEMORY, /**< whether ranks of a node meet in shared memory */
    RULES_NODES,         /**< how an operation is composed over nodes */
    RULES_FLAT,          /**< which algorithm runs in a group of ranks */
    RULES_LAYERS
};
/** Returns the algorithm that MPICH's rules choose; NULL: none. IS_REQUEST: nonblocking. */
const struct algorithm *rules_choose(enum rules_layer layer, const struct collective *c);
/** Returns whether ch4's compositions are in use: MPIR_CVAR_DEVICE_COLLECTIVES. */
bool rules_use_device(void);

/* ---------------------------------------------------------------- inside algorithms */

/** Chooses an algorithm for C, and runs it. */
void collective_run(const struct collective *c);
/** Does the same without regard to nodes. */
void collective_run_flat(const struct collective *c);
/** Does the same among the ranks of a node, in shared memory where MPICH does it there. */
void collective_run_on_node(const struct collective *c);
/** Reports to clue_touch() what the operation writes for the first time in shared memory. */
void collective_touch(const struct collective *c);
struct collective_state *collective_state_of(struct mpi_comm *comm);

static inline struct span block(const struct blocks *b, int i)
{
    struct mpi_type *type = b->types ? b->types[i] : b->type;

    if (b->counts)
        return span((char *)b->base + b->offsets[i], b->counts[i], type);
    return span((char *)b->base + i * b->count * type->extent, b->count, type);
}
/** Returns N blocks from that of rank I on, of a buffer without COUNTS. */
static inline struct span block_range(const struct blocks *b, int i, int n)
{
    return span((char *)b->base + i * b->count * b->type->extent, n * b->count, b->type);
}
/** Returns memory until C is done, as bytes. */
static inline struct span byte_buffer(const struct collective *c, MPI_Count bytes)
{
    return bytes_at(schedule_memory(c->s, (size_t)bytes), bytes);
}
static inline bool is_in_place(const struct collective *c)
{
    return c->send.base == MPI_IN_PLACE;
}
/** Returns rank I, from -n on, on a ring in which the first follows the last. */
static inline int on_ring(const struct ranks *p, int i)
{
    return (i + p->n) % p->n;
}
static inline int power_of_two_below(int n)
{
    return 1 << (31 - __builtin_clz((unsigned)n));
}
/** Returns where a reduction's operands are, and where the result goes; also MPI_Bcast's buffer. */
static inline struct span operands(const struct collective *c)
{
    return span(is_in_place(c) ? c->receive.base : c->send.base, c->count, c->type);
}
static inline struct span result_of(const struct collective *c)
{
    return span(c->receive.base, c->count, c->type);
}

#pragma GCC visibility pop

#endif
