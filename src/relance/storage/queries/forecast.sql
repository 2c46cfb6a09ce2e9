-- What is asked only of a copy in memory that a forecast was played over.

-- name: forecast.sends
-- Every message that left after a moment, in the order of their slots; at one moment, by mailbox.
SELECT sequences.name AS sequence, leads.email, attempts.step, attempts.planned_at, mailboxes.address AS mailbox,
    mailboxes.pool, attempts.slot_day AS day
FROM attempts
JOIN sequences ON sequences.workspace_id = attempts.workspace_id AND sequences.id = attempts.sequence_id
JOIN leads ON leads.workspace_id = attempts.workspace_id AND leads.id = attempts.lead_id
JOIN mailboxes ON mailboxes.workspace_id = attempts.workspace_id AND mailboxes.id = attempts.mailbox_id
WHERE attempts.workspace_id = :workspace_id AND attempts.status = 'sent' AND attempts.planned_at >= :since
ORDER BY attempts.planned_at, mailboxes.address, attempts.id

-- name: forecast.waiting
-- By sequence, who was due before the last message since a moment left, and has not had a turn.
SELECT workspace_id, sequence_id, count(*) AS people FROM enrollments
WHERE status = 'active' AND next_due_at < (SELECT max(planned_at) FROM attempts WHERE planned_at >= :since)
GROUP BY workspace_id, sequence_id
ORDER BY workspace_id, sequence_id

-- name: forecast.capped
-- The mailboxes that had sent all they may in a day when the last message since a moment left.
SELECT address FROM mailboxes
WHERE last_skip_reason = 'daily_cap' AND skip_until > (SELECT max(planned_at) FROM attempts WHERE planned_at >= :since)
ORDER BY address

-- name: forecast.ended
-- How many of one sequence ended, or stand, in which way, and when the last of them ended.
SELECT status, stop_reason, hold_reason, count(*) AS people, max(ended_at) AS last_at FROM enrollments
WHERE workspace_id = :workspace_id AND sequence_id = :sequence_id
GROUP BY status, stop_reason, hold_reason
ORDER BY status, stop_reason, hold_reason
