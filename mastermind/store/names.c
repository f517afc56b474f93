/* SPDX-License-Identifier: BSD-3-Clause */
/* From ids to names: what a trial's rows refer to, in memory. */
#include "internal.h"

#include <stdlib.h>

enum portolan_status trial_names_missing(struct portolan_error *err)
{
    return portolan_error_set(err, PORTOLAN_EIO, "is damaged: rows refer to missing names");
}

void trial_names_clear(struct trial_names *n)
{
    free(n->paths);
    free(n->threads);
    free(n->layouts);
    *n = (struct trial_names){0};
}

enum portolan_status trial_names_read(struct trial_names *names, struct backend *b, int64_t trial,
                                      struct texts *texts, struct portolan_error *err)
{
    static const struct column path_columns[] = {
        COLUMN(INT64, named_path, id),
        COLUMN(INT64, named_path, parent),
        COLUMN(TEXT, named_path, user),
        COLUMN(TEXT, named_path, uses),
        COLUMN(TEXT, named_path, instance),
        COLUMN(TEXT, named_path, port),
        COLUMN(TEXT, named_path, implementation),
        COLUMN(TEXT, named_path, port_type),
        COLUMN(TEXT, named_path, method),
    };
    static const struct column thread_columns[] = {
        COLUMN(INT64, named_thread, id),
        COLUMN(INT, named_thread, rank),
        COLUMN(INT, named_thread, thread),
    };
    _Static_assert(PORTOLAN_CONTEXT_MAX == 4 && PORTOLAN_COUNTER_MAX == 8, "columns of a layout");
    static const struct column layout_columns[] = {
        COLUMN(INT64, named_layout, id),        COLUMN(INT, named_layout, n_context),
        COLUMN(INT, named_layout, n_counters),  COLUMN(TEXT, named_layout, context[0]),
        COLUMN(TEXT, named_layout, context[1]), COLUMN(TEXT, named_layout, context[2]),
        COLUMN(TEXT, named_layout, context[3]), COLUMN(TEXT, named_layout, counter[0]),
        COLUMN(TEXT, named_layout, counter[1]), COLUMN(TEXT, named_layout, counter[2]),
        COLUMN(TEXT, named_layout, counter[3]), COLUMN(TEXT, named_layout, counter[4]),
        COLUMN(TEXT, named_layout, counter[5]), COLUMN(TEXT, named_layout, counter[6]),
        COLUMN(TEXT, named_layout, counter[7]),
    };
    static const struct shape paths = SHAPE(named_path, path_columns);
    static const struct shape threads = SHAPE(named_thread, thread_columns);
    static const struct shape layouts = SHAPE(named_layout, layout_columns);
    enum portolan_status status;

    if ((status = rows_read(b, READ_CALLPATHS, &paths, texts, &names->paths, &names->n_paths, err,
                            "i", trial)) ||
        (status = rows_read(b, READ_THREADS, &threads, NULL, &names->threads, &names->n_threads,
                            err, "i", trial)) ||
        (status = rows_read(b, READ_LAYOUTS, &layouts, texts, &names->layouts, &names->n_layouts,
                            err, "i", trial)))
        trial_names_clear(names);
    return status;
}

static int compare_ids(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

int64_t ids_find(const void *items, size_t n, size_t size, int64_t id)
{
    const char *found = n ? bsearch(&id, items, n, size, compare_ids) : NULL;

    return found ? (found - (const char *)items) / (int64_t)size : -1;
}

static int64_t find_id(const void *items, size_t n, size_t size, int64_t id, int64_t near)
{
    for (int64_t i = near; i >= 0 && i < near + 2 && i < (int64_t)n; ++i)
        if (*(const int64_t *)(const void *)((const char *)items + (size_t)i * size) == id)
            return i;
    return ids_find(items, n, size, id);
}

int64_t trial_names_find_path(const struct trial_names *n, int64_t id, int64_t near)
{
    return find_id(n->paths, n->n_paths, sizeof *n->paths, id, near);
}

int64_t trial_names_find_thread(const struct trial_names *n, int64_t id, int64_t near)
{
    return find_id(n->threads, n->n_threads, sizeof *n->threads, id, near);
}

int64_t trial_names_find_layout(const struct trial_names *n, int64_t id, int64_t near)
{
    return find_id(n->layouts, n->n_layouts, sizeof *n->layouts, id, near);
}

static int by_rank(const void *a, const void *b)
{
    const struct named_thread *const *x = a, *const *y = b;

    if ((*x)->rank != (*y)->rank)
        return (*x)->rank < (*y)->rank ? -1 : 1;
    return ((*x)->thread > (*y)->thread) - ((*x)->thread < (*y)->thread);
}

const struct named_thread **trial_names_sort_threads(const struct trial_names *n)
{
    const struct named_thread **sorted = portolan_calloc(n->n_threads + 1, sizeof *sorted);

    for (size_t i = 0; sorted && i < n->n_threads; ++i)
        sorted[i] = &n->threads[i];
    if (sorted)
        qsort(sorted, n->n_threads, sizeof *sorted, by_rank);
    return sorted;
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
