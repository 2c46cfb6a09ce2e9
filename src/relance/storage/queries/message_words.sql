-- Finding messages by their words. The words come as `relance.core.search_words` tells them: letters and digits, by spaces.

-- name: message_words.add
-- Let a message be found by these words.
INSERT INTO message_words (workspace_id, message_id, words)
VALUES (:workspace_id, :message_id, array_to_tsvector(string_to_array(:words, ' ')))
ON CONFLICT (workspace_id, message_id) DO NOTHING

-- name: message_words.find
-- The newest messages before one that have all these words; with `*` as the ending, the last is a beginning.
SELECT m.id, t.id AS thread_id, m.received_at, m.direction, m.kind, m.from_address, m.subject, m.new_text,
    l.email AS lead, b.address AS mailbox
FROM message_words w
JOIN messages m ON m.workspace_id = w.workspace_id AND m.id = w.message_id
JOIN threads t ON t.workspace_id = m.workspace_id AND t.mailbox_id = m.mailbox_id AND t.lead_id = m.lead_id
JOIN leads l ON l.workspace_id = m.workspace_id AND l.id = m.lead_id
JOIN mailboxes b ON b.workspace_id = m.workspace_id AND b.id = m.mailbox_id
WHERE w.workspace_id = :workspace_id AND w.message_id < :before
    AND w.words @@ (replace(:words::text, ' ', ' & ') || CASE WHEN :ending::text = '*' THEN ':*' ELSE '' END)::tsquery
ORDER BY w.message_id DESC
LIMIT :size

-- name: message_words.forget_lead
-- Let nobody find what a person wrote any more.
DELETE FROM message_words WHERE workspace_id = :workspace_id AND message_id IN (
    SELECT id FROM messages WHERE workspace_id = :workspace_id AND lead_id = :lead_id
)
