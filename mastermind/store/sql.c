/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The SQL that is the same for all back ends. Values are ?1, ?2, … in the order in which callers
 * give them; for a statement that stores many rows only the table is given. The collation "C"
 * compares bytes.
 */
#include "backend.h"

const char *const backend_sql[STATEMENT_COUNT] = {
    [COMMIT] = "COMMIT",
    [ROLLBACK] = "ROLLBACK",
    [ADD_TRIAL] = "INSERT INTO trial (name, purpose, node_count, started, outcome, elapsed_ns)"
                  " VALUES (?1, ?2, ?3, ?4, 'running', 0) RETURNING id",
    [END_TRIAL] = "UPDATE trial SET outcome = ?2, elapsed_ns = ?3 WHERE id = ?1 RETURNING id",
    [DELETE_TRIAL] = "DELETE FROM trial WHERE id = ?1",
    [HAS_TRIAL] = "SELECT id FROM trial WHERE id = ?1",
    [FIND_JOB] = "SELECT t.id FROM trial t JOIN primary_metadata m ON m.trial = t.id"
                 " WHERE m.name = 'job' AND m.value = ?1 AND t.outcome = 'running'"
                 " AND NOT EXISTS (SELECT 1 FROM primary_metadata e"
                 " WHERE e.trial = t.id AND e.name = ?2) ORDER BY t.id DESC LIMIT 1",
    [LEAVE_TRIAL] = "UPDATE trial SET elapsed_ns = CASE WHEN elapsed_ns < ?2 THEN ?2"
                    " ELSE elapsed_ns END, outcome = CASE"
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
    [ADD_LAYOUT] = "INSERT INTO call_layout (trial, context1, context2, context3, context4,"
                   " counter1, counter2, counter3, counter4, counter5, counter6, counter7,"
                   " counter8) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)"
                   " RETURNING id",
    [NEXT_CALL_DATA] =
        "SELECT coalesce((SELECT last FROM call_piece ORDER BY first DESC LIMIT 1), 0) + 1",
    [NEXT_INVOCATION] =
        "SELECT coalesce((SELECT last FROM invocation_piece ORDER BY first DESC LIMIT 1), 0) + 1",
    [FIND_LAST_START] = "SELECT last_start FROM invocation_piece WHERE thread = ?1 AND late = 0"
                        " ORDER BY first DESC LIMIT 1",
    [PUT_CALL_PIECE] = "call_piece",
    [PUT_CALL_DATA] = "call_data",
    [PUT_INVOCATION_PIECE] = "invocation_piece",
    [PUT_INVOCATION] = "invocation",
    [PUT_COUNTER_VALUE] = "counter_value",
    [PUT_TRAFFIC] = "traffic",
    [PUT_SUMMARY] = "summary",
    [PUT_COUNTER_SUMMARY] = "counter_summary",
    [DELETE_COUNTER_VALUES] = "DELETE FROM counter_value WHERE thread IN"
                              " (SELECT id FROM thread WHERE trial = ?1 AND node_rank = ?2)",
    [DELETE_TRAFFIC] = "DELETE FROM traffic WHERE trial = ?1 AND node_rank = ?2",
    [DELETE_SUMMARY] = "DELETE FROM summary WHERE trial = ?1",
    [DELETE_COUNTER_SUMMARY] = "DELETE FROM counter_summary WHERE callpath IN"
                               " (SELECT callpath FROM summary WHERE trial = ?1)",
    [PUT_MODEL] = "INSERT INTO model"
                  " (assembly, instance, implementation, method, scope, quantity, xml, stored)"
                  " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
                  " ON CONFLICT (assembly, instance, implementation, method, scope, quantity)"
                  " DO UPDATE SET xml = excluded.xml, stored = excluded.stored",
    [ADD_DECISION] =
        "INSERT INTO decision (trial, assembly, parameters, host, ranks, choice, predicted_ns,"
        " low_ns, high_ns, reason, decided) VALUES (nullif(?1, 0), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9,"
        " ?10, ?11) RETURNING id",
    [FIND_DECISION] =
        "SELECT id, coalesce(trial, 0), ranks, predicted_ns, low_ns, high_ns, assembly,"
        " parameters, host, choice, reason, decided FROM decision"
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
    [PUT_REASON] =
        "INSERT INTO reason VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,"
        " ?13, ?14, ?15, ?16, ?17) ON CONFLICT (trial, number)"
        " DO UPDATE SET"
        " outcome = CASE reason.outcome WHEN 'stays' THEN 'stays' ELSE excluded.outcome END",
    [PUT_ALTERNATIVE] = "alternative",
    [PUT_EXPECTATION] = "INSERT INTO expectation VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
                        " ON CONFLICT (trial, step, path) DO UPDATE SET cause = excluded.cause,"
                        " expected_ns = excluded.expected_ns, low_ns = excluded.low_ns,"
                        " high_ns = excluded.high_ns, measured_ns = excluded.measured_ns",
    [DELETE_DIAGNOSIS] = "DELETE FROM diagnosis WHERE trial = ?1 AND number = ?2",
    [PUT_DIAGNOSIS] = "INSERT INTO diagnosis VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    [PUT_FINDING] = "finding",
    [READ_DIAGNOSES] = "SELECT * FROM diagnosis WHERE trial = ?1 ORDER BY number",
    [READ_FINDINGS] = "SELECT * FROM finding WHERE trial = ?1 ORDER BY diagnosis, number",
    [READ_REASONS] = "SELECT * FROM reason WHERE trial = ?1 ORDER BY number",
    [READ_ALTERNATIVES] = "SELECT * FROM alternative WHERE trial = ?1"
                          " ORDER BY number, instance COLLATE \"C\", implementation COLLATE \"C\"",
    [READ_EXPECTATIONS] =
        "SELECT e.trial, e.step, e.path, e.cause, e.expected_ns, e.low_ns, e.high_ns,"
        " coalesce(e.measured_ns, CASE e.path WHEN '' THEN (SELECT max(t) FROM"
        " (SELECT sum(d.inclusive) AS t FROM step s JOIN call_piece a ON a.step = s.id"
        " JOIN call_data d ON d.id BETWEEN a.first AND a.last WHERE s.trial = e.trial"
        " AND s.number = e.step AND d.parent IS NULL GROUP BY a.node_rank) AS of_rank) END)"
        " FROM expectation e WHERE e.trial = ?1 ORDER BY e.step, e.path COLLATE \"C\"",
    [READ_TRIALS] =
        "SELECT * FROM (SELECT id, node_count, elapsed_ns, name, purpose, started, outcome,"
        " (SELECT coalesce(max(h.thread_rank) + 1, 0) FROM thread h WHERE h.trial = trial.id)"
        " AS threads FROM trial WHERE (?1 = 0 OR id = ?1) AND (?2 IS NULL OR name = ?2)"
        " AND (?3 IS NULL OR purpose = ?3) AND (?4 IS NULL OR outcome = ?4)"
        " AND (?5 = 0 OR node_count = ?5) ORDER BY id DESC"
        " LIMIT CASE WHEN ?6 <> 0 THEN 1 ELSE 9223372036854775807 END) AS newest ORDER BY id",
    [READ_PARAMETERS] =
        "SELECT name, value FROM trial_parameter WHERE trial = ?1 ORDER BY name COLLATE \"C\"",
    [READ_IMPLEMENTATIONS] =
        "SELECT name, value FROM trial_implementation WHERE trial = ?1 ORDER BY name COLLATE \"C\"",
    [READ_METADATA] =
        "SELECT name, value FROM primary_metadata WHERE trial = ?1 ORDER BY name COLLATE \"C\"",
    [READ_RANK_FACTS] =
        "SELECT h.node_rank, h.thread_rank, m.name, m.value FROM secondary_metadata m"
        " JOIN thread h ON h.id = m.thread WHERE m.trial = ?1"
        " ORDER BY 1, 2, m.name COLLATE \"C\"",
    [READ_THREADS] = "SELECT id, node_rank, thread_rank FROM thread WHERE trial = ?1 ORDER BY id",
    [READ_CALLPATHS] =
        "SELECT p.id, coalesce(p.parent, 0), p.\"user\", p.uses, c.instance, o.name,"
        " c.implementation, o.type, t.short_name FROM timer t JOIN timer_callpath p"
        " ON p.timer = t.id JOIN port o ON o.id = t.port JOIN component c ON c.id = o.component"
        " WHERE t.trial = ?1 ORDER BY p.id",
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
        " ORDER BY i.start, i.inclusive DESC NULLS LAST, i.callpath, i.id",
    [READ_COUNTER_VALUES] =
        "SELECT h.node_rank, h.thread_rank, coalesce(v.timer_callpath, 0), v.sample_count,"
        " v.maximum_value, v.minimum_value, v.mean_value, v.sum_squared, c.name"
        " FROM thread h JOIN counter_value v ON v.thread = h.id JOIN counter c ON c.id = v.counter"
        " WHERE h.trial = ?1 AND h.node_rank BETWEEN ?2 AND ?3"
        " ORDER BY 1, 2, c.name COLLATE \"C\", 3",
    [READ_TRAFFIC] =
        "SELECT node_rank, partner, received, CAST(sum(calls) AS bigint), sum(time), sum(bytes),"
        " routine FROM traffic WHERE trial = ?1 GROUP BY node_rank, routine, partner,"
        " received ORDER BY node_rank, routine COLLATE \"C\", partner, received",
    [READ_SUMMARY] = "SELECT * FROM summary WHERE trial = ?1 ORDER BY callpath",
    [READ_COUNTER_SUMMARY] =
        "SELECT v.callpath, v.sum, v.mean, v.minimum, v.maximum, v.deviation, v.max_rank, m.name"
        " FROM metric m JOIN counter_summary v ON v.metric = m.id WHERE m.trial = ?1"
        " ORDER BY v.callpath, m.id",
};
