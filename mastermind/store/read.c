/* SPDX-License-Identifier: BSD-3-Clause */
/* Trials with what is known of them, and sets of their samples. */
#include "internal.h"

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

static bool take_text(struct reading *r, enum statement which, int column, const char **text)
{
    return texts_take(r->owned->texts, r->backend, which, column, text);
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
                                   .elapsed_ns = backend_double(r->backend, READ_TRIALS, 2),
                                   .threads = (int)backend_int(r->backend, READ_TRIALS, 7)};

        if (take_text(r, READ_TRIALS, 3, &t.assembly) && take_text(r, READ_TRIALS, 4, &t.purpose) &&
            take_text(r, READ_TRIALS, 5, &t.started) && take_text(r, READ_TRIALS, 6, &t.outcome) &&
            store_reserve(&set->trials, &r->trial_capacity, set->n_trials, sizeof *set->trials))
            set->trials[set->n_trials++] = t;
        else
            status = portolan_no_memory(r->err);
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
        if (store_reserve(&block, &capacity, *n, sizeof *block) &&
            take_text(r, which, 0, &block[*n].name) && take_text(r, which, 1, &block[*n].value))
            ++*n;
        else
            status = portolan_no_memory(r->err);
    }
    if (block && !status) {
        blocks = portolan_reallocarray(o->blocks, o->n_blocks + 1, sizeof *blocks);
        if (blocks) {
            o->blocks = blocks;
            o->blocks[o->n_blocks++] = block;
            *pairs = block;
            return PORTOLAN_OK;
        }
        status = portolan_no_memory(r->err);
    }
    free(block);
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
    struct portolan_sample_set *set = r->set;
    size_t capacity = 0;
    enum portolan_status status = backend_query(r->backend, READ_LIFTED_VETOES, r->err, "");
    bool row;

    while (!status && !(status = backend_next(r->backend, READ_LIFTED_VETOES, &row, r->err)) &&
           row) {
        struct portolan_lifted_veto v = {.trial = backend_int(r->backend, READ_LIFTED_VETOES, 0)};

        if (take_text(r, READ_LIFTED_VETOES, 1, &v.assembly) &&
            take_text(r, READ_LIFTED_VETOES, 2, &v.instance) &&
            take_text(r, READ_LIFTED_VETOES, 3, &v.implementation) &&
            store_reserve(&set->lifted, &capacity, set->n_lifted, sizeof *set->lifted))
            set->lifted[set->n_lifted++] = v;
        else
            status = portolan_no_memory(r->err);
    }
    return status;
}

static enum portolan_status read_all(struct reading *r, const struct portolan_store_query *query,
                                     bool with_samples)
{
    enum portolan_status status = read_trials(r, query);

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
    /* One transaction: what other processes store meanwhile does not show. */
    if (!(status = store_start_reading(store, err))) {
        status = read_all(&r, query ? query : &everything, with_samples);
        for (enum statement s = READ_TRIALS; s <= READ_LIFTED_VETOES; ++s)
            backend_reset(store->backend, s);
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
