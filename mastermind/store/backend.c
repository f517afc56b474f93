/* SPDX-License-Identifier: BSD-3-Clause */
/* Which back end a path is for, and the calls that are the same for all. */
#include "backend.h"

#include <stdio.h>
#include <string.h>

bool portolan_store_is_server(const char *path)
{
    return !strncmp(path, "postgresql://", 13) || !strncmp(path, "postgres://", 11) ||
           !strncmp(path, "host=", 5);
}

char *portolan_store_traces(struct portolan_arena *arena, const char *path)
{
    return portolan_arena_printf(arena, "%s.traces",
                                 portolan_store_is_server(path) ? "portolan" : path);
}

bool portolan_store_is_one(const char *path)
{
    static const char magic[] = "SQLite format 3";
    char head[sizeof magic] = "";
    FILE *file = portolan_store_is_server(path) ? NULL : fopen(path, "re");
    bool is = file && fread(head, sizeof head, 1, file) == 1 && !memcmp(head, magic, sizeof magic);

    if (file)
        fclose(file);
    return is || portolan_store_is_server(path);
}

enum portolan_status backend_open(const char *path, enum portolan_store_mode mode, int busy_ms,
                                  struct backend **backend, struct portolan_error *err)
{
    *backend = NULL;
    if (!portolan_store_is_server(path))
        return backend_sqlite.open(path, mode, busy_ms, backend, err);
#ifdef PORTOLAN_WITH_POSTGRES
    return backend_postgres.open(path, mode, busy_ms, backend, err);
#else
    return portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                              "names a PostgreSQL server, but this program was built without "
                              "libpq; name a file, or build it again with libpq-dev installed");
#endif
}

char *backend_display(const char *path)
{
    char *shown = portolan_strdup(path), *from, *at;

    if (!shown || !portolan_store_is_server(path))
        return shown;
    /* "//user:secret@", and "password=secret" with whatever may end it. */
    if ((from = strstr(shown, "://")) && (from = strpbrk(from + 3, ":@/?")) && *from == ':' &&
        (at = strchr(from, '@')))
        memmove(from, at, strlen(at) + 1);
    while ((from = strstr(shown, "password="))) {
        at = strstr(from, "='") == from + 8 ? strchr(from + 10, '\'') : NULL;
        at = at ? at + 1 : from + strcspn(from, " &");
        memmove(from, at, strlen(at) + 1);
    }
    return shown;
}

void backend_close(struct backend *b)
{
    if (b)
        b->ops->close(b);
}

static void take_values(const char *types, va_list args, union backend_value *values)
{
    for (; *types; ++types, ++values) {
        if (*types == 'd')
            values->d = va_arg(args, double);
        else if (*types == 't')
            values->t = va_arg(args, const char *);
        else
            values->i = va_arg(args, int64_t);
    }
}

enum portolan_status backend_query_list(struct backend *b, enum statement which,
                                        struct portolan_error *err, const char *types, va_list args)
{
    union backend_value values[BACKEND_VALUES_MAX];

    take_values(types, args, values);
    return b->ops->start(b, which, types, values, err);
}

enum portolan_status backend_query(struct backend *b, enum statement which,
                                   struct portolan_error *err, const char *types, ...)
{
    enum portolan_status status;
    va_list args;

    va_start(args, types);
    status = backend_query_list(b, which, err, types, args);
    va_end(args);
    return status;
}

enum portolan_status backend_run_values(struct backend *b, enum statement which, int64_t *result,
                                        struct portolan_error *err, const char *types,
                                        const union backend_value *values)
{
    enum portolan_status status = b->ops->start(b, which, types, values, err);
    bool row = false;

    if (result)
        *result = 0;
    if (!status)
        status = b->ops->next(b, which, &row, err);
    if (!status && row && result)
        *result = b->ops->integer(b, which, 0);
    /* To the last row: a statement without a transaction commits there, and may fail. */
    while (!status && row)
        status = b->ops->next(b, which, &row, err);
    b->ops->reset(b, which);
    return status;
}

enum portolan_status backend_run(struct backend *b, enum statement which, int64_t *result,
                                 struct portolan_error *err, const char *types, ...)
{
    union backend_value values[BACKEND_VALUES_MAX];
    va_list args;

    va_start(args, types);
    take_values(types, args, values);
    va_end(args);
    return backend_run_values(b, which, result, err, types, values);
}

enum portolan_status backend_put_rows(struct backend *b, enum statement which, const char *types,
                                      size_t n, backend_fill_fn fill, void *arg,
                                      struct portolan_error *err)
{
    return n ? b->ops->put_rows(b, which, types, n, fill, arg, err) : PORTOLAN_OK;
}

enum portolan_status backend_identify(struct backend *b, enum statement find,
                                      const char *find_types, enum statement add,
                                      const char *add_types, size_t n,
                                      const union backend_value *values, int64_t *ids,
                                      struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;
    size_t width = strlen(add_types);

    if (b->ops->identify)
        return b->ops->identify(b, find, add_types, n, values, ids, err);
    for (size_t i = 0; i < n && !status; ++i) {
        union backend_value row[BACKEND_VALUES_MAX];

        for (size_t k = 0; k < width; ++k) {
            row[k] = values[i * width + k];
            if (add_types[k] == 'p' && row[k].i < 0)
                row[k].i = ids[-row[k].i - 1];
        }
        status = backend_run_values(b, find, &ids[i], err, find_types, row);
        if (!status && !ids[i])
            status = backend_run_values(b, add, &ids[i], err, add_types, row);
    }
    return status;
}

enum portolan_status backend_next(struct backend *b, enum statement which, bool *row,
                                  struct portolan_error *err)
{
    return b->ops->next(b, which, row, err);
}

void backend_reset(struct backend *b, enum statement which)
{
    b->ops->reset(b, which);
}

int64_t backend_int(struct backend *b, enum statement which, int column)
{
    return b->ops->integer(b, which, column);
}

double backend_double(struct backend *b, enum statement which, int column)
{
    return b->ops->real(b, which, column);
}

const char *backend_text(struct backend *b, enum statement which, int column)
{
    return b->ops->text(b, which, column);
}
