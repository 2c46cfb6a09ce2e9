-- Each step of an enrollment that is to be sent, claimed before it is, with its outcome.

CREATE TABLE attempts (
    workspace_id INTEGER NOT NULL,
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    enrollment_id INTEGER NOT NULL,
    lead_id INTEGER NOT NULL,
    sequence_id INTEGER NOT NULL,
    mailbox_id INTEGER,
    step TEXT NOT NULL,
    version INTEGER NOT NULL,
    step_counter INTEGER NOT NULL CHECK (step_counter >= 1),
    variant TEXT NOT NULL,
    status TEXT NOT NULL CHECK (
        status IN ('reserved', 'in_flight', 'sent', 'failed', 'unknown', 'voided', 'not_delivered')
    ),
    message_id TEXT NOT NULL CHECK (message_id <> ''),
    wire_message_id TEXT,
    provider_message_id TEXT,
    provider_thread_id TEXT,
    trace TEXT NOT NULL,
    recipient TEXT NOT NULL,
    subject TEXT,
    opens_thread INTEGER NOT NULL CHECK (opens_thread IN (0, 1)),
    planned_at TEXT NOT NULL,
    holds_slot INTEGER NOT NULL CHECK (holds_slot IN (0, 1)),
    slot_day TEXT NOT NULL,
    slot_hour TEXT NOT NULL,
    release_by TEXT,
    began_at TEXT,
    sent_at TEXT,
    settled_by TEXT,
    next_look_at TEXT,
    looks INTEGER NOT NULL DEFAULT 0 CHECK (looks >= 0),
    tries INTEGER NOT NULL DEFAULT 0 CHECK (tries >= 0),
    error TEXT,
    sent_copy_at TEXT,
    revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0),
    created_at TEXT NOT NULL,
    UNIQUE (workspace_id, id),
    UNIQUE (workspace_id, enrollment_id, step_counter),
    UNIQUE (workspace_id, message_id),
    FOREIGN KEY (workspace_id, enrollment_id, lead_id) REFERENCES enrollments (workspace_id, id, lead_id),
    FOREIGN KEY (workspace_id, lead_id) REFERENCES leads (workspace_id, id),
    FOREIGN KEY (workspace_id, mailbox_id) REFERENCES mailboxes (workspace_id, id),
    FOREIGN KEY (workspace_id, sequence_id, version)
        REFERENCES sequence_versions (workspace_id, sequence_id, version),
    CONSTRAINT what_is_only_recorded_has_no_mailbox
        CHECK ((status = 'not_delivered') = (mailbox_id IS NULL)),
    CONSTRAINT what_began_has_its_deadline
        CHECK (status NOT IN ('in_flight', 'unknown') OR (release_by IS NOT NULL AND began_at IS NOT NULL)),
    CONSTRAINT what_was_sent_has_its_time
        CHECK ((status = 'sent') = (sent_at IS NOT NULL))
) STRICT;

-- A second open attempt of one enrollment cannot exist, whatever the code believes.
CREATE UNIQUE INDEX attempts_open ON attempts (workspace_id, enrollment_id)
    WHERE status IN ('reserved', 'in_flight', 'unknown');
CREATE INDEX attempts_lead ON attempts (workspace_id, lead_id, planned_at);
CREATE INDEX attempts_mailbox ON attempts (workspace_id, mailbox_id, status, planned_at);
CREATE INDEX attempts_recipient ON attempts (workspace_id, recipient, planned_at);
CREATE INDEX attempts_sequence ON attempts (workspace_id, sequence_id, step);
CREATE INDEX attempts_reserved ON attempts (planned_at) WHERE status = 'reserved';
-- SQLite uses a partial index only where a query says its condition in these words.
CREATE INDEX attempts_unknown ON attempts (next_look_at) WHERE status = 'unknown';
CREATE INDEX attempts_in_flight ON attempts (release_by) WHERE status = 'in_flight';
CREATE INDEX attempts_unsettled ON attempts (status) WHERE status IN ('unknown', 'in_flight');
CREATE INDEX attempts_slots_left_behind ON attempts (id) WHERE status IN ('voided', 'failed') AND holds_slot;
CREATE INDEX attempts_wire_message_id ON attempts (workspace_id, wire_message_id) WHERE wire_message_id IS NOT NULL;
CREATE INDEX attempts_provider_thread_id ON attempts (workspace_id, provider_thread_id)
    WHERE provider_thread_id IS NOT NULL;
CREATE INDEX attempts_trace ON attempts (workspace_id, trace);
-- Sent, but its copy was not yet seen in the Sent folder. `status` is in it although it is always the same: without
-- it a planner takes attempts_mailbox, and walks everything that the mailbox ever sent.
CREATE INDEX attempts_uncopied ON attempts (workspace_id, mailbox_id, status, sent_at)
    WHERE status = 'sent' AND sent_copy_at IS NULL;
