/* SPDX-License-Identifier: BSD-3-Clause */
/* The samples of a process as bytes, for who reports, and back. Both on machines of one kind. */
#include "pack.h"
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
