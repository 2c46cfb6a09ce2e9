-- What a workspace is about to do and has just done: the first few rows of an index, however many there are.

-- name: today.on_the_wire
-- What is being sent this moment.
SELECT a.lead_id, a.recipient AS email, s.id AS sequence_id, s.name AS sequence, a.step, m.address AS mailbox,
    a.began_at AS at
FROM (
    SELECT workspace_id, lead_id, recipient, sequence_id, step, mailbox_id, began_at FROM attempts
    WHERE status = 'in_flight'
    ORDER BY release_by
    LIMIT :looked_at
) a
JOIN sequences s ON s.workspace_id = a.workspace_id AND s.id = a.sequence_id
LEFT JOIN mailboxes m ON m.workspace_id = a.workspace_id AND m.id = a.mailbox_id
WHERE a.workspace_id = :workspace_id
ORDER BY a.began_at
LIMIT :limit

-- name: today.just_sent
-- What left last, among the newest events.
SELECT e.lead_id, l.email, s.id AS sequence_id, s.name AS sequence, coalesce(a.step, '') AS step, m.address AS mailbox,
    e.at
FROM (
    SELECT workspace_id, at, name, lead_id, sequence_id, attempt_id, mailbox_id FROM events
    WHERE workspace_id = :workspace_id
    ORDER BY at DESC
    LIMIT :looked_at
) e
JOIN leads l ON l.workspace_id = e.workspace_id AND l.id = e.lead_id
JOIN sequences s ON s.workspace_id = e.workspace_id AND s.id = e.sequence_id
LEFT JOIN attempts a ON a.workspace_id = e.workspace_id AND a.id = e.attempt_id
LEFT JOIN mailboxes m ON m.workspace_id = e.workspace_id AND m.id = e.mailbox_id
WHERE e.name = 'step.accepted'
ORDER BY e.at DESC
LIMIT :limit

-- name: today.next_up
-- Who is ready or will be first, among the first of the whole installation.
SELECT e.lead_id, l.email, s.id AS sequence_id, s.name AS sequence, e.step, m.address AS mailbox, e.ready_at AS at
FROM (
    SELECT workspace_id, lead_id, sequence_id, step, mailbox_id, ready_at FROM enrollments
    WHERE status IN ('active', 'waiting') AND ready_at IS NOT NULL
    ORDER BY ready_at
    LIMIT :looked_at
) e
JOIN leads l ON l.workspace_id = e.workspace_id AND l.id = e.lead_id
JOIN sequences s ON s.workspace_id = e.workspace_id AND s.id = e.sequence_id AND s.status = 'live'
LEFT JOIN mailboxes m ON m.workspace_id = e.workspace_id AND m.id = e.mailbox_id
WHERE e.workspace_id = :workspace_id
ORDER BY e.ready_at
LIMIT :limit
