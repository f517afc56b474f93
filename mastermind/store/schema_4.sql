-- SPDX-License-Identifier: BSD-3-Clause
-- What schema version 4 adds to version 3.

-- A decision of a run: what was chosen at a step, who asked for it, and why.
CREATE TABLE reason (
    trial INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,        -- in its trial, from 1 on
    step INTEGER NOT NULL,
    asked_by TEXT NOT NULL,         -- models, store, exploration, user, assembly, control, policy, failure
    change TEXT NOT NULL,           -- solver heat.Band -> heat.Cholmod; empty: none
    choice TEXT NOT NULL,           -- assembler=heat.Band solver=heat.Cholmod
    binding TEXT NOT NULL,          -- accuracy, memory, pin, forbid, stateful, budget; empty: none
    steps INTEGER NOT NULL,         -- that remained
    trials INTEGER NOT NULL,        -- that the models rest on, and tries of this run
    now_ns REAL,                    -- predicted per step, with what ran before
    step_ns REAL,                   -- with what was chosen
    low_ns REAL,
    high_ns REAL,
    cost_ns REAL,                   -- of the change, once
    chance REAL,                    -- that what was chosen is the best
    reason TEXT NOT NULL,
    outcome TEXT NOT NULL,          -- stays, asked, done, kept: WHY, undone: WHY
    PRIMARY KEY (trial, number)
);

-- What each implementation would have cost at a decision.
CREATE TABLE alternative (
    trial INTEGER NOT NULL,
    number INTEGER NOT NULL,
    instance TEXT NOT NULL,
    implementation TEXT NOT NULL,
    chosen INTEGER NOT NULL,
    "rows" INTEGER NOT NULL,        -- measurements behind its models
    step_ns REAL,                   -- predicted per step, all else as chosen; NULL: not known
    low_ns REAL,
    high_ns REAL,
    forced_ns REAL,                 -- least cost of the remaining steps with it; NULL: not allowed
    chance REAL,                    -- that it belongs to the best choice
    binding TEXT NOT NULL,          -- what excludes it; empty: nothing
    reason TEXT NOT NULL,
    PRIMARY KEY (trial, number, instance, implementation),
    FOREIGN KEY (trial, number) REFERENCES reason (trial, number) ON DELETE CASCADE
);

-- What a step was expected to take, and took; with a path: a call path that was not as expected.
CREATE TABLE expectation (
    trial INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
    step INTEGER NOT NULL,
    path TEXT NOT NULL,             -- empty: the whole step
    cause TEXT NOT NULL,            -- empty: as expected
    expected_ns REAL,
    low_ns REAL,
    high_ns REAL,
    measured_ns REAL,               -- NULL: the run did not come to the next step
    PRIMARY KEY (trial, step, path)
);

UPDATE schema_version SET version = 4;
