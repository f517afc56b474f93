/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From names to ids. The store's handle remembers what has been found or made for the trial at
 * hand, so that a sample costs one look-up in memory instead of six in the data base. Identities
 * are deleted only with their trial, and a trial's id is not given again: what is remembered stays
 * true until a rollback.
 */
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    const char *key;
    size_t size;
    int64_t id;
};

struct table {
    struct portolan_arena arena; /* keys */
    struct portolan_index index;
    size_t capacity;
    struct entry *entries;
};

struct identities {
    int64_t trial;
    struct table known;
    struct portolan_text key; /* being made */
};

static const char *text(const char *t)
{
    return t ? t : "";
}

static void table_clear(struct table *t)
{
    portolan_arena_clear(&t->arena);
    portolan_index_clear(&t->index);
    free(t->entries);
}

void identities_forget(struct portolan_store *store)
{
    struct identities *x = store->identities;

    store->identities = NULL;
    if (!x)
        return;
    table_clear(&x->known);
    portolan_text_clear(&x->key);
    free(x);
}

enum portolan_status identities_enter(struct portolan_store *store, int64_t trial,
                                      struct portolan_error *err)
{
    struct identities *x = store->identities;

    if (x && x->trial == trial)
        return PORTOLAN_OK;
    identities_forget(store);
    if (!(x = portolan_calloc(1, sizeof *x)))
        return portolan_no_memory(err);
    x->trial = trial;
    store->identities = x;
    return PORTOLAN_OK;
}

struct wanted {
    const struct table *in;
    const struct portolan_text *key;
};

static bool same_key(const void *wanted, size_t i)
{
    const struct wanted *w = wanted;
    const struct entry *e = &w->in->entries[i];

    return e->size == w->key->length && !memcmp(e->key, w->key->bytes, e->size);
}

/* A key is a letter for its kind, then numbers, then texts with their NUL. */
static void begin_key(struct identities *x, char kind)
{
    x->key.length = 0;
    portolan_text_add_bytes(&x->key, &kind, 1);
}

static void add_number(struct identities *x, int64_t number)
{
    portolan_text_add_bytes(&x->key, (const char *)&number, sizeof number);
}

static void add_text(struct identities *x, const char *t)
{
    t = text(t);
    portolan_text_add_bytes(&x->key, t, strlen(t) + 1);
}

/* Sets *ID to what T has under the key that was made, or 0. */
static enum portolan_status recall(const struct table *t, const struct portolan_text *key,
                                   int64_t *id, struct portolan_error *err)
{
    const struct wanted wanted = {t, key};
    size_t at;

    *id = 0;
    if (key->failed)
        return portolan_no_memory(err);
    at = portolan_index_find(&t->index, portolan_hash(key->bytes, key->length, 0), same_key,
                             &wanted);
    if (at != SIZE_MAX)
        *id = t->entries[at].id;
    return PORTOLAN_OK;
}

/* Puts ID under the key that was made. */
static enum portolan_status remember(struct table *t, const struct portolan_text *key, int64_t id,
                                     struct portolan_error *err)
{
    size_t n = t->index.n;
    char *copy = NULL;

    if (!key->failed && portolan_reserve(&t->entries, &t->capacity, n + 1, sizeof *t->entries))
        copy = portolan_arena_strndup(&t->arena, key->bytes, key->length);
    if (!copy || !portolan_index_add(&t->index, portolan_hash(copy, key->length, 0), n))
        return portolan_no_memory(err);
    t->entries[n] = (struct entry){copy, key->length, id};
    return PORTOLAN_OK;
}

/* ---------------------------------------------------------------------------------- batches */

enum { COMPONENT = IDENTITY_THREAD + 1, PORT, TIMER, CALLPATH };

/* FIND takes the first values that ADD takes: the key. */
static const struct kind {
    enum statement find, add;
    const char *key_types, *types;
} kinds[] = {
    [IDENTITY_STEP] = {FIND_STEP, ADD_STEP, "ii", "ii"},
    [IDENTITY_METRIC] = {FIND_METRIC, ADD_METRIC, "it", "itt"},
    [IDENTITY_COUNTER] = {FIND_COUNTER, ADD_COUNTER, "it", "it"},
    [IDENTITY_THREAD] = {FIND_THREAD, ADD_THREAD, "iii", "iii"},
    [COMPONENT] = {FIND_COMPONENT, ADD_COMPONENT, "itt", "itt"},
    [PORT] = {FIND_PORT, ADD_PORT, "itt", "itt"},
    [TIMER] = {FIND_TIMER, ADD_TIMER, "it", "it"},
    [CALLPATH] = {FIND_CALLPATH, ADD_CALLPATH, "iptt", "iptt"},
};

/* Names of one kind, each once, to be looked up in the data base together. */
struct batch {
    int kind;
    size_t n, n_values, capacity;
    union backend_value *values;
    struct table asked; /* minus their numbers, from 1 on */
    int64_t *ids;       /* once it is settled */
};

static void batch_clear(struct batch *b)
{
    table_clear(&b->asked);
    free(b->values);
    free(b->ids);
}

static void make_key(struct identities *x, int kind, const union backend_value *values)
{
    const char *types = kinds[kind].key_types;

    begin_key(x, (char)kind);
    for (size_t i = 0; types[i]; ++i)
        if (types[i] == 't')
            add_text(x, values[i].t);
        else
            add_number(x, values[i].i);
}

/*
 * Finds the id of the row with these VALUES. If it is not remembered, puts it into the batch, where
 * *ID is minus its number until the batch is settled.
 */
static enum portolan_status want(struct identities *x, struct batch *b,
                                 const union backend_value *values, int64_t *id,
                                 struct portolan_error *err)
{
    enum portolan_status status;

    make_key(x, b->kind, values);
    if ((status = recall(&x->known, &x->key, id, err)) || *id ||
        (status = recall(&b->asked, &x->key, id, err)) || *id)
        return status;
    for (size_t i = 0; kinds[b->kind].types[i]; ++i) {
        if (!portolan_reserve(&b->values, &b->capacity, b->n_values + 1, sizeof *b->values))
            return portolan_no_memory(err);
        b->values[b->n_values++] = values[i];
    }
    *id = -(int64_t)++b->n;
    return remember(&b->asked, &x->key, *id, err);
}

/* Finds or makes what is in the batch. */
static enum portolan_status settle(struct portolan_store *store, struct batch *b,
                                   struct portolan_error *err)
{
    const struct kind *k = &kinds[b->kind];
    struct identities *x = store->identities;
    enum portolan_status status;

    if (!b->n)
        return PORTOLAN_OK;
    if (!(b->ids = portolan_calloc(b->n, sizeof *b->ids)))
        return portolan_no_memory(err);
    status = backend_identify(store->backend, k->find, k->key_types, k->add, k->types, b->n,
                              b->values, b->ids, err);
    for (size_t i = 0; i < b->n && b->kind != CALLPATH && !status; ++i) {
        make_key(x, b->kind, &b->values[i * (b->n_values / b->n)]);
        status = remember(&x->known, &x->key, b->ids[i], err);
    }
    return status;
}

/* The id for what want() gave, once the batch is settled. */
static int64_t settled(const struct batch *b, int64_t id)
{
    return id < 0 ? b->ids[-id - 1] : id;
}

static enum portolan_status identify(struct portolan_store *store, int kind,
                                     const union backend_value *values, int64_t *id,
                                     struct portolan_error *err)
{
    struct batch b = {.kind = kind};
    enum portolan_status status = want(store->identities, &b, values, id, err);

    if (!status && !(status = settle(store, &b, err)))
        *id = settled(&b, *id);
    batch_clear(&b);
    return status;
}

enum portolan_status identity_of(struct portolan_store *store, enum identity_kind kind, int64_t *id,
                                 struct portolan_error *err, ...)
{
    union backend_value values[3] = {{.i = store->identities->trial}};
    const char *types = kinds[kind].types;
    va_list args;

    va_start(args, err);
    for (size_t i = 1; types[i]; ++i)
        if (types[i] == 't')
            values[i].t = text(va_arg(args, const char *));
        else
            values[i].i = va_arg(args, int);
    va_end(args);
    return identify(store, (int)kind, values, id, err);
}

/* ---------------------------------------------------------------------------------- layouts */

static enum portolan_status add_layout(struct portolan_store *store,
                                       const struct portolan_sample *s, int64_t *id,
                                       struct portolan_error *err)
{
    static const char types[] = "itttttttttttt";
    union backend_value values[1 + PORTOLAN_CONTEXT_MAX + PORTOLAN_COUNTER_MAX] = {
        {.i = store->identities->trial}};
    union backend_value *context = values + 1, *counter = context + PORTOLAN_CONTEXT_MAX;
    enum portolan_status status = PORTOLAN_OK;
    int64_t metric;

    _Static_assert(sizeof types - 1 == sizeof values / sizeof *values, "as in the schema");
    for (int i = 0; i < PORTOLAN_CONTEXT_MAX; ++i)
        context[i].t = i < s->n_context ? text(s->context_name[i]) : NULL;
    for (int i = 0; i < PORTOLAN_COUNTER_MAX; ++i)
        counter[i].t = i < s->n_counters ? text(s->counter_name[i]) : NULL;
    for (int i = 0; i < s->n_counters && !status; ++i)
        status = identity_of(store, IDENTITY_METRIC, &metric, err, s->counter_name[i], "events");
    if (!status)
        status = backend_run_values(store->backend, FIND_LAYOUT, id, err, types, values);
    if (!status && !*id)
        status = backend_run_values(store->backend, ADD_LAYOUT, id, err, types, values);
    return status;
}

static void make_layout_key(struct identities *x, const struct portolan_sample *s)
{
    begin_key(x, 'l');
    add_number(x, s->n_context);
    for (int i = 0; i < s->n_context; ++i)
        add_text(x, s->context_name[i]);
    for (int i = 0; i < s->n_counters; ++i)
        add_text(x, s->counter_name[i]);
}

static enum portolan_status identity_of_layout(struct portolan_store *store,
                                               const struct portolan_sample *s, int64_t *id,
                                               struct portolan_error *err)
{
    struct identities *x = store->identities;
    enum portolan_status status;

    *id = 0;
    if (!s->n_context && !s->n_counters)
        return PORTOLAN_OK;
    make_layout_key(x, s);
    if ((status = recall(&x->known, &x->key, id, err)) || *id)
        return status;
    status = add_layout(store, s, id, err);
    make_layout_key(x, s); /* add_layout() has overwritten the key */
    return status ? status : remember(&x->known, &x->key, *id, err);
}

enum portolan_status identity_last_start(struct portolan_store *store, int64_t thread,
                                         double *start_ns, struct portolan_error *err)
{
    struct backend *b = store->backend;
    enum portolan_status status = backend_query(b, FIND_LAST_START, err, "i", thread);
    bool row = false;

    *start_ns = -HUGE_VAL;
    if (!status)
        status = backend_next(b, FIND_LAST_START, &row, err);
    if (!status && row && !isnan(backend_double(b, FIND_LAST_START, 0)))
        *start_ns = backend_double(b, FIND_LAST_START, 0);
    backend_reset(b, FIND_LAST_START);
    return status;
}

static enum portolan_status check_sample(const struct portolan_sample *samples, size_t at,
                                         struct portolan_error *err)
{
    const struct portolan_sample *s = &samples[at];

    if (s->parent < (int64_t)at && s->n_context >= 0 && s->n_context <= PORTOLAN_CONTEXT_MAX &&
        s->n_counters >= 0 && s->n_counters <= PORTOLAN_COUNTER_MAX &&
        (s->parent < 0 || samples[s->parent].rank == s->rank))
        return PORTOLAN_OK;
    return portolan_error_set(err, PORTOLAN_EINVAL,
                              "sample %zu: its parent must stand before it and be of its rank, "
                              "and %d contexts and %d counters are the limit",
                              at, PORTOLAN_CONTEXT_MAX, PORTOLAN_COUNTER_MAX);
}

/* A sample whose call path is not remembered. */
struct unknown {
    size_t sample;
    int64_t id; /* of its component, then of the port, then of the timer */
};

static enum portolan_status name_methods(struct portolan_store *store,
                                         const struct portolan_sample *samples, struct unknown *u,
                                         size_t n, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    for (int kind = COMPONENT; kind <= TIMER && !status; ++kind) {
        struct batch b = {.kind = kind};

        for (size_t i = 0; i < n && !status; ++i) {
            const struct portolan_sample *s = &samples[u[i].sample];
            const union backend_value values[][3] = {
                {{.i = store->identities->trial},
                 {.t = text(s->instance)},
                 {.t = text(s->implementation)}},
                {{.i = u[i].id}, {.t = text(s->port)}, {.t = text(s->port_type)}},
                {{.i = u[i].id}, {.t = text(s->method)}},
            };

            status = want(store->identities, &b, values[kind - COMPONENT], &u[i].id, err);
        }
        if (!status)
            status = settle(store, &b, err);
        for (size_t i = 0; i < n && !status; ++i)
            u[i].id = settled(&b, u[i].id);
        batch_clear(&b);
    }
    return status;
}

static void make_callpath_key(struct identities *x, int64_t parent, const struct portolan_sample *s)
{
    begin_key(x, 'p');
    add_number(x, parent);
    add_text(x, s->user);
    add_text(x, s->uses);
    add_text(x, s->instance);
    add_text(x, s->port);
    add_text(x, s->implementation);
    add_text(x, s->port_type);
    add_text(x, s->method);
}

/* The call path of a sample's caller; 0 at a root. */
static int64_t parent_of(const struct portolan_sample *s, const struct identity *ids)
{
    return s->parent < 0 ? 0 : ids[s->parent].callpath;
}

static enum portolan_status name_paths(struct portolan_store *store,
                                       const struct portolan_sample *samples,
                                       const struct unknown *u, size_t n, struct identity *ids,
                                       struct portolan_error *err)
{
    struct identities *x = store->identities;
    struct batch b = {.kind = CALLPATH};
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; i < n && !status; ++i) {
        const struct portolan_sample *s = &samples[u[i].sample];
        const union backend_value values[] = {
            {.i = u[i].id}, {.i = parent_of(s, ids)}, {.t = text(s->user)}, {.t = text(s->uses)}};

        status = want(x, &b, values, &ids[u[i].sample].callpath, err);
    }
    if (!status)
        status = settle(store, &b, err);
    for (size_t i = 0; i < n && !status; ++i) {
        const struct portolan_sample *s = &samples[u[i].sample];
        int64_t *id = &ids[u[i].sample].callpath, other;

        *id = settled(&b, *id);
        make_callpath_key(x, parent_of(s, ids), s);
        if (!(status = recall(&x->known, &x->key, &other, err)) && !other)
            status = remember(&x->known, &x->key, *id, err);
    }
    batch_clear(&b);
    return status;
}

/* The identities of some samples that are not in the cache. */
struct unknowns {
    struct unknown *paths;
    size_t n, capacity;
    struct batch threads;
};

static enum portolan_status name_sample(struct portolan_store *store,
                                        const struct portolan_sample *samples, size_t at,
                                        bool call_path_only, struct identity *ids,
                                        struct unknowns *u, struct portolan_error *err)
{
    const struct portolan_sample *s = &samples[at];
    struct identities *x = store->identities;
    const union backend_value thread[] = {{.i = x->trial}, {.i = s->rank}, {.i = s->thread}};
    int64_t parent = parent_of(s, ids);
    enum portolan_status status = check_sample(samples, at, err);

    if (!status && (parent || s->parent < 0)) {
        make_callpath_key(x, parent, s);
        status = recall(&x->known, &x->key, &ids[at].callpath, err);
    }
    if (!status && !ids[at].callpath) {
        if (!portolan_reserve(&u->paths, &u->capacity, u->n + 1, sizeof *u->paths))
            return portolan_no_memory(err);
        u->paths[u->n++] = (struct unknown){.sample = at};
    }
    if (status || call_path_only || (status = want(x, &u->threads, thread, &ids[at].thread, err)))
        return status;
    return identity_of_layout(store, s, &ids[at].layout, err);
}

enum portolan_status identities_of_samples(struct portolan_store *store,
                                           const struct portolan_sample *samples, size_t n,
                                           bool call_paths_only, struct identity **ids,
                                           struct portolan_error *err)
{
    struct identity *x = portolan_calloc(n + 1, sizeof *x);
    struct unknowns u = {.threads.kind = IDENTITY_THREAD};
    enum portolan_status status = x ? PORTOLAN_OK : portolan_no_memory(err);

    for (size_t i = 0; i < n && !status; ++i)
        status = name_sample(store, samples, i, call_paths_only, x, &u, err);
    if (!status)
        status = settle(store, &u.threads, err);
    for (size_t i = 0; i < n && u.threads.n && !status; ++i)
        x[i].thread = settled(&u.threads, x[i].thread);
    if (!status && !(status = name_methods(store, samples, u.paths, u.n, err)))
        status = name_paths(store, samples, u.paths, u.n, x, err);
    batch_clear(&u.threads);
    free(u.paths);
    if (status) {
        free(x);
        x = NULL;
    }
    *ids = x;
    return status;
}
