-- What left after the backup was made that has been put back, as its copies in Sent tell.

-- part: forgotten_sends.columns
workspace_id, trace, mailbox_id, recipient, subject, wire_message_id, opens_thread, folder, left_at, answered_at,
seen_at

-- name: forgotten_sends.add
-- Keep one copy; seeing it again is fine.
INSERT INTO forgotten_sends (
    workspace_id, trace, mailbox_id, recipient, subject, wire_message_id, opens_thread, folder, left_at, answered_at,
    seen_at
) VALUES (
    :workspace_id, :trace, :mailbox_id, :recipient, :subject, :wire_message_id, :opens_thread, :folder, :left_at,
    :answered_at, :seen_at
)
ON CONFLICT (workspace_id, trace) DO NOTHING

-- name: forgotten_sends.of_mark
-- The copy that bears this mark.
SELECT {forgotten_sends.columns} FROM forgotten_sends WHERE workspace_id = :workspace_id AND trace = :trace

-- name: forgotten_sends.any
-- Whether a workspace has any at all: almost never.
SELECT 1 FROM forgotten_sends WHERE workspace_id = :workspace_id LIMIT 1

-- name: forgotten_sends.to_people
-- What was sent to any of these addresses, oldest first.
SELECT {forgotten_sends.columns} FROM forgotten_sends
WHERE workspace_id = :workspace_id AND recipient = ANY (:address_list::text[])
ORDER BY left_at, trace

-- name: forgotten_sends.of_workspace
-- Every copy, oldest first.
SELECT {forgotten_sends.columns} FROM forgotten_sends WHERE workspace_id = :workspace_id ORDER BY left_at, trace

-- name: forgotten_sends.mark_answered
-- The person has answered since. No row changed: nothing was sent to them that is not known.
UPDATE forgotten_sends SET answered_at = :at
WHERE workspace_id = :workspace_id AND recipient = :recipient AND answered_at IS NULL

-- name: forgotten_sends.forget
-- Erase a person from them; what was erased is suppressed by its hash.
DELETE FROM forgotten_sends WHERE workspace_id = :workspace_id AND recipient = :recipient
