/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The SQLite back end: its own SQL, in addition to sql.c and the schema (schema.sql), how a file is
 * opened and an old one is converted, and how statements are run.
 */
#include "backend.h"

#include <portolan/machine.h>

#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

/* Notes what SQLite says; RC is its result code. */
static enum portolan_status failed(sqlite3 *db, int rc, struct portolan_error *err)
{
    const char *text = db ? sqlite3_errmsg(db) : sqlite3_errstr(rc);

    switch (rc & 0xff) {
    case SQLITE_NOMEM:
        return portolan_no_memory(err);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return portolan_error_set(err, PORTOLAN_EBUSY,
                                  "another process keeps it locked; try again when that has ended");
    case SQLITE_NOTADB:
        return portolan_error_set(err, PORTOLAN_EFOREIGN,
                                  "is not an SQLite database; move it away or name another file");
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

/* ------------------------------------------------- opening */

enum {
    APPLICATION_ID = 0x506f7274, /* "Port" */
    SCHEMA_VERSION = 5
};

/* As bytes, so that no compiler's limit on the length of literals matters. */
static const char schema[] = {
#include "schema.inc"
    0};
static const char schema_3[] = {
#include "schema_3.inc"
    0};
static const char schema_4[] = {
#include "schema_4.inc"
    0};
static const char schema_5[] = {
#include "schema_5.inc"
    0};
static const char migrate_1[] = {
#include "migrate_1.inc"
    0};

/*
 * Moves tables of version 1 out of the way, so that schema.sql can make today's. A user's own
 * tables stay, hence the list.
 */
static const char set_aside[] =
    "WITH ours (name) AS (VALUES ('schema_version'), ('trial'), ('trial_parameter'),"
    " ('trial_implementation'), ('primary_metadata'), ('thread'), ('metric'), ('component'),"
    " ('port'), ('timer'), ('timer_callpath'), ('step'), ('timer_call_data'), ('call_context'),"
    " ('timer_value'), ('model'), ('decision'), ('swap'), ('timer_group'), ('sample'),"
    " ('callpath_summary'))"
    "SELECT group_concat(words, '; ') FROM (SELECT CASE type WHEN 'table' THEN 'ALTER TABLE ' ||"
    " name || ' RENAME TO old_' || name ELSE 'DROP ' || type || ' ' || name END AS words"
    " FROM sqlite_schema WHERE tbl_name IN ours AND sql IS NOT NULL ORDER BY type DESC)";

static enum portolan_status execute(sqlite3 *db, const char *text, struct portolan_error *err)
{
    int rc = sqlite3_exec(db, text, NULL, NULL, NULL);

    return rc == SQLITE_OK ? PORTOLAN_OK : failed(db, rc, err);
}

/* The number that a query gives, for queries that are needed once. */
static enum portolan_status ask(sqlite3 *db, const char *query, int64_t *value,
                                struct portolan_error *err)
{
    sqlite3_stmt *s = NULL;
    int rc = sqlite3_prepare_v2(db, query, -1, &s, NULL);

    if (rc == SQLITE_OK && (rc = sqlite3_step(s)) == SQLITE_ROW) {
        *value = sqlite3_column_int64(s, 0);
        rc = SQLITE_OK;
    }
    sqlite3_finalize(s);
    return rc == SQLITE_OK ? PORTOLAN_OK : failed(db, rc, err);
}

/* *VERSION 0: the file holds nothing at all yet. */
static enum portolan_status check_identity(sqlite3 *db, int64_t *version,
                                           struct portolan_error *err)
{
    int64_t application = 0, tables = 0;
    enum portolan_status status;

    if ((status = ask(db, "PRAGMA application_id", &application, err)) ||
        (status = ask(db, "PRAGMA user_version", version, err)) ||
        (status = ask(db, "SELECT count(*) FROM sqlite_schema", &tables, err)))
        return status;
    if (application == 0 && *version == 0 && tables == 0)
        return PORTOLAN_OK;
    if (application != APPLICATION_ID || *version < 1)
        return portolan_error_set(err, PORTOLAN_EFOREIGN,
                                  "is an SQLite database, but not an experiment store of Portolan; "
                                  "move it away or name another file");
    if (*version > SCHEMA_VERSION)
        return portolan_error_set(err, PORTOLAN_EFOREIGN,
                                  "has schema version %lld, this Portolan knows %d: use a newer "
                                  "Portolan or another store",
                                  (long long)*version, SCHEMA_VERSION);
    return PORTOLAN_OK;
}

/* Runs the statements that a query makes. */
static enum portolan_status execute_made(sqlite3 *db, const char *query, struct portolan_error *err)
{
    enum portolan_status status;
    sqlite3_stmt *s = NULL;
    char *made = NULL;
    int rc = sqlite3_prepare_v2(db, query, -1, &s, NULL);

    if (rc == SQLITE_OK && (rc = sqlite3_step(s)) == SQLITE_ROW) {
        made = sqlite3_mprintf("%s", sqlite3_column_text(s, 0));
        rc = made ? SQLITE_OK : SQLITE_NOMEM;
    }
    sqlite3_finalize(s);
    status = rc == SQLITE_OK ? execute(db, made, err) : failed(db, rc, err);
    sqlite3_free(made);
    return status;
}

/* In a transaction: makes today's schema from nothing or from an old version. */
static enum portolan_status bring_up(sqlite3 *db, int64_t version, struct portolan_error *err)
{
    char identity[100];
    enum portolan_status status = PORTOLAN_OK;

    sqlite3_snprintf(sizeof identity, identity,
                     "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION_ID,
                     SCHEMA_VERSION);
    if (version == 1)
        status = execute_made(db, set_aside, err);
    if (!status && version < 2)
        status = execute(db, schema, err);
    if (!status && version == 1)
        status = execute(db, migrate_1, err);
    if (!status && version < 3)
        status = execute(db, schema_3, err);
    if (!status && version < 4)
        status = execute(db, schema_4, err);
    if (!status)
        status = execute(db, schema_5, err);
    if (!status)
        status = execute(db, identity, err);
    return status;
}

static enum portolan_status update_schema(sqlite3 *db, struct portolan_error *err)
{
    int64_t version = 0;
    /* Old tables are renamed as such, not in what refers to them. */
    enum portolan_status status =
        execute(db, "PRAGMA legacy_alter_table = ON; BEGIN IMMEDIATE", err);

    if (status)
        return status;
    /* Another process may have been here first. */
    if (!(status = check_identity(db, &version, err)) && version < SCHEMA_VERSION)
        status = bring_up(db, version, err);
    if (!status)
        status = execute(db, "COMMIT", err);
    if (status)
        sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    if (status && version)
        portolan_error_prefix(
            err, "could not be converted from schema version %lld to %d, and is unchanged",
            (long long)version, SCHEMA_VERSION);
    sqlite3_exec(db, "PRAGMA legacy_alter_table = OFF", NULL, NULL, NULL);
    return status;
}

/* For reading: a temporary copy in the place of *DB, with today's schema. */
static enum portolan_status copy_old(sqlite3 **db, struct portolan_error *err)
{
    sqlite3_backup *backup = NULL;
    enum portolan_status status;
    sqlite3 *copy = NULL;
    int rc = sqlite3_open("", &copy); /* in memory, and from there into a file without a name */

    if (rc == SQLITE_OK) {
        sqlite3_extended_result_codes(copy, 1);
        if (!(backup = sqlite3_backup_init(copy, "main", *db, "main")))
            rc = sqlite3_errcode(copy);
    }
    if (rc == SQLITE_OK) {
        sqlite3_backup_step(backup, -1);
        rc = sqlite3_backup_finish(backup);
    }
    status = rc == SQLITE_OK ? update_schema(copy, err) : failed(copy, rc, err);
    if (status) {
        portolan_error_prefix(err,
                              "has an old schema, and Portolan cannot make a temporary copy with "
                              "the new one; 'portolan trials --migrate' converts the store itself");
        sqlite3_close(copy);
        return status;
    }
    sqlite3_close(*db);
    *db = copy;
    return PORTOLAN_OK;
}

/* WAL with NORMAL survives the death of the process; the rollback journal syncs at each commit. */
static enum portolan_status set_journal(sqlite3 *db, const char *path, struct portolan_error *err)
{
    sqlite3_stmt *s = NULL;
    bool wal = false;

    if (!portolan_machine_shares(path) && /* else processes share no memory */
        sqlite3_prepare_v2(db, "PRAGMA journal_mode = WAL", -1, &s, NULL) == SQLITE_OK)
        wal = sqlite3_step(s) == SQLITE_ROW && sqlite3_column_text(s, 0) &&
              !strcmp((const char *)sqlite3_column_text(s, 0), "wal");
    sqlite3_finalize(s);
    return execute(db,
                   wal ? "PRAGMA synchronous = NORMAL"
                       : "PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL",
                   err);
}

/* Opens a store in a folder that may not be written, where no other process writes it either. */
static int open_archived(const char *path, sqlite3 **db)
{
    char *wal = portolan_asprintf("%s-wal", path);
    char *uri = sqlite3_mprintf("file:%s?immutable=1", path);
    int rc = SQLITE_CANTOPEN;

    if (!wal || !uri)
        rc = SQLITE_NOMEM;
    else if (!strpbrk(path, "?#%") && access(wal, F_OK) && errno == ENOENT)
        rc = sqlite3_open_v2(uri, db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
    free(wal);
    sqlite3_free(uri);
    return rc;
}

/* Opens the data base at PATH, whatever is in it. */
static enum portolan_status open_file(const char *path, bool write, int busy_ms, sqlite3 **db,
                                      struct portolan_error *err)
{
    int flags = write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    int64_t tables;
    int rc;

    if (!write && strcmp(path, ":memory:") && access(path, R_OK))
        return portolan_error_set(err, PORTOLAN_EIO, "cannot be read: %s%s", strerror(errno),
                                  errno == ENOENT ? "; `portolan measure` and `run` make it" : "");
    rc = sqlite3_open_v2(path, db, flags | SQLITE_OPEN_NOMUTEX, NULL);
    if (rc == SQLITE_OK && !write &&
        ask(*db, "SELECT count(*) FROM sqlite_schema", &tables, NULL) &&
        (sqlite3_errcode(*db) == SQLITE_CANTOPEN || sqlite3_errcode(*db) == SQLITE_READONLY)) {
        sqlite3_close(*db);
        *db = NULL;
        rc = open_archived(path, db);
    }
    if (rc == SQLITE_CANTOPEN && sqlite3_system_errno(*db))
        return portolan_error_set(err, PORTOLAN_EIO,
                                  "cannot be opened: %s; create its folder, or name another file",
                                  strerror(sqlite3_system_errno(*db)));
    if (rc != SQLITE_OK)
        return failed(*db, rc, err);
    sqlite3_extended_result_codes(*db, 1);
    sqlite3_busy_timeout(*db, busy_ms);
    if (write && sqlite3_db_readonly(*db, "main") == 1)
        return portolan_error_set(err, PORTOLAN_EIO, "may not be written");
    return PORTOLAN_OK;
}

/*
 * Makes an empty data base a store and an old one today's; for reading, *DB may be replaced by a
 * temporary copy with today's schema. *DB stays the caller's to close in any case.
 */
static enum portolan_status prepare_schema(sqlite3 **db, const char *path, bool write,
                                           struct portolan_error *err)
{
    int64_t version = 0;
    enum portolan_status status = check_identity(*db, &version, err);

    if (status)
        return status;
    if (!version && !write)
        return portolan_error_set(err, PORTOLAN_EFOREIGN,
                                  "is empty, not an experiment store; measure something first");
    if (write && (status = set_journal(*db, path, err)))
        return status;
    if (version < SCHEMA_VERSION && (status = write ? update_schema(*db, err) : copy_old(db, err)))
        return status;
    /* Not earlier: dropping a table of an old schema must not delete rows of others. */
    return execute(*db, "PRAGMA foreign_keys = ON", err);
}

/* ------------------------------------------------- statements */

struct sqlite {
    struct backend base;
    sqlite3 *db;
    sqlite3_stmt *prepared[STATEMENT_COUNT]; /* each at its first use */
};

static struct sqlite *of(struct backend *b)
{
    return (struct sqlite *)b;
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
    return rc == SQLITE_OK ? PORTOLAN_OK : failed(b->db, rc, err);
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
    return rc == SQLITE_OK ? PORTOLAN_OK : failed(b->db, rc, err);
}

static enum portolan_status next_row(struct backend *base, enum statement which, bool *row,
                                     struct portolan_error *err)
{
    struct sqlite *b = of(base);
    int rc = sqlite3_step(b->prepared[which]);
    enum portolan_status status = PORTOLAN_OK;

    *row = rc == SQLITE_ROW;
    if (rc == SQLITE_ROW)
        return PORTOLAN_OK;
    if (rc != SQLITE_DONE)
        status = failed(b->db, rc, err);
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
        status = failed(b->db, rc, err);
    reset(base, which);
    return status;
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
    if ((status = open_file(path, write, busy_ms, &b->db, err)) ||
        (status = prepare_schema(&b->db, path, write, err))) {
        close_backend(&b->base);
        return status;
    }
    sqlite3_create_collation(b->db, "C", SQLITE_UTF8, NULL, compare_bytes);
    *backend = &b->base;
    return PORTOLAN_OK;
}

/*
 * The first bytes say of how many pages the file is, of which the log may have newer ones. Read by
 * SQLite's own descriptor: to close another one would release its locks.
 */
static bool is_whole(sqlite3_file *file)
{
    unsigned char h[32];
    sqlite3_int64 size = 0, page, pages;

    if (file->pMethods->xFileSize(file, &size) || size < (sqlite3_int64)sizeof h ||
        file->pMethods->xRead(file, h, sizeof h, 0) || memcmp(h, "SQLite format 3", 16))
        return false;
    page = h[16] << 8 | h[17];
    pages = (sqlite3_int64)h[28] << 24 | h[29] << 16 | h[30] << 8 | h[31];
    return size >= (page == 1 ? 65536 : page) * pages;
}

static enum portolan_status check(struct backend *base, struct portolan_error *err)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    const char *name = sqlite3_db_filename(of(base)->db, "main");
    sqlite3_file *file = NULL;
    int moved = 0, tries = 20;

    if (!name || !*name || /* in memory */
        sqlite3_file_control(of(base)->db, "main", SQLITE_FCNTL_FILE_POINTER, &file) || !file ||
        !file->pMethods)
        return PORTOLAN_OK;
    if (!sqlite3_file_control(of(base)->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved) && moved)
        return portolan_error_set(err, PORTOLAN_EIO, "its file was deleted or replaced meanwhile");
    while (!is_whole(file)) { /* another process may be writing it out of the log */
        if (!tries--) {
            sqlite3_db_config(of(base)->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
            return portolan_error_set(err, PORTOLAN_EIO,
                                      "its file was cut short or overwritten meanwhile");
        }
        nanosleep(&pause, NULL);
    }
    return PORTOLAN_OK;
}

static void set_patience(struct backend *base, int busy_ms)
{
    sqlite3_busy_timeout(of(base)->db, busy_ms);
}

const struct backend_ops backend_sqlite = {
    .open = open_backend,
    .set_patience = set_patience,
    .check = check,
    .close = close_backend,
    .start = start,
    .next = next_row,
    .reset = reset,
    .integer = integer,
    .real = real,
    .text = text,
    .put_rows = put_rows,
};
