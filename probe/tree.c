/* SPDX-License-Identifier: BSD-3-Clause */
/* The call-path tree of a thread: nodes, their look-up tables, and the bound on their number. */
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_NODES 32
#define FIRST_TABLE 32

struct probe_chunk {
    struct probe_chunk *next;
    unsigned used;
    struct portolan_probe_node *nodes; /* inside this block, on a cache line */
};

/* How many records a (parent, method) has already made. */
struct portolan_probe_family {
    struct portolan_probe_family *next;
    uint32_t method, exact, bins;
};

/* The node in empty places, and the table with which every node begins, so that look-up needs no
 * test. */
static struct portolan_probe_node nothing = {.method = PORTOLAN_PROBE_NO_METHOD};
static struct portolan_probe_node *no_children[2] = {&nothing, &nothing};

static struct portolan_probe_node *node_create(struct probe_thread *t)
{
    struct probe_chunk *c = t->chunks;
    struct portolan_probe_node *node;

    if (!c || c->used == CHUNK_NODES) {
        c = portolan_calloc(1, sizeof *c + CHUNK_NODES * sizeof *node + 64);
        if (!c)
            return NULL;
        c->nodes = (struct portolan_probe_node *)(((uintptr_t)(c + 1) + 63) & ~(uintptr_t)63);
        c->next = t->chunks;
        t->chunks = c;
    }
    node = &c->nodes[c->used++];
    node->table = no_children;
    node->mask = 1;
    node->min = UINT64_MAX;
    node->quality = NAN;
    return node;
}

/* Makes NODE visible to readers of other threads; its key and parent are final. */
static void node_publish(struct probe_thread *t, struct portolan_probe_node *node)
{
    node->id = t->n_nodes++;
    if (t->last)
        __atomic_store_n(&t->last->next, node, __ATOMIC_RELEASE);
    t->last = node;
}

enum portolan_status probe_tree_init(struct probe_thread *t)
{
    t->root = node_create(t);
    t->other = t->root ? node_create(t) : NULL;
    if (!t->other)
        return PORTOLAN_ENOMEM;
    t->root->method = PORTOLAN_PROBE_HANDLE_ROOT;
    node_publish(t, t->root);
    t->other->method = PORTOLAN_PROBE_HANDLE_OTHER;
    t->other->parent = t->root; /* published when first needed */
    return PORTOLAN_OK;
}

static void families_free(struct portolan_probe_node *node)
{
    while (node->families) {
        struct portolan_probe_family *next = node->families->next;

        free(node->families);
        node->families = next;
    }
}

void probe_tree_free(struct probe_thread *t)
{
    while (t->chunks) {
        struct probe_chunk *c = t->chunks;

        for (unsigned i = 0; i < c->used; i++) {
            families_free(&c->nodes[i]);
            free(c->nodes[i].carry);
            free(c->nodes[i].counters);
            if (c->nodes[i].table != no_children)
                free(c->nodes[i].table);
        }
        t->chunks = c->next;
        free(c);
    }
}

/* Contexts that a method does not have are 0 in its keys, so all four may always be hashed. */
static void table_put(struct portolan_probe_node *parent, struct portolan_probe_node *child)
{
    int64_t keys[PORTOLAN_PROBE_CONTEXTS];
    uint64_t i;

    for (unsigned k = 0; k < PORTOLAN_PROBE_CONTEXTS; k++)
        keys[k] = probe_node_key(child, k);
    i = portolan_probe_hash(child->method, keys, PORTOLAN_PROBE_CONTEXTS);
    while (parent->table[i & parent->mask] != &nothing)
        i++;
    parent->table[i & parent->mask] = child;
}

/* Room for one more child at a load of 1/4; a fuller table will do when memory is out. */
static bool table_reserve(struct portolan_probe_node *parent)
{
    struct portolan_probe_node **old = parent->table, **fresh;
    size_t old_size = old == no_children ? 0 : (size_t)parent->mask + 1;
    size_t size = old_size ? 2 * old_size : FIRST_TABLE;

    if ((parent->children + 1) * (size_t)4 <= old_size)
        return true;
    fresh = portolan_calloc(size, sizeof *fresh);
    if (!fresh)
        return parent->children + 1 < old_size;
    parent->table = fresh;
    parent->mask = (uint32_t)(size - 1);
    for (size_t i = 0; i < size; i++)
        fresh[i] = &nothing;
    for (size_t i = 0; i < old_size; i++)
        if (old[i] != &nothing)
            table_put(parent, old[i]);
    if (old_size)
        free(old);
    return true;
}

static struct portolan_probe_node *other_paths(struct probe_thread *t)
{
    if (!t->other->id)
        node_publish(t, t->other);
    return t->other;
}

/* Returns whether the contexts must be added up since keys do not give them: bins, real values, and
 * those noted at the end. */
static bool needs_moments(uint32_t method, unsigned n)
{
    const struct portolan_probe_method_info *info =
        portolan_probe_method_peek(method & PROBE_HANDLE_MASK);

    return method & (PROBE_BIN | PROBE_REST) ||
           (info && (info->method.real_contexts || info->method.n_context != n));
}

static struct portolan_probe_node *add_child(struct probe_thread *t,
                                             struct portolan_probe_node *parent, uint32_t method,
                                             const int64_t *keys, unsigned n)
{
    struct portolan_probe_node *node;

    if (t->n_nodes >= PORTOLAN_PROBE_NODES || !table_reserve(parent) || !(node = node_create(t)))
        return other_paths(t);
    node->method = method;
    node->has_moments = needs_moments(method, n);
    node->parent = parent;
    if (n)
        node->key0 = keys[0];
    for (unsigned i = 1; i < n; i++)
        node->key_more[i - 1] = keys[i];
    table_put(parent, node);
    parent->children++;
    node_publish(t, node);
    return node;
}

static void get_bins(int64_t *bins, const double *x, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        bins[i] = portolan_probe_bin(x[i]);
}

static struct portolan_probe_family *family_of(struct portolan_probe_node *parent, uint32_t method)
{
    struct portolan_probe_family *family = parent->families;

    while (family && family->method != method)
        family = family->next;
    if (!family && (family = portolan_calloc(1, sizeof *family))) {
        family->method = method;
        family->next = parent->families;
        parent->families = family;
    }
    return family;
}

struct portolan_probe_node *portolan_probe_slow_find(const struct portolan_probe_node *parent,
                                                     uint32_t method, const double *x, unsigned n)
{
    static const int64_t zeros[PORTOLAN_PROBE_CONTEXTS];
    int64_t bins[PORTOLAN_PROBE_CONTEXTS];
    struct portolan_probe_node *node;

    get_bins(bins, x, n);
    node = portolan_probe_find(parent, method | PROBE_BIN, bins, n);
    return node ? node : portolan_probe_find(parent, method | PROBE_REST, zeros, n);
}

struct portolan_probe_node *probe_child(struct probe_thread *t, struct portolan_probe_node *parent,
                                        uint32_t method, const int64_t *keys, const double *x,
                                        unsigned n)
{
    static const int64_t zeros[PORTOLAN_PROBE_CONTEXTS];
    int64_t bins[PORTOLAN_PROBE_CONTEXTS];
    struct portolan_probe_node *node;
    struct portolan_probe_family *family;

    if (parent == t->other)
        return parent;
    if (n == 0)
        return add_child(t, parent, method, keys, 0);
    node = portolan_probe_slow_find(parent, method, x, n);
    if (node)
        return node;

    family = family_of(parent, method);
    if (!family)
        return other_paths(t);
    if (family->exact < PORTOLAN_PROBE_EXACT) {
        family->exact++;
        return add_child(t, parent, method, keys, n);
    }
    if (family->bins < PORTOLAN_PROBE_BINS) {
        family->bins++;
        get_bins(bins, x, n);
        return add_child(t, parent, method | PROBE_BIN, bins, n);
    }
    return add_child(t, parent, method | PROBE_REST, zeros, n);
}
