/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the superstep and the group of every item. Processors of a group divide it in the same
 * order, so a group is identified by its parent and the number of divisions before it.
 */
#include "internal.h"

#include <math.h>
#include <stdlib.h>

struct group {
    size_t parent, depth;
    size_t first, n;    /* its processors, among all */
    size_t n_divisions; /* how often it was divided … */
    size_t *divisions;  /* … and the first group of each division; its parts are consecutive */
    size_t n_steps;
    size_t *steps; /* indices in supersteps */
};

/* The position of a processor in one of its groups. */
struct place {
    size_t group, pid, step, divisions;
};

struct layout {
    struct portolan_obsp_trace *t;
    struct portolan_diagnostics *d;
    size_t n_groups;
    struct group *groups;
    size_t n_places;
    struct place *places; /* of the current processor, from all processors to the innermost group */
    size_t processor;
};

static void *add_to(struct layout *l, void *items, size_t *n, const void *item, size_t size)
{
    return portolan_arena_append(&l->t->arena, items, n, item, size);
}

static bool add_group(struct layout *l, size_t parent, size_t depth, size_t first, size_t n)
{
    const struct group g = {.parent = parent, .depth = depth, .first = first, .n = n};

    return add_to(l, &l->groups, &l->n_groups, &g, sizeof g);
}

static struct superstep *add_superstep(struct layout *l, size_t group, size_t number)
{
    struct portolan_obsp_trace *t = l->t;
    struct portolan_arena *a = &t->arena;
    size_t n = l->groups[group].n;
    const struct superstep s = {
        .group = group,
        .number = number,
        .depth = l->groups[group].depth,
        .n = n,
        .first = portolan_arena_alloc(a, n + 1, sizeof *s.first),
        .in = portolan_arena_alloc(a, n, sizeof *s.in),
        .out = portolan_arena_alloc(a, n, sizeof *s.out),
        .is_there = portolan_arena_alloc(a, n, sizeof *s.is_there),
        .awaited = portolan_arena_alloc(a, n, sizeof *s.awaited),
        .at = portolan_arena_alloc(a, n, sizeof *s.at),
        .first_member = t->n_members,
    };

    t->n_members += n;
    return a->failed ? NULL : add_to(l, &t->supersteps, &t->n_supersteps, &s, sizeof s);
}

/* The superstep that the processor is in; NULL when memory is out. */
static struct superstep *current(struct layout *l)
{
    const struct place *p = &l->places[l->n_places - 1];
    struct group *g = &l->groups[p->group];

    if (p->step == g->n_steps) {
        const size_t made = l->t->n_supersteps;

        if (!add_superstep(l, p->group, p->step + 1) ||
            !add_to(l, &g->steps, &g->n_steps, &made, sizeof made))
            return NULL;
    }
    return &l->t->supersteps[g->steps[p->step]];
}

static void problem(struct layout *l, const char *text)
{
    portolan_diagnose(l->d, l->t->file, 1, 0, "processor %zu %s", l->processor, text);
}

static bool transfer(struct layout *l, struct item *x)
{
    struct superstep *s = current(l);
    size_t pid = l->places[l->n_places - 1].pid, from = x->kind == ITEM_SEND ? pid : x->other;
    size_t to = x->kind == ITEM_SEND ? x->other : pid;

    if (!s)
        return false;
    if (x->other >= s->n) {
        portolan_diagnose(l->d, l->t->file, 1, 0,
                          "processor %zu names processor %zu of a group that has %zu, from 0",
                          l->processor, x->other, s->n);
        return true;
    }
    s->out[from] += x->bytes;
    s->in[to] += x->bytes;
    return add_to(l, &s->messages, &s->n_messages,
                  &(struct message){from, to, x->bytes, x->kind == ITEM_SEND}, sizeof *s->messages);
}

static bool end_superstep(struct layout *l, struct item *x)
{
    struct place *p = &l->places[l->n_places - 1];
    struct superstep *s = current(l);

    if (!s)
        return false;
    s->is_there[p->pid] = true;
    s->awaited[p->pid] = x->awaited;
    s->at[p->pid] = x->at;
    x->superstep = (size_t)(s - l->t->supersteps);
    x->pid = p->pid;
    p->step++;
    return true;
}

/* The first of the parts; the first processor that gets here makes them. */
static size_t parts_of(struct layout *l, const struct item *x, size_t division)
{
    const struct place *p = &l->places[l->n_places - 1];
    const double *bounds = &l->t->values[x->values];
    size_t made = l->n_groups, parent = p->group;
    struct group *g = &l->groups[parent];

    if (division < g->n_divisions) {
        made = g->divisions[division];
        for (size_t i = 0; i < x->n_parts; i++)
            if (made + i >= l->n_groups || l->groups[made + i].parent != parent ||
                (double)(l->groups[made + i].first + l->groups[made + i].n - g->first) !=
                    bounds[i]) {
                problem(l, "divides its group at other bounds than another processor does");
                return NONE;
            }
        return made;
    }
    if (!add_to(l, &g->divisions, &g->n_divisions, &made, sizeof made))
        return NONE;
    for (size_t i = 0; i < x->n_parts; i++) {
        size_t low = i ? (size_t)bounds[i - 1] : 0;

        g = &l->groups[parent];
        if (!add_group(l, parent, g->depth + 1, g->first + low, (size_t)bounds[i] - low))
            return NONE;
    }
    return made;
}

static bool divide(struct layout *l, const struct item *x)
{
    struct place *p = &l->places[l->n_places - 1];
    const struct group *g = &l->groups[p->group];
    const double *bounds = x->n_parts ? &l->t->values[x->values] : NULL;
    size_t part = 0, made;
    bool is_good = x->n_parts > 0 && bounds[x->n_parts - 1] == (double)g->n;

    for (size_t i = 0; i < x->n_parts; i++)
        if (bounds[i] <= (i ? bounds[i - 1] : 0))
            is_good = false;
    if (!is_good) {
        problem(l, "divides its group at bounds that do not increase up to its size");
        return false;
    }
    made = parts_of(l, x, p->divisions++);
    if (made == NONE)
        return false;
    while (bounds[part] <= (double)p->pid)
        part++;
    return add_to(l, &l->places, &l->n_places,
                  &(struct place){.group = made + part,
                                  .pid = p->pid - (part ? (size_t)bounds[part - 1] : 0)},
                  sizeof *p);
}

static bool look_at(struct layout *l, struct item *x)
{
    switch (x->kind) {
    case ITEM_SEND:
    case ITEM_GET:
        return transfer(l, x);
    case ITEM_SYNC:
        return end_superstep(l, x);
    case ITEM_PARTITION:
        return divide(l, x);
    case ITEM_DONE:
        if (l->n_places == 1) {
            problem(l, "is done with a group that no partition made");
            return false;
        }
        l->n_places--;
        return true;
    default:
        return true;
    }
}

static int by_receiver(const void *a, const void *b)
{
    const struct message *x = a, *y = b;

    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

/* Checks one processor's end of a superstep. */
static void check_end(struct layout *l, const struct superstep *s, size_t pid)
{
    size_t who = l->groups[s->group].first + pid;
    long sent = 0;

    if (s->awaited[pid] < 0) {
        for (size_t i = 0; i < s->n; i++)
            if (!s->is_there[i]) {
                portolan_diagnose(l->d, l->t->file, 1, 0,
                                  "processor %zu comes to the barrier of superstep %zu of its "
                                  "group, processor %zu never does",
                                  who, s->number, l->groups[s->group].first + i);
                return;
            }
        return;
    }
    for (size_t i = s->first[pid]; i < s->first[pid + 1]; i++) {
        sent += s->messages[i].awaited;
        if (!s->is_there[s->messages[i].from])
            portolan_diagnose(l->d, l->t->file, 1, 0,
                              "processor %zu gets a message from one that never ends superstep %zu",
                              who, s->number);
    }
    if (sent != s->awaited[pid])
        portolan_diagnose(l->d, l->t->file, 1, 0,
                          "processor %zu awaits %ld messages in superstep %zu of its group, and "
                          "%ld are sent to it",
                          who, s->awaited[pid], s->number, sent);
}

static void check_superstep(struct layout *l, struct superstep *s)
{
    size_t next = 0;

    if (s->n_messages)
        qsort(s->messages, s->n_messages, sizeof *s->messages, by_receiver);
    for (size_t to = 0; to <= s->n; to++) {
        while (next < s->n_messages && s->messages[next].to < to)
            next++;
        s->first[to] = next;
    }
    for (size_t i = 0; i < s->n; i++)
        if (s->is_there[i])
            check_end(l, s, i);
}

enum portolan_status layout_make(struct portolan_obsp_trace *t, struct portolan_diagnostics *d,
                                 struct portolan_error *err)
{
    struct layout l = {.t = t, .d = d};

    if (!add_to(&l, &l.places, &l.n_places, &(struct place){0}, sizeof *l.places) ||
        !add_group(&l, NONE, 0, 0, t->n_processors))
        return portolan_no_memory(err);
    for (size_t p = 0; p < t->n_processors; p++) {
        l.processor = p;
        l.n_places = 1;
        l.places[0] = (struct place){.pid = p};
        for (size_t i = 0; i < t->processors[p].n_items; i++)
            if (!look_at(&l, &t->processors[p].items[i]))
                return t->arena.failed ? portolan_no_memory(err) : PORTOLAN_ESYNTAX;
    }
    for (size_t i = 0; i < t->n_supersteps; i++)
        check_superstep(&l, &t->supersteps[i]);
    return PORTOLAN_OK;
}

void layout_visit(const struct superstep *s, size_t pid, void (*visit)(void *arg, size_t member),
                  void *arg)
{
    if (s->awaited[pid] < 0) {
        for (size_t i = 0; i < s->n; i++)
            visit(arg, i);
        return;
    }
    visit(arg, pid);
    for (size_t i = s->first[pid]; i < s->first[pid + 1]; i++) {
        size_t from = s->messages[i].from;

        if (from != pid && (i == s->first[pid] || s->messages[i - 1].from != from))
            visit(arg, from);
    }
}

struct bytes {
    const struct superstep *s;
    enum portolan_obsp_combine combine;
    double most;
};

static void see_bytes(void *arg, size_t member)
{
    struct bytes *b = arg;
    double in = b->s->in[member], out = b->s->out[member];

    b->most = fmax(b->most, b->combine == PORTOLAN_OBSP_SUM ? in + out : fmax(in, out));
}

double layout_bytes(const struct superstep *s, size_t pid, enum portolan_obsp_combine combine)
{
    struct bytes b = {s, combine, 0};

    layout_visit(s, pid, see_bytes, &b);
    return b.most;
}
