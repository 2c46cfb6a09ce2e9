-- Mailboxes, how far their folders have been read, and what was read but not yet understood.

CREATE TABLE mailboxes (
    workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    provider TEXT NOT NULL CHECK (provider <> ''),
    login TEXT NOT NULL CHECK (login <> ''),
    address TEXT NOT NULL CHECK (address <> ''),
    display_name TEXT,
    signature_text TEXT CHECK (signature_text <> ''),
    signature_html TEXT CHECK (signature_html <> ''),
    aliases TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(aliases)),
    pool TEXT NOT NULL DEFAULT 'default' CHECK (pool <> ''),
    timezone TEXT,
    settings TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(settings)),
    sealed_credentials BLOB,
    daily_cap INTEGER NOT NULL DEFAULT 40 CHECK (daily_cap >= 0),
    hourly_cap INTEGER NOT NULL DEFAULT 10 CHECK (hourly_cap >= 0),
    min_gap REAL NOT NULL DEFAULT 90 CHECK (min_gap >= 0),
    max_gap REAL NOT NULL DEFAULT 180,
    ramp INTEGER NOT NULL DEFAULT 1 CHECK (ramp IN (0, 1)),
    ramp_start INTEGER NOT NULL DEFAULT 10 CHECK (ramp_start >= 0),
    ramp_step INTEGER NOT NULL DEFAULT 5 CHECK (ramp_step >= 0),
    ramp_days INTEGER NOT NULL DEFAULT 0 CHECK (ramp_days >= 0),
    ramp_day TEXT,  -- the last day on which it sent
    workday TEXT,
    weight INTEGER NOT NULL DEFAULT 1 CHECK (weight BETWEEN 1 AND 1000),
    ceiling TEXT CHECK (ceiling IN ('google', 'google_trial', 'microsoft', 'none')),
    status TEXT NOT NULL CHECK (status IN ('active', 'paused', 'auth_error', 'unreachable', 'recovering', 'removed')),
    status_reason TEXT,
    consecutive_failures INTEGER NOT NULL DEFAULT 0 CHECK (consecutive_failures >= 0),
    skip_until TEXT,
    last_skip_reason TEXT,
    next_allowed_at TEXT,
    free_at TEXT NOT NULL GENERATED ALWAYS AS (
        coalesce(CASE WHEN skip_until > next_allowed_at THEN skip_until ELSE next_allowed_at END, skip_until, '')
    ) STORED,  -- when gap, cap and trouble are over
    last_served_at TEXT,
    saves_sent INTEGER CHECK (saves_sent IN (0, 1)),
    ids_survive INTEGER CHECK (ids_survive IN (0, 1)),
    fresh_at TEXT,
    last_read_at TEXT,
    recover_since TEXT,  -- the state was put back: read from then on before anything is sent
    recover_noticed_at TEXT,  -- what was under way then may show in Sent for a while
    recovers_to TEXT CHECK (recovers_to IN ('active', 'paused')),
    sent_read_back_at TEXT,
    handed_over INTEGER NOT NULL DEFAULT 0 CHECK (handed_over IN (0, 1)),  -- removed, and others go on with its people: its answers are not waited for
    read_asked_at TEXT,  -- when a worker that does not own it last needed it read
    shard INTEGER NOT NULL CHECK (shard BETWEEN 0 AND 255),
    revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0),
    created_at TEXT NOT NULL,
    UNIQUE (workspace_id, id),
    CHECK (max_gap >= min_gap),
    CONSTRAINT every_signature_has_a_plain_form CHECK (signature_html IS NULL OR signature_text IS NOT NULL),
    CONSTRAINT only_what_is_removed_is_handed_over CHECK (NOT handed_over OR status = 'removed'),
    CONSTRAINT what_recovers_knows_from_when_and_to_what
        CHECK (
            (status = 'recovering') = (recover_since IS NOT NULL)
            AND (recover_since IS NULL) = (recovers_to IS NULL)
            AND (recover_since IS NULL) = (recover_noticed_at IS NULL)
        )
) STRICT;

-- One login is one mailbox in the whole installation; a removed one may be connected again.
CREATE UNIQUE INDEX mailboxes_login ON mailboxes (provider, login) WHERE status <> 'removed';
CREATE INDEX mailboxes_pool ON mailboxes (workspace_id, pool);
CREATE INDEX mailboxes_address ON mailboxes (workspace_id, address);
-- Those that may send, by when gap, cap and trouble are over.
CREATE INDEX mailboxes_free ON mailboxes (free_at) WHERE status IN ('active', 'auth_error', 'unreachable');
CREATE INDEX mailboxes_recovering ON mailboxes (workspace_id) WHERE status = 'recovering';
CREATE INDEX mailboxes_shard ON mailboxes (shard) WHERE status <> 'removed';

CREATE TABLE folders (
    workspace_id INTEGER NOT NULL,
    mailbox_id INTEGER NOT NULL,
    folder TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('inbox', 'junk', 'archive', 'all', 'sent', 'other')),
    uid_validity INTEGER NOT NULL,
    last_uid INTEGER NOT NULL CHECK (last_uid >= 0),
    highest_modseq INTEGER,
    read_at TEXT NOT NULL,
    PRIMARY KEY (workspace_id, mailbox_id, folder),
    FOREIGN KEY (workspace_id, mailbox_id) REFERENCES mailboxes (workspace_id, id)
) STRICT, WITHOUT ROWID;

-- Stored by the poller together with the cursor; the ingester takes rows away. Losing the mailbox loses the staging.
CREATE TABLE raw_messages (
    workspace_id INTEGER NOT NULL,
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    mailbox_id INTEGER NOT NULL,
    folder TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('inbox', 'junk', 'archive', 'all', 'sent', 'other')),
    uid_validity INTEGER NOT NULL,
    uid INTEGER NOT NULL,
    internal_date TEXT NOT NULL,
    raw BLOB NOT NULL,
    truncated INTEGER NOT NULL CHECK (truncated IN (0, 1)),
    stored_at TEXT NOT NULL,
    failures INTEGER NOT NULL DEFAULT 0 CHECK (failures >= 0),
    last_error TEXT,
    UNIQUE (workspace_id, id),
    UNIQUE (workspace_id, mailbox_id, folder, uid_validity, uid),
    FOREIGN KEY (workspace_id, mailbox_id) REFERENCES mailboxes (workspace_id, id) ON DELETE CASCADE
) STRICT;
