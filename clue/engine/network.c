/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way of messages from the sender to the receiver. After its send delay a message passes the
 * network, if the model has one, and then takes the transmission delay of its pair of hosts.
 *
 * Queues: the sender's card, links, and the receiver's card serve one message after the other, in
 * the order in which messages come. A link is taken for bytes / bandwidth, a card for its gap and
 * bytes. Cut-through: the first byte goes on at once, and the last follows it by what the slowest
 * takes; store and forward: each link has the whole message first.
 */
#include "network.h"

bool network_new(struct clue_engine *e)
{
    const struct clue_machine *m = e->machine;
    const struct clue_network *network = &m->network;
    const struct clue_topology *t =
        network->route == clue_topology_route ? network->topology : NULL;
    struct network *n = e->network = portolan_arena_alloc(&e->arena, 1, sizeof *n);

    if (!n)
        return false;
    n->links = portolan_arena_alloc(&e->arena, network->n_links, sizeof *n->links);
    n->ns_per_byte = portolan_arena_alloc(&e->arena, network->n_links, sizeof *n->ns_per_byte);
    n->latency = portolan_arena_alloc(&e->arena, network->n_links, sizeof *n->latency);
    n->cards_out = portolan_arena_alloc(&e->arena, m->n_hosts, sizeof *n->cards_out);
    n->cards_in = portolan_arena_alloc(&e->arena, m->n_hosts, sizeof *n->cards_in);
    n->cache = portolan_arena_alloc(&e->arena, CACHED_ROUTES, sizeof *n->cache);
    if (e->arena.failed)
        return false;
    for (size_t i = 0; i < network->n_links; i++) {
        n->ns_per_byte[i] =
            network->links[i].bytes_per_ns > 0 ? 1 / network->links[i].bytes_per_ns : 0;
        n->latency[i] = network->links[i].latency_ns;
    }
    for (size_t i = 0; i < m->n_hosts; i++)
        n->has_cards |= m->hosts[i].card_gap_ns > 0 || m->hosts[i].card_ns_per_byte > 0;
    n->first_is_private =
        t && (t->kind == CLUE_CROSSBAR || t->kind == CLUE_FAT_TREE || t->kind == CLUE_DRAGONFLY);
    n->last_is_private = n->first_is_private || (t && t->kind == CLUE_BUS);
    return true;
}

size_t network_route(struct clue_engine *e, uint32_t from, uint32_t to, const uint32_t **links)
{
    const struct clue_network *network = &e->machine->network;
    struct network *n = e->network;
    struct cached_route *c = &n->cache[(from * 2654435761u ^ to * 40503u) % CACHED_ROUTES];
    size_t n_links;

    if (c->from == from + 1 && c->to == to + 1) {
        *links = c->links;
        return c->n;
    }
    if (!network->route || !network->n_links)
        return 0;
    n_links = network->route(network, (int)from, (int)to, n->scratch);
    *links = n->scratch;
    if (n_links <= CACHED_HOPS) {
        c->from = from + 1;
        c->to = to + 1;
        c->n = (uint32_t)n_links;
        memcpy(c->links, n->scratch, n_links * sizeof *c->links);
    }
    return n_links;
}

/* ------------------------------------------------- queues */

static void by_size(const struct clue_network *network, uint64_t bytes, double *bandwidth,
                    double *latency)
{
    for (size_t i = network->n_by_size; i-- > 0;)
        if (bytes >= network->by_size[i].from_bytes) {
            *bandwidth = network->by_size[i].bandwidth;
            *latency = network->by_size[i].latency;
            return;
        }
}

/* S serves M, which is there at NS, for TAKEN; the byte that is last follows by BYTES_NS. Returns
 * when M is at what comes next. */
static int64_t serve(const struct clue_network *network, struct server *s, struct message *m,
                     int64_t ns, int64_t taken, int64_t bytes_ns)
{
    int64_t start = later(ns, s->free_at);

    s->free_at = start + taken;
    s->use.busy_ns += taken;
    s->use.queueing_ns += start - ns;
    s->use.n++;
    s->use.bytes += m->bytes;
    m->queueing += start - ns;
    m->service = start;
    if (network->store_and_forward)
        return start + bytes_ns;
    m->slowest = later(m->slowest, bytes_ns);
    return start;
}

static int64_t pass_card(struct clue_engine *e, struct message *m, bool is_in, int64_t ns)
{
    uint32_t host = is_in ? to_host(e, m) : from_host(e, m);
    const struct clue_host *h = &e->machine->hosts[host];
    double bytes_ns = (double)m->bytes * h->card_ns_per_byte;

    if (!e->network->has_cards)
        return ns;
    return serve(&e->machine->network,
                 is_in ? &e->network->cards_in[host] : &e->network->cards_out[host], m, ns,
                 (int64_t)(h->card_gap_ns + bytes_ns + 0.5), (int64_t)(bytes_ns + 0.5));
}

static int64_t pass_link(struct clue_engine *e, struct message *m, uint32_t link, int64_t ns)
{
    double bandwidth = 1, latency = 1;
    int64_t bytes_ns;

    if (e->machine->network.n_by_size)
        by_size(&e->machine->network, m->bytes, &bandwidth, &latency);
    bytes_ns = (int64_t)((double)m->bytes * e->network->ns_per_byte[link] / bandwidth + 0.5);
    return serve(&e->machine->network, &e->network->links[link], m, ns, bytes_ns, bytes_ns) +
           (int64_t)((double)e->network->latency[link] * latency + 0.5);
}

static int64_t transmission_ns(struct clue_engine *e, const struct message *m)
{
    const struct clue_pair *pair = m->is_background ? NULL : pair_of(e, m->from, m->to);
    int64_t ns =
        pair ? (int64_t)((double)law_ns(&pair->transmission, m->bytes) * m->contention + 0.5) : 0;
    return ns > m->lead ? ns - m->lead : 0;
}

/* Its hops are numbered: 0 the sender's card, then links, then the receiver's card. */
void network_hop(struct clue_engine *e, uint32_t message)
{
    struct message *m = message_of(e, message);
    struct network *n = e->network;
    const uint32_t *links;
    size_t n_links;
    int64_t at = e->now;

    if (m->at != e->now)
        return;
    n_links = network_route(e, from_host(e, m), to_host(e, m), &links);
    for (;;) {
        bool goes_on = m->hop == 0 ? n->first_is_private || !n->has_cards
                                   : m->hop == n_links && (n->last_is_private || !n->has_cards);

        if (m->hop == 0)
            at = pass_card(e, m, false, at);
        else if (m->hop <= n_links)
            at = pass_link(e, m, links[m->hop - 1], at);
        else {
            at = pass_card(e, m, true, at);
            break;
        }
        m->hop++;
        if (goes_on || (e->events.n && event_ns(e->events.heap[0]) > at))
            continue;
        m->at = at;
        events_push(e, at, EVENT_HOP, m->from, message, !m->is_background);
        return;
    }
    network_landed(e, message, at + m->slowest + transmission_ns(e, m));
}

/* ------------------------------------------------- all models */

double network_begin(struct clue_engine *e)
{
    const struct clue_network *network = &e->machine->network;
    size_t n;

    if (network->model != CLUE_NETWORK_FACTOR || !network->n_factors)
        return 1;
    n = e->network->n_in_flight++;
    return network->factors[n < network->n_factors ? n : network->n_factors - 1];
}

void network_end(struct clue_engine *e, struct message *m)
{
    if (e->machine->network.model == CLUE_NETWORK_FACTOR && !(m->flags & CLUE_FREE))
        e->network->n_in_flight--;
}

void network_landed(struct clue_engine *e, uint32_t message, int64_t ns)
{
    struct message *m = message_of(e, message);

    m->arrival = ns;
    if (m->is_background)
        message_free(e, message);
    else
        matching_landed(e, message);
}

void network_launch(struct clue_engine *e, uint32_t message, int64_t start)
{
    struct message *m = message_of(e, message);
    const uint32_t *links;

    m->start = start;
    if (m->flags & CLUE_FREE)
        network_landed(e, message, start);
    else if (e->machine->network.model < CLUE_NETWORK_QUEUE || from_host(e, m) == to_host(e, m) ||
             (!network_route(e, from_host(e, m), to_host(e, m), &links) && !e->network->has_cards))
        network_landed(e, message, start + transmission_ns(e, m));
    else {
        m->lead = start < e->now ? e->now - start : 0;
        m->at = start + m->lead;
        events_push(e, m->at, EVENT_INJECT, m->from, message, !m->is_background);
    }
}

void clue_engine_link_use(const struct clue_engine *e, size_t link, struct clue_use *use)
{
    *use = e->network->links[link].use;
}

void clue_engine_card_use(const struct clue_engine *e, int host, bool is_in, struct clue_use *use)
{
    *use = (is_in ? e->network->cards_in : e->network->cards_out)[host].use;
}
