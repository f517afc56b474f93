-- SPDX-License-Identifier: BSD-3-Clause
-- Schema version 2 of Portolan's experiment store, which schema_3.sql and schema_4.sql make today's;
-- described in portolan-store(5). Written for SQLite; what postgres.sed changes makes it PostgreSQL's. Triggers:
-- triggers_*.sql.
-- Tables named as in TAUdb 2 mean what they mean there; the others are Portolan's own.

CREATE TABLE schema_version (version INTEGER NOT NULL, description TEXT NOT NULL);
INSERT INTO schema_version VALUES (2, 'Portolan experiment store');

CREATE TABLE trial (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,             -- of the assembly
    purpose TEXT NOT NULL,          -- explore, run or fixed
    node_count INTEGER NOT NULL,    -- ranks
    started TEXT NOT NULL,          -- UTC, ISO 8601
    outcome TEXT NOT NULL,          -- running, finished or failed
    elapsed_ns REAL NOT NULL        -- of the go call on the slowest rank; 0 until ended
);
CREATE INDEX trial_by_name ON trial (name);

CREATE TABLE trial_parameter (
    trial INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
    name TEXT NOT NULL,             -- INSTANCE.PARAMETER
    value TEXT NOT NULL,
    PRIMARY KEY (trial, name)
) WITHOUT ROWID;

CREATE TABLE trial_implementation (
    trial INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
    name TEXT NOT NULL,             -- of the instance
    value TEXT NOT NULL,            -- its class at the start
    PRIMARY KEY (trial, name)
) WITHOUT ROWID;

CREATE TABLE primary_metadata (
    trial INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (trial, name)
) WITHOUT ROWID;

CREATE TABLE thread (
    id INTEGER PRIMARY KEY,
    trial INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
    node_rank INTEGER NOT NULL,     -- MPI rank
    context_rank INTEGER NOT NULL DEFAULT 0,
    thread_rank INTEGER NOT NULL,
    thread_index INTEGER NOT NULL,  -- running number in the trial
    UNIQUE (trial, node_rank, context_rank, thread_rank)
);

-- Facts about one thread.
CREATE TABLE secondary_metadata (
    trial INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
    thread INTEGER NOT NULL REFERENCES thread (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (thread, name)
) WITHOUT ROWID;
CREATE INDEX secondary_metadata_by_trial ON secondary_metadata (trial);

CREATE TABLE metric (
    id INTEGER PRIMARY KEY,
    trial INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
    name TEXT NOT NULL,             -- TIME, MPI TIME, or a PAPI event
    unit TEXT NOT NULL,             -- ns, or events
    derived INTEGER NOT NULL DEFAULT 0,
    UNIQUE (trial, name)
);

-- An instance with one implementation; after a swap the instance has a second row.
CREATE TABLE component (
    id INTEGER PRIMARY KEY,
    trial INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
    instance TEXT NOT NULL,
    implementation TEXT NOT NULL,
    UNIQUE (trial, instance, implementation)
);

CREATE TABLE port (
    id INTEGER PRIMARY KEY,
    component INTEGER NOT NULL REFERENCES component (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    UNIQUE (component, name, type)
);

-- A method of a provides port.
CREATE TABLE timer (
    id INTEGER PRIMARY KEY,
    trial INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
    name TEXT NOT NULL,             -- INSTANCE.PORT.METHOD [IMPLEMENTATION]
    short_name TEXT NOT NULL,       -- the method
    port INTEGER NOT NULL REFERENCES port (id) ON DELETE CASCADE,
    UNIQUE (port, short_name)
);
CREATE INDEX timer_by_trial ON timer (trial);

CREATE TABLE timer_callpath (
    id INTEGER PRIMARY KEY,
    timer INTEGER NOT NULL REFERENCES timer (id) ON DELETE CASCADE,
    parent INTEGER REFERENCES timer_callpath (id) ON DELETE CASCADE,
    "user" TEXT NOT NULL,           -- calling instance; empty at a root
    uses TEXT NOT NULL              -- its uses port
);
CREATE UNIQUE INDEX timer_callpath_identity
    ON timer_callpath (timer, ifnull(parent, 0), "user", uses);
CREATE INDEX timer_callpath_by_parent ON timer_callpath (parent);

-- The stretch between two swap points; -1 before the first.
CREATE TABLE step (
    id INTEGER PRIMARY KEY,
    trial INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    UNIQUE (trial, number)
);

-- Names of the contexts and counters of call data; rows without any need none.
CREATE TABLE call_layout (
    id INTEGER PRIMARY KEY,
    trial INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
    context1 TEXT, context2 TEXT, context3 TEXT, context4 TEXT,
    counter1 TEXT, counter2 TEXT, counter3 TEXT, counter4 TEXT,
    counter5 TEXT, counter6 TEXT, counter7 TEXT, counter8 TEXT
);
CREATE INDEX call_layout_by_trial ON call_layout (trial);

-- One call path with one context in one step on one thread: one wide row without any index, since
-- these are many. Rows of a rank in a step have consecutive ids: call_piece says which.
CREATE TABLE call_data (
    id INTEGER PRIMARY KEY,
    thread INTEGER NOT NULL,
    callpath INTEGER NOT NULL,
    parent INTEGER,                 -- the caller's row
    layout INTEGER,
    calls INTEGER NOT NULL,
    timed_calls INTEGER NOT NULL,   -- the times below are theirs
    subroutines INTEGER NOT NULL,
    binned INTEGER NOT NULL,        -- 1: context values are a bin's means
    inclusive REAL,                 -- ns
    exclusive REAL,
    mpi REAL,                       -- the part of exclusive spent in MPI
    minimum REAL,                   -- of inclusive per call
    maximum REAL,
    sum_inclusive_squared REAL,
    quality REAL,                   -- worst accuracy reported; NULL when none was
    context1 REAL, context2 REAL, context3 REAL, context4 REAL, -- means over the calls
    counter1 REAL, counter2 REAL, counter3 REAL, counter4 REAL, -- inclusive
    counter5 REAL, counter6 REAL, counter7 REAL, counter8 REAL
);
CREATE TABLE call_piece (
    first INTEGER PRIMARY KEY,      -- id in call_data
    last INTEGER NOT NULL,
    step INTEGER NOT NULL REFERENCES step (id) ON DELETE CASCADE,
    node_rank INTEGER NOT NULL
);
CREATE INDEX call_piece_by_step ON call_piece (step, node_rank);

-- One call; likewise. A piece is sorted by start, and the regular pieces of a thread follow each
-- other; what started before an earlier piece ended is in late pieces.
CREATE TABLE invocation (
    id INTEGER PRIMARY KEY,
    callpath INTEGER NOT NULL,
    layout INTEGER,
    step INTEGER NOT NULL,          -- its number
    ordinal INTEGER NOT NULL,       -- calls of the path and context that ended before
    start REAL NOT NULL,            -- ns since the trial began
    inclusive REAL,
    exclusive REAL,
    mpi REAL,
    quality REAL,
    one_in INTEGER NOT NULL,        -- 1 in so many calls was timed
    context1 REAL, context2 REAL, context3 REAL, context4 REAL,
    counter1 REAL, counter2 REAL, counter3 REAL, counter4 REAL,
    counter5 REAL, counter6 REAL, counter7 REAL, counter8 REAL
);
CREATE TABLE invocation_piece (
    first INTEGER PRIMARY KEY,      -- id in invocation
    last INTEGER NOT NULL,
    thread INTEGER NOT NULL REFERENCES thread (id) ON DELETE CASCADE,
    late INTEGER NOT NULL,
    last_start REAL NOT NULL        -- start of its last row
);
CREATE INDEX invocation_piece_by_thread ON invocation_piece (thread, late, first);

-- Values that a program gave by name.
CREATE TABLE counter (
    id INTEGER PRIMARY KEY,
    trial INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    UNIQUE (trial, name)
);
CREATE TABLE counter_value (
    counter INTEGER NOT NULL REFERENCES counter (id) ON DELETE CASCADE,
    timer_callpath INTEGER REFERENCES timer_callpath (id) ON DELETE CASCADE,
    thread INTEGER NOT NULL REFERENCES thread (id) ON DELETE CASCADE,
    sample_count INTEGER NOT NULL,
    maximum_value REAL,
    minimum_value REAL,
    mean_value REAL,
    standard_deviation REAL,
    sum_squared REAL
);
CREATE INDEX counter_value_by_thread ON counter_value (thread);
CREATE INDEX counter_value_by_counter ON counter_value (counter);
CREATE INDEX counter_value_by_callpath ON counter_value (timer_callpath);

CREATE TABLE traffic (
    trial INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
    node_rank INTEGER NOT NULL,
    routine TEXT NOT NULL,
    partner INTEGER NOT NULL,       -- world rank; -1: collective or none
    received INTEGER NOT NULL,      -- 1: from the partner
    calls INTEGER NOT NULL,
    time REAL NOT NULL,             -- ns
    bytes REAL NOT NULL
);
CREATE INDEX traffic_by_rank ON traffic (trial, node_rank);

-- A call path over all ranks of its trial: a rank's value is the sum over its threads, steps and
-- contexts, 0 when it was not there.
CREATE TABLE summary (
    callpath INTEGER PRIMARY KEY REFERENCES timer_callpath (id) ON DELETE CASCADE,
    trial INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
    ranks INTEGER NOT NULL,         -- that called it
    threads INTEGER NOT NULL,
    timed_calls REAL NOT NULL,
    subroutines REAL NOT NULL,
    one_minimum REAL,               -- of the inclusive time of one call
    one_maximum REAL,
    sum_inclusive_squared REAL,
    calls REAL NOT NULL, calls_mean REAL, calls_minimum REAL, calls_maximum REAL,
    calls_deviation REAL, calls_max_rank INTEGER,
    inclusive REAL NOT NULL, inclusive_mean REAL, inclusive_minimum REAL, inclusive_maximum REAL,
    inclusive_deviation REAL, inclusive_max_rank INTEGER,
    exclusive REAL NOT NULL, exclusive_mean REAL, exclusive_minimum REAL, exclusive_maximum REAL,
    exclusive_deviation REAL, exclusive_max_rank INTEGER,
    mpi REAL NOT NULL, mpi_mean REAL, mpi_minimum REAL, mpi_maximum REAL,
    mpi_deviation REAL, mpi_max_rank INTEGER
);
CREATE INDEX summary_by_trial ON summary (trial);

CREATE TABLE counter_summary (
    callpath INTEGER NOT NULL REFERENCES timer_callpath (id) ON DELETE CASCADE,
    metric INTEGER NOT NULL REFERENCES metric (id) ON DELETE CASCADE,
    sum REAL NOT NULL, mean REAL, minimum REAL, maximum REAL, deviation REAL, max_rank INTEGER,
    PRIMARY KEY (callpath, metric)
) WITHOUT ROWID;
CREATE INDEX counter_summary_by_metric ON counter_summary (metric);

CREATE TABLE model (
    id INTEGER PRIMARY KEY,
    assembly TEXT NOT NULL,
    instance TEXT NOT NULL,
    implementation TEXT NOT NULL,
    method TEXT NOT NULL,
    scope TEXT NOT NULL,            -- partners' implementations it holds for
    quantity TEXT NOT NULL,
    xml TEXT NOT NULL,
    stored TEXT NOT NULL,
    UNIQUE (assembly, instance, implementation, method, scope, quantity)
);

CREATE TABLE decision (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    trial INTEGER REFERENCES trial (id) ON DELETE SET NULL, -- NULL: made off line
    assembly TEXT NOT NULL,
    parameters TEXT NOT NULL,
    host TEXT NOT NULL,
    ranks INTEGER NOT NULL,
    choice TEXT NOT NULL,
    predicted_ns REAL,
    low_ns REAL,
    high_ns REAL,
    reason TEXT NOT NULL,
    decided TEXT NOT NULL
);
CREATE INDEX decision_by_case ON decision (assembly, parameters, host, ranks);
CREATE INDEX decision_by_trial ON decision (trial);

CREATE TABLE swap (
    id INTEGER PRIMARY KEY,
    trial INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
    step INTEGER NOT NULL,
    instance TEXT NOT NULL,
    from_implementation TEXT NOT NULL,
    to_implementation TEXT NOT NULL,
    reason TEXT NOT NULL,
    outcome TEXT NOT NULL
);
CREATE INDEX swap_by_trial ON swap (trial);

-- What TAUdb has as tables.
CREATE VIEW timer_group AS
SELECT timer.id AS timer, port.type AS group_name FROM timer JOIN port ON port.id = timer.port;

CREATE VIEW time_range AS
SELECT id, number AS iteration_start, number AS iteration_end FROM step;

CREATE VIEW timer_call_data AS
SELECT d.id, d.callpath AS timer_callpath, d.thread, d.calls, d.subroutines, p.step AS time_range,
       d.callpath, p.step, d.parent, d.timed_calls, d.binned, d.quality
FROM call_piece p JOIN call_data d ON d.id BETWEEN p.first AND p.last;

CREATE VIEW call_context AS
SELECT d.id AS call_data, 0 AS position, l.context1 AS parameter_name,
       d.context1 AS parameter_value
FROM call_layout l JOIN call_data d ON d.layout = l.id WHERE l.context1 IS NOT NULL
UNION ALL
SELECT d.id, 1, l.context2, d.context2
FROM call_layout l JOIN call_data d ON d.layout = l.id WHERE l.context2 IS NOT NULL
UNION ALL
SELECT d.id, 2, l.context3, d.context3
FROM call_layout l JOIN call_data d ON d.layout = l.id WHERE l.context3 IS NOT NULL
UNION ALL
SELECT d.id, 3, l.context4, d.context4
FROM call_layout l JOIN call_data d ON d.layout = l.id WHERE l.context4 IS NOT NULL;

CREATE VIEW timer_parameter AS
SELECT DISTINCT p.timer, c.parameter_name, c.parameter_value
FROM call_context c JOIN call_data d ON d.id = c.call_data
JOIN timer_callpath p ON p.id = d.callpath;

CREATE VIEW timer_value AS
SELECT d.id AS timer_call_data, m.id AS metric, d.inclusive AS inclusive_value,
       d.exclusive AS exclusive_value, d.minimum, d.maximum, d.sum_inclusive_squared
FROM call_data d JOIN thread t ON t.id = d.thread
JOIN metric m ON m.trial = t.trial AND m.name = 'TIME'
UNION ALL
SELECT d.id, m.id, NULL, d.mpi, NULL, NULL, NULL
FROM call_data d JOIN thread t ON t.id = d.thread
JOIN metric m ON m.trial = t.trial AND m.name = 'MPI TIME' WHERE d.mpi <> 0
UNION ALL
SELECT d.id, m.id, CASE m.name WHEN l.counter1 THEN d.counter1 WHEN l.counter2 THEN d.counter2
                               WHEN l.counter3 THEN d.counter3 WHEN l.counter4 THEN d.counter4
                               WHEN l.counter5 THEN d.counter5 WHEN l.counter6 THEN d.counter6
                               WHEN l.counter7 THEN d.counter7 ELSE d.counter8 END,
       NULL, NULL, NULL, NULL
FROM call_data d JOIN call_layout l ON l.id = d.layout
JOIN metric m ON m.trial = l.trial
             AND m.name IN (l.counter1, l.counter2, l.counter3, l.counter4,
                            l.counter5, l.counter6, l.counter7, l.counter8);

-- TAUdb's derived threads (negative thread_index), of the stored summaries.
CREATE VIEW derived_thread_type AS
SELECT -2 AS id, 'total' AS name UNION ALL SELECT -4, 'minimum' UNION ALL SELECT -5, 'maximum'
UNION ALL SELECT -6, 'mean, including zeros' UNION ALL SELECT -7, 'stddev, including zeros';

CREATE VIEW derived_value AS
SELECT s.trial, t.id AS thread_index, s.callpath AS timer_callpath, m.id AS metric,
       CASE t.id WHEN -2 THEN s.calls WHEN -4 THEN s.calls_minimum WHEN -5 THEN s.calls_maximum
                 WHEN -6 THEN s.calls_mean ELSE s.calls_deviation END AS calls,
       CASE t.id WHEN -2 THEN s.inclusive WHEN -4 THEN s.inclusive_minimum
                 WHEN -5 THEN s.inclusive_maximum WHEN -6 THEN s.inclusive_mean
                 ELSE s.inclusive_deviation END AS inclusive_value,
       CASE t.id WHEN -2 THEN s.exclusive WHEN -4 THEN s.exclusive_minimum
                 WHEN -5 THEN s.exclusive_maximum WHEN -6 THEN s.exclusive_mean
                 ELSE s.exclusive_deviation END AS exclusive_value
FROM summary s JOIN metric m ON m.trial = s.trial AND m.name = 'TIME'
CROSS JOIN derived_thread_type t;

-- Every single call, flat; times in ns.
CREATE VIEW call AS
SELECT i.id, h.trial, h.node_rank AS rank, h.thread_rank AS thread, i.step, i.ordinal, i.start,
       p."user", p.uses, c.instance, o.name AS port, c.implementation, o.type AS port_type,
       t.short_name AS method, i.inclusive, i.exclusive, i.mpi, i.quality, i.one_in, i.callpath,
       l.context1 AS context1_name, i.context1, l.context2 AS context2_name, i.context2,
       l.context3 AS context3_name, i.context3, l.context4 AS context4_name, i.context4,
       l.counter1 AS counter1_name, i.counter1, l.counter2 AS counter2_name, i.counter2,
       l.counter3 AS counter3_name, i.counter3, l.counter4 AS counter4_name, i.counter4,
       l.counter5 AS counter5_name, i.counter5, l.counter6 AS counter6_name, i.counter6,
       l.counter7 AS counter7_name, i.counter7, l.counter8 AS counter8_name, i.counter8
FROM thread h
JOIN invocation_piece a ON a.thread = h.id
JOIN invocation i ON i.id BETWEEN a.first AND a.last
JOIN timer_callpath p ON p.id = i.callpath
JOIN timer t ON t.id = p.timer
JOIN port o ON o.id = t.port
JOIN component c ON c.id = o.component
LEFT JOIN call_layout l ON l.id = i.layout;
