/* SPDX-License-Identifier: BSD-3-Clause */
/* The SQLite back end: all SQL there is, except the schema's (schema.sql). */
#include "backend.h"

#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

enum {
    APPLICATION_ID = 0x506f7274, /* "Port" */
    SCHEMA_VERSION = 1
};

/* schema.sql as bytes, so that no compiler's limit on the length of literals matters. */
static const char schema[] = {
#include "schema.inc"
    0};

static const char *const sql[STATEMENT_COUNT] = {
    [BEGIN_READ] = "BEGIN",
    [BEGIN_WRITE] = "BEGIN IMMEDIATE",
    [COMMIT] = "COMMIT",
    [ROLLBACK] = "ROLLBACK",
    [ADD_TRIAL] = "INSERT INTO trial (name, purpose, node_count, started, outcome, elapsed_ns)"
                  " VALUES (?1, ?2, ?3, ifnull(?4, strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),"
                  " 'running', 0)",
    [END_TRIAL] = "UPDATE trial SET outcome = ?2, elapsed_ns = ?3 WHERE id = ?1",
    [HAS_TRIAL] = "SELECT id FROM trial WHERE id = ?1",
    [ADD_PARAMETER] = "INSERT INTO trial_parameter VALUES (?1, ?2, ?3)",
    [ADD_IMPLEMENTATION] = "INSERT INTO trial_implementation VALUES (?1, ?2, ?3)",
    [PUT_METADATA] = "INSERT INTO primary_metadata VALUES (?1, ?2, ?3)"
                     " ON CONFLICT (trial, name) DO UPDATE SET value = excluded.value",
    [FIND_STEP] = "SELECT id FROM step WHERE trial = ?1 AND number = ?2",
    [ADD_STEP] = "INSERT INTO step (trial, number) VALUES (?1, ?2)",
    [FIND_METRIC] = "SELECT id FROM metric WHERE trial = ?1 AND name = ?2",
    [ADD_METRIC] = "INSERT INTO metric (trial, name, unit) VALUES (?1, ?2, ?3)",
    [FIND_THREAD] =
        "SELECT id FROM thread"
        " WHERE trial = ?1 AND node_rank = ?2 AND context_rank = 0 AND thread_rank = ?3",
    [ADD_THREAD] = "INSERT INTO thread (trial, node_rank, thread_rank, thread_index)"
                   " VALUES (?1, ?2, ?3, (SELECT count(*) FROM thread WHERE trial = ?1))",
    [FIND_COMPONENT] = "SELECT id FROM component"
                       " WHERE trial = ?1 AND instance = ?2 AND implementation = ?3",
    [ADD_COMPONENT] = "INSERT INTO component (trial, instance, implementation) VALUES (?1, ?2, ?3)",
    [FIND_PORT] = "SELECT id FROM port WHERE component = ?1 AND name = ?2 AND type = ?3",
    [ADD_PORT] = "INSERT INTO port (component, name, type) VALUES (?1, ?2, ?3)",
    [FIND_TIMER] = "SELECT id FROM timer WHERE port = ?1 AND short_name = ?2",
    [ADD_TIMER] = "INSERT INTO timer (port, short_name, trial, name) SELECT ?1, ?2, c.trial,"
                  " c.instance || '.' || p.name || '.' || ?2 || ' [' || c.implementation || ']'"
                  " FROM port p JOIN component c ON c.id = p.component WHERE p.id = ?1",
    [FIND_CALLPATH] = "SELECT id FROM timer_callpath"
                      " WHERE timer = ?1 AND ifnull(parent, 0) = ?2 AND user = ?3 AND uses = ?4",
    [ADD_CALLPATH] = "INSERT INTO timer_callpath (timer, parent, user, uses)"
                     " VALUES (?1, nullif(?2, 0), ?3, ?4)",
    [ADD_CALL_DATA] = "INSERT INTO timer_call_data"
                      " (step, thread, callpath, parent, calls, subroutines, binned, quality)"
                      " VALUES (?1, ?2, ?3, nullif(?4, 0), ?5, ?6, ?7, ?8)",
    [ADD_CONTEXT] = "INSERT INTO call_context VALUES (?1, ?2, ?3, ?4)",
    [ADD_VALUE] = "INSERT INTO timer_value VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    [PUT_MODEL] = "INSERT INTO model"
                  " (assembly, instance, implementation, method, scope, quantity, xml, stored)"
                  " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))"
                  " ON CONFLICT (assembly, instance, implementation, method, scope, quantity)"
                  " DO UPDATE SET xml = excluded.xml, stored = excluded.stored",
    [ADD_DECISION] =
        "INSERT INTO decision (trial, assembly, parameters, host, ranks, choice, predicted_ns,"
        " low_ns, high_ns, reason, decided) VALUES (nullif(?1, 0), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9,"
        " ?10, ifnull(?11, strftime('%Y-%m-%dT%H:%M:%SZ', 'now')))",
    [FIND_DECISION] =
        "SELECT id, ifnull(trial, 0), ranks, predicted_ns, low_ns, high_ns, assembly, parameters,"
        " host, choice, reason, decided FROM decision"
        " WHERE assembly = ?1 AND parameters = ?2 AND host = ?3 AND ranks = ?4"
        " ORDER BY id DESC LIMIT 1",
    [FIND_TRIAL_DECISION] =
        "SELECT id, trial, ranks, predicted_ns, low_ns, high_ns, assembly, parameters,"
        " host, choice, reason, decided FROM decision WHERE trial = ?1 ORDER BY id LIMIT 1",
    [ADD_SWAP] = "INSERT INTO swap (trial, step, instance, from_implementation, to_implementation,"
                 " reason, outcome) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    [READ_TRIALS] =
        "SELECT * FROM (SELECT id, node_count, elapsed_ns, name, purpose, started, outcome"
        " FROM trial WHERE (?1 = 0 OR id = ?1) AND (?2 IS NULL OR name = ?2)"
        " AND (?3 IS NULL OR purpose = ?3) AND (?4 IS NULL OR outcome = ?4)"
        " AND (?5 = 0 OR node_count = ?5) ORDER BY id DESC LIMIT iif(?6, 1, -1)) ORDER BY id",
    [READ_PARAMETERS] = "SELECT name, value FROM trial_parameter WHERE trial = ?1 ORDER BY name",
    [READ_IMPLEMENTATIONS] =
        "SELECT name, value FROM trial_implementation WHERE trial = ?1 ORDER BY name",
    [READ_METADATA] = "SELECT name, value FROM primary_metadata WHERE trial = ?1 ORDER BY name",
    /* Integers first, then reals, then texts, as read.c takes them. */
    [READ_SAMPLES] = "SELECT id, ifnull(parent, 0), step, rank, thread, binned, calls, subroutines,"
                     " inclusive, exclusive, mpi, minimum, maximum, sum_inclusive_squared, quality,"
                     " user, uses, instance, port, implementation, port_type, method"
                     " FROM sample WHERE trial = ?1 ORDER BY step, rank, id",
    [READ_CONTEXTS] =
        "SELECT x.call_data, x.position, x.parameter_name, x.parameter_value"
        " FROM step s JOIN timer_call_data d ON d.step = s.id JOIN thread h ON h.id = d.thread"
        " JOIN call_context x ON x.call_data = d.id WHERE s.trial = ?1"
        " ORDER BY s.number, h.node_rank, d.id, x.position",
    [READ_COUNTERS] =
        "SELECT v.call_data, q.name, v.inclusive"
        " FROM metric q CROSS JOIN step s ON s.trial = q.trial JOIN timer_call_data d"
        " ON d.step = s.id JOIN thread h ON h.id = d.thread"
        " JOIN timer_value v ON v.call_data = d.id AND v.metric = q.id"
        " WHERE q.trial = ?1 AND q.unit = 'events' ORDER BY s.number, h.node_rank, d.id, q.id",
};

struct backend {
    sqlite3 *db;
    sqlite3_stmt *prepared[STATEMENT_COUNT]; /* each at its first use */
};

/* Notes what SQLite says; RC is its result code. */
static enum portolan_status failed(sqlite3 *db, int rc, struct portolan_error *err)
{
    const char *text = db ? sqlite3_errmsg(db) : sqlite3_errstr(rc);

    switch (rc & 0xff) {
    case SQLITE_NOMEM:
        return portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
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
    case SQLITE_READONLY:
        return portolan_error_set(err, PORTOLAN_EIO, "may not be written (%s)", text);
    case SQLITE_CONSTRAINT:
        return portolan_error_set(err, PORTOLAN_EINVAL, "contradicts what is stored (%s)", text);
    default:
        return portolan_error_set(err, PORTOLAN_EIO, "%s", text);
    }
}

static enum portolan_status prepare(struct backend *b, enum statement which,
                                    struct portolan_error *err)
{
    int rc;

    if (b->prepared[which])
        return PORTOLAN_OK;
    rc = sqlite3_prepare_v3(b->db, sql[which], -1, SQLITE_PREPARE_PERSISTENT, &b->prepared[which],
                            NULL);
    return rc == SQLITE_OK ? PORTOLAN_OK : failed(b->db, rc, err);
}

static enum portolan_status bind(struct backend *b, enum statement which,
                                 struct portolan_error *err, const char *types, va_list args)
{
    enum portolan_status status = prepare(b, which, err);
    sqlite3_stmt *s = b->prepared[which];
    int rc = SQLITE_OK;

    if (status)
        return status;
    for (int i = 1; *types && rc == SQLITE_OK; ++types, ++i) {
        if (*types == 'i') {
            rc = sqlite3_bind_int64(s, i, va_arg(args, int64_t));
        } else if (*types == 'd') {
            rc = sqlite3_bind_double(s, i, va_arg(args, double));
        } else {
            rc = sqlite3_bind_text(s, i, va_arg(args, const char *), -1, SQLITE_STATIC);
        }
    }
    return rc == SQLITE_OK ? PORTOLAN_OK : failed(b->db, rc, err);
}

void backend_reset(struct backend *b, enum statement which)
{
    if (b->prepared[which]) {
        sqlite3_reset(b->prepared[which]);
        sqlite3_clear_bindings(b->prepared[which]);
    }
}

enum portolan_status backend_query(struct backend *b, enum statement which,
                                   struct portolan_error *err, const char *types, ...)
{
    enum portolan_status status;
    va_list args;

    va_start(args, types);
    status = bind(b, which, err, types, args);
    va_end(args);
    return status;
}

enum portolan_status backend_next(struct backend *b, enum statement which, bool *row,
                                  struct portolan_error *err)
{
    int rc = sqlite3_step(b->prepared[which]);
    enum portolan_status status = PORTOLAN_OK;

    *row = rc == SQLITE_ROW;
    if (rc == SQLITE_ROW)
        return PORTOLAN_OK;
    if (rc != SQLITE_DONE)
        status = failed(b->db, rc, err);
    backend_reset(b, which);
    return status;
}

enum portolan_status backend_run(struct backend *b, enum statement which, int64_t *result,
                                 struct portolan_error *err, const char *types, ...)
{
    enum portolan_status status;
    va_list args;
    bool row = false;

    va_start(args, types);
    status = bind(b, which, err, types, args);
    va_end(args);
    if (!status)
        status = backend_next(b, which, &row, err);
    if (!status && result && row)
        *result = sqlite3_column_int64(b->prepared[which], 0);
    else if (!status && result)
        *result = sqlite3_stmt_readonly(b->prepared[which]) ? 0 : sqlite3_last_insert_rowid(b->db);
    backend_reset(b, which);
    return status;
}

int64_t backend_changes(struct backend *b)
{
    return sqlite3_changes(b->db);
}

int64_t backend_int(struct backend *b, enum statement which, int column)
{
    return sqlite3_column_int64(b->prepared[which], column);
}

double backend_double(struct backend *b, enum statement which, int column)
{
    if (sqlite3_column_type(b->prepared[which], column) == SQLITE_NULL)
        return NAN;
    return sqlite3_column_double(b->prepared[which], column);
}

const char *backend_text(struct backend *b, enum statement which, int column)
{
    const char *text = (const char *)sqlite3_column_text(b->prepared[which], column);

    return text ? text : "";
}

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

/* *NEW: the file holds nothing at all yet. */
static enum portolan_status check_identity(sqlite3 *db, bool *new, struct portolan_error *err)
{
    int64_t application = 0, version = 0, tables = 0;
    enum portolan_status status;

    if ((status = ask(db, "PRAGMA application_id", &application, err)) ||
        (status = ask(db, "PRAGMA user_version", &version, err)) ||
        (status = ask(db, "SELECT count(*) FROM sqlite_schema", &tables, err)))
        return status;
    *new = application == 0 && version == 0 && tables == 0;
    if (*new)
        return PORTOLAN_OK;
    if (application != APPLICATION_ID)
        return portolan_error_set(err, PORTOLAN_EFOREIGN,
                                  "is an SQLite data base, but no experiment store of Portolan; "
                                  "move it away or name another file");
    if (version > SCHEMA_VERSION)
        return portolan_error_set(err, PORTOLAN_EFOREIGN,
                                  "has schema version %lld, this Portolan knows %d: use a newer "
                                  "Portolan or another store",
                                  (long long)version, SCHEMA_VERSION);
    return PORTOLAN_OK;
}

static enum portolan_status create_schema(sqlite3 *db, struct portolan_error *err)
{
    char identity[100];
    bool new = false;
    enum portolan_status status = execute(db, "BEGIN IMMEDIATE", err);

    if (status)
        return status;
    sqlite3_snprintf(sizeof identity, identity,
                     "PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT", APPLICATION_ID,
                     SCHEMA_VERSION);
    /* Another process may have been here first. */
    if (!(status = check_identity(db, &new, err)) && new)
        status = execute(db, schema, err);
    if (!status)
        status = execute(db, new ? identity : "COMMIT", err);
    if (status)
        sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

/* Write-ahead logs need memory shared between processes, which these file systems have not. */
static bool on_network(const char *path)
{
    static const unsigned long network[] = {
        0x6969 /* NFS */,        0xff534d42 /* CIFS */,   0xfe534d42 /* SMB2 */,
        0x517b /* SMB */,        0x0bd00bd0 /* Lustre */, 0x47504653 /* GPFS */,
        0x19830326 /* BeeGFS */, 0x5346414f /* AFS */,    0x01021997 /* 9P */,
        0xaad7aaea /* PanFS */,  0x00c36400 /* Ceph */,
    };
    struct statfs fs;

    if (statfs(path, &fs))
        return false;
    for (size_t i = 0; i < sizeof network / sizeof *network; ++i) {
        if (((unsigned long)fs.f_type & 0xffffffffUL) == network[i])
            return true;
    }
    return false;
}

/* WAL with NORMAL survives the death of the process; the rollback journal syncs at each commit. */
static enum portolan_status set_journal(sqlite3 *db, const char *path, struct portolan_error *err)
{
    sqlite3_stmt *s = NULL;
    bool wal = false;

    if (!on_network(path) &&
        sqlite3_prepare_v2(db, "PRAGMA journal_mode = WAL", -1, &s, NULL) == SQLITE_OK)
        wal = sqlite3_step(s) == SQLITE_ROW && sqlite3_column_text(s, 0) &&
              !strcmp((const char *)sqlite3_column_text(s, 0), "wal");
    sqlite3_finalize(s);
    return execute(db,
                   wal ? "PRAGMA synchronous = NORMAL"
                       : "PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL",
                   err);
}

/* A store in a folder that may not be written: nobody else writes it either. */
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

static enum portolan_status open_file(struct backend *b, const char *path, bool write, int busy_ms,
                                      struct portolan_error *err)
{
    int flags = write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    int64_t tables;
    int rc;

    if (!write && strcmp(path, ":memory:") && access(path, R_OK))
        return portolan_error_set(err, PORTOLAN_EIO, "cannot be read: %s", strerror(errno));
    rc = sqlite3_open_v2(path, &b->db, flags | SQLITE_OPEN_NOMUTEX, NULL);
    if (rc == SQLITE_OK && !write &&
        ask(b->db, "SELECT count(*) FROM sqlite_schema", &tables, NULL) &&
        (sqlite3_errcode(b->db) == SQLITE_CANTOPEN || sqlite3_errcode(b->db) == SQLITE_READONLY)) {
        sqlite3_close(b->db);
        b->db = NULL;
        rc = open_archived(path, &b->db);
    }
    if (rc == SQLITE_CANTOPEN && sqlite3_system_errno(b->db))
        return portolan_error_set(err, PORTOLAN_EIO,
                                  "cannot be opened: %s; make its folder, or name another file",
                                  strerror(sqlite3_system_errno(b->db)));
    if (rc != SQLITE_OK)
        return failed(b->db, rc, err);
    sqlite3_extended_result_codes(b->db, 1);
    sqlite3_busy_timeout(b->db, busy_ms);
    if (write && sqlite3_db_readonly(b->db, "main") == 1)
        return portolan_error_set(err, PORTOLAN_EIO, "may not be written");
    return execute(b->db, "PRAGMA foreign_keys = ON", err);
}

enum portolan_status backend_open(const char *path, enum portolan_store_mode mode, int busy_ms,
                                  struct backend **backend, struct portolan_error *err)
{
    bool new = false, write = mode == PORTOLAN_STORE_WRITE;
    struct backend *b = portolan_calloc(1, sizeof *b);
    enum portolan_status status;

    if (!b)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    if ((status = open_file(b, path, write, busy_ms, err)) ||
        (status = check_identity(b->db, &new, err)))
        goto out;
    if (new && !write) {
        status = portolan_error_set(err, PORTOLAN_EFOREIGN,
                                    "is empty, no experiment store; measure something first");
        goto out;
    }
    if (write &&
        ((status = set_journal(b->db, path, err)) || (new && (status = create_schema(b->db, err)))))
        goto out;
    *backend = b;
    return PORTOLAN_OK;
out:
    backend_close(b);
    return status;
}

void backend_close(struct backend *b)
{
    if (!b)
        return;
    for (int i = 0; i < STATEMENT_COUNT; ++i)
        sqlite3_finalize(b->prepared[i]);
    sqlite3_close(b->db);
    free(b);
}
