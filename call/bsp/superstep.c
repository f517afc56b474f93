/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The operations of a program within a superstep (messages, memory of others), and the end of the
 * superstep, which delivers messages, and reads and writes memory.
 */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------- messages */

static struct bsp_head message_head(struct bsp_machine *m, enum bsp_kind kind, size_t size)
{
    return (struct bsp_head){
        .to = {m->id, m->step, CHANNEL_TRAFFIC},
        .size = size,
        .kind = kind,
        .source = (uint32_t)m->pid,
        .sequence = m->n_sent++,
    };
}

/* Catches a negative int that was converted to a size. */
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
    trace_event(TRACE_SEND, dest, size);
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
    trace_event(TRACE_SEND, dest, message->head.size);
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

/* --------------------------------------------------------------------------------------- memory */

struct get {
    void *target;
    size_t size;
};

/* -- registrations: processors register together, so the list index identifies the memory -- */

void bsp_push_reg(t_bsp *bsp, void *ident, size_t size)
{
    struct bsp_machine *m = bsp_find_active(bsp, "bsp_push_reg");

    m->registrations =
        bsp_grow(m->registrations, m->n_registrations, sizeof *m->registrations, "bsp_push_reg");
    m->registrations[m->n_registrations++] =
        (struct bsp_registration){.base = ident, .size = size, .is_new = true};
}

/* The newest registration of IDENT that is live or, with OR_NEW, not leaving; -1: none. */
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

static void memory_register(struct bsp_machine *m)
{
    size_t kept = 0;

    for (size_t i = 0; i < m->n_registrations; i++) {
        struct bsp_registration r = m->registrations[i];

        r.is_live = true;
        r.is_new = false;
        if (!r.is_leaving)
            m->registrations[kept++] = r;
    }
    /* A list that shrank passes powers of two again; bsp_grow() then reallocates the same size. */
    m->n_registrations = kept;
}

void memory_clear(struct bsp_machine *m)
{
    free(m->registrations);
    free(m->gets);
}

/* -- requests -- */

static struct bsp_head aim_at(struct bsp_machine *m, enum bsp_kind kind, int to, const void *ident,
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

static void put_memory(t_bsp *bsp, int dest, const void *source, void *ident, size_t offset,
                       size_t size, bool lend, const char *function)
{
    struct bsp_machine *m = bsp_find_for(bsp, dest, function);
    struct bsp_head head = aim_at(m, BSP_PUT, dest, ident, offset, size, function);

    trace_event(TRACE_SEND, dest, size);
    transport_post(m, dest, &head, source, lend);
}

void bsp_put(t_bsp *bsp, int dest, const void *source, void *ident, size_t offset, size_t size)
{
    put_memory(bsp, dest, source, ident, offset, size, false, "bsp_put");
}

void bsp_hpput(t_bsp *bsp, int dest, const void *source, void *ident, size_t offset, size_t size)
{
    put_memory(bsp, dest, source, ident, offset, size, true, "bsp_hpput");
}

static void get_memory(t_bsp *bsp, int source, const void *ident, size_t offset, void *target,
                       size_t size, const char *function)
{
    struct bsp_machine *m = bsp_find_for(bsp, source, function);
    struct t_bspmsg *message = transport_make(0, function);

    message->head = aim_at(m, BSP_GET, source, ident, offset, size, function);
    message->head.sequence = m->n_gets;
    m->gets = bsp_grow(m->gets, m->n_gets, sizeof *m->gets, function);
    m->gets[m->n_gets++] = (struct get){target, size};
    trace_event(TRACE_GET, source, size);
    transport_send(m, source, message);
}

void bsp_get(t_bsp *bsp, int source, const void *ident, size_t offset, void *target, size_t size)
{
    get_memory(bsp, source, ident, offset, target, size, "bsp_get");
}

void bsp_hpget(t_bsp *bsp, int source, const void *ident, size_t offset, void *target, size_t size)
{
    get_memory(bsp, source, ident, offset, target, size, "bsp_hpget");
}

/* -- at the end of the superstep -- */

static unsigned char *place_of(struct bsp_machine *m, const struct bsp_head *head)
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

static void answer_get(struct bsp_machine *m, const struct t_bspmsg *request)
{
    const struct bsp_head *asked = &request->head;
    const struct bsp_head reply = {.to = {m->id, m->step, CHANNEL_REPLY},
                                   .size = asked->bytes,
                                   .kind = BSP_REPLY,
                                   .source = (uint32_t)m->pid,
                                   .sequence = asked->sequence};

    transport_post(m, (int)asked->source, &reply, place_of(m, asked), false);
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

/* Takes the messages of KIND out of *LIST: N of them, by sender and then in the order sent. */
static struct t_bspmsg **pick_messages(struct t_bspmsg **list, enum bsp_kind kind, size_t *n)
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

static void memory_exchange(struct bsp_machine *m, struct t_bspmsg **traffic)
{
    size_t n_gets, n_puts;
    struct t_bspmsg **gets = pick_messages(traffic, BSP_GET, &n_gets);
    struct t_bspmsg **puts = pick_messages(traffic, BSP_PUT, &n_puts);

    for (size_t i = 0; i < n_gets; i++) {
        answer_get(m, gets[i]);
        transport_free(gets[i]);
    }
    for (size_t i = 0; i < n_puts; i++) {
        unsigned char *to = place_of(m, &puts[i]->head);

        if (puts[i]->head.size)
            memcpy(to, puts[i]->data, puts[i]->head.size);
        transport_free(puts[i]);
    }
    free(gets);
    free(puts);
    receive_answers(m);
}

/* -------------------------------------------------------------------------------------- the end */

/*
 * A barrier and a sum of counts in one. A processor keeps its counts by distance to the receiver.
 * In round k it sends the counts for distances that have bit k to the processor 2^k further on, and
 * adds the counts that it gets from the one 2^k before. After the last round only distance 0 is
 * left: what all have sent to this one. As in a dissemination barrier, it has heard of all others
 * by then.
 */
static uint64_t count_messages(struct bsp_machine *m)
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

/* Ends the superstep after N messages. AWAITED is the argument of bsp_oblsync(), -1: sync. */
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

    trace_event(TRACE_BARRIER, -1, 0);
    end_superstep(m, count_messages(m), -1);
}

void bsp_oblsync(t_bsp *bsp, int n)
{
    struct bsp_machine *m = bsp_find_active(bsp, "bsp_oblsync");

    if (n < 0)
        bsp_die(m, "bsp_oblsync", "%d messages cannot be waited for", n);
    if (m->n_gets)
        bsp_die(m, "bsp_oblsync", "bsp_get() needs a superstep that ends by bsp_sync()");
    trace_event(TRACE_OBLIVIOUS, n, 0);
    end_superstep(m, (size_t)n, n);
}
