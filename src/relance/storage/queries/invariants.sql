-- What can never be, asked all the same: a row that contradicts itself or another. Each statement looks at one stretch of
-- ids of one table, names what it finds, and is run by `relance doctor` only. The database refuses most of this itself;
-- whoever went round it (by hand, by another program, from a damaged copy) is found here.

-- part: invariants.run
coalesce((SELECT email FROM leads WHERE workspace_id = e.workspace_id AND id = e.lead_id), 'nobody') AS detail
FROM enrollments e WHERE e.workspace_id = :workspace_id AND e.id > :after AND e.id <= :upto

-- part: invariants.attempt
a.step || ' to ' || a.recipient AS detail
FROM attempts a WHERE a.workspace_id = :workspace_id AND a.id > :after AND a.id <= :upto

-- part: invariants.ends
('completed', 'stopped', 'blocked', 'suppressed', 'holdout')

-- name: invariants.last_ids
-- The highest id of each table that is looked at in stretches; none where it is empty.
SELECT 'enrollments' AS name, max(id) AS id FROM enrollments WHERE workspace_id = :workspace_id
UNION ALL SELECT 'attempts', max(id) FROM attempts WHERE workspace_id = :workspace_id
UNION ALL SELECT 'messages', max(id) FROM messages WHERE workspace_id = :workspace_id
UNION ALL SELECT 'suppressions', max(id) FROM suppressions WHERE workspace_id = :workspace_id
UNION ALL SELECT 'opt_outs', max(id) FROM opt_outs WHERE workspace_id = :workspace_id

-- name: invariants.ended_but_due
-- Ended, and yet due, put off or locked.
SELECT e.id, {invariants.run}
    AND e.status IN {invariants.ends}
    AND (e.next_due_at IS NOT NULL OR e.skip_until IS NOT NULL OR e.lock_holder IS NOT NULL)
ORDER BY e.id LIMIT 20

-- name: invariants.never_due
-- Not ended, and never due.
SELECT e.id, {invariants.run}
    AND e.status IN ('active', 'waiting', 'paused', 'held') AND e.next_due_at IS NULL
ORDER BY e.id LIMIT 20

-- name: invariants.end_without_time
-- Ended at no time, or not ended and yet with a time.
SELECT e.id, {invariants.run}
    AND (e.status IN {invariants.ends}) <> (e.ended_at IS NOT NULL)
ORDER BY e.id LIMIT 20

-- name: invariants.without_reason
-- Stopped, blocked or held for no reason, or not stopped and yet with one.
SELECT e.id, {invariants.run}
    AND ((e.status IN ('stopped', 'blocked')) <> (e.stop_reason IS NOT NULL)
        OR (e.status = 'held' AND e.hold_reason IS NULL))
ORDER BY e.id LIMIT 20

-- name: invariants.unknown_status
-- In a status that the rules do not know.
SELECT e.id, {invariants.run}
    AND e.status NOT IN ('active', 'waiting', 'paused', 'held')
    AND e.status NOT IN {invariants.ends}
ORDER BY e.id LIMIT 20

-- name: invariants.endless_lock
-- Locked without an end, or with the end of a lock that nobody holds.
SELECT e.id, {invariants.run}
    AND (e.lock_holder IS NULL) <> (e.lock_expires_at IS NULL)
ORDER BY e.id LIMIT 20

-- name: invariants.missing_version
-- On a version that does not exist.
SELECT e.id, {invariants.run}
    AND NOT EXISTS (
        SELECT 1 FROM sequence_versions v
        WHERE v.workspace_id = e.workspace_id AND v.sequence_id = e.sequence_id AND v.version = e.version
    )
ORDER BY e.id LIMIT 20

-- name: invariants.run_of_nobody
-- Of a lead, or with a mailbox, that does not exist.
SELECT e.id, {invariants.run}
    AND (NOT EXISTS (SELECT 1 FROM leads l WHERE l.workspace_id = e.workspace_id AND l.id = e.lead_id)
        OR (e.mailbox_id IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM mailboxes m WHERE m.workspace_id = e.workspace_id AND m.id = e.mailbox_id)))
ORDER BY e.id LIMIT 20

-- name: invariants.history_elsewhere
-- Its history ends in another status than its own, or is missing.
SELECT e.id, {invariants.run}
    AND coalesce((
        SELECT h.to_status FROM enrollment_history h
        WHERE h.workspace_id = e.workspace_id AND h.enrollment_id = e.id
        ORDER BY h.id DESC LIMIT 1
    ), '') <> e.status
ORDER BY e.id LIMIT 20

-- name: invariants.broken_history
-- Its history has a gap: an entry begins elsewhere than where the one before it ended.
SELECT e.id, {invariants.run}
    AND EXISTS (
        SELECT 1 FROM (
            SELECT coalesce(h.from_status, '') AS began, coalesce(lag(h.to_status) OVER (ORDER BY h.id), '') AS ended
            FROM enrollment_history h
            WHERE h.workspace_id = e.workspace_id AND h.enrollment_id = e.id
        ) steps
        WHERE steps.began <> steps.ended
    )
ORDER BY e.id LIMIT 20

-- name: invariants.counter_went_back
-- It has been on a later step than the one it stands on.
SELECT e.id, {invariants.run}
    AND EXISTS (
        SELECT 1 FROM enrollment_history h
        WHERE h.workspace_id = e.workspace_id AND h.enrollment_id = e.id AND h.step_counter > e.step_counter
    )
ORDER BY e.id LIMIT 20

-- name: invariants.sent_but_standing
-- Its step was sent, and it still stands there.
SELECT e.id, {invariants.run}
    AND e.status IN ('active', 'waiting')
    AND EXISTS (
        SELECT 1 FROM attempts a
        WHERE a.workspace_id = e.workspace_id AND a.enrollment_id = e.id AND a.step_counter = e.step_counter
            AND a.status IN ('sent', 'not_delivered')
    )
ORDER BY e.id LIMIT 20

-- name: invariants.sent_but_never_written_to
-- Something was sent to it, and its row says that nothing was.
SELECT e.id, {invariants.run}
    AND e.last_sent_at IS NULL
    AND EXISTS (
        SELECT 1 FROM attempts a
        WHERE a.workspace_id = e.workspace_id AND a.enrollment_id = e.id AND a.status = 'sent'
    )
ORDER BY e.id LIMIT 20

-- name: invariants.last_sent_elsewhere
-- Its row says that something was sent last at another time than its attempts say.
SELECT e.id, {invariants.run}
    AND e.last_sent_at IS NOT NULL
    AND (NOT EXISTS (
            SELECT 1 FROM attempts a
            WHERE a.workspace_id = e.workspace_id AND a.enrollment_id = e.id AND a.status = 'sent'
                AND a.sent_at = e.last_sent_at
        )
        OR EXISTS (
            SELECT 1 FROM attempts a
            WHERE a.workspace_id = e.workspace_id AND a.enrollment_id = e.id AND a.status = 'sent'
                AND a.sent_at > e.last_sent_at
        ))
ORDER BY e.id LIMIT 20

-- name: invariants.accepted_but_not_sent
-- A step of it was accepted, or recorded, and no attempt says so.
SELECT e.id, {invariants.run}
    AND (EXISTS (
            SELECT 1 FROM enrollment_history h
            WHERE h.workspace_id = e.workspace_id AND h.enrollment_id = e.id
                AND h.event IN ('step.accepted', 'step.recorded')
                AND NOT EXISTS (
                    SELECT 1 FROM attempts a
                    WHERE a.workspace_id = h.workspace_id AND a.enrollment_id = h.enrollment_id
                        AND a.step_counter = h.step_counter
                        AND a.status = CASE WHEN h.event = 'step.accepted' THEN 'sent' ELSE 'not_delivered' END
                )
        )
        OR EXISTS (
            SELECT 1 FROM events v
            WHERE v.workspace_id = e.workspace_id AND v.enrollment_id = e.id AND v.name = 'step.accepted'
                AND v.attempt_id IS NOT NULL
                AND NOT EXISTS (
                    SELECT 1 FROM attempts a
                    WHERE a.workspace_id = v.workspace_id AND a.id = v.attempt_id AND a.enrollment_id = v.enrollment_id
                        AND a.status = 'sent'
                )
        ))
ORDER BY e.id LIMIT 20

-- name: invariants.standings
-- Where each of a stretch of enrollments stands, and on which plan.
SELECT e.id, e.sequence_id, e.version, e.step, e.step_kind, e.step_counter,
    coalesce((SELECT email FROM leads WHERE workspace_id = e.workspace_id AND id = e.lead_id), 'nobody') AS email
FROM enrollments e WHERE e.workspace_id = :workspace_id AND e.id > :after AND e.id <= :upto
ORDER BY e.id

-- name: invariants.run_far_ahead
-- Something happened to it later than now, or it is due or put off for longer than anything can be.
SELECT e.id, {invariants.run}
    AND (e.created_at > :ahead OR e.ended_at > :ahead OR e.last_sent_at > :ahead OR e.last_failure_at > :ahead
        OR e.last_skip_at > :ahead OR e.lock_expires_at > :ahead
        OR e.next_due_at > :longest_wait OR e.skip_until > :longest_rest)
ORDER BY e.id LIMIT 20

-- name: invariants.names
-- What an enrollment's name is made of, of everybody who was not erased.
SELECT e.id, e.uid, s.name AS sequence, l.email FROM enrollments e
JOIN sequences s ON s.workspace_id = e.workspace_id AND s.id = e.sequence_id
JOIN leads l ON l.workspace_id = e.workspace_id AND l.id = e.lead_id
WHERE e.workspace_id = :workspace_id AND e.id > :after AND e.id <= :upto AND l.domain <> :erased_domain
ORDER BY e.id

-- name: invariants.marks
-- What an attempt is recognised by, and of what that is made.
SELECT a.id, a.step_counter, a.message_id, a.trace,
    coalesce((SELECT e.uid FROM enrollments e WHERE e.workspace_id = a.workspace_id AND e.id = a.enrollment_id), '') AS uid
FROM attempts a
WHERE a.workspace_id = :workspace_id AND a.id > :after AND a.id <= :upto
ORDER BY a.id

-- name: invariants.shards
-- Every shard that there is.
SELECT id FROM shards ORDER BY id

-- name: invariants.shard_far_ahead
-- Owned for longer than any lease lasts, by the database's own clock.
SELECT s.id, 'owned by ' || coalesce(s.owner, 'nobody') AS detail FROM shards s
WHERE s.lease_until > {clock.lease_end}
ORDER BY s.id LIMIT 20

-- name: invariants.worker_far_ahead
-- Taking part for longer than any lease lasts, by the database's own clock.
SELECT row_number() OVER (ORDER BY w.name) AS id, w.name AS detail FROM workers w
WHERE w.lease_until > {clock.lease_end}
ORDER BY w.name LIMIT 20

-- name: invariants.attempt_far_ahead
-- Planned, begun or sent later than now, or looked for in years.
SELECT a.id, {invariants.attempt}
    AND (a.created_at > :ahead OR a.planned_at > :ahead OR a.began_at > :ahead OR a.release_by > :ahead
        OR a.sent_at > :ahead OR a.sent_copy_at > :ahead OR a.next_look_at > :longest_rest)
ORDER BY a.id LIMIT 20

-- name: invariants.mailbox_far_ahead
-- Read or served later than now, or put off for longer than anything can be.
SELECT m.id, m.address AS detail FROM mailboxes m
WHERE m.workspace_id = :workspace_id AND m.status <> 'removed'
    AND (m.fresh_at > :ahead OR m.last_read_at > :ahead OR m.last_served_at > :ahead
        OR m.skip_until > :longest_rest OR m.next_allowed_at > :longest_rest)
ORDER BY m.id LIMIT 20

-- name: invariants.sequence_far_ahead
-- Served later than now, or put off for longer than anything can be.
SELECT s.id, s.name AS detail FROM sequences s
WHERE s.workspace_id = :workspace_id
    AND (s.last_served_at > :ahead OR s.skip_until > :longest_rest OR s.new_leads_until > :longest_rest)
ORDER BY s.id LIMIT 20

-- name: invariants.two_open_attempts
-- Open beside an earlier open one of the same enrollment.
SELECT a.id, {invariants.attempt}
    AND a.status IN ('reserved', 'in_flight', 'unknown')
    AND EXISTS (
        SELECT 1 FROM attempts b
        WHERE b.workspace_id = a.workspace_id AND b.enrollment_id = a.enrollment_id AND b.id < a.id
            AND b.status IN ('reserved', 'in_flight', 'unknown')
    )
ORDER BY a.id LIMIT 20

-- name: invariants.two_of_one_step
-- A second attempt of one step of one enrollment.
SELECT a.id, {invariants.attempt}
    AND EXISTS (
        SELECT 1 FROM attempts b
        WHERE b.workspace_id = a.workspace_id AND b.enrollment_id = a.enrollment_id
            AND b.step_counter = a.step_counter AND b.id < a.id
    )
ORDER BY a.id LIMIT 20

-- name: invariants.without_deadline
-- Begun, and without the time it began at or the last moment of its dot.
SELECT a.id, {invariants.attempt}
    AND a.status IN ('in_flight', 'unknown') AND (a.release_by IS NULL OR a.began_at IS NULL)
ORDER BY a.id LIMIT 20

-- name: invariants.sent_at_no_time
-- Sent at no time, or not sent and yet with a time.
SELECT a.id, {invariants.attempt}
    AND (a.status = 'sent') <> (a.sent_at IS NOT NULL)
ORDER BY a.id LIMIT 20

-- name: invariants.acceptance_unrecorded
-- Sent, or recorded only, and nothing of what happened says so.
SELECT a.id, {invariants.attempt}
    AND ((a.status = 'sent' AND NOT EXISTS (
            SELECT 1 FROM events v
            WHERE v.workspace_id = a.workspace_id AND v.enrollment_id = a.enrollment_id AND v.name = 'step.accepted'
                AND v.attempt_id = a.id
        ))
        OR (a.status = 'not_delivered' AND NOT EXISTS (
            SELECT 1 FROM enrollment_history h
            WHERE h.workspace_id = a.workspace_id AND h.enrollment_id = a.enrollment_id AND h.event = 'step.recorded'
                AND h.step_counter = a.step_counter
        )))
ORDER BY a.id LIMIT 20

-- name: invariants.unknown_attempt_status
-- In a status that the rules do not know.
SELECT a.id, {invariants.attempt}
    AND a.status NOT IN ('reserved', 'in_flight', 'sent', 'failed', 'unknown', 'voided', 'not_delivered')
ORDER BY a.id LIMIT 20

-- name: invariants.ahead_of_its_run
-- Of a step that its enrollment has not come to.
SELECT a.id, {invariants.attempt}
    AND EXISTS (
        SELECT 1 FROM enrollments e
        WHERE e.workspace_id = a.workspace_id AND e.id = a.enrollment_id AND e.step_counter < a.step_counter
    )
ORDER BY a.id LIMIT 20

-- name: invariants.open_after_the_end
-- Reserved, of an enrollment that has ended or has left that step.
SELECT a.id, {invariants.attempt}
    AND a.status = 'reserved'
    AND EXISTS (
        SELECT 1 FROM enrollments e
        WHERE e.workspace_id = a.workspace_id AND e.id = a.enrollment_id
            AND (e.step_counter > a.step_counter OR e.status IN {invariants.ends})
    )
ORDER BY a.id LIMIT 20

-- name: invariants.attempt_of_nobody
-- Of an enrollment that does not exist or is another person's or another sequence's, or from no mailbox, which only one
-- that was recorded only may be.
SELECT a.id, {invariants.attempt}
    AND (NOT EXISTS (
            SELECT 1 FROM enrollments e
            WHERE e.workspace_id = a.workspace_id AND e.id = a.enrollment_id AND e.lead_id = a.lead_id
                AND e.sequence_id = a.sequence_id
        )
        OR ((a.mailbox_id IS NOT NULL OR a.status <> 'not_delivered')
            AND NOT EXISTS (SELECT 1 FROM mailboxes m WHERE m.workspace_id = a.workspace_id AND m.id = a.mailbox_id)))
ORDER BY a.id LIMIT 20

-- name: invariants.slot_kept
-- Ended without leaving, long ago, and still holding its slot.
SELECT a.id, {invariants.attempt}
    AND a.status IN ('voided', 'failed') AND a.holds_slot AND a.planned_at < :long_ago
ORDER BY a.id LIMIT 20

-- name: invariants.uncounted_slots
-- Mailboxes whose counter of a day or an hour is not the number of slots that are held in it.
SELECT u.scope_id AS id, u.scope || ' ' || u.bucket || ' says ' || u.used AS detail
FROM usage u
WHERE u.workspace_id = :workspace_id AND u.scope IN ('mailbox_day', 'mailbox_hour') AND u.bucket >= :since_day
    AND u.used <> (
        SELECT count(*) FROM attempts a
        WHERE a.workspace_id = u.workspace_id AND a.mailbox_id = u.scope_id
            AND a.status IN ('reserved', 'in_flight', 'sent', 'failed', 'unknown', 'voided', 'not_delivered')
            AND a.planned_at >= :since AND a.holds_slot
            AND u.bucket = CASE WHEN u.scope = 'mailbox_day' THEN a.slot_day ELSE a.slot_hour END
    )
ORDER BY u.scope_id, u.bucket LIMIT 20

-- name: invariants.slot_without_counter
-- Holding a slot of a day that no counter knows.
SELECT a.id, {invariants.attempt}
    AND a.holds_slot AND a.planned_at >= :since
    AND NOT EXISTS (
        SELECT 1 FROM usage u
        WHERE u.workspace_id = a.workspace_id AND u.scope = 'mailbox_day' AND u.scope_id = a.mailbox_id
            AND u.bucket = a.slot_day
    )
ORDER BY a.id LIMIT 20

-- name: invariants.message_without_raw
-- A message about somebody who was not erased, without the message itself.
SELECT m.id, m.direction || ' ' || m.kind AS detail FROM messages m
WHERE m.workspace_id = :workspace_id AND m.id > :after AND m.id <= :upto AND m.raw IS NULL
    AND EXISTS (
        SELECT 1 FROM leads l
        WHERE l.workspace_id = m.workspace_id AND l.id = m.lead_id AND l.domain <> :erased_domain
    )
ORDER BY m.id LIMIT 20

-- name: invariants.message_of_nobody
-- A message that points to somebody or something that does not exist.
SELECT m.id, m.direction || ' ' || m.kind AS detail FROM messages m
WHERE m.workspace_id = :workspace_id AND m.id > :after AND m.id <= :upto
    AND ((m.lead_id IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM leads l WHERE l.workspace_id = m.workspace_id AND l.id = m.lead_id))
        OR (m.enrollment_id IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM enrollments e WHERE e.workspace_id = m.workspace_id AND e.id = m.enrollment_id))
        OR (m.attempt_id IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM attempts a WHERE a.workspace_id = m.workspace_id AND a.id = m.attempt_id))
        OR NOT EXISTS (SELECT 1 FROM mailboxes b WHERE b.workspace_id = m.workspace_id AND b.id = m.mailbox_id))
ORDER BY m.id LIMIT 20

-- name: invariants.cursor_behind
-- Folders whose cursor stands before a message that was fetched from them.
SELECT f.mailbox_id AS id, f.folder AS detail FROM folders f
WHERE f.workspace_id = :workspace_id
    AND EXISTS (
        SELECT 1 FROM raw_messages r
        WHERE r.workspace_id = f.workspace_id AND r.mailbox_id = f.mailbox_id AND r.folder = f.folder
            AND r.uid_validity = f.uid_validity AND r.uid > f.last_uid
    )
ORDER BY f.mailbox_id, f.folder LIMIT 20

-- name: invariants.sequence_without_version
-- Sequences whose running version does not exist.
SELECT s.id, s.name AS detail FROM sequences s
WHERE s.workspace_id = :workspace_id AND s.version > 0
    AND NOT EXISTS (
        SELECT 1 FROM sequence_versions v
        WHERE v.workspace_id = s.workspace_id AND v.sequence_id = s.id AND v.version = s.version
    )
ORDER BY s.id LIMIT 20

-- name: invariants.versions
-- Every frozen version of every sequence, by its name.
SELECT s.id, s.name, v.version, v.document, v.digest
FROM sequence_versions v
JOIN sequences s ON s.workspace_id = v.workspace_id AND s.id = v.sequence_id
WHERE v.workspace_id = :workspace_id
ORDER BY s.id, v.version

-- name: invariants.moves
-- Every move in the history of a stretch of enrollments.
SELECT h.enrollment_id AS id, h.from_status, h.to_status, h.event, h.step, h.step_counter FROM enrollment_history h
WHERE h.workspace_id = :workspace_id AND h.enrollment_id > :after AND h.enrollment_id <= :upto
ORDER BY h.enrollment_id, h.id

-- name: invariants.opted_out
-- The addresses and marks that are suppressed because somebody wished it.
SELECT id, kind, value FROM suppressions
WHERE workspace_id = :workspace_id AND id > :after AND id <= :upto
    AND reason IN ('unsubscribed', 'complained', 'erased', 'manual')
ORDER BY id

-- name: invariants.opt_outs
-- What a stretch of the opt-outs says, by keyed hash.
SELECT id, digest, at FROM opt_outs
WHERE workspace_id = :workspace_id AND id > :after AND id <= :upto
ORDER BY id

-- name: invariants.suppressed
-- A page of all that is suppressed here, or everywhere, after an id.
SELECT id, kind, value FROM suppressions
WHERE id > :last AND (workspace_id = :workspace_id OR scope = 'global')
ORDER BY id LIMIT :size

-- name: invariants.unsuppressed
-- What was taken off the list since then, by a person's decision.
SELECT at, data FROM events
WHERE workspace_id = :workspace_id AND at >= :since AND name = 'suppression.removed'
ORDER BY at

-- name: invariants.addresses
-- A page of everybody's addresses after one of them.
SELECT email FROM leads WHERE workspace_id = :workspace_id AND email > :last
ORDER BY email LIMIT :size
