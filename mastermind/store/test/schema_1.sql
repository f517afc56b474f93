-- SPDX-License-Identifier: BSD-3-Clause
-- Schema version 1 of Portolan's experiment store; described in portolan-store(5).
-- Tables named as in TAUdb 2 mean what they mean there; the others are Portolan's own.

CREATE TABLE schema_version (version INTEGER NOT NULL, description TEXT NOT NULL);
INSERT INTO schema_version VALUES (1, 'Portolan experiment store');

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
    user TEXT NOT NULL,             -- calling instance; empty at a root
    uses TEXT NOT NULL              -- its uses port
);
CREATE UNIQUE INDEX timer_callpath_identity
    ON timer_callpath (timer, ifnull(parent, 0), user, uses);
CREATE INDEX timer_callpath_by_parent ON timer_callpath (parent);

-- The stretch between two swap points; -1 before the first.
CREATE TABLE step (
    id INTEGER PRIMARY KEY,
    trial INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    UNIQUE (trial, number)
);

-- One call path with one context in one step on one thread.
CREATE TABLE timer_call_data (
    id INTEGER PRIMARY KEY,
    step INTEGER NOT NULL REFERENCES step (id) ON DELETE CASCADE,
    thread INTEGER NOT NULL REFERENCES thread (id) ON DELETE CASCADE,
    callpath INTEGER NOT NULL REFERENCES timer_callpath (id) ON DELETE CASCADE,
    parent INTEGER REFERENCES timer_call_data (id) ON DELETE CASCADE, -- the caller's row
    calls INTEGER NOT NULL,
    subroutines INTEGER NOT NULL,
    binned INTEGER NOT NULL,        -- 1: context values are a bin's means
    quality REAL                    -- worst accuracy reported; NULL when none was
);
CREATE INDEX timer_call_data_by_step ON timer_call_data (step);
CREATE INDEX timer_call_data_by_thread ON timer_call_data (thread);
CREATE INDEX timer_call_data_by_callpath ON timer_call_data (callpath);
CREATE INDEX timer_call_data_by_parent ON timer_call_data (parent);

CREATE TABLE call_context (
    call_data INTEGER NOT NULL REFERENCES timer_call_data (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    parameter_name TEXT NOT NULL,
    parameter_value REAL NOT NULL,  -- mean over the calls
    PRIMARY KEY (call_data, position)
) WITHOUT ROWID;

CREATE TABLE timer_value (
    call_data INTEGER NOT NULL REFERENCES timer_call_data (id) ON DELETE CASCADE,
    metric INTEGER NOT NULL REFERENCES metric (id) ON DELETE CASCADE,
    inclusive REAL,
    exclusive REAL,
    minimum REAL,                   -- of inclusive per call
    maximum REAL,
    sum_inclusive_squared REAL,
    PRIMARY KEY (call_data, metric)
) WITHOUT ROWID;
CREATE INDEX timer_value_by_metric ON timer_value (metric);

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

CREATE VIEW timer_group AS
SELECT timer.id AS timer, port.type AS group_name FROM timer JOIN port ON port.id = timer.port;

-- Everything measured, flat; times in ns.
CREATE VIEW sample AS
SELECT d.id, s.trial, s.number AS step, h.node_rank AS rank, h.thread_rank AS thread, d.parent,
       p.user, p.uses, c.instance, o.name AS port, c.implementation, o.type AS port_type,
       t.short_name AS method, d.calls, d.subroutines, v.inclusive, v.exclusive,
       ifnull(m.exclusive, 0) AS mpi, v.minimum, v.maximum, v.sum_inclusive_squared, d.quality,
       d.binned, d.callpath
FROM step s
JOIN timer_call_data d ON d.step = s.id
JOIN thread h ON h.id = d.thread
JOIN timer_callpath p ON p.id = d.callpath
JOIN timer t ON t.id = p.timer
JOIN port o ON o.id = t.port
JOIN component c ON c.id = o.component
JOIN metric q ON q.trial = s.trial AND q.name = 'TIME'
JOIN timer_value v ON v.call_data = d.id AND v.metric = q.id
LEFT JOIN metric r ON r.trial = s.trial AND r.name = 'MPI TIME'
LEFT JOIN timer_value m ON m.call_data = d.id AND m.metric = r.id;

-- Per call path over ranks and steps: the slowest rank's time is the assembly's.
CREATE VIEW callpath_summary AS
SELECT trial, callpath, instance, implementation, port, method, count(*) AS ranks,
       sum(calls) AS calls, avg(inclusive) AS mean_inclusive, max(inclusive) AS max_inclusive,
       avg(exclusive) AS mean_exclusive, max(exclusive) AS max_exclusive, avg(mpi) AS mean_mpi
FROM (SELECT trial, callpath, instance, implementation, port, method, rank, sum(calls) AS calls,
             sum(inclusive) AS inclusive, sum(exclusive) AS exclusive, sum(mpi) AS mpi
      FROM sample GROUP BY trial, callpath, rank)
GROUP BY trial, callpath;
