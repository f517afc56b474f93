/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the models of networks. */
#ifndef CLUE_ENGINE_NETWORK_H
#define CLUE_ENGINE_NETWORK_H

#include "internal.h"

/* A link or card, which serves one message after the other. */
struct server {
    int64_t free_at, latency;
    double gap, ns_per_byte;
    struct clue_use use;
};

/* The servers that a message passes: the sender's card, links, the receiver's card, if they
 * exist. */
struct way {
    uint32_t n, size; /* SIZE: that of its block */
    uint64_t direct;  /* bit I: only the server before it feeds number I */
    uint32_t servers[];
};

struct network {
    struct server *servers; /* those of links, of cards out, and of cards in */
    uint32_t n_in_flight;
};

/* Looks up the machine's factors for BYTES; without any, they stay as they are. */
void network_by_size(const struct clue_network *network, uint64_t bytes, double *bandwidth,
                     double *latency);

static inline uint32_t from_host(const struct clue_engine *e, const struct message *m)
{
    return m->is_background ? m->from : task_of(e, m->from)->host;
}
static inline uint32_t to_host(const struct clue_engine *e, const struct message *m)
{
    return m->is_background ? m->to : task_of(e, m->to)->host;
}

#endif
