/* SPDX-License-Identifier: BSD-3-Clause */
/* From ids to names: what a trial's rows refer to, in memory. */
#include "internal.h"

#include <stdlib.h>

enum portolan_status trial_names_missing(struct portolan_error *err)
{
    return portolan_error_set(err, PORTOLAN_EIO,
                              "is damaged: rows refer to names that are not there");
}

void trial_names_clear(struct trial_names *n)
{
    free(n->paths);
    free(n->threads);
    free(n->layouts);
    *n = (struct trial_names){0};
}

static enum portolan_status take_path(struct trial_names *n, size_t *capacity, struct backend *b,
                                      struct texts *texts, struct portolan_error *err)
{
    struct named_path p = {.id = backend_int(b, READ_CALLPATHS, 0),
                           .parent = backend_int(b, READ_CALLPATHS, 1)};
    const char **column[] = {&p.user,           &p.uses,      &p.instance, &p.port,
                             &p.implementation, &p.port_type, &p.method};

    for (int i = 0; i < 7; ++i)
        if (!texts_take(texts, b, READ_CALLPATHS, 2 + i, column[i]))
            return portolan_no_memory(err);
    if (!store_reserve(&n->paths, capacity, n->n_paths, sizeof p))
        return portolan_no_memory(err);
    n->paths[n->n_paths++] = p;
    return PORTOLAN_OK;
}

static enum portolan_status take_thread(struct trial_names *n, size_t *capacity, struct backend *b,
                                        struct texts *texts, struct portolan_error *err)
{
    (void)texts;
    if (!store_reserve(&n->threads, capacity, n->n_threads, sizeof *n->threads))
        return portolan_no_memory(err);
    n->threads[n->n_threads++] = (struct named_thread){
        backend_int(b, READ_THREADS, 0),
        (int)backend_int(b, READ_THREADS, 1),
        (int)backend_int(b, READ_THREADS, 2),
    };
    return PORTOLAN_OK;
}

static enum portolan_status take_layout(struct trial_names *n, size_t *capacity, struct backend *b,
                                        struct texts *texts, struct portolan_error *err)
{
    struct named_layout l = {.id = backend_int(b, READ_LAYOUTS, 0),
                             .n_context = (int)backend_int(b, READ_LAYOUTS, 1),
                             .n_counters = (int)backend_int(b, READ_LAYOUTS, 2)};

    if (l.n_context > PORTOLAN_CONTEXT_MAX || l.n_counters > PORTOLAN_COUNTER_MAX)
        return trial_names_missing(err);
    for (int i = 0; i < l.n_context; ++i)
        if (!texts_take(texts, b, READ_LAYOUTS, 3 + i, &l.context[i]))
            return portolan_no_memory(err);
    for (int i = 0; i < l.n_counters; ++i)
        if (!texts_take(texts, b, READ_LAYOUTS, 3 + PORTOLAN_CONTEXT_MAX + i, &l.counter[i]))
            return portolan_no_memory(err);
    if (!store_reserve(&n->layouts, capacity, n->n_layouts, sizeof l))
        return portolan_no_memory(err);
    n->layouts[n->n_layouts++] = l;
    return PORTOLAN_OK;
}

enum portolan_status trial_names_read(struct trial_names *names, struct backend *b, int64_t trial,
                                      struct texts *texts, struct portolan_error *err)
{
    static const struct {
        enum statement which;
        enum portolan_status (*take)(struct trial_names *n, size_t *capacity, struct backend *b,
                                     struct texts *texts, struct portolan_error *err);
    } kinds[] = {
        {READ_CALLPATHS, take_path},
        {READ_THREADS, take_thread},
        {READ_LAYOUTS, take_layout},
    };
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !status; ++i) {
        size_t capacity = 0;
        bool row;

        status = backend_query(b, kinds[i].which, err, "i", trial);
        while (!status && !(status = backend_next(b, kinds[i].which, &row, err)) && row)
            status = kinds[i].take(names, &capacity, b, texts, err);
        backend_reset(b, kinds[i].which);
    }
    if (status)
        trial_names_clear(names);
    return status;
}

/* In an array of structs of SIZE bytes that begin with their id and are sorted by it. */
static int64_t find(const void *items, size_t n, size_t size, int64_t id, int64_t near)
{
    const char *base = items;
    size_t low = 0, high = n;

    for (int64_t i = near; i >= 0 && i < near + 2 && i < (int64_t)n; ++i)
        if (*(const int64_t *)(const void *)(base + (size_t)i * size) == id)
            return i;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (*(const int64_t *)(const void *)(base + middle * size) < id)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == n || *(const int64_t *)(const void *)(base + low * size) != id)
        return -1;
    return (int64_t)low;
}

int64_t trial_names_find_path(const struct trial_names *n, int64_t id, int64_t near)
{
    return find(n->paths, n->n_paths, sizeof *n->paths, id, near);
}

int64_t trial_names_find_thread(const struct trial_names *n, int64_t id, int64_t near)
{
    return find(n->threads, n->n_threads, sizeof *n->threads, id, near);
}

int64_t trial_names_find_layout(const struct trial_names *n, int64_t id, int64_t near)
{
    return find(n->layouts, n->n_layouts, sizeof *n->layouts, id, near);
}

void trial_names_put_path(const struct named_path *p, struct portolan_sample *s)
{
    s->user = p->user;
    s->uses = p->uses;
    s->instance = p->instance;
    s->port = p->port;
    s->implementation = p->implementation;
    s->port_type = p->port_type;
    s->method = p->method;
}

void trial_names_put_layout(const struct named_layout *l, struct portolan_sample *s)
{
    s->n_context = l->n_context;
    s->n_counters = l->n_counters;
    for (int i = 0; i < l->n_context; ++i)
        s->context_name[i] = l->context[i];
    for (int i = 0; i < l->n_counters; ++i)
        s->counter_name[i] = l->counter[i];
}
