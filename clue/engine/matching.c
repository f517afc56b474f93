/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decides which message a receive takes.
 *
 * A message fits a receive by source, context and tag. Of several messages a receive takes the one
 * that arrives first in virtual time, of equal ones that of the lowest source; of several receives
 * a message takes the one that was posted first. So the pairing depends on virtual times alone.
 *
 * Messages from one sender in one context form a channel, and never overtake each other there: one
 * that arrives before an earlier one is held until that has landed. A receive that names its source
 * therefore takes the first message of its channel that fits, and can be paired (bound) as soon as
 * both sides are known, long before the message arrives in virtual time.
 *
 * A receive from any source cannot: a message from another task may still arrive earlier. While
 * such a receive or a waiting probe is open, the task is watched: messages to it that have not
 * arrived are pending and stay unbound, until the event of their arrival decides. A rendezvous
 * sends an envelope, which is paired in the same way; its data follow when both sides are there.
 */
#include "internal.h"

/* ------------------------------------------------- channels */

static uint64_t hash_of(uint32_t from, uint32_t to, uint64_t context)
{
    uint64_t h = (((uint64_t)from << 32 | to) ^ context * 0xff51afd7ed558ccd) * 0x9e3779b97f4a7c15;

    return h ^ h >> 29;
}

static void channels_place(struct clue_engine *e, uint32_t i)
{
    const struct channel *c = channel_of(e, i);
    size_t slot = hash_of(c->from, c->to, c->context) & (e->n_slots - 1);

    while (e->slots[slot])
        slot = (slot + 1) & (e->n_slots - 1);
    e->slots[slot] = i;
}

static bool channel_is_idle(const struct clue_engine *e, const struct channel *c)
{
    return !c->n_messages && !c->first_receive && c->last_arrival < e->now;
}

/* Makes room. If there are many channels, those that are idle are dropped. */
enum { MOST_KEPT = 1 << 16 };
static bool channels_grow(struct clue_engine *e)
{
    uint32_t *old = e->slots;
    size_t n_old = e->n_slots, n_idle = 0;

    for (size_t i = 0; i < n_old; i++)
        n_idle += old[i] && channel_is_idle(e, channel_of(e, old[i]));
    e->n_slots = n_idle > n_old / 4 && n_old > MOST_KEPT ? n_old : n_old ? 2 * n_old : 1024;
    e->slots = portolan_calloc(e->n_slots, sizeof *e->slots);
    if (!e->slots) {
        e->slots = old;
        e->n_slots = n_old;
        return false;
    }
    for (size_t i = 0; i < n_old; i++)
        if (old[i] && e->n_slots > MOST_KEPT && channel_is_idle(e, channel_of(e, old[i]))) {
            network_forget(e, channel_of(e, old[i]));
            channel_of(e, old[i])->to = UINT32_MAX; /* hides it from the tasks' recent channels */
            pool_give(&e->channels, sizeof(struct channel), old[i]);
            e->n_channels--;
        } else if (old[i])
            channels_place(e, old[i]);
    free(old);
    return true;
}

static bool channel_is(const struct channel *c, uint32_t from, uint32_t to, uint64_t context)
{
    return c->from == from && c->to == to && c->context == context;
}

static uint32_t channel_look_up(struct clue_engine *e, uint32_t from, uint32_t to, uint64_t context)
{
    uint32_t i;

    if (e->n_slots)
        for (size_t slot = hash_of(from, to, context) & (e->n_slots - 1); (i = e->slots[slot]);
             slot = (slot + 1) & (e->n_slots - 1))
            if (channel_is(channel_of(e, i), from, to, context))
                return i;
    if ((2 * e->n_channels >= e->n_slots && !channels_grow(e)) ||
        !(i = pool_take(&e->channels, sizeof(struct channel)))) {
        engine_no_memory(e);
        return 0;
    }
    *channel_of(e, i) = (struct channel){.from = from, .to = to, .context = context};
    channels_place(e, i);
    e->n_channels++;
    return i;
}

uint32_t channel_find(struct clue_engine *e, uint32_t task, uint32_t from, uint32_t to,
                      uint64_t context)
{
    struct task *t = task_of(e, task);
    uint32_t at = t->after[t->last_recent], i = t->recent[at];

    if (!i || !channel_is(channel_of(e, i), from, to, context)) {
        i = channel_look_up(e, from, to, context);
        for (at = 0; at < RECENT_CHANNELS && t->recent[at] != i;)
            at++;
        if (at == RECENT_CHANNELS)
            at = t->n_recent++ % RECENT_CHANNELS;
        t->recent[at] = i;
        t->after[t->last_recent] = (uint8_t)at;
    }
    t->last_recent = (uint8_t)at;
    return i;
}

/* ------------------------------------------------- lists */

static bool tag_fits(int wanted, int tag)
{
    return wanted == CLUE_ANY || wanted == tag;
}

static void list_append(struct clue_engine *e, uint32_t *first, uint32_t *last, uint32_t r)
{
    request_of(e, r)->next = 0;
    if (*first)
        request_of(e, *last)->next = r;
    else
        *first = r;
    *last = r;
}

static void list_remove(struct clue_engine *e, uint32_t *first, uint32_t *last, uint32_t r)
{
    uint32_t before = 0, i = *first;

    for (; i != r; i = request_of(e, i)->next)
        before = i;
    if (before)
        request_of(e, before)->next = request_of(e, r)->next;
    else
        *first = request_of(e, r)->next;
    if (*last == r)
        *last = before;
}

static void unpost(struct clue_engine *e, uint32_t r)
{
    struct request *q = request_of(e, r);
    struct task *t = task_of(e, q->task);

    if (q->is_standing && !q->is_cancelled)
        return;
    if (q->from == CLUE_ANY) {
        list_remove(e, &t->first_wild, &t->last_wild, r);
        t->n_watching -= !e->settings.takes_arrived;
    } else {
        struct channel *c = channel_of(e, q->channel);

        list_remove(e, &c->first_receive, &c->last_receive, r);
    }
}

/* Returns the receive that was posted first among those that may take the message; 0: none. */
static uint32_t first_posted(const struct clue_engine *e, const struct message *m)
{
    const struct channel *c = channel_of(e, m->channel);
    uint32_t named = c->first_receive, wild = task_of(e, m->to)->first_wild;

    while (named && !tag_fits(request_of(e, named)->tag, m->tag))
        named = request_of(e, named)->next;
    while (wild && (request_of(e, wild)->context != c->context ||
                    !tag_fits(request_of(e, wild)->tag, m->tag)))
        wild = request_of(e, wild)->next;
    if (!named || !wild)
        return named ? named : wild;
    return (int32_t)(request_of(e, named)->sequence - request_of(e, wild)->sequence) < 0 ? named
                                                                                         : wild;
}

static void keep(struct clue_engine *e, uint32_t message)
{
    struct message *m = message_of(e, message);
    struct task *t = task_of(e, m->to);
    struct channel *c = channel_of(e, m->channel);

    m->next = 0;
    if (c->first_message)
        message_of(e, c->last_message)->next = message;
    else
        c->first_message = message;
    c->last_message = message;
    m->previous_unbound = t->last_unbound;
    if (t->first_unbound)
        message_of(e, t->last_unbound)->next_unbound = message;
    else
        t->first_unbound = message;
    t->last_unbound = message;
}

/* Removes a message from the lists of those that are not bound. */
void matching_take(struct clue_engine *e, uint32_t message)
{
    struct message *m = message_of(e, message);
    struct task *t = task_of(e, m->to);
    struct channel *c = channel_of(e, m->channel);
    uint32_t before = 0;

    for (uint32_t i = c->first_message; i != message; i = message_of(e, i)->next)
        before = i;
    *(before ? &message_of(e, before)->next : &c->first_message) = m->next;
    if (c->last_message == message)
        c->last_message = before;
    *(m->previous_unbound ? &message_of(e, m->previous_unbound)->next_unbound : &t->first_unbound) =
        m->next_unbound;
    *(m->next_unbound ? &message_of(e, m->next_unbound)->previous_unbound : &t->last_unbound) =
        m->previous_unbound;
    m->next_unbound = m->previous_unbound = 0;
    t->n_pending -= m->is_pending;
    m->is_pending = false;
}

/* ------------------------------------------------- pairs */

void message_free(struct clue_engine *e, uint32_t message)
{
    struct message *m = message_of(e, message);

    if (m->data_size)
        data_give(e, m->data, m->data_size);
    if (m->channel)
        channel_of(e, m->channel)->n_messages--;
    if (m->send)
        request_of(e, m->send)->message = 0;
    m->data_size = 0;
    m->has_event = false;
    m->at = -1;
    pool_give(&e->messages, sizeof *m, message);
}

void message_received(struct clue_engine *e, uint32_t message)
{
    if (message_of(e, message)->send)
        message_of(e, message)->flags |= MESSAGE_RECEIVED;
    else
        message_free(e, message);
}

static void complete(struct clue_engine *e, uint32_t message)
{
    struct message *m = message_of(e, message);
    struct request *r = request_of(e, m->receive);
    uint32_t receive = m->receive;
    struct clue_size_sums *sums = &e->sums.sizes[m->bytes ? 64 - __builtin_clzll(m->bytes) : 0];
    int64_t ns = later(m->arrival, r->posted_at);

    sums->n++;
    sums->bytes += m->bytes;
    sums->network_ns += m->arrival - m->ready;
    sums->queueing_ns += m->queueing;
    if (m->flags & CLUE_READY && r->posted_at > m->arrival)
        e->sums.n_unready++;
    if (m->send)
        request_complete(e, m->send, ns);
    if (r->is_standing)
        message_received(e, message);
    else
        request_complete(e, receive, ns);
}

/* Begins to send the data of a rendezvous, since both sides are there. */
static void send_data(struct clue_engine *e, uint32_t message)
{
    struct message *m = message_of(e, message);
    const struct request *r = request_of(e, m->receive);
    int64_t start = later(m->arrival, r->posted_at);

    if (r->posted_at > m->ready) {
        m->path = task_of(e, r->task)->sums.path;
        m->ready = r->posted_at;
    }
    m->lead = start - m->ready;
    m->arrival = NOT_KNOWN;
    m->has_event = false;
    if (copies_are_of(e, m))
        copies_expect(e, message, start);
    else
        network_launch(e, message, start);
}

void matching_bind(struct clue_engine *e, uint32_t message, uint32_t receive)
{
    struct message *m = message_of(e, message);
    struct request *r = request_of(e, receive);
    struct clue_message what = {(int)m->from, m->tag, m->bytes, m->data, m->label};

    m->receive = receive;
    if (!r->is_standing) {
        r->message = message;
        r->is_bound = true;
        r->from = (int)m->from;
        r->tag = m->tag;
        r->bytes = m->bytes;
    }
    if (r->deliver && e->settings.deliver && !(m->flags & CLUE_FREE))
        e->settings.deliver((int)m->to,
                            &(struct clue_receive){.deliver = r->deliver, .arg = r->arg}, &what);
    else if (r->deliver)
        r->deliver(r->arg, &what);
    if (m->data_size)
        data_give(e, m->data, m->data_size);
    m->data_size = 0;
    m->data = NULL;
    if (m->is_rendezvous && m->has_landed)
        send_data(e, message);
    else if (m->has_landed && !m->has_event)
        complete(e, message);
}

void matching_send(struct clue_engine *e, uint32_t message)
{
    struct message *m = message_of(e, message);
    struct task *t = task_of(e, m->to);
    uint32_t receive = t->n_watching || t->n_pending ? 0 : first_posted(e, m);

    channel_of(e, m->channel)->n_messages++;
    if (receive) {
        unpost(e, receive);
        matching_bind(e, message, receive);
        return;
    }
    m->is_pending = t->n_watching || t->n_pending;
    t->n_pending += m->is_pending;
    keep(e, message);
}

/* Returns the message that arrives first among those that wait for TASK; 0: none. IS_CHOICE: there
 * is another one from elsewhere. */
static uint32_t first_unbound(const struct clue_engine *e, uint32_t task, uint64_t context, int tag,
                              int64_t until, bool *is_choice)
{
    const struct message *best = NULL;
    uint32_t found = 0;

    *is_choice = false;
    for (uint32_t i = task_of(e, task)->first_unbound; i; i = message_of(e, i)->next_unbound) {
        const struct message *m = message_of(e, i);

        if (channel_of(e, m->channel)->context != context || !tag_fits(tag, m->tag))
            continue;
        *is_choice |= best && best->from != m->from;
        if (e->settings.takes_arrived ? found != 0
                                      : m->is_pending || !m->has_landed || m->arrival > until)
            continue;
        if (!found || m->arrival < best->arrival ||
            (m->arrival == best->arrival && m->from < best->from)) {
            best = m;
            found = i;
        }
    }
    return found;
}

static uint32_t first_of_channel(const struct clue_engine *e, uint32_t channel, int tag)
{
    uint32_t i = channel_of(e, channel)->first_message;

    while (i && !tag_fits(tag, message_of(e, i)->tag))
        i = message_of(e, i)->next;
    return i;
}

static void take_for(struct clue_engine *e, uint32_t message, uint32_t receive)
{
    matching_take(e, message);
    matching_bind(e, message, receive);
}

static void receive_wild(struct clue_engine *e, uint32_t receive)
{
    struct request *r = request_of(e, receive);
    struct task *t = task_of(e, r->task);
    /* Once arrivals are watched, all messages that are not pending have arrived. */
    int64_t until = t->n_watching || t->n_pending ? NOT_KNOWN : e->now - 1;
    bool is_choice;
    uint32_t message;

    e->sums.n_wildcards += !r->is_standing;
    message = first_unbound(e, r->task, r->context, r->tag, until, &is_choice);
    while (message) {
        e->sums.n_choices += is_choice && !r->is_standing;
        take_for(e, message, receive);
        if (!r->is_standing)
            return;
        message = first_unbound(e, r->task, r->context, r->tag, until, &is_choice);
    }
    list_append(e, &t->first_wild, &t->last_wild, receive);
    if (!e->settings.takes_arrived)
        matching_watch(e, r->task);
}

void matching_receive(struct clue_engine *e, uint32_t receive)
{
    struct request *r = request_of(e, receive);
    struct channel *c;
    uint32_t message;

    r->sequence = task_of(e, r->task)->n_posted++;
    if (r->from == CLUE_ANY) {
        receive_wild(e, receive);
        return;
    }
    if (!(r->channel = channel_find(e, r->task, (uint32_t)r->from, r->task, r->context)))
        return;
    message = first_of_channel(e, r->channel, r->tag);
    if (message && !message_of(e, message)->is_pending) {
        take_for(e, message, receive);
        return;
    }
    c = channel_of(e, r->channel);
    list_append(e, &c->first_receive, &c->last_receive, receive);
}

bool matching_cancel_receive(struct clue_engine *e, uint32_t receive)
{
    if (request_of(e, receive)->is_bound)
        return false;
    request_of(e, receive)->is_cancelled = true;
    unpost(e, receive);
    return true;
}

/* ------------------------------------------------- arrivals */

static void expect(struct clue_engine *e, uint32_t message)
{
    struct message *m = message_of(e, message);

    if (!m->has_event)
        m->has_event = events_push(e, later(m->arrival, e->now), EVENT_ARRIVE, m->from, message,
                                   !m->is_background);
}

void matching_watch(struct clue_engine *e, uint32_t task)
{
    struct task *t = task_of(e, task);

    if (t->n_watching++)
        return;
    for (uint32_t i = t->first_unbound; i; i = message_of(e, i)->next_unbound) {
        struct message *m = message_of(e, i);

        if (m->is_pending || (m->has_landed && m->arrival < e->now))
            continue;
        m->is_pending = true;
        t->n_pending++;
        if (m->has_landed)
            expect(e, i);
    }
}

/* The arrival of M is known, and M overtakes no other message. */
static void land(struct clue_engine *e, uint32_t message)
{
    struct message *m = message_of(e, message);

    m->has_landed = true;
    if (m->receive && m->is_rendezvous)
        send_data(e, message);
    else if (e->by_events || m->is_pending)
        expect(e, message);
    else if (m->receive)
        complete(e, message);
}

/* Returns the held message of that number; 0: none. */
static uint32_t take_held(struct clue_engine *e, struct channel *c, uint32_t number)
{
    for (uint32_t *at = &c->first_held, i; (i = *at); at = &message_of(e, i)->next_held)
        if (message_of(e, i)->number == number) {
            *at = message_of(e, i)->next_held;
            return i;
        }
    return 0;
}

void matching_landed(struct clue_engine *e, uint32_t message)
{
    struct message *m = message_of(e, message);
    struct channel *c = channel_of(e, m->channel);

    if (m->has_landed) { /* These are the data of a rendezvous. */
        if (e->by_events)
            expect(e, message);
        else
            complete(e, message);
        return;
    }
    if (m->number != c->n_landed) {
        m->next_held = c->first_held;
        c->first_held = message;
        return;
    }
    for (; message; message = take_held(e, c, c->n_landed)) {
        m = message_of(e, message);
        c->n_landed++;
        c->last_arrival = m->arrival = later(m->arrival, c->last_arrival);
        land(e, message);
    }
}

static void decide(struct clue_engine *e, uint32_t message)
{
    struct message *m = message_of(e, message);
    struct task *t = task_of(e, m->to);
    uint32_t receive;
    bool is_choice;

    m->is_pending = m->has_event = false;
    t->n_pending--;
    m->arrival = later(m->arrival, e->now);
    receive = first_posted(e, m);
    if (receive) {
        struct request *r = request_of(e, receive);

        if (r->from == CLUE_ANY && !r->is_standing) {
            first_unbound(e, m->to, r->context, r->tag, e->now, &is_choice);
            e->sums.n_choices += is_choice;
        }
        unpost(e, receive);
        take_for(e, message, receive);
    } else if (t->is_probing && channel_of(e, m->channel)->context == t->probe_context &&
               tag_fits(t->probe_tag, m->tag) &&
               (t->probe_from == CLUE_ANY || t->probe_from == (int)m->from))
        task_wake(e, m->to, later(t->clock, e->now), EVENT_SYNC);
}

static bool is_access(const struct clue_engine *e, const struct message *m)
{
    uint32_t receive = first_posted(e, m);

    return receive && request_of(e, receive)->is_standing;
}

void matching_arrive(struct clue_engine *e, uint32_t message)
{
    struct message *m = message_of(e, message);

    if (!m->has_event || m->arrival > e->now)
        return; /* of a message that was there before, or is later now */
    m->has_event = false;
    if (m->receive || !m->is_rendezvous)
        network_end(e, m);
    if (m->is_pending && copies_may_wait(e, m) && is_access(e, m)) {
        copies_access(e, message);
        return;
    }
    if (m->is_background)
        message_free(e, message);
    else if (m->receive)
        complete(e, message);
    else if (m->is_pending) /* after those that its sender has sent before */
        for (uint32_t i = channel_of(e, m->channel)->first_message, next; i; i = next) {
            next = i == message ? 0 : message_of(e, i)->next;
            if (message_of(e, i)->is_pending)
                decide(e, i);
        }
}

uint32_t matching_probe(struct clue_engine *e, uint32_t task, int from, uint64_t context, int tag)
{
    const struct message *m;
    bool is_choice;
    uint32_t i;

    if (from == CLUE_ANY) {
        i = first_unbound(e, task, context, tag, task_of(e, task)->clock, &is_choice);
        e->sums.n_choices += i && is_choice;
        return i;
    }
    i = channel_find(e, task, (uint32_t)from, task, context);
    i = i ? first_of_channel(e, i, tag) : 0;
    m = message_of(e, i);
    return i && !m->is_pending && m->has_landed && m->arrival <= task_of(e, task)->clock ? i : 0;
}

int64_t matching_next(const struct clue_engine *e, uint32_t task)
{
    int64_t next = NOT_KNOWN;

    for (uint32_t i = task_of(e, task)->first_unbound; i; i = message_of(e, i)->next_unbound) {
        const struct message *m = message_of(e, i);

        if (m->has_landed && m->arrival > task_of(e, task)->clock && m->arrival < next)
            next = m->arrival;
    }
    return next;
}
