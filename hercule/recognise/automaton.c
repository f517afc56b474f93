/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes position automata (Glushkov 1961) of expressions, and runs them.
 *
 * Each component in the expression is a position. Three things are computed for a part of the
 * expression from those of its own parts: the positions with which it may begin, those with which
 * it may end, and whether it may match nothing. A sequence lets the begins of a part follow the
 * ends of the part before; a repetition lets the begins follow the ends of the same part. Sets of
 * positions are bits of a word, so a step over a token is one union over the present states.
 */
#include "event_expression.h"

#include <string.h>

/* The positions that may begin and end a part of an expression. */
struct ends {
    uint64_t first, last;
    bool is_empty; /* it may match nothing */
};

struct maker {
    const struct event *events;
    struct automaton *a;
    struct portolan_diagnostics *d;
    int n_reported; /* number of reports before, since a mistake is reported once */
    size_t depth, n_occurrences;
    size_t event[AUTOMATON_DEPTH], occurrence[AUTOMATON_DEPTH];
};

static void follow_with(struct automaton *a, uint64_t from, uint64_t to)
{
    for (; from; from &= from - 1)
        a->follow[__builtin_ctzll(from)] |= to;
}

static struct ends put_component(struct maker *m, const struct event_expression *e)
{
    struct automaton *a = m->a;
    struct automaton_position *p = &a->at[a->n];
    uint64_t bit = (uint64_t)1 << (a->n & 63);

    if (a->n == AUTOMATON_POSITIONS || e->component >= AUTOMATON_COMPONENTS) {
        REPORT_AT(m->d, e->place,
                  "the expression has more than %d places for components, or the paradigm "
                  "more than %d components; split it into events of their own",
                  (int)AUTOMATON_POSITIONS, (int)AUTOMATON_COMPONENTS);
        return (struct ends){0};
    }
    *p = (struct automaton_position){.component = e->component, .depth = m->depth};
    memcpy(p->event, m->event, sizeof m->event);
    memcpy(p->occurrence, m->occurrence, sizeof m->occurrence);
    a->of_component[e->component] |= bit;
    a->n++;
    return (struct ends){bit, bit, false};
}

static struct ends put(struct maker *m, const struct event_expression *e);

static struct ends put_event(struct maker *m, const struct event_expression *e, size_t event)
{
    struct automaton *a = m->a;
    size_t start = a->n, depth = m->depth, i;
    struct ends ends;

    for (i = 0; i < depth && m->event[i] != event; i++)
        ;
    if (i < depth || depth == AUTOMATON_DEPTH) {
        REPORT_AT(m->d, e->place,
                  i < depth ? "event '%s' is within itself"
                            : "event '%s' is too deep within other events",
                  m->events[event].item.name);
        return (struct ends){0};
    }
    m->event[depth] = event;
    m->occurrence[depth] = m->n_occurrences++;
    m->depth++;
    ends = put(m, m->events[event].parsed);
    m->depth--;
    for (i = start; i < a->n; i++)
        a->at[i].inner[depth] = a->follow[i];
    return ends;
}

static struct ends put_sequence(struct maker *m, const struct event_expression *e)
{
    struct ends all = {0, 0, true};

    for (const struct event_expression *p = e->parts; p; p = p->next) {
        struct ends one = put(m, p);

        follow_with(m->a, all.last, one.first);
        all.first |= all.is_empty ? one.first : 0;
        all.last = one.last | (one.is_empty ? all.last : 0);
        all.is_empty &= one.is_empty;
    }
    return all;
}

static struct ends put_choice(struct maker *m, const struct event_expression *e)
{
    struct ends all = {0};

    for (const struct event_expression *p = e->parts; p; p = p->next) {
        struct ends one = put(m, p);

        all.first |= one.first;
        all.last |= one.last;
        all.is_empty |= one.is_empty;
    }
    return all;
}

static struct ends put(struct maker *m, const struct event_expression *e)
{
    struct ends ends = m->d->count > m->n_reported      ? (struct ends){0}
                       : e->kind == EXPRESSION_CHOICE   ? put_choice(m, e)
                       : e->kind == EXPRESSION_SEQUENCE ? put_sequence(m, e)
                       : e->event != HERCULE_NONE       ? put_event(m, e, e->event)
                                                        : put_component(m, e);

    if (e->is_repeated)
        follow_with(m->a, ends.last, ends.first);
    ends.is_empty |= e->is_optional;
    return ends;
}

void automaton_make(const struct event *events, size_t event, struct portolan_diagnostics *d,
                    struct automaton *automaton)
{
    struct maker m = {.events = events, .a = automaton, .d = d, .n_reported = d->count};
    const struct event_expression *e = events[event].parsed;
    struct ends ends;

    memset(automaton, 0, sizeof *automaton);
    ends = put_event(&m, e, event);
    if (d->count == m.n_reported && ends.is_empty)
        REPORT_AT(d, e->place, "event '%s' would match nothing; it needs at least one component",
                  events[event].item.name);
    automaton->first = ends.first;
    automaton->last = ends.last;
}

static uint64_t positions_of(const struct automaton *a, uint64_t components)
{
    uint64_t positions = 0;

    for (; components; components &= components - 1)
        positions |= a->of_component[__builtin_ctzll(components)];
    return positions;
}

uint64_t automaton_start(const struct automaton *a, uint64_t components)
{
    return a->first & positions_of(a, components);
}

uint64_t automaton_step(const struct automaton *a, uint64_t states, uint64_t components)
{
    uint64_t next = 0;

    for (; states; states &= states - 1)
        next |= a->follow[__builtin_ctzll(states)];
    return next & positions_of(a, components);
}

void automaton_trace_path(const struct automaton *a, const uint64_t *states, size_t n,
                          uint8_t *path)
{
    uint64_t ways = states[n - 1] & a->last;

    while (n-- > 0) {
        path[n] = (uint8_t)__builtin_ctzll(ways);
        if (n) {
            uint64_t before = states[n - 1];

            for (ways = 0; before; before &= before - 1) {
                int i = __builtin_ctzll(before);

                if (a->follow[i] >> path[n] & 1)
                    ways |= (uint64_t)1 << i;
            }
        }
    }
}

size_t automaton_break(const struct automaton *a, uint8_t from, uint8_t to)
{
    const struct automaton_position *f = &a->at[from], *t = &a->at[to];
    size_t d = 0;

    while (d < f->depth && d < t->depth && f->occurrence[d] == t->occurrence[d] &&
           (f->inner[d] >> to & 1))
        d++;
    return d;
}
