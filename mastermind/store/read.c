/* SPDX-License-Identifier: BSD-3-Clause */
/* Trials with what is known of them, and sets of their samples. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

/* The memory of a set in addition to its arrays: every name once, and the name-value pairs in
 * blocks. */
struct owned {
    struct texts *texts;
    size_t n_blocks, capacity;
    struct portolan_name_value **blocks;
};

/* A set being filled. */
struct reading {
    struct backend *backend;
    struct portolan_sample_set *set;
    struct owned *owned;
    size_t sample_capacity;
    struct portolan_error *err;
};

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
    free(set->lifted);
    free(set);
}

static enum portolan_status read_trials(struct reading *r, const struct portolan_store_query *q)
{
    static const struct column columns[] = {
        COLUMN(INT64, portolan_trial, id),          COLUMN(INT, portolan_trial, ranks),
        COLUMN(DOUBLE, portolan_trial, elapsed_ns), COLUMN(TEXT, portolan_trial, assembly),
        COLUMN(TEXT, portolan_trial, purpose),      COLUMN(TEXT, portolan_trial, started),
        COLUMN(TEXT, portolan_trial, outcome),      COLUMN(INT, portolan_trial, threads),
    };
    static const struct shape shape = SHAPE(portolan_trial, columns);

    return rows_read(r->backend, READ_TRIALS, &shape, r->owned->texts, &r->set->trials,
                     &r->set->n_trials, r->err, "itttii", q->trial, q->assembly, q->purpose,
                     q->outcome, (int64_t)q->ranks, (int64_t)q->newest_only);
}

static enum portolan_status read_pairs(struct reading *r, enum statement which, int64_t trial,
                                       const struct portolan_name_value **pairs, size_t *n)
{
    static const struct column columns[] = {
        COLUMN(TEXT, portolan_name_value, name),
        COLUMN(TEXT, portolan_name_value, value),
    };
    static const struct shape shape = SHAPE(portolan_name_value, columns);
    struct owned *o = r->owned;
    struct portolan_name_value *block = NULL;
    enum portolan_status status =
        rows_read(r->backend, which, &shape, o->texts, &block, n, r->err, "i", trial);

    if (!status && block &&
        !portolan_reserve(&o->blocks, &o->capacity, o->n_blocks + 1, sizeof *o->blocks))
        status = portolan_no_memory(r->err);
    if (status)
        free(block);
    else if (block)
        *pairs = o->blocks[o->n_blocks++] = block;
    return status;
}

static void count_partial(struct portolan_trial *t)
{
    for (size_t i = 0; i < t->n_metadata; ++i)
        t->n_partial += !strncmp(t->metadata[i].name, PORTOLAN_STORE_PARTIAL,
                                 sizeof PORTOLAN_STORE_PARTIAL - 1);
}

static enum portolan_status read_lifted(struct reading *r)
{
    static const struct column columns[] = {
        COLUMN(INT64, portolan_lifted_veto, trial),
        COLUMN(TEXT, portolan_lifted_veto, assembly),
        COLUMN(TEXT, portolan_lifted_veto, instance),
        COLUMN(TEXT, portolan_lifted_veto, implementation),
    };
    static const struct shape shape = SHAPE(portolan_lifted_veto, columns);

    return rows_read(r->backend, READ_LIFTED_VETOES, &shape, r->owned->texts, &r->set->lifted,
                     &r->set->n_lifted, r->err, "");
}

/* A failure that a plug-in caused does not count once the plug-in is another. */
static enum portolan_status lift_rebuilt(struct reading *r, const struct portolan_trial *t)
{
    size_t prefix = strlen(PORTOLAN_STORE_BLAMED), capacity = r->set->n_lifted;

    for (size_t i = 0; i < t->n_metadata; ++i) {
        const struct portolan_name_value *blamed = &t->metadata[i], *x = t->metadata;
        const struct portolan_name_value *end = x + t->n_metadata;

        if (strncmp(blamed->name, PORTOLAN_STORE_BLAMED, prefix) != 0)
            continue;
        while (x < end && (strncmp(x->name, PORTOLAN_STORE_PLUGIN, strlen(PORTOLAN_STORE_PLUGIN)) ||
                           strcmp(x->name + strlen(PORTOLAN_STORE_PLUGIN), blamed->value) != 0))
            ++x;
        if (x == end || !notes_is_rebuilt(x->value))
            continue;
        if (!portolan_reserve(&r->set->lifted, &capacity, r->set->n_lifted + 1,
                              sizeof *r->set->lifted))
            return portolan_no_memory(r->err);
        r->set->lifted[r->set->n_lifted++] =
            (struct portolan_lifted_veto){t->assembly, blamed->name + prefix, blamed->value, t->id};
    }
    return PORTOLAN_OK;
}

static void keep_only(struct portolan_sample_set *set, const struct portolan_store_query *q)
{
    size_t n = 0;

    for (size_t i = 0; i < set->n_trials; ++i)
        for (size_t k = 0; k < q->n_only; ++k)
            if (q->only[k] == set->trials[i].id) {
                set->trials[n++] = set->trials[i];
                break;
            }
    set->n_trials = n;
}

static enum portolan_status read_all(struct reading *r, const struct portolan_store_query *query,
                                     bool with_samples)
{
    enum portolan_status status = read_trials(r, query);

    if (!status && query->only)
        keep_only(r->set, query);
    if (!status)
        status = read_lifted(r);
    for (size_t i = 0; i < r->set->n_trials && !status; ++i) {
        struct portolan_trial *t = &r->set->trials[i];

        status = read_pairs(r, READ_PARAMETERS, t->id, &t->parameters, &t->n_parameters);
        if (!status)
            status = read_pairs(r, READ_IMPLEMENTATIONS, t->id, &t->implementations,
                                &t->n_implementations);
        if (!status)
            status = read_pairs(r, READ_METADATA, t->id, &t->metadata, &t->n_metadata);
        if (!status)
            status = lift_rebuilt(r, t);
        if (!status)
            count_partial(t);
        if (!status && with_samples)
            status = samples_read(r->backend, t, query, r->set, &r->sample_capacity,
                                  r->owned->texts, r->err);
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
        return portolan_no_memory(err);
    r.owned = r.set->impl;
    /* One transaction, in which later changes of other processes do not show. */
    if (!(status = store_start_reading(store, err))) {
        status = read_all(&r, query ? query : &everything, with_samples);
        status = store_finish_reading(store, status, err);
    }
    if (status) {
        portolan_error_prefix(err, "store '%s' cannot be read", store->path);
        portolan_sample_set_destroy(r.set);
        return status;
    }
    *set = r.set;
    return PORTOLAN_OK;
}
