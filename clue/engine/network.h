/* SPDX-License-Identifier: BSD-3-Clause */
/* What the models of networks share. */
#ifndef CLUE_ENGINE_NETWORK_H
#define CLUE_ENGINE_NETWORK_H

#include "internal.h"

/* What serves one message after the other. */
struct server {
    int64_t free_at;
    struct clue_use use;
};

enum { CACHED_HOPS = 13, CACHED_ROUTES = 4096 };
struct cached_route {
    uint32_t from, to; /* host + 1 */
    uint32_t n, links[CACHED_HOPS];
};

struct network {
    struct server *links, *cards_out, *cards_in;
    double *ns_per_byte; /* of links */
    int64_t *latency;
    struct cached_route *cache;
    uint32_t scratch[CLUE_MOST_HOPS];
    bool has_cards;
    /* Nothing but the card before it feeds a message's first link; its last link feeds nothing but
     * the card after it. */
    bool first_is_private, last_is_private;
    uint32_t n_in_flight;
};

/* The machine's factors for BYTES; otherwise they stay as they are. */
void network_by_size(const struct clue_network *network, uint64_t bytes, double *bandwidth,
                     double *latency);
/* *LINKS is valid until the next call. */
size_t network_route(struct clue_engine *e, uint32_t from, uint32_t to, const uint32_t **links);

static inline uint32_t from_host(const struct clue_engine *e, const struct message *m)
{
    return m->is_background ? m->from : task_of(e, m->from)->host;
}
static inline uint32_t to_host(const struct clue_engine *e, const struct message *m)
{
    return m->is_background ? m->to : task_of(e, m->to)->host;
}

#endif
