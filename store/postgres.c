/* SPDX-License-Identifier: BSD-3-Clause */
/* The PostgreSQL back end: all its SQL, except the schema's, and how it is run through libpq. */
#include "postgres.h"

#include <endian.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOW         "to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"
#define COPY(table) "COPY " table " FROM STDIN (FORMAT binary)"
/* Some table that all have: writers wait for each other, readers for nobody. */
#define ONE_WRITER "LOCK TABLE schema_version IN SHARE ROW EXCLUSIVE MODE"

/* What FIND does not find it makes, so that ADD need not be asked: half the round trips. */
#define FIND_OR_ADD(find, add)                                                                     \
    "WITH found AS (" find "), made AS (" add                                                      \
    " WHERE NOT EXISTS (SELECT FROM found) RETURNING id)"                                          \
    " SELECT id FROM found UNION ALL SELECT id FROM made"
#define TIMER_NAME "c.instance || '.' || p.name || '.' || $2 || ' [' || c.implementation || ']'"

static const char *const sql[STATEMENT_COUNT] = {
    [BEGIN_READ] = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    [BEGIN_WRITE] = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; " ONE_WRITER,
    [COMMIT] = "COMMIT",
    [ROLLBACK] = "ROLLBACK",
    [ADD_TRIAL] = "INSERT INTO trial (name, purpose, node_count, started, outcome, elapsed_ns)"
                  " VALUES ($1, $2, $3, coalesce($4, " NOW "), 'running', 0) RETURNING id",
    [END_TRIAL] = "UPDATE trial SET outcome = $2, elapsed_ns = $3 WHERE id = $1",
    [DELETE_TRIAL] = "DELETE FROM trial WHERE id = $1",
    [HAS_TRIAL] = "SELECT id FROM trial WHERE id = $1",
    [ADD_PARAMETER] = "INSERT INTO trial_parameter VALUES ($1, $2, $3)",
    [ADD_IMPLEMENTATION] = "INSERT INTO trial_implementation VALUES ($1, $2, $3)",
    [PUT_METADATA] = "INSERT INTO primary_metadata VALUES ($1, $2, $3)"
                     " ON CONFLICT (trial, name) DO UPDATE SET value = excluded.value",
    [DELETE_METADATA] = "DELETE FROM primary_metadata WHERE trial = $1 AND name = $2",
    [PUT_RANK_FACT] = "INSERT INTO secondary_metadata (trial, thread, name, value)"
                      " VALUES ($1, $2, $3, $4)"
                      " ON CONFLICT (thread, name) DO UPDATE SET value = excluded.value",
    [FIND_STEP] = FIND_OR_ADD("SELECT id FROM step WHERE trial = $1 AND number = $2",
                              "INSERT INTO step (trial, number) SELECT $1, $2"),
    [ADD_STEP] = "INSERT INTO step (trial, number) VALUES ($1, $2) RETURNING id",
    [FIND_METRIC] = "SELECT id FROM metric WHERE trial = $1 AND name = $2",
    [ADD_METRIC] = "INSERT INTO metric (trial, name, unit) VALUES ($1, $2, $3) RETURNING id",
    [FIND_THREAD] = FIND_OR_ADD(
        "SELECT id FROM thread"
        " WHERE trial = $1 AND node_rank = $2 AND context_rank = 0 AND thread_rank = $3",
        "INSERT INTO thread (trial, node_rank, thread_rank, thread_index)"
        " SELECT $1, $2, $3, (SELECT count(*) FROM thread WHERE trial = $1)"),
    [ADD_THREAD] =
        "INSERT INTO thread (trial, node_rank, thread_rank, thread_index)"
        " VALUES ($1, $2, $3, (SELECT count(*) FROM thread WHERE trial = $1)) RETURNING id",
    [FIND_COMPONENT] = FIND_OR_ADD(
        "SELECT id FROM component WHERE trial = $1 AND instance = $2 AND implementation = $3",
        "INSERT INTO component (trial, instance, implementation) SELECT $1, $2, $3"),
    [ADD_COMPONENT] =
        "INSERT INTO component (trial, instance, implementation) VALUES ($1, $2, $3) RETURNING id",
    [FIND_PORT] =
        FIND_OR_ADD("SELECT id FROM port WHERE component = $1 AND name = $2 AND type = $3",
                    "INSERT INTO port (component, name, type) SELECT $1, $2, $3"),
    [ADD_PORT] = "INSERT INTO port (component, name, type) VALUES ($1, $2, $3) RETURNING id",
    [FIND_TIMER] =
        FIND_OR_ADD("SELECT id FROM timer WHERE port = $1 AND short_name = $2",
                    "INSERT INTO timer (port, short_name, trial, name)"
                    " SELECT $1, $2, c.trial, " TIMER_NAME " FROM port p JOIN component c"
                    " ON c.id = p.component AND p.id = $1"),
    [ADD_TIMER] = "INSERT INTO timer (port, short_name, trial, name)"
                  " SELECT $1, $2, c.trial, " TIMER_NAME " FROM port p JOIN component c"
                  " ON c.id = p.component AND p.id = $1 RETURNING id",
    [FIND_CALLPATH] = FIND_OR_ADD(
        "SELECT id FROM timer_callpath"
        " WHERE timer = $1 AND coalesce(parent, 0) = $2 AND \"user\" = $3 AND uses = $4",
        "INSERT INTO timer_callpath (timer, parent, \"user\", uses)"
        " SELECT $1, nullif($2, 0), $3, $4"),
    [ADD_CALLPATH] = "INSERT INTO timer_callpath (timer, parent, \"user\", uses)"
                     " VALUES ($1, nullif($2, 0), $3, $4) RETURNING id",
    [FIND_LAYOUT] =
        "SELECT id FROM call_layout WHERE trial = $1 AND context1 IS NOT DISTINCT FROM $2"
        " AND context2 IS NOT DISTINCT FROM $3 AND context3 IS NOT DISTINCT FROM $4"
        " AND context4 IS NOT DISTINCT FROM $5 AND counter1 IS NOT DISTINCT FROM $6"
        " AND counter2 IS NOT DISTINCT FROM $7 AND counter3 IS NOT DISTINCT FROM $8"
        " AND counter4 IS NOT DISTINCT FROM $9 AND counter5 IS NOT DISTINCT FROM $10"
        " AND counter6 IS NOT DISTINCT FROM $11 AND counter7 IS NOT DISTINCT FROM $12"
        " AND counter8 IS NOT DISTINCT FROM $13",
    [ADD_LAYOUT] = "INSERT INTO call_layout (trial, context1, context2, context3, context4,"
                   " counter1, counter2, counter3, counter4, counter5, counter6, counter7,"
                   " counter8) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"
                   " RETURNING id",
    [FIND_COUNTER] = "SELECT id FROM counter WHERE trial = $1 AND name = $2",
    [ADD_COUNTER] = "INSERT INTO counter (trial, name) VALUES ($1, $2) RETURNING id",
    [NEXT_CALL_DATA] =
        "SELECT coalesce((SELECT last FROM call_piece ORDER BY first DESC LIMIT 1), 0) + 1",
    [NEXT_INVOCATION] =
        "SELECT coalesce((SELECT last FROM invocation_piece ORDER BY first DESC LIMIT 1), 0) + 1",
    [FIND_LAST_START] = "SELECT last_start FROM invocation_piece WHERE thread = $1 AND late = 0"
                        " ORDER BY first DESC LIMIT 1",
    [PUT_CALL_PIECE] = COPY("call_piece"),
    [PUT_CALL_DATA] = COPY("call_data"),
    [PUT_INVOCATION_PIECE] = COPY("invocation_piece"),
    [PUT_INVOCATION] = COPY("invocation"),
    [PUT_COUNTER_VALUE] = COPY("counter_value"),
    [PUT_TRAFFIC] = COPY("traffic"),
    [PUT_SUMMARY] = COPY("summary"),
    [PUT_COUNTER_SUMMARY] = COPY("counter_summary"),
    [DELETE_COUNTER_VALUES] = "DELETE FROM counter_value WHERE thread IN"
                              " (SELECT id FROM thread WHERE trial = $1 AND node_rank = $2)",
    [DELETE_TRAFFIC] = "DELETE FROM traffic WHERE trial = $1 AND node_rank = $2",
    [DELETE_SUMMARY] = "DELETE FROM summary WHERE trial = $1",
    [DELETE_COUNTER_SUMMARY] = "DELETE FROM counter_summary WHERE callpath IN"
                               " (SELECT callpath FROM summary WHERE trial = $1)",
    [PUT_MODEL] = "INSERT INTO model"
                  " (assembly, instance, implementation, method, scope, quantity, xml, stored)"
                  " VALUES ($1, $2, $3, $4, $5, $6, $7, " NOW ")"
                  " ON CONFLICT (assembly, instance, implementation, method, scope, quantity)"
                  " DO UPDATE SET xml = excluded.xml, stored = excluded.stored",
    [ADD_DECISION] =
        "INSERT INTO decision (trial, assembly, parameters, host, ranks, choice, predicted_ns,"
        " low_ns, high_ns, reason, decided) VALUES (nullif($1, 0), $2, $3, $4, $5, $6, $7, $8, $9,"
        " $10, coalesce($11, " NOW ")) RETURNING id",
    [FIND_DECISION] =
        "SELECT id, coalesce(trial, 0), ranks, predicted_ns, low_ns, high_ns, assembly,"
        " parameters, host, choice, reason, decided FROM decision"
        " WHERE assembly = $1 AND parameters = $2 AND host = $3 AND ranks = $4"
        " ORDER BY id DESC LIMIT 1",
    [FIND_TRIAL_DECISION] =
        "SELECT id, trial, ranks, predicted_ns, low_ns, high_ns, assembly, parameters,"
        " host, choice, reason, decided FROM decision WHERE trial = $1 ORDER BY id LIMIT 1",
    [ADD_SWAP] = "INSERT INTO swap (trial, step, instance, from_implementation, to_implementation,"
                 " reason, outcome) VALUES ($1, $2, $3, $4, $5, $6, $7)",
    [READ_TRIALS] =
        "SELECT * FROM (SELECT id, node_count, elapsed_ns, name, purpose, started, outcome"
        " FROM trial WHERE ($1 = 0 OR id = $1) AND ($2 IS NULL OR name = $2)"
        " AND ($3 IS NULL OR purpose = $3) AND ($4 IS NULL OR outcome = $4)"
        " AND ($5 = 0 OR node_count = $5) ORDER BY id DESC"
        " LIMIT CASE WHEN $6 <> 0 THEN 1 END) AS newest ORDER BY id",
    [READ_PARAMETERS] =
        "SELECT name, value FROM trial_parameter WHERE trial = $1 ORDER BY name COLLATE \"C\"",
    [READ_IMPLEMENTATIONS] =
        "SELECT name, value FROM trial_implementation WHERE trial = $1 ORDER BY name COLLATE \"C\"",
    [READ_METADATA] =
        "SELECT name, value FROM primary_metadata WHERE trial = $1 ORDER BY name COLLATE \"C\"",
    [READ_RANK_FACTS] = "SELECT h.node_rank, h.thread_rank, m.name, m.value"
                        " FROM secondary_metadata m JOIN thread h ON h.id = m.thread"
                        " WHERE m.trial = $1 AND h.node_rank BETWEEN $2 AND $3"
                        " ORDER BY 1, 2, m.name COLLATE \"C\"",
    [READ_THREADS] = "SELECT id, node_rank, thread_rank FROM thread WHERE trial = $1 ORDER BY id",
    [READ_CALLPATHS] =
        "SELECT p.id, coalesce(p.parent, 0), p.\"user\", p.uses, c.instance, o.name,"
        " c.implementation, o.type, t.short_name FROM timer t JOIN timer_callpath p"
        " ON p.timer = t.id JOIN port o ON o.id = t.port JOIN component c ON c.id = o.component"
        " WHERE t.trial = $1 ORDER BY p.id",
    [READ_LAYOUTS] = "SELECT id, num_nonnulls(context1, context2, context3, context4),"
                     " num_nonnulls(counter1, counter2, counter3, counter4, counter5, counter6,"
                     " counter7, counter8), context1, context2, context3, context4, counter1,"
                     " counter2, counter3, counter4, counter5, counter6, counter7, counter8"
                     " FROM call_layout WHERE trial = $1 ORDER BY id",
    [READ_CALL_PIECES] = "SELECT p.first, p.last, s.number, p.node_rank"
                         " FROM step s JOIN call_piece p ON p.step = s.id WHERE s.trial = $1"
                         " AND s.number BETWEEN $2 AND $3 AND p.node_rank BETWEEN $4 AND $5",
    [READ_CALL_DATA] = "SELECT * FROM call_data WHERE id BETWEEN $1 AND $2 ORDER BY id",
    [READ_INVOCATIONS] =
        "SELECT i.* FROM invocation_piece p JOIN invocation i ON i.id BETWEEN p.first AND p.last"
        " WHERE p.thread = $1 AND p.late = 0 ORDER BY p.first, i.id",
    [READ_LATE_INVOCATIONS] =
        "SELECT i.* FROM invocation_piece p JOIN invocation i ON i.id BETWEEN p.first AND p.last"
        " WHERE p.thread = $1 AND p.late = 1"
        " ORDER BY i.start, i.inclusive DESC NULLS LAST, i.callpath, i.id",
    [READ_COUNTER_VALUES] =
        "SELECT h.node_rank, h.thread_rank, coalesce(v.timer_callpath, 0), v.sample_count,"
        " v.maximum_value, v.minimum_value, v.mean_value, v.sum_squared, c.name"
        " FROM thread h JOIN counter_value v ON v.thread = h.id JOIN counter c ON c.id = v.counter"
        " WHERE h.trial = $1 AND h.node_rank BETWEEN $2 AND $3"
        " ORDER BY 1, 2, c.name COLLATE \"C\", 3",
    [READ_TRAFFIC] =
        "SELECT node_rank, partner, received, sum(calls)::bigint, sum(time), sum(bytes),"
        " routine FROM traffic WHERE trial = $1 GROUP BY node_rank, routine, partner,"
        " received ORDER BY node_rank, routine COLLATE \"C\", partner, received",
    [READ_SUMMARY] = "SELECT * FROM summary WHERE trial = $1 ORDER BY callpath",
    [READ_COUNTER_SUMMARY] =
        "SELECT v.callpath, v.sum, v.mean, v.minimum, v.maximum, v.deviation, v.max_rank, m.name"
        " FROM metric m JOIN counter_summary v ON v.metric = m.id WHERE m.trial = $1"
        " ORDER BY v.callpath, m.id",
};

/* Of types, as PostgreSQL numbers them for ever. */
enum { BOOLEAN = 16, INT8 = 20, INT2 = 21, INT4 = 23, TEXT = 25, FLOAT4 = 700, FLOAT8 = 701 };

enum { FETCH_ROWS = 4096, COPY_BYTES = 256 * 1024 };

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
    struct query queries[STATEMENT_COUNT];
    int64_t changes;
    struct portolan_text copy;
};

static struct postgres *of(struct backend *b)
{
    return (struct postgres *)b;
}

/* ------------------------------------------------- what the server says */

static enum portolan_status lost(PGconn *c, struct portolan_error *err)
{
    char line[400];
    const char *text = PQerrorMessage(c);

    snprintf(line, sizeof line, "%s", text + strspn(text, " \n"));
    line[strcspn(line, "\n")] = '\0';
    return portolan_error_set(err, PORTOLAN_EIO,
                              "the connection to the server was lost (%s); what was stored is "
                              "intact",
                              line);
}

/* By the class of the code, https://www.postgresql.org/docs/15/errcodes-appendix.html */
static enum portolan_status explain(const char *code, const char *text, struct portolan_error *err)
{
    if (!strcmp(code, "55P03") || !strncmp(code, "40", 2))
        return portolan_error_set(err, PORTOLAN_EBUSY,
                                  "another program holds it locked; try again when it has ended");
    if (!strcmp(code, "53100"))
        return portolan_error_set(err, PORTOLAN_EIO,
                                  "no space is left on the server (%s); free some, what was stored "
                                  "is intact",
                                  text);
    if (!strncmp(code, "58", 2) || !strncmp(code, "XX", 2))
        return portolan_error_set(err, PORTOLAN_EIO,
                                  "%s (SQLSTATE %s); see to the server's disk and its quota, what "
                                  "was stored is intact",
                                  text, code);
    if (!strcmp(code, "53200"))
        return portolan_error_set(err, PORTOLAN_ENOMEM, "the server is out of memory");
    if (!strncmp(code, "23", 2))
        return portolan_error_set(err, PORTOLAN_EINVAL, "contradicts what is stored (%s)", text);
    if (!strcmp(code, "22021"))
        return portolan_error_set(err, PORTOLAN_EINVAL, "texts must be UTF-8 (%s)", text);
    if (!strcmp(code, "42501"))
        return portolan_error_set(err, PORTOLAN_EIO,
                                  "may not be written by this user (%s); its owner can GRANT that, "
                                  "or make a data base with this user as owner",
                                  text);
    if (!strcmp(code, "25006"))
        return portolan_error_set(err, PORTOLAN_EIO, "may not be written (%s)", text);
    if (!strncmp(code, "57P", 3))
        return portolan_error_set(err, PORTOLAN_EIO,
                                  "the server is going down (%s); what was stored is intact", text);
    return portolan_error_set(err, PORTOLAN_EIO, "%s (SQLSTATE %s)", text, code);
}

enum portolan_status postgres_failed(PGconn *c, PGresult *r, struct portolan_error *err)
{
    const char *code = PQresultErrorField(r, PG_DIAG_SQLSTATE);
    const char *text = PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY);
    enum portolan_status status;

    if (code && text)
        status = explain(code, text, err);
    else if (PQstatus(c) != CONNECTION_OK)
        status = lost(c, err);
    else if (!r)
        status = portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    else
        status = portolan_error_set(err, PORTOLAN_EIO,
                                    "the server gave an answer that was not "
                                    "expected");
    PQclear(r);
    return status;
}

static bool is_good(const PGresult *r)
{
    return PQresultStatus(r) == PGRES_COMMAND_OK || PQresultStatus(r) == PGRES_TUPLES_OK;
}

enum portolan_status postgres_execute(PGconn *c, const char *text, struct portolan_error *err)
{
    PGresult *r = PQexec(c, text);

    if (!is_good(r))
        return postgres_failed(c, r, err);
    PQclear(r);
    return PORTOLAN_OK;
}

/* ------------------------------------------------- values */

/* As the server's binary formats have them: big-endian. */
static void put_bits(char *to, uint64_t bits)
{
    bits = htobe64(bits);
    memcpy(to, &bits, sizeof bits);
}

/* Of VALUE; -1: NULL. *BYTES is the text itself, or NUMBER. */
static int encode(char type, const union backend_value *value, char number[8], const char **bytes)
{
    union {
        double d;
        uint64_t bits;
    } u;

    *bytes = number;
    if (type == 't') {
        *bytes = value->t;
        return value->t ? (int)strlen(value->t) : -1;
    }
    if (type == 'd') {
        u.d = value->d;
        put_bits(number, u.bits);
        return isnan(value->d) ? -1 : 8;
    }
    put_bits(number, (uint64_t)value->i);
    return type == 'k' && !value->i ? -1 : 8;
}

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
        p->lengths[i] = encode(types[i], &values[i], p->numbers[i], &p->values[i]);
        if (p->lengths[i] < 0)
            p->values[i] = NULL;
    }
}

/* ------------------------------------------------- statements */

static bool in_transaction(const struct postgres *b)
{
    return PQtransactionStatus(b->connection) != PQTRANS_IDLE;
}

static void forget(struct postgres *b)
{
    for (int i = 0; i < STATEMENT_COUNT; ++i) {
        PQclear(b->queries[i].rows);
        b->queries[i] = (struct query){0};
    }
}

/* After a loss, before anything new: another session, if the server is there again. */
static enum portolan_status reconnect(struct postgres *b, struct portolan_error *err)
{
    if (PQstatus(b->connection) == CONNECTION_OK)
        return PORTOLAN_OK;
    forget(b);
    PQreset(b->connection);
    if (PQstatus(b->connection) != CONNECTION_OK)
        return lost(b->connection, err);
    return postgres_begin_session(b->connection, b->write, b->busy_ms, err);
}

/* What may be done anew on another connection, since nothing depends on it yet. */
static enum portolan_status begin(struct postgres *b, enum statement which,
                                  struct portolan_error *err)
{
    struct portolan_error first = {0};
    enum portolan_status status = reconnect(b, err);

    if (status)
        return status;
    status = postgres_execute(b->connection, sql[which], &first);
    if (status && PQstatus(b->connection) != CONNECTION_OK) {
        first = (struct portolan_error){0};
        status = reconnect(b, &first);
        if (!status)
            status = postgres_execute(b->connection, sql[which], &first);
    }
    if (!status)
        return PORTOLAN_OK;
    if (PQstatus(b->connection) == CONNECTION_OK && in_transaction(b))
        postgres_execute(b->connection, sql[ROLLBACK], NULL);
    return portolan_error_set(err, status, "%s", first.text);
}

static enum portolan_status commit(struct postgres *b, struct portolan_error *err)
{
    PGresult *r = PQexec(b->connection, sql[COMMIT]);
    bool undone;

    if (!is_good(r)) {
        enum portolan_status status = postgres_failed(b->connection, r, err);

        if (PQstatus(b->connection) != CONNECTION_OK)
            portolan_error_prefix(err, "whether it was stored is not known");
        return status;
    }
    undone = !strcmp(PQcmdStatus(r), "ROLLBACK");
    PQclear(r);
    return undone ? portolan_error_set(err, PORTOLAN_EIO, "the transaction had failed before")
                  : PORTOLAN_OK;
}

static enum portolan_status rollback(struct postgres *b, struct portolan_error *err)
{
    if (PQstatus(b->connection) != CONNECTION_OK || !in_transaction(b))
        return PORTOLAN_OK;
    return postgres_execute(b->connection, sql[ROLLBACK], err);
}

static void reset(struct backend *base, enum statement which)
{
    struct postgres *b = of(base);
    struct query *q = &b->queries[which];
    char text[40];

    PQclear(q->rows);
    q->rows = NULL;
    if (q->has_cursor && PQtransactionStatus(b->connection) == PQTRANS_INTRANS) {
        snprintf(text, sizeof text, "CLOSE c%d", (int)which);
        postgres_execute(b->connection, text, NULL);
    }
    q->has_cursor = false;
}

static bool is_long(enum statement which)
{
    return which == READ_CALL_DATA || which == READ_INVOCATIONS || which == READ_LATE_INVOCATIONS;
}

/* libpq keeps whole results: what may be millions of rows comes in parts. */
static enum portolan_status fetch(struct postgres *b, enum statement which,
                                  struct portolan_error *err)
{
    struct query *q = &b->queries[which];
    char text[60];

    PQclear(q->rows);
    snprintf(text, sizeof text, "FETCH %d FROM c%d", FETCH_ROWS, (int)which);
    q->rows = PQexecParams(b->connection, text, 0, NULL, NULL, NULL, NULL, 1);
    q->at = -1;
    if (PQresultStatus(q->rows) == PGRES_TUPLES_OK)
        return PORTOLAN_OK;
    q->has_cursor = false;
    PQresultStatus(q->rows);
    PGresult *r = q->rows;
    q->rows = NULL;
    return postgres_failed(b->connection, r, err);
}

static enum portolan_status open_cursor(struct postgres *b, enum statement which,
                                        const struct parameters *p, struct portolan_error *err)
{
    char text[1000];
    PGresult *r;

    snprintf(text, sizeof text, "DECLARE c%d NO SCROLL CURSOR FOR %s", (int)which, sql[which]);
    r = PQexecParams(b->connection, text, p->n, p->types, p->values, p->lengths, p->formats, 1);
    if (!is_good(r))
        return postgres_failed(b->connection, r, err);
    PQclear(r);
    b->queries[which].has_cursor = true;
    return fetch(b, which, err);
}

static enum portolan_status run(struct postgres *b, enum statement which,
                                const struct parameters *p, struct portolan_error *err)
{
    struct query *q = &b->queries[which];
    char name[20];
    PGresult *r;

    snprintf(name, sizeof name, "s%d", (int)which);
    if (!q->is_prepared) {
        r = PQprepare(b->connection, name, sql[which], p->n, p->types);
        if (!is_good(r))
            return postgres_failed(b->connection, r, err);
        PQclear(r);
        q->is_prepared = true;
    }
    r = PQexecPrepared(b->connection, name, p->n, p->values, p->lengths, p->formats, 1);
    if (!is_good(r))
        return postgres_failed(b->connection, r, err);
    if (*PQcmdTuples(r))
        portolan_read_int64(PQcmdTuples(r), &b->changes);
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

static enum portolan_status next(struct backend *base, enum statement which, bool *row,
                                 struct portolan_error *err)
{
    struct postgres *b = of(base);
    struct query *q = &b->queries[which];
    enum portolan_status status = PORTOLAN_OK;

    *row = false;
    if (q->rows && q->has_cursor && q->at + 1 == PQntuples(q->rows) &&
        PQntuples(q->rows) == FETCH_ROWS)
        status = fetch(b, which, err);
    if (!status && q->rows && ++q->at < PQntuples(q->rows)) {
        *row = true;
        return PORTOLAN_OK;
    }
    reset(base, which);
    return status;
}

/* ------------------------------------------------- many rows */

static void put_bytes(struct portolan_text *t, const void *bytes, size_t n)
{
    portolan_text_add_bytes(t, bytes, n);
}

static void put_length(struct portolan_text *t, int32_t length)
{
    uint32_t bits = htobe32((uint32_t)length);

    put_bytes(t, &bits, sizeof bits);
}

static void put_row(struct portolan_text *t, const char *types, uint16_t n,
                    const union backend_value *values)
{
    uint16_t bits = htobe16(n);

    put_bytes(t, &bits, sizeof bits);
    for (int i = 0; i < n; ++i) {
        char number[8];
        const char *bytes;
        int length = encode(types[i], &values[i], number, &bytes);

        put_length(t, length);
        if (length > 0)
            put_bytes(t, bytes, (size_t)length);
    }
}

/* Hands over what there is; when it fails COPY tells why at its end. */
static bool flush(struct postgres *b)
{
    bool good =
        !b->copy.failed && PQputCopyData(b->connection, b->copy.bytes, (int)b->copy.length) == 1;

    b->copy.length = 0;
    return good;
}

/* TROUBLE: on our side; then nothing is stored. */
static enum portolan_status end_copy(struct postgres *b, const char *trouble,
                                     struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;
    PGresult *r;

    PQputCopyEnd(b->connection, trouble);
    while ((r = PQgetResult(b->connection)) != NULL) {
        if (status || is_good(r))
            PQclear(r);
        else
            status = postgres_failed(b->connection, r, err);
    }
    if (!status && PQstatus(b->connection) != CONNECTION_OK)
        status = lost(b->connection, err);
    return status;
}

static enum portolan_status put_rows(struct backend *base, enum statement which, const char *types,
                                     size_t n, backend_fill_fn fill, void *arg,
                                     struct portolan_error *err)
{
    static const char header[19] = "PGCOPY\n\377\r\n"; /* and zeros: no flags, no extension */
    struct postgres *b = of(base);
    PGresult *r = PQexec(b->connection, sql[which]);
    uint16_t columns = (uint16_t)strlen(types), last = 0xffff;
    bool good = true;

    if (PQresultStatus(r) != PGRES_COPY_IN)
        return postgres_failed(b->connection, r, err);
    PQclear(r);
    put_bytes(&b->copy, header, sizeof header);
    for (size_t i = 0; i < n && good; ++i) {
        union backend_value values[BACKEND_VALUES_MAX];

        fill(arg, i, values);
        put_row(&b->copy, types, columns, values);
        if (b->copy.length >= COPY_BYTES)
            good = flush(b);
    }
    put_bytes(&b->copy, &last, sizeof last);
    good = good && flush(b);
    if (b->copy.failed) {
        portolan_text_clear(&b->copy);
        end_copy(b, "out of memory", NULL);
        return portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    }
    b->copy.length = 0;
    return end_copy(b, NULL, err);
}

/* ------------------------------------------------- rows */

static const char *bytes_of(struct backend *b, enum statement which, int column, Oid *type)
{
    const struct query *q = &of(b)->queries[which];

    *type = PQftype(q->rows, column);
    return PQgetisnull(q->rows, q->at, column) ? NULL : PQgetvalue(q->rows, q->at, column);
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
    union {
        double d;
        uint64_t bits;
    } u;
    const char *bytes;
    Oid type;

    if (!(bytes = bytes_of(b, which, column, &type)))
        return NAN;
    if (type != FLOAT8)
        return (double)integer(b, which, column);
    u.bits = bits_of(bytes, 8);
    return u.d;
}

static const char *text(struct backend *b, enum statement which, int column)
{
    Oid type;
    const char *bytes = bytes_of(b, which, column, &type);

    return bytes ? bytes : "";
}

static int64_t changes(struct backend *b)
{
    return of(b)->changes;
}

/* ------------------------------------------------- opening */

static bool takes(const char *path)
{
    return portolan_store_is_server(path);
}

/* The server rolls an open transaction back. */
static void close_backend(struct backend *base)
{
    struct postgres *b = of(base);

    forget(b);
    PQfinish(b->connection);
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
        return portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
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

const struct backend_ops backend_postgres = {
    .takes = takes,
    .open = open_backend,
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
