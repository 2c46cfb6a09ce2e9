-- Copies of ours that lay in Sent folders when a state was put back that knew nothing of them, by their mark.

CREATE TABLE forgotten_sends (
    workspace_id INTEGER NOT NULL,
    trace TEXT NOT NULL CHECK (trace <> ''),
    step TEXT, -- its name, which a copy does not tell: the number in its mark may be another step's in an older state
    mailbox TEXT NOT NULL CHECK (mailbox <> ''), -- its address: an older state may not have it, or have it again
    recipient TEXT NOT NULL CHECK (recipient <> ''),
    subject TEXT,
    wire_message_id TEXT,
    opens_thread INTEGER NOT NULL CHECK (opens_thread IN (0, 1)),
    folder TEXT NOT NULL,
    left_at TEXT NOT NULL,
    answered_at TEXT,
    seen_at TEXT NOT NULL,
    recorded_at TEXT, -- its attempt was written
    asked_at TEXT, -- a person was asked about a run that went another way
    PRIMARY KEY (workspace_id, trace)
) STRICT;

CREATE INDEX forgotten_sends_recipient ON forgotten_sends (workspace_id, recipient);
