/* SPDX-License-Identifier: BSD-3-Clause */
/* The SQLite back end: SQL of its own, beside sql.c and the schema (schema.sql), and how it is run.
 */
#include "sqlite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const sql[STATEMENT_COUNT] = {
    [BEGIN_READ] = "BEGIN",
    [BEGIN_WRITE] = "BEGIN IMMEDIATE",
    [FIND_STEP] = "SELECT id FROM step WHERE trial = ?1 AND number = ?2",
    [ADD_STEP] = "INSERT INTO step (trial, number) VALUES (?1, ?2) RETURNING id",
    [FIND_METRIC] = "SELECT id FROM metric WHERE trial = ?1 AND name = ?2",
    [ADD_METRIC] = "INSERT INTO metric (trial, name, unit) VALUES (?1, ?2, ?3) RETURNING id",
    [FIND_THREAD] =
        "SELECT id FROM thread"
        " WHERE trial = ?1 AND node_rank = ?2 AND context_rank = 0 AND thread_rank = ?3",
    [ADD_THREAD] =
        "INSERT INTO thread (trial, node_rank, thread_rank, thread_index)"
        " VALUES (?1, ?2, ?3, (SELECT count(*) FROM thread WHERE trial = ?1)) RETURNING id",
    [FIND_COMPONENT] = "SELECT id FROM component"
                       " WHERE trial = ?1 AND instance = ?2 AND implementation = ?3",
    [ADD_COMPONENT] =
        "INSERT INTO component (trial, instance, implementation) VALUES (?1, ?2, ?3) RETURNING id",
    [FIND_PORT] = "SELECT id FROM port WHERE component = ?1 AND name = ?2 AND type = ?3",
    [ADD_PORT] = "INSERT INTO port (component, name, type) VALUES (?1, ?2, ?3) RETURNING id",
    [FIND_TIMER] = "SELECT id FROM timer WHERE port = ?1 AND short_name = ?2",
    [ADD_TIMER] =
        "INSERT INTO timer (port, short_name, trial, name) SELECT ?1, ?2, c.trial,"
        " c.instance || '.' || p.name || '.' || ?2 || ' [' || c.implementation || ']'"
        " FROM port p JOIN component c ON c.id = p.component WHERE p.id = ?1 RETURNING id",
    [FIND_CALLPATH] = "SELECT id FROM timer_callpath"
                      " WHERE timer = ?1 AND ifnull(parent, 0) = ?2 AND user = ?3 AND uses = ?4",
    [ADD_CALLPATH] = "INSERT INTO timer_callpath (timer, parent, user, uses)"
                     " VALUES (?1, nullif(?2, 0), ?3, ?4) RETURNING id",
    [FIND_LAYOUT] =
        "SELECT id FROM call_layout WHERE trial = ?1 AND context1 IS ?2 AND context2 IS ?3"
        " AND context3 IS ?4 AND context4 IS ?5 AND counter1 IS ?6 AND counter2 IS ?7"
        " AND counter3 IS ?8 AND counter4 IS ?9 AND counter5 IS ?10 AND counter6 IS ?11"
        " AND counter7 IS ?12 AND counter8 IS ?13",
    [FIND_COUNTER] = "SELECT id FROM counter WHERE trial = ?1 AND name = ?2",
    [ADD_COUNTER] = "INSERT INTO counter (trial, name) VALUES (?1, ?2) RETURNING id",
    [READ_LAYOUTS] =
        "SELECT id, (context1 IS NOT NULL) + (context2 IS NOT NULL) + (context3 IS NOT NULL)"
        " + (context4 IS NOT NULL), (counter1 IS NOT NULL) + (counter2 IS NOT NULL)"
        " + (counter3 IS NOT NULL) + (counter4 IS NOT NULL) + (counter5 IS NOT NULL)"
        " + (counter6 IS NOT NULL) + (counter7 IS NOT NULL) + (counter8 IS NOT NULL),"
        " context1, context2, context3, context4, counter1, counter2, counter3, counter4,"
        " counter5, counter6, counter7, counter8 FROM call_layout WHERE trial = ?1 ORDER BY id",
};

struct sqlite {
    struct backend base;
    sqlite3 *db;
    sqlite3_stmt *prepared[STATEMENT_COUNT]; /* each at its first use */
};

static struct sqlite *of(struct backend *b)
{
    return (struct sqlite *)b;
}

enum portolan_status sqlite_failed(sqlite3 *db, int rc, struct portolan_error *err)
{
    const char *text = db ? sqlite3_errmsg(db) : sqlite3_errstr(rc);

    switch (rc & 0xff) {
    case SQLITE_NOMEM:
        return portolan_no_memory(err);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return portolan_error_set(err, PORTOLAN_EBUSY,
                                  "another process holds it locked; try again when it has ended");
    case SQLITE_NOTADB:
        return portolan_error_set(err, PORTOLAN_EFOREIGN,
                                  "is no SQLite data base; move it away or name another file");
    case SQLITE_CORRUPT:
        return portolan_error_set(err, PORTOLAN_EIO,
                                  "is damaged (%s); move it away, or try sqlite3's .recover", text);
    case SQLITE_FULL:
        return portolan_error_set(err, PORTOLAN_EIO,
                                  "no space is left (%s); free some, what was stored is "
                                  "intact",
                                  text);
    case SQLITE_IOERR:
        return portolan_error_set(err, PORTOLAN_EIO,
                                  "%s (%s); see to the disk and its quota, what was stored is "
                                  "intact",
                                  text, strerror(sqlite3_system_errno(db)));
    case SQLITE_READONLY:
        return portolan_error_set(err, PORTOLAN_EIO, "may not be written (%s)", text);
    case SQLITE_CONSTRAINT:
        return portolan_error_set(err, PORTOLAN_EINVAL, "contradicts what is stored (%s)", text);
    default:
        return portolan_error_set(err, PORTOLAN_EIO, "%s", text);
    }
}

/* N_COLUMNS: of a statement that stores many rows, else 0. */
static enum portolan_status prepare(struct sqlite *b, enum statement which, size_t n_columns,
                                    struct portolan_error *err)
{
    const char *text = sql[which] ? sql[which] : backend_sql[which];
    char insert[100 + 3 * BACKEND_VALUES_MAX];
    int rc;

    if (b->prepared[which])
        return PORTOLAN_OK;
    if (n_columns) {
        snprintf(insert, sizeof insert, "INSERT INTO %s VALUES (?", text);
        for (size_t i = 1; i < n_columns; ++i)
            strcat(insert, ", ?");
        text = strcat(insert, ")");
    }
    rc = sqlite3_prepare_v3(b->db, text, -1, SQLITE_PREPARE_PERSISTENT, &b->prepared[which], NULL);
    return rc == SQLITE_OK ? PORTOLAN_OK : sqlite_failed(b->db, rc, err);
}

static int bind(sqlite3_stmt *s, const char *types, const union backend_value *values)
{
    int rc = SQLITE_OK;

    for (int i = 1; *types && rc == SQLITE_OK; ++types, ++values, ++i) {
        if (*types == 'd')
            rc = sqlite3_bind_double(s, i, values->d);
        else if (*types == 't')
            rc = sqlite3_bind_text(s, i, values->t, -1, SQLITE_STATIC);
        else if (*types == 'k' && !values->i)
            rc = sqlite3_bind_null(s, i);
        else
            rc = sqlite3_bind_int64(s, i, values->i);
    }
    return rc;
}

static void reset(struct backend *base, enum statement which)
{
    struct sqlite *b = of(base);

    if (b->prepared[which]) {
        sqlite3_reset(b->prepared[which]);
        sqlite3_clear_bindings(b->prepared[which]);
    }
}

static enum portolan_status start(struct backend *base, enum statement which, const char *types,
                                  const union backend_value *values, struct portolan_error *err)
{
    struct sqlite *b = of(base);
    enum portolan_status status = prepare(b, which, 0, err);
    int rc;

    if (status)
        return status;
    rc = bind(b->prepared[which], types, values);
    return rc == SQLITE_OK ? PORTOLAN_OK : sqlite_failed(b->db, rc, err);
}

static enum portolan_status next(struct backend *base, enum statement which, bool *row,
                                 struct portolan_error *err)
{
    struct sqlite *b = of(base);
    int rc = sqlite3_step(b->prepared[which]);
    enum portolan_status status = PORTOLAN_OK;

    *row = rc == SQLITE_ROW;
    if (rc == SQLITE_ROW)
        return PORTOLAN_OK;
    if (rc != SQLITE_DONE)
        status = sqlite_failed(b->db, rc, err);
    reset(base, which);
    return status;
}

static enum portolan_status put_rows(struct backend *base, enum statement which, const char *types,
                                     size_t n, backend_fill_fn fill, void *arg,
                                     struct portolan_error *err)
{
    struct sqlite *b = of(base);
    union backend_value values[BACKEND_VALUES_MAX];
    enum portolan_status status = prepare(b, which, strlen(types), err);
    sqlite3_stmt *s = b->prepared[which];
    int rc = SQLITE_OK;

    if (status)
        return status;
    for (size_t i = 0; i < n && rc == SQLITE_OK; ++i) {
        fill(arg, i, values);
        if ((rc = bind(s, types, values)) == SQLITE_OK && (rc = sqlite3_step(s)) == SQLITE_DONE)
            rc = sqlite3_reset(s);
    }
    if (rc != SQLITE_OK)
        status = sqlite_failed(b->db, rc, err);
    reset(base, which);
    return status;
}

static int64_t changes(struct backend *b)
{
    return sqlite3_changes(of(b)->db);
}

static int64_t integer(struct backend *b, enum statement which, int column)
{
    return sqlite3_column_int64(of(b)->prepared[which], column);
}

static double real(struct backend *b, enum statement which, int column)
{
    if (sqlite3_column_type(of(b)->prepared[which], column) == SQLITE_NULL)
        return NAN;
    return sqlite3_column_double(of(b)->prepared[which], column);
}

static const char *text(struct backend *b, enum statement which, int column)
{
    const char *t = (const char *)sqlite3_column_text(of(b)->prepared[which], column);

    return t ? t : "";
}

static void close_backend(struct backend *base)
{
    struct sqlite *b = of(base);

    for (int i = 0; i < STATEMENT_COUNT; ++i)
        sqlite3_finalize(b->prepared[i]);
    sqlite3_close(b->db);
    free(b);
}

/* The collation "C". */
static int compare_bytes(void *arg, int a_size, const void *a, int b_size, const void *b)
{
    int c = memcmp(a, b, (size_t)(a_size < b_size ? a_size : b_size));

    (void)arg;
    return c ? c : a_size - b_size;
}

static enum portolan_status open_backend(const char *path, enum portolan_store_mode mode,
                                         int busy_ms, struct backend **backend,
                                         struct portolan_error *err)
{
    bool write = mode == PORTOLAN_STORE_WRITE;
    struct sqlite *b = portolan_calloc(1, sizeof *b);
    enum portolan_status status;

    if (!b)
        return portolan_no_memory(err);
    b->base.ops = &backend_sqlite;
    if ((status = sqlite_open_file(path, write, busy_ms, &b->db, err)) ||
        (status = sqlite_prepare_schema(&b->db, path, write, err))) {
        close_backend(&b->base);
        return status;
    }
    sqlite3_create_collation(b->db, "C", SQLITE_UTF8, NULL, compare_bytes);
    *backend = &b->base;
    return PORTOLAN_OK;
}

static void set_patience(struct backend *base, int busy_ms)
{
    sqlite3_busy_timeout(of(base)->db, busy_ms);
}

const struct backend_ops backend_sqlite = {
    .open = open_backend,
    .set_patience = set_patience,
    .close = close_backend,
    .start = start,
    .next = next,
    .reset = reset,
    .integer = integer,
    .real = real,
    .text = text,
    .changes = changes,
    .put_rows = put_rows,
};
