/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside the BSP library: machines (what a t_bsp refers to), messages, and their transport. */
#ifndef BSP_INTERNAL_H
#define BSP_INTERNAL_H

#include <portolan/pub.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

/* -- what travels -- */

enum bsp_kind {
    BSP_MESSAGE,
    BSP_PUT,
    BSP_GET,
    BSP_REPLY,
    BSP_TOKEN,
    BSP_CREATED /* not yet sent */
};

/*
 * The box of its receiver that a message belongs to. Channel 0 is the traffic of the superstep; the
 * other channels are for barriers, replies and collective operations.
 */
struct bsp_address {
    uint64_t machine, step;
    uint64_t channel;
};

enum { CHANNEL_TRAFFIC, CHANNEL_REPLY, CHANNEL_COLLECTIVE, CHANNEL_BARRIER /* and its rounds */ };

struct bsp_head {
    struct bsp_address to;
    uint64_t size;
    uint32_t kind;                /* enum bsp_kind */
    uint32_t source;              /* the sender's number in the machine */
    uint64_t sequence;            /* of the sender in its superstep */
    uint64_t slot, offset, bytes; /* of put and get */
};

struct t_bspmsg {
    struct t_bspmsg *next;
    struct bsp_head head;
    _Alignas(16) unsigned char data[];
};

/* A message over bsp_small_bytes is sent as its head, then in pieces; tests change the sizes. */
extern size_t bsp_small_bytes, bsp_piece_bytes;

/* The messages that arrived for an address. */
struct bsp_box;

/* -- machines -- */

struct bsp_registration {
    void *base;
    size_t size;
    bool is_live, is_new, is_leaving;
};

struct bsp_machine {
    struct bsp_machine *parent; /* the machine it was made from; NULL for all processes */
    struct bsp_machine *older;  /* in the list of live machines */
    bool is_partition;          /* made by bsp_partition(): its parent cannot communicate now */
    unsigned n_open;            /* machines made from this one that have not ended */
    unsigned n_open_partitions;
    int n, pid;      /* processors, own number */
    int first;       /* rank of processor 0; the others have the next ranks */
    uint64_t id;     /* equal on all its processors, differs from any other machine of theirs */
    uint64_t n_made; /* machines made by partition and dup */
    uint64_t step;   /* from 1 */
    uint64_t n_collective, n_sent;
    uint64_t *sent_to; /* messages of this superstep, by receiver */
    size_t n_borrowed; /* buffers of the user that MPI may still read */
    struct t_bspmsg **messages;
    int n_messages;
    struct bsp_registration *registrations;
    size_t n_registrations;
    struct get *gets; /* of this superstep */
    size_t n_gets;
};

/* The machine of BSP; ends the job when there is none. FUNCTION is the caller, for the message. */
struct bsp_machine *bsp_find(const t_bsp *bsp, const char *function);
/* The same; also ends the job unless the machine may communicate. */
struct bsp_machine *bsp_find_active(const t_bsp *bsp, const char *function);
/* The same; also ends the job unless WHOM is one of its processors. */
struct bsp_machine *bsp_find_for(const t_bsp *bsp, int whom, const char *function);
/* The live machine with this id, or NULL. */
struct bsp_machine *bsp_find_id(uint64_t id);

/* Reports what is wrong and ends the job. M may be NULL. */
void bsp_die(const struct bsp_machine *m, const char *function, const char *format, ...)
    __attribute__((format(printf, 3, 4), noreturn));
/* Zeroed memory; ends the job when there is none. */
void *bsp_need(size_t count, size_t size, const char *function);
/* *ITEMS with room for item N. Memory grows when N is a power of two. */
void *bsp_grow(void *items, size_t n, size_t size, const char *function);

/* -- transport.c -- */

void transport_begin(MPI_Comm comm);
/* To be held while machines begin, end, or go on to another superstep. */
void transport_lock(void);
void transport_unlock(void);
/* Waits until everything sent has left, and drops messages that were not received. */
void transport_end(void);
/* A message with room for SIZE bytes. */
struct t_bspmsg *transport_make(size_t size, const char *function);
/* NULL is legal. */
void transport_free(struct t_bspmsg *message);
/* Sends MESSAGE, whose head is filled in, to processor TO of M; takes ownership of MESSAGE. */
void transport_send(struct bsp_machine *m, int to, struct t_bspmsg *message);
/* The same for a copy of HEAD and BYTES. LENDS: BYTES need not be copied; they must not change
 * until M's n_borrowed is 0. */
void transport_post(struct bsp_machine *m, int to, const struct bsp_head *head, const void *bytes,
                    bool lends);
/* Waits until N messages have arrived at ADDRESS; returns all that are there, now the caller's. */
struct t_bspmsg *transport_await(const struct bsp_address *address, size_t n, size_t *n_there);
/* Waits until MPI no longer reads M's borrowed buffers. */
void transport_settle(struct bsp_machine *m);

/* -- superstep.c -- */

/* Replaces the messages of the last superstep by LIST; NULL: none. */
void message_deliver(struct bsp_machine *m, struct t_bspmsg *list);
/* The messages of LIST, by sender and then in the order sent; the caller frees the array. */
struct t_bspmsg **message_sort(struct t_bspmsg *list, size_t *n);
void memory_clear(struct bsp_machine *m);

/* -- collective.c: operations that do not end a superstep -- */

void collective_meet(struct bsp_machine *m);
/* Sends all bytes to processor 0, where TAKE gets them in order; returns TAKE's last answer. */
int collective_gather(struct bsp_machine *m, const void *bytes, size_t n,
                      int (*take)(void *arg, int source, const void *bytes, size_t n), void *arg);

/* -- trace.c: the recording that BSP_TRACE requests; does nothing where it is not set -- */

void trace_begin(struct bsp_machine *all, MPI_Comm comm);
void trace_end(struct bsp_machine *all);
enum trace_kind {
    TRACE_SEND,
    TRACE_GET,
    TRACE_BARRIER,
    TRACE_OBLIVIOUS,
    TRACE_PARTITION,
    TRACE_DUP,
    TRACE_DONE,
    TRACE_RUN
};
/* NUMBER: the other processor, or the messages waited for; SIZE: bytes. */
void trace_event(enum trace_kind kind, long number, size_t size);
void trace_partition(int n, const int *bounds);
/* Notes the end of the superstep whose end the last event began. */
void trace_sync_end(void);

#endif
