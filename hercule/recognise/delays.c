/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Charges waiting to the ranks that were waited for.
 *
 * While a rank waits, the rank that it waits for does something, and that is the cause; if that
 * rank waits itself, the rank at the end of the chain is charged. So each nanosecond of waiting is
 * charged once. At each moment, who waits for whom forms trees, whose roots are charged with the
 * weight of their trees. Begins and ends of waits are changes, which are processed in the order of
 * time: a change moves a subtree from one root to another, after both roots have been charged up to
 * that time. It costs as many steps as the tree is deep.
 *
 * The delays of <portolan/waits.h> are by call path; but all computing of a program without regions
 * is on one path, so these delays are charged to tokens.
 */
#include "recognise.h"

#include <portolan/list.h>

#include <stdlib.h>
#include <string.h>

/* A change: a wait of LOCATION for location TO begins or ends. */
struct wait_change {
    int64_t ns;
    uint32_t location, to;
    bool begins;
};

/* The state at one time: who waits for whom, how many waits each location is the root of, and since
 * when its share is to be charged. */
struct waiting {
    struct recognition *r;
    struct wait_change *changes;
    size_t n_changes;
    uint32_t *parent; /* location + 1 that each waits for; 0: none */
    int64_t *weight;  /* number of waits in its tree, including its own */
    uint32_t *n_open;
    int64_t *since;
};

/* ------------------------------------------------- changes */

static void add_wait(struct waiting *w, size_t location, size_t to, int64_t begin, int64_t end)
{
    w->changes[w->n_changes++] =
        (struct wait_change){begin, (uint32_t)location, (uint32_t)to, true};
    w->changes[w->n_changes++] = (struct wait_change){end, (uint32_t)location, (uint32_t)to, false};
}

/* Returns the location that ends last. */
static size_t last_location(const struct recognition *r)
{
    size_t last = 0;
    int64_t latest = -1;

    for (size_t l = 0; l < r->n_rows; l++) {
        const struct token_row *row = &r->rows[l];

        if (row->n && row->tokens[row->n - 1].end - row->tokens[row->n - 1].wait > latest) {
            latest = row->tokens[row->n - 1].end - row->tokens[row->n - 1].wait;
            last = l;
        }
    }
    return last;
}

static int compare_changes(const void *a, const void *b)
{
    const struct wait_change *x = a, *y = b;

    return x->ns != y->ns ? PORTOLAN_ORDER(x->ns, y->ns) : (int)x->begins - (int)y->begins;
}

/* Lists the changes; locations that have ended wait for the last one. */
static void list_changes(struct waiting *w)
{
    const struct recognition *r = w->r;
    size_t last = last_location(r);

    for (size_t l = 0; l < r->n_rows; l++) {
        const struct token *t = r->rows[l].n ? &r->rows[l].tokens[r->rows[l].n - 1] : NULL;

        for (size_t i = r->waits->first_wait[l]; i < r->waits->first_wait[l + 1]; i++) {
            const struct portolan_wait *wait = &r->waits->waits[i];

            add_wait(w, l, portolan_trace_location_of(r->trace, wait->by), wait->begin_ns,
                     wait->begin_ns + wait->ns);
        }
        if (t && !t->n_events && t->wait && l != last)
            add_wait(w, l, last, t->begin, t->end);
    }
    qsort(w->changes, w->n_changes, sizeof *w->changes, compare_changes);
}

/* ------------------------------------------------- charges */

static uint32_t root_of(const struct waiting *w, uint32_t location)
{
    while (w->parent[location])
        location = w->parent[location] - 1;
    return location;
}

static void add_weight(struct waiting *w, uint32_t location, int64_t weight)
{
    for (w->weight[location] += weight; w->parent[location];) {
        location = w->parent[location] - 1;
        w->weight[location] += weight;
    }
}

/* Lets LOCATION wait for PARENT - 1, or for none; the locations that wait for it move with it. */
static void move_tree(struct waiting *w, uint32_t location, uint32_t parent)
{
    int64_t weight = w->weight[location];

    add_weight(w, location, -weight);
    w->parent[location] = parent;
    add_weight(w, location, weight);
}

/* Charges LOCATION, a root, for those that wait for it, up to NS. */
static void charge(struct waiting *w, uint32_t location, int64_t ns)
{
    struct token_row *row = &w->r->rows[location];
    int64_t n = w->weight[location], begin = w->since[location];
    struct token *t = n ? tokens_at(row, begin) : NULL;

    w->since[location] = ns;
    for (t = t ? t : row->tokens; n && t < row->tokens + row->n && t->begin < ns; t++) {
        int64_t from = t->begin > begin ? t->begin : begin, to = t->end < ns ? t->end : ns;

        if (from < to && !t->n_inside) /* otherwise the tokens inside are charged */
            t->delay += n * (to - from);
    }
}

/* Processes a change. Locations that wait for each other, as in no run, are charged for it. */
static void change(struct waiting *w, const struct wait_change *c)
{
    uint32_t root = root_of(w, c->location);

    charge(w, root, c->ns);
    add_weight(w, c->location, c->begins ? 1 : -1);
    if (!c->begins) {
        if (--w->n_open[c->location] == 0 && root != c->location)
            move_tree(w, c->location, 0);
        w->since[c->location] = c->ns;
    } else if (w->n_open[c->location]++ == 0) {
        root = root_of(w, c->to);
        if (root == c->location)
            return;
        charge(w, root, c->ns);
        move_tree(w, c->location, c->to + 1);
    }
}

bool delays_charge(struct recognition *r)
{
    struct portolan_arena arena = {0};
    size_t n_rows = r->n_rows, n = 2 * (r->waits->n_waits + n_rows);
    struct waiting w = {.r = r,
                        .changes = portolan_arena_alloc(&arena, n, sizeof *w.changes),
                        .parent = portolan_arena_alloc(&arena, n_rows, sizeof *w.parent),
                        .weight = portolan_arena_alloc(&arena, n_rows, sizeof *w.weight),
                        .n_open = portolan_arena_alloc(&arena, n_rows, sizeof *w.n_open),
                        .since = portolan_arena_alloc(&arena, n_rows, sizeof *w.since)};
    bool ok = !arena.failed;

    if (ok)
        list_changes(&w);
    for (size_t i = 0; ok && i < w.n_changes; i++)
        change(&w, &w.changes[i]);
    for (size_t l = 0; ok && l < r->n_rows; l++)
        for (size_t i = r->rows[l].n; i-- > 0;) {
            struct token *t = &r->rows[l].tokens[i];

            for (size_t k = 1; k <= t->n_inside; k += 1 + t[k].n_inside)
                t->delay += t[k].delay;
        }
    portolan_arena_clear(&arena);
    return ok;
}

/* ------------------------------------------------- woven paradigms */

/* Finds the component of each call path, by the first event on it. */
static uint8_t *components_of_paths(struct recognition *r)
{
    const struct portolan_waits *w = r->waits;
    uint8_t *components = portolan_arena_alloc(&r->arena, w->n_paths, 1);
    uint8_t *tries = portolan_arena_alloc(&r->arena, w->n_paths, 1); /* time outside of it */

    if (!components || !tries)
        return NULL;
    memset(components, TOKEN_NO_COMPONENT, w->n_paths);
    for (size_t l = 0; l < r->n_rows; l++)
        for (size_t i = 0; i < r->trace->locations[l].n; i++) {
            size_t event = r->trace->locations[l].first + i;
            const struct token *t =
                components[w->path[event]] == TOKEN_NO_COMPONENT && tries[w->path[event]] < 100
                    ? tokens_find(r, l, event)
                    : NULL;

            tries[w->path[event]] += tries[w->path[event]] < 100;
            if (t)
                components[w->path[event]] = t->component;
        }
    return components;
}

/*
 * Finds delegated waiting. Between two points where ranks meet, components of several paradigms
 * run, and what the awaited rank did last need not be what it did too long. So delays by call path
 * (waits.h) say who caused the waiting, and waiting in one paradigm that another caused is
 * delegated (Li and Malony, IPDPS 2007, section 2.2).
 */
bool delays_delegate(struct recognition *r)
{
    const struct paradigm *p = r->paradigm;
    uint8_t *components = p->n_weaves ? components_of_paths(r) : NULL;

    if (!p->n_weaves)
        return true;
    r->caused = portolan_arena_alloc(&r->arena, p->n_components, sizeof *r->caused);
    r->delegated = portolan_arena_alloc(&r->arena, p->n_components, sizeof *r->delegated);
    for (size_t i = 0; !r->arena.failed && i < r->waits->n_delays; i++) {
        const struct portolan_delay *d = &r->waits->delays[i];
        size_t cause = d->path == UINT32_MAX ? TOKEN_NO_COMPONENT : components[d->path];
        size_t victim = components[d->waiting_path];
        int64_t ns = d->direct_ns + d->indirect_ns;

        if (cause == TOKEN_NO_COMPONENT)
            continue;
        r->caused[cause] += ns;
        if (victim != TOKEN_NO_COMPONENT &&
            strcmp(p->components[victim].item.context, p->components[cause].item.context) != 0)
            r->delegated[victim] += ns;
    }
    return !r->arena.failed;
}
