/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading and writing the memory of others, at the end of the superstep. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

struct get {
    void *target;
    size_t size;
};

/* -- registrations: processors register together, so the place in the list names the memory -- */

void bsp_push_reg(t_bsp *bsp, void *ident, size_t size)
{
    struct bsp_machine *m = bsp_find_active(bsp, "bsp_push_reg");

    m->registrations =
        bsp_grow(m->registrations, m->n_registrations, sizeof *m->registrations, "bsp_push_reg");
    m->registrations[m->n_registrations++] =
        (struct bsp_registration){.base = ident, .size = size, .is_new = true};
}

/* The newest of IDENT that is live, or also new; -1 when there is none. */
static long find_registration(const struct bsp_machine *m, const void *ident, bool or_new)
{
    for (size_t i = m->n_registrations; i-- > 0;) {
        const struct bsp_registration *r = &m->registrations[i];

        if (r->base == ident && (or_new ? !r->is_leaving : r->is_live))
            return (long)i;
    }
    return -1;
}

void bsp_pop_reg(t_bsp *bsp, void *ident)
{
    struct bsp_machine *m = bsp_find_active(bsp, "bsp_pop_reg");
    long i = find_registration(m, ident, true);

    if (i < 0)
        bsp_die(m, "bsp_pop_reg", "%p was not registered by bsp_push_reg()", ident);
    m->registrations[i].is_leaving = true;
}

void memory_register(struct bsp_machine *m)
{
    size_t kept = 0;

    for (size_t i = 0; i < m->n_registrations; i++) {
        struct bsp_registration r = m->registrations[i];

        r.is_live = true;
        r.is_new = false;
        if (!r.is_leaving)
            m->registrations[kept++] = r;
    }
    /* bsp_grow() asks for room at powers of two, which a list that shrank passes again. */
    m->n_registrations = kept;
}

void memory_clear(struct bsp_machine *m)
{
    free(m->registrations);
    free(m->gets);
}

/* -- requests -- */

static struct bsp_head aim(struct bsp_machine *m, enum bsp_kind kind, int to, const void *ident,
                           size_t offset, size_t size, const char *function)
{
    struct bsp_head head = message_head(m, kind, kind == BSP_PUT ? size : 0);
    long slot = find_registration(m, ident, false);

    if (slot < 0)
        bsp_die(m, function,
                "%p is not registered: bsp_push_reg() makes it known from the next superstep on",
                ident);
    if (size > PTRDIFF_MAX || offset > PTRDIFF_MAX)
        bsp_die(m, function, "%td bytes at %td cannot be", (ptrdiff_t)size, (ptrdiff_t)offset);
    head.slot = (uint64_t)slot;
    head.offset = offset;
    head.bytes = size;
    m->sent_to[to]++;
    return head;
}

static void put(t_bsp *bsp, int dest, const void *source, void *ident, size_t offset, size_t size,
                bool lend, const char *function)
{
    struct bsp_machine *m = bsp_find_for(bsp, dest, function);
    struct bsp_head head = aim(m, BSP_PUT, dest, ident, offset, size, function);

    trace_send(dest, size);
    transport_post(m, dest, &head, source, lend);
}

void bsp_put(t_bsp *bsp, int dest, const void *source, void *ident, size_t offset, size_t size)
{
    put(bsp, dest, source, ident, offset, size, false, "bsp_put");
}

void bsp_hpput(t_bsp *bsp, int dest, const void *source, void *ident, size_t offset, size_t size)
{
    put(bsp, dest, source, ident, offset, size, true, "bsp_hpput");
}

static void get(t_bsp *bsp, int source, const void *ident, size_t offset, void *target, size_t size,
                const char *function)
{
    struct bsp_machine *m = bsp_find_for(bsp, source, function);
    struct t_bspmsg *message = transport_make(0, function);

    message->head = aim(m, BSP_GET, source, ident, offset, size, function);
    message->head.sequence = m->n_gets;
    m->gets = bsp_grow(m->gets, m->n_gets, sizeof *m->gets, function);
    m->gets[m->n_gets++] = (struct get){target, size};
    trace_get(source, size);
    transport_send(m, source, message);
}

void bsp_get(t_bsp *bsp, int source, const void *ident, size_t offset, void *target, size_t size)
{
    get(bsp, source, ident, offset, target, size, "bsp_get");
}

void bsp_hpget(t_bsp *bsp, int source, const void *ident, size_t offset, void *target, size_t size)
{
    get(bsp, source, ident, offset, target, size, "bsp_hpget");
}

/* -- at the end of the superstep -- */

static unsigned char *place(struct bsp_machine *m, const struct bsp_head *head)
{
    const char *function = head->kind == BSP_PUT ? "bsp_put" : "bsp_get";
    const struct bsp_registration *r;

    if (head->slot >= m->n_registrations || !m->registrations[head->slot].is_live)
        bsp_die(m, function, "processor %u asks for memory that is not registered here",
                head->source);
    r = &m->registrations[head->slot];
    if (head->offset > r->size || head->bytes > r->size - head->offset)
        bsp_die(m, function,
                "processor %u asks for %llu bytes at %llu; %zu bytes are registered here",
                head->source, (unsigned long long)head->bytes, (unsigned long long)head->offset,
                r->size);
    return (unsigned char *)r->base + head->offset;
}

static void answer(struct bsp_machine *m, const struct t_bspmsg *request)
{
    const struct bsp_head *asked = &request->head;
    const struct bsp_head reply = {.to = {m->id, m->step, CHANNEL_REPLY},
                                   .size = asked->bytes,
                                   .kind = BSP_REPLY,
                                   .source = (uint32_t)m->pid,
                                   .sequence = asked->sequence};

    transport_post(m, (int)asked->source, &reply, place(m, asked), false);
}

static void receive_answers(struct bsp_machine *m)
{
    struct bsp_address address = {m->id, m->step, CHANNEL_REPLY};
    size_t n_there;
    struct t_bspmsg *list = m->n_gets ? transport_await(&address, m->n_gets, &n_there) : NULL;

    while (list) {
        struct t_bspmsg *next = list->next;
        const struct get *g = &m->gets[list->head.sequence];

        if (g->size)
            memcpy(g->target, list->data, g->size);
        transport_free(list);
        list = next;
    }
    m->n_gets = 0;
}

/* Takes the messages of KIND out of *LIST: N of them, by sender and then as they were sent. */
static struct t_bspmsg **pick(struct t_bspmsg **list, enum bsp_kind kind, size_t *n)
{
    struct t_bspmsg *picked = NULL;

    for (struct t_bspmsg **link = list; *link;) {
        struct t_bspmsg *x = *link;

        if (x->head.kind != kind) {
            link = &x->next;
            continue;
        }
        *link = x->next;
        x->next = picked;
        picked = x;
    }
    return message_sort(picked, n);
}

void memory_exchange(struct bsp_machine *m, struct t_bspmsg **traffic)
{
    size_t n_gets, n_puts;
    struct t_bspmsg **gets = pick(traffic, BSP_GET, &n_gets);
    struct t_bspmsg **puts = pick(traffic, BSP_PUT, &n_puts);

    for (size_t i = 0; i < n_gets; i++) {
        answer(m, gets[i]);
        transport_free(gets[i]);
    }
    for (size_t i = 0; i < n_puts; i++) {
        unsigned char *to = place(m, &puts[i]->head);

        if (puts[i]->head.size)
            memcpy(to, puts[i]->data, puts[i]->head.size);
        transport_free(puts[i]);
    }
    free(gets);
    free(puts);
    receive_answers(m);
}
