-- Answers by hand: written in a conversation, sent once by the engine.

-- part: answers.columns
workspace_id, id, thread_id, mailbox_id, lead_id, attempt_id, status, author, recipient, subject, text, in_reply_to,
reference_ids, message_id, trace, wire_message_id, due_at, release_by, began_at, sent_at, settled_by, next_look_at,
looks, tries, error, sent_copy_at, revision, created_at

-- part: answers.todo
a.workspace_id, a.id, a.mailbox_id, m.shard FROM answers a
JOIN mailboxes m ON m.workspace_id = a.workspace_id AND m.id = a.mailbox_id

-- name: answers.insert
-- Write an answer. No row back: this very one is written already.
INSERT INTO answers (
    workspace_id, thread_id, mailbox_id, lead_id, attempt_id, status, author, recipient, subject, text, in_reply_to,
    reference_ids, message_id, trace, wire_message_id, due_at, release_by, began_at, sent_at, settled_by, next_look_at,
    looks, tries, error, sent_copy_at, revision, created_at
) VALUES (
    :workspace_id, :thread_id, :mailbox_id, :lead_id, :attempt_id, :status, :author, :recipient, :subject, :text,
    :in_reply_to, :reference_ids::jsonb, :message_id, :trace, :wire_message_id, :due_at, :release_by, :began_at,
    :sent_at, :settled_by, :next_look_at, :looks, :tries, :error, :sent_copy_at, :revision, :created_at
)
ON CONFLICT (workspace_id, message_id) DO NOTHING
RETURNING id

-- name: answers.get
-- One answer as it is now.
SELECT {answers.columns} FROM answers WHERE workspace_id = :workspace_id AND id = :id

-- name: answers.by_message_ids
-- The answers that these ids name, as we gave them or as they were seen on the wire.
SELECT {answers.columns} FROM answers
WHERE workspace_id = :workspace_id AND message_id = ANY (:id_list::text[])
ORDER BY id

-- name: answers.by_trace
-- The answer that bears this mark.
SELECT {answers.columns} FROM answers WHERE workspace_id = :workspace_id AND trace = :trace ORDER BY id LIMIT 1

-- name: answers.of_thread
-- Everything that was written in one conversation, oldest first.
SELECT {answers.columns} FROM answers WHERE workspace_id = :workspace_id AND thread_id = :thread_id ORDER BY id

-- name: answers.save
-- Write the row if it is still as it was read. No row changed: somebody else was first.
UPDATE answers SET
    status = :status,
    wire_message_id = :wire_message_id,
    due_at = :due_at,
    release_by = :release_by,
    began_at = :began_at,
    sent_at = :sent_at,
    settled_by = :settled_by,
    next_look_at = :next_look_at,
    looks = :looks,
    tries = :tries,
    error = :error,
    sent_copy_at = :sent_copy_at,
    revision = :revision
WHERE workspace_id = :workspace_id AND id = :id AND revision = :read_revision

-- name: answers.due
-- Answers that may go now, from mailboxes of these shards that send; and from removed ones, to be given up.
SELECT {answers.todo}
WHERE a.status = 'waiting' AND a.due_at <= :now AND m.status IN ('active', 'removed') AND {shards.these}
    AND (m.skip_until IS NULL OR m.skip_until <= :now
        OR m.last_skip_reason NOT IN ('quota', 'blocked', 'sender_refused', 'smtp_login_refused', 'smtp_unreachable'))
ORDER BY a.due_at
LIMIT :size

-- name: answers.unsettled
-- Answers of these shards' mailboxes whose outcome is to be looked for, or that nobody has finished.
SELECT {answers.todo}
WHERE a.status IN ('unknown', 'in_flight') AND {shards.these}
    AND CASE WHEN a.status = 'unknown' THEN a.next_look_at ELSE a.release_by END <= :now
ORDER BY a.id
LIMIT :size

-- name: answers.uncopied
-- Answers that were sent, from mailboxes of these shards, whose copy was not seen in Sent.
SELECT {answers.todo}
WHERE a.status = 'sent' AND a.sent_copy_at IS NULL AND a.sent_at <= :before AND m.status = 'active'
    AND (m.saves_sent IS NULL OR NOT m.saves_sent) AND {shards.these}
ORDER BY a.sent_at
LIMIT :size

-- name: answers.stuck
-- Answers whose outcome is unknown, or that nobody has finished.
SELECT a.id, a.status, a.recipient, a.began_at, m.address AS mailbox FROM answers a
JOIN mailboxes m ON m.workspace_id = a.workspace_id AND m.id = a.mailbox_id
WHERE a.workspace_id = :workspace_id AND a.status IN ('unknown', 'in_flight') AND a.release_by < :now
ORDER BY a.id

-- name: answers.raw
-- An answer as it left.
SELECT raw FROM messages
WHERE workspace_id = :workspace_id AND message_id = :message_id AND direction = 'out' AND raw IS NOT NULL
ORDER BY id
LIMIT 1

-- name: answers.empty
-- Erase what was written to a person by hand; that it was written stays.
UPDATE answers SET recipient = '', subject = '', text = '', in_reply_to = NULL, reference_ids = '[]', error = NULL,
    revision = revision + 1
WHERE workspace_id = :workspace_id AND lead_id = :lead_id

-- name: answers.left_since
-- Answers that left since then, or may have, over the installation: for the older state that takes this one's place.
SELECT w.uid AS workspace, a.workspace_id, a.message_id, coalesce(a.sent_at, a.began_at, a.due_at) AS at
FROM answers a
JOIN workspaces w ON w.id = a.workspace_id
WHERE a.status IN ('in_flight', 'unknown', 'sent')
    AND (:since::timestamptz IS NULL OR a.sent_at >= :since OR a.began_at >= :since OR a.settled_by IS NOT NULL)
ORDER BY a.workspace_id, a.id
