/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes a row of tokens from a location's events: calls of MPI, regions that are bound to
 * components, and stretches of computing between them, so that each nanosecond is in one token of
 * the outermost level.
 *
 * Not every call and stretch is a token of its own. Short computing between calls of one exchange
 * (packing, loops) is no token, and calls that continue the call before, such as the receives of a
 * halo exchange from several sides, may be distinguished from a first one. A call that looks for a
 * message becomes one token with the call that receives it. Calls with MPI_PROC_NULL, and calls
 * that only ask, belong to the call before, or to computing. A mark (MPI_Pcontrol) opens a phase,
 * which is like a region that lasts until the next mark.
 */
#include "recognise.h"

#include <portolan/list.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST_REGION = 64, MOST_PARTNERS = 8 };

/* Limits of brief computing, which is no token. Stretches that together take less than brief_share
 * of a rank's time are between calls that belong together. So are those shorter than brief_length
 * of the stretches with half of the time, if together they take less than most_brief. */
static const double brief_share = 0.0005, brief_length = 0.001, most_brief = 0.05;

struct tokenizer {
    struct recognition *r;
    const struct bound *bound;
    const struct portolan_trace_location *location;
    struct token_row *row;
    int64_t since, brief_ns; /* SINCE: when computing began; BRIEF_NS: the longest that is brief */
    int64_t worked;          /* length of the last stretch of computing that is a token */
    struct {                 /* partners of the last calls in a row */
        int ranks[MOST_PARTNERS];
        size_t n;
        uint32_t kind; /* kind of their messages */
    } met;
    bool goes_on;    /* the call goes on with the one before, with other partners */
    bool is_looking; /* the last token looks for a message, and is no component */
    size_t last;     /* the previous token at this depth; HERCULE_NONE: none yet */
    struct open {
        size_t token, within, last;
        int64_t mark; /* of MPI_Pcontrol, if the region is BOUND_NO_REGION */
        bool is_bound;
    } open[DEEPEST_REGION]; /* open regions, and open marks that are components by themselves */
    uint32_t regions[DEEPEST_REGION + 1];
    size_t depth, n_unknown;
    size_t within;  /* component whose parts are tokens now; HERCULE_NONE: outside of all */
    bool is_closed; /* is in a region whose inside has no tokens */
    char mark[24];  /* the last mark, or "" */
};

static struct token *add_token(struct tokenizer *t, int64_t begin, uint32_t event)
{
    struct token_row *row = t->row;

    if (!portolan_reserve(&row->tokens, &row->room, row->n + 1, sizeof *row->tokens))
        return NULL;
    row->tokens[row->n] = (struct token){
        .begin = begin, .end = begin, .first_event = event, .component = TOKEN_NO_COMPONENT};
    t->last = row->n;
    t->is_looking = false;
    return &row->tokens[row->n++];
}

/* Ends at NS the computing that follows the last call or region. */
static bool end_computing(struct tokenizer *t, int64_t ns, uint32_t event)
{
    int64_t begin = t->since, brief_ns = t->brief_ns;
    struct token *token;

    t->since = ns;
    if (t->is_closed || ns <= begin)
        return true;
    /* Computing that is short compared with a block's is packing, also before a send to another
     * rank. */
    if (t->goes_on && t->met.kind == PORTOLAN_TRACE_SEND && brief_ns < t->worked / 4)
        brief_ns = t->worked / 4;
    if (ns - begin <= brief_ns && t->last != HERCULE_NONE) {
        t->row->tokens[t->last].end = ns;
        return true;
    }
    if (!(token = add_token(t, begin, event)))
        return false;
    token->end = ns;
    t->worked = ns - begin;
    token->components = bound_computing(t->bound, t->within);
    return true;
}

/* Adds the call of events [FIRST, END] to TOKEN. */
static void add_call(struct tokenizer *t, struct token *token, uint32_t first, uint32_t end)
{
    const struct portolan_trace_event *events = t->r->trace->events;
    size_t n = 0;
    const struct portolan_wait *waits = portolan_waits_of(t->r->waits, first, &n);
    enum portolan_trace_routine_class class = t->r->waits->matching->classes[events[first].what];
    int64_t ns = events[end].ns - events[first].ns;

    for (size_t i = 0; i < n; i++)
        token->wait += waits[i].ns;
    token->mpi += ns;
    if (class >= PORTOLAN_ROUTINE_BARRIER && class <= PORTOLAN_ROUTINE_NEIGHBOUR)
        token->collective += ns;
}

static uint64_t call_components(const struct tokenizer *t, uint32_t first, uint32_t end)
{
    return bound_call(t->bound, &t->r->trace->events[first], end - first, t->row->rank,
                      t->goes_on && t->met.kind == PORTOLAN_TRACE_RECV, t->mark, t->regions,
                      t->depth, t->within);
}

/* Returns whether the messages of the call of events [FIRST, END] go the same way as those of the
 * calls before it, and all are with other ranks. */
static bool goes_on(struct tokenizer *t, uint32_t first, uint32_t end)
{
    const struct portolan_trace_event *events = t->r->trace->events;
    size_t n_before = t->met.n;
    bool is_on = n_before > 0, has_any = false;

    for (uint32_t e = first + 1; e < end; e++) {
        uint32_t kind = events[e].kind;
        bool is_message =
            (kind == PORTOLAN_TRACE_SEND || kind == PORTOLAN_TRACE_RECV) && events[e].peer >= 0;

        is_on &= !is_message || (kind == t->met.kind && t->met.n < MOST_PARTNERS);
        for (size_t i = 0; is_message && i < n_before; i++)
            is_on &= t->met.ranks[i] != events[e].peer;
        if (kind == PORTOLAN_TRACE_COLLECTIVE || (is_message && (!is_on || !t->met.n)))
            t->met.n = n_before = 0;
        has_any |= is_message;
        if (is_message && t->met.n < MOST_PARTNERS)
            t->met.ranks[t->met.n++] = events[e].peer;
        if (is_message)
            t->met.kind = kind;
    }
    return is_on && has_any;
}

/* Returns whether the call of events [FIRST, END], which is no component, has a message with
 * MPI_PROC_NULL only, or asks for something, as MPI_Wtime does. */
static bool has_no_partner(const struct tokenizer *t, uint32_t first, uint32_t end)
{
    const struct portolan_trace_event *events = t->r->trace->events;
    enum portolan_trace_routine_class class = t->r->waits->matching->classes[events[first].what];

    if (class == PORTOLAN_ROUTINE_OTHER
            ? events[end].ns - events[first].ns > t->brief_ns || call_components(t, first, end)
            : class < PORTOLAN_ROUTINE_SEND || class > PORTOLAN_ROUTINE_POST)
        return false;
    for (uint32_t e = first + 1; e < end; e++)
        if (portolan_trace_is_operation(&events[e]) && events[e].peer != PORTOLAN_TRACE_NONE)
            return false;
    return true;
}

/* Returns whether the call of events [FIRST, END] only looks for a message. */
static bool looks(const struct tokenizer *t, uint32_t first, uint32_t end)
{
    const struct portolan_trace_event *events = t->r->trace->events;
    enum portolan_trace_routine_class class = t->r->waits->matching->classes[events[first].what];

    for (uint32_t e = first + 1; e < end; e++)
        if (portolan_trace_is_operation(&events[e]))
            return false;
    return class == PORTOLAN_ROUTINE_PROBE || class == PORTOLAN_ROUTINE_POLL ||
           class == PORTOLAN_ROUTINE_TEST;
}

static bool receives(const struct tokenizer *t, uint32_t first, uint32_t end)
{
    for (uint32_t e = first + 1; e < end; e++)
        if (t->r->trace->events[e].kind == PORTOLAN_TRACE_RECV)
            return true;
    return false;
}

/* Returns the token of a call. A call that looked for a message, and is no component itself, is one
 * token with the call that receives it. */
static struct token *call_token(struct tokenizer *t, uint32_t first, uint32_t end,
                                uint64_t components)
{
    bool is_looking = !components && looks(t, first, end);
    struct token *token = t->is_looking && (is_looking || receives(t, first, end))
                              ? &t->row->tokens[t->last]
                              : add_token(t, t->r->trace->events[first].ns, first);

    if (token) {
        token->n_events = end + 1 - token->first_event;
        token->end = t->r->trace->events[end].ns;
        token->components = components;
    }
    t->is_looking = is_looking;
    return token;
}

static bool take_call(struct tokenizer *t, uint32_t first, uint32_t end)
{
    const struct portolan_trace_event *events = t->r->trace->events;
    struct token *token;

    if (has_no_partner(t, first, end)) { /* the call belongs to the one before, or to computing */
        if (!t->is_closed && t->last != HERCULE_NONE && events[first].ns - t->since <= t->brief_ns)
            t->row->tokens[t->last].end = t->since = events[end].ns;
        return true;
    }
    t->goes_on = bound_knows_further(t->bound) && goes_on(t, first, end);
    if (!end_computing(t, events[first].ns, first))
        return false;
    t->since = events[end].ns;
    for (size_t i = 0; i < t->depth; i++)
        if (t->open[i].is_bound)
            add_call(t, &t->row->tokens[t->open[i].token], first, end);
    if (t->is_closed)
        return true;
    if (!(token = call_token(t, first, end, call_components(t, first, end))))
        return false;
    add_call(t, token, first, end);
    return true;
}

/* Enters a region; BOUND_NO_REGION: the phase of a mark. */
static bool open_region(struct tokenizer *t, uint32_t event, uint32_t region, uint64_t components)
{
    struct open *o = &t->open[t->depth];
    struct token *token;

    *o = (struct open){
        .within = t->within, .mark = t->r->trace->events[event].tag, .is_bound = components != 0};
    if (components) {
        int64_t ns = t->r->trace->events[event].ns;

        if (!end_computing(t, ns, event) || !(token = add_token(t, ns, event)))
            return false;
        token->components = components;
        o->token = o->last = t->row->n - 1;
        t->within = (size_t)__builtin_ctzll(components);
        t->is_closed = !bound_is_refined(t->bound, t->within);
        t->last = HERCULE_NONE;
    }
    t->regions[t->depth++] = region;
    return true;
}

/* Leaves what is open at index AT; EVENT is its last event, or the next mark's, which is not in it.
 * What is open above it, if marks and regions overlap, stays open. */
static bool close_region(struct tokenizer *t, size_t at, uint32_t event)
{
    struct open o = t->open[at];

    if (o.is_bound) {
        int64_t ns = t->r->trace->events[event].ns;
        struct token *token;

        if (!end_computing(t, ns, event))
            return false;
        token = &t->row->tokens[o.token];
        token->end = ns;
        token->n_events = event - token->first_event +
                          (t->regions[at] != BOUND_NO_REGION || event == token->first_event);
        token->n_inside = (uint32_t)(t->row->n - 1 - o.token);
        t->last = o.last;
        t->is_looking = false;
        t->within = o.within;
        t->is_closed = false;
    }
    t->depth--;
    memmove(&t->open[at], &t->open[at + 1], (t->depth - at) * sizeof *t->open);
    memmove(&t->regions[at], &t->regions[at + 1], (t->depth - at) * sizeof *t->regions);
    return true;
}

/* Returns the mark in force; HERCULE_NONE: none in the innermost region that is a component. */
static size_t open_mark(const struct tokenizer *t)
{
    for (size_t i = t->depth; i-- > 0;)
        if (t->open[i].is_bound)
            return t->regions[i] == BOUND_NO_REGION ? i : HERCULE_NONE;
    return HERCULE_NONE;
}

static bool end_marks(struct tokenizer *t, uint32_t event)
{
    for (size_t at; (at = open_mark(t)) != HERCULE_NONE;)
        if (!close_region(t, at, event))
            return false;
    return true;
}

static uint64_t bound(struct tokenizer *t, uint32_t region)
{
    t->regions[t->depth] = region;
    return t->is_closed ? 0 : bound_region(t->bound, t->mark, t->regions, t->depth + 1, t->within);
}

static bool enter_region(struct tokenizer *t, uint32_t event)
{
    uint32_t region = t->r->trace->events[event].what;

    if (t->depth == DEEPEST_REGION || t->n_unknown) {
        t->n_unknown++;
        return true;
    }
    return open_region(t, event, region, bound(t, region));
}

/* Leaves a region. A mark in a region that is a component ends with it; otherwise it remains in
 * force when its function returns. */
static bool leave_region(struct tokenizer *t, uint32_t event)
{
    size_t at = t->depth;

    if (t->n_unknown) {
        t->n_unknown--;
        return true;
    }
    while (at > 0 && t->regions[at - 1] == BOUND_NO_REGION)
        at--;
    if (!at)
        return true;
    return (!t->open[at - 1].is_bound || end_marks(t, event)) && close_region(t, at - 1, event);
}

/* Begins a mark. It ends those before it, except one whose component it is a part of; that is in
 * force again when its mark comes again. */
static bool take_mark(struct tokenizer *t, uint32_t event)
{
    int64_t mark = t->r->trace->events[event].tag;
    size_t at = open_mark(t);
    uint64_t components;

    snprintf(t->mark, sizeof t->mark, "%d", (int)mark);
    if (t->is_closed && at == HERCULE_NONE)
        return true;
    while (!(components = bound(t, BOUND_NO_REGION)) && at != HERCULE_NONE) {
        if (!close_region(t, at, event))
            return false;
        at = open_mark(t);
        if (at != HERCULE_NONE && t->open[at].mark == mark)
            return true;
    }
    return !components || t->depth == DEEPEST_REGION ||
           open_region(t, event, BOUND_NO_REGION, components);
}

static bool take_event(struct tokenizer *t, uint32_t event)
{
    const struct portolan_trace_event *e = &t->r->trace->events[event];

    switch (e->kind) {
    case PORTOLAN_TRACE_ENTER:
        return enter_region(t, event);
    case PORTOLAN_TRACE_LEAVE:
        return leave_region(t, event);
    case PORTOLAN_TRACE_BEGIN:
        return t->r->waits->matching->classes[e->what] != PORTOLAN_ROUTINE_FINALIZE ||
               end_marks(t, event);
    case PORTOLAN_TRACE_END:
        return take_call(t, t->r->waits->matching->call[event], event);
    case PORTOLAN_TRACE_MARK:
        return take_mark(t, event);
    case PORTOLAN_TRACE_GAP: { /* not even computing is known here */
        struct token *token = t->is_closed ? NULL : add_token(t, t->since, event);

        t->since = e->ns;
        if (token)
            token->end = e->ns;
        return token || t->is_closed;
    }
    default:
        return true;
    }
}

static int compare_ns(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return PORTOLAN_ORDER(x, y);
}

/* Finds the longest stretch outside of MPI that is brief. All stretches that are no longer must add
 * up to little, and must either be all that there are, or be short compared with the longest;
 * otherwise they are only the shortest of their kind. */
static bool find_brief(struct tokenizer *t)
{
    const struct portolan_trace_event *e = t->r->trace->events + t->location->first;
    const uint8_t *classes = t->r->waits->matching->classes;
    size_t n = t->location->n, n_stretches = 0, usual;
    int64_t *stretches = portolan_calloc(n + 1, sizeof *stretches), since = 0, all = 0, sum = 0;
    double time = n ? (double)(e[n - 1].ns - e[0].ns) : 0, shortest;

    if (!stretches)
        return false;
    for (size_t i = 0; i < n; i++)
        if (e[i].kind != PORTOLAN_TRACE_BEGIN && e[i].kind != PORTOLAN_TRACE_END)
            continue;
        else if (classes[e[i].what] == PORTOLAN_ROUTINE_OTHER)
            continue;
        else if (e[i].kind == PORTOLAN_TRACE_END)
            since = e[i].ns;
        else if (i && e[i].ns > since)
            all += stretches[n_stretches++] = e[i].ns - since;
    qsort(stretches, n_stretches, sizeof *stretches, compare_ns);
    for (usual = n_stretches; usual > 0 && sum < all / 2;)
        sum += stretches[--usual];
    shortest = (double)stretches[usual] * brief_length;
    sum = 0;
    for (size_t i = 0; i < n_stretches; i++) {
        sum += stretches[i];
        if ((double)sum > time * ((double)stretches[i] < shortest ? most_brief : brief_share))
            break;
        if (i + 1 == n_stretches ||
            (stretches[i + 1] > stretches[i] && stretches[i] <= stretches[n_stretches - 1] / 4))
            t->brief_ns = stretches[i];
    }
    free(stretches);
    return true;
}

static bool tokenize(struct recognition *r, const struct bound *b, size_t location)
{
    struct tokenizer t = {.r = r,
                          .bound = b,
                          .location = &r->trace->locations[location],
                          .row = &r->rows[location],
                          .last = HERCULE_NONE,
                          .within = HERCULE_NONE};
    int64_t end;
    uint32_t last = (uint32_t)(t.location->first + t.location->n);
    struct token *token;

    t.row->rank = t.location->rank;
    if (!t.location->n)
        return true;
    if (!find_brief(&t))
        return false;
    t.since = r->trace->events[t.location->first].ns;
    for (uint32_t e = (uint32_t)t.location->first; e < last; e++)
        if (!take_event(&t, e))
            return false;
    end = r->trace->events[last - 1].ns;
    while (t.depth) /* leaves marks, and regions that were cut off */
        if (!close_region(&t, t.depth - 1, last - 1))
            return false;
    if (!end_computing(&t, end, last - 1))
        return false;
    if (end < r->run_ns && t.location->thread == 0) {
        if (!(token = add_token(&t, end, last)))
            return false;
        token->end = r->run_ns;
        token->wait = r->run_ns - end;
    }
    return true;
}

bool tokens_make(struct recognition *r, const struct bound *b)
{
    r->n_rows = r->trace->n_locations;
    if (!(r->rows = portolan_calloc(r->n_rows + 1, sizeof *r->rows)))
        return false;
    for (size_t l = 0; l < r->n_rows; l++)
        if (!tokenize(r, b, l))
            return false;
    return true;
}

/* Returns how many tokens of ROW begin at NS or before, and with EVENT or an earlier one. */
static size_t count_until(const struct token_row *row, int64_t ns, size_t event)
{
    size_t low = 0, high = row->n;

    PORTOLAN_BISECT(low, high,
                    row->tokens[middle].begin <= ns && row->tokens[middle].first_event <= event);
    return low;
}

struct token *tokens_at(const struct token_row *row, int64_t ns)
{
    size_t n = count_until(row, ns, SIZE_MAX);

    return n ? &row->tokens[n - 1] : NULL;
}

struct token *tokens_find(const struct recognition *r, size_t location, size_t event)
{
    const struct token_row *row = &r->rows[location];

    for (size_t n = count_until(row, INT64_MAX, event); n-- > 0;) {
        struct token *t = &row->tokens[n];

        if (event < (size_t)t->first_event + t->n_events)
            return t; /* otherwise goes out of a region that ended before */
    }
    return NULL;
}
