/* SPDX-License-Identifier: BSD-3-Clause */
/* The PostgreSQL back end: how its statements are run through libpq. */
#include "postgres.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The numbers of types in PostgreSQL, which never change. */
enum {
    BOOLEAN = 16,
    INT8 = 20,
    INT2 = 21,
    INT4 = 23,
    TEXT = 25,
    FLOAT4 = 700,
    FLOAT8 = 701,
    TEXTS = 1009,
    INT8S = 1016
};

/* The least time that a new session gets, even with a shorter time-out. */
enum { SHORTEST_MS = 200 };
enum { FETCH_ROWS = 4096, STATEMENT_BYTES = 1000 };

/* A statement that has been started. */
struct query {
    PGresult *rows;
    int at;           /* the row at hand */
    bool is_prepared; /* by this session */
    bool has_cursor;  /* which may have more */
};

struct postgres {
    struct backend base;
    PGconn *connection;
    bool write;
    int busy_ms;
    int64_t
        retry_ms; /* not before that another session is tried: a server that is away costs time */
    struct query queries[STATEMENT_COUNT];
    struct portolan_text copy; /* empty, with room for rows that are sent together */
};

static struct postgres *of(struct backend *b)
{
    return (struct postgres *)b;
}

/* ------------------------------------------------- values */

struct parameters {
    int n, lengths[BACKEND_VALUES_MAX], formats[BACKEND_VALUES_MAX];
    Oid types[BACKEND_VALUES_MAX];
    const char *values[BACKEND_VALUES_MAX];
    char numbers[BACKEND_VALUES_MAX][8];
};

static void encode_all(struct parameters *p, const char *types, const union backend_value *values)
{
    for (p->n = 0; types[p->n]; ++p->n) {
        int i = p->n;

        p->types[i] = types[i] == 't' ? TEXT : types[i] == 'd' ? FLOAT8 : INT8;
        p->formats[i] = 1;
        p->lengths[i] = postgres_encode(types[i], &values[i], p->numbers[i], &p->values[i]);
        if (p->lengths[i] < 0)
            p->values[i] = NULL;
    }
}

/* ------------------------------------------------- statements */

static bool in_transaction(const struct postgres *b)
{
    return libpq.transactionStatus(b->connection) != PQTRANS_IDLE;
}

static void forget(struct postgres *b)
{
    for (int i = 0; i < STATEMENT_COUNT; ++i) {
        libpq.clear(b->queries[i].rows);
        b->queries[i] = (struct query){0};
    }
}

/* Before anything new is begun: opens another session if this one was lost. */
static enum portolan_status reconnect(struct postgres *b, struct portolan_error *err)
{
    int limit_ms = b->busy_ms < SHORTEST_MS ? SHORTEST_MS : b->busy_ms;
    int64_t begin_ms = postgres_now_ms();
    enum portolan_status status;

    if (libpq.status(b->connection) == CONNECTION_OK)
        return PORTOLAN_OK;
    if (begin_ms < b->retry_ms && limit_ms < POSTGRES_SHORT_MS)
        return postgres_lost(b->connection, err);
    forget(b);
    status = postgres_reconnect(b->connection, b->write, b->busy_ms, limit_ms, err);
    if (status) /* such tries take at most a twentieth of the time */
        b->retry_ms = postgres_now_ms() + 20 * (postgres_now_ms() - begin_ms);
    return status;
}

/* Returns how long a statement may take. Storing is short; reading or deleting may take long. */
static int limit_of(const struct postgres *b, enum statement which)
{
    return b->write && which != DELETE_TRIAL && which < READ_TRIALS ? POSTGRES_LONG_MS
                                                                    : POSTGRES_LONGEST_MS;
}

/* Repeated on another connection if that is lost, since nothing depends on it yet. */
static enum portolan_status begin(struct postgres *b, enum statement which,
                                  struct portolan_error *err)
{
    struct portolan_error first = {0};
    enum portolan_status status = reconnect(b, err);

    if (status)
        return status;
    status = postgres_execute(b->connection, postgres_sql[which], POSTGRES_SHORT_MS + b->busy_ms,
                              &first);
    if (status && libpq.status(b->connection) != CONNECTION_OK) {
        first = (struct portolan_error){0};
        status = reconnect(b, &first);
        if (!status)
            status = postgres_execute(b->connection, postgres_sql[which],
                                      POSTGRES_SHORT_MS + b->busy_ms, &first);
    }
    if (!status)
        return PORTOLAN_OK;
    if (libpq.status(b->connection) == CONNECTION_OK && in_transaction(b))
        postgres_execute(b->connection, backend_sql[ROLLBACK], POSTGRES_SHORT_MS, NULL);
    return portolan_error_set(err, status, "%s", first.text);
}

static enum portolan_status commit(struct postgres *b, struct portolan_error *err)
{
    PGresult *r = postgres_answer(
        b->connection, libpq.sendQuery(b->connection, backend_sql[COMMIT]), POSTGRES_LONG_MS);
    bool undone;

    if (!postgres_is_good(r)) {
        enum portolan_status status = postgres_failed(b->connection, r, err);

        if (libpq.status(b->connection) != CONNECTION_OK)
            portolan_error_prefix(err, "it is not known whether it was stored");
        return status;
    }
    undone = !strcmp(libpq.cmdStatus(r), "ROLLBACK");
    libpq.clear(r);
    return undone ? portolan_error_set(err, PORTOLAN_EIO, "the transaction had failed before")
                  : PORTOLAN_OK;
}

static enum portolan_status rollback(struct postgres *b, struct portolan_error *err)
{
    if (libpq.status(b->connection) != CONNECTION_OK || !in_transaction(b))
        return PORTOLAN_OK;
    return postgres_execute(b->connection, backend_sql[ROLLBACK], POSTGRES_SHORT_MS, err);
}

/* The statement, with values as this server writes them. */
static const char *get_sql(enum statement which, char text[STATEMENT_BYTES])
{
    if (postgres_sql[which])
        return postgres_sql[which];
    snprintf(text, STATEMENT_BYTES, "%s", backend_sql[which]);
    for (char *c = text; (c = strchr(c, '?'));)
        *c = '$';
    return text;
}

static void reset(struct backend *base, enum statement which)
{
    struct postgres *b = of(base);
    struct query *q = &b->queries[which];
    char text[40];

    libpq.clear(q->rows);
    q->rows = NULL;
    if (q->has_cursor && libpq.transactionStatus(b->connection) == PQTRANS_INTRANS) {
        snprintf(text, sizeof text, "CLOSE c%d", (int)which);
        postgres_execute(b->connection, text, POSTGRES_SHORT_MS, NULL);
    }
    q->has_cursor = false;
}

static bool is_long(enum statement which)
{
    return which == READ_CALL_DATA || which == READ_INVOCATIONS || which == READ_LATE_INVOCATIONS;
}

/* libpq keeps whole results, so what may be millions of rows is fetched in parts. */
static enum portolan_status fetch(struct postgres *b, enum statement which,
                                  struct portolan_error *err)
{
    struct query *q = &b->queries[which];
    enum portolan_status status;
    char text[60];

    libpq.clear(q->rows);
    snprintf(text, sizeof text, "FETCH %d FROM c%d", FETCH_ROWS, (int)which);
    q->rows = postgres_answer(
        b->connection, libpq.sendQueryParams(b->connection, text, 0, NULL, NULL, NULL, NULL, 1),
        POSTGRES_LONGEST_MS);
    q->at = -1;
    if (libpq.resultStatus(q->rows) == PGRES_TUPLES_OK)
        return PORTOLAN_OK;
    q->has_cursor = false;
    status = postgres_failed(b->connection, q->rows, err);
    q->rows = NULL;
    return status;
}

static enum portolan_status open_cursor(struct postgres *b, enum statement which,
                                        const struct parameters *p, struct portolan_error *err)
{
    char statement[STATEMENT_BYTES], text[STATEMENT_BYTES + 100];
    PGresult *r;

    snprintf(text, sizeof text, "DECLARE c%d NO SCROLL CURSOR FOR %s", (int)which,
             get_sql(which, statement));
    r = postgres_answer(b->connection,
                        libpq.sendQueryParams(b->connection, text, p->n, p->types, p->values,
                                              p->lengths, p->formats, 1),
                        POSTGRES_LONGEST_MS);
    if (!postgres_is_good(r))
        return postgres_failed(b->connection, r, err);
    libpq.clear(r);
    b->queries[which].has_cursor = true;
    return fetch(b, which, err);
}

static enum portolan_status run(struct postgres *b, enum statement which,
                                const struct parameters *p, struct portolan_error *err)
{
    struct query *q = &b->queries[which];
    char name[20], text[STATEMENT_BYTES];
    PGresult *r;

    snprintf(name, sizeof name, "s%d", (int)which);
    if (!q->is_prepared) {
        r = postgres_answer(
            b->connection,
            libpq.sendPrepare(b->connection, name, get_sql(which, text), p->n, p->types),
            POSTGRES_LONG_MS);
        if (!postgres_is_good(r))
            return postgres_failed(b->connection, r, err);
        libpq.clear(r);
        q->is_prepared = true;
    }
    r = postgres_answer(
        b->connection,
        libpq.sendQueryPrepared(b->connection, name, p->n, p->values, p->lengths, p->formats, 1),
        limit_of(b, which));
    if (!postgres_is_good(r))
        return postgres_failed(b->connection, r, err);
    q->rows = r;
    q->at = -1;
    return PORTOLAN_OK;
}

static enum portolan_status start(struct backend *base, enum statement which, const char *types,
                                  const union backend_value *values, struct portolan_error *err)
{
    struct postgres *b = of(base);
    enum portolan_status status = PORTOLAN_OK;
    struct parameters p;

    if (which == BEGIN_READ || which == BEGIN_WRITE)
        return begin(b, which, err);
    if (which == COMMIT)
        return commit(b, err);
    if (which == ROLLBACK)
        return rollback(b, err);
    reset(base, which);
    if (!in_transaction(b))
        status = reconnect(b, err);
    if (status)
        return status;
    encode_all(&p, types, values);
    return is_long(which) && in_transaction(b) ? open_cursor(b, which, &p, err)
                                               : run(b, which, &p, err);
}

static enum portolan_status next_row(struct backend *base, enum statement which, bool *row,
                                     struct portolan_error *err)
{
    struct postgres *b = of(base);
    struct query *q = &b->queries[which];
    enum portolan_status status = PORTOLAN_OK;

    *row = false;
    if (q->rows && q->has_cursor && q->at + 1 == libpq.ntuples(q->rows) &&
        libpq.ntuples(q->rows) == FETCH_ROWS)
        status = fetch(b, which, err);
    if (!status && q->rows && ++q->at < libpq.ntuples(q->rows)) {
        *row = true;
        return PORTOLAN_OK;
    }
    reset(base, which);
    return status;
}

static enum portolan_status put_rows(struct backend *base, enum statement which, const char *types,
                                     size_t n, backend_fill_fn fill, void *arg,
                                     struct portolan_error *err)
{
    struct postgres *b = of(base);

    return postgres_put_rows(b->connection, &b->copy, backend_sql[which], types, n, fill, arg, err);
}

/* ------------------------------------------------- rows */

static const char *bytes_of(struct backend *b, enum statement which, int column, Oid *type)
{
    const struct query *q = &of(b)->queries[which];

    *type = libpq.ftype(q->rows, column);
    return libpq.getisnull(q->rows, q->at, column) ? NULL : libpq.getvalue(q->rows, q->at, column);
}

static uint64_t bits_of(const char *bytes, size_t n)
{
    uint64_t bits = 0;

    for (size_t i = 0; i < n; ++i)
        bits = bits << 8 | (unsigned char)bytes[i];
    return bits;
}

static double real(struct backend *b, enum statement which, int column);

static int64_t integer(struct backend *b, enum statement which, int column)
{
    const char *bytes;
    Oid type;

    if (!(bytes = bytes_of(b, which, column, &type)))
        return 0;
    switch (type) {
    case INT8:
        return (int64_t)bits_of(bytes, 8);
    case INT4:
        return (int32_t)bits_of(bytes, 4);
    case INT2:
        return (int16_t)bits_of(bytes, 2);
    case BOOLEAN:
        return *bytes;
    default:
        return (int64_t)real(b, which, column);
    }
}

static double real(struct backend *b, enum statement which, int column)
{
    union backend_value value;
    const char *bytes;
    Oid type;

    if (!(bytes = bytes_of(b, which, column, &type)))
        return NAN;
    if (type != FLOAT8)
        return (double)integer(b, which, column);
    value.i = (int64_t)bits_of(bytes, 8);
    return value.d;
}

static const char *text(struct backend *b, enum statement which, int column)
{
    Oid type;
    const char *bytes = bytes_of(b, which, column, &type);

    return bytes ? bytes : "";
}

/* ------------------------------------------------- names */

static enum portolan_status identify(struct backend *base, enum statement find, const char *types,
                                     size_t n, const union backend_value *values, int64_t *ids,
                                     struct portolan_error *err)
{
    struct portolan_text arrays[BACKEND_VALUES_MAX] = {0};
    struct parameters p = {.n = (int)strlen(types)};
    enum portolan_status status = PORTOLAN_OK;
    bool row;

    for (int i = 0; i < p.n; ++i) {
        postgres_put_array(&arrays[i], types[i], types[i] == 't' ? TEXT : INT8, n, p.n, &values[i]);
        if (arrays[i].failed)
            status = portolan_no_memory(err);
        p.types[i] = types[i] == 't' ? TEXTS : INT8S;
        p.formats[i] = 1;
        p.values[i] = arrays[i].bytes;
        p.lengths[i] = (int)arrays[i].length;
    }
    if (!status)
        status = run(of(base), find, &p, err);
    for (size_t i = 0; i < n && !status; ++i)
        if (!(status = next_row(base, find, &row, err)))
            ids[i] = integer(base, find, 0);
    reset(base, find);
    for (int i = 0; i < p.n; ++i)
        portolan_text_clear(&arrays[i]);
    return status;
}

/* ------------------------------------------------- opening */

/* The server rolls an open transaction back. */
static void close_backend(struct backend *base)
{
    struct postgres *b = of(base);

    if (b->connection) { /* else libpq may not be there */
        forget(b);
        libpq.finish(b->connection);
    }
    portolan_text_clear(&b->copy);
    free(b);
}

static enum portolan_status open_backend(const char *path, enum portolan_store_mode mode,
                                         int busy_ms, struct backend **backend,
                                         struct portolan_error *err)
{
    struct postgres *b = portolan_calloc(1, sizeof *b);
    enum portolan_status status;

    if (!b)
        return portolan_no_memory(err);
    b->base.ops = &backend_postgres;
    b->write = mode == PORTOLAN_STORE_WRITE;
    b->busy_ms = busy_ms;
    status = postgres_connect(path, b->write, busy_ms, &b->connection, err);
    if (!status)
        status = postgres_prepare_schema(b->connection, b->write, err);
    if (status) {
        close_backend(&b->base);
        return status;
    }
    *backend = &b->base;
    return PORTOLAN_OK;
}

/* A lost session gets it when it is opened again. */
static void set_patience(struct backend *base, int busy_ms)
{
    struct postgres *b = of(base);
    char text[60];

    if (busy_ms == b->busy_ms)
        return;
    b->busy_ms = busy_ms;
    if (libpq.status(b->connection) != CONNECTION_OK)
        return;
    snprintf(text, sizeof text, "SET lock_timeout = %d", busy_ms > 0 ? busy_ms : 1);
    postgres_execute(b->connection, text, POSTGRES_SHORT_MS, NULL);
}

static enum portolan_status check(struct backend *base, struct portolan_error *err)
{
    PGconn *c = of(base)->connection;

    return libpq.status(c) == CONNECTION_OK ? PORTOLAN_OK : postgres_lost(c, err);
}

const struct backend_ops backend_postgres = {
    .open = open_backend,
    .check = check,
    .set_patience = set_patience,
    .close = close_backend,
    .start = start,
    .next = next_row,
    .reset = reset,
    .integer = integer,
    .real = real,
    .text = text,
    .put_rows = put_rows,
    .identify = identify,
};
