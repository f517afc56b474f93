/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wait states of messages and collectives (EXPERT, Scalasca 2.6). E: when a call begins; L: when
 * it ends. Waiting is cut to the time inside the own call, and counts once.
 */
#include "internal.h"

#include <portolan/list.h>

#include <string.h>

void note_wait(struct wait_finder *f, const struct waiting_call *call,
               enum portolan_wait_state state, uint32_t by, int64_t begin_ns, int64_t until_ns)
{
    int64_t end = until_ns < call->end_ns ? until_ns : call->end_ns;
    struct portolan_waits *w = f->w;

    if (begin_ns < call->begin_ns)
        begin_ns = call->begin_ns;
    if (end <= begin_ns)
        return;
    if (!portolan_reserve(&w->waits, &f->room, w->n_waits + 1, sizeof *w->waits)) {
        f->no_memory = true;
        return;
    }
    w->waits[w->n_waits++] = (struct portolan_wait){
        .call = call->call,
        .from = call->from,
        .by = by,
        .begin_ns = begin_ns,
        .ns = end - begin_ns,
        .state = (uint8_t)state,
        .is_polling = call->is_polling,
    };
    w->state_ns[state] += end - begin_ns;
}

static int64_t end_ns(const struct wait_finder *f, uint32_t call)
{
    return f->t->events[f->m->call[call]].ns;
}

/* ------------------------------------------------- messages */

/* Returns the call that sent what RECV received; none: not known. */
static uint32_t sending_call(const struct wait_finder *f, uint32_t recv)
{
    uint32_t send = f->m->partner[recv];

    return send == no_event ? no_event : f->m->call[send];
}

/* Returns the call that sent the latest of all messages that CALL received. */
static uint32_t latest_sender(const struct wait_finder *f, uint32_t call)
{
    uint32_t last = no_event;

    for (uint32_t e = call + 1; e < f->m->call[call]; e++)
        if (f->t->events[e].kind == PORTOLAN_TRACE_RECV)
            take_later(f, sending_call(f, e), &last);
    return last;
}

/* The earliest sends among those that were not received until then: of all, and of another rank
 * than the earliest one's. */
struct earliest_sends {
    int64_t ns, other_ns;
    int rank;
    int64_t *of_rank; /* valid if the stamp is the location's */
    size_t *stamps, stamp;
};

static void take_earlier(struct earliest_sends *x, int rank, int64_t ns)
{
    if (x->stamps[rank] != x->stamp || ns < x->of_rank[rank])
        x->of_rank[rank] = ns;
    x->stamps[rank] = x->stamp;
    if (ns < x->ns) {
        x->other_ns = rank == x->rank ? x->other_ns : x->ns;
        x->ns = ns;
        x->rank = rank;
    } else if (rank != x->rank && ns < x->other_ns) {
        x->other_ns = ns;
    }
}

/* Finds messages in the wrong order, from the last call to the first: those sent before a message
 * that was received earlier. */
static void find_wrong_order(struct wait_finder *f, const struct portolan_trace_location *l,
                             struct earliest_sends *x)
{
    x->ns = x->other_ns = INT64_MAX;
    x->rank = -1;
    x->stamp++;
    for (uint32_t e = (uint32_t)(l->first + l->n); e-- > l->first;) {
        uint32_t call = f->t->events[e].kind == PORTOLAN_TRACE_END ? f->m->call[e] : no_event;
        uint32_t late = call == no_event ? no_event : latest_sender(f, call);
        enum portolan_wait_state state = PORTOLAN_WAIT_LATE_SENDER;
        int rank;

        if (late == no_event)
            continue;
        rank = f->t->locations[portolan_trace_location_of(f->t, late)].rank;
        if (x->stamps[rank] == x->stamp && x->of_rank[rank] < begin_ns(f, late))
            state = PORTOLAN_WAIT_WRONG_ORDER_SAME_SOURCE;
        else if ((x->rank == rank ? x->other_ns : x->ns) < begin_ns(f, late))
            state = PORTOLAN_WAIT_WRONG_ORDER_OTHER_SOURCE;
        f->late_states[call - f->first] = (uint8_t)state;
        for (uint32_t i = call + 1; i < e; i++) {
            uint32_t sent =
                f->t->events[i].kind == PORTOLAN_TRACE_RECV ? sending_call(f, i) : no_event;

            if (sent != no_event && f->t->events[i].peer >= 0 &&
                f->t->events[i].peer < f->t->n_ranks)
                take_earlier(x, f->t->events[i].peer, begin_ns(f, sent));
        }
    }
}

/* Returns the latest call that posted a receive for a message of the call. A send that ended before
 * the receive was posted did not wait for it. */
static uint32_t latest_receiver(const struct wait_finder *f, const struct waiting_call *call)
{
    uint32_t last = no_event;

    for (uint32_t e = call->call + 1; e < f->m->call[call->call]; e++) {
        uint32_t send = portolan_completed_send(f->m, e);
        uint32_t posted =
            send == no_event ? no_event : portolan_posting_call(f->m, f->m->partner[send]);

        if (posted != no_event && begin_ns(f, posted) <= call->end_ns)
            take_later(f, posted, &last);
    }
    return last;
}

/* Limits for looking back for sent messages that their receiver has not asked for. */
enum { LEAST_BUFFERED = 2, MOST_EVENTS_BACK = 64 };

/* Returns whether SEND's receiver has not asked for those before it either when it begins CALL. */
static bool is_behind(const struct wait_finder *f, uint32_t send, uint32_t call)
{
    const struct portolan_trace_event *events = f->t->events;
    size_t n = 0;

    for (uint32_t e = send; e-- > f->first && send - e < MOST_EVENTS_BACK && n < LEAST_BUFFERED;) {
        uint32_t posted =
            events[e].kind == PORTOLAN_TRACE_SEND && events[e].peer == events[send].peer
                ? portolan_posting_call(f->m, f->m->partner[e])
                : no_event;

        n += posted != no_event && begin_ns(f, posted) > begin_ns(f, call);
    }
    return n == LEAST_BUFFERED;
}

/* Returns the last call that LOCATION began before NS; none. */
static uint32_t last_call_before(const struct wait_finder *f, size_t location, int64_t ns)
{
    size_t first = f->t->locations[location].first, low = first,
           high = first + f->t->locations[location].n;

    PORTOLAN_BISECT(low, high, f->t->events[middle].ns < ns);
    while (low > first && f->t->events[low - 1].kind != PORTOLAN_TRACE_BEGIN)
        low--;
    return low > first ? (uint32_t)low - 1 : no_event;
}

/*
 * Finds what a send with full buffers waited for. Messages that the receiver has not asked for fill
 * buffers. Such a send ends when the receiver is in MPI again, whatever it calls: that is the last
 * call that it began during the send.
 */
static uint32_t latest_room(const struct wait_finder *f, const struct waiting_call *call)
{
    uint32_t last = no_event;

    for (uint32_t e = call->call + 1; e < f->m->call[call->call]; e++) {
        uint32_t send = portolan_completed_send(f->m, e);
        uint32_t recv = send == no_event ? no_event : f->m->partner[send], began;

        if (recv == no_event)
            continue;
        began = last_call_before(f, portolan_trace_location_of(f->t, recv), call->end_ns);
        if (began != no_event && begin_ns(f, began) > call->begin_ns && is_behind(f, send, began))
            take_later(f, began, &last);
    }
    return last;
}

static void wait_for_call(struct wait_finder *f, const struct waiting_call *call,
                          enum portolan_wait_state state, uint32_t last)
{
    if (last != no_event)
        note_wait(f, call, state, last, call->begin_ns, begin_ns(f, last));
}

static void find_message_wait(struct wait_finder *f, const struct waiting_call *call)
{
    uint32_t late = latest_sender(f, call->call);

    if (late != no_event && begin_ns(f, late) > call->begin_ns) {
        wait_for_call(f, call, f->late_states[call->call - f->first], late);
    } else if (call_class(f->m, call->call) != PORTOLAN_ROUTINE_BUFFERED_SEND) {
        late = latest_receiver(f, call);
        if (late != no_event)
            wait_for_call(f, call, PORTOLAN_WAIT_LATE_RECEIVER, late);
        else
            wait_for_call(f, call, PORTOLAN_WAIT_FULL_BUFFER, latest_room(f, call));
    }
}

/* ------------------------------------------------- collectives */

static uint32_t last_of_ranks(const struct wait_finder *f, const struct portolan_collective *c,
                              const int *ranks, size_t n)
{
    uint32_t last = no_event;

    for (size_t i = 0; i < n; i++)
        take_later(f, portolan_collective_call(f->m, c, ranks[i]), &last);
    return last;
}

/* Finds CALL's wait for the operation that E, a COLLECTIVE or its own BEGIN, began. */
static void find_collective_wait(struct wait_finder *f, const struct waiting_call *call, uint32_t e)
{
    static const uint8_t states[] = {
        [PORTOLAN_ROUTINE_POST] = PORTOLAN_WAIT_N_TO_N,
        [PORTOLAN_ROUTINE_BARRIER] = PORTOLAN_WAIT_BARRIER,
        [PORTOLAN_ROUTINE_N_TO_N] = PORTOLAN_WAIT_N_TO_N,
        [PORTOLAN_ROUTINE_CREATE] = PORTOLAN_WAIT_CREATE,
        [PORTOLAN_ROUTINE_ONE_TO_N] = PORTOLAN_WAIT_LATE_BROADCAST,
        [PORTOLAN_ROUTINE_N_TO_ONE] = PORTOLAN_WAIT_EARLY_REDUCE,
        [PORTOLAN_ROUTINE_SCAN] = PORTOLAN_WAIT_EARLY_SCAN,
        [PORTOLAN_ROUTINE_NEIGHBOUR] = PORTOLAN_WAIT_NEIGHBOUR,
        [PORTOLAN_ROUTINE_FINALIZE] = PORTOLAN_WAIT_FINALIZE,
    };
    const int *ranks;
    size_t n;
    enum portolan_awaited who = portolan_awaited(f->m, e, f->rank, &ranks, &n);
    enum portolan_trace_routine_class class;
    const struct portolan_collective *c;

    if (who == PORTOLAN_AWAITS_NOBODY)
        return;
    c = &f->m->collectives[f->m->partner[e]];
    class = call_class(f->m, call_at(f->m, e));
    if (class == PORTOLAN_ROUTINE_INIT)
        return;
    if (who == PORTOLAN_AWAITS_RANKS)
        wait_for_call(f, call, states[class], last_of_ranks(f, c, ranks, n));
    else if (who == PORTOLAN_AWAITS_ALL || c->first_end_ns >= c->last_ns)
        wait_for_call(f, call, states[class], c->last);
}

/* ------------------------------------------------- calls */

static void find_call_waits(struct wait_finder *f, const struct waiting_call *call)
{
    find_message_wait(f, call);
    if (f->m->partner[call->call] != no_event)
        find_collective_wait(f, call, call->call);
    for (uint32_t e = call->call + 1; e < f->m->call[call->call]; e++)
        switch (f->t->events[e].kind) {
        case PORTOLAN_TRACE_COLLECTIVE:
            if (!f->t->events[e].request)
                find_collective_wait(f, call, e);
            break;
        case PORTOLAN_TRACE_COLLECTIVE_DONE:
            if (f->m->other[e] != no_event)
                find_collective_wait(f, call, f->m->other[e]);
            break;
        case PORTOLAN_TRACE_EPOCH:
        case PORTOLAN_TRACE_TRANSFER:
            find_window_wait(f, call, e);
            break;
        default:
            break;
        }
}

static bool has_operation(const struct wait_finder *f, uint32_t call)
{
    for (uint32_t e = call + 1; e < f->m->call[call]; e++)
        if (portolan_trace_is_operation(&f->t->events[e]))
            return true;
    return false;
}

/* Notes that a rank waited in a probe for the message that its next call receives. */
static void find_probe_wait(struct wait_finder *f, const struct waiting_call *probe, uint32_t call)
{
    for (uint32_t e = call + 1; e < f->m->call[call]; e++)
        if (f->t->events[e].kind == PORTOLAN_TRACE_RECV ||
            f->t->events[e].kind == PORTOLAN_TRACE_RECV_POST) {
            wait_for_call(f, probe, f->late_states[call - f->first], sending_call(f, e));
            return;
        }
}

/* Finds the waits of a location. Polls with only short gaps between them, up to the poll that
 * succeeds, are one wait. Longer gaps may take a tenth of it: the rank lost its processor, or
 * stored what it recorded. */
static void find_location_waits(struct wait_finder *f, const struct portolan_trace_location *l)
{
    struct waiting_call probe = {.call = no_event}; /* the probe before this call, if any */
    uint32_t poll = no_event;                       /* the first poll of a series */
    int64_t polled_ns = 0, gaps_ns = 0;             /* end of the last poll; sum of longer gaps */

    for (uint32_t e = f->first; e < l->first + l->n; e++) {
        enum portolan_trace_routine_class class;
        struct waiting_call call = {e, e, begin_ns(f, e), 0, false};

        if (f->t->events[e].kind != PORTOLAN_TRACE_BEGIN)
            continue;
        class = call_class(f->m, e);
        call.end_ns = end_ns(f, e);
        if (poll != no_event && call.begin_ns - polled_ns > PORTOLAN_POLL_GAP_NS) {
            gaps_ns += call.begin_ns - polled_ns;
            if (gaps_ns * 10 > polled_ns - begin_ns(f, poll))
                poll = no_event;
        }
        if ((class == PORTOLAN_ROUTINE_POLL || class == PORTOLAN_ROUTINE_TEST) &&
            !has_operation(f, e)) {
            gaps_ns = poll == no_event ? 0 : gaps_ns;
            poll = poll == no_event ? e : poll;
            polled_ns = call.end_ns;
            continue;
        }
        if (class == PORTOLAN_ROUTINE_PROBE) {
            probe = call;
            continue;
        }
        if (poll != no_event) {
            call.from = poll;
            call.begin_ns = begin_ns(f, poll);
            call.is_polling = true;
        }
        if (class == PORTOLAN_ROUTINE_POLL) { /* an MPI_Improbe has matched a message */
            probe = call;
            poll = no_event;
            continue;
        }
        if (probe.call != no_event)
            find_probe_wait(f, &probe, e);
        /* a test that succeeds at once did not wait */
        if (class != PORTOLAN_ROUTINE_TEST || call.is_polling)
            find_call_waits(f, &call);
        poll = probe.call = no_event;
    }
}

bool find_waits(struct wait_finder *f)
{
    const struct portolan_trace *t = f->t;
    size_t ranks = t->n_ranks > 0 ? (size_t)t->n_ranks : 0, most = 0;
    struct earliest_sends x = {
        .of_rank = portolan_arena_alloc(&f->arena, ranks + 1, sizeof *x.of_rank),
        .stamps = portolan_arena_alloc(&f->arena, ranks + 1, sizeof *x.stamps)};
    bool ok;

    for (size_t i = 0; i < t->n_locations; i++)
        most = t->locations[i].n > most ? t->locations[i].n : most;
    f->late_states = portolan_arena_alloc(&f->arena, most + 1, 1);
    find_transfers(f);
    f->w->first_wait =
        portolan_arena_alloc(&f->w->arena, t->n_locations + 1, sizeof *f->w->first_wait);
    ok = f->w->first_wait && !f->arena.failed;
    for (size_t i = 0; ok && i < t->n_locations; i++) {
        f->rank = t->locations[i].rank;
        f->first = (uint32_t)t->locations[i].first;
        f->w->first_wait[i] = f->w->n_waits;
        memset(f->late_states, PORTOLAN_WAIT_LATE_SENDER, t->locations[i].n);
        find_wrong_order(f, &t->locations[i], &x);
        find_location_waits(f, &t->locations[i]);
    }
    if (ok)
        f->w->first_wait[t->n_locations] = f->w->n_waits;
    portolan_arena_clear(&f->arena);
    return ok && !f->no_memory;
}
