-- Full-text search over FTS5. A word of its own names the workspace, so that nobody's messages are looked through for
-- somebody else.

-- name: message_words.add
-- Let a message be found by these words.
INSERT INTO message_words (rowid, words)
SELECT :message_id, 'workspace' || :workspace_id || 'x ' || :words
WHERE NOT EXISTS (SELECT 1 FROM message_words WHERE rowid = :message_id)

-- name: message_words.find
-- The newest messages before one that have all these words; with `*` as the ending, the last is a beginning.
SELECT m.id, t.id AS thread_id, m.received_at, m.direction, m.kind, m.from_address, m.subject, m.new_text,
    l.email AS lead, b.address AS mailbox
FROM message_words
JOIN messages m ON m.workspace_id = :workspace_id AND m.id = message_words.rowid
JOIN threads t ON t.workspace_id = m.workspace_id AND t.mailbox_id = m.mailbox_id AND t.lead_id = m.lead_id
JOIN leads l ON l.workspace_id = m.workspace_id AND l.id = m.lead_id
JOIN mailboxes b ON b.workspace_id = m.workspace_id AND b.id = m.mailbox_id
WHERE message_words MATCH 'workspace' || :workspace_id || 'x AND ' || replace(:words, ' ', ' AND ') || :ending
    AND message_words.rowid < :before
ORDER BY message_words.rowid DESC
LIMIT :size

-- name: message_words.forget_lead
-- Let nobody find what a person wrote any more.
DELETE FROM message_words WHERE rowid IN (
    SELECT id FROM messages WHERE workspace_id = :workspace_id AND lead_id = :lead_id
)
