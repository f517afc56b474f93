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

void network_by_size(const struct clue_network *network, uint64_t bytes, double *bandwidth,
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
        network_by_size(&e->machine->network, m->bytes, &bandwidth, &latency);
    bytes_ns = (int64_t)((double)m->bytes * e->network->ns_per_byte[link] / bandwidth + 0.5);
    return serve(&e->machine->network, &e->network->links[link], m, ns, bytes_ns, bytes_ns) +
           (int64_t)((double)e->network->latency[link] * latency + 0.5);
}

static int64_t transmission_ns(struct clue_engine *e, const struct message *m)
{
    uint32_t from = from_host(e, m), to = to_host(e, m);
    const struct clue_pair *pair = pair_of_hosts(e, from, to);
    int64_t ns = pair ? delay_ns(e, CLUE_TRANSMISSION, from, to, &pair->transmission, m->bytes) : 0;

    ns = m->contention == 1 ? ns : llround((double)ns * m->contention);
    return ns > m->lead ? ns - m->lead : 0;
}

/* The network is passed: the pair's transmission delay begins. */
static void transmit(struct clue_engine *e, uint32_t message, int64_t ns)
{
    struct message *m = message_of(e, message);

    m->service = ns;
    network_landed(e, message, ns + (m->is_background ? 0 : transmission_ns(e, m)));
}

/* Whether the next hop needs no event: none can be before M there, or nothing is in between. */
static bool goes_on(const struct clue_engine *e, const struct message *m, size_t n_links,
                    int64_t at)
{
    const struct network *n = e->network;

    if (e->by_events)
        return false;
    return (m->hop == 1 && (n->first_is_private || !n->has_cards)) ||
           (m->hop > n_links && (n->last_is_private || !n->has_cards || m->hop > n_links + 1)) ||
           !e->events.n || event_ns(e->events.heap[0]) > at;
}

/* Its hops are numbered: 0 the sender's card, then links, then the receiver's card; then all of it
 * is there. */
void network_hop(struct clue_engine *e, uint32_t message)
{
    struct message *m = message_of(e, message);
    const uint32_t *links;
    size_t n_links;
    int64_t at = e->now;

    if (m->at != e->now)
        return;
    m->at = -1;
    if (e->fair) {
        if (fair_hop(e, message))
            transmit(e, message, e->now);
        return;
    }
    n_links = network_route(e, from_host(e, m), to_host(e, m), &links);
    do {
        if (m->hop == 0)
            at = pass_card(e, m, false, at);
        else if (m->hop <= n_links)
            at = pass_link(e, m, links[m->hop - 1], at);
        else if (m->hop == n_links + 1)
            at = pass_card(e, m, true, at) + m->slowest;
        else {
            transmit(e, message, at);
            return;
        }
        m->hop++;
    } while (goes_on(e, m, n_links, at));
    m->at = at;
    events_push(e, at, EVENT_HOP, m->from, message, !m->is_background);
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
    if (!m->is_background)
        matching_landed(e, message);
    else if (e->machine->network.model == CLUE_NETWORK_FACTOR)
        m->has_event = events_push(e, ns, EVENT_ARRIVE, m->from, message, false);
    else
        message_free(e, message);
}

void network_traffic(struct clue_engine *e, uint32_t from, uint32_t to, uint64_t bytes)
{
    const struct clue_pair *pair = pair_of_hosts(e, from, to);
    uint32_t i = pair ? pool_take(&e->messages, sizeof(struct message)) : 0;
    struct message *m = message_of(e, i);

    if (!i) {
        if (pair)
            engine_no_memory(e);
        return;
    }
    *m = (struct message){.from = from,
                          .to = to,
                          .bytes = bytes,
                          .is_background = true,
                          .contention = network_begin(e)};
    if (e->machine->network.model == CLUE_NETWORK_FACTOR)
        network_landed(e, i,
                       e->now +
                           llround((double)delay_ns(e, CLUE_SEND, from, to, &pair->send, bytes) *
                                   m->contention) +
                           transmission_ns(e, m));
    else
        network_launch(e, i, e->now);
}

/* ------------------------------------------------- changes */

void network_transmission_changed(struct clue_engine *e, int from, int to)
{
    for (uint32_t i = 1; i <= e->messages.n; i++) {
        struct message *m = message_of(e, i);
        int64_t whole = m->arrival - m->service, left = m->arrival - e->now;

        if (!m->has_event || m->is_background || (m->is_rendezvous && !m->receive) || left <= 0 ||
            whole <= 0 || (from >= 0 && from != (int)from_host(e, m)) ||
            (to >= 0 && to != (int)to_host(e, m)))
            continue;
        m->arrival = e->now + llround((double)left / (double)whole * (double)transmission_ns(e, m));
        m->service = m->arrival - transmission_ns(e, m);
        events_push(e, m->arrival, EVENT_ARRIVE, m->from, i, true);
    }
}

/* What is after now takes TIMES as long. */
static int64_t stretched(int64_t now, int64_t ns, double times)
{
    return ns <= now ? ns : now + llround((double)(ns - now) * times);
}

/* A message whose latest link is LINK, with LATENCY; what is left of its way there takes TIMES as
 * long. */
static void change_message(struct clue_engine *e, uint32_t i, uint32_t link, bool is_latency,
                           double times, int64_t latency)
{
    struct message *m = message_of(e, i);
    const uint32_t *links;
    size_t n_links;
    int64_t rest, sent, at; /* REST: of its bytes, after the first, at the end of the link */

    if (m->hop < 2 - (e->fair != NULL) || m->at < e->now)
        return;
    n_links = network_route(e, from_host(e, m), to_host(e, m), &links);
    if (!n_links || links[m->hop - 2u < n_links ? m->hop - 2u : n_links - 1] != link)
        return;
    rest = m->hop == n_links + 2 ? m->slowest : 0;
    sent = m->at - rest - latency;
    if (is_latency)
        at = rest + (sent >= e->now ? sent + llround((double)latency * times)
                                    : stretched(e->now, sent + latency, times));
    else {
        int64_t begin = stretched(e->now, m->service, times);

        at = m->slowest ? begin + latency : stretched(e->now, sent, times) + latency;
        m->slowest = stretched(e->now, m->service + m->slowest, times) - begin;
        m->service = begin;
        at += rest ? m->slowest : 0;
    }
    if (at == m->at)
        return;
    m->at = at;
    events_push(e, at, EVENT_HOP, m->from, i, !m->is_background);
}

void network_change(struct clue_engine *e, uint32_t link, bool is_latency, double times)
{
    struct network *n = e->network;
    const struct clue_link *about = &e->machine->network.links[link];
    double was = is_latency ? (double)n->latency[link] : n->ns_per_byte[link];
    double now = is_latency ? (double)about->latency_ns * times : 1 / (about->bytes_per_ns * times);

    if (was > 0 && now != was && (!e->fair || is_latency))
        for (uint32_t i = 1; i <= e->messages.n; i++)
            change_message(e, i, link, is_latency, now / was, n->latency[link]);
    if (is_latency)
        n->latency[link] = llround(now);
    else if (e->fair) {
        n->ns_per_byte[link] = now;
        fair_link_changed(e, link);
    } else {
        n->links[link].free_at = stretched(e->now, n->links[link].free_at, now / was);
        n->ns_per_byte[link] = now;
    }
}

/* ------------------------------------------------- sending */

void network_launch(struct clue_engine *e, uint32_t message, int64_t start)
{
    struct message *m = message_of(e, message);
    const uint32_t *links;

    m->start = start;
    if (m->flags & CLUE_FREE)
        network_landed(e, message, start);
    else if (e->machine->network.model < CLUE_NETWORK_QUEUE || from_host(e, m) == to_host(e, m) ||
             (!network_route(e, from_host(e, m), to_host(e, m), &links) && !e->network->has_cards))
        transmit(e, message, start);
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
