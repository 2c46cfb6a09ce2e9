-- People, how they came in, what was noted about them, and whom never to write to.

CREATE TABLE leads (
    workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    email TEXT NOT NULL CHECK (email <> '' AND email = trim(email)),
    fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(fields)),
    external_id TEXT,
    phone TEXT,
    linkedin_url TEXT,
    timezone TEXT,
    hold_until TEXT,
    hold_reason TEXT,
    revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0),
    created_at TEXT NOT NULL,
    -- What follows the last @ (rtrim leaves everything up to it).
    domain TEXT GENERATED ALWAYS AS (substr(email, length(rtrim(email, replace(email, '@', ''))) + 1)) STORED,
    UNIQUE (workspace_id, id),
    UNIQUE (workspace_id, email)
) STRICT;

CREATE UNIQUE INDEX leads_external_id ON leads (workspace_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX leads_phone ON leads (workspace_id, phone) WHERE phone IS NOT NULL;
CREATE UNIQUE INDEX leads_linkedin_url ON leads (workspace_id, linkedin_url) WHERE linkedin_url IS NOT NULL;
CREATE INDEX leads_domain ON leads (workspace_id, domain);

CREATE TABLE lead_lists (
    workspace_id INTEGER NOT NULL,
    list TEXT NOT NULL CHECK (list <> ''),
    lead_id INTEGER NOT NULL,
    added_at TEXT NOT NULL,
    PRIMARY KEY (workspace_id, list, lead_id),
    FOREIGN KEY (workspace_id, lead_id) REFERENCES leads (workspace_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX lead_lists_lead ON lead_lists (workspace_id, lead_id);

CREATE TABLE touches (
    workspace_id INTEGER NOT NULL,
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    lead_id INTEGER NOT NULL,
    at TEXT NOT NULL,
    source TEXT NOT NULL,
    detail TEXT NOT NULL,
    key TEXT CHECK (key <> ''),  -- the caller's idempotency key
    UNIQUE (workspace_id, id),
    FOREIGN KEY (workspace_id, lead_id) REFERENCES leads (workspace_id, id)
) STRICT;

CREATE INDEX touches_lead ON touches (workspace_id, lead_id, at);
CREATE UNIQUE INDEX touches_key ON touches (workspace_id, key) WHERE key IS NOT NULL;

-- A note's words never change; erasing a person empties them (SET text = '').
CREATE TABLE notes (
    workspace_id INTEGER NOT NULL,
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    lead_id INTEGER NOT NULL,
    at TEXT NOT NULL,
    author TEXT NOT NULL,
    text TEXT NOT NULL,
    UNIQUE (workspace_id, id),
    FOREIGN KEY (workspace_id, lead_id) REFERENCES leads (workspace_id, id)
) STRICT;

CREATE INDEX notes_lead ON notes (workspace_id, lead_id, at);

CREATE TRIGGER notes_keep_their_words BEFORE UPDATE OF text ON notes WHEN NEW.text <> ''
BEGIN SELECT RAISE (ABORT, 'notes are append-only: their words can only be emptied'); END;
CREATE TRIGGER notes_stay BEFORE DELETE ON notes
BEGIN SELECT RAISE (ABORT, 'notes are append-only: empty their words to erase a person'); END;

CREATE TABLE suppressions (
    workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL CHECK (kind IN ('address', 'domain', 'phone', 'tombstone')),
    value TEXT NOT NULL CHECK (value <> ''),
    scope TEXT NOT NULL CHECK (scope IN ('workspace', 'global')),
    reason TEXT NOT NULL CHECK (
        reason IN ('manual', 'hard_bounce', 'unsubscribed', 'complained', 'imported', 'erased')
    ),
    source TEXT NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (workspace_id, id),
    UNIQUE (scope, workspace_id, value, kind)
) STRICT;

CREATE INDEX suppressions_global ON suppressions (value, kind) WHERE scope = 'global';

-- Keyed hashes of addresses that opted out, also written to a file outside the database.
CREATE TABLE opt_outs (
    workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    digest TEXT NOT NULL CHECK (digest <> ''),
    reason TEXT NOT NULL,
    at TEXT NOT NULL,
    UNIQUE (workspace_id, id)
) STRICT;

CREATE INDEX opt_outs_digest ON opt_outs (workspace_id, digest);

CREATE TRIGGER opt_outs_never_change BEFORE UPDATE ON opt_outs
BEGIN SELECT RAISE (ABORT, 'opt_outs is append-only'); END;
CREATE TRIGGER opt_outs_stay BEFORE DELETE ON opt_outs
BEGIN SELECT RAISE (ABORT, 'opt_outs is append-only'); END;
