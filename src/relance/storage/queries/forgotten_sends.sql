-- What left after the backup was made that has been put back, as its copies in Sent tell.

-- part: forgotten_sends.columns
workspace_id, trace, step, mailbox, recipient, subject, wire_message_id, opens_thread, folder, left_at, answered_at,
seen_at, recorded_at, asked_at

-- name: forgotten_sends.add
-- Keep one copy; seeing it again is fine. A folder is a better witness than what was heard, and that than a doubt.
INSERT INTO forgotten_sends (
    workspace_id, trace, step, mailbox, recipient, subject, wire_message_id, opens_thread, folder, left_at, answered_at,
    seen_at, recorded_at, asked_at
) VALUES (
    :workspace_id, :trace, :step, :mailbox, :recipient, :subject, :wire_message_id, :opens_thread, :folder, :left_at,
    :answered_at, :seen_at, :recorded_at, :asked_at
)
ON CONFLICT (workspace_id, trace) DO UPDATE SET
    folder = excluded.folder, subject = excluded.subject, wire_message_id = excluded.wire_message_id
WHERE (forgotten_sends.folder IN ('(accepted)', '(unknown)') AND excluded.folder NOT IN ('(accepted)', '(unknown)'))
    OR (forgotten_sends.folder = '(unknown)' AND excluded.folder = '(accepted)')

-- name: forgotten_sends.of_mark
-- The copy that bears this mark.
SELECT {forgotten_sends.columns} FROM forgotten_sends WHERE workspace_id = :workspace_id AND trace = :trace

-- name: forgotten_sends.of_marks
-- The copies that bear one of these marks and have no attempt yet.
SELECT {forgotten_sends.columns} FROM forgotten_sends
WHERE workspace_id = :workspace_id AND trace = ANY (:trace_list::text[]) AND recorded_at IS NULL

-- name: forgotten_sends.any
-- Whether a workspace has any at all: almost never.
SELECT 1 FROM forgotten_sends WHERE workspace_id = :workspace_id LIMIT 1

-- name: forgotten_sends.to_people
-- What was sent to any of these addresses and has no attempt yet, oldest first.
SELECT {forgotten_sends.columns} FROM forgotten_sends
WHERE workspace_id = :workspace_id AND recipient = ANY (:address_list::text[]) AND recorded_at IS NULL
ORDER BY left_at, trace

-- name: forgotten_sends.of_workspace
-- Every copy, oldest first.
SELECT {forgotten_sends.columns} FROM forgotten_sends WHERE workspace_id = :workspace_id ORDER BY left_at, trace

-- name: forgotten_sends.mark_answered
-- The person has answered since. No row changed: nothing was sent to them that is not known.
UPDATE forgotten_sends SET answered_at = :at
WHERE workspace_id = :workspace_id AND recipient = :recipient AND answered_at IS NULL

-- name: forgotten_sends.mark_recorded
-- Its attempt says now what is known of it, and is settled like every other.
UPDATE forgotten_sends SET recorded_at = :now
WHERE workspace_id = :workspace_id AND trace = :trace AND recorded_at IS NULL

-- name: forgotten_sends.mark_asked
-- A person was asked about a run that went another way.
UPDATE forgotten_sends SET asked_at = :now WHERE workspace_id = :workspace_id AND trace = :trace

-- name: forgotten_sends.forget
-- Erase a person from them; what was erased is suppressed by its hash.
DELETE FROM forgotten_sends WHERE workspace_id = :workspace_id AND recipient = :recipient

-- name: forgotten_sends.kept_since
-- What left since then unknown to the database, over the installation: for the older state that takes this one's place.
SELECT f.workspace_id, f.trace, f.step, f.mailbox, f.recipient, f.subject, f.wire_message_id, f.opens_thread, f.folder,
    f.left_at, f.answered_at, f.seen_at, f.recorded_at, f.asked_at, w.uid AS workspace
FROM forgotten_sends f
JOIN workspaces w ON w.id = f.workspace_id
WHERE f.recorded_at IS NULL AND (:since::timestamptz IS NULL OR f.left_at >= :since)
ORDER BY f.workspace_id, f.left_at
