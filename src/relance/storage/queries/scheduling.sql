-- What becomes ready next, and what every look at one enrollment goes by.

-- name: scheduling.upcoming
-- The earliest time after now at which: a row of a live sequence becomes ready; a mailbox's gap, cap or trouble is over;
-- a limit of a live sequence ends; one of a whole workspace; an unknown outcome is looked for, or an abandoned one
-- noticed; an answer by hand may leave; a mailbox that is read back is read next. One statement, since virtual time asks after each jump.
SELECT
    (
        SELECT ready_at FROM enrollments
        WHERE status IN ('active', 'waiting') AND ready_at > :now
            AND EXISTS (
                SELECT 1 FROM sequences s
                WHERE s.workspace_id = enrollments.workspace_id AND s.id = enrollments.sequence_id AND s.status = 'live'
            )
        ORDER BY ready_at
        LIMIT 1
    ) AS rows,
    (
        SELECT free_at FROM mailboxes
        WHERE status IN ('active', 'auth_error', 'unreachable') AND free_at > :now
        ORDER BY free_at
        LIMIT 1
    ) AS mailboxes,
    (
        SELECT min(CASE WHEN skip_until > :now AND (new_leads_until IS NULL OR new_leads_until <= :now
            OR skip_until < new_leads_until) THEN skip_until ELSE new_leads_until END)
        FROM sequences
        WHERE status = 'live' AND (skip_until > :now OR new_leads_until > :now)
    ) AS sequences,
    (SELECT min(skip_until) FROM workspaces WHERE skip_until > :now) AS workspaces,
    (
        SELECT min(CASE WHEN status = 'unknown' THEN next_look_at ELSE release_by END) FROM attempts
        WHERE status IN ('unknown', 'in_flight')
            AND CASE WHEN status = 'unknown' THEN next_look_at ELSE release_by END > :now
    ) AS looks,
    (
        SELECT min(CASE status WHEN 'waiting' THEN due_at WHEN 'unknown' THEN next_look_at ELSE release_by END)
        FROM answers
        WHERE status IN ('waiting', 'unknown', 'in_flight')
            AND CASE status WHEN 'waiting' THEN due_at WHEN 'unknown' THEN next_look_at ELSE release_by END > :now
    ) AS answers,
    (SELECT min(skip_until) FROM mailboxes WHERE status = 'recovering' AND skip_until > :now) AS recoveries

-- name: scheduling.surroundings
-- A sequence, what one version of it is, whether a mailbox of the workspace recovers, and whether a person has further
-- addresses.
SELECT
    {sequences.columns},
    (
        SELECT v.digest FROM sequence_versions v
        WHERE v.workspace_id = :workspace_id AND v.sequence_id = :sequence_id AND v.version = :version
    ) AS digest,
    EXISTS (
        SELECT 1 FROM mailboxes m WHERE m.workspace_id = :workspace_id AND m.status = 'recovering'
    ) AS recovering,
    EXISTS (
        SELECT 1 FROM lead_addresses l WHERE l.workspace_id = :workspace_id AND l.lead_id = :lead_id
    ) AS further
FROM sequences
WHERE workspace_id = :workspace_id AND id = :sequence_id
