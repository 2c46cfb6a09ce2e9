-- What the pages about people and mailboxes keep: filters by name, imports in progress, what name servers say.

CREATE TABLE saved_filters (
    workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL CHECK (name <> '' AND name = trim(name)),
    words TEXT NOT NULL CHECK (json_valid(words)),  -- as they stand in an address line
    author TEXT NOT NULL,
    saved_at TEXT NOT NULL,
    UNIQUE (workspace_id, id),
    UNIQUE (workspace_id, name)
) STRICT;

-- An uploaded file lies beside the database, under the import's token, until it is imported or forgotten. What was
-- imported of it is counted in the transaction that imported it.
CREATE TABLE lead_imports (
    workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    token TEXT NOT NULL CHECK (length(token) = 32),
    file_name TEXT NOT NULL CHECK (file_name <> ''),
    bytes INTEGER NOT NULL CHECK (bytes >= 0),
    author TEXT NOT NULL,
    uploaded_at TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('uploaded', 'running', 'finished', 'failed')),
    choices TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(choices)),
    counts TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(counts)),
    rows_done INTEGER NOT NULL DEFAULT 0 CHECK (rows_done >= 0),
    moved_at TEXT,  -- when its last batch was written
    problem TEXT,
    revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0),
    UNIQUE (workspace_id, id),
    UNIQUE (workspace_id, token),
    CONSTRAINT a_failure_has_its_reason CHECK ((status = 'failed') = (problem IS NOT NULL))
) STRICT;

-- Rows that could not be imported, as they stood, until their import is forgotten.
CREATE TABLE lead_import_errors (
    workspace_id INTEGER NOT NULL,
    import_id INTEGER NOT NULL,
    line INTEGER NOT NULL,
    reason TEXT NOT NULL,
    raw TEXT NOT NULL CHECK (json_valid(raw)),
    PRIMARY KEY (workspace_id, import_id, line),
    FOREIGN KEY (workspace_id, import_id) REFERENCES lead_imports (workspace_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE domain_checks (
    workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
    domain TEXT NOT NULL CHECK (domain <> ''),
    selectors TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(selectors)),  -- under which it signs (DKIM), as a person said
    records TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(records)),
    checked_at TEXT,
    PRIMARY KEY (workspace_id, domain)
) STRICT, WITHOUT ROWID;
