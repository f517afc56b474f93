-- SPDX-License-Identifier: BSD-3-Clause
-- From schema version 1 to today's: its tables are named old_something, the new ones are empty.

INSERT INTO trial SELECT * FROM old_trial;
INSERT INTO trial_parameter SELECT * FROM old_trial_parameter;
INSERT INTO trial_implementation SELECT * FROM old_trial_implementation;
INSERT INTO primary_metadata SELECT * FROM old_primary_metadata;
INSERT INTO thread SELECT * FROM old_thread;
INSERT INTO metric SELECT * FROM old_metric;
INSERT INTO component SELECT * FROM old_component;
INSERT INTO port SELECT * FROM old_port;
INSERT INTO timer SELECT * FROM old_timer;
INSERT INTO timer_callpath SELECT * FROM old_timer_callpath ORDER BY id;
INSERT INTO step SELECT * FROM old_step;
INSERT INTO model SELECT * FROM old_model;
INSERT INTO decision SELECT * FROM old_decision;
INSERT INTO swap SELECT * FROM old_swap;

-- Numbers that were given are not given again.
INSERT INTO sqlite_sequence (name, seq)
SELECT substr(name, 5), 0 FROM sqlite_sequence
WHERE name IN ('old_trial', 'old_decision') AND substr(name, 5) NOT IN (SELECT name FROM sqlite_sequence);
UPDATE sqlite_sequence SET seq = (SELECT seq FROM sqlite_sequence WHERE name = 'old_trial')
WHERE name = 'trial';
UPDATE sqlite_sequence SET seq = (SELECT seq FROM sqlite_sequence WHERE name = 'old_decision')
WHERE name = 'decision';

-- Contexts, and counters in the order of their metrics, from rows into columns.
CREATE TABLE old_contexts AS
SELECT call_data,
       max(CASE position WHEN 0 THEN parameter_name END) AS name1,
       max(CASE position WHEN 1 THEN parameter_name END) AS name2,
       max(CASE position WHEN 2 THEN parameter_name END) AS name3,
       max(CASE position WHEN 3 THEN parameter_name END) AS name4,
       max(CASE position WHEN 0 THEN parameter_value END) AS value1,
       max(CASE position WHEN 1 THEN parameter_value END) AS value2,
       max(CASE position WHEN 2 THEN parameter_value END) AS value3,
       max(CASE position WHEN 3 THEN parameter_value END) AS value4
FROM old_call_context GROUP BY call_data ORDER BY call_data;
CREATE UNIQUE INDEX old_contexts_by_row ON old_contexts (call_data);

CREATE TABLE old_counters AS
SELECT call_data,
       max(CASE place WHEN 1 THEN name END) AS name1,
       max(CASE place WHEN 2 THEN name END) AS name2,
       max(CASE place WHEN 3 THEN name END) AS name3,
       max(CASE place WHEN 4 THEN name END) AS name4,
       max(CASE place WHEN 5 THEN name END) AS name5,
       max(CASE place WHEN 6 THEN name END) AS name6,
       max(CASE place WHEN 7 THEN name END) AS name7,
       max(CASE place WHEN 8 THEN name END) AS name8,
       max(CASE place WHEN 1 THEN value END) AS value1,
       max(CASE place WHEN 2 THEN value END) AS value2,
       max(CASE place WHEN 3 THEN value END) AS value3,
       max(CASE place WHEN 4 THEN value END) AS value4,
       max(CASE place WHEN 5 THEN value END) AS value5,
       max(CASE place WHEN 6 THEN value END) AS value6,
       max(CASE place WHEN 7 THEN value END) AS value7,
       max(CASE place WHEN 8 THEN value END) AS value8
FROM (SELECT v.call_data, m.name, v.inclusive AS value,
             row_number() OVER (PARTITION BY v.call_data ORDER BY m.id) AS place
      FROM old_metric m JOIN old_timer_value v ON v.metric = m.id WHERE m.unit = 'events')
GROUP BY call_data ORDER BY call_data;
CREATE UNIQUE INDEX old_counters_by_row ON old_counters (call_data);

INSERT INTO call_layout (trial, context1, context2, context3, context4,
                         counter1, counter2, counter3, counter4,
                         counter5, counter6, counter7, counter8)
SELECT DISTINCT s.trial, x.name1, x.name2, x.name3, x.name4, c.name1, c.name2, c.name3, c.name4,
       c.name5, c.name6, c.name7, c.name8
FROM old_timer_call_data d JOIN old_step s ON s.id = d.step
LEFT JOIN old_contexts x ON x.call_data = d.id LEFT JOIN old_counters c ON c.call_data = d.id
WHERE x.name1 IS NOT NULL OR c.name1 IS NOT NULL;

INSERT INTO call_data
SELECT d.id, d.thread, d.callpath, d.parent, l.id, d.calls, d.calls, d.subroutines, d.binned,
       t.inclusive, t.exclusive, ifnull(m.exclusive, 0), t.minimum, t.maximum,
       t.sum_inclusive_squared, d.quality, x.value1, x.value2, x.value3, x.value4,
       c.value1, c.value2, c.value3, c.value4,
       c.value5, c.value6, c.value7, c.value8
FROM old_timer_call_data d
JOIN old_step s ON s.id = d.step
JOIN old_metric mt ON mt.trial = s.trial AND mt.name = 'TIME'
JOIN old_timer_value t ON t.call_data = d.id AND t.metric = mt.id
LEFT JOIN old_metric mm ON mm.trial = s.trial AND mm.name = 'MPI TIME'
LEFT JOIN old_timer_value m ON m.call_data = d.id AND m.metric = mm.id
LEFT JOIN old_contexts x ON x.call_data = d.id
LEFT JOIN old_counters c ON c.call_data = d.id
LEFT JOIN call_layout l ON l.trial = s.trial
    AND l.context1 IS x.name1 AND l.context2 IS x.name2
    AND l.context3 IS x.name3 AND l.context4 IS x.name4
    AND l.counter1 IS c.name1 AND l.counter2 IS c.name2
    AND l.counter3 IS c.name3 AND l.counter4 IS c.name4
    AND l.counter5 IS c.name5 AND l.counter6 IS c.name6
    AND l.counter7 IS c.name7 AND l.counter8 IS c.name8
ORDER BY d.id;

-- Rows of one rank in one step that follow each other.
INSERT INTO call_piece (first, last, step, node_rank)
SELECT min(id), max(id), step, node_rank
FROM (SELECT d.id, d.step, h.node_rank,
             row_number() OVER (ORDER BY d.id)
             - row_number() OVER (PARTITION BY d.step, h.node_rank ORDER BY d.id) AS island
      FROM old_timer_call_data d JOIN old_thread h ON h.id = d.thread)
GROUP BY step, node_rank, island;

DROP TABLE old_contexts;
DROP TABLE old_counters;
DROP TABLE old_swap;
DROP TABLE old_decision;
DROP TABLE old_model;
DROP TABLE old_timer_value;
DROP TABLE old_call_context;
DROP TABLE old_timer_call_data;
DROP TABLE old_step;
DROP TABLE old_timer_callpath;
DROP TABLE old_timer;
DROP TABLE old_port;
DROP TABLE old_component;
DROP TABLE old_metric;
DROP TABLE old_thread;
DROP TABLE old_primary_metadata;
DROP TABLE old_trial_implementation;
DROP TABLE old_trial_parameter;
DROP TABLE old_trial;
DROP TABLE old_schema_version;
