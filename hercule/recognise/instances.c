/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the instances of events in the tokens of each rank.
 *
 * An event that no other one uses has an automaton. From the left, the longest match of any of them
 * is taken, and matching continues after it; a token from which nothing matches is skipped. The
 * automaton's states after each token are kept, so that the path can be traced back: it says which
 * component each token was, and where instances of inner events begin and end. States from which no
 * match has come are marked as dead for that token. A later match that would enter only dead states
 * stops at once, so the time is linear in the tokens, though a match may be long and fail at its
 * end.
 *
 * Tokens inside a region are matched by themselves, after those around it.
 */
#include "recognise.h"

#include <portolan/list.h>

#include <string.h>

/* An event that no other one uses, and its automaton. */
struct matcher {
    const struct automaton *automaton;
    uint64_t *dead; /* by token: states from which no match has come */
};

struct finder {
    struct recognition *r;
    struct portolan_arena arena;
    struct matcher *matchers;
    size_t n_matchers;
    uint64_t *states, *best;  /* by token: of the match that is tried, and of the longest */
    size_t *tokens, n_tokens; /* neighbours at one depth, as indices in the row */
    uint8_t *path;
};

/* Returns how many tokens from START match; 0: none. */
static size_t match_from(struct finder *f, struct matcher *m, const struct token *tokens,
                         size_t start)
{
    uint64_t states = 0;
    size_t i = start, longest = start;

    for (; i < f->n_tokens; i++) {
        uint64_t components = tokens[f->tokens[i]].components;

        states = i == start ? automaton_start(m->automaton, components)
                            : automaton_step(m->automaton, states, components);
        if (!(states & ~m->dead[i]))
            break;
        f->states[i] = states;
        if (states & m->automaton->last)
            longest = i + 1;
    }
    for (size_t k = longest; k < i; k++)
        m->dead[k] |= f->states[k];
    return longest - start;
}

static struct instance *add_instance(struct recognition *r, size_t event, size_t row, size_t first)
{
    if (!portolan_reserve(&r->instances, &r->room, r->n_instances + 1, sizeof *r->instances))
        return NULL;
    r->instances[r->n_instances] = (struct instance){.event = (uint32_t)event,
                                                     .row = (uint32_t)row,
                                                     .first = (uint32_t)first,
                                                     .parent = NO_INSTANCE};
    return &r->instances[r->n_instances++];
}

/* Opens the instances around position TO of a path at its token, from FROM_DEPTH on. */
static bool open_instances(struct finder *f, const struct automaton *a, size_t row, size_t token,
                           size_t from_depth, uint8_t to, size_t open[AUTOMATON_DEPTH])
{
    for (size_t d = from_depth; d < a->at[to].depth; d++) {
        struct instance *i = add_instance(f->r, a->at[to].event[d], row, token);

        if (!i)
            return false;
        open[d] = f->r->n_instances - 1;
        i->parent = d ? (uint32_t)open[d - 1] : NO_INSTANCE;
    }
    return true;
}

/* Adds the instances of the N tokens from START, which matched. */
static bool take_match(struct finder *f, struct matcher *m, size_t row, size_t start, size_t n)
{
    const struct automaton *a = m->automaton;
    struct recognition *r = f->r;
    struct token *tokens = r->rows[row].tokens;
    size_t open[AUTOMATON_DEPTH] = {0};

    automaton_trace_path(a, f->best + start, n, f->path);
    for (size_t i = 0; i < n; i++) {
        struct token *t = &tokens[f->tokens[start + i]];
        size_t depth = i ? automaton_break(a, f->path[i - 1], f->path[i]) : 0;

        if (!open_instances(f, a, row, f->tokens[start + i], depth, f->path[i], open))
            return false;
        t->component = (uint8_t)a->at[f->path[i]].component;
        for (size_t d = 0; d < a->at[f->path[i]].depth; d++) {
            r->instances[open[d]].end = (uint32_t)f->tokens[start + i] + 1 + t->n_inside;
            r->instances[open[d]].n_inside = (uint32_t)(r->n_instances - 1 - open[d]);
        }
    }
    return true;
}

static bool match_neighbours(struct finder *f, size_t row)
{
    struct token *tokens = f->r->rows[row].tokens;

    for (size_t m = 0; m < f->n_matchers; m++)
        memset(f->matchers[m].dead, 0, f->n_tokens * sizeof *f->matchers[m].dead);
    for (size_t start = 0; start < f->n_tokens;) {
        size_t longest = 0;
        struct matcher *best = NULL;

        for (size_t m = 0; m < f->n_matchers; m++) {
            size_t n = match_from(f, &f->matchers[m], tokens, start);

            if (n > longest) {
                uint64_t *states = f->states;

                f->states = f->best;
                f->best = states;
                longest = n;
                best = &f->matchers[m];
            }
        }
        if (best && !take_match(f, best, row, start, longest))
            return false;
        start += longest ? longest : 1;
    }
    return true;
}

/* Matches the tokens from FIRST to END that are not inside others, then those inside of each. A
 * token that can be no component is outside of the paradigm, and separates nothing. */
static bool match_row(struct finder *f, size_t row, size_t first, size_t end)
{
    struct token *tokens = f->r->rows[row].tokens;

    f->n_tokens = 0;
    for (size_t i = first; i < end; i += 1 + tokens[i].n_inside)
        if (tokens[i].components && !tokens[i].is_apart)
            f->tokens[f->n_tokens++] = i;
    if (!match_neighbours(f, row))
        return false;
    for (size_t i = first; i < end; i += 1 + tokens[i].n_inside)
        if (tokens[i].n_inside && !match_row(f, row, i + 1, i + 1 + tokens[i].n_inside))
            return false;
    return true;
}

/* ------------------------------------------------- all ranks */

static size_t longest_row(const struct recognition *r)
{
    size_t longest = 0;

    for (size_t i = 0; i < r->n_rows; i++)
        longest = r->rows[i].n > longest ? r->rows[i].n : longest;
    return longest;
}

static bool make_matchers(struct finder *f)
{
    const struct paradigm *p = f->r->paradigm;
    size_t n = longest_row(f->r);

    f->matchers = portolan_arena_alloc(&f->arena, p->n_events, sizeof *f->matchers);
    f->states = portolan_arena_alloc(&f->arena, n, sizeof *f->states);
    f->best = portolan_arena_alloc(&f->arena, n, sizeof *f->best);
    f->tokens = portolan_arena_alloc(&f->arena, n, sizeof *f->tokens);
    f->path = portolan_arena_alloc(&f->arena, n, sizeof *f->path);
    for (size_t i = 0; f->matchers && i < p->n_events; i++) {
        struct matcher *m = &f->matchers[f->n_matchers];

        if (!p->events[i].automaton)
            continue;
        f->n_matchers++;
        m->automaton = p->events[i].automaton;
        m->dead = portolan_arena_alloc(&f->arena, n, sizeof *m->dead);
    }
    return !f->arena.failed;
}

bool instances_find(struct recognition *r)
{
    struct finder f = {.r = r};
    bool is_good = make_matchers(&f);

    for (size_t row = 0; is_good && row < r->n_rows; row++)
        is_good = match_row(&f, row, 0, r->rows[row].n);
    portolan_arena_clear(&f.arena);
    return is_good;
}
