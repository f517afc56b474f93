/* SPDX-License-Identifier: BSD-3-Clause */
/* Determines what removals change in a run. */
#include "engine.h"

#include <portolan/list.h>

#include <stdlib.h>
#include <string.h>

/* A removal that is being applied. */
struct remover {
    struct replay_changes *c;
    const struct portolan_waits *w;
    const struct portolan_trace *t;
    const struct portolan_matching *m;
    const struct portolan_removal *removal;
    int number;       /* counts from 1 */
    int64_t brief_ns; /* shorter stretches do not count, and keep their time */
};

static bool is_selected(const struct remover *x, size_t e)
{
    return !x->removal->selected || x->removal->selected[e];
}

/* Returns whether the time that follows an event is between calls. */
static bool is_between_calls(const struct remover *x, size_t e)
{
    unsigned kind = x->t->events[e].kind;

    return kind == PORTOLAN_TRACE_END ||
           (kind != PORTOLAN_TRACE_BEGIN && x->m->call[e] == PORTOLAN_NO_EVENT);
}

/* ------------------------------------------------- times */

/* A stretch: events FIRST to END of a location that are selected one after the other. */
struct stretch {
    size_t first, end;
    int64_t ns; /* its time between calls */
};

/* Finds the next stretch from event S->end on, before event END; false: there is none. */
static bool any_stretch(const struct remover *x, struct stretch *s, size_t end)
{
    *s = (struct stretch){.first = s->end};
    while (s->first < end && !is_selected(x, s->first))
        s->first++;
    for (s->end = s->first; s->end < end && is_selected(x, s->end); s->end++)
        if (is_between_calls(x, s->end))
            s->ns += x->c->following_ns[s->end];
    return s->first < end;
}

/* Does the same, but skips stretches so short compared with the longest that they are packing. */
static bool next_stretch(const struct remover *x, struct stretch *s, size_t end)
{
    while (any_stretch(x, s, end))
        if (s->ns >= x->brief_ns)
            return true;
    return false;
}

/* Gives a stretch the time NS, in proportion; if it had none, at its begin. */
static void set_stretch(struct remover *x, const struct stretch *s, int64_t ns)
{
    int64_t *following = x->c->following_ns, before = 0, given = 0;

    for (size_t e = s->first; e < s->end; e++) {
        int64_t upto;

        if (!is_between_calls(x, e))
            continue;
        before += following[e];
        upto = before == s->ns ? ns : (int64_t)((double)ns * ((double)before / (double)s->ns));
        following[e] = upto - given;
        given = upto;
    }
}

static size_t end_of(const struct remover *x, size_t location)
{
    return x->t->locations[location].first + x->t->locations[location].n;
}

/* By location: how many stretches there are, and how long they are. */
struct stretch_sums {
    size_t *n, most;
    int64_t *ns, total, least;
    size_t n_locations; /* locations that have some */
    bool is_even;       /* all have the same number */
};

static void sum_longer_stretches(const struct remover *x, struct stretch_sums *sums)
{
    size_t *counts = sums->n;
    int64_t *times = sums->ns;

    *sums = (struct stretch_sums){.n = counts, .ns = times};
    sums->is_even = x->removal->kind != PORTOLAN_REMOVE_STATIC;
    for (size_t i = 0; i < x->t->n_locations; i++) {
        struct stretch s = {.end = x->t->locations[i].first};

        counts[i] = 0, times[i] = 0;
        for (; next_stretch(x, &s, end_of(x, i)); counts[i]++)
            times[i] += s.ns;
        sums->total += times[i];
        if (counts[i] && (!sums->n_locations || times[i] < sums->least))
            sums->least = times[i];
        sums->n_locations += counts[i] > 0;
        sums->is_even &= !counts[i] || !sums->most || counts[i] == sums->most;
        sums->most = counts[i] > sums->most ? counts[i] : sums->most;
    }
}

/* Sums the stretches of locations. If all locations have the same number of stretches, those
 * without work count, too; else they are skipped. */
static bool sum_stretches(struct remover *x, struct stretch_sums *sums)
{
    size_t n = x->t->n_locations;
    int64_t longest = 0;

    sums->n = portolan_arena_alloc(&x->c->arena, n + 1, sizeof *sums->n);
    sums->ns = portolan_arena_alloc(&x->c->arena, n + 1, sizeof *sums->ns);
    if (x->c->arena.failed)
        return false;
    x->brief_ns = 0;
    sum_longer_stretches(x, sums);
    if (sums->is_even || x->removal->kind == PORTOLAN_REMOVE_TIME)
        return true;
    for (size_t i = 0; i < n; i++) {
        struct stretch s = {.end = x->t->locations[i].first};

        while (next_stretch(x, &s, end_of(x, i)))
            longest = s.ns > longest ? s.ns : longest;
    }
    x->brief_ns = longest / 200;
    sum_longer_stretches(x, sums);
    return true;
}

/* Finds the new time of the k-th stretches of all locations: their mean, or the least. */
static void agree_on_ordinals(const struct remover *x, const struct stretch_sums *sums,
                              int64_t *agreed)
{
    bool is_least = x->removal->kind == PORTOLAN_REMOVE_EXCESS;

    for (size_t k = 0; is_least && k < sums->most; k++)
        agreed[k] = INT64_MAX;
    for (size_t i = 0; i < x->t->n_locations; i++) {
        struct stretch s = {.end = x->t->locations[i].first};

        for (size_t k = 0; next_stretch(x, &s, end_of(x, i)); k++)
            if (!is_least)
                agreed[k] += s.ns;
            else if (s.ns < agreed[k])
                agreed[k] = s.ns;
    }
    for (size_t k = 0; !is_least && k < sums->most; k++)
        agreed[k] /= (int64_t)sums->n_locations;
}

static int64_t target(const struct remover *x, const struct stretch_sums *sums,
                      const int64_t *agreed, size_t i, size_t k, int64_t ns)
{
    int64_t total = x->removal->kind == PORTOLAN_REMOVE_EXCESS
                        ? sums->least
                        : sums->total / (int64_t)sums->n_locations;

    if (x->removal->kind == PORTOLAN_REMOVE_TIME)
        return (int64_t)((double)ns * x->removal->factor + 0.5);
    if (x->removal->kind == PORTOLAN_REMOVE_VARIATION)
        return sums->ns[i] / (int64_t)sums->n[i];
    if (sums->is_even)
        return agreed[k];
    return sums->ns[i] ? (int64_t)((double)ns / (double)sums->ns[i] * (double)total) : 0;
}

static bool remove_time(struct remover *x)
{
    struct stretch_sums sums;
    int64_t *agreed;

    if (!sum_stretches(x, &sums) ||
        !(agreed = portolan_arena_alloc(&x->c->arena, sums.most + 1, sizeof *agreed)))
        return false;
    if (sums.is_even)
        agree_on_ordinals(x, &sums, agreed);
    for (size_t i = 0; i < x->t->n_locations; i++) {
        struct stretch s = {.end = x->t->locations[i].first};

        for (size_t k = 0; next_stretch(x, &s, end_of(x, i)); k++)
            set_stretch(x, &s, target(x, &sums, agreed, i, k, s.ns));
    }
    return true;
}

/* Sets the time between calls to the processor time between two readings of it. */
static void use_cpu_times(struct remover *x)
{
    for (size_t i = 0; i < x->t->n_locations; i++) {
        size_t first = x->t->locations[i].first, last = SIZE_MAX;

        for (size_t e = first; e < end_of(x, i); e++) {
            struct stretch s = {.first = last, .end = e};
            int64_t cpu;

            if (x->t->events[e].kind != PORTOLAN_TRACE_CPU)
                continue;
            for (size_t k = last; last != SIZE_MAX && k < e; k++)
                s.ns += is_between_calls(x, k) ? x->c->following_ns[k] : 0;
            cpu =
                last == SIZE_MAX ? 0 : (int64_t)(x->t->events[e].bytes - x->t->events[last].bytes);
            if (last != SIZE_MAX && cpu >= 0 && cpu < s.ns)
                set_stretch(x, &s, cpu);
            last = e;
        }
    }
}

/* ------------------------------------------------- calls and messages */

static void change_calls(struct remover *x, uint8_t change)
{
    for (size_t e = 0; e < x->t->n_events; e++)
        if (x->t->events[e].kind == PORTOLAN_TRACE_BEGIN && is_selected(x, e))
            x->c->changes[e] |= change;
}

static void drop_side(struct remover *x, uint32_t e)
{
    uint32_t other = x->m->other[e];

    x->c->changes[e] |= CHANGE_LOCAL;
    if (other != PORTOLAN_NO_EVENT && x->t->events[other].kind != PORTOLAN_TRACE_BEGIN)
        x->c->changes[other] |= CHANGE_LOCAL;
}

static void drop_messages(struct remover *x)
{
    for (uint32_t e = 0; e < x->t->n_events; e++)
        if (x->t->events[e].kind == PORTOLAN_TRACE_SEND && is_selected(x, e)) {
            drop_side(x, e);
            if (x->m->partner[e] != PORTOLAN_NO_EVENT)
                drop_side(x, x->m->partner[e]);
        }
}

/* Replaces SENDS, N messages from rank to rank, by one; no collective operation is in between. */
static bool join(struct remover *x, const uint32_t *sends, size_t n)
{
    uint32_t carrier = sends[x->removal->sent_first ? 0 : n - 1], awaited = x->m->partner[sends[0]];
    struct joined_message new = {.send = carrier}, *joined;

    if (n < 2)
        return true;
    joined = portolan_arena_append(&x->c->arena, &x->c->joined, &x->c->n_joined, &new, sizeof new);
    if (!joined)
        return false;
    for (size_t i = 0; i < n; i++) {
        uint32_t recv = x->m->partner[sends[i]];

        joined->bytes += x->t->events[sends[i]].bytes;
        if (x->removal->received_last ? recv > awaited : recv < awaited)
            awaited = recv;
    }
    for (size_t i = 0; i < n; i++) {
        if (sends[i] != carrier)
            drop_side(x, sends[i]);
        if (x->m->partner[sends[i]] != awaited)
            drop_side(x, x->m->partner[sends[i]]);
    }
    x->c->changes[carrier] |= CHANGE_JOINED;
    x->c->partner[carrier] = awaited;
    x->c->partner[awaited] = carrier;
    return true;
}

struct selected_send {
    int peer;
    uint32_t send, n_collectives; /* N_COLLECTIVES: how many came before it */
    bool is_selected;             /* other messages stay, and no joined message passes them */
};

static int by_peer(const void *a, const void *b)
{
    const struct selected_send *x = a, *y = b;
    int order = PORTOLAN_ORDER(x->peer, y->peer);

    return order ? order : PORTOLAN_ORDER(x->send, y->send);
}

static bool join_location(struct remover *x, size_t location, struct selected_send *sends,
                          uint32_t *group)
{
    size_t n = 0, k = x->removal->k > 1 ? x->removal->k : 1;
    uint32_t n_collectives = 0;

    for (size_t e = x->t->locations[location].first; e < end_of(x, location); e++) {
        n_collectives += x->t->events[e].kind == PORTOLAN_TRACE_COLLECTIVE;
        if (x->t->events[e].kind == PORTOLAN_TRACE_SEND && x->m->partner[e] != PORTOLAN_NO_EVENT)
            sends[n++] = (struct selected_send){x->t->events[e].peer, (uint32_t)e, n_collectives,
                                                is_selected(x, e)};
    }
    if (n)
        qsort(sends, n, sizeof *sends, by_peer);
    for (size_t i = 0, end; i < n; i = end + (end == i)) {
        for (end = i; end < n && end - i < k && sends[end].peer == sends[i].peer &&
                      sends[end].n_collectives == sends[i].n_collectives && sends[end].is_selected;
             end++)
            group[end - i] = sends[end].send;
        if (!join(x, group, end - i))
            return false;
    }
    return true;
}

static int by_send(const void *a, const void *b)
{
    const struct joined_message *x = a, *y = b;

    return PORTOLAN_ORDER(x->send, y->send);
}

static bool join_messages(struct remover *x)
{
    size_t most = 0;
    struct selected_send *sends;
    uint32_t *group;
    bool ok;

    for (size_t i = 0; i < x->t->n_locations; i++)
        most = x->t->locations[i].n > most ? x->t->locations[i].n : most;
    sends = portolan_arena_alloc(&x->c->arena, most + 1, sizeof *sends);
    group = portolan_arena_alloc(&x->c->arena, most + 1, sizeof *group);
    if (!x->c->partner && (x->c->partner = portolan_arena_alloc(&x->c->arena, x->t->n_events + 1,
                                                                sizeof *x->c->partner)))
        memcpy(x->c->partner, x->m->partner, x->t->n_events * sizeof *x->c->partner);
    ok = !x->c->arena.failed;
    for (size_t i = 0; ok && i < x->t->n_locations; i++)
        ok = join_location(x, i, sends, group);
    if (x->c->n_joined)
        qsort(x->c->joined, x->c->n_joined, sizeof *x->c->joined, by_send);
    return ok;
}

/* Lets calls take no time if none of their messages is left. */
static void free_empty_calls(struct remover *x)
{
    uint32_t call = PORTOLAN_NO_EVENT;
    bool has_local = false, has_others = false;

    for (uint32_t e = 0; e < x->t->n_events; e++) {
        unsigned kind = x->t->events[e].kind;
        bool is_local = x->c->changes[e] & CHANGE_LOCAL;

        if (kind == PORTOLAN_TRACE_BEGIN) {
            call = e;
            has_local = has_others = false;
        } else if (kind == PORTOLAN_TRACE_END && has_local && !has_others) {
            x->c->changes[call] |= CHANGE_FREE;
        } else if (kind >= PORTOLAN_TRACE_SEND && kind <= PORTOLAN_TRACE_COLLECTIVE_DONE &&
                   kind != PORTOLAN_TRACE_CANCELLED) {
            has_local |= is_local;
            has_others |= !is_local;
        }
    }
}

/* ------------------------------------------------- all */

static bool apply(struct remover *x)
{
    switch (x->removal->kind) {
    case PORTOLAN_REMOVE_TIME:
        change_calls(x, x->removal->factor > 0 ? (uint8_t)(x->number << CHANGE_FACTOR_SHIFT)
                                               : CHANGE_FREE);
        return remove_time(x);
    case PORTOLAN_REMOVE_IMBALANCE:
    case PORTOLAN_REMOVE_STATIC:
    case PORTOLAN_REMOVE_EXCESS:
    case PORTOLAN_REMOVE_VARIATION:
        return remove_time(x);
    case PORTOLAN_REMOVE_MESSAGES:
        return join_messages(x);
    case PORTOLAN_REMOVE_COST:
        change_calls(x, CHANGE_FREE);
        return true;
    case PORTOLAN_REMOVE_DEPENDENCE:
        change_calls(x, CHANGE_INDEPENDENT);
        return true;
    case PORTOLAN_REMOVE_DISTANCE:
        drop_messages(x);
        return true;
    default:
        return true;
    }
}

enum portolan_status changes_prepare(struct replay_changes *c, const struct portolan_waits *w,
                                     const struct portolan_removal *removals, size_t n,
                                     bool use_cpu, const struct recording_cost *recording,
                                     struct portolan_error *err)
{
    struct remover x = {.c = c, .w = w, .t = w->trace, .m = w->matching};
    const struct portolan_trace_event *events = w->trace->events;
    bool ok;

    *c = (struct replay_changes){0};
    if (n > MOST_FACTORS)
        return portolan_error_set(err, PORTOLAN_EINVAL, "at most %d causes are removed together",
                                  MOST_FACTORS);
    if (!n && !use_cpu && !recording)
        return PORTOLAN_OK;
    c->following_ns = portolan_arena_alloc(&c->arena, x.t->n_events + 1, sizeof *c->following_ns);
    c->changes = portolan_arena_alloc(&c->arena, x.t->n_events + 1, 1);
    ok = !c->arena.failed;
    for (size_t e = 0; ok && e + 1 < x.t->n_events; e++)
        c->following_ns[e] = events[e + 1].ns - events[e].ns;
    for (size_t i = 0; ok && i < x.t->n_locations; i++)
        if (x.t->locations[i].n)
            c->following_ns[end_of(&x, i) - 1] = 0;
    if (ok && use_cpu)
        use_cpu_times(&x);
    if (ok && recording)
        recording_cost_remove(x.t, x.m, recording, c->following_ns);
    for (size_t i = 0; ok && i < n; i++) {
        x.removal = &removals[i];
        x.number = (int)i + 1;
        ok = apply(&x);
    }
    if (!ok)
        return portolan_no_memory(err);
    free_empty_calls(&x);
    return PORTOLAN_OK;
}
