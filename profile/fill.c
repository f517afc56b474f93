/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples into nodes and cells: steps add up, call paths of all ranks and threads become one. */
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Positions by hash, + 1; 0 is empty. */
struct table {
    size_t *slots, n_slots, n;
};

/* Of a context while it is filled; the node holds the key that tells it from others. */
struct mean {
    double calls, sum[PORTOLAN_CONTEXT_MAX];
};

struct filling {
    struct portolan_profile *p;
    const struct portolan_sample_set *set;
    size_t node_capacity, cell_capacity, mean_capacity;
    struct mean *means; /* by node */
    struct table nodes, cells;
    int64_t *path_of; /* node of a sample */
};

typedef uint64_t (*hash_fn)(const struct filling *, size_t);

static bool reserve(void *array, size_t *capacity, size_t n, size_t size)
{
    void **p = array, *grown;
    size_t wanted = *capacity ? 2 * *capacity : 64;

    if (n < *capacity)
        return true;
    if (!(grown = portolan_reallocarray(*p, wanted, size)))
        return false;
    *p = grown;
    *capacity = wanted;
    return true;
}

static bool reserve_slot(struct table *t, hash_fn hash_of, const struct filling *f)
{
    size_t n_slots = t->n_slots ? 2 * t->n_slots : 1024;
    size_t *slots;

    if (2 * t->n < t->n_slots)
        return true;
    if (!(slots = portolan_calloc(n_slots, sizeof *slots)))
        return false;
    for (size_t i = 0; i < t->n; i++) {
        size_t at = hash_of(f, i) & (n_slots - 1);

        while (slots[at])
            at = (at + 1) & (n_slots - 1);
        slots[at] = i + 1;
    }
    free(t->slots);
    t->slots = slots;
    t->n_slots = n_slots;
    return true;
}

static uint64_t hash_text(const char *text, uint64_t seed)
{
    return portolan_hash(text, strlen(text) + 1, seed);
}

static uint64_t hash_node(const struct filling *f, size_t i)
{
    const struct portolan_profile_node *n = &f->p->nodes[i];
    uint64_t h = portolan_hash(&n->parent, sizeof n->parent, (uint64_t)n->is_context + 1);

    h = portolan_hash(n->context, (size_t)n->n_context * sizeof *n->context, h);
    h = hash_text(n->instance, hash_text(n->method, h));
    return hash_text(n->implementation, hash_text(n->user, hash_text(n->uses, h)));
}

static bool same_node(const struct portolan_profile_node *a, const struct portolan_profile_node *b)
{
    if (a->parent != b->parent || a->is_context != b->is_context || a->binned != b->binned ||
        a->n_context != b->n_context || !profile_same_method(a, b))
        return false;
    for (int k = 0; k < a->n_context; k++)
        if (a->context[k] != b->context[k])
            return false;
    return !strcmp(a->user, b->user) && !strcmp(a->uses, b->uses);
}

/* The node like WANTED, made where there is none; -1 without memory. */
static int64_t find_node(struct filling *f, const struct portolan_profile_node *wanted)
{
    struct portolan_profile *p = f->p;
    struct table *t = &f->nodes;
    size_t n = p->n_nodes, at;

    if (!reserve(&p->nodes, &f->node_capacity, n, sizeof *p->nodes) ||
        !reserve(&f->means, &f->mean_capacity, n, sizeof *f->means) ||
        !reserve_slot(t, hash_node, f))
        return -1;
    p->nodes[n] = *wanted;
    at = hash_node(f, n) & (t->n_slots - 1);
    for (; t->slots[at]; at = (at + 1) & (t->n_slots - 1))
        if (same_node(&p->nodes[t->slots[at] - 1], wanted))
            return (int64_t)t->slots[at] - 1;
    p->nodes[n].original = (int64_t)n;
    p->nodes[n].depth = wanted->parent < 0 ? 0 : p->nodes[wanted->parent].depth + 1;
    f->means[n] = (struct mean){0};
    t->slots[at] = ++t->n;
    return (int64_t)p->n_nodes++;
}

static uint64_t hash_cell(const struct filling *f, size_t i)
{
    const struct portolan_profile_cell *c = &f->p->cells[i];
    const uint64_t key[3] = {c->node, (uint64_t)c->rank, (uint64_t)c->thread};

    return portolan_hash(key, sizeof key, 0);
}

static struct portolan_profile_cell *find_cell(struct filling *f, size_t node,
                                               const struct portolan_sample *s)
{
    struct portolan_profile *p = f->p;
    struct table *t = &f->cells;
    struct portolan_profile_cell *c;
    size_t at;

    if (!reserve(&p->cells, &f->cell_capacity, p->n_cells, sizeof *p->cells) ||
        !reserve_slot(t, hash_cell, f))
        return NULL;
    c = &p->cells[p->n_cells];
    *c = (struct portolan_profile_cell){.node = node, .rank = s->rank, .thread = s->thread};
    at = hash_cell(f, p->n_cells) & (t->n_slots - 1);
    for (; t->slots[at]; at = (at + 1) & (t->n_slots - 1)) {
        struct portolan_profile_cell *seen = &p->cells[t->slots[at] - 1];

        if (seen->node == node && seen->rank == s->rank && seen->thread == s->thread)
            return seen;
    }
    if (p->n_counters &&
        !(c->counters = portolan_arena_alloc(profile_arena(p), p->n_counters, sizeof(double))))
        return NULL;
    t->slots[at] = ++t->n;
    p->n_cells++;
    return c;
}

static size_t find_counter(const struct portolan_profile *p, const char *name)
{
    size_t i = 0;

    while (i < p->n_counters && strcmp(p->counter_names[i], name) != 0)
        i++;
    return i;
}

static bool add_to_cell(struct filling *f, int64_t node, const struct portolan_sample *s)
{
    struct portolan_profile_cell *c = node < 0 ? NULL : find_cell(f, (size_t)node, s);

    if (!c)
        return false;
    if (s->timed_calls > 0) {
        c->min_ns = c->timed_calls == 0 || s->min_ns < c->min_ns ? s->min_ns : c->min_ns;
        c->max_ns = s->max_ns > c->max_ns ? s->max_ns : c->max_ns;
    }
    c->calls += (double)s->calls;
    c->timed_calls += (double)s->timed_calls;
    c->subroutines += (double)s->subroutines;
    c->inclusive_ns += s->inclusive_ns;
    c->exclusive_ns += s->exclusive_ns;
    c->mpi_ns += s->mpi_ns;
    c->sum_squares_ns2 += s->sum_squares_ns2;
    for (int i = 0; i < s->n_counters; i++)
        ((double *)c->counters)[find_counter(f->p, s->counter_name[i])] += s->counter[i];
    return true;
}

static bool collect_counters(struct filling *f)
{
    struct portolan_profile *p = f->p;
    const char **names = NULL;

    for (size_t i = 0; i < f->set->n_samples; i++)
        for (int k = 0; k < f->set->samples[i].n_counters; k++) {
            const char *name = f->set->samples[i].counter_name[k];

            if (find_counter(p, name) < p->n_counters)
                continue;
            names = portolan_arena_grow(profile_arena(p), names, p->n_counters, sizeof *names);
            if (!names)
                return false;
            names[p->n_counters++] = name;
            p->counter_names = names;
        }
    return true;
}

double profile_context_key(double x, bool binned)
{
    if (!binned || x == 0 || !isfinite(x))
        return x;
    return copysign(1e4 + floor(4 * log2(fabs(x))), x);
}

static bool add_context(struct filling *f, int64_t path, struct portolan_profile_node wanted,
                        const struct portolan_sample *s)
{
    int64_t node;

    wanted.parent = path;
    wanted.is_context = true;
    wanted.n_context = s->n_context;
    wanted.binned = s->binned;
    for (int k = 0; k < s->n_context; k++) {
        wanted.context_name[k] = s->context_name[k];
        wanted.context[k] = profile_context_key(s->context[k], s->binned);
    }
    node = find_node(f, &wanted);
    if (node < 0)
        return false;
    f->means[node].calls += (double)s->calls;
    for (int k = 0; k < s->n_context; k++)
        f->means[node].sum[k] += s->context[k] * (double)s->calls;
    return add_to_cell(f, node, s);
}

static bool add_sample(struct filling *f, size_t i, bool contexts)
{
    const struct portolan_sample *s = &f->set->samples[i];
    const struct portolan_profile_node wanted = {
        .parent = s->parent < 0 ? -1 : f->path_of[s->parent],
        .user = s->user,
        .uses = s->uses,
        .instance = s->instance,
        .port = s->port,
        .implementation = s->implementation,
        .port_type = s->port_type,
        .method = s->method,
    };
    int64_t path = find_node(f, &wanted);

    f->path_of[i] = path;
    return path >= 0 && add_to_cell(f, path, s) &&
           (!contexts || s->n_context == 0 || add_context(f, path, wanted, s));
}

static void set_contexts(struct filling *f)
{
    for (size_t i = 0; i < f->p->n_nodes; i++) {
        struct portolan_profile_node *n = &f->p->nodes[i];

        for (int k = 0; n->binned && f->means[i].calls > 0 && k < n->n_context; k++)
            n->context[k] = f->means[i].sum[k] / f->means[i].calls;
    }
}

enum portolan_status profile_fill(struct portolan_profile *p, const struct portolan_sample_set *set,
                                  bool contexts, struct portolan_error *err)
{
    struct filling f = {.p = p, .set = set};
    bool good;

    f.path_of = portolan_calloc(set->n_samples + 1, sizeof *f.path_of);
    good = f.path_of && collect_counters(&f);
    for (size_t i = 0; good && i < set->n_samples; i++)
        good = add_sample(&f, i, contexts);
    if (good)
        set_contexts(&f);
    free(f.path_of);
    free(f.means);
    free(f.nodes.slots);
    free(f.cells.slots);
    if (!good)
        return profile_no_memory(err);
    profile_sort_cells(p);
    return profile_count_ranks(p, err);
}
