-- name: events.append
-- Keep one thing that happened, for ever.
INSERT INTO events (
    workspace_id, at, name, detail, data, lead_id, enrollment_id, attempt_id, mailbox_id, sequence_id, message_id
) VALUES (
    :workspace_id, :at, :name, :detail, :data::jsonb, :lead_id, :enrollment_id, :attempt_id, :mailbox_id, :sequence_id,
    :message_id
)

