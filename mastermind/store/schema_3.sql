-- SPDX-License-Identifier: BSD-3-Clause
-- Adds schema version 3 to version 2: after schema.sql, and on stores that are of version 2.

ALTER TABLE call_data ADD COLUMN failed_calls INTEGER NOT NULL DEFAULT 0; -- in no number beside

-- What failed in trials up to this one counts no longer.
CREATE TABLE lifted_veto (
    assembly TEXT NOT NULL,
    instance TEXT NOT NULL,
    implementation TEXT NOT NULL,
    trial INTEGER NOT NULL,
    PRIMARY KEY (assembly, instance, implementation)
);

DROP VIEW IF EXISTS callpath_summary;
DROP VIEW IF EXISTS sample;

-- Everything measured, flat; times in ns.
CREATE VIEW sample AS
SELECT d.id, s.trial, s.number AS step, a.node_rank AS rank, h.thread_rank AS thread, d.parent,
       p."user", p.uses, c.instance, o.name AS port, c.implementation, o.type AS port_type,
       t.short_name AS method, d.calls, d.subroutines, d.timed_calls, d.inclusive, d.exclusive,
       d.mpi, d.minimum, d.maximum, d.sum_inclusive_squared, d.quality, d.binned, d.callpath,
       l.context1 AS context1_name, d.context1, l.context2 AS context2_name, d.context2,
       l.context3 AS context3_name, d.context3, l.context4 AS context4_name, d.context4,
       l.counter1 AS counter1_name, d.counter1, l.counter2 AS counter2_name, d.counter2,
       l.counter3 AS counter3_name, d.counter3, l.counter4 AS counter4_name, d.counter4,
       l.counter5 AS counter5_name, d.counter5, l.counter6 AS counter6_name, d.counter6,
       l.counter7 AS counter7_name, d.counter7, l.counter8 AS counter8_name, d.counter8,
       d.failed_calls
FROM step s
JOIN call_piece a ON a.step = s.id
JOIN call_data d ON d.id BETWEEN a.first AND a.last
JOIN thread h ON h.id = d.thread
JOIN timer_callpath p ON p.id = d.callpath
JOIN timer t ON t.id = p.timer
JOIN port o ON o.id = t.port
JOIN component c ON c.id = o.component
LEFT JOIN call_layout l ON l.id = d.layout;

-- Per call path over ranks and steps, from the samples: the slowest rank's time is the assembly's.
CREATE VIEW callpath_summary AS
SELECT trial, callpath, instance, implementation, port, method, count(*) AS ranks,
       sum(calls) AS calls, avg(inclusive) AS mean_inclusive, max(inclusive) AS max_inclusive,
       avg(exclusive) AS mean_exclusive, max(exclusive) AS max_exclusive, avg(mpi) AS mean_mpi,
       sum(failed_calls) AS failed_calls
FROM (SELECT trial, callpath, instance, implementation, port, method, rank, sum(calls) AS calls,
             sum(inclusive) AS inclusive, sum(exclusive) AS exclusive, sum(mpi) AS mpi,
             sum(failed_calls) AS failed_calls
      FROM sample
      GROUP BY trial, callpath, instance, implementation, port, method, rank) AS of_rank
GROUP BY trial, callpath, instance, implementation, port, method;

UPDATE schema_version SET version = 3;
