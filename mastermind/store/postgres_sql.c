/* SPDX-License-Identifier: BSD-3-Clause */
/* The PostgreSQL back end's own SQL, in addition to sql.c and the schema. */
#include "postgres.h"

/* Locks some table that all stores have: writers wait for each other, readers do not wait. */
#define ONE_WRITER "LOCK TABLE schema_version IN SHARE ROW EXCLUSIVE MODE"

/*
 * FIND also makes what it does not find, for as many names as are in its arrays, one array for each
 * of COLUMNS; there is no ADD. FOUND: number n and id of the rows of w that are there; INTO,
 * VALUES: what a new row gets.
 */
#define IDENTIFY(table, arrays, columns, found, into, values, joined)                              \
    "WITH RECURSIVE w AS MATERIALIZED (SELECT * FROM unnest(" arrays ") WITH ORDINALITY"           \
    " AS x (" columns ", n)), found AS (" found "),"                                               \
    " want AS MATERIALIZED (SELECT o.*, coalesce(old, nextval((SELECT"                             \
    " pg_get_serial_sequence('" table "', 'id'))::regclass)) AS id"                                \
    " FROM (SELECT w.*, f.id AS old FROM w LEFT JOIN found f ON f.n = w.n ORDER BY n) AS o),"      \
    " made AS (INSERT INTO " table " (id, " into ") SELECT w.id, " values " FROM want w" joined    \
    " WHERE w.old IS NULL ORDER BY w.n) SELECT id FROM want ORDER BY n"
#define FOUND(table, match) "SELECT w.n, t.id FROM w JOIN " table " t ON " match
#define SAME_PATH(parent)                                                                          \
    "t.timer = w.timer AND coalesce(t.parent, 0) = " parent                                        \
    " AND t.\"user\" = w.\"user\" AND t.uses = w.uses"
#define TIMER_NAME                                                                                 \
    "c.instance || '.' || p.name || '.' || w.short_name || ' [' || c.implementation || ']'"

const char *const postgres_sql[STATEMENT_COUNT] = {
    [BEGIN_READ] = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    [BEGIN_WRITE] = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; " ONE_WRITER,
    [FIND_STEP] = IDENTIFY("step", "$1, $2", "trial, number",
                           FOUND("step", "t.trial = w.trial AND t.number = w.number"),
                           "trial, number", "w.trial, w.number", ""),
    [FIND_METRIC] = IDENTIFY("metric", "$1, $2, $3", "trial, name, unit",
                             FOUND("metric", "t.trial = w.trial AND t.name = w.name"),
                             "trial, name, unit", "w.trial, w.name, w.unit", ""),
    [FIND_COUNTER] = IDENTIFY("counter", "$1, $2", "trial, name",
                              FOUND("counter", "t.trial = w.trial AND t.name = w.name"),
                              "trial, name", "w.trial, w.name", ""),
    [FIND_THREAD] =
        IDENTIFY("thread", "$1, $2, $3", "trial, node_rank, thread_rank",
                 FOUND("thread", "t.trial = w.trial AND t.node_rank = w.node_rank"
                                 " AND t.context_rank = 0 AND t.thread_rank = w.thread_rank"),
                 "trial, node_rank, thread_rank, thread_index",
                 "w.trial, w.node_rank, w.thread_rank, row_number() OVER (ORDER BY w.n) - 1 +"
                 " (SELECT count(*) FROM thread WHERE trial = (SELECT trial FROM want LIMIT 1))",
                 ""),
    [FIND_COMPONENT] =
        IDENTIFY("component", "$1, $2, $3", "trial, instance, implementation",
                 FOUND("component", "t.trial = w.trial AND t.instance = w.instance"
                                    " AND t.implementation = w.implementation"),
                 "trial, instance, implementation", "w.trial, w.instance, w.implementation", ""),
    [FIND_PORT] =
        IDENTIFY("port", "$1, $2, $3", "component, name, type",
                 FOUND("port", "t.component = w.component AND t.name = w.name AND t.type = w.type"),
                 "component, name, type", "w.component, w.name, w.type", ""),
    [FIND_TIMER] =
        IDENTIFY("timer", "$1, $2", "port, short_name",
                 FOUND("timer", "t.port = w.port AND t.short_name = w.short_name"),
                 "port, short_name, trial, name", "w.port, w.short_name, c.trial, " TIMER_NAME,
                 " JOIN port p ON p.id = w.port JOIN component c ON c.id = p.component"),
    /* A parent below 0 is minus the number of another that is asked for. */
    [FIND_CALLPATH] =
        IDENTIFY("timer_callpath", "$1, $2, $3, $4", "timer, parent, \"user\", uses",
                 FOUND("timer_callpath",
                       SAME_PATH("w.parent")) " WHERE w.parent >= 0 UNION ALL "
                                              "SELECT w.n, t.id FROM found f JOIN w ON w.parent = "
                                              "-f.n JOIN timer_callpath t ON " SAME_PATH("f.id"),
                 "timer, parent, \"user\", uses",
                 "w.timer, coalesce(p.id, nullif(w.parent, 0)), w.\"user\", w.uses",
                 " LEFT JOIN want p ON p.n = -w.parent"),
    [FIND_LAYOUT] =
        "SELECT id FROM call_layout WHERE trial = $1 AND context1 IS NOT DISTINCT FROM $2"
        " AND context2 IS NOT DISTINCT FROM $3 AND context3 IS NOT DISTINCT FROM $4"
        " AND context4 IS NOT DISTINCT FROM $5 AND counter1 IS NOT DISTINCT FROM $6"
        " AND counter2 IS NOT DISTINCT FROM $7 AND counter3 IS NOT DISTINCT FROM $8"
        " AND counter4 IS NOT DISTINCT FROM $9 AND counter5 IS NOT DISTINCT FROM $10"
        " AND counter6 IS NOT DISTINCT FROM $11 AND counter7 IS NOT DISTINCT FROM $12"
        " AND counter8 IS NOT DISTINCT FROM $13",
    [READ_LAYOUTS] = "SELECT id, num_nonnulls(context1, context2, context3, context4),"
                     " num_nonnulls(counter1, counter2, counter3, counter4, counter5, counter6,"
                     " counter7, counter8), context1, context2, context3, context4, counter1,"
                     " counter2, counter3, counter4, counter5, counter6, counter7, counter8"
                     " FROM call_layout WHERE trial = $1 ORDER BY id",
};
