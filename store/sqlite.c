/* SPDX-License-Identifier: BSD-3-Clause */
/* The SQLite back end: all its SQL, except the schema's (schema.sql), and how it is run. */
#include "sqlite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const sql[STATEMENT_COUNT] = {
    [BEGIN_READ] = "BEGIN",
    [BEGIN_WRITE] = "BEGIN IMMEDIATE",
    [COMMIT] = "COMMIT",
    [ROLLBACK] = "ROLLBACK",
    [ADD_TRIAL] = "INSERT INTO trial (name, purpose, node_count, started, outcome, elapsed_ns)"
                  " VALUES (?1, ?2, ?3, ifnull(?4, strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),"
                  " 'running', 0) RETURNING id",
    [END_TRIAL] = "UPDATE trial SET outcome = ?2, elapsed_ns = ?3 WHERE id = ?1",
    [DELETE_TRIAL] = "DELETE FROM trial WHERE id = ?1",
    [HAS_TRIAL] = "SELECT id FROM trial WHERE id = ?1",
    [FIND_JOB] = "SELECT t.id FROM trial t JOIN primary_metadata m ON m.trial = t.id"
                 " WHERE m.name = 'job' AND m.value = ?1 AND t.outcome = 'running'"
                 " AND NOT EXISTS (SELECT 1 FROM primary_metadata e"
                 " WHERE e.trial = t.id AND e.name = ?2) ORDER BY t.id DESC LIMIT 1",
    [LEAVE_TRIAL] = "UPDATE trial SET elapsed_ns = max(elapsed_ns, ?2), outcome = CASE"
                    " WHEN (SELECT count(*) FROM primary_metadata WHERE trial = ?1"
                    " AND name LIKE 'rank % ended') < node_count THEN 'running'"
                    " WHEN EXISTS (SELECT 1 FROM primary_metadata WHERE trial = ?1"
                    " AND name LIKE 'rank % ended' AND value <> 'finished') THEN 'failed'"
                    " ELSE 'finished' END WHERE id = ?1",
    [ADD_PARAMETER] = "INSERT INTO trial_parameter VALUES (?1, ?2, ?3)",
    [ADD_IMPLEMENTATION] = "INSERT INTO trial_implementation VALUES (?1, ?2, ?3)",
    [PUT_METADATA] = "INSERT INTO primary_metadata VALUES (?1, ?2, ?3)"
                     " ON CONFLICT (trial, name) DO UPDATE SET value = excluded.value",
    [DELETE_METADATA] = "DELETE FROM primary_metadata WHERE trial = ?1 AND name = ?2",
    [PUT_RANK_FACT] = "INSERT INTO secondary_metadata (trial, thread, name, value)"
                      " VALUES (?1, ?2, ?3, ?4)"
                      " ON CONFLICT (thread, name) DO UPDATE SET value = excluded.value",
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
    [ADD_LAYOUT] = "INSERT INTO call_layout (trial, context1, context2, context3, context4,"
                   " counter1, counter2, counter3, counter4, counter5, counter6, counter7,"
                   " counter8) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)"
                   " RETURNING id",
    [FIND_COUNTER] = "SELECT id FROM counter WHERE trial = ?1 AND name = ?2",
    [ADD_COUNTER] = "INSERT INTO counter (trial, name) VALUES (?1, ?2) RETURNING id",
    [NEXT_CALL_DATA] =
        "SELECT ifnull((SELECT last FROM call_piece ORDER BY first DESC LIMIT 1), 0) + 1",
    [NEXT_INVOCATION] =
        "SELECT ifnull((SELECT last FROM invocation_piece ORDER BY first DESC LIMIT 1), 0) + 1",
    [FIND_LAST_START] = "SELECT last_start FROM invocation_piece WHERE thread = ?1 AND late = 0"
                        " ORDER BY first DESC LIMIT 1",
    [PUT_CALL_PIECE] = "INSERT INTO call_piece (first, last, step, node_rank)"
                       " VALUES (?1, ?2, ?3, ?4)",
    [PUT_CALL_DATA] =
        "INSERT INTO call_data VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11,"
        " ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28,"
        " ?29)",
    [PUT_INVOCATION_PIECE] = "INSERT INTO invocation_piece (first, last, thread, late, last_start)"
                             " VALUES (?1, ?2, ?3, ?4, ?5)",
    [PUT_INVOCATION] = "INSERT INTO invocation VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10,"
                       " ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23)",
    [PUT_COUNTER_VALUE] = "INSERT INTO counter_value VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    [PUT_TRAFFIC] = "INSERT INTO traffic VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    [PUT_SUMMARY] = "INSERT INTO summary VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,"
                    " ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27,"
                    " ?28, ?29, ?30, ?31, ?32, ?33)",
    [PUT_COUNTER_SUMMARY] = "INSERT INTO counter_summary VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    [DELETE_COUNTER_VALUES] = "DELETE FROM counter_value WHERE thread IN"
                              " (SELECT id FROM thread WHERE trial = ?1 AND node_rank = ?2)",
    [DELETE_TRAFFIC] = "DELETE FROM traffic WHERE trial = ?1 AND node_rank = ?2",
    [DELETE_SUMMARY] = "DELETE FROM summary WHERE trial = ?1",
    [DELETE_COUNTER_SUMMARY] = "DELETE FROM counter_summary WHERE callpath IN"
                               " (SELECT callpath FROM summary WHERE trial = ?1)",
    [PUT_MODEL] = "INSERT INTO model"
                  " (assembly, instance, implementation, method, scope, quantity, xml, stored)"
                  " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))"
                  " ON CONFLICT (assembly, instance, implementation, method, scope, quantity)"
                  " DO UPDATE SET xml = excluded.xml, stored = excluded.stored",
    [ADD_DECISION] =
        "INSERT INTO decision (trial, assembly, parameters, host, ranks, choice, predicted_ns,"
        " low_ns, high_ns, reason, decided) VALUES (nullif(?1, 0), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9,"
        " ?10, ifnull(?11, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))) RETURNING id",
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
    [LIFT_VETO] = "INSERT INTO lifted_veto (assembly, instance, implementation, trial)"
                  " SELECT ?1, ?2, ?3, coalesce(max(id), 0) FROM trial WHERE true"
                  " ON CONFLICT (assembly, instance, implementation)"
                  " DO UPDATE SET trial = excluded.trial",
    [READ_LIFTED_VETOES] = "SELECT trial, assembly, instance, implementation FROM lifted_veto"
                           " ORDER BY 2, 3, 4",
    [READ_TRIALS] =
        "SELECT * FROM (SELECT id, node_count, elapsed_ns, name, purpose, started, outcome,"
        " (SELECT coalesce(max(h.thread_rank) + 1, 0) FROM thread h WHERE h.trial = trial.id)"
        " AS threads FROM trial WHERE (?1 = 0 OR id = ?1) AND (?2 IS NULL OR name = ?2)"
        " AND (?3 IS NULL OR purpose = ?3) AND (?4 IS NULL OR outcome = ?4)"
        " AND (?5 = 0 OR node_count = ?5) ORDER BY id DESC LIMIT iif(?6, 1, -1)) ORDER BY id",
    [READ_PARAMETERS] = "SELECT name, value FROM trial_parameter WHERE trial = ?1 ORDER BY name",
    [READ_IMPLEMENTATIONS] =
        "SELECT name, value FROM trial_implementation WHERE trial = ?1 ORDER BY name",
    [READ_METADATA] = "SELECT name, value FROM primary_metadata WHERE trial = ?1 ORDER BY name",
    [READ_RANK_FACTS] = "SELECT h.node_rank, h.thread_rank, m.name, m.value"
                        " FROM secondary_metadata m JOIN thread h ON h.id = m.thread"
                        " WHERE m.trial = ?1 AND h.node_rank BETWEEN ?2 AND ?3 ORDER BY 1, 2, 3",
    [READ_THREADS] = "SELECT id, node_rank, thread_rank FROM thread WHERE trial = ?1 ORDER BY id",
    [READ_CALLPATHS] =
        "SELECT p.id, ifnull(p.parent, 0), p.user, p.uses, c.instance, o.name, c.implementation,"
        " o.type, t.short_name FROM timer t JOIN timer_callpath p ON p.timer = t.id"
        " JOIN port o ON o.id = t.port JOIN component c ON c.id = o.component"
        " WHERE t.trial = ?1 ORDER BY p.id",
    [READ_LAYOUTS] =
        "SELECT id, (context1 IS NOT NULL) + (context2 IS NOT NULL) + (context3 IS NOT NULL)"
        " + (context4 IS NOT NULL), (counter1 IS NOT NULL) + (counter2 IS NOT NULL)"
        " + (counter3 IS NOT NULL) + (counter4 IS NOT NULL) + (counter5 IS NOT NULL)"
        " + (counter6 IS NOT NULL) + (counter7 IS NOT NULL) + (counter8 IS NOT NULL),"
        " context1, context2, context3, context4, counter1, counter2, counter3, counter4,"
        " counter5, counter6, counter7, counter8 FROM call_layout WHERE trial = ?1 ORDER BY id",
    [READ_CALL_PIECES] = "SELECT p.first, p.last, s.number, p.node_rank"
                         " FROM step s JOIN call_piece p ON p.step = s.id WHERE s.trial = ?1"
                         " AND s.number BETWEEN ?2 AND ?3 AND p.node_rank BETWEEN ?4 AND ?5",
    [READ_CALL_DATA] = "SELECT * FROM call_data WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
    [READ_INVOCATIONS] =
        "SELECT i.* FROM invocation_piece p JOIN invocation i ON i.id BETWEEN p.first AND p.last"
        " WHERE p.thread = ?1 AND p.late = 0 ORDER BY p.first, i.id",
    [READ_LATE_INVOCATIONS] =
        "SELECT i.* FROM invocation_piece p JOIN invocation i ON i.id BETWEEN p.first AND p.last"
        " WHERE p.thread = ?1 AND p.late = 1"
        " ORDER BY i.start, i.inclusive DESC, i.callpath, i.id",
    [READ_COUNTER_VALUES] =
        "SELECT h.node_rank, h.thread_rank, ifnull(v.timer_callpath, 0), v.sample_count,"
        " v.maximum_value, v.minimum_value, v.mean_value, v.sum_squared, c.name"
        " FROM thread h JOIN counter_value v ON v.thread = h.id JOIN counter c ON c.id = v.counter"
        " WHERE h.trial = ?1 AND h.node_rank BETWEEN ?2 AND ?3"
        " ORDER BY 1, 2, c.name, 3",
    [READ_TRAFFIC] = "SELECT node_rank, partner, received, sum(calls), sum(time), sum(bytes),"
                     " routine FROM traffic WHERE trial = ?1 GROUP BY node_rank, routine, partner,"
                     " received ORDER BY node_rank, routine, partner, received",
    [READ_SUMMARY] = "SELECT * FROM summary WHERE trial = ?1 ORDER BY callpath",
    [READ_COUNTER_SUMMARY] =
        "SELECT v.callpath, v.sum, v.mean, v.minimum, v.maximum, v.deviation, v.max_rank, m.name"
        " FROM metric m JOIN counter_summary v ON v.metric = m.id WHERE m.trial = ?1"
        " ORDER BY v.callpath, m.id",
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

static enum portolan_status prepare(struct sqlite *b, enum statement which,
                                    struct portolan_error *err)
{
    int rc;

    if (b->prepared[which])
        return PORTOLAN_OK;
    rc = sqlite3_prepare_v3(b->db, sql[which], -1, SQLITE_PREPARE_PERSISTENT, &b->prepared[which],
                            NULL);
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
    enum portolan_status status = prepare(b, which, err);
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
    enum portolan_status status = prepare(b, which, err);
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

/* Every path that no other back end wants. */
static bool takes(const char *path)
{
    return !portolan_store_is_server(path);
}

static void close_backend(struct backend *base)
{
    struct sqlite *b = of(base);

    for (int i = 0; i < STATEMENT_COUNT; ++i)
        sqlite3_finalize(b->prepared[i]);
    sqlite3_close(b->db);
    free(b);
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
    *backend = &b->base;
    return PORTOLAN_OK;
}

static void set_patience(struct backend *base, int busy_ms)
{
    sqlite3_busy_timeout(of(base)->db, busy_ms);
}

const struct backend_ops backend_sqlite = {
    .takes = takes,
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
