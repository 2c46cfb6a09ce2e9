-- One durable row per lead and sequence. The CHECKs tie every status to its columns.

CREATE TABLE enrollments (
    workspace_id INTEGER NOT NULL,
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL,
    sequence_id INTEGER NOT NULL,
    version INTEGER NOT NULL,
    lead_id INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (
        status IN ('active', 'waiting', 'paused', 'held', 'completed', 'stopped', 'blocked', 'suppressed', 'holdout')
    ),
    stop_reason TEXT,
    hold_reason TEXT,
    step TEXT NOT NULL,
    step_kind TEXT NOT NULL REFERENCES step_kinds (kind),
    step_counter INTEGER NOT NULL CHECK (step_counter >= 1),
    next_due_at TEXT,
    skip_until TEXT,
    last_skip_reason TEXT,
    last_skip_at TEXT,
    last_sent_at TEXT,
    last_inbound_at TEXT,
    last_failure_at TEXT,
    replied_at TEXT,
    bounced_at TEXT,
    goal_met_at TEXT,
    variants TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(variants)),
    mailbox_id INTEGER,
    lane TEXT NOT NULL DEFAULT '' CHECK (lane IN ('', 'google', 'microsoft', 'other')),
    source_list TEXT,
    consecutive_failures INTEGER NOT NULL DEFAULT 0 CHECK (consecutive_failures >= 0),
    soft_bounces INTEGER NOT NULL DEFAULT 0 CHECK (soft_bounces >= 0),
    verification_attempts INTEGER NOT NULL DEFAULT 0 CHECK (verification_attempts >= 0),
    lock_holder TEXT,
    lock_expires_at TEXT,
    revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0),
    created_at TEXT NOT NULL,
    ended_at TEXT,
    -- When the row may be claimed: the later of its due time, which never slides, and its own deferral.
    ready_at TEXT GENERATED ALWAYS AS (CASE WHEN skip_until > next_due_at THEN skip_until ELSE next_due_at END) STORED,
    -- Of whose mailboxes one is to open the conversation; empty: of any, or it is open.
    open_lane TEXT GENERATED ALWAYS AS (CASE WHEN mailbox_id IS NULL THEN lane ELSE '' END) STORED,
    -- Whose business are the steps that need no mailbox. Ids count up, so this spreads evenly.
    shard INTEGER GENERATED ALWAYS AS (lead_id % 256) STORED,
    UNIQUE (workspace_id, id),
    UNIQUE (workspace_id, uid),
    UNIQUE (workspace_id, id, lead_id),  -- what an attempt points to: it is about this very person
    UNIQUE (workspace_id, sequence_id, lead_id),
    FOREIGN KEY (workspace_id, sequence_id, version)
        REFERENCES sequence_versions (workspace_id, sequence_id, version),
    FOREIGN KEY (workspace_id, lead_id) REFERENCES leads (workspace_id, id),
    FOREIGN KEY (workspace_id, mailbox_id) REFERENCES mailboxes (workspace_id, id),
    CONSTRAINT an_early_end_has_its_reason
        CHECK ((status IN ('stopped', 'blocked')) = (stop_reason IS NOT NULL)),
    CONSTRAINT an_early_end_has_a_reason_that_the_rules_know
        CHECK (stop_reason IS NULL OR stop_reason IN (
            'replied', 'bounced', 'unsubscribed', 'complained', 'manual', 'manual_reply', 'branched',
            'archived', 'merged', 'erased', 'closed', 'dispatch_failures', 'no_longer_there', 'meeting_booked',
            'step_ceiling', 'broken_sequence', 'invalid_address', 'unverified'
        )),
    CONSTRAINT a_hold_has_its_reason
        CHECK (status <> 'held' OR hold_reason IS NOT NULL),
    CONSTRAINT an_end_has_its_time
        CHECK ((status IN ('completed', 'stopped', 'blocked', 'suppressed', 'holdout')) = (ended_at IS NOT NULL)),
    CONSTRAINT an_end_is_never_due
        CHECK (ended_at IS NULL OR (next_due_at IS NULL AND skip_until IS NULL AND lock_holder IS NULL)),
    CONSTRAINT a_walk_is_due_also_while_it_rests
        CHECK (status NOT IN ('active', 'waiting', 'paused', 'held') OR next_due_at IS NOT NULL),
    CONSTRAINT a_lock_expires
        CHECK ((lock_holder IS NULL) = (lock_expires_at IS NULL))
) STRICT;

-- Claims, lane by lane. A row without a mailbox belongs to its sequence's pool.
CREATE INDEX enrollments_to_send ON enrollments (workspace_id, sequence_id, mailbox_id, open_lane, ready_at)
    WHERE status = 'active' AND step_kind = 'email';
-- What moves without a mailbox.
CREATE INDEX enrollments_to_walk ON enrollments (ready_at)
    WHERE status IN ('active', 'waiting') AND step_kind <> 'email';
CREATE INDEX enrollments_lead ON enrollments (workspace_id, lead_id);
-- Both end in the id, so that a page of them is read in its order.
CREATE INDEX enrollments_status ON enrollments (workspace_id, sequence_id, status, id);
CREATE INDEX enrollments_mailbox ON enrollments (workspace_id, mailbox_id, id);
-- Who answered, the few among the many.
CREATE INDEX enrollments_replied ON enrollments (workspace_id, id) WHERE replied_at IS NOT NULL;
-- Who is put off again and again for what does not pass by itself: the few that a person has to see.
CREATE INDEX enrollments_put_off ON enrollments (workspace_id, last_skip_reason, sequence_id)
    WHERE last_skip_reason IN
        ('window_never_opens', 'quiet_hours_cover_window', 'workday_misses_window', 'mailbox_unread');
CREATE INDEX enrollments_locked ON enrollments (lock_expires_at) WHERE lock_holder IS NOT NULL;
-- When anything is ready next, and how much is.
CREATE INDEX enrollments_walking ON enrollments (ready_at) WHERE status IN ('active', 'waiting');

CREATE TABLE enrollment_history (
    workspace_id INTEGER NOT NULL,
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    enrollment_id INTEGER NOT NULL,
    at TEXT NOT NULL,
    from_status TEXT CHECK (
        from_status IN ('active', 'waiting', 'paused', 'held', 'completed', 'stopped', 'blocked', 'suppressed', 'holdout')
    ),
    to_status TEXT NOT NULL CHECK (
        to_status IN ('active', 'waiting', 'paused', 'held', 'completed', 'stopped', 'blocked', 'suppressed', 'holdout')
    ),
    event TEXT NOT NULL,
    cause TEXT NOT NULL,
    step TEXT NOT NULL,
    step_counter INTEGER NOT NULL,
    UNIQUE (workspace_id, id),
    FOREIGN KEY (workspace_id, enrollment_id) REFERENCES enrollments (workspace_id, id)
) STRICT;

CREATE INDEX enrollment_history_enrollment ON enrollment_history (workspace_id, enrollment_id, id);

CREATE TRIGGER enrollment_history_never_changes BEFORE UPDATE ON enrollment_history
BEGIN SELECT RAISE (ABORT, 'enrollment_history is append-only'); END;
CREATE TRIGGER enrollment_history_stays BEFORE DELETE ON enrollment_history
BEGIN SELECT RAISE (ABORT, 'enrollment_history is append-only'); END;
