/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way of messages from the sender to the receiver.
 *
 * After its send delay a message passes the network, if the model has one, and then takes the
 * transmission delay of its pair of hosts. In the model of queues, the sender's card, the links of
 * the route and the receiver's card are servers: each serves one message after the other, in the
 * order of arrival. A message occupies a link for bytes / bandwidth, and a card for its gap and
 * bytes. Cut-through: the first byte goes on at once, and the last byte follows it by the longest
 * service on the way. Store and forward: each link has the whole message first.
 *
 * The arrival at a server is an event (EVENT_HOP), so that servers see messages in the order of
 * time. A message may go on without an event if no other can reach the next server before it:
 * goes_on(). The model of fair shares is in fair.c; the model of factors multiplies delays by a
 * factor of the messages in flight.
 */
#include "network.h"

bool network_new(struct clue_engine *e)
{
    const struct clue_machine *m = e->machine;
    size_t n_links = m->network.n_links;
    struct network *n = e->network = portolan_arena_alloc(&e->arena, 1, sizeof *n);
    void *block;

    if (!n)
        return false;
    block = portolan_arena_alloc(&e->arena, n_links + 2 * m->n_hosts + 1, sizeof *n->servers);
    if (!block)
        return false;
    n->servers = (struct server *)(((uintptr_t)block + 63) & ~(uintptr_t)63);
    for (size_t i = 0; i < n_links; i++) {
        const struct clue_link *about = &m->network.links[i];

        n->servers[i].ns_per_byte = about->bytes_per_ns > 0 ? 1 / about->bytes_per_ns : 0;
        n->servers[i].latency = about->latency_ns;
    }
    for (size_t i = 0; i < 2 * m->n_hosts; i++) {
        const struct clue_host *about = &m->hosts[i % m->n_hosts];

        n->servers[n_links + i].ns_per_byte = about->card_ns_per_byte;
        n->servers[n_links + i].gap = about->card_gap_ns;
    }
    return true;
}

/* ------------------------------------------------- ways */

/* Marks servers that only the server before them feeds: where hosts are connected to switches, the
 * link next to a card serves that card alone. */
static void find_direct(const struct clue_network *network, struct way *way, bool out, bool in)
{
    const struct clue_topology *t =
        network->route == clue_topology_route ? network->topology : NULL;
    bool is_beside =
        t && (t->kind == CLUE_CROSSBAR || t->kind == CLUE_FAT_TREE || t->kind == CLUE_DRAGONFLY);

    if (out && is_beside)
        way->direct |= 2;
    if (in && way->n <= 64 && (is_beside || (t && t->kind == CLUE_BUS)))
        way->direct |= (uint64_t)1 << (way->n - 1);
}

/* Returns the way from a host to a host; NULL: no memory, or there is none. */
static struct way *way_new(struct clue_engine *e, uint32_t from, uint32_t to)
{
    const struct clue_network *network = &e->machine->network;
    uint32_t links[CLUE_MOST_HOPS], cards[2], size, n_links = 0;
    bool has_card[2];
    struct way *way;

    if (from != to && network->route && network->n_links)
        n_links = (uint32_t)network->route(network, (int)from, (int)to, links);
    if (from != to && !n_links && !has_pair(e, from, to)) {
        note_no_delays(e, from, to);
        return NULL;
    }
    cards[0] = (uint32_t)network->n_links + from;
    cards[1] = (uint32_t)(network->n_links + e->machine->n_hosts) + to;
    for (int i = 0; i < 2; i++) {
        const struct server *s = &e->network->servers[cards[i]];

        has_card[i] = from != to && (s->gap > 0 || s->ns_per_byte > 0);
    }
    way = data_take(e, sizeof *way + (n_links + 2) * sizeof *links, &size);
    if (!way)
        return NULL;
    *way = (struct way){.size = size};
    if (has_card[0])
        way->servers[way->n++] = cards[0];
    memcpy(way->servers + way->n, links, n_links * sizeof *links);
    way->n += n_links;
    if (has_card[1])
        way->servers[way->n++] = cards[1];
    find_direct(network, way, has_card[0] && n_links, has_card[1] && n_links);
    return way;
}

void network_forget(struct clue_engine *e, struct channel *c)
{
    if (c->way)
        data_give(e, c->way, c->way->size);
    c->way = NULL;
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

/* Lets S serve M, which arrives at NS; returns when M reaches what comes next. */
static int64_t serve(const struct clue_network *network, struct server *s, struct message *m,
                     int64_t ns)
{
    int64_t start = later(ns, s->free_at), taken, bytes_ns, latency = s->latency;
    double bandwidth = 1, longer = 1, all = (double)m->bytes * s->ns_per_byte;

    if (network->n_by_size && s->gap <= 0) {
        network_by_size(network, m->bytes, &bandwidth, &longer);
        all /= bandwidth;
        latency = llround((double)latency * longer);
    }
    bytes_ns = (int64_t)(all + 0.5);
    taken = (int64_t)(all + s->gap + 0.5);
    s->free_at = start + taken;
    s->use.busy_ns += taken;
    s->use.queueing_ns += start - ns;
    s->use.n++;
    s->use.bytes += m->bytes;
    m->queueing += start - ns;
    m->service = start;
    if (network->store_and_forward)
        return start + bytes_ns + latency;
    m->slowest = later(m->slowest, bytes_ns);
    return start + latency;
}

int64_t transmission_ns(struct clue_engine *e, const struct message *m)
{
    uint32_t from = from_host(e, m), to = to_host(e, m);
    const struct clue_pair *pair = pair_of_hosts(e, from, to);
    int64_t ns = pair ? delay_ns(e, CLUE_TRANSMISSION, from, to, &pair->transmission, m->bytes) : 0;

    ns = m->in_flight ? llround((double)ns * network_factor(e, m->in_flight)) : ns;
    return later(0, ns - (m->is_rendezvous ? m->lead : 0));
}

/* Begins the pair's transmission delay, after the network is passed. */
static void transmit(struct clue_engine *e, uint32_t message, int64_t ns)
{
    struct message *m = message_of(e, message);

    m->service = ns;
    network_landed(e, message, ns + (m->is_background ? 0 : transmission_ns(e, m)));
}

/* Returns whether the next hop needs no event: none can be there before M, or the way is over. */
static bool goes_on(struct clue_engine *e, const struct message *m, int64_t at)
{
    return !e->by_events && (m->hop == m->way->n || (m->hop < 64 && m->way->direct >> m->hop & 1) ||
                             events_next(e) > at);
}

void network_fetch(const struct clue_engine *e, const struct message *m)
{
    __builtin_prefetch(&e->network->servers[m->server]);
    __builtin_prefetch(m->way);
    __builtin_prefetch((const char *)m + 64);
}

void network_hop(struct clue_engine *e, uint32_t message)
{
    struct message *m = message_of(e, message);
    int64_t at = e->now;

    if (m->at != e->now)
        return;
    m->at = -1;
    if (e->fair) {
        if (fair_hop(e, message))
            transmit(e, message, e->now);
        return;
    }
    do {
        if (m->hop == m->way->n) {
            transmit(e, message, at);
            return;
        }
        at = serve(&e->machine->network, &e->network->servers[m->server], m, at);
        if (++m->hop == m->way->n)
            at += m->slowest;
        else
            m->server = m->way->servers[m->hop];
    } while (goes_on(e, m, at));
    m->at = at;
    events_push(e, at, EVENT_HOP, m->from, message, !m->is_background);
}

/* ------------------------------------------------- all models */

uint32_t network_begin(struct clue_engine *e)
{
    const struct clue_network *network = &e->machine->network;

    return network->model == CLUE_NETWORK_FACTOR && network->n_factors ? ++e->network->n_in_flight
                                                                       : 0;
}

double network_factor(const struct clue_engine *e, uint32_t in_flight)
{
    const struct clue_network *network = &e->machine->network;

    return !in_flight                       ? 1
           : in_flight > network->n_factors ? network->factors[network->n_factors - 1]
                                            : network->factors[in_flight - 1];
}

void network_end(struct clue_engine *e, struct message *m)
{
    e->network->n_in_flight -= m->in_flight > 0;
    m->in_flight = 0;
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

/* Launches a message. *KEPT: its way, once it is known. */
static void launch(struct clue_engine *e, uint32_t message, int64_t start, struct way **kept)
{
    struct message *m = message_of(e, message);

    if (m->flags & CLUE_FREE) {
        network_landed(e, message, start);
        return;
    }
    if (e->machine->network.model < CLUE_NETWORK_QUEUE) {
        transmit(e, message, start);
        return;
    }
    if (!*kept && !(*kept = way_new(e, from_host(e, m), to_host(e, m))))
        return;
    m->way = *kept;
    if (!m->way->n) {
        transmit(e, message, start);
        return;
    }
    m->server = m->way->servers[0];
    m->at = start;
    events_push(e, m->at, EVENT_HOP, m->from, message, !m->is_background);
}

void network_launch(struct clue_engine *e, uint32_t message, int64_t start)
{
    launch(e, message, start, &channel_of(e, message_of(e, message)->channel)->way);
}

void network_traffic(struct clue_engine *e, uint32_t source, uint64_t bytes)
{
    const struct clue_background *about = &e->machine->background[source];
    uint32_t from = (uint32_t)about->host, to = (uint32_t)about->to;
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
                          .in_flight = network_begin(e)};
    if (e->machine->network.model == CLUE_NETWORK_FACTOR)
        network_landed(e, i,
                       e->now +
                           llround((double)delay_ns(e, CLUE_SEND, from, to, &pair->send, bytes) *
                                   network_factor(e, m->in_flight)) +
                           transmission_ns(e, m));
    else
        launch(e, i, e->now, &e->background[source].way);
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

/* Returns NS with the part after NOW stretched by TIMES. */
static int64_t stretched(int64_t now, int64_t ns, double times)
{
    return ns <= now ? ns : now + llround((double)(ns - now) * times);
}

/* Changes a message whose latest link is LINK, with LATENCY: the rest of its way takes TIMES as
 * long. */
static void change_message(struct clue_engine *e, uint32_t i, uint32_t link, bool is_latency,
                           double times, int64_t latency)
{
    struct message *m = message_of(e, i);
    int64_t rest, sent, at; /* REST: time of its bytes after the first at the end of the link */

    if (m->at < e->now || m->hop == 0 || m->way->servers[m->hop - 1] != link)
        return;
    rest = m->hop == m->way->n ? m->slowest : 0;
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
    struct server *s = &e->network->servers[link];
    const struct clue_link *about = &e->machine->network.links[link];
    double was = is_latency ? (double)s->latency : s->ns_per_byte;
    double now = is_latency ? (double)about->latency_ns * times : 1 / (about->bytes_per_ns * times);

    if (was > 0 && now != was && !e->fair)
        for (uint32_t i = 1; i <= e->messages.n; i++)
            change_message(e, i, link, is_latency, now / was, s->latency);
    if (is_latency)
        s->latency = llround(now);
    else {
        s->free_at = stretched(e->now, s->free_at, now / was);
        s->ns_per_byte = now;
        if (e->fair)
            fair_link_changed(e, link);
    }
}

void clue_engine_link_use(const struct clue_engine *e, size_t link, struct clue_use *use)
{
    *use = e->network->servers[link].use;
}

void clue_engine_card_use(const struct clue_engine *e, int host, bool is_in, struct clue_use *use)
{
    *use = e->network
               ->servers[e->machine->network.n_links + (is_in ? e->machine->n_hosts : 0) +
                         (size_t)host]
               .use;
}
