-- Everything that happened, append-only. Nothing references it, and its ids are facts of then: no foreign keys.

CREATE TABLE events (
    workspace_id INTEGER NOT NULL,
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    name TEXT NOT NULL,
    detail TEXT NOT NULL,
    data TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(data)),
    lead_id INTEGER,
    enrollment_id INTEGER,
    attempt_id INTEGER,
    mailbox_id INTEGER,
    sequence_id INTEGER,
    message_id INTEGER,
    UNIQUE (workspace_id, id, at)
) STRICT;

CREATE INDEX events_at ON events (workspace_id, at);
CREATE INDEX events_lead ON events (workspace_id, lead_id, at) WHERE lead_id IS NOT NULL;
CREATE INDEX events_enrollment ON events (workspace_id, enrollment_id, at) WHERE enrollment_id IS NOT NULL;
CREATE INDEX events_mailbox ON events (workspace_id, mailbox_id, name, at) WHERE mailbox_id IS NOT NULL;

CREATE TRIGGER events_never_change BEFORE UPDATE ON events
BEGIN SELECT RAISE (ABORT, 'events is append-only'); END;
CREATE TRIGGER events_stay BEFORE DELETE ON events
BEGIN SELECT RAISE (ABORT, 'events is append-only'); END;
