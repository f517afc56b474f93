/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows into samples: one pass over a trial's rows, names interned. */
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a set owns besides its arrays: every name once, and the name-value pairs in blocks. */
struct owned {
    struct texts *texts;
    size_t n_blocks;
    struct portolan_name_value **blocks;
};

/* A set being filled. */
struct reading {
    struct backend *backend;
    struct portolan_sample_set *set;
    struct owned *owned;
    size_t trial_capacity, sample_capacity;
    int64_t *ids; /* of the samples' rows, by position */
    bool with_partial;
    size_t group; /* first sample of the (trial, step, rank) at hand */
    struct portolan_error *err;
};

static enum portolan_status no_memory(struct reading *r)
{
    return portolan_error_set(r->err, PORTOLAN_ENOMEM, "out of memory");
}

enum portolan_status portolan_sample_set_create(struct portolan_sample_set **set)
{
    struct portolan_sample_set *s = portolan_calloc(1, sizeof *s);
    struct owned *o = portolan_calloc(1, sizeof *o);

    *set = NULL;
    if (!s || !o || !(o->texts = texts_create())) {
        free(s);
        free(o);
        return PORTOLAN_ENOMEM;
    }
    s->impl = o;
    *set = s;
    return PORTOLAN_OK;
}

void portolan_sample_set_destroy(struct portolan_sample_set *set)
{
    struct owned *o;

    if (!set)
        return;
    o = set->impl;
    for (size_t i = 0; i < o->n_blocks; ++i)
        free(o->blocks[i]);
    free(o->blocks);
    texts_destroy(o->texts);
    free(o);
    free(set->trials);
    free(set->samples);
    free(set);
}

/* Makes room for one more element; ARRAY and CAPACITY change only on success. */
static bool reserve(void *array, size_t *capacity, size_t count, size_t size)
{
    void **p = array, *grown;
    size_t wanted = *capacity ? 2 * *capacity : 16;

    if (count < *capacity)
        return true;
    if (!(grown = portolan_reallocarray(*p, wanted, size)))
        return false;
    *p = grown;
    *capacity = wanted;
    return true;
}

static bool take_text(struct reading *r, enum statement which, int column, const char **text)
{
    *text = texts_intern(r->owned->texts, backend_text(r->backend, which, column));
    return *text != NULL;
}

static enum portolan_status read_trials(struct reading *r, const struct portolan_store_query *q)
{
    struct portolan_sample_set *set = r->set;
    enum portolan_status status;
    bool row;

    status = backend_query(r->backend, READ_TRIALS, r->err, "itttii", q->trial, q->assembly,
                           q->purpose, q->outcome, (int64_t)q->ranks, (int64_t)q->newest_only);
    while (!status && !(status = backend_next(r->backend, READ_TRIALS, &row, r->err)) && row) {
        struct portolan_trial t = {.id = backend_int(r->backend, READ_TRIALS, 0),
                                   .ranks = (int)backend_int(r->backend, READ_TRIALS, 1),
                                   .elapsed_ns = backend_double(r->backend, READ_TRIALS, 2)};

        if (take_text(r, READ_TRIALS, 3, &t.assembly) && take_text(r, READ_TRIALS, 4, &t.purpose) &&
            take_text(r, READ_TRIALS, 5, &t.started) && take_text(r, READ_TRIALS, 6, &t.outcome) &&
            reserve(&set->trials, &r->trial_capacity, set->n_trials, sizeof *set->trials))
            set->trials[set->n_trials++] = t;
        else
            status = no_memory(r);
    }
    return status;
}

static enum portolan_status read_pairs(struct reading *r, enum statement which, int64_t trial,
                                       const struct portolan_name_value **pairs, size_t *n)
{
    struct owned *o = r->owned;
    struct portolan_name_value *block = NULL, **blocks;
    size_t capacity = 0;
    enum portolan_status status = backend_query(r->backend, which, r->err, "i", trial);
    bool row;

    while (!status && !(status = backend_next(r->backend, which, &row, r->err)) && row) {
        if (reserve(&block, &capacity, *n, sizeof *block) &&
            take_text(r, which, 0, &block[*n].name) && take_text(r, which, 1, &block[*n].value))
            ++*n;
        else
            status = no_memory(r);
    }
    if (block && !status) {
        blocks = portolan_reallocarray(o->blocks, o->n_blocks + 1, sizeof *blocks);
        if (blocks) {
            o->blocks = blocks;
            o->blocks[o->n_blocks++] = block;
            *pairs = block;
            return PORTOLAN_OK;
        }
        status = no_memory(r);
    }
    free(block);
    return status;
}

/* Rows of one (step, rank) stand together with ascending ids; a parent is in its child's group. */
static int64_t find_parent(struct reading *r, size_t at, int64_t id)
{
    const struct portolan_sample *s = &r->set->samples[at], *g = &r->set->samples[r->group];
    size_t low, high = at;

    if (s->trial != g->trial || s->step != g->step || s->rank != g->rank)
        r->group = at;
    for (low = r->group; low < high;) {
        size_t middle = low + (high - low) / 2;

        if (r->ids[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < at && r->ids[low] == id ? (int64_t)low : -1;
}

static enum portolan_status take_sample(struct reading *r, int64_t trial)
{
    struct backend *b = r->backend;
    struct portolan_sample_set *set = r->set;
    size_t capacity = r->sample_capacity, n = set->n_samples;
    struct portolan_sample *s;

    if (!reserve(&r->ids, &capacity, n, sizeof *r->ids) ||
        !reserve(&set->samples, &r->sample_capacity, n, sizeof *set->samples))
        return no_memory(r);
    s = &set->samples[n];
    *s = (struct portolan_sample){
        .trial = trial,
        .step = (int)backend_int(b, READ_SAMPLES, 2),
        .rank = (int)backend_int(b, READ_SAMPLES, 3),
        .thread = (int)backend_int(b, READ_SAMPLES, 4),
        .binned = backend_int(b, READ_SAMPLES, 5) != 0,
        .calls = backend_int(b, READ_SAMPLES, 6),
        .subroutines = backend_int(b, READ_SAMPLES, 7),
        .timed_calls = backend_int(b, READ_SAMPLES, 6),
        .inclusive_ns = backend_double(b, READ_SAMPLES, 8),
        .exclusive_ns = backend_double(b, READ_SAMPLES, 9),
        .mpi_ns = backend_double(b, READ_SAMPLES, 10),
        .min_ns = backend_double(b, READ_SAMPLES, 11),
        .max_ns = backend_double(b, READ_SAMPLES, 12),
        .sum_squares_ns2 = backend_double(b, READ_SAMPLES, 13),
        .quality = backend_double(b, READ_SAMPLES, 14),
    };
    if (!take_text(r, READ_SAMPLES, 15, &s->user) || !take_text(r, READ_SAMPLES, 16, &s->uses) ||
        !take_text(r, READ_SAMPLES, 17, &s->instance) ||
        !take_text(r, READ_SAMPLES, 18, &s->port) ||
        !take_text(r, READ_SAMPLES, 19, &s->implementation) ||
        !take_text(r, READ_SAMPLES, 20, &s->port_type) ||
        !take_text(r, READ_SAMPLES, 21, &s->method))
        return no_memory(r);
    r->ids[n] = backend_int(b, READ_SAMPLES, 0);
    s->parent = find_parent(r, n, backend_int(b, READ_SAMPLES, 1));
    ++set->n_samples;
    return PORTOLAN_OK;
}

/* Contexts come in the samples' order: one walk over both. */
static enum portolan_status read_contexts(struct reading *r, int64_t trial, size_t first)
{
    struct backend *b = r->backend;
    enum portolan_status status = backend_query(b, READ_CONTEXTS, r->err, "i", trial);
    size_t at = first;
    bool row;

    while (!status && !(status = backend_next(b, READ_CONTEXTS, &row, r->err)) && row) {
        struct portolan_sample *s;
        int64_t position = backend_int(b, READ_CONTEXTS, 1);

        while (at < r->set->n_samples && r->ids[at] != backend_int(b, READ_CONTEXTS, 0))
            ++at;
        if (at == r->set->n_samples || position < 0 || position >= PORTOLAN_CONTEXT_MAX)
            return portolan_error_set(r->err, PORTOLAN_EIO, "contexts and samples do not agree");
        s = &r->set->samples[at];
        if (!take_text(r, READ_CONTEXTS, 2, &s->context_name[position]))
            return no_memory(r);
        s->context[position] = backend_double(b, READ_CONTEXTS, 3);
        s->n_context = (int)position + 1;
    }
    return status;
}

/* The same walk for the counters. */
static enum portolan_status read_counters(struct reading *r, int64_t trial, size_t first)
{
    struct backend *b = r->backend;
    enum portolan_status status = backend_query(b, READ_COUNTERS, r->err, "i", trial);
    size_t at = first;
    bool row;

    while (!status && !(status = backend_next(b, READ_COUNTERS, &row, r->err)) && row) {
        struct portolan_sample *s;

        while (at < r->set->n_samples && r->ids[at] != backend_int(b, READ_COUNTERS, 0))
            ++at;
        if (at == r->set->n_samples || r->set->samples[at].n_counters == PORTOLAN_COUNTER_MAX)
            return portolan_error_set(r->err, PORTOLAN_EIO, "counters and samples do not agree");
        s = &r->set->samples[at];
        if (!take_text(r, READ_COUNTERS, 1, &s->counter_name[s->n_counters]))
            return no_memory(r);
        s->counter[s->n_counters++] = backend_double(b, READ_COUNTERS, 2);
    }
    return status;
}

static bool is_partial(const struct portolan_trial *t, int step)
{
    static const char prefix[] = PORTOLAN_STORE_PARTIAL;
    int64_t number;

    for (size_t i = 0; i < t->n_metadata; ++i)
        if (!strncmp(t->metadata[i].name, prefix, sizeof prefix - 1) &&
            portolan_read_int64(t->metadata[i].name + sizeof prefix - 1, &number) && number == step)
            return true;
    return false;
}

static void count_partial(struct portolan_trial *t)
{
    for (size_t i = 0; i < t->n_metadata; ++i)
        t->n_partial += !strncmp(t->metadata[i].name, PORTOLAN_STORE_PARTIAL,
                                 sizeof PORTOLAN_STORE_PARTIAL - 1);
}

/* Steps go as a whole, and with them callers and callees. */
static void drop_partial(struct reading *r, const struct portolan_trial *t, size_t first)
{
    struct portolan_sample_set *set = r->set;
    size_t kept = first;
    bool drop = false;

    for (size_t i = first; i < set->n_samples; ++i) {
        struct portolan_sample s = set->samples[i];

        if (i == first || s.step != set->samples[i - 1].step)
            drop = is_partial(t, s.step);
        if (drop)
            continue;
        if (s.parent >= 0)
            s.parent -= (int64_t)(i - kept);
        r->ids[kept] = r->ids[i];
        set->samples[kept++] = s;
    }
    set->n_samples = r->group = kept;
}

static enum portolan_status read_samples(struct reading *r, const struct portolan_trial *t)
{
    size_t first = r->set->n_samples;
    enum portolan_status status = backend_query(r->backend, READ_SAMPLES, r->err, "i", t->id);
    bool row;

    while (!status && !(status = backend_next(r->backend, READ_SAMPLES, &row, r->err)) && row)
        status = take_sample(r, t->id);
    if (!status)
        status = read_contexts(r, t->id, first);
    if (!status)
        status = read_counters(r, t->id, first);
    if (!status && t->n_partial && !r->with_partial)
        drop_partial(r, t, first);
    return status;
}

static enum portolan_status read_all(struct reading *r, const struct portolan_store_query *query,
                                     bool with_samples)
{
    enum portolan_status status = read_trials(r, query);

    for (size_t i = 0; i < r->set->n_trials && !status; ++i) {
        struct portolan_trial *t = &r->set->trials[i];

        status = read_pairs(r, READ_PARAMETERS, t->id, &t->parameters, &t->n_parameters);
        if (!status)
            status = read_pairs(r, READ_IMPLEMENTATIONS, t->id, &t->implementations,
                                &t->n_implementations);
        if (!status)
            status = read_pairs(r, READ_METADATA, t->id, &t->metadata, &t->n_metadata);
        if (!status)
            count_partial(t);
        if (!status && with_samples)
            status = read_samples(r, t);
    }
    return status;
}

enum portolan_status portolan_store_read(struct portolan_store *store,
                                         const struct portolan_store_query *query,
                                         bool with_samples, struct portolan_sample_set **set,
                                         struct portolan_error *err)
{
    static const struct portolan_store_query everything;
    struct reading r = {.backend = store->backend, .err = err};
    enum portolan_status status = portolan_sample_set_create(&r.set);

    *set = NULL;
    if (status)
        return no_memory(&r);
    r.owned = r.set->impl;
    r.with_partial = query && query->with_partial;
    /* One transaction: what other processes store meanwhile does not show. */
    if (!(status = backend_run(store->backend, BEGIN_READ, NULL, err, ""))) {
        status = read_all(&r, query ? query : &everything, with_samples);
        for (enum statement s = READ_TRIALS; s <= READ_COUNTERS; ++s)
            backend_reset(store->backend, s);
        status = store_finish(store, status, err);
    }
    free(r.ids);
    if (status) {
        portolan_error_prefix(err, "store '%s' cannot be read", store->path);
        portolan_sample_set_destroy(r.set);
        return status;
    }
    *set = r.set;
    return PORTOLAN_OK;
}
