-- SPDX-License-Identifier: BSD-3-Clause
-- What schema version 5 adds to version 4.

-- Why a run was slow, in terms of its paradigm; a run may be diagnosed several times.
CREATE TABLE diagnosis (
    trial INTEGER NOT NULL REFERENCES trial (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,        -- in its trial, from 1 on
    first_step INTEGER NOT NULL,    -- that it is of; -1: from the start
    last_step INTEGER NOT NULL,     -- -1: to the end
    paradigm TEXT NOT NULL,
    verdict TEXT NOT NULL,          -- problem, no problem found, not the program, cannot tell
    why TEXT NOT NULL,
    run_ns REAL,                    -- run time; shares are of it on all ranks
    unexplained REAL,               -- share
    PRIMARY KEY (trial, number)
);

-- A cause that was looked into; those with the verdict problem come first, by gain.
CREATE TABLE finding (
    trial INTEGER NOT NULL,
    diagnosis INTEGER NOT NULL,
    number INTEGER NOT NULL,        -- in its diagnosis, from 1 on
    cause TEXT NOT NULL,            -- node of the paradigm's tree
    title TEXT NOT NULL,            -- the same for people
    verdict TEXT NOT NULL,          -- problem, no problem found, cannot tell
    instance TEXT NOT NULL,         -- whose calls cost it; empty: no part says so
    port TEXT NOT NULL,             -- by its uses port
    factor TEXT NOT NULL,           -- decision of the design
    remedy TEXT NOT NULL,
    place TEXT NOT NULL,            -- ranks, steps, instances
    share REAL,                     -- of ranks times run time
    spread REAL,                    -- of share: half of its 95 % interval over repetitions
    without_ns REAL,                -- run time without the cause
    gain REAL,                      -- share of run time that this saves
    low REAL,                       -- its 95 % interval
    high REAL,
    PRIMARY KEY (trial, diagnosis, number),
    FOREIGN KEY (trial, diagnosis) REFERENCES diagnosis (trial, number) ON DELETE CASCADE
);

UPDATE schema_version SET version = 5;
