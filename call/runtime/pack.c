/* SPDX-License-Identifier: BSD-3-Clause */
/* The samples of a process as bytes, for who reports, and back. Both on machines of one kind. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* ------------------------------------------------------------------ writing */

static void put(struct portolan_text *t, uint64_t value)
{
    portolan_text_add_bytes(t, (const char *)&value, sizeof value);
}

/* Padded, so that what follows is aligned; its length has the NUL; 0: NULL. */
static void put_string(struct portolan_text *t, const char *text)
{
    static const char zeros[8];
    size_t size = text ? strlen(text) + 1 : 0;

    put(t, size);
    portolan_text_add_bytes(t, text ? text : "", size);
    portolan_text_add_bytes(t, zeros, (8 - size % 8) % 8);
}

static void put_lines(struct portolan_text *t, const unsigned *lines, unsigned n)
{
    put(t, n);
    for (unsigned i = 0; i < n; i++)
        put(t, lines[i]);
}

static void put_experiment(struct portolan_text *t, struct portolan_cll_state *s, bool wanted)
{
    const struct portolan_cll_experiment *e = s->experiment;

    put(t, wanted);
    put_string(t, e->name);
    put_string(t, e->file);
    put_string(t, e->formula);
    put(t, e->n_constants);
    put_lines(t, e->begin_lines, e->n_regions);
    put_lines(t, e->end_lines, e->n_regions);
    put(t, e->n_identifiers);
    for (unsigned i = 0; i < e->n_identifiers; i++)
        put_string(t, e->identifiers[i]);
    put(t, s->n_observables);
    for (unsigned i = 0; i < s->n_observables; i++)
        put_string(t, e->n_observables ? e->observables[i] : "CLOCK");
    put(t, __atomic_load_n(&s->lost, __ATOMIC_RELAXED));
    put(t, __atomic_load_n(&s->unmatched, __ATOMIC_RELAXED));
    put(t, __atomic_load_n(&s->crossed, __ATOMIC_RELAXED));
}

static bool is_wanted(const struct portolan_cll_experiment *e, const char *name)
{
    return e && (!name || !strcmp(e->name, name));
}

static double seconds(double ticks)
{
    return portolan_probe_ticks_to_ns((uint64_t)ticks) / 1e9;
}

static void put_row(struct portolan_text *t, const struct portolan_cll_state *s, const double *row)
{
    double fixed[ROW_FIRST] = {seconds(row[ROW_TICKS]), seconds(row[ROW_INNER_TICKS]),
                               row[ROW_INNER]};

    portolan_text_add_bytes(t, (const char *)fixed, sizeof fixed);
    row += ROW_FIRST;
    portolan_text_add_bytes(t, (const char *)row, s->n_identifiers * sizeof *row);
    row += s->n_identifiers;
    for (unsigned i = 0; i < s->n_observables; i++) {
        double value = s->observables[i].gauge == GAUGE_CLOCK ? fixed[ROW_TICKS] : row[i];

        portolan_text_add_bytes(t, (const char *)&value, sizeof value);
    }
}

/* Rows of CHUNK that are not reported, up to row N. */
static void put_rows(struct portolan_text *t, const struct portolan_cll_state *s,
                     const struct cll_chunk *chunk, size_t n)
{
    for (size_t i = chunk->taken; i < n; i++)
        put_row(t, s, chunk->values + i * s->width);
}

static size_t published(const struct cll_chunk *chunk)
{
    return __atomic_load_n(&chunk->n, __ATOMIC_ACQUIRE);
}

static struct cll_chunk *next_of(const struct cll_chunk *chunk)
{
    return __atomic_load_n(&chunk->next, __ATOMIC_ACQUIRE);
}

static struct cll_chunk *first_of(const struct cll_node *node)
{
    return __atomic_load_n(&node->first, __ATOMIC_ACQUIRE);
}

static struct cll_node *after(const struct cll_node *node)
{
    return __atomic_load_n(&node->next, __ATOMIC_ACQUIRE);
}

static size_t count_rows(const struct cll_node *node)
{
    size_t n = 0;

    for (const struct cll_chunk *c = first_of(node); c; c = next_of(c))
        n += published(c) - c->taken;
    return n;
}

/* Threads may add rows meanwhile: those that were there at first are put. */
static void put_node(struct portolan_text *t, struct cll_node *node, unsigned thread, bool wanted)
{
    size_t n = wanted ? count_rows(node) : 0;

    node->packed = n;
    put(t, 1);
    put(t, node->state ? node->state->number : UINT64_MAX);
    put(t, node->parent ? node->parent->number : UINT64_MAX);
    put(t, thread);
    put(t, n);
    for (const struct cll_chunk *c = first_of(node); c && n > 0; c = next_of(c)) {
        size_t here = published(c) - c->taken;

        here = here < n ? here : n;
        put_rows(t, node->state, c, c->taken + here);
        n -= here;
    }
}

static void put_all(struct portolan_text *t, const char *name)
{
    struct utsname machine;
    size_t n = 0;

    put(t, CLL_PACK_MAGIC);
    put_string(t, uname(&machine) == 0 ? machine.nodename : "");
    for (struct portolan_cll_state *s = cll_first_state(); s; s = s->next)
        s->number = n++;
    put(t, n);
    for (struct portolan_cll_state *s = cll_first_state(); s; s = s->next)
        put_experiment(t, s, is_wanted(s->experiment, name));
    n = 0;
    for (struct cll_thread *thread = cll_first_thread(); thread; thread = thread->next)
        for (struct cll_node *node = thread->root; node; node = after(node)) {
            node->number = n++;
            put_node(t, node, thread->number, is_wanted(node->experiment, name));
        }
    put(t, 0);
}

enum portolan_status cll_pack(const char *name, char **bytes, size_t *size,
                              struct portolan_error *err)
{
    struct portolan_text t = {0};
    enum portolan_status status;

    pthread_mutex_lock(&cll_lock);
    put_all(&t, name);
    pthread_mutex_unlock(&cll_lock);
    *size = t.length;
    status = portolan_text_take(&t, bytes, err);
    portolan_text_clear(&t);
    return status;
}

/* ------------------------------------------------------------------ reading */

struct reader {
    const char *next, *end;
    struct portolan_arena *arena;
    bool failed;
};

static uint64_t get(struct reader *r)
{
    uint64_t value;

    if ((size_t)(r->end - r->next) < sizeof value) {
        r->failed = true;
        return 0;
    }
    memcpy(&value, r->next, sizeof value);
    r->next += sizeof value;
    return value;
}

/* What the next SIZE bytes are, padded to whole words; NULL: there are not so many. */
static const char *get_bytes(struct reader *r, size_t size)
{
    const char *bytes = r->next;

    if (r->failed || (size_t)(r->end - r->next) < size) {
        r->failed = true;
        return NULL;
    }
    r->next += size + (8 - size % 8) % 8;
    return bytes;
}

static char *get_string(struct reader *r)
{
    size_t size = get(r);
    const char *text = size ? get_bytes(r, size) : NULL;

    if (text && text[size - 1] != '\0')
        r->failed = true;
    return (char *)text;
}

/* Room for COUNT things of SIZE bytes, of which each takes a word here at least. */
static void *get_room(struct reader *r, size_t count, size_t size)
{
    void *room = NULL;

    if (!r->failed && count <= (size_t)(r->end - r->next))
        room = portolan_arena_alloc(r->arena, count + 1, size);
    if (!room)
        r->failed = true;
    return room;
}

static unsigned *get_lines(struct reader *r, size_t *n)
{
    unsigned *lines;

    *n = get(r);
    lines = get_room(r, *n, sizeof *lines);
    for (size_t i = 0; lines && i < *n; i++)
        lines[i] = (unsigned)get(r);
    return lines;
}

static char **get_words(struct reader *r, size_t *n)
{
    char **words;

    *n = get(r);
    words = get_room(r, *n, sizeof *words);
    for (size_t i = 0; words && i < *n; i++)
        if (!(words[i] = get_string(r)))
            r->failed = true;
    return words;
}

static void get_experiment(struct reader *r, struct cll_packed_experiment *e)
{
    struct portolan_cll_sample *s = &e->like;

    e->wanted = get(r);
    s->name = get_string(r);
    s->file = get_string(r);
    s->formula = get_string(r);
    s->n_constants = (unsigned)get(r);
    s->begin_lines = get_lines(r, &s->n_begin);
    s->end_lines = get_lines(r, &s->n_end);
    s->identifiers = get_words(r, &s->n_identifiers);
    s->observables = get_words(r, &s->n_observables);
    e->lost = get(r);
    e->unmatched = get(r);
    e->crossed = get(r);
    if (!s->name)
        r->failed = true;
}

static void get_node(struct reader *r, struct cll_block *u)
{
    struct cll_packed_node node = {.experiment = get(r), .parent = get(r)}, *nodes;
    size_t width = 0;

    node.thread = (unsigned)get(r);
    node.n_rows = get(r);
    if (node.experiment < u->n_experiments) {
        const struct portolan_cll_sample *s = &u->experiments[node.experiment].like;

        width = ROW_FIRST + s->n_identifiers + s->n_observables;
    }
    if (r->failed || (node.parent != SIZE_MAX && node.parent >= u->n_nodes) ||
        (node.n_rows && (!width || node.n_rows > SIZE_MAX / 8 / width))) {
        r->failed = true;
        return;
    }
    node.rows = (const double *)(const void *)get_bytes(r, node.n_rows * width * sizeof(double));
    nodes = portolan_arena_grow(r->arena, u->nodes, u->n_nodes, sizeof *nodes);
    if (!nodes) {
        r->failed = true;
        return;
    }
    u->nodes = nodes;
    nodes[u->n_nodes++] = node;
}

bool cll_unpack(struct cll_block *block, size_t size)
{
    struct reader r = {block->bytes, block->bytes + size, &block->arena, false};

    if (get(&r) != CLL_PACK_MAGIC)
        r.failed = true;
    block->host = get_string(&r);
    block->n_experiments = get(&r);
    block->experiments = get_room(&r, block->n_experiments, sizeof *block->experiments);
    for (size_t i = 0; !r.failed && i < block->n_experiments; i++)
        get_experiment(&r, &block->experiments[i]);
    while (!r.failed && get(&r))
        get_node(&r, block);
    return !r.failed;
}

/* ------------------------------------------------------------------ taking */

static void take(struct cll_node *node)
{
    struct cll_chunk *c = first_of(node), *next;

    for (; c && node->packed > 0; c = next) {
        size_t here = published(c) - c->taken;

        here = here < node->packed ? here : node->packed;
        c->taken += here;
        node->packed -= here;
        next = next_of(c);
        if (!next || c->taken < published(c))
            break;
        __atomic_store_n(&node->first, next, __ATOMIC_RELEASE);
        cll_bytes_used(-(ptrdiff_t)(c->room * node->state->width * sizeof(double)));
        free(c);
    }
    node->packed = 0;
}

static void take_packed(void)
{
    for (struct cll_thread *thread = cll_first_thread(); thread; thread = thread->next)
        for (struct cll_node *node = thread->root; node; node = after(node))
            take(node);
}

void cll_take_packed(void)
{
    pthread_mutex_lock(&cll_lock);
    take_packed();
    pthread_mutex_unlock(&cll_lock);
}

void cll_forget_samples(void)
{
    for (struct cll_thread *thread = cll_first_thread(); thread; thread = thread->next) {
        if (thread != cll_thread) {
            thread->is_used = false;
            thread->depth = thread->n_values = 0;
        }
        for (struct cll_node *node = thread->root; node; node = after(node))
            node->packed = count_rows(node);
    }
    take_packed();
}

bool cll_is_unreported(void)
{
    bool is = false;

    pthread_mutex_lock(&cll_lock);
    for (struct cll_thread *thread = cll_first_thread(); thread; thread = thread->next)
        for (struct cll_node *node = thread->root; node && !is; node = after(node))
            is = count_rows(node) > 0;
    pthread_mutex_unlock(&cll_lock);
    return is;
}
