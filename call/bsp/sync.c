/* SPDX-License-Identifier: BSD-3-Clause */
/* Ends of supersteps. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

/*
 * Barrier and sum of counts at once. A processor's counts are by distance to the receiver; in round
 * k it hands those whose distance has bit k to the processor 2^k further on, and adds those that
 * the one 2^k before hands to it. Behind the last round only distance 0 is left: what all have sent
 * to this one. As in a dissemination barrier, by then it has heard of all others.
 */
static uint64_t meet(struct bsp_machine *m)
{
    uint64_t *counts = bsp_need((size_t)m->n, sizeof *counts, "bsp_sync"), own;

    for (int d = 0; d < m->n; d++)
        counts[d] = m->sent_to[(m->pid + d) % m->n];
    for (int k = 0, far = 1; far < m->n; k++, far *= 2) {
        struct bsp_address address = {m->id, m->step, (uint64_t)(CHANNEL_BARRIER + k)};
        struct t_bspmsg *out = transport_make((size_t)m->n * sizeof *counts, "bsp_sync"), *in;
        uint64_t *word = (uint64_t *)(void *)out->data;
        size_t n_words = 0;

        for (int d = 0; d < m->n; d++)
            if (d & far) {
                word[n_words++] = counts[d];
                counts[d] = 0;
            }
        out->head = (struct bsp_head){.to = address,
                                      .size = n_words * sizeof *word,
                                      .kind = BSP_TOKEN,
                                      .source = (uint32_t)m->pid};
        transport_send(m, (m->pid + far) % m->n, out);
        in = transport_await(&address, 1, &n_words);
        word = (uint64_t *)(void *)in->data;
        for (int d = 0; d < m->n; d++)
            if (d & far)
                counts[d - far] += *word++;
        transport_free(in);
    }
    own = counts[0];
    free(counts);
    return own;
}

/* Ends the superstep when N messages have come; AWAITED: how many bsp_oblsync() wants, -1: sync. */
static void end_superstep(struct bsp_machine *m, size_t n, long awaited)
{
    struct bsp_address address = {m->id, m->step, CHANNEL_TRAFFIC};
    size_t n_there;
    struct t_bspmsg *traffic = transport_await(&address, n, &n_there);

    if (awaited >= 0 && n_there > n)
        bsp_die(m, "bsp_oblsync", "%zu messages came, but %ld were to be waited for", n_there,
                awaited);
    memory_exchange(m, &traffic);
    transport_settle(m);
    memory_register(m);
    message_deliver(m, traffic);
    memset(m->sent_to, 0, (size_t)m->n * sizeof *m->sent_to);
    m->n_sent = 0;
    transport_lock();
    m->step++;
    transport_unlock();
    trace_sync_end();
}

void bsp_sync(t_bsp *bsp)
{
    struct bsp_machine *m = bsp_find_active(bsp, "bsp_sync");

    trace_sync_begin(-1);
    end_superstep(m, meet(m), -1);
}

void bsp_oblsync(t_bsp *bsp, int n)
{
    struct bsp_machine *m = bsp_find_active(bsp, "bsp_oblsync");

    if (n < 0)
        bsp_die(m, "bsp_oblsync", "%d messages cannot be waited for", n);
    if (m->n_gets)
        bsp_die(m, "bsp_oblsync", "bsp_get() needs a superstep that ends by bsp_sync()");
    trace_sync_begin(n);
    end_superstep(m, (size_t)n, n);
}
