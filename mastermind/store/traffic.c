/* SPDX-License-Identifier: BSD-3-Clause */
/* What ranks communicated. */
#include "internal.h"

#include <stdlib.h>

struct put {
    const struct portolan_traffic *rows;
    int64_t trial;
};

static void fill_row(void *arg, size_t row, union backend_value *v)
{
    const struct put *p = arg;
    const struct portolan_traffic *t = &p->rows[row];

    v[0].i = p->trial;
    v[1].i = t->rank;
    v[2].t = t->routine ? t->routine : "";
    v[3].i = t->partner;
    v[4].i = t->received;
    v[5].i = t->calls;
    v[6].d = t->time_ns;
    v[7].d = t->bytes;
}

enum portolan_status portolan_store_put_traffic(struct portolan_store *store, int64_t trial,
                                                const struct portolan_traffic *rows, size_t n,
                                                struct portolan_error *err)
{
    struct put p = {rows, trial};
    enum portolan_status status = store_begin(store, trial, err);

    if (status)
        return store_explain(store, status, err, "communication");
    for (size_t i = 0; i < n && !status; ++i)
        if (!i || rows[i].rank != rows[i - 1].rank)
            status = backend_run(store->backend, DELETE_TRAFFIC, NULL, err, "ii", trial,
                                 (int64_t)rows[i].rank);
    if (!status)
        status = backend_put_rows(store->backend, PUT_TRAFFIC, "iitiiidd", n, fill_row, &p, err);
    return store_explain(store, store_finish(store, status, err), err, "communication");
}

void portolan_traffic_set_destroy(struct portolan_traffic_set *set)
{
    if (!set)
        return;
    texts_destroy(set->impl);
    free(set->rows);
    free(set);
}

static enum portolan_status read_rows(struct backend *b, int64_t trial,
                                      struct portolan_traffic_set *set, struct portolan_error *err)
{
    enum portolan_status status = backend_query(b, READ_TRAFFIC, err, "i", trial);
    size_t capacity = 0;
    bool row;

    while (!status && !(status = backend_next(b, READ_TRAFFIC, &row, err)) && row) {
        struct portolan_traffic t = {
            .rank = (int)backend_int(b, READ_TRAFFIC, 0),
            .partner = (int)backend_int(b, READ_TRAFFIC, 1),
            .received = backend_int(b, READ_TRAFFIC, 2) != 0,
            .calls = backend_int(b, READ_TRAFFIC, 3),
            .time_ns = backend_double(b, READ_TRAFFIC, 4),
            .bytes = backend_double(b, READ_TRAFFIC, 5),
        };

        if (texts_take(set->impl, b, READ_TRAFFIC, 6, &t.routine) &&
            store_reserve(&set->rows, &capacity, set->n, sizeof t))
            set->rows[set->n++] = t;
        else
            status = portolan_no_memory(err);
    }
    backend_reset(b, READ_TRAFFIC);
    return status;
}

enum portolan_status portolan_store_read_traffic(struct portolan_store *store, int64_t trial,
                                                 struct portolan_traffic_set **set,
                                                 struct portolan_error *err)
{
    struct portolan_traffic_set *made = portolan_calloc(1, sizeof *made);
    enum portolan_status status = PORTOLAN_OK;

    *set = NULL;
    if (!made || !(made->impl = texts_create()))
        status = portolan_no_memory(err);
    else
        status = read_rows(store->backend, trial, made, err);
    if (status) {
        portolan_error_prefix(err, "store '%s': communication of trial %lld cannot be read",
                              store->path, (long long)trial);
        portolan_traffic_set_destroy(made);
        return status;
    }
    *set = made;
    return PORTOLAN_OK;
}
