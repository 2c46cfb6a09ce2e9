-- Fetched, not understood yet: staged by the poller with its cursor, taken away by the ingester with its effects.

-- part: raw_messages.columns
workspace_id, id, mailbox_id, folder, role, uid_validity, uid, internal_date, raw, truncated, stored_at, failures,
last_error

-- name: raw_messages.stage
-- Keep one fetched message. Having it already is fine.
INSERT INTO raw_messages (
    workspace_id, mailbox_id, folder, role, uid_validity, uid, internal_date, raw, truncated, stored_at
) VALUES (
    :workspace_id, :mailbox_id, :folder, :role, :uid_validity, :uid, :internal_date, :raw, :truncated, :stored_at
)
ON CONFLICT (workspace_id, mailbox_id, folder, uid_validity, uid) DO NOTHING

-- name: raw_messages.of_mailbox
-- What waits to be understood in one mailbox, in the order it was fetched.
SELECT {raw_messages.columns} FROM raw_messages
WHERE workspace_id = :workspace_id AND mailbox_id = :mailbox_id
ORDER BY id
LIMIT :limit

-- name: raw_messages.any_of_mailbox
-- A row if something waits to be understood in one mailbox.
SELECT 1 FROM raw_messages WHERE workspace_id = :workspace_id AND mailbox_id = :mailbox_id LIMIT 1

-- name: raw_messages.waiting_mailboxes
-- The mailboxes of these shards with something that waits to be understood. In one that recovers, Sent comes before
-- everything else.
SELECT DISTINCT r.workspace_id, r.mailbox_id FROM raw_messages r
JOIN mailboxes m ON m.workspace_id = r.workspace_id AND m.id = r.mailbox_id
WHERE m.status <> 'recovering' AND {shards.these}
ORDER BY r.workspace_id, r.mailbox_id

-- name: raw_messages.copies_of_mailbox
-- What waits in one mailbox where copies of its own messages lie, in the order in which they came there.
SELECT {raw_messages.columns} FROM raw_messages
WHERE workspace_id = :workspace_id AND mailbox_id = :mailbox_id AND role IN ('sent', 'all')
ORDER BY internal_date, id
LIMIT :limit

-- name: raw_messages.remove
-- It is understood. No row changed: somebody else was first.
DELETE FROM raw_messages WHERE workspace_id = :workspace_id AND id = :id

-- name: raw_messages.mark_failed
-- Understanding it failed once more.
UPDATE raw_messages SET failures = failures + 1, last_error = :error WHERE workspace_id = :workspace_id AND id = :id

-- name: raw_messages.left_lying
-- What was fetched before then and still waits to be understood.
SELECT b.address, r.folder, r.uid, r.stored_at FROM raw_messages r
JOIN mailboxes b ON b.workspace_id = r.workspace_id AND b.id = r.mailbox_id
WHERE r.workspace_id = :workspace_id AND r.stored_at < :before
ORDER BY r.id
LIMIT :limit

-- name: raw_messages.count
-- How many wait to be understood, over the installation.
SELECT count(*) FROM raw_messages
