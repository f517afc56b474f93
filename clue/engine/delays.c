/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes the delays of the machine. */
#include "internal.h"

static double between(const struct clue_law_point *a, const struct clue_law_point *b, double bytes)
{
    return a->ns +
           (b->ns - a->ns) * (bytes - (double)a->bytes) / (double)((int64_t)(b->bytes - a->bytes));
}

double clue_law_value(const struct clue_law *law, uint64_t bytes)
{
    const struct clue_law_point *p = law->points;
    size_t i = 1;

    if (!law->n_points)
        return law->constant_ns + (double)bytes * law->ns_per_byte;
    if (law->n_points == 1)
        return p->ns;
    while (i + 1 < law->n_points && p[i].bytes < bytes)
        i++;
    return between(&p[i - 1], &p[i], (double)bytes);
}

int64_t clue_law_ns(const struct clue_law *law, uint64_t bytes)
{
    double ns = clue_law_value(law, bytes);

    return ns > 0 ? (int64_t)(ns + 0.5) : 0;
}

bool has_pair(const struct clue_engine *e, uint32_t from, uint32_t to)
{
    const struct clue_machine *m = e->machine;

    return (m->pair_of ? m->pair_of(m, (int)from, (int)to) : 0) < m->n_pairs;
}

void note_no_delays(struct clue_engine *e, uint32_t from, uint32_t to)
{
    portolan_error_set(&e->error, PORTOLAN_ENOTFOUND,
                       "the machine has no delays for messages from host %s to host %s; add <send> "
                       "and <transmission> %s",
                       e->machine->hosts[from].name, e->machine->hosts[to].name,
                       from == to ? "to \"self\"" : "between them");
}

const struct clue_pair *pair_of_hosts(struct clue_engine *e, uint32_t from, uint32_t to)
{
    static const struct clue_pair no_delays;
    const struct clue_machine *m = e->machine;
    size_t pair = m->pair_of ? m->pair_of(m, (int)from, (int)to) : 0;

    if (pair < m->n_pairs)
        return &m->pairs[pair];
    if (m->network.model >= CLUE_NETWORK_QUEUE && m->network.route && from != to)
        return &no_delays; /* the network has a route, or reports that it has none */
    note_no_delays(e, from, to);
    return NULL;
}

int64_t receive_ns(const struct clue_engine *e, uint32_t task, uint64_t bytes)
{
    uint32_t host = task_of(e, task)->host;

    return delay_ns(e, CLUE_RECEIVE, host, 0, &e->machine->hosts[host].receive, bytes);
}

int64_t clue_engine_pack_ns(struct clue_engine *e, int task, uint64_t bytes, bool is_message)
{
    uint32_t host = task_of(e, (uint32_t)task)->host;
    const struct clue_pair *pair =
        is_message && has_pair(e, host, host) ? pair_of_hosts(e, host, host) : NULL;

    /* A small message is copied into a buffer and out of it. */
    if (pair && bytes <= e->machine->eager_bytes)
        return delay_ns(e, CLUE_SEND, host, host, &pair->send, 0) +
               receive_ns(e, (uint32_t)task, 0) +
               2 * clue_law_ns(&e->machine->hosts[host].packing, bytes);
    return pair ? delay_ns(e, CLUE_SEND, host, host, &pair->send, bytes) +
                      delay_ns(e, CLUE_TRANSMISSION, host, host, &pair->transmission, bytes) +
                      receive_ns(e, (uint32_t)task, bytes)
                : clue_law_ns(&e->machine->hosts[host].packing, bytes);
}
