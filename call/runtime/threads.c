/* SPDX-License-Identifier: BSD-3-Clause */
/* The data of each thread: its stack, its call paths and their rows. */
#include "internal.h"

#include <stdlib.h>

__thread struct cll_thread *cll_thread;

struct cll_thread *cll_threads;
static pthread_key_t key;
static pthread_once_t key_made = PTHREAD_ONCE_INIT;
static bool has_key;

/* The samples of a thread that ends stay; another thread continues its tree. */
static void leave(void *thread)
{
    struct cll_thread *t = thread;

    pthread_mutex_lock(&cll_lock);
    t->depth = t->n_values = 0;
    t->is_used = false;
    pthread_mutex_unlock(&cll_lock);
    cll_thread = NULL;
}

static void make_key(void)
{
    has_key = pthread_key_create(&key, leave) == 0;
}

struct cll_thread *cll_thread_create(void)
{
    struct cll_thread *t = portolan_calloc(1, sizeof *t);

    if (!t || !(t->root = t->newest = portolan_calloc(1, sizeof *t->root))) {
        free(t);
        return NULL;
    }
    t->n_nodes = 1;
    return t;
}

void cll_thread_destroy(struct cll_thread *t)
{
    for (struct cll_node *node = t->root, *next; node; node = next) {
        next = node->next;
        for (struct cll_chunk *c = node->first, *after; c; c = after) {
            after = c->next;
            free(c);
        }
        free(node);
    }
    free(t->frames);
    free(t->readings);
    free(t->values);
    free(t);
}

/* Adds a thread; under the lock. */
static struct cll_thread *add_thread(void)
{
    struct cll_thread *t = cll_thread_create();

    if (t) {
        t->number = cll_threads ? cll_threads->number + 1 : 0;
        t->next = cll_threads;
        cll_threads = t;
    }
    return t;
}

struct cll_thread *cll_thread_make(void)
{
    struct cll_thread *t;

    if (cll_thread)
        return cll_thread;
    pthread_once(&key_made, make_key);
    pthread_mutex_lock(&cll_lock);
    t = cll_threads;
    while (t && t->is_used)
        t = t->next;
    if (!t)
        t = add_thread();
    if (t)
        t->is_used = true;
    pthread_mutex_unlock(&cll_lock);
    if (t && has_key)
        pthread_setspecific(key, t);
    return cll_thread = t;
}

/* ------------------------------------------------------------------ stacks */

static size_t more_room(size_t room)
{
    return room ? 2 * room : 64;
}

static bool grow_frames(struct cll_thread *t)
{
    size_t room = more_room(t->room);
    struct cll_frame *frames = portolan_reallocarray(t->frames, room, sizeof *frames);
    struct cll_reading *readings;

    if (!frames)
        return false;
    t->frames = frames;
    readings = portolan_reallocarray(t->readings, room, sizeof *readings);
    if (!readings)
        return false;
    t->readings = readings;
    t->room = room;
    return true;
}

bool cll_thread_grow(struct cll_thread *t, size_t n_values)
{
    if (t->depth == t->room && !grow_frames(t))
        return false;
    while (t->n_values + n_values > t->values_room) {
        size_t room = more_room(t->values_room);
        double *values = portolan_reallocarray(t->values, room, sizeof *values);

        if (!values)
            return false;
        t->values = values;
        t->values_room = room;
    }
    return true;
}

/* ------------------------------------------------------------------ call paths */

static struct cll_node *find_child(struct cll_node *parent,
                                   const struct portolan_cll_experiment *experiment)
{
    struct cll_node *node = parent->child;

    while (node && node->experiment != experiment)
        node = node->sibling;
    return node;
}

static struct cll_node *add_child(struct cll_thread *t, struct cll_node *parent,
                                  struct portolan_cll_experiment *experiment)
{
    struct cll_node *node = portolan_calloc(1, sizeof *node);

    if (!node)
        return NULL;
    node->experiment = experiment;
    node->state = experiment->state;
    node->parent = parent;
    node->sibling = parent->child;
    parent->child = node;
    t->n_nodes++;
    __atomic_store_n(&t->newest->next, node, __ATOMIC_RELEASE);
    t->newest = node;
    return node;
}

struct cll_node *cll_node_child(struct cll_thread *t, struct cll_node *parent,
                                struct portolan_cll_experiment *experiment)
{
    struct cll_node *node = find_child(parent, experiment);

    if (!node && t->n_nodes >= CLL_MAX_NODES && parent != t->root) {
        parent = t->root;
        node = find_child(parent, experiment);
    }
    if (!node)
        node = add_child(t, parent, experiment);
    parent->recent = node;
    return node;
}

/* ------------------------------------------------------------------ rows */

/* Chunks double up to this size. */
#define CHUNK_BYTES ((size_t)1 << 20)
/* Before a chunk of this size or more, check the memory of the machine; MiB that must stay free. */
#define ASK_BYTES   ((size_t)1 << 18)
#define HEADROOM_MB 32.0

static size_t chunk_rows(const struct cll_node *node)
{
    size_t width = node->state->width * sizeof(double), most = CHUNK_BYTES / width;
    size_t rows = node->last ? 2 * node->last->room : 16;

    most = most < 16 ? 16 : most;
    return rows < most ? rows : most;
}

/* CLL_MEMORY: limit for rows in MiB; no limit if it is not a number above 0. */
static size_t limit_bytes(void)
{
    static size_t limit; /* 0: not read yet */
    size_t known = __atomic_load_n(&limit, __ATOMIC_RELAXED);
    const char *text = getenv("CLL_MEMORY");
    double mib;
    bool is_good;

    if (known)
        return known;
    known = SIZE_MAX;
    is_good = portolan_read_double(text, &mib) && mib > 0 && mib < 1e12;
    if (is_good)
        known = (size_t)(mib * 1048576) + 1;
    if (!__atomic_exchange_n(&limit, known, __ATOMIC_RELAXED) && text && *text && !is_good)
        cll_warn("CLL_MEMORY is '%s'; it would be a number of MiB: there is no bound", text);
    return known;
}

static bool is_room(size_t bytes)
{
    size_t limit = limit_bytes(), used = cll_bytes_used(0);

    if (used >= limit || bytes > limit - used)
        return false;
    return bytes < ASK_BYTES || portolan_probe_headroom_mb() >= HEADROOM_MB;
}

size_t cll_bytes_used(ptrdiff_t more)
{
    static size_t used;

    return __atomic_add_fetch(&used, (size_t)more, __ATOMIC_RELAXED);
}

struct cll_chunk *cll_node_grow(struct cll_node *node)
{
    size_t rows = chunk_rows(node), bytes = rows * node->state->width * sizeof(double);
    struct cll_chunk *chunk = is_room(bytes) ? portolan_calloc(1, sizeof *chunk + bytes) : NULL;

    if (!chunk)
        return NULL;
    cll_bytes_used((ptrdiff_t)bytes);
    chunk->room = rows;
    if (node->last)
        __atomic_store_n(&node->last->next, chunk, __ATOMIC_RELEASE);
    else
        __atomic_store_n(&node->first, chunk, __ATOMIC_RELEASE);
    node->last = chunk;
    return chunk;
}
