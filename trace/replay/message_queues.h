/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that have been sent or asked for and wait for the other side, by destination. */
#ifndef TRACE_REPLAY_MESSAGE_QUEUES_H
#define TRACE_REPLAY_MESSAGE_QUEUES_H

#include <portolan/waits.h>

struct engine;

struct message_queues {
    uint32_t *next; /* of each event in a queue */
    struct message_queue {
        uint32_t first, last;
    } * sends, *receives; /* of each rank; events */
};

/* False: no memory; then, too, clear it. */
bool message_queues_prepare(struct message_queues *q, const struct portolan_trace *t);
void message_queues_clear(struct message_queues *q);

/* Event E, a SEND, RECV_POST or RECV, is posted by RANK: if the other side is there, both become
 * partners and their locations are woken. */
void message_queues_post(struct engine *x, int rank, uint32_t e);

#endif
