-- Who may use the console and the API, what they may do where, and what they did there.
--
-- Rule 1: no secret is stored that could be used again: passwords as argon2id, tokens as the SHA-256 of 32 random bytes.
-- Rule 2: sessions, keys and links end by the machine's time, never by a clock that may jump.
-- Rule 3: a row of the audit log stays.

CREATE TABLE users (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    email TEXT NOT NULL CHECK (email <> ''),
    name TEXT NOT NULL DEFAULT '',
    password_hash TEXT,  -- argon2id; NULL: invited, and has not come yet
    revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0),
    created_at TEXT NOT NULL,
    UNIQUE (email)
) STRICT;

CREATE TABLE memberships (
    workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    role TEXT NOT NULL CHECK (role IN ('viewer', 'member', 'admin', 'owner')),
    created_at TEXT NOT NULL,
    PRIMARY KEY (workspace_id, user_id)
) STRICT;

CREATE INDEX memberships_user ON memberships (user_id);

CREATE TABLE sessions (
    digest BLOB PRIMARY KEY,
    user_id INTEGER NOT NULL REFERENCES users (id),
    created_at TEXT NOT NULL,
    seen_at TEXT NOT NULL,
    ends_at TEXT NOT NULL
) STRICT;

CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_ending ON sessions (ends_at);

CREATE TABLE api_keys (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
    name TEXT NOT NULL CHECK (name <> ''),
    shown TEXT NOT NULL,  -- the first letters of the key, by which a person knows it again
    digest BLOB NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('viewer', 'member', 'admin', 'owner')),
    created_by TEXT NOT NULL,
    created_at TEXT NOT NULL,
    used_at TEXT,
    UNIQUE (digest),
    UNIQUE (workspace_id, name)
) STRICT;

-- A link that lets in once: the first owner, or somebody who was invited, or who needs a new password.
CREATE TABLE one_time_links (
    digest BLOB PRIMARY KEY,
    user_id INTEGER REFERENCES users (id),  -- NULL: whoever comes first becomes the owner
    created_at TEXT NOT NULL,
    ends_at TEXT NOT NULL
) STRICT;

CREATE INDEX one_time_links_user ON one_time_links (user_id);

CREATE TABLE audit_log (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace_id INTEGER REFERENCES workspaces (id),  -- NULL: it concerns the whole installation
    at TEXT NOT NULL,
    actor TEXT NOT NULL,  -- who, in words: an address, a key's name, the command line
    action TEXT NOT NULL,
    subject TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE INDEX audit_log_workspace ON audit_log (workspace_id, id);

CREATE TRIGGER audit_log_never_changes BEFORE UPDATE ON audit_log
BEGIN SELECT RAISE (ABORT, 'the audit log only grows'); END;
CREATE TRIGGER audit_log_stays BEFORE DELETE ON audit_log
BEGIN SELECT RAISE (ABORT, 'the audit log only grows'); END;

-- What a request with this key was answered, so that asking again changes nothing. NULL status: it is being answered.
CREATE TABLE idempotency_keys (
    workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
    actor TEXT NOT NULL,
    key TEXT NOT NULL CHECK (key <> ''),
    request BLOB NOT NULL,  -- digest of method, path and body
    status INTEGER,
    headers TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(headers)),
    body BLOB,
    created_at TEXT NOT NULL,
    PRIMARY KEY (workspace_id, actor, key)
) STRICT;

CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at);
