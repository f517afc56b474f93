/* SPDX-License-Identifier: BSD-3-Clause */
#include "totals.h"

#include "piece.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void totals_clear(struct totals *t)
{
    for (size_t i = 0; i < t->n_counters; ++i)
        free(t->counters[i]);
    free(t->nodes);
    portolan_index_clear(&t->paths);
    *t = (struct totals){0};
}

static uint64_t hash_node(int64_t parent, uint32_t handle, uint32_t thread)
{
    const uint64_t key[] = {(uint64_t)parent, (uint64_t)thread << 32 | handle};

    return portolan_hash(key, sizeof key, 0);
}

/* Room for N more nodes, so that adding a piece cannot fail half way. */
static bool reserve(struct totals *t, size_t n)
{
    size_t capacity = t->capacity ? t->capacity : 64;
    void *nodes;

    while (capacity < t->n + n)
        capacity *= 2;
    if (capacity == t->capacity)
        return true;
    nodes = portolan_reallocarray(t->nodes, capacity + 1, sizeof *t->nodes);
    if (nodes)
        t->nodes = nodes;
    if (!nodes || !portolan_index_reserve(&t->paths, capacity))
        return false;
    t->capacity = capacity;
    return true;
}

/* Is the node at I that behind the last? */
static bool same_node(const void *totals, size_t i)
{
    const struct totals *t = totals;
    const struct totals_node *a = &t->nodes[i], *b = &t->nodes[t->n];

    return a->parent == b->parent && a->handle == b->handle && a->thread == b->thread;
}

/* The node, made if need be; there is room, also for the one that is looked for. */
static size_t find(struct totals *t, int64_t parent, uint32_t handle, uint32_t thread)
{
    size_t at = t->n;

    t->nodes[t->n] = (struct totals_node){.parent = parent, .handle = handle, .thread = thread};
    portolan_index_put(&t->paths, hash_node(parent, handle, thread), t->n, same_node, t, &at);
    t->n += at == t->n;
    return at;
}

static enum portolan_status find_counters(struct totals *t, const struct portolan_piece *p,
                                          size_t places[PORTOLAN_COUNTER_MAX])
{
    for (size_t i = 0; i < p->n_counters; ++i) {
        size_t k = 0;

        while (k < t->n_counters && strcmp(t->counters[k], p->counters[i]))
            ++k;
        places[i] = k;
        if (k < t->n_counters)
            continue;
        if (k == PORTOLAN_SUMMARY_COUNTER_MAX) {
            t->more_counters = true;
            continue;
        }
        if (!(t->counters[k] = portolan_strdup(p->counters[i])))
            return PORTOLAN_ENOMEM;
        t->n_counters++;
    }
    return PORTOLAN_OK;
}

static void add_sample(struct summary_values *v, const struct portolan_sample *s,
                       const size_t places[PORTOLAN_COUNTER_MAX])
{
    double timed = piece_timed_calls(s);

    if (timed > 0) {
        v->one_min_ns = v->timed_calls > 0 ? fmin(v->one_min_ns, s->min_ns) : s->min_ns;
        v->one_max_ns = fmax(v->one_max_ns, s->max_ns);
    }
    v->timed_calls += timed;
    v->subroutines += (double)s->subroutines;
    v->sum_squares_ns2 += s->sum_squares_ns2;
    v->values[SUMMARY_CALLS] += (double)s->calls;
    v->values[SUMMARY_INCLUSIVE] += s->inclusive_ns;
    v->values[SUMMARY_EXCLUSIVE] += s->exclusive_ns;
    v->values[SUMMARY_MPI] += s->mpi_ns;
    v->values[SUMMARY_COMPUTE] += s->exclusive_ns - s->mpi_ns;
    for (int i = 0; i < s->n_counters; ++i)
        if (places[i] < PORTOLAN_SUMMARY_COUNTER_MAX)
            v->values[SUMMARY_COUNTERS + places[i]] += s->counter[i];
}

enum portolan_status totals_add(struct totals *t, const struct portolan_piece *p,
                                struct portolan_error *err)
{
    size_t *nodes = portolan_calloc(p->n + 1, sizeof *nodes), places[PORTOLAN_COUNTER_MAX];

    if (!nodes || !reserve(t, p->n) || find_counters(t, p, places)) {
        free(nodes);
        return portolan_no_memory(err);
    }
    for (size_t i = 0; i < p->n; ++i) {
        const struct portolan_sample *s = &p->samples[i];

        nodes[i] = find(t, s->parent < 0 ? -1 : (int64_t)nodes[s->parent], p->handles[i],
                        (uint32_t)s->thread);
        add_sample(&t->nodes[nodes[i]].sums, s, places);
    }
    free(nodes);
    return PORTOLAN_OK;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Timers of several handles may share a path, and a path's threads count once. */
static enum portolan_status count_threads(const struct totals *t, struct summary *s,
                                          const size_t *rows)
{
    uint64_t *pairs = portolan_calloc(t->n + 1, sizeof *pairs);

    if (!pairs)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < t->n; ++i)
        pairs[i] = (uint64_t)rows[i] << 32 | t->nodes[i].thread;
    qsort(pairs, t->n, sizeof *pairs, compare);
    for (size_t i = 0; i < t->n; ++i)
        if (!i || pairs[i] != pairs[i - 1])
            s->rows[pairs[i] >> 32].n_threads++;
    free(pairs);
    return PORTOLAN_OK;
}

static enum portolan_status fill(const struct totals *t,
                                 const struct portolan_recorder_source *source, int rank,
                                 struct summary *s, size_t *rows)
{
    enum portolan_status status = summary_init(s, (const char *const *)t->counters, t->n_counters);

    for (size_t i = 0; i < t->n && !status; ++i) {
        const struct totals_node *n = &t->nodes[i];
        const struct portolan_probe_method_info *m = source->peek_method(source->self, n->handle);
        const char *const names[SUMMARY_NAMES] = {
            m->connection.user,     m->connection.uses,           m->connection.provider,
            m->connection.provides, m->connection.provider_class, m->connection.port_type,
            m->method.name};

        status = summary_find(s, n->parent < 0 ? -1 : (int64_t)rows[n->parent], names, &rows[i]);
        if (!status)
            summary_add(s, rows[i], rank, &n->sums);
    }
    return status ? status : count_threads(t, s, rows);
}

enum portolan_status totals_pack(const struct totals *t,
                                 const struct portolan_recorder_source *source, int rank,
                                 void **bytes, size_t *size_bytes, struct portolan_error *err)
{
    size_t *rows = portolan_calloc(t->n + 1, sizeof *rows);
    struct summary s = {0};
    enum portolan_status status = rows ? fill(t, source, rank, &s, rows) : PORTOLAN_ENOMEM;

    *bytes = NULL;
    *size_bytes = 0;
    if (!status)
        status = summary_pack(&s, bytes, size_bytes);
    if (status)
        portolan_error_set(err, status, "out of memory");
    summary_clear(&s);
    free(rows);
    return status;
}
