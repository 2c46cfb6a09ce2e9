-- What people are making of a sequence before they publish it: change by change, so that each can be undone.

-- One a sequence, for everybody together. `position` names the change that it shows.
CREATE TABLE drafts (
    workspace_id INTEGER NOT NULL,
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    sequence_id INTEGER NOT NULL,
    base_version INTEGER NOT NULL CHECK (base_version >= 0),  -- the version that it began with; 0: none
    position INTEGER NOT NULL CHECK (position >= 0),
    revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0),
    UNIQUE (workspace_id, id),
    UNIQUE (workspace_id, sequence_id),
    FOREIGN KEY (workspace_id, sequence_id) REFERENCES sequences (workspace_id, id)
) STRICT;

CREATE TABLE draft_changes (
    workspace_id INTEGER NOT NULL,
    draft_id INTEGER NOT NULL,
    position INTEGER NOT NULL CHECK (position >= 0),
    document TEXT NOT NULL CHECK (json_valid(document)),  -- a sequence file as values, sound or not
    what TEXT NOT NULL CHECK (what <> ''),
    by TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (workspace_id, draft_id, position),
    FOREIGN KEY (workspace_id, draft_id) REFERENCES drafts (workspace_id, id)
) STRICT;

-- What was uploaded to be attached and is in no version yet.
CREATE TABLE draft_files (
    workspace_id INTEGER NOT NULL,
    draft_id INTEGER NOT NULL,
    name TEXT NOT NULL CHECK (name <> ''),
    content_type TEXT NOT NULL,
    sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
    content BLOB NOT NULL CHECK (length(content) > 0),
    PRIMARY KEY (workspace_id, draft_id, name),
    FOREIGN KEY (workspace_id, draft_id) REFERENCES drafts (workspace_id, id)
) STRICT;
