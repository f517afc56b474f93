/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine.h"

#include <string.h>

/* ------------------------------------------------- who may run */

/* Orders runnable locations. In a scenario the least time comes first, since messages are matched
 * as they come; otherwise any order is right. */
static bool is_before(const struct runnable *a, const struct runnable *b)
{
    return a->ns != b->ns ? a->ns < b->ns : a->location < b->location;
}

static void push(struct engine *x, size_t location, int64_t ns)
{
    struct runnable new = {x->queues ? ns : 0, location};
    size_t at = x->n_runnable++;

    for (; at && is_before(&new, &x->runnable[(at - 1) / 2]); at = (at - 1) / 2)
        x->runnable[at] = x->runnable[(at - 1) / 2];
    x->runnable[at] = new;
}

static size_t pop(struct engine *x)
{
    size_t first = x->runnable[0].location, at = 0, n = --x->n_runnable;
    struct runnable last = x->runnable[n];

    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && is_before(&x->runnable[child + 1], &x->runnable[child]))
            child++;
        if (!is_before(&x->runnable[child], &last))
            break;
        x->runnable[at] = x->runnable[child];
    }
    x->runnable[at] = last;
    return first;
}

void engine_wake(struct engine *x, size_t location)
{
    push(x, location, x->locations[location].clock);
}

void engine_match_woken(struct engine *x, size_t location)
{
    if (!x->locations[location].awaits_match)
        return;
    x->locations[location].awaits_match = false;
    engine_wake(x, location);
}

/* ------------------------------------------------- calls */

/* Limits a time to the greatest that there is. */
static int64_t capped(int64_t ns)
{
    return ns < PORTOLAN_TRACE_MOST_NS ? ns : PORTOLAN_TRACE_MOST_NS;
}

static int64_t following_ns(const struct engine *x, const struct engine_location *l, size_t e)
{
    const struct portolan_trace_event *events = x->trace->events;
    const struct portolan_trace_location *at = &x->trace->locations[l - x->locations];

    if (e == at->first)
        return events[e].ns;
    return x->following_ns ? x->following_ns[e - 1] : events[e].ns - events[e - 1].ns;
}

/* Sets the time of a BEGIN, and lets the locations run that wait for it. */
static void set_begin(struct engine *x, uint32_t call, int64_t ns)
{
    int64_t held = x->ns[call];
    uint32_t next;

    x->ns[call] = ns;
    for (uint32_t i = held <= FIRST_WAITING ? (uint32_t)(FIRST_WAITING - held) + 1 : 0; i;
         i = next) {
        next = x->locations[i - 1].next_waiting;
        engine_wake(x, i - 1);
    }
}

static void begin_event(struct engine *x, struct engine_location *l, uint32_t e)
{
    struct portolan_trace_event *event = x->changed_events ? &x->changed_events[e] : NULL;
    unsigned kind = x->trace->events[e].kind;

    if ((kind == PORTOLAN_TRACE_COLLECTIVE || kind == PORTOLAN_TRACE_EPOCH ||
         kind == PORTOLAN_TRACE_BEGIN) &&
        x->matching->partner[e] != PORTOLAN_NO_EVENT)
        engine_arrive(x, e, l->clock);
    if (!event)
        return;
    if (event->peer == PEER_SENDER)
        event->peer = l->last_source;
    if (kind == PORTOLAN_TRACE_SEND || kind == PORTOLAN_TRACE_RECV_POST ||
        (kind == PORTOLAN_TRACE_RECV && !event->request))
        message_queues_post(x, x->trace->locations[l - x->locations].rank, e);
}

static void begin_call(struct engine *x, struct engine_location *l, uint32_t call)
{
    set_begin(x, call, l->clock);
    l->call = call;
    l->ready = l->least = l->clock;
    l->ready_was = l->begin_was + x->recording_ns;
    for (uint32_t e = call; e < x->matching->call[call]; e++)
        begin_event(x, l, e);
}

/* Returns whether a class uses the network: starting and ending MPI takes time without messages. */
static bool is_of_network(enum portolan_trace_routine_class class)
{
    return class != PORTOLAN_ROUTINE_INIT && class != PORTOLAN_ROUTINE_FINALIZE;
}

/* Returns the share of a call's messages that remain: one with many takes longer. */
static double remaining(const struct engine *x, uint32_t call, uint32_t end)
{
    size_t n = 0, n_local = 0;

    for (uint32_t e = call + 1; x->changes && e < end; e++) {
        n += x->trace->events[e].kind != PORTOLAN_TRACE_CPU;
        n_local += (x->changes[e] & CHANGE_LOCAL) != 0;
    }
    return n ? 1 - (double)n_local / (double)n : 1;
}

/* Returns the longest time of a collective operation: that of a message from each of its ranks to
 * one, and one back, all in turn. More than that was waiting for ranks to get a core. */
static int64_t most_of_collective(const struct engine *x, uint32_t call, uint32_t end)
{
    for (uint32_t e = call + 1; e < end; e++) {
        const struct portolan_trace_event *event = &x->trace->events[e];
        uint32_t meeting = x->matching->partner[e];
        int64_t message = message_ns(&x->costs_was, event->bytes);

        if (event->kind == PORTOLAN_TRACE_COLLECTIVE && meeting != PORTOLAN_NO_EVENT && message)
            return 2 * message * (int64_t)(x->matching->collectives[meeting].n - 1);
    }
    return INT64_MAX;
}

static int64_t excess(const struct engine *x, const struct engine_location *l, uint32_t end)
{
    uint8_t changes = x->changes ? x->changes[l->call] : 0;
    int64_t ns = x->trace->events[end].ns - l->ready_was;
    int64_t *least = x->least_excess ? &x->least_excess[x->trace->events[end].what] : &ns;

    if ((x->is_ideal && is_of_network(class_of(x, l->call))) || (changes & CHANGE_FREE))
        return 0;
    if (x->finds_least) {
        int64_t most = most_of_collective(x, l->call, end);

        *least = ns < *least ? ns : *least;
        *least = most < *least ? most : *least;
    } else if (*least < ns)
        ns = *least;
    ns = (int64_t)((double)ns * remaining(x, l->call, end));
    if (changes >> CHANGE_FACTOR_SHIFT)
        ns = (int64_t)((double)ns * x->removals[(changes >> CHANGE_FACTOR_SHIFT) - 1].factor);
    return ns;
}

static bool is_completion(unsigned kind)
{
    return kind == PORTOLAN_TRACE_RECV || kind == PORTOLAN_TRACE_SEND_DONE ||
           kind == PORTOLAN_TRACE_COLLECTIVE_DONE || kind == PORTOLAN_TRACE_CANCELLED;
}

static void end_call(struct engine *x, struct engine_location *l, uint32_t end)
{
    int64_t begin = l->clock, ns = l->ready + excess(x, l, end);

    /* Recording's cost is a mean, and the least excess another call's: this may be too early. */
    if ((x->recording_ns || x->least_excess) && ns < l->least)
        ns = l->least;
    l->clock = capped(ns > begin ? ns : begin);
    ns = begin;
    for (uint32_t e = l->call + 1; e <= end; e++) {
        const struct portolan_trace_event *event = &x->trace->events[e];

        if (is_completion(event->kind) || e == end)
            ns = l->clock;
        x->ns[e] = ns;
        if (event->kind == PORTOLAN_TRACE_RECV && event->peer >= 0)
            l->last_source = event->peer;
    }
}

/* Skips polls that waited: only the last one remains; those before it take no time. */
static uint32_t skip_polls(struct engine *x, struct engine_location *l, uint32_t e)
{
    size_t last = x->waits->first_wait[l - x->locations + 1];
    const struct portolan_wait *waits = x->waits->waits;

    while (l->wait < last && waits[l->wait].from < e)
        l->wait++;
    if (l->wait == last || waits[l->wait].from != e || !waits[l->wait].is_polling)
        return e;
    for (uint32_t i = e; i < waits[l->wait].call; i++)
        if (x->trace->events[i].kind == PORTOLAN_TRACE_BEGIN)
            set_begin(x, i, l->clock);
        else
            x->ns[i] = l->clock;
    /* Polls that take no time end at once when there is something. */
    if (x->changes && (x->changes[e] & CHANGE_FREE))
        l->begin_was = x->trace->events[waits[l->wait].call].ns;
    return waits[l->wait].call;
}

/* Leaves the loop of a scenario: only regions that were entered before it are still left. */
static void leave_loop(struct engine *x, struct engine_location *l)
{
    size_t depth = 0;

    for (l->at++; x->trace->events[l->at].kind != LOOP_END; l->at++) {
        unsigned kind = x->trace->events[l->at].kind;

        depth += kind == PORTOLAN_TRACE_ENTER;
        x->ns[l->at] = kind == PORTOLAN_TRACE_LEAVE && !depth ? l->clock : DROPPED;
        depth -= kind == PORTOLAN_TRACE_LEAVE && depth;
    }
    l->until_tag = PORTOLAN_TRACE_ANY;
    x->ns[l->at] = DROPPED;
}

static bool has_received(const struct engine *x, const struct engine_location *l, uint32_t end)
{
    for (uint32_t e = l->call; e < end; e++)
        if (x->trace->events[e].kind == PORTOLAN_TRACE_RECV &&
            x->trace->events[e].tag == l->until_tag)
            return true;
    return false;
}

/* Processes an event in a call; false: the location must wait. */
static bool step_in_call(struct engine *x, struct engine_location *l, uint32_t e)
{
    size_t i = (size_t)(l - x->locations);

    if (x->trace->events[e].kind != PORTOLAN_TRACE_END)
        return engine_await(x, i, e);
    if (!engine_await(x, i, l->call))
        return false;
    end_call(x, l, e);
    if (l->until_tag >= 0 && has_received(x, l, e))
        leave_loop(x, l);
    l->call = PORTOLAN_NO_EVENT;
    return true;
}

/* Processes an event between calls; false: another location is earlier. */
static bool step_between(struct engine *x, struct engine_location *l, uint32_t e)
{
    int64_t ns = capped(l->clock + following_ns(x, l, e));
    struct runnable now = {ns, (size_t)(l - x->locations)};
    const struct portolan_trace_event *event = &x->trace->events[e];

    if (x->queues && x->n_runnable && is_before(&x->runnable[0], &now)) {
        push(x, now.location, ns);
        return false;
    }
    l->clock = ns;
    if (event->kind == PORTOLAN_TRACE_BEGIN) {
        l->begin_was = event->ns;
        l->at = e = x->waits ? skip_polls(x, l, e) : e;
        begin_call(x, l, e);
        return true;
    }
    x->ns[e] = ns;
    if (x->queues && event->kind >= PORTOLAN_TRACE_KINDS) {
        x->ns[e] = DROPPED;
        l->until_tag = event->kind == LOOP_BEGIN ? event->tag : PORTOLAN_TRACE_ANY;
    }
    return true;
}

static void run_location(struct engine *x, struct engine_location *l)
{
    for (; l->at < l->end; l->at++)
        if (l->call == PORTOLAN_NO_EVENT ? !step_between(x, l, (uint32_t)l->at)
                                         : !step_in_call(x, l, (uint32_t)l->at))
            return;
}

bool engine_run(struct engine *x)
{
    for (size_t i = x->trace->n_locations; i-- > 0;)
        push(x, i, 0);
    while (x->n_runnable)
        run_location(x, &x->locations[pop(x)]);
    for (size_t i = 0; i < x->trace->n_locations; i++)
        if (x->locations[i].at < x->locations[i].end)
            return false;
    return true;
}

/* ------------------------------------------------- set-up */

int8_t engine_synchronous(const char *routine)
{
    routine += *routine == 'P';
    if (strncmp(routine, "MPI_", 4) != 0)
        return 0;
    routine += routine[4] == 'I' ? 5 : 4;
    return *routine == 'S' || *routine == 's' ? (routine[1] == 's')
                                              : -(*routine == 'B' || *routine == 'b');
}

bool engine_prepare(struct engine *x)
{
    const struct portolan_trace *t = x->trace;
    size_t n = t->n_locations;

    x->ns = portolan_arena_alloc(&x->arena, t->n_events + 1, sizeof *x->ns);
    x->locations = portolan_arena_alloc(&x->arena, n + 1, sizeof *x->locations);
    x->meetings =
        portolan_arena_alloc(&x->arena, x->matching->n_collectives + 1, sizeof *x->meetings);
    x->runnable = portolan_arena_alloc(&x->arena, n + 1, sizeof *x->runnable);
    x->synchronous = portolan_arena_alloc(&x->arena, t->n_routines + 1, 1);
    if (x->arena.failed)
        return false;
    for (size_t e = 0; e < t->n_events; e++)
        x->ns[e] = NOT_YET;
    for (size_t i = 0; i < n; i++)
        x->locations[i] = (struct engine_location){
            .at = t->locations[i].first,
            .end = t->locations[i].first + t->locations[i].n,
            .call = PORTOLAN_NO_EVENT,
            .wait = x->waits ? x->waits->first_wait[i] : 0,
            .last_source = PORTOLAN_TRACE_NONE,
            .until_tag = PORTOLAN_TRACE_ANY,
        };
    for (size_t i = 0; i < t->n_routines; i++)
        x->synchronous[i] = engine_synchronous(t->routines[i]);
    x->partner = x->partner ? x->partner : x->matching->partner;
    return true;
}

enum portolan_status engine_prepare_and_run(struct engine *x, const char *without,
                                            struct portolan_error *err)
{
    if (!engine_prepare(x))
        return portolan_no_memory(err);
    return engine_run(x)
               ? PORTOLAN_OK
               : portolan_error_set(err, PORTOLAN_EINFEASIBLE, "%s: ranks wait for each other%s",
                                    x->trace->source, without);
}
