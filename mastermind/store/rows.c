/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of the data base as structs, and the texts in them. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------- texts */

struct texts {
    struct portolan_index index;
    size_t capacity;
    char **list;
};

struct texts *texts_create(void)
{
    return portolan_calloc(1, sizeof(struct texts));
}

void texts_destroy(struct texts *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->index.n; ++i)
        free(t->list[i]);
    free(t->list);
    portolan_index_clear(&t->index);
    free(t);
}

struct wanted {
    const struct texts *in;
    const char *text;
};

static bool same_text(const void *wanted, size_t i)
{
    const struct wanted *w = wanted;

    return !strcmp(w->in->list[i], w->text);
}

const char *texts_intern(struct texts *t, const char *text)
{
    const struct wanted wanted = {t, text};
    uint64_t hash = portolan_hash(text, strlen(text), 0);
    size_t at = portolan_index_find(&t->index, hash, same_text, &wanted), n = t->index.n;
    char *copy;

    if (at != SIZE_MAX)
        return t->list[at];
    if (!portolan_reserve(&t->list, &t->capacity, n + 1, sizeof *t->list) ||
        !portolan_index_reserve(&t->index, n + 1) || !(copy = portolan_strdup(text)))
        return NULL;
    portolan_index_add(&t->index, hash, n);
    return t->list[n] = copy;
}

/* -------------------------------------------------------------------------------------- rows */

void columns_put(const struct column *columns, size_t n, const void *row,
                 union backend_value *values)
{
    for (size_t i = 0; i < n; ++i) {
        const void *member = (const char *)row + columns[i].offset;

        switch (columns[i].kind) {
        case COLUMN_BOOL:
            values[i].i = *(const bool *)member;
            break;
        case COLUMN_INT:
            values[i].i = *(const int *)member;
            break;
        case COLUMN_INT64:
            values[i].i = *(const int64_t *)member;
            break;
        case COLUMN_DOUBLE:
            values[i].d = *(const double *)member;
            break;
        case COLUMN_TEXT:
            values[i].t = *(const char *const *)member;
            break;
        }
    }
}

bool columns_take(const struct column *columns, size_t n, struct backend *b, enum statement which,
                  int first, struct texts *texts, void *row)
{
    for (size_t i = 0; i < n; ++i) {
        void *member = (char *)row + columns[i].offset;
        int at = first + (int)i;

        switch (columns[i].kind) {
        case COLUMN_BOOL:
            *(bool *)member = backend_int(b, which, at) != 0;
            break;
        case COLUMN_INT:
            *(int *)member = (int)backend_int(b, which, at);
            break;
        case COLUMN_INT64:
            *(int64_t *)member = backend_int(b, which, at);
            break;
        case COLUMN_DOUBLE:
            *(double *)member = backend_double(b, which, at);
            break;
        case COLUMN_TEXT:
            if (!(*(const char **)member = texts_intern(texts, backend_text(b, which, at))))
                return false;
            break;
        }
    }
    return true;
}

enum portolan_status rows_read(struct backend *b, enum statement which, const struct shape *shape,
                               struct texts *texts, void *array, size_t *n,
                               struct portolan_error *err, const char *types, ...)
{
    enum portolan_status status;
    size_t capacity = 0;
    char *rows;
    va_list args;
    bool row;

    va_start(args, types);
    status = backend_query_list(b, which, err, types, args);
    va_end(args);
    while (!status && !(status = backend_next(b, which, &row, err)) && row) {
        bool taken = portolan_reserve(array, &capacity, *n + 1, shape->size);

        memcpy(&rows, array, sizeof rows); /* ARRAY is the address of a pointer of another type */
        if (taken && columns_take(shape->columns, shape->n, b, which, 0, texts,
                                  memset(rows + *n * shape->size, 0, shape->size)))
            ++*n;
        else
            status = portolan_no_memory(err);
    }
    backend_reset(b, which);
    return status;
}
