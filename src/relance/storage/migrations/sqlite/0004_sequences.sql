-- Sequences, their frozen versions, and what was taken of every cap.

CREATE TABLE sequences (
    workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL CHECK (name <> ''),
    status TEXT NOT NULL CHECK (status IN ('draft', 'awaiting_approval', 'live', 'paused', 'archived')),
    version INTEGER NOT NULL DEFAULT 0 CHECK (version >= 0),
    proposed_version INTEGER,  -- one that waits for approval, while `version` goes on
    skip_until TEXT,
    last_skip_reason TEXT,
    new_leads_until TEXT,  -- no first messages until then: max_new_per_day is used up
    last_served_at TEXT,
    revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0),
    created_at TEXT NOT NULL,
    UNIQUE (workspace_id, id),
    UNIQUE (workspace_id, name),
    CHECK (status = 'draft' OR version >= 1),
    CONSTRAINT what_is_proposed_follows_what_runs
        CHECK (proposed_version IS NULL OR (status IN ('live', 'paused') AND proposed_version > version))
) STRICT;

CREATE TABLE sequence_versions (
    workspace_id INTEGER NOT NULL,
    sequence_id INTEGER NOT NULL,
    version INTEGER NOT NULL CHECK (version >= 1),
    document TEXT NOT NULL CHECK (json_valid(document)),
    digest TEXT NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (workspace_id, sequence_id, version),
    FOREIGN KEY (workspace_id, sequence_id) REFERENCES sequences (workspace_id, id)
) STRICT;

CREATE TRIGGER sequence_versions_never_change BEFORE UPDATE ON sequence_versions
BEGIN SELECT RAISE (ABORT, 'sequence_versions is append-only: a published version is frozen'); END;
CREATE TRIGGER sequence_versions_stay BEFORE DELETE ON sequence_versions
BEGIN SELECT RAISE (ABORT, 'sequence_versions is append-only: a published version is frozen'); END;

-- What the documents of versions attach, each content once, under its SHA-256 in hex.
CREATE TABLE attachments (
    workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
    sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
    content BLOB NOT NULL CHECK (length(content) > 0),
    created_at TEXT NOT NULL,
    PRIMARY KEY (workspace_id, sha256)
) STRICT;

CREATE TRIGGER attachments_never_change BEFORE UPDATE ON attachments
BEGIN SELECT RAISE (ABORT, 'attachments is append-only: a published version is frozen'); END;
CREATE TRIGGER attachments_stay BEFORE DELETE ON attachments
BEGIN SELECT RAISE (ABORT, 'attachments is append-only: a published version is frozen'); END;

-- Where a sequence meets a mailbox (0: its pool, for rows not pinned yet), and when that was last served.
CREATE TABLE lanes (
    workspace_id INTEGER NOT NULL,
    sequence_id INTEGER NOT NULL,
    mailbox_id INTEGER NOT NULL DEFAULT 0,
    last_served_at TEXT,
    PRIMARY KEY (workspace_id, sequence_id, mailbox_id),
    FOREIGN KEY (workspace_id, sequence_id) REFERENCES sequences (workspace_id, id)
) STRICT, WITHOUT ROWID;

-- Taken by a reservation, given back by a definite failure. scope_id is a mailbox, a sequence or the workspace.
CREATE TABLE usage (
    workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
    scope TEXT NOT NULL CHECK (
        scope IN (
            'mailbox_day', 'mailbox_hour', 'recipient_domain_day', 'sequence_day', 'sequence_new_day', 'workspace_day'
        )
    ),
    scope_id INTEGER NOT NULL,
    bucket TEXT NOT NULL,
    used INTEGER NOT NULL CHECK (used >= 0),
    PRIMARY KEY (workspace_id, scope, scope_id, bucket)
) STRICT, WITHOUT ROWID;
