/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages as the program sees them. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

struct bsp_head message_head(struct bsp_machine *m, enum bsp_kind kind, size_t size)
{
    return (struct bsp_head){
        .to = {m->id, m->step, CHANNEL_TRAFFIC},
        .size = size,
        .kind = kind,
        .source = (uint32_t)m->pid,
        .sequence = m->n_sent++,
    };
}

/* A negative int that became a size. */
static void check_size(const struct bsp_machine *m, size_t size, const char *function)
{
    if (size > PTRDIFF_MAX)
        bsp_die(m, function, "a size of %td bytes is no size", (ptrdiff_t)size);
}

static void send_buffer(t_bsp *bsp, int dest, const void *buffer, size_t size, bool lend,
                        const char *function)
{
    struct bsp_machine *m = bsp_find_for(bsp, dest, function);
    struct bsp_head head;

    check_size(m, size, function);
    head = message_head(m, BSP_MESSAGE, size);
    m->sent_to[dest]++;
    trace_send(dest, size);
    transport_post(m, dest, &head, buffer, lend);
}

void bsp_send(t_bsp *bsp, int dest, const void *buffer, size_t size)
{
    send_buffer(bsp, dest, buffer, size, false, "bsp_send");
}

void bsp_hpsend(t_bsp *bsp, int dest, const void *buffer, size_t size)
{
    send_buffer(bsp, dest, buffer, size, true, "bsp_hpsend");
}

t_bspmsg *bsp_createmsg(t_bsp *bsp, size_t size)
{
    struct bsp_machine *m = bsp_find(bsp, "bsp_createmsg");
    struct t_bspmsg *message;

    check_size(m, size, "bsp_createmsg");
    message = transport_make(size, "bsp_createmsg");
    message->head.kind = BSP_CREATED;
    message->head.to.machine = m->id;
    return message;
}

void bsp_sendmsg(t_bsp *bsp, int dest, t_bspmsg *message)
{
    struct bsp_machine *m = bsp_find_for(bsp, dest, "bsp_sendmsg");

    if (!message || message->head.kind != BSP_CREATED || message->head.to.machine != m->id)
        bsp_die(m, "bsp_sendmsg",
                "the message is not one that bsp_createmsg() made for this object");
    message->head = message_head(m, BSP_MESSAGE, message->head.size);
    m->sent_to[dest]++;
    trace_send(dest, message->head.size);
    transport_send(m, dest, message);
}

static int by_sender(const void *a, const void *b)
{
    const struct bsp_head *x = &(*(struct t_bspmsg *const *)a)->head;
    const struct bsp_head *y = &(*(struct t_bspmsg *const *)b)->head;

    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

struct t_bspmsg **message_sort(struct t_bspmsg *list, size_t *n)
{
    struct t_bspmsg **sorted = NULL;

    *n = 0;
    for (struct t_bspmsg *x = list; x; x = x->next) {
        sorted = bsp_grow(sorted, *n, sizeof *sorted, "bsp_sync");
        sorted[(*n)++] = x;
    }
    if (*n > 1)
        qsort(sorted, *n, sizeof *sorted, by_sender);
    return sorted;
}

void message_deliver(struct bsp_machine *m, struct t_bspmsg *list)
{
    size_t n;

    for (int i = 0; i < m->n_messages; i++)
        transport_free(m->messages[i]);
    free(m->messages);
    m->messages = message_sort(list, &n);
    m->n_messages = (int)n;
}

int bsp_nmsgs(const t_bsp *bsp)
{
    return bsp_find(bsp, "bsp_nmsgs")->n_messages;
}

t_bspmsg *bsp_getmsg(const t_bsp *bsp, int index)
{
    struct bsp_machine *m = bsp_find(bsp, "bsp_getmsg");

    if (index < 0 || index >= m->n_messages)
        bsp_die(m, "bsp_getmsg", "there is no message %d: the last superstep brought %d%s", index,
                m->n_messages, m->n_messages ? ", numbered from 0" : "");
    return m->messages[index];
}

t_bspmsg *bsp_findmsg(const t_bsp *bsp, int source, int index)
{
    struct bsp_machine *m = bsp_find(bsp, "bsp_findmsg");
    int first = 0, behind = m->n_messages;

    if (source < 0 || source >= m->n)
        bsp_die(m, "bsp_findmsg", "there is no processor %d: the object has 0 … %d", source,
                m->n - 1);
    while (first < behind) {
        int middle = (first + behind) / 2;

        if (m->messages[middle]->head.source < (uint32_t)source)
            first = middle + 1;
        else
            behind = middle;
    }
    if (index < 0 || index >= m->n_messages - first ||
        m->messages[first + index]->head.source != (uint32_t)source)
        return NULL;
    return m->messages[first + index];
}

void *bspmsg_data(const t_bspmsg *message)
{
    return message ? (void *)message->data : NULL;
}

size_t bspmsg_size(const t_bspmsg *message)
{
    return message ? message->head.size : 0;
}

int bspmsg_src(const t_bspmsg *message)
{
    return message ? (int)message->head.source : -1;
}
