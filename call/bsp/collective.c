/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations by all processors of an object, organised as trees, within one superstep. */
#include "internal.h"

#include <portolan/cll.h>

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 64 }; /* addresses that one operation may use */

static struct bsp_address address_of(const struct bsp_machine *m, uint64_t operation, int round)
{
    return (struct bsp_address){m->id, operation * ROUNDS + (uint64_t)round, CHANNEL_COLLECTIVE};
}

static void hand(struct bsp_machine *m, struct bsp_address address, int to, const void *data,
                 size_t size)
{
    const struct bsp_head head = {
        .to = address, .size = size, .kind = BSP_TOKEN, .source = (uint32_t)m->pid};

    transport_post(m, to, &head, data, false);
}

static struct t_bspmsg *take_message(struct bsp_address address)
{
    size_t n;

    return transport_await(&address, 1, &n);
}

static void take_into(struct bsp_address address, void *data, size_t size)
{
    struct t_bspmsg *message = take_message(address);

    if (size)
        memcpy(data, message->data, size);
    transport_free(message);
}

void bsp_bcast(t_bsp *bsp, int root, void *data, size_t size)
{
    struct bsp_machine *m = bsp_find_for(bsp, root, "bsp_bcast");
    int from_root = (m->pid - root + m->n) % m->n, far = 1;
    uint64_t operation = m->n_collective++;

    if (from_root) {
        take_into(address_of(m, operation, 0), data, size);
        while (far <= from_root)
            far *= 2;
    }
    for (; from_root + far < m->n; far *= 2)
        hand(m, address_of(m, operation, 0), (m->pid + far) % m->n, data, size);
}

static void check_items(const struct bsp_machine *m, size_t size, size_t count,
                        const char *function)
{
    size_t bytes;

    if (__builtin_mul_overflow(size, count, &bytes) || bytes > PTRDIFF_MAX)
        bsp_die(m, function, "%zu items of %zu bytes are too much", count, size);
}

void bsp_reduce(t_bsp *bsp, int root, t_bsp_operator *combine, const void *data, void *result,
                size_t size, size_t count)
{
    struct bsp_machine *m = bsp_find_for(bsp, root, "bsp_reduce");
    uint64_t operation = m->n_collective++;
    size_t bytes = size * count;
    void *sum;
    int round = 1;

    check_items(m, size, count, "bsp_reduce");
    sum = bsp_need(bytes, 1, "bsp_reduce");
    if (bytes)
        memcpy(sum, data, bytes);
    for (int far = 1; far < m->n; far *= 2, round++) {
        struct bsp_address address = address_of(m, operation, round);

        if (m->pid & far) {
            hand(m, address, m->pid - far, sum, bytes);
            break;
        }
        if (m->pid + far < m->n) {
            struct t_bspmsg *higher = take_message(address);

            combine(higher->data, sum, count);
            transport_free(higher);
        }
    }
    if (m->pid == 0)
        hand(m, address_of(m, operation, 0), root, sum, bytes);
    if (m->pid == root)
        take_into(address_of(m, operation, 0), result, bytes);
    free(sum);
}

void bsp_scan(t_bsp *bsp, t_bsp_operator *combine, const void *data, void *result, size_t size,
              size_t count)
{
    struct bsp_machine *m = bsp_find_active(bsp, "bsp_scan");
    uint64_t operation = m->n_collective++;
    size_t bytes = size * count;
    int round = 0;

    check_items(m, size, count, "bsp_scan");
    if (bytes)
        memmove(result, data, bytes);
    for (int far = 1; far < m->n; far *= 2, round++) {
        struct bsp_address address = address_of(m, operation, round);

        if (m->pid + far < m->n)
            hand(m, address, m->pid + far, result, bytes);
        if (m->pid >= far) {
            struct t_bspmsg *lower = take_message(address);

            combine(result, lower->data, count); /* the lower processor's operand comes first */
            if (bytes)
                memcpy(result, lower->data, bytes);
            transport_free(lower);
        }
    }
}

void collective_meet(struct bsp_machine *m)
{
    uint64_t operation = m->n_collective++;

    for (int round = 0, far = 1; far < m->n; far *= 2, round++) {
        struct bsp_address address = address_of(m, operation, round);

        hand(m, address, (m->pid + far) % m->n, NULL, 0);
        transport_free(take_message(address));
    }
}

int collective_gather(struct bsp_machine *m, const void *bytes, size_t n,
                      int (*take_one)(void *arg, int source, const void *bytes, size_t n),
                      void *arg)
{
    struct bsp_address address = address_of(m, m->n_collective++, 0);
    struct t_bspmsg **all;
    size_t n_all;
    int result = 0;

    hand(m, address, 0, bytes, n);
    if (m->pid)
        return 0;
    all = message_sort(transport_await(&address, (size_t)m->n, &n_all), &n_all);
    for (size_t i = 0; i < n_all; i++) {
        if (!result)
            result = take_one(arg, (int)all[i]->head.source, all[i]->data, all[i]->head.size);
        transport_free(all[i]);
    }
    free(all);
    return result;
}

/* -- CALL's driver PUB: its barriers do not end supersteps, so a program behaves as before. -- */

static int cll_rank(void *machine)
{
    return bsp_find(machine, "cll")->pid;
}

static int cll_size(void *machine)
{
    return bsp_find(machine, "cll")->n;
}

static void cll_barrier(void *machine, void *argument)
{
    collective_meet(bsp_find_active(argument ? argument : machine, "cll sync"));
}

static int cll_gather(void *machine, const void *bytes, size_t n,
                      int (*take)(void *arg, int rank, const void *bytes, size_t n), void *arg)
{
    return collective_gather(bsp_find_active(machine, "cll report"), bytes, n, take, arg);
}

__attribute__((visibility("default"))) const struct portolan_cll_driver portolan_cll_pub = {
    .name = "PUB",
    .rank = cll_rank,
    .size = cll_size,
    .sync = cll_barrier,
    .gather = cll_gather,
};
