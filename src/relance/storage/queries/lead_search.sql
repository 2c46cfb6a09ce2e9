-- Finding people by what a person asks for. First *candidates*, in the order of one index and in pages; then which of
-- them *match* everything else that was asked; then their *lines*. No statement reads more than it is told to.

-- name: lead_search.everybody
-- The next leads, newest first.
SELECT id FROM leads
WHERE workspace_id = :workspace_id AND id < :before
ORDER BY workspace_id DESC, id DESC
LIMIT :limit

-- name: lead_search.on_list
-- The next leads of a list, newest first.
SELECT lead_id FROM lead_lists
WHERE workspace_id = :workspace_id AND list = :list AND lead_id < :before
ORDER BY lead_id DESC
LIMIT :limit

-- name: lead_search.in_sequence
-- The next leads of a sequence, newest first.
SELECT lead_id FROM enrollments
WHERE workspace_id = :workspace_id AND sequence_id = :sequence_id AND lead_id < :before
ORDER BY lead_id DESC
LIMIT :limit

-- name: lead_search.at_domain
-- The next leads of a company's domain, newest first.
SELECT id FROM leads
WHERE workspace_id = :workspace_id AND domain = :domain AND id < :before
ORDER BY id DESC
LIMIT :limit

-- name: lead_search.beginning
-- The first leads whose address begins like this, by address; there are as many as LIMIT says at most.
SELECT id FROM leads
WHERE workspace_id = :workspace_id
    AND email >= :start AND email < :beyond
ORDER BY email
LIMIT :limit

-- name: lead_search.from_mailbox
-- The next runs that a mailbox writes to, newest first.
SELECT id FROM enrollments
WHERE workspace_id = :workspace_id AND mailbox_id = :mailbox_id AND id < :before
ORDER BY id DESC
LIMIT :limit

-- name: lead_search.replied
-- The next runs whose people answered, newest first.
SELECT id FROM enrollments
WHERE workspace_id = :workspace_id AND replied_at IS NOT NULL AND id < :before
ORDER BY id DESC
LIMIT :limit

-- name: lead_search.runs
-- The next runs, newest first.
SELECT id FROM enrollments
WHERE workspace_id = :workspace_id AND id < :before
ORDER BY workspace_id DESC, id DESC
LIMIT :limit

-- part: lead_search.person_matches
(:list::text IS NULL OR EXISTS (
        SELECT 1 FROM lead_lists x WHERE x.workspace_id = l.workspace_id AND x.list = :list AND x.lead_id = l.id
    ))
    AND (:domain::text IS NULL OR l.domain = :domain)
    AND (:start::text IS NULL OR substr(l.email, 1, length(:start::text)) = :start)

-- part: lead_search.run_matches
(:sequence_id::bigint IS NULL OR e.sequence_id = :sequence_id)
    AND (:any_status::boolean OR e.status = ANY (:status_list::text[]))
    AND (:step::text IS NULL OR e.step = :step)
    AND (:mailbox_id::bigint IS NULL OR e.mailbox_id = :mailbox_id)
    AND (:replied::boolean IS NULL OR (e.replied_at IS NOT NULL) = :replied)
    AND (:reason::text IS NULL OR e.stop_reason = :reason OR e.hold_reason = :reason
        OR substr(e.hold_reason, 1, length(:reason::text) + 1) = :reason || ':'
        OR (e.last_skip_reason = :reason AND e.status IN ('active', 'waiting') AND e.skip_until > :now)
        OR (e.status IN ('active', 'waiting') AND EXISTS (
            SELECT 1 FROM mailboxes m
            WHERE m.workspace_id = e.workspace_id AND m.id = e.mailbox_id AND m.skip_until > :now
                AND m.last_skip_reason = :reason
        )))

-- name: lead_search.people_among
-- Which of these leads match; each with its newest run, where it has one.
SELECT l.id AS lead_id, (
    SELECT max(e.id) FROM enrollments e WHERE e.workspace_id = l.workspace_id AND e.lead_id = l.id
) AS enrollment_id
FROM leads l
WHERE l.workspace_id = :workspace_id AND l.id = ANY (:id_list::bigint[]) AND {lead_search.person_matches}
    AND (NOT :in_none::boolean OR NOT EXISTS (
        SELECT 1 FROM enrollments e WHERE e.workspace_id = l.workspace_id AND e.lead_id = l.id
    ))

-- name: lead_search.runs_of_people_among
-- Which runs of these leads match.
SELECT l.id AS lead_id, e.id AS enrollment_id
FROM leads l
JOIN enrollments e ON e.workspace_id = l.workspace_id AND e.lead_id = l.id
WHERE l.workspace_id = :workspace_id AND l.id = ANY (:id_list::bigint[])
    AND {lead_search.person_matches} AND {lead_search.run_matches}

-- name: lead_search.runs_among
-- Which of these runs match.
SELECT l.id AS lead_id, e.id AS enrollment_id
FROM enrollments e
JOIN leads l ON l.workspace_id = e.workspace_id AND l.id = e.lead_id
WHERE e.workspace_id = :workspace_id AND e.id = ANY (:id_list::bigint[])
    AND {lead_search.person_matches} AND {lead_search.run_matches}

-- name: lead_search.people
-- These leads, as a list shows them.
SELECT id, email, fields, hold_until, created_at FROM leads
WHERE workspace_id = :workspace_id AND id = ANY (:id_list::bigint[])

-- name: lead_search.standings
-- Where these runs stand, with what is shared joined: what a mailbox or sequence waits for, all its people wait for.
SELECT e.id, e.lead_id, s.name AS sequence, e.status, e.step, e.stop_reason, e.hold_reason, e.next_due_at, e.replied_at,
    e.last_sent_at, m.address AS mailbox,
    CASE WHEN e.skip_until > :now THEN e.skip_until WHEN m.skip_until > :now THEN m.skip_until
        WHEN s.skip_until > :now THEN s.skip_until END AS waits_until,
    CASE WHEN e.skip_until > :now THEN e.last_skip_reason WHEN m.skip_until > :now THEN m.last_skip_reason
        WHEN s.skip_until > :now THEN s.last_skip_reason END AS waits_for
FROM enrollments e
JOIN sequences s ON s.workspace_id = e.workspace_id AND s.id = e.sequence_id
LEFT JOIN mailboxes m ON m.workspace_id = e.workspace_id AND m.id = e.mailbox_id
WHERE e.workspace_id = :workspace_id AND e.id = ANY (:id_list::bigint[])

-- name: lead_search.unfinished_of_people
-- The runs of these people that have not ended.
SELECT id FROM enrollments
WHERE workspace_id = :workspace_id AND lead_id = ANY (:id_list::bigint[])
    AND status IN ('active', 'waiting', 'paused', 'held')
ORDER BY id
