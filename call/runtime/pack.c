/* SPDX-License-Identifier: BSD-3-Clause */
/* Packs the samples of a process for a report, and unpacks them, on machines of the same kind. */
#include "internal.h"

#include <portolan/block.h>
#include <portolan/list.h>

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* ------------------------------------------------------------------ both ways */

/* A block. When reading, also its first byte and the arena for the results. */
struct packing {
    struct portolan_block b;
    const char *bytes;
    struct portolan_arena *arena;
};

/* Blocks cannot express NULL, so a flag comes first. */
static void carry_optional(struct packing *p, char **text)
{
    bool is_there = *text;

    portolan_block_carry(&p->b, &is_there, sizeof is_there);
    portolan_block_carry_text(&p->b, (const char **)text);
    if (!is_there)
        *text = NULL;
}

/* Carries a list of *N items of SIZE bytes, at the address LIST of a pointer. False: empty. */
static bool carry_list(struct packing *p, void *list, size_t *n, size_t size)
{
    void *items = NULL;

    portolan_block_carry_count(&p->b, n, 1);
    if (p->b.is_read) {
        if (!(items = portolan_arena_alloc(p->arena, *n + 1, size)))
            portolan_block_fail(&p->b, PORTOLAN_ENOMEM);
        memcpy(list, &items, sizeof items);
        *n = items ? *n : 0;
    }
    return *n > 0;
}

static void carry_lines(struct packing *p, unsigned **lines, size_t *n)
{
    if (carry_list(p, lines, n, sizeof **lines))
        portolan_block_carry(&p->b, *lines, *n * sizeof **lines);
}

static void carry_words(struct packing *p, char ***words, size_t *n)
{
    carry_list(p, words, n, sizeof **words);
    for (size_t i = 0; i < *n; i++)
        portolan_block_carry_text(&p->b, (const char **)&(*words)[i]);
}

static void carry_experiment(struct packing *p, struct cll_packed_experiment *e)
{
    struct portolan_cll_sample *s = &e->like;

    portolan_block_carry(&p->b, &e->wanted, sizeof e->wanted);
    portolan_block_carry_text(&p->b, (const char **)&s->name);
    carry_optional(p, &s->file);
    carry_optional(p, &s->formula);
    portolan_block_carry(&p->b, &s->n_constants, sizeof s->n_constants);
    carry_lines(p, &s->begin_lines, &s->n_begin);
    carry_lines(p, &s->end_lines, &s->n_end);
    carry_words(p, &s->identifiers, &s->n_identifiers);
    carry_words(p, &s->observables, &s->n_observables);
    portolan_block_carry(&p->b, &e->lost, sizeof e->lost);
    portolan_block_carry(&p->b, &e->unmatched, sizeof e->unmatched);
    portolan_block_carry(&p->b, &e->crossed, sizeof e->crossed);
}

/* The node's rows, which are aligned, come after it. */
static void carry_node(struct packing *p, struct cll_packed_node *node)
{
    size_t at;
    double zero = 0;

    portolan_block_carry(&p->b, &node->experiment, sizeof node->experiment);
    portolan_block_carry(&p->b, &node->parent, sizeof node->parent);
    portolan_block_carry(&p->b, &node->thread, sizeof node->thread);
    portolan_block_carry(&p->b, &node->n_rows, sizeof node->n_rows);
    at = p->b.is_read ? (size_t)(p->b.at - p->bytes) : p->b.written.length;
    portolan_block_carry(&p->b, &zero, (sizeof zero - at % sizeof zero) % sizeof zero);
}

/* ------------------------------------------------------------------ writing */

static void put_experiment(struct packing *p, const struct portolan_cll_state *s, bool wanted)
{
    static const char *const clock[] = {"CLOCK"};
    const struct portolan_cll_experiment *e = s->experiment;
    struct cll_packed_experiment packed = {
        .wanted = wanted,
        .like = {.name = (char *)e->name,
                 .file = (char *)e->file,
                 .formula = (char *)e->formula,
                 .n_constants = e->n_constants,
                 .n_begin = e->n_regions,
                 .begin_lines = (unsigned *)e->begin_lines,
                 .n_end = e->n_regions,
                 .end_lines = (unsigned *)e->end_lines,
                 .n_identifiers = e->n_identifiers,
                 .identifiers = (char **)e->identifiers,
                 .n_observables = s->n_observables,
                 .observables = (char **)(e->n_observables ? e->observables : clock)},
        .lost = __atomic_load_n(&s->lost, __ATOMIC_RELAXED),
        .unmatched = __atomic_load_n(&s->unmatched, __ATOMIC_RELAXED),
        .crossed = __atomic_load_n(&s->crossed, __ATOMIC_RELAXED),
    };

    carry_experiment(p, &packed);
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

/* Writes the unreported rows of CHUNK, up to row N. */
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

/* Threads may add rows meanwhile; only the rows counted at first are written. */
static void put_node(struct packing *p, struct cll_node *node, unsigned thread, bool wanted)
{
    struct cll_packed_node packed = {
        .experiment = node->state ? node->state->number : SIZE_MAX,
        .parent = node->parent ? node->parent->number : SIZE_MAX,
        .thread = thread,
        .n_rows = wanted ? count_rows(node) : 0,
    };
    size_t n = node->packed = packed.n_rows;

    carry_node(p, &packed);
    for (const struct cll_chunk *c = first_of(node); c && n > 0; c = next_of(c)) {
        size_t here = published(c) - c->taken;

        here = here < n ? here : n;
        put_rows(&p->b.written, node->state, c, c->taken + here);
        n -= here;
    }
}

static void put_all(struct packing *p, const char *name)
{
    const char *host;
    struct utsname machine;
    bool more = true;
    size_t n = 0;

    host = uname(&machine) == 0 ? machine.nodename : "";
    portolan_block_carry_text(&p->b, &host);
    for (struct portolan_cll_state *s = cll_states; s; s = s->next)
        s->number = n++;
    portolan_block_carry_count(&p->b, &n, 1);
    for (struct portolan_cll_state *s = cll_states; s; s = s->next)
        put_experiment(p, s, is_wanted(s->experiment, name));
    n = 0;
    for (struct cll_thread *thread = cll_threads; thread; thread = thread->next)
        for (struct cll_node *node = thread->root; node; node = after(node)) {
            node->number = n++;
            portolan_block_carry(&p->b, &more, sizeof more);
            put_node(p, node, thread->number, is_wanted(node->experiment, name));
        }
    more = false;
    portolan_block_carry(&p->b, &more, sizeof more);
}

enum portolan_status cll_pack(const char *name, char **bytes, size_t *size,
                              struct portolan_error *err)
{
    struct packing p = {0};

    pthread_mutex_lock(&cll_lock);
    put_all(&p, name);
    pthread_mutex_unlock(&cll_lock);
    return portolan_block_take(&p.b, (void **)bytes, size, err);
}

/* ------------------------------------------------------------------ reading */

static void get_node(struct packing *p, struct cll_block *u)
{
    struct cll_packed_node node = {0};
    size_t width = 0;

    carry_node(p, &node);
    if (node.experiment < u->n_experiments) {
        const struct portolan_cll_sample *s = &u->experiments[node.experiment].like;

        width = (ROW_FIRST + s->n_identifiers + s->n_observables) * sizeof(double);
    }
    if ((node.parent != SIZE_MAX && node.parent >= u->n_nodes) ||
        (node.n_rows && (!width || node.n_rows > (size_t)(p->b.end - p->b.at) / width))) {
        portolan_block_fail(&p->b, PORTOLAN_EINTERNAL);
        return;
    }
    node.rows = (const double *)(const void *)p->b.at;
    p->b.at += node.n_rows * width;
    if (!portolan_arena_append(p->arena, &u->nodes, &u->n_nodes, &node, sizeof node))
        portolan_block_fail(&p->b, PORTOLAN_ENOMEM);
}

bool cll_unpack(struct cll_block *block, size_t size)
{
    struct packing p = {.bytes = block->bytes, .arena = &block->arena};
    bool more = true;

    portolan_block_open(&p.b, block->bytes, size);
    portolan_block_carry_text(&p.b, &block->host);
    carry_list(&p, &block->experiments, &block->n_experiments, sizeof *block->experiments);
    for (size_t i = 0; i < block->n_experiments; i++)
        carry_experiment(&p, &block->experiments[i]);
    while (more) {
        portolan_block_carry(&p.b, &more, sizeof more);
        if (more)
            get_node(&p, block);
    }
    return portolan_block_finish(&p.b, NULL) == PORTOLAN_OK;
}

/* ------------------------------------------------------------------ taking */

static void take_node(struct cll_node *node)
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
    for (struct cll_thread *thread = cll_threads; thread; thread = thread->next)
        for (struct cll_node *node = thread->root; node; node = after(node))
            take_node(node);
}

void cll_take_packed(void)
{
    pthread_mutex_lock(&cll_lock);
    take_packed();
    pthread_mutex_unlock(&cll_lock);
}

void cll_forget_samples(void)
{
    for (struct cll_thread *thread = cll_threads; thread; thread = thread->next) {
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
    for (struct cll_thread *thread = cll_threads; thread; thread = thread->next)
        for (struct cll_node *node = thread->root; node && !is; node = after(node))
            is = count_rows(node) > 0;
    pthread_mutex_unlock(&cll_lock);
    return is;
}
