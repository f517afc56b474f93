/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples into nodes and cells: steps add up, call paths of all ranks and threads become one. */
#include "internal.h"

#include <portolan/index.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of a context while it is filled; the node holds the key that tells it from others. */
struct mean {
    double calls, sum[PORTOLAN_CONTEXT_MAX];
};

struct profile_filling {
    struct portolan_profile *p;
    const struct portolan_sample_set *set; /* at hand */
    bool contexts;
    size_t node_capacity, cell_capacity, mean_capacity;
    struct mean *means; /* by node */
    struct portolan_index nodes, cells;
    int64_t *path_of; /* node of a sample */
};

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

static uint64_t hash_text(const char *text, uint64_t seed)
{
    return portolan_hash(text, strlen(text) + 1, seed);
}

static uint64_t hash_node(const struct portolan_profile_node *n)
{
    uint64_t h = portolan_hash(&n->parent, sizeof n->parent, (uint64_t)n->is_context + 1);

    h = portolan_hash(n->context, (size_t)n->n_context * sizeof *n->context, h);
    h = hash_text(n->instance, hash_text(n->method, h));
    return hash_text(n->implementation, hash_text(n->user, hash_text(n->uses, h)));
}

/* Is the node at I like the one behind the last? */
static bool same_node(const void *filling, size_t i)
{
    const struct portolan_profile *p = ((const struct profile_filling *)filling)->p;
    const struct portolan_profile_node *a = &p->nodes[i], *b = &p->nodes[p->n_nodes];

    if (a->parent != b->parent || a->is_context != b->is_context || a->binned != b->binned ||
        a->n_context != b->n_context || !profile_same_method(a, b))
        return false;
    for (int c = 0; c < a->n_context; c++)
        if (a->context[c] != b->context[c])
            return false;
    return !strcmp(a->user, b->user) && !strcmp(a->uses, b->uses);
}

static bool own(struct portolan_arena *arena, const char **text)
{
    *text = portolan_arena_strdup(arena, *text);
    return *text != NULL;
}

/* The samples go, the nodes stay. */
static bool own_names(struct profile_filling *f, struct portolan_profile_node *n)
{
    struct portolan_arena *arena = profile_arena(f->p);

    for (int i = 0; i < n->n_context; i++)
        if (!own(arena, &n->context_name[i]))
            return false;
    return own(arena, &n->user) && own(arena, &n->uses) && own(arena, &n->instance) &&
           own(arena, &n->port) && own(arena, &n->implementation) && own(arena, &n->port_type) &&
           own(arena, &n->method);
}

/* The node like WANTED, made where there is none; -1 without memory. */
static int64_t find_node(struct profile_filling *f, const struct portolan_profile_node *wanted)
{
    struct portolan_profile *p = f->p;
    size_t n = p->n_nodes, at;

    if (!reserve(&p->nodes, &f->node_capacity, n, sizeof *p->nodes) ||
        !reserve(&f->means, &f->mean_capacity, n, sizeof *f->means))
        return -1;
    p->nodes[n] = *wanted;
    p->nodes[n].original = (int64_t)n;
    p->nodes[n].depth = wanted->parent < 0 ? 0 : p->nodes[wanted->parent].depth + 1;
    f->means[n] = (struct mean){0};
    if (!portolan_index_put(&f->nodes, hash_node(&p->nodes[n]), n, same_node, f, &at))
        return -1;
    if (at == n && !own_names(f, &p->nodes[n]))
        return -1;
    p->n_nodes += at == n;
    return (int64_t)at;
}

static uint64_t hash_cell(const struct portolan_profile_cell *c)
{
    const uint64_t key[3] = {c->node, (uint64_t)c->rank, (uint64_t)c->thread};

    return portolan_hash(key, sizeof key, 0);
}

static bool same_cell(const void *filling, size_t i)
{
    const struct portolan_profile *p = ((const struct profile_filling *)filling)->p;

    return profile_compare_cells(&p->cells[i], &p->cells[p->n_cells]) == 0;
}

static struct portolan_profile_cell *find_cell(struct profile_filling *f, size_t node,
                                               const struct portolan_sample *s)
{
    struct portolan_profile *p = f->p;
    size_t n = p->n_cells, at;

    if (!reserve(&p->cells, &f->cell_capacity, n, sizeof *p->cells))
        return NULL;
    p->cells[n] =
        (struct portolan_profile_cell){.node = node, .rank = s->rank, .thread = s->thread};
    if (!portolan_index_put(&f->cells, hash_cell(&p->cells[n]), n, same_cell, f, &at))
        return NULL;
    if (at == n && p->n_counters &&
        !(p->cells[n].counters =
              portolan_arena_alloc(profile_arena(p), p->n_counters, sizeof(double))))
        return NULL;
    p->n_cells += at == n;
    return &p->cells[at];
}

static bool add_to_cell(struct profile_filling *f, int64_t node, const struct portolan_sample *s)
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
    for (int i = 0; i < s->n_counters; i++) {
        size_t k = profile_find_counter(f->p, s->counter_name[i]);

        if (k == f->p->n_counters)
            continue;
        f->p->nodes[node].counted |= UINT32_C(1) << k;
        ((double *)c->counters)[k] += s->counter[i];
    }
    return true;
}

/* Cells that are there have no room for a counter that comes later: they get a larger one. */
static bool widen_cells(struct portolan_profile *p)
{
    for (size_t i = 0; i < p->n_cells; i++) {
        double *grown = portolan_arena_alloc(profile_arena(p), p->n_counters, sizeof *grown);

        if (!grown)
            return false;
        if (p->n_counters > 1)
            memcpy(grown, p->cells[i].counters, (p->n_counters - 1) * sizeof *grown);
        p->cells[i].counters = grown;
    }
    return true;
}

static bool collect_counters(struct profile_filling *f)
{
    for (size_t i = 0; i < f->set->n_samples; i++)
        for (int k = 0; k < f->set->samples[i].n_counters; k++) {
            size_t before = f->p->n_counters;

            if (!profile_note_counter(f->p, f->set->samples[i].counter_name[k]) ||
                (f->p->n_counters > before && !widen_cells(f->p)))
                return false;
        }
    return true;
}

double profile_context_key(double x, bool binned)
{
    if (!binned || x == 0 || !isfinite(x))
        return x;
    return copysign(1e4 + floor(4 * log2(fabs(x))), x);
}

static bool add_context(struct profile_filling *f, int64_t path,
                        struct portolan_profile_node wanted, const struct portolan_sample *s)
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

static bool add_sample(struct profile_filling *f, size_t i)
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
           (!f->contexts || s->n_context == 0 || add_context(f, path, wanted, s));
}

static void set_contexts(struct profile_filling *f)
{
    for (size_t i = 0; i < f->p->n_nodes; i++) {
        struct portolan_profile_node *n = &f->p->nodes[i];

        for (int k = 0; n->binned && f->means[i].calls > 0 && k < n->n_context; k++)
            n->context[k] = f->means[i].sum[k] / f->means[i].calls;
    }
}

enum portolan_status profile_fill_begin(struct portolan_profile *p, bool contexts,
                                        struct profile_filling **filling,
                                        struct portolan_error *err)
{
    struct profile_filling *f = portolan_calloc(1, sizeof *f);

    if (!f)
        return portolan_no_memory(err);
    f->p = p;
    f->contexts = contexts;
    *filling = f;
    return PORTOLAN_OK;
}

enum portolan_status profile_fill_add(struct profile_filling *f,
                                      const struct portolan_sample_set *set,
                                      struct portolan_error *err)
{
    bool good;

    f->set = set;
    f->path_of = portolan_calloc(set->n_samples + 1, sizeof *f->path_of);
    good = f->path_of && collect_counters(f);
    for (size_t i = 0; good && i < set->n_samples; i++)
        good = add_sample(f, i);
    free(f->path_of);
    f->path_of = NULL;
    return good ? PORTOLAN_OK : portolan_no_memory(err);
}

enum portolan_status profile_fill_end(struct profile_filling *f, struct portolan_error *err)
{
    set_contexts(f);
    profile_sort_cells(f->p);
    return profile_count_ranks(f->p, err);
}

void profile_fill_destroy(struct profile_filling *f)
{
    if (!f)
        return;
    free(f->means);
    portolan_index_clear(&f->nodes);
    portolan_index_clear(&f->cells);
    free(f);
}
