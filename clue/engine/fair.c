/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flows that share links fairly (max-min).
 *
 * A message whose latency is over is a flow. Rates are set by progressive filling: find the link
 * that has the least free capacity per flow that has no rate yet; give its flows this rate;
 * subtract it from the free capacity of their other links; repeat until all flows have a rate. So
 * no flow can get more without taking from one that has less.
 *
 * When a flow begins or ends, only flows that are connected with it through shared links can change
 * their rates. The links that it uses are marked dirty, and one event, after the hops of the same
 * time, solves the connected component again. Between solutions each flow's remaining bytes shrink
 * linearly, so its end is known; it is an event that a new solution replaces.
 *
 * The cards of hosts are links, too; their gap does not count.
 */
#include "network.h"

struct flow {
    uint32_t message, n_links;
    uint32_t size; /* size of its block */
    bool is_fixed;
    double bytes, rate; /* BYTES: what is left, after factors by size; RATE: bytes per ns */
    int64_t updated, begin;
    uint64_t seen; /* number of the last solution that has seen it */
    struct flow_link {
        uint32_t link, at; /* its position in the link's list */
    } links[];
};

struct fair_link {
    double capacity; /* 0: the link does not limit */
    struct crossing {
        struct flow *flow;
        uint32_t number; /* index of the link among the flow's links */
    } * crossings;
    size_t n, room;
    uint64_t seen;
    bool is_dirty;
    double left; /* capacity that flows without a rate share */
    uint32_t n_unfixed;
};

struct fair {
    struct fair_link *links; /* links of the network, then cards out, then cards in */
    size_t n_links;
    struct flow **flows; /* by message */
    size_t flow_room;
    uint64_t solution;
    int64_t solve_at; /* time of the event that solves */
    uint32_t *dirty, *component;
    size_t n_dirty, n_component;
    struct flow **component_flows;
    size_t n_flows, flows_room;
};

bool fair_new(struct clue_engine *e)
{
    const struct clue_machine *m = e->machine;
    struct fair *f;

    if (m->network.model != CLUE_NETWORK_FAIR)
        return true;
    e->fair = f = portolan_arena_alloc(&e->arena, 1, sizeof *f);
    if (!f)
        return false;
    f->solve_at = -1;
    f->n_links = m->network.n_links + 2 * m->n_hosts;
    f->links = portolan_arena_alloc(&e->arena, f->n_links, sizeof *f->links);
    f->dirty = portolan_arena_alloc(&e->arena, f->n_links, sizeof *f->dirty);
    f->component = portolan_arena_alloc(&e->arena, f->n_links, sizeof *f->component);
    if (e->arena.failed) {
        f->n_links = 0;
        return false;
    }
    for (size_t i = 0; i < f->n_links; i++)
        f->links[i].capacity =
            e->network->servers[i].ns_per_byte > 0 ? 1 / e->network->servers[i].ns_per_byte : 0;
    return true;
}

void fair_free(struct clue_engine *e)
{
    struct fair *f = e->fair;

    if (!f)
        return;
    for (size_t i = 0; i < f->n_links; i++)
        free(f->links[i].crossings);
    free(f->flows);
    free(f->component_flows);
}

static void mark_dirty(struct clue_engine *e, uint32_t link)
{
    struct fair *f = e->fair;

    if (f->links[link].is_dirty)
        return;
    f->links[link].is_dirty = true;
    f->dirty[f->n_dirty++] = link;
    if (f->solve_at != e->now)
        events_push(e, f->solve_at = e->now, EVENT_FLOWS, 0, 0, true);
}

void fair_link_changed(struct clue_engine *e, uint32_t link)
{
    e->fair->links[link].capacity = 1 / e->network->servers[link].ns_per_byte;
    mark_dirty(e, link);
}

/* ------------------------------------------------- flows */

/* Finds the links that limit M, and its latency. */
static size_t flow_way(struct clue_engine *e, const struct message *m, uint32_t *ways,
                       int64_t *latency)
{
    size_t count = 0;

    *latency = 0;
    for (uint32_t i = 0; i < m->way->n; i++) {
        *latency += e->network->servers[m->way->servers[i]].latency;
        if (e->fair->links[m->way->servers[i]].capacity > 0)
            ways[count++] = m->way->servers[i];
    }
    return count;
}

static bool flow_begin(struct clue_engine *e, uint32_t message, const uint32_t *ways, size_t n)
{
    struct fair *f = e->fair;
    struct message *m = message_of(e, message);
    double bandwidth = 1, latency = 1;
    uint32_t size;
    struct flow *flow = data_take(e, sizeof *flow + n * sizeof *flow->links, &size);

    if (!flow || !portolan_reserve(&f->flows, &f->flow_room, message + 1u, sizeof *f->flows)) {
        engine_no_memory(e);
        return false;
    }
    network_by_size(&e->machine->network, m->bytes, &bandwidth, &latency);
    *flow = (struct flow){.message = message,
                          .n_links = (uint32_t)n,
                          .size = size,
                          .bytes = (double)m->bytes / bandwidth,
                          .updated = e->now,
                          .begin = e->now};
    f->flows[message] = flow;
    for (uint32_t i = 0; i < n; i++) {
        struct fair_link *l = &f->links[ways[i]];

        if (!portolan_reserve(&l->crossings, &l->room, l->n + 1, sizeof *l->crossings)) {
            engine_no_memory(e);
            return false;
        }
        flow->links[i] = (struct flow_link){ways[i], (uint32_t)l->n};
        l->crossings[l->n++] = (struct crossing){flow, i};
        mark_dirty(e, ways[i]);
    }
    return true;
}

static void flow_end(struct clue_engine *e, uint32_t message)
{
    struct fair *f = e->fair;
    struct flow *flow = f->flows[message];
    struct message *m = message_of(e, message);
    double alone = 0;

    for (uint32_t i = 0; i < flow->n_links; i++) {
        uint32_t link = flow->links[i].link;
        struct fair_link *l = &f->links[link];
        struct crossing *last = &l->crossings[--l->n];
        double ns = (double)m->bytes / l->capacity;
        struct clue_use *use = &e->network->servers[link].use;

        l->crossings[flow->links[i].at] = *last;
        last->flow->links[last->number].at = flow->links[i].at;
        alone = ns > alone ? ns : alone;
        use->busy_ns += llround(ns);
        use->n++;
        use->bytes += m->bytes;
        mark_dirty(e, link);
    }
    m->queueing += later(0, e->now - flow->begin - llround(alone));
    data_give(e, flow, flow->size);
    f->flows[message] = NULL;
}

/* Moves a message on. Hops: 0: its latency begins; 1: it is a flow; 2: its last byte is there. */
bool fair_hop(struct clue_engine *e, uint32_t message)
{
    struct message *m = message_of(e, message);
    uint32_t ways[CLUE_MOST_HOPS + 2];
    double bandwidth = 1, factor = 1;
    int64_t latency;
    size_t n;

    if (m->hop == 2) {
        flow_end(e, message);
        return true;
    }
    n = flow_way(e, m, ways, &latency);
    network_by_size(&e->machine->network, m->bytes, &bandwidth, &factor);
    latency = llround((double)latency * factor);
    if (m->hop++ == 0 && latency > 0) {
        m->at = e->now + latency;
        events_push(e, m->at, EVENT_HOP, m->from, message, !m->is_background);
        return false;
    }
    m->hop = 2;
    return n == 0 || m->bytes == 0 || !flow_begin(e, message, ways, n);
}

/* ------------------------------------------------- shares */

static void add_link(struct fair *f, uint32_t link)
{
    struct fair_link *l = &f->links[link];

    if (l->seen == f->solution)
        return;
    l->seen = f->solution;
    l->left = l->capacity;
    l->n_unfixed = (uint32_t)l->n;
    f->component[f->n_component++] = link;
}

/* Finds all links and flows that are connected with dirty links. */
static bool find_component(struct clue_engine *e)
{
    struct fair *f = e->fair;

    f->solution++;
    f->n_component = f->n_flows = 0;
    for (size_t i = 0; i < f->n_dirty; i++) {
        f->links[f->dirty[i]].is_dirty = false;
        add_link(f, f->dirty[i]);
    }
    f->n_dirty = 0;
    for (size_t i = 0; i < f->n_component; i++) {
        const struct fair_link *l = &f->links[f->component[i]];

        if (!portolan_reserve(&f->component_flows, &f->flows_room, f->n_flows + l->n,
                              sizeof *f->component_flows)) {
            engine_no_memory(e);
            return false;
        }
        for (size_t j = 0; j < l->n; j++) {
            struct flow *flow = l->crossings[j].flow;

            if (flow->seen == f->solution)
                continue;
            flow->seen = f->solution;
            flow->is_fixed = false;
            f->component_flows[f->n_flows++] = flow;
            for (uint32_t k = 0; k < flow->n_links; k++)
                add_link(f, flow->links[k].link);
        }
    }
    return true;
}

static void set_rate(struct clue_engine *e, struct flow *flow, double rate)
{
    struct message *m = message_of(e, flow->message);
    int64_t end;

    flow->is_fixed = true;
    if (fabs(rate - flow->rate) <= 1e-12 * rate)
        return;
    flow->bytes -= flow->rate * (double)(e->now - flow->updated);
    flow->updated = e->now;
    flow->rate = rate;
    end = e->now + (flow->bytes > 0 ? llround(flow->bytes / rate) : 0);
    if (end == m->at)
        return;
    m->at = end;
    events_push(e, end, EVENT_HOP, m->from, flow->message, !m->is_background);
}

static void fix_flows(struct clue_engine *e, struct fair_link *l, double share)
{
    for (size_t i = 0; i < l->n; i++) {
        struct flow *flow = l->crossings[i].flow;

        if (flow->is_fixed)
            continue;
        set_rate(e, flow, share);
        for (uint32_t k = 0; k < flow->n_links; k++) {
            struct fair_link *other = &e->fair->links[flow->links[k].link];

            other->left -= share;
            other->n_unfixed--;
        }
    }
}

void fair_solve(struct clue_engine *e)
{
    struct fair *f = e->fair;
    size_t n;

    f->solve_at = -1;
    if (!find_component(e))
        return;
    for (n = f->n_component; n > 0;) {
        double least = INFINITY;

        for (size_t i = 0; i < n;) {
            const struct fair_link *l = &f->links[f->component[i]];

            if (l->n_unfixed == 0) {
                f->component[i] = f->component[--n];
                continue;
            }
            least = fmin(least, l->left / l->n_unfixed);
            i++;
        }
        for (size_t i = 0; i < n; i++) {
            struct fair_link *l = &f->links[f->component[i]];

            if (l->n_unfixed && l->left / l->n_unfixed <= least * (1 + 1e-12))
                fix_flows(e, l, least);
        }
    }
}
