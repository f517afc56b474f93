/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts about single ranks and threads. */
#include "internal.h"

#include <limits.h>
#include <stdlib.h>

enum portolan_status portolan_store_put_rank_facts(struct portolan_store *store, int64_t trial,
                                                   const struct portolan_rank_fact *facts, size_t n,
                                                   struct portolan_error *err)
{
    enum portolan_status status = store_begin(store, trial, err);

    if (status)
        return store_explain(store, status, err, "metadata of ranks");
    for (size_t i = 0; i < n && !status; ++i) {
        const struct portolan_rank_fact *f = &facts[i];
        int64_t thread = 0;

        status = identity_of_thread(store, f->rank, f->thread, &thread, err);
        if (!status)
            status = backend_run(store->backend, PUT_RANK_FACT, NULL, err, "iitt", trial, thread,
                                 f->name, f->value ? f->value : "");
    }
    return store_explain(store, store_finish(store, status, err), err, "metadata of ranks");
}

void portolan_rank_fact_set_destroy(struct portolan_rank_fact_set *set)
{
    if (!set)
        return;
    texts_destroy(set->impl);
    free(set->facts);
    free(set);
}

static enum portolan_status read_facts(struct backend *b, int64_t trial, const int *rank,
                                       struct portolan_rank_fact_set *set,
                                       struct portolan_error *err)
{
    enum portolan_status status =
        backend_query(b, READ_RANK_FACTS, err, "iii", trial, (int64_t)(rank ? *rank : INT_MIN),
                      (int64_t)(rank ? *rank : INT_MAX));
    size_t capacity = 0;
    bool row;

    while (!status && !(status = backend_next(b, READ_RANK_FACTS, &row, err)) && row) {
        struct portolan_rank_fact f = {.rank = (int)backend_int(b, READ_RANK_FACTS, 0),
                                       .thread = (int)backend_int(b, READ_RANK_FACTS, 1)};

        if (texts_take(set->impl, b, READ_RANK_FACTS, 2, &f.name) &&
            texts_take(set->impl, b, READ_RANK_FACTS, 3, &f.value) &&
            store_reserve(&set->facts, &capacity, set->n, sizeof f))
            set->facts[set->n++] = f;
        else
            status = store_no_memory(err);
    }
    backend_reset(b, READ_RANK_FACTS);
    return status;
}

enum portolan_status portolan_store_read_rank_facts(struct portolan_store *store, int64_t trial,
                                                    const int *rank,
                                                    struct portolan_rank_fact_set **set,
                                                    struct portolan_error *err)
{
    struct portolan_rank_fact_set *made = portolan_calloc(1, sizeof *made);
    enum portolan_status status = PORTOLAN_OK;

    *set = NULL;
    if (!made || !(made->impl = texts_create()))
        status = store_no_memory(err);
    else
        status = read_facts(store->backend, trial, rank, made, err);
    if (status) {
        portolan_error_prefix(err, "store '%s': metadata of the ranks of trial %lld cannot be read",
                              store->path, (long long)trial);
        portolan_rank_fact_set_destroy(made);
        return status;
    }
    *set = made;
    return PORTOLAN_OK;
}
