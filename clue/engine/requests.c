/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests: sends and receives as the engine's functions. */
#include "internal.h"

enum { MOST_AHEAD = 256 };

/* ------------------------------------------------- requests */

uint32_t request_new(struct clue_engine *e, uint32_t task, bool is_send)
{
    uint32_t i = pool_take(&e->requests, sizeof(struct request));

    if (!i) {
        engine_no_memory(e);
        return 0;
    }
    *request_of(e, i) =
        (struct request){.task = task, .is_send = is_send, .complete_at = NOT_KNOWN};
    return i;
}

bool requests_new(struct clue_engine *e)
{
    uint32_t sent = pool_take(&e->requests, sizeof(struct request));

    if (sent)
        *request_of(e, sent) = (struct request){.is_send = true};
    return sent == REQUEST_SENT;
}

void request_free(struct clue_engine *e, uint32_t request)
{
    struct request *r = request_of(e, request);

    if (r->message && !r->is_send)
        message_received(e, r->message);
    else if (r->message) {
        message_of(e, r->message)->send = 0;
        if (message_of(e, r->message)->flags & MESSAGE_RECEIVED)
            message_free(e, r->message);
    }
    pool_give(&e->requests, sizeof *r, request);
}

void request_complete(struct clue_engine *e, uint32_t request, int64_t ns)
{
    struct request *r = request_of(e, request);
    struct task *t = task_of(e, r->task);

    if (r->complete_at != NOT_KNOWN)
        return;
    r->complete_at = ns;
    if (r->is_waited) {
        r->is_waited = false;
        t->latest = later(t->latest, ns);
        if (t->is_waiting_for_any)
            task_wake(e, r->task, later(t->clock, ns), EVENT_SYNC);
        else if (--t->n_left == 0)
            task_wake(e, r->task, later(t->clock, t->latest), EVENT_RESUME);
    }
    if (r->is_released)
        request_free(e, request);
}

void clue_engine_release(struct clue_engine *e, clue_request request)
{
    struct request *r = request_of(e, request);

    if (request <= REQUEST_SENT)
        return;
    if (r->complete_at == NOT_KNOWN)
        r->is_released = true;
    else
        request_free(e, request);
}

clue_request clue_engine_timer(struct clue_engine *e, int task, int64_t ns)
{
    uint32_t i = request_new(e, (uint32_t)task, true);

    if (i)
        request_of(e, i)->complete_at = task_of(e, (uint32_t)task)->clock + ns;
    return i;
}

/* ------------------------------------------------- sending */

static void copy_data(struct clue_engine *e, struct message *m, const struct clue_send *send)
{
    bool stays = m->is_rendezvous || send->flags & CLUE_SYNCHRONOUS; /* it stays here until it is
                                                                      * matched */
    bool is_copied = !stays || send->flags & CLUE_COPIED;
    void *copy;

    if (m->receive || !is_copied || !send->bytes || !send->data)
        return;
    copy = data_take(e, send->bytes, &m->data_size);
    if (copy)
        memcpy(copy, send->data, send->bytes);
    m->data = copy;
}

static uint32_t message_new(struct clue_engine *e, uint32_t task, const struct clue_send *send)
{
    uint32_t channel = channel_find(e, task, task, (uint32_t)send->to, send->context);
    uint32_t i = channel ? pool_take(&e->messages, sizeof(struct message)) : 0;
    struct task *t = task_of(e, task);

    if (!i) {
        engine_no_memory(e);
        return 0;
    }
    *message_of(e, i) = (struct message){
        .channel = channel,
        .number = channel_of(e, channel)->n_sent++,
        .from = task,
        .to = (uint32_t)send->to,
        .tag = send->tag,
        .flags = (uint8_t)send->flags,
        .label = send->label,
        .is_rendezvous =
            send->bytes > e->machine->eager_bytes && !(send->flags & (CLUE_BUFFERED | CLUE_FREE)),
        .bytes = send->bytes,
        .data = send->data,
        .ready = t->clock,
        .arrival = NOT_KNOWN,
        .at = -1,
        .path = t->sums.path,
    };
    e->sums.n_messages++;
    t->sums.n_sent++;
    t->sums.bytes_sent += send->bytes;
    return i;
}

/* Sends the message on its way, or lets it wait for its receive. */
static uint32_t post(struct clue_engine *e, uint32_t task, const struct clue_send *send,
                     uint32_t in_flight)
{
    uint32_t request = REQUEST_SENT, i = message_new(e, task, send);
    const struct clue_pair *pair;
    struct message *m;

    if (!i)
        return 0;
    m = message_of(e, i);
    m->in_flight = in_flight;
    if (m->is_rendezvous || send->flags & CLUE_SYNCHRONOUS) {
        if (!(request = m->send = request_new(e, task, true)))
            return 0;
        *request_of(e, request) = (struct request){.task = task,
                                                   .message = i,
                                                   .from = send->to,
                                                   .tag = send->tag,
                                                   .is_send = true,
                                                   .posted_at = m->ready,
                                                   .complete_at = NOT_KNOWN,
                                                   .context = send->context,
                                                   .bytes = send->bytes};
    } else if (e->settings.has_own_requests) {
        if (!(request = request_new(e, task, true)))
            return 0;
        request_of(e, request)->complete_at = 0;
    }
    matching_send(e, i);
    copy_data(e, m, send);
    if (!m->is_rendezvous)
        network_launch(e, i, m->ready);
    else if ((pair = pair_of(e, m->from, m->to)))
        network_landed(e, i, m->ready + clue_law_ns(&pair->transmission, 0));
    return request;
}

static int64_t send_ns(const struct clue_engine *e, uint32_t task, const struct clue_pair *pair,
                       const struct clue_send *send)
{
    uint32_t from = task_of(e, task)->host, to = task_of(e, (uint32_t)send->to)->host;
    const struct clue_host *h = &e->machine->hosts[from];
    int64_t ns = delay_ns(e, CLUE_SEND, from, to, &pair->send, send->bytes);

    return send->packed ? ns + delay_ns(e, CLUE_PACKING, from, to, &h->packing, send->packed) : ns;
}

/* Takes the send delay; returns false if the task must wait. */
static bool take_send(struct clue_engine *e, uint32_t task, const struct clue_send *send,
                      uint32_t *in_flight)
{
    struct task *t = task_of(e, task);
    const struct clue_pair *pair;
    int64_t ns;

    if (t->phase == SETTLING) {
        *in_flight = (uint32_t)t->result;
        return true;
    }
    if (send->flags & CLUE_FREE)
        return true;
    if (!(pair = pair_of(e, task, (uint32_t)send->to)))
        return false;
    *in_flight = network_begin(e);
    ns = send_ns(e, task, pair, send);
    ns = *in_flight ? llround((double)ns * network_factor(e, *in_flight)) : ns;
    task_add(t, offsetof(struct clue_times, sending_ns), ns);
    if (changes_settle(e, task, CLUE_SEND, (int)task_of(e, (uint32_t)send->to)->host, send->bytes))
        return true;
    t->phase = SETTLING;
    t->result = *in_flight;
    return false;
}

enum clue_progress clue_engine_send(struct clue_engine *e, int task, const struct clue_send *send,
                                    clue_request *request)
{
    struct task *t = task_of(e, (uint32_t)task);
    uint32_t in_flight = 0;
    bool is_far = t->phase == 0 && (++t->n_ahead > MOST_AHEAD || e->by_events);

    *request = 0;
    t->n_ahead = is_far ? 0 : t->n_ahead;
    if (!task_synchronize(e, (uint32_t)task, CLUE_SENDS, is_far))
        return CLUE_WAITS;
    if (!take_send(e, (uint32_t)task, send, &in_flight))
        return CLUE_WAITS;
    *request = post(e, (uint32_t)task, send, in_flight);
    task_done(t);
    return *request ? CLUE_DONE : CLUE_WAITS;
}

/* ------------------------------------------------- receiving */

clue_request clue_engine_receive(struct clue_engine *e, int task, const struct clue_receive *what)
{
    uint32_t i = request_new(e, (uint32_t)task, false);
    struct request *r = request_of(e, i);

    if (!i)
        return 0;
    r->from = what->from;
    r->tag = what->tag;
    r->context = what->context;
    r->deliver = what->deliver;
    r->arg = what->arg;
    r->is_free = what->flags & CLUE_FREE;
    r->is_standing = what->flags & CLUE_STANDING;
    r->posted_at = task_of(e, (uint32_t)task)->clock;
    matching_receive(e, i);
    return e->error.status ? 0 : i;
}

void clue_engine_receive_taken(struct clue_engine *e, int task, clue_request taken,
                               const struct clue_receive *what)
{
    struct request *r = request_of(e, taken);

    r->deliver = what->deliver;
    r->arg = what->arg;
    r->is_free = what->flags & CLUE_FREE;
    r->posted_at = task_of(e, (uint32_t)task)->clock;
    matching_bind(e, r->message, taken);
}
