-- The installation, its tenants, and who works which shard.
--
-- Rule 1: times are TEXT 'YYYY-MM-DDTHH:MM:SS.ffffffZ', which order as they read.
-- Rule 2: every foreign key is composite with workspace_id, so that no row can point into another tenant.
-- Rule 3: nothing is deferred: a statement that breaks a rule fails at once, inside its savepoint.

CREATE TABLE installation (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    uid TEXT NOT NULL,
    generation INTEGER NOT NULL DEFAULT 0 CHECK (generation >= 0),  -- grows while an engine runs; the same number stands in a file beside
    alive_at TEXT,  -- when it last grew: this state is at least as old
    server TEXT,  -- on which database it last grew; empty: a file, or one that may not be asked
    created_at TEXT NOT NULL
) STRICT;

CREATE TABLE workspaces (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL,
    name TEXT NOT NULL CHECK (name <> ''),
    timezone TEXT,
    settings TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(settings)),
    wrapped_key BLOB NOT NULL,  -- the data key, sealed under the installation's key
    skip_until TEXT,  -- a limit of the whole workspace is used up until then
    last_skip_reason TEXT,
    revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0),
    created_at TEXT NOT NULL,
    UNIQUE (uid),
    UNIQUE (name)
) STRICT;

-- lease_until is the database's real time, never the Clock's.
CREATE TABLE shards (
    id INTEGER PRIMARY KEY CHECK (id BETWEEN 0 AND 255),
    owner TEXT,
    epoch INTEGER NOT NULL DEFAULT 0 CHECK (epoch >= 0),
    lease_until TEXT,
    CHECK ((owner IS NULL) = (lease_until IS NULL))
) STRICT;

WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 255)
INSERT INTO shards (id) SELECT n FROM numbers;

-- Who takes part. Times are the database's real time. A row whose lease has ended is a worker that died.
CREATE TABLE workers (
    name TEXT PRIMARY KEY,
    started_at TEXT NOT NULL,
    lease_until TEXT NOT NULL
) STRICT;

-- A table and not a CHECK: a new kind must not rebuild the tables that name it.
CREATE TABLE step_kinds (
    kind TEXT PRIMARY KEY
) STRICT;

INSERT INTO step_kinds (kind) VALUES
    ('email'), ('record'), ('call'), ('linkedin_invite'), ('linkedin_dm'), ('linkedin_inmail'), ('sms'), ('whatsapp_template'),
    ('call_ivr'), ('linkedin_view'), ('linkedin_like'), ('linkedin_find_email'), ('linkedin_withdraw'),
    ('linkedin_endorse_skills'), ('linkedin_follow'), ('wait'), ('branch'), ('task'), ('webhook'),
    ('split'), ('goal'), ('exit'), ('set_field'), ('assign_owner'), ('move_stage'), ('enroll');
