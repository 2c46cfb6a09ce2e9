-- What came of it, counted: people at each step, and what was sent and came back, by day.
--
-- A change is a row more, so that no two sends ever wait for one counter; the housekeeper folds changes into sums.

-- What somebody's message led to, once for each person and kind, and to which of ours it is ascribed.
CREATE TABLE outcomes (
    workspace_id INTEGER NOT NULL,
    enrollment_id INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('replied', 'positive', 'auto', 'bounced', 'opted_out')),
    sequence_id INTEGER NOT NULL,
    step TEXT NOT NULL,
    variant TEXT NOT NULL,
    mailbox_id INTEGER NOT NULL,
    day TEXT NOT NULL,  -- ISO date, UTC
    PRIMARY KEY (workspace_id, enrollment_id, kind),
    FOREIGN KEY (workspace_id, enrollment_id) REFERENCES enrollments (workspace_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE number_changes (
    workspace_id INTEGER NOT NULL,
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    sequence_id INTEGER NOT NULL,
    step TEXT NOT NULL,
    variant TEXT NOT NULL,
    mailbox_id INTEGER NOT NULL,
    day TEXT NOT NULL,
    contacted INTEGER NOT NULL,
    sent INTEGER NOT NULL,
    replied INTEGER NOT NULL,
    positive INTEGER NOT NULL,
    auto INTEGER NOT NULL,
    bounced INTEGER NOT NULL,
    opted_out INTEGER NOT NULL,
    UNIQUE (workspace_id, id)
) STRICT;

-- `scope` sequence: all of it; step: `part` is the step; pair: `part` is the mailbox's id; mailbox: `scope_id` is its.
CREATE TABLE numbers (
    workspace_id INTEGER NOT NULL,
    scope TEXT NOT NULL CHECK (scope IN ('sequence', 'step', 'pair', 'mailbox')),
    scope_id INTEGER NOT NULL,
    day TEXT NOT NULL,
    part TEXT NOT NULL,
    variant TEXT NOT NULL,
    contacted INTEGER NOT NULL,
    sent INTEGER NOT NULL,
    replied INTEGER NOT NULL,
    positive INTEGER NOT NULL,
    auto INTEGER NOT NULL,
    bounced INTEGER NOT NULL,
    opted_out INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, scope, scope_id, day, part, variant)
) STRICT, WITHOUT ROWID;

CREATE TABLE moves (
    workspace_id INTEGER NOT NULL,
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    sequence_id INTEGER NOT NULL,
    from_version INTEGER,  -- NULL: it was made
    from_step TEXT,
    from_status TEXT,
    version INTEGER NOT NULL,
    step TEXT NOT NULL,
    status TEXT NOT NULL,
    UNIQUE (workspace_id, id)
) STRICT;

CREATE TABLE standing (
    workspace_id INTEGER NOT NULL,
    sequence_id INTEGER NOT NULL,
    version INTEGER NOT NULL,
    step TEXT NOT NULL,
    status TEXT NOT NULL,
    people INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, sequence_id, version, step, status)
) STRICT, WITHOUT ROWID;
