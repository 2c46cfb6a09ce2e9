-- name: events.repeated_attempts
-- The attempts of a sequence of which two messages were seen.
SELECT DISTINCT e.attempt_id FROM mailboxes m
JOIN events e ON e.workspace_id = m.workspace_id AND e.mailbox_id = m.id AND e.name = 'step.repeated'
WHERE m.workspace_id = :workspace_id AND e.sequence_id = :sequence_id AND e.attempt_id IS NOT NULL

-- name: events.append
-- Keep one thing that happened, for ever.
INSERT INTO events (
    workspace_id, at, name, detail, data, lead_id, enrollment_id, attempt_id, mailbox_id, sequence_id, message_id
) VALUES (
    :workspace_id, :at, :name, :detail, :data::jsonb, :lead_id, :enrollment_id, :attempt_id, :mailbox_id, :sequence_id,
    :message_id
)

-- name: events.opens
-- When a person opened what was sent to them, newest first; what programs fetched goes by another name.
SELECT at FROM events
WHERE workspace_id = :workspace_id AND lead_id = :lead_id AND at >= :since AND name = 'message.opened'
ORDER BY at DESC
LIMIT :limit

-- name: events.knows_of
-- Whether an event of this name, person, message and moment is there.
SELECT 1 FROM events
WHERE workspace_id = :workspace_id AND lead_id = :lead_id AND at = :at AND name = :name AND attempt_id = :attempt_id
LIMIT 1

-- name: events.of_lead
-- The newest events of one lead.
SELECT at, name, detail, enrollment_id FROM events
WHERE workspace_id = :workspace_id AND lead_id = :lead_id
ORDER BY at DESC
LIMIT :limit

-- part: events.columns
id, at, name, detail, data, lead_id, enrollment_id, attempt_id, mailbox_id, sequence_id, message_id

-- name: events.page
-- What happened from an id on, oldest first.
SELECT {events.columns} FROM events WHERE workspace_id = :workspace_id AND id > :after ORDER BY id LIMIT :limit

-- name: events.page_of_lead
-- What happened to one lead from an id on, oldest first.
SELECT {events.columns} FROM events
WHERE workspace_id = :workspace_id AND lead_id = :lead_id AND id > :after
ORDER BY id
LIMIT :limit

-- name: events.last_id
-- The number of the newest event.
SELECT id FROM events WHERE workspace_id = :workspace_id ORDER BY id DESC LIMIT 1

-- name: events.since
-- What happened since, in the order in which it was written down.
SELECT id, name, lead_id, mailbox_id, sequence_id, message_id FROM events
WHERE workspace_id = :workspace_id AND id > :after
ORDER BY id
LIMIT :limit
