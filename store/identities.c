/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From names to ids. What has been found or made for the trial at hand is remembered by the store's
 * handle, so that a sample costs one look-up in memory instead of six in the data base. Nobody
 * takes identities away but by deleting the trial, and trials' ids are not given again: what is
 * remembered stays true until a rollback.
 */
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct slot {
    uint64_t hash;
    const char *key; /* NULL: empty */
    size_t size;
    int64_t id;
};

struct identities {
    int64_t trial;
    struct portolan_arena arena; /* keys */
    size_t count, capacity;      /* a power of two, at least a quarter of it empty */
    struct slot *slots;
    struct portolan_text key; /* being made */
};

static const char *text(const char *t)
{
    return t ? t : "";
}

void identities_forget(struct portolan_store *store)
{
    struct identities *x = store->identities;

    store->identities = NULL;
    if (!x)
        return;
    portolan_arena_clear(&x->arena);
    portolan_text_clear(&x->key);
    free(x->slots);
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
        return store_no_memory(err);
    x->trial = trial;
    x->capacity = 256;
    store->identities = x;
    if ((x->slots = portolan_calloc(x->capacity, sizeof *x->slots)))
        return PORTOLAN_OK;
    identities_forget(store);
    return store_no_memory(err);
}

static struct slot *slot_of(const struct identities *x, uint64_t hash, const char *key, size_t size)
{
    size_t i = hash & (x->capacity - 1);

    while (x->slots[i].key && (x->slots[i].hash != hash || x->slots[i].size != size ||
                               memcmp(x->slots[i].key, key, size) != 0))
        i = (i + 1) & (x->capacity - 1);
    return &x->slots[i];
}

static bool grow(struct identities *x)
{
    struct identities wider = {.capacity = 2 * x->capacity};

    if (!(wider.slots = portolan_calloc(wider.capacity, sizeof *wider.slots)))
        return false;
    for (size_t i = 0; i < x->capacity; ++i) {
        const struct slot *s = &x->slots[i];

        if (s->key)
            *slot_of(&wider, s->hash, s->key, s->size) = *s;
    }
    free(x->slots);
    x->slots = wider.slots;
    x->capacity = wider.capacity;
    return true;
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

/* *ID: what is remembered under the key that was made, or 0. */
static enum portolan_status recall(const struct identities *x, int64_t *id,
                                   struct portolan_error *err)
{
    const struct portolan_text *k = &x->key;

    *id = 0;
    if (k->failed)
        return store_no_memory(err);
    *id = slot_of(x, portolan_hash(k->bytes, k->length, 0), k->bytes, k->length)->id;
    return PORTOLAN_OK;
}

/* Remembers ID under the key that was made, unless STATUS says that there is none. */
static enum portolan_status remember(struct identities *x, enum portolan_status status, int64_t id,
                                     struct portolan_error *err)
{
    const struct portolan_text *k = &x->key;
    uint64_t hash;
    char *copy;

    if (status)
        return status;
    if (k->failed || (4 * (x->count + 1) > 3 * x->capacity && !grow(x)) ||
        !(copy = portolan_arena_strndup(&x->arena, k->bytes, k->length)))
        return store_no_memory(err);
    hash = portolan_hash(copy, k->length, 0);
    *slot_of(x, hash, copy, k->length) = (struct slot){hash, copy, k->length, id};
    ++x->count;
    return PORTOLAN_OK;
}

/* In the data base; FIND takes the first values that ADD takes. */
static enum portolan_status find_or_add(struct portolan_store *store, enum statement find,
                                        const char *find_types, enum statement add,
                                        const char *add_types, const union backend_value *values,
                                        int64_t *id, struct portolan_error *err)
{
    enum portolan_status status =
        backend_run_values(store->backend, find, id, err, find_types, values);

    if (!status && !*id)
        status = backend_run_values(store->backend, add, id, err, add_types, values);
    return status;
}

enum portolan_status identity_of_step(struct portolan_store *store, int step, int64_t *id,
                                      struct portolan_error *err)
{
    struct identities *x = store->identities;
    const union backend_value values[] = {{.i = x->trial}, {.i = step}};
    enum portolan_status status;

    begin_key(x, 's');
    add_number(x, step);
    if ((status = recall(x, id, err)) || *id)
        return status;
    status = find_or_add(store, FIND_STEP, "ii", ADD_STEP, "ii", values, id, err);
    return remember(x, status, *id, err);
}

enum portolan_status identity_of_metric(struct portolan_store *store, const char *name,
                                        const char *unit, int64_t *id, struct portolan_error *err)
{
    struct identities *x = store->identities;
    const union backend_value values[] = {{.i = x->trial}, {.t = text(name)}, {.t = unit}};
    enum portolan_status status;

    begin_key(x, 'm');
    add_text(x, name);
    if ((status = recall(x, id, err)) || *id)
        return status;
    status = find_or_add(store, FIND_METRIC, "it", ADD_METRIC, "itt", values, id, err);
    return remember(x, status, *id, err);
}

enum portolan_status identity_of_counter(struct portolan_store *store, const char *name,
                                         int64_t *id, struct portolan_error *err)
{
    struct identities *x = store->identities;
    const union backend_value values[] = {{.i = x->trial}, {.t = text(name)}};
    enum portolan_status status;

    begin_key(x, 'e');
    add_text(x, name);
    if ((status = recall(x, id, err)) || *id)
        return status;
    status = find_or_add(store, FIND_COUNTER, "it", ADD_COUNTER, "it", values, id, err);
    return remember(x, status, *id, err);
}

enum portolan_status identity_of_thread(struct portolan_store *store, int rank, int thread,
                                        int64_t *id, struct portolan_error *err)
{
    struct identities *x = store->identities;
    const union backend_value values[] = {{.i = x->trial}, {.i = rank}, {.i = thread}};
    enum portolan_status status;

    begin_key(x, 't');
    add_number(x, rank);
    add_number(x, thread);
    if ((status = recall(x, id, err)) || *id)
        return status;
    status = find_or_add(store, FIND_THREAD, "iii", ADD_THREAD, "iii", values, id, err);
    return remember(x, status, *id, err);
}

static enum portolan_status identity_of_port(struct portolan_store *store,
                                             const struct portolan_sample *s, int64_t *id,
                                             struct portolan_error *err)
{
    struct identities *x = store->identities;
    const union backend_value component[] = {
        {.i = x->trial}, {.t = text(s->instance)}, {.t = text(s->implementation)}};
    union backend_value port[] = {{.i = 0}, {.t = text(s->port)}, {.t = text(s->port_type)}};
    enum portolan_status status;

    begin_key(x, 'o');
    add_text(x, s->instance);
    add_text(x, s->implementation);
    add_text(x, s->port);
    add_text(x, s->port_type);
    if ((status = recall(x, id, err)) || *id)
        return status;
    status =
        find_or_add(store, FIND_COMPONENT, "itt", ADD_COMPONENT, "itt", component, &port[0].i, err);
    if (!status)
        status = find_or_add(store, FIND_PORT, "itt", ADD_PORT, "itt", port, id, err);
    return remember(x, status, *id, err);
}

static enum portolan_status identity_of_timer(struct portolan_store *store,
                                              const struct portolan_sample *s, int64_t *id,
                                              struct portolan_error *err)
{
    struct identities *x = store->identities;
    union backend_value timer[] = {{.i = 0}, {.t = text(s->method)}};
    enum portolan_status status = identity_of_port(store, s, &timer[0].i, err);

    if (status)
        return status;
    begin_key(x, 'd');
    add_number(x, timer[0].i);
    add_text(x, s->method);
    if ((status = recall(x, id, err)) || *id)
        return status;
    status = find_or_add(store, FIND_TIMER, "it", ADD_TIMER, "it", timer, id, err);
    return remember(x, status, *id, err);
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

enum portolan_status identity_of_callpath(struct portolan_store *store, int64_t parent,
                                          const struct portolan_sample *s, int64_t *id,
                                          struct portolan_error *err)
{
    struct identities *x = store->identities;
    union backend_value values[] = {
        {.i = 0}, {.i = parent}, {.t = text(s->user)}, {.t = text(s->uses)}};
    enum portolan_status status;

    make_callpath_key(x, parent, s);
    if ((status = recall(x, id, err)) || *id)
        return status;
    if (!(status = identity_of_timer(store, s, &values[0].i, err)))
        status = find_or_add(store, FIND_CALLPATH, "iitt", ADD_CALLPATH, "iitt", values, id, err);
    make_callpath_key(x, parent, s);
    return remember(x, status, *id, err);
}

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
        status = identity_of_metric(store, s->counter_name[i], "events", &metric, err);
    return status ? status
                  : find_or_add(store, FIND_LAYOUT, types, ADD_LAYOUT, types, values, id, err);
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

enum portolan_status identity_of_layout(struct portolan_store *store,
                                        const struct portolan_sample *s, int64_t *id,
                                        struct portolan_error *err)
{
    struct identities *x = store->identities;
    enum portolan_status status;

    *id = 0;
    if (!s->n_context && !s->n_counters)
        return PORTOLAN_OK;
    make_layout_key(x, s);
    if ((status = recall(x, id, err)) || *id)
        return status;
    status = add_layout(store, s, id, err);
    make_layout_key(x, s); /* metrics have used the place of the key */
    return remember(x, status, *id, err);
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

static enum portolan_status check(const struct portolan_sample *samples, size_t at,
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

enum portolan_status identities_of_samples(struct portolan_store *store,
                                           const struct portolan_sample *samples, size_t n,
                                           bool call_paths_only, struct identity **ids,
                                           struct portolan_error *err)
{
    struct identity *x = portolan_calloc(n + 1, sizeof *x);
    enum portolan_status status = x ? PORTOLAN_OK : store_no_memory(err);

    for (size_t i = 0; i < n && !status; ++i) {
        const struct portolan_sample *s = &samples[i];

        if ((status = check(samples, i, err)))
            break;
        status = identity_of_callpath(store, s->parent < 0 ? 0 : x[s->parent].callpath, s,
                                      &x[i].callpath, err);
        if (!status && !call_paths_only)
            status = identity_of_thread(store, s->rank, s->thread, &x[i].thread, err);
        if (!status && !call_paths_only)
            status = identity_of_layout(store, s, &x[i].layout, err);
    }
    if (status) {
        free(x);
        x = NULL;
    }
    *ids = x;
    return status;
}
