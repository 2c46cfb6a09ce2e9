-- What came in and what humans sent by hand, deduplicated by content.
--
-- Erasing a person empties raw, subject, new_text, the addresses and the evidence, and keeps the row.

CREATE TABLE messages (
    workspace_id INTEGER NOT NULL,
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    mailbox_id INTEGER NOT NULL,
    direction TEXT NOT NULL CHECK (direction IN ('in', 'out')),
    kind TEXT NOT NULL,
    at TEXT NOT NULL,
    received_at TEXT NOT NULL,
    folder TEXT NOT NULL,
    message_id TEXT,
    in_reply_to TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(in_reply_to)),
    from_address TEXT,
    to_address TEXT,
    subject TEXT,
    new_text TEXT,
    content_key TEXT NOT NULL,  -- BLAKE2 of the raw bytes, in hex
    raw BLOB,
    lead_id INTEGER,
    enrollment_id INTEGER,
    attempt_id INTEGER,
    matched_by TEXT,
    evidence TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(evidence)),
    classification TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(classification)),
    rules_version INTEGER NOT NULL,
    confidence TEXT NOT NULL CHECK (confidence IN ('certain', 'likely', 'guess')),
    UNIQUE (workspace_id, id),
    UNIQUE (workspace_id, mailbox_id, content_key),
    FOREIGN KEY (workspace_id, mailbox_id) REFERENCES mailboxes (workspace_id, id),
    FOREIGN KEY (workspace_id, lead_id) REFERENCES leads (workspace_id, id),
    FOREIGN KEY (workspace_id, enrollment_id) REFERENCES enrollments (workspace_id, id),
    FOREIGN KEY (workspace_id, attempt_id) REFERENCES attempts (workspace_id, id)
) STRICT;

CREATE INDEX messages_lead ON messages (workspace_id, lead_id, at);
CREATE INDEX messages_enrollment ON messages (workspace_id, enrollment_id) WHERE enrollment_id IS NOT NULL;
CREATE INDEX messages_attempt ON messages (workspace_id, attempt_id) WHERE attempt_id IS NOT NULL;
CREATE INDEX messages_message_id ON messages (workspace_id, message_id) WHERE message_id IS NOT NULL;
CREATE INDEX messages_inbox ON messages (workspace_id, received_at) WHERE direction = 'in';
