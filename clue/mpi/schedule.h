/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * schedule: the steps of a collective operation on one rank.
 *
 * An algorithm is a function that asks for steps one after the other. A blocking call performs them
 * at once. A nonblocking call stores them, and performs them as far as messages have come whenever
 * the task is in MPI. So an algorithm is written once for both; nothing in it may depend on data
 * that steps receive.
 */
#ifndef CLUE_MPI_SCHEDULE_H
#define CLUE_MPI_SCHEDULE_H

#include "internal.h"

#include <stddef.h>

#pragma GCC visibility push(hidden)

struct mpi_op;

/** COUNT elements of TYPE at an address. */
struct span {
    void *at;
    MPI_Count count;
    struct mpi_type *type;
};

/** The ranks among which an algorithm works: of a communicator, of a node, or the nodes'
 * leaders. */
struct ranks {
    int n, rank;
    const int *tasks; /**< task by rank */
    uint64_t context;
};

/** A message that is under way. */
struct transfer {
    struct transfer *next;
    struct span data;
    void *packed; /**< copy of a send's data */
    uint64_t bytes;
    bool *is_over; /**< set for a request that is not the schedule's */
    clue_request request;
};

/** Memory on the stack of a call that waits, so that small calls allocate nothing. */
struct scratch {
    struct transfer few[4];
    size_t used;
    _Alignas(max_align_t) char room[192];
};

struct mpi_schedule {
    struct mpi_task *task;
    struct scratch *scratch; /**< NULL: none */
    int tag;
    unsigned flags; /**< flags of clue_send() and clue_receive(): CLUE_FREE in shared memory */
    struct mpi_op *op;
    uint32_t number; /**< from clue_schedule_begin() */
    bool is_stored;  /**< steps are kept for mpi_schedule_advance() */
    struct step *steps;
    size_t n_steps, room, next;
    bool is_over;
    int error;                /**< MPI's error, when it is done */
    struct transfer *pending; /**< messages that are begun and not waited for */
    size_t n_pending;
    struct memory *memory; /**< freed when the schedule is done */
};

/** Steps. Data at addresses are read and written when the step is performed. */
void schedule_send(struct mpi_schedule *s, const struct ranks *p, struct span data, int to);
void schedule_receive(struct mpi_schedule *s, const struct ranks *p, struct span data, int from);
/** Waits for all messages that were sent and received before. */
void schedule_wait(struct mpi_schedule *s);
/** Computes INOUT = IN op INOUT, with the schedule's operation. */
void schedule_reduce(struct mpi_schedule *s, void *in, struct span inout);
void schedule_copy(struct mpi_schedule *s, struct span from, struct span to);
/** Copies by a message to itself, which takes longer. */
void schedule_send_self(struct mpi_schedule *s, struct span from, struct span to);

/** Steps that include a wait, like MPI_Sendrecv, MPI_Send, MPI_Recv. */
void schedule_exchange(struct mpi_schedule *s, const struct ranks *p, struct span out, int to,
                       struct span in, int from);
void schedule_send_now(struct mpi_schedule *s, const struct ranks *p, struct span data, int to);
void schedule_receive_now(struct mpi_schedule *s, const struct ranks *p, struct span data,
                          int from);

/** Returns zeroed memory until the schedule is done; ends the run when there is none. */
void *schedule_memory(struct mpi_schedule *s, size_t bytes);
/** Returns a buffer for COUNT elements; its address is adjusted to the type's lower bound. */
struct span schedule_buffer(struct mpi_schedule *s, MPI_Count count, struct mpi_type *type);

/** Waits until all N are complete; schedules of nonblocking calls advance meanwhile. */
void schedule_wait_for(struct mpi_task *t, const clue_request *requests, size_t n);
/** Returns a stored schedule that is over when REQUEST (0: none) is complete; that remains the
 * caller's, and IS_OVER is set then. */
struct mpi_schedule *schedule_of_request(struct mpi_task *t, clue_request request, bool *is_over);
/** Retains a stored schedule's types and operation until it is freed, whatever the program
 * frees. */
void schedule_hold(struct mpi_schedule *s);
/** Frees a blocking schedule's memory, and returns its error; mpi_schedule_free() frees a stored
 * one. */
int schedule_end(struct mpi_schedule *s);

static inline struct span span(const void *at, MPI_Count count, struct mpi_type *type)
{
    return (struct span){(void *)at, count, type};
}
/** Returns COUNT elements from the one at INDEX on. */
static inline struct span part(struct span s, MPI_Count index, MPI_Count count)
{
    return (struct span){(char *)s.at + index * s.type->extent, count, s.type};
}
static inline struct span bytes_at(const void *at, MPI_Count bytes)
{
    return span(at, bytes, mpi_builtin_type(MPI_BYTE));
}
static inline struct span nothing(void)
{
    return bytes_at(NULL, 0);
}
static inline MPI_Count span_bytes(struct span s)
{
    return s.count * s.type->size;
}

#pragma GCC visibility pop

#endif
