/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which calls of a port are timed. Each is with the same probability on its own: gaps follow the
 * geometric distribution, which has no memory, so that the first gap of a record needs no care and
 * no period of the program can meet one of ours.
 */
#include "internal.h"

#include <math.h>

/* xorshift64* */
static uint64_t draw(uint64_t *state)
{
    uint64_t x = *state;

    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * 0x2545F4914F6CDD1DU;
}

/* Every thread begins elsewhere. */
static uint64_t seed(const struct probe_thread *t)
{
    uint64_t x = (uint64_t)t->index * 0x9E3779B97F4A7C15U ^ portolan_probe_now();

    return x ? x : 1;
}

void probe_draw(struct probe_thread *t, struct portolan_probe_node *node, uint32_t one_in)
{
    double u, gap;

    node->one_in = one_in;
    node->skip = 1;
    if (one_in <= 1)
        return;
    if (!t->random)
        t->random = seed(t);
    if (t->gap_one_in != one_in) {
        t->gap_one_in = one_in;
        t->gap_scale = 1.0 / log1p(-1.0 / (double)one_in);
    }
    u = ((double)(draw(&t->random) >> 11) + 0.5) * 0x1p-53; /* between 0 and 1, never one of them */
    gap = log(u) * t->gap_scale;
    node->skip = gap < UINT32_MAX - 1 ? 1 + (uint32_t)gap : UINT32_MAX;
}

/* With the bit that says so where some calls are not to be timed. */
static uint32_t with_sampling(const struct portolan_probe_port *port, uint32_t flags)
{
    flags &= ~PORTOLAN_PROBE_SAMPLED;
    if (flags & PORTOLAN_PROBE_MONITORED && portolan_probe_port_sampling(port) > 1)
        flags |= PORTOLAN_PROBE_SAMPLED;
    return flags;
}

void probe_port_change_flags(struct portolan_probe_port *port, uint32_t kept, uint32_t flags)
{
    uint32_t now = __atomic_load_n(&port->flags, __ATOMIC_RELAXED);

    while (!__atomic_compare_exchange_n(&port->flags, &now,
                                        with_sampling(port, (flags & ~kept) | (now & kept)), false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

void portolan_probe_port_set_sampling(struct portolan_probe_port *port, uint32_t one_in)
{
    if (one_in > PORTOLAN_PROBE_SAMPLING_MAX)
        one_in = PORTOLAN_PROBE_SAMPLING_MAX;
    __atomic_store_n(&port->one_in, one_in ? one_in : 1, __ATOMIC_RELAXED);
    probe_port_change_flags(port, ~0U, 0);
}

uint32_t portolan_probe_port_sampling(const struct portolan_probe_port *port)
{
    uint32_t one_in = __atomic_load_n(&port->one_in, __ATOMIC_RELAXED);

    return one_in ? one_in : 1;
}
