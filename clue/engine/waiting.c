/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wait, test, probe, cancel.
 *
 * A wait is performed in phases, since each function is called again whenever the task is named:
 * first it notes which requests are missing (phase 0), and then returns CLUE_WAITS until the last
 * of them (or any of them) is complete. A task's clock may be ahead of the engine's time or earlier
 * than a completion; finish() moves it to the completion, attributes the difference to waiting, and
 * charges the receive delay once for each receive.
 *
 * A wait for all, and a wait for one whose completion lies before the engine's time, can return at
 * once. A test or a probe asks whether something has happened yet, which depends on tasks that have
 * not come as far, so it first waits until no task can act earlier (task_synchronize). A poll that
 * fails and takes no time would be repeated at the same time for ever, so time must pass: see
 * poll_failed().
 */
#include "internal.h"

/* ------------------------------------------------- waiting */

static void add_receiving(struct task *t, int64_t ns)
{
    task_add(t, offsetof(struct clue_times, receiving_ns), ns);
}

/* Moves the clock to NS, until when the task has waited for M: its path is that of the message. */
static void waited_for(struct task *t, const struct message *m, int64_t ns)
{
    t->sums.times.waiting_ns += ns - t->clock;
    t->clock = ns;
    if (!m)
        return;
    t->sums.path = m->path;
    t->sums.path.network_ns += ns - m->ready;
    t->sums.path.queueing_ns += m->queueing;
}

/* Moves the task's clock to the completion of the request. */
static void pass(struct clue_engine *e, struct task *t, const struct request *r)
{
    const struct message *m = r->message ? message_of(e, r->message) : NULL;

    if (r->complete_at > t->clock)
        waited_for(t, m && (r->is_send || m->arrival == r->complete_at) ? m : NULL, r->complete_at);
}

static void finish(struct clue_engine *e, struct task *t, struct request *r)
{
    pass(e, t, r);
    if (r->is_send || r->is_charged || r->is_cancelled)
        return;
    r->is_charged = true;
    t->sums.n_received++;
    t->sums.bytes_received += r->bytes;
    if (!r->is_free)
        add_receiving(t, receive_ns(e, r->task, r->bytes));
}

static int by_completion(const void *a, const void *b, void *engine)
{
    const struct request *x = request_of(engine, *(const uint32_t *)a);
    const struct request *y = request_of(engine, *(const uint32_t *)b);

    return PORTOLAN_ORDER(x->complete_at, y->complete_at);
}

/* Receives all requests, which are complete, in the order of their completion. */
static enum clue_progress finish_all(struct clue_engine *e, struct task *t,
                                     const clue_request *requests, size_t n)
{
    uint32_t *order;
    size_t count = 0;

    if (!portolan_reserve(&e->scratch, &e->scratch_room, n, sizeof *e->scratch)) {
        engine_no_memory(e);
        return CLUE_WAITS;
    }
    order = e->scratch;
    for (size_t i = 0; i < n; i++)
        __builtin_prefetch((char *)message_of(e, request_of(e, requests[i])->message) + 64);
    for (size_t i = 0; i < n; i++)
        if (requests[i]) {
            size_t at = count++;

            if (n > 32)
                order[at] = requests[i];
            else {
                for (; at > 0 && by_completion(&requests[i], &order[at - 1], e) < 0; at--)
                    order[at] = order[at - 1];
                order[at] = requests[i];
            }
        }
    if (n > 32)
        qsort_r(order, count, sizeof *order, by_completion, e);
    for (size_t i = 0; i < count; i++)
        finish(e, t, request_of(e, order[i]));
    return CLUE_DONE;
}

/* Returns the request that was complete first, at the latest at UNTIL; N: none. */
static size_t first_complete(const struct clue_engine *e, const clue_request *requests, size_t n,
                             int64_t *until)
{
    size_t first = n;

    for (size_t i = 0; i < n; i++)
        if (requests[i]) {
            int64_t ns = request_of(e, requests[i])->complete_at;

            if (ns != NOT_KNOWN && ns <= *until && (first == n || ns < *until)) {
                first = i;
                *until = ns;
            }
        }
    return first;
}

static size_t expect_requests(struct clue_engine *e, struct task *t, const clue_request *requests,
                              size_t n, bool is_waited)
{
    size_t n_left = 0;

    t->requests = is_waited ? requests : NULL;
    t->n_requests = n;
    for (size_t i = 0; i < n; i++)
        if (requests[i] && request_of(e, requests[i])->complete_at == NOT_KNOWN) {
            request_of(e, requests[i])->is_waited = is_waited;
            n_left++;
        }
    return n_left;
}

/* Returns when all are complete, as far as it is known. */
static int64_t latest_of(const struct clue_engine *e, const clue_request *requests, size_t n)
{
    int64_t latest = 0;

    for (size_t i = 0; i < n; i++)
        if (requests[i])
            latest = later(latest, request_of(e, requests[i])->complete_at);
    return latest;
}

static enum clue_progress wait_all(struct clue_engine *e, uint32_t task,
                                   const clue_request *requests, size_t n)
{
    struct task *t = task_of(e, task);

    if (t->phase == 0) {
        t->is_waiting_for_any = false;
        t->latest = 0;
        if (task_has_copies(t) && latest_of(e, requests, n) > t->clock)
            copies_begin(e, t);
        t->n_left = (uint32_t)expect_requests(e, t, requests, n, true);
        for (size_t i = 0; i < n; i++)
            if (requests[i] && request_of(e, requests[i])->complete_at != NOT_KNOWN)
                t->latest = later(t->latest, request_of(e, requests[i])->complete_at);
        t->phase = BLOCKED;
        if (!t->n_left && t->n_copies && t->latest > t->clock) {
            task_wake(e, task, t->latest, EVENT_RESUME); /* it copies meanwhile */
            return CLUE_WAITS;
        }
    }
    return t->n_left ? CLUE_WAITS : finish_all(e, t, requests, n);
}

static enum clue_progress wait_any(struct clue_engine *e, uint32_t task,
                                   const clue_request *requests, size_t n, size_t *index)
{
    struct task *t = task_of(e, task);
    int64_t until = NOT_KNOWN;
    size_t first = first_complete(e, requests, n, &until), n_left;

    if (t->phase == 0) {
        if (task_has_copies(t) && until > t->clock) {
            copies_begin(e, t);
            until = NOT_KNOWN;
            first = first_complete(e, requests, n, &until);
        }
        n_left = expect_requests(e, t, requests, n, true);
        t->is_waiting_for_any = true;
        t->phase = BLOCKED;
        if (first == n || (n_left && until >= e->now) || (t->n_copies && until > t->clock)) {
            if (first < n)
                task_wake(e, task, later(until, t->clock), EVENT_SYNC);
            return CLUE_WAITS;
        }
    }
    expect_requests(e, t, requests, n, false);
    *index = first;
    if (first < n)
        finish(e, t, request_of(e, requests[first]));
    return CLUE_DONE;
}

static bool any_request(const clue_request *requests, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (requests[i])
            return true;
    return false;
}

/* Returns false if the task must wait for the end of the receive delay, which may change. */
static bool settle_receive(struct clue_engine *e, uint32_t task, size_t index, uint64_t bytes)
{
    struct task *t = task_of(e, task);

    if (t->phase == SETTLING || changes_settle(e, task, CLUE_RECEIVE, 0, bytes))
        return true;
    t->phase = SETTLING;
    t->result = index;
    return false;
}

enum clue_progress clue_engine_wait(struct clue_engine *e, int task, const clue_request *requests,
                                    size_t n, bool is_all, size_t *index)
{
    struct task *t = task_of(e, (uint32_t)task);
    int64_t until = NOT_KNOWN;
    bool has_waited;

    *index = n;
    if (!any_request(requests, n))
        return CLUE_DONE;
    has_waited = task_operation(e, (uint32_t)task, CLUE_WAITS_FOR) != 0;
    t->has_polled = false;
    if (t->phase == SETTLING)
        *index = t->result;
    else if ((is_all ? wait_all(e, (uint32_t)task, requests, n)
                     : wait_any(e, (uint32_t)task, requests, n, index)) == CLUE_WAITS)
        return CLUE_WAITS;
    else if (is_all)
        *index = first_complete(e, requests, n, &until);
    if (!settle_receive(e, (uint32_t)task, *index, request_of(e, requests[*index])->bytes))
        return CLUE_WAITS;
    if (has_waited)
        t->n_ahead = 0;
    copies_end(t);
    task_done(t);
    return CLUE_DONE;
}

/* ------------------------------------------------- polling */

/* Handles a failed poll: it must take time, or what it waits for never happens. If it takes none, a
 * second one at the same time lasts until the next event, or until NEXT, which is known to come. If
 * there is neither, the task may do something else yet: only many such polls are a deadlock. */
static enum clue_progress poll_failed(struct clue_engine *e, uint32_t task, int64_t next)
{
    struct task *t = task_of(e, task);

    enum { MOST_VAIN = 100000 };

    if (t->clock > t->since || !t->has_polled || t->phase == POLLED) {
        t->has_polled = true;
        e->n_vain_polls = 0;
        return CLUE_DONE;
    }
    next = events_next(e) < next ? events_next(e) : next;
    if (next == NOT_KNOWN && ++e->n_vain_polls < MOST_VAIN)
        return CLUE_DONE;
    t->phase = POLLED;
    if (next != NOT_KNOWN)
        task_wake(e, task, later(t->clock, next), EVENT_SYNC);
    return CLUE_WAITS;
}

/* Moves the clock to the end of the time that the poll waited. */
static void poll_again(struct clue_engine *e, struct task *t)
{
    if (t->phase != POLLED || e->now <= t->clock)
        return;
    t->sums.times.waiting_ns += e->now - t->clock;
    t->clock = e->now;
}

static bool poll_begin(struct clue_engine *e, uint32_t task, enum clue_operation operation,
                       bool is_waiting)
{
    e->sums.n_polls += task_of(e, task)->phase == 0 && !is_waiting;
    if (!task_synchronize(e, task, operation, true))
        return false;
    poll_again(e, task_of(e, task));
    copies_begin(e, task_of(e, task));
    copies_end(task_of(e, task));
    return true;
}

enum clue_progress clue_engine_test(struct clue_engine *e, int task, const clue_request *requests,
                                    size_t n, size_t *index)
{
    struct task *t = task_of(e, (uint32_t)task);
    struct request *r = NULL;
    int64_t clock, next = NOT_KNOWN;

    *index = n;
    if (!any_request(requests, n))
        return CLUE_DONE;
    if (!poll_begin(e, (uint32_t)task, CLUE_TESTS, false))
        return CLUE_WAITS;
    clock = t->clock;
    for (size_t i = n; i-- > 0;)
        if (requests[i] && request_of(e, requests[i])->complete_at <= clock) {
            *index = i;
            r = request_of(e, requests[i]);
        }
    if (!r && t->phase != POLLED)
        add_receiving(t, receive_ns(e, (uint32_t)task, 0));
    else if (r && (r->is_send || r->is_charged))
        add_receiving(t, receive_ns(e, (uint32_t)task, 0));
    else if (r)
        finish(e, t, r);
    first_complete(e, requests, n, &next);
    if (!r && poll_failed(e, (uint32_t)task, next) == CLUE_WAITS)
        return CLUE_WAITS;
    t->has_polled = !r;
    task_done(t);
    return CLUE_DONE;
}

enum clue_progress clue_engine_is_complete(struct clue_engine *e, int task, clue_request request,
                                           bool *is_complete)
{
    struct task *t = task_of(e, (uint32_t)task);
    struct request *r = request_of(e, request);

    if (!task_synchronize(e, (uint32_t)task, CLUE_TESTS, r->complete_at == NOT_KNOWN))
        return CLUE_WAITS;
    copies_begin(e, t);
    copies_end(t);
    *is_complete = r->complete_at <= t->clock;
    task_done(t);
    return CLUE_DONE;
}

enum clue_progress clue_engine_order(struct clue_engine *e, int task)
{
    if (!task_synchronize(e, (uint32_t)task, CLUE_TESTS, true))
        return CLUE_WAITS;
    task_done(task_of(e, (uint32_t)task));
    return CLUE_DONE;
}

enum clue_progress clue_engine_cancel(struct clue_engine *e, int task, clue_request request,
                                      bool *is_cancelled)
{
    struct task *t = task_of(e, (uint32_t)task);
    struct request *r = request_of(e, request);

    if (!task_synchronize(e, (uint32_t)task, CLUE_TESTS, r->complete_at == NOT_KNOWN))
        return CLUE_WAITS;
    *is_cancelled = false;
    if (r->complete_at == NOT_KNOWN && !r->is_send)
        *is_cancelled = matching_cancel_receive(e, request);
    else if (r->complete_at == NOT_KNOWN && r->message && !message_of(e, r->message)->receive &&
             message_of(e, r->message)->has_landed) {
        *is_cancelled = true;
        matching_take(e, r->message);
        message_free(e, r->message);
        r->message = 0;
    }
    if (*is_cancelled) {
        r->is_cancelled = true;
        request_complete(e, request, t->clock);
    }
    task_done(t);
    return CLUE_DONE;
}

static uint32_t take_message(struct clue_engine *e, uint32_t task, uint32_t message)
{
    uint32_t request = request_new(e, task, false);
    struct request *r = request_of(e, request);

    if (!request)
        return 0;
    matching_take(e, message);
    r->is_bound = true;
    r->message = message;
    return request;
}

static void probe_stop(struct task *t)
{
    t->n_watching -= t->is_probing;
    t->is_probing = false;
}

static void probe_watch(struct clue_engine *e, uint32_t task, const struct clue_receive *what)
{
    struct task *t = task_of(e, task);

    t->is_probing = true;
    t->probe_from = what->from;
    t->probe_tag = what->tag;
    t->probe_context = what->context;
    matching_watch(e, task);
}

enum clue_progress clue_engine_probe(struct clue_engine *e, int task,
                                     const struct clue_receive *what, bool is_waiting,
                                     bool *is_found, struct clue_message *message,
                                     clue_request *taken)
{
    struct task *t = task_of(e, (uint32_t)task);
    const struct message *m;
    int64_t began;
    uint32_t i;

    if (t->phase == 0)
        e->sums.n_wildcards += what->from == CLUE_ANY;
    if (!poll_begin(e, (uint32_t)task, CLUE_PROBES, is_waiting))
        return CLUE_WAITS;
    began = t->clock;
    t->clock = t->is_probing ? later(began, e->now) : began;
    i = matching_probe(e, (uint32_t)task, what->from, what->context, what->tag);
    if (t->is_probing) {
        int64_t found = t->clock;

        t->clock = began;
        if (i && found > began)
            waited_for(t, message_of(e, i), found);
    }
    *is_found = i != 0;
    if (!i && is_waiting) {
        if (!t->is_probing)
            probe_watch(e, (uint32_t)task, what);
        return CLUE_WAITS;
    }
    probe_stop(t);
    if (t->phase != POLLED)
        add_receiving(t, what->flags & CLUE_FREE ? 0 : receive_ns(e, (uint32_t)task, 0));
    if (!i && poll_failed(e, (uint32_t)task, matching_next(e, (uint32_t)task)) == CLUE_WAITS)
        return CLUE_WAITS;
    t->has_polled = !i;
    if (i) {
        m = message_of(e, i);
        *message = (struct clue_message){(int)m->from, m->tag, m->bytes, NULL, m->label};
        if (taken && !(*taken = take_message(e, (uint32_t)task, i)))
            return CLUE_WAITS;
    }
    task_done(t);
    return CLUE_DONE;
}
