-- What people do with what came in: conversations, answers by hand, corrected classes, and the words to find them by.

-- What one mailbox and one person wrote to each other, once something came in: a summary of its messages.
CREATE TABLE threads (
    workspace_id INTEGER NOT NULL,
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    mailbox_id INTEGER NOT NULL,
    lead_id INTEGER NOT NULL,
    enrollment_id INTEGER,
    sequence_id INTEGER,
    kind TEXT NOT NULL,  -- the class of the newest message of a person, or else of the newest
    from_address TEXT,
    subject TEXT,
    preview TEXT,
    last_in_at TEXT NOT NULL,
    last_out_at TEXT,  -- when somebody of us last wrote by hand
    open INTEGER NOT NULL CHECK (open IN (0, 1)),  -- somebody ought to look at it
    snoozed_until TEXT,
    assignee_id INTEGER,
    interest TEXT NOT NULL DEFAULT 'unknown' CHECK (interest IN ('unknown', 'positive', 'negative')),
    revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0),
    UNIQUE (workspace_id, id),
    UNIQUE (workspace_id, mailbox_id, lead_id),
    FOREIGN KEY (workspace_id, mailbox_id) REFERENCES mailboxes (workspace_id, id),
    FOREIGN KEY (workspace_id, lead_id) REFERENCES leads (workspace_id, id),
    FOREIGN KEY (workspace_id, enrollment_id) REFERENCES enrollments (workspace_id, id),
    CONSTRAINT only_what_is_open_sleeps CHECK (open OR snoozed_until IS NULL)
) STRICT;

CREATE INDEX threads_newest ON threads (workspace_id, last_in_at, id);
-- What counting them asks for is in it.
CREATE INDEX threads_open ON threads (workspace_id, last_in_at, id, open, snoozed_until) WHERE open;
CREATE INDEX threads_kind ON threads (workspace_id, kind, last_in_at, id);
CREATE INDEX threads_mailbox ON threads (workspace_id, mailbox_id, last_in_at, id);
CREATE INDEX threads_sequence ON threads (workspace_id, sequence_id, last_in_at, id);
CREATE INDEX threads_assignee ON threads (workspace_id, assignee_id, last_in_at, id) WHERE assignee_id IS NOT NULL;
CREATE INDEX threads_lead ON threads (workspace_id, lead_id);

-- What a person wrote in a conversation; sent once, as everything is.
CREATE TABLE answers (
    workspace_id INTEGER NOT NULL,
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    thread_id INTEGER NOT NULL,
    mailbox_id INTEGER NOT NULL,
    lead_id INTEGER NOT NULL,
    attempt_id INTEGER,
    status TEXT NOT NULL CHECK (status IN ('waiting', 'in_flight', 'sent', 'unknown', 'failed', 'withdrawn')),
    author TEXT NOT NULL,
    recipient TEXT NOT NULL,
    subject TEXT NOT NULL,
    text TEXT NOT NULL,
    in_reply_to TEXT,
    reference_ids TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(reference_ids)),
    message_id TEXT NOT NULL CHECK (message_id <> ''),
    trace TEXT NOT NULL,
    wire_message_id TEXT,
    due_at TEXT NOT NULL,  -- not before this; until then it can be taken back
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
    UNIQUE (workspace_id, message_id),
    FOREIGN KEY (workspace_id, thread_id) REFERENCES threads (workspace_id, id),
    FOREIGN KEY (workspace_id, mailbox_id) REFERENCES mailboxes (workspace_id, id),
    FOREIGN KEY (workspace_id, lead_id) REFERENCES leads (workspace_id, id),
    FOREIGN KEY (workspace_id, attempt_id) REFERENCES attempts (workspace_id, id),
    CONSTRAINT what_began_has_its_deadline
        CHECK (status NOT IN ('in_flight', 'unknown') OR (release_by IS NOT NULL AND began_at IS NOT NULL)),
    CONSTRAINT what_was_sent_has_its_time
        CHECK ((status = 'sent') = (sent_at IS NOT NULL))
) STRICT;

CREATE INDEX answers_thread ON answers (workspace_id, thread_id, id);
CREATE INDEX answers_trace ON answers (workspace_id, trace);
CREATE INDEX answers_lead ON answers (workspace_id, lead_id);
CREATE INDEX answers_waiting ON answers (due_at) WHERE status = 'waiting';
CREATE INDEX answers_unsettled ON answers (status) WHERE status IN ('unknown', 'in_flight');
CREATE INDEX answers_open ON answers (status) WHERE status IN ('waiting', 'unknown', 'in_flight');
CREATE INDEX answers_uncopied ON answers (sent_at) WHERE status = 'sent' AND sent_copy_at IS NULL;

-- What a message did when it came in, so that a person who knows better can take it back.
CREATE TABLE message_effects (
    workspace_id INTEGER NOT NULL,
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    message_id INTEGER NOT NULL,
    effect TEXT NOT NULL CHECK (effect IN ('stopped', 'set_aside', 'suppressed', 'away', 'soft_bounce')),
    enrollment_id INTEGER,
    address TEXT,
    UNIQUE (workspace_id, id),
    FOREIGN KEY (workspace_id, message_id) REFERENCES messages (workspace_id, id),
    FOREIGN KEY (workspace_id, enrollment_id) REFERENCES enrollments (workspace_id, id)
) STRICT;

CREATE INDEX message_effects_message ON message_effects (workspace_id, message_id);

-- The words of what came in and of what was answered, as `relance.core.search_words` tells them; the row's number is the
-- message's. What is deleted is gone from its files at once, since people can be erased.
CREATE VIRTUAL TABLE message_words USING fts5 (
    words, detail = none, prefix = '2 3 4', tokenize = 'unicode61 remove_diacritics 0'
);
INSERT INTO message_words (message_words, rank) VALUES ('secure-delete', 1);

-- What the planner may expect of a busy installation; see 0009.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('threads', 'threads_newest', '30000 30000 1 1'),
    ('threads', 'threads_open', '3000 3000 1 1 1 1'),
    ('threads', 'threads_kind', '30000 30000 6000 1 1'),
    ('threads', 'threads_mailbox', '30000 30000 150 1 1'),
    ('threads', 'threads_sequence', '30000 30000 1500 1 1'),
    ('threads', 'threads_assignee', '10000 10000 2000 1 1'),
    ('threads', 'threads_lead', '30000 30000 1'),
    ('threads', 'sqlite_autoindex_threads_1', '30000 30000 1'),
    ('threads', 'sqlite_autoindex_threads_2', '30000 30000 150 1'),
    ('answers', 'answers_thread', '10000 10000 2 1'),
    ('answers', 'answers_trace', '10000 10000 1'),
    ('answers', 'answers_lead', '10000 10000 2'),
    ('answers', 'answers_waiting', '10 1'),
    ('answers', 'answers_unsettled', '10 5'),
    ('answers', 'answers_open', '20 7'),
    ('answers', 'answers_uncopied', '10 1'),
    ('answers', 'sqlite_autoindex_answers_1', '10000 10000 1'),
    ('answers', 'sqlite_autoindex_answers_2', '10000 10000 1'),
    ('message_effects', 'message_effects_message', '20000 20000 1'),
    ('message_effects', 'sqlite_autoindex_message_effects_1', '20000 20000 1');

ANALYZE sqlite_schema;
