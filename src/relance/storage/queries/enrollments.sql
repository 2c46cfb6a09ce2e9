-- part: enrollments.columns
workspace_id, id, uid, sequence_id, version, lead_id, status, stop_reason, hold_reason, step, step_kind,
step_counter, next_due_at, skip_until, last_skip_reason, last_skip_at, last_sent_at, last_inbound_at,
last_failure_at, replied_at, bounced_at, goal_met_at, variants, mailbox_id, lane, source_list, consecutive_failures,
soft_bounces, verification_attempts, lock_holder, lock_expires_at, revision, created_at, ended_at

-- name: enrollments.get
-- One row as it is now.
SELECT {enrollments.columns} FROM enrollments WHERE workspace_id = :workspace_id AND id = :id

-- name: enrollments.lock
-- One row as it is now; nobody else writes it until this transaction ends.
SELECT {enrollments.columns} FROM enrollments WHERE workspace_id = :workspace_id AND id = :id
--postgres FOR UPDATE

-- name: enrollments.insert
-- Start a lead on a sequence, once ever. No row back: it had been started before.
INSERT INTO enrollments (
    workspace_id, uid, sequence_id, version, lead_id, status, stop_reason, hold_reason, step, step_kind,
    step_counter, next_due_at, skip_until, last_skip_reason, last_skip_at, last_sent_at, last_inbound_at,
    last_failure_at, replied_at, bounced_at, goal_met_at, variants, mailbox_id, lane, source_list,
    consecutive_failures, soft_bounces, verification_attempts, lock_holder, lock_expires_at, revision,
    created_at, ended_at
) VALUES (
    :workspace_id, :uid, :sequence_id, :version, :lead_id, :status, :stop_reason, :hold_reason, :step,
    :step_kind, :step_counter, :next_due_at, :skip_until, :last_skip_reason, :last_skip_at, :last_sent_at,
    :last_inbound_at, :last_failure_at, :replied_at, :bounced_at, :goal_met_at, :variants::jsonb, :mailbox_id,
    :lane, :source_list, :consecutive_failures, :soft_bounces, :verification_attempts, :lock_holder,
    :lock_expires_at, :revision, :created_at, :ended_at
)
ON CONFLICT DO NOTHING
RETURNING id

-- name: enrollments.pin
-- Keep mailbox and wordings, if the row is still as it was read: `save` would write every index anew.
UPDATE enrollments
SET mailbox_id = :mailbox_id, variants = :variants::jsonb, last_skip_reason = NULL, revision = revision + 1
WHERE workspace_id = :workspace_id AND id = :id AND revision = :read_revision

-- name: enrollments.save
-- Write what may change of the row, if it is still as it was read. No row changed: someone else was first.
UPDATE enrollments SET
    version = :version,
    status = :status,
    stop_reason = :stop_reason,
    hold_reason = :hold_reason,
    step = :step,
    step_kind = :step_kind,
    step_counter = :step_counter,
    next_due_at = :next_due_at,
    skip_until = :skip_until,
    last_skip_reason = :last_skip_reason,
    last_skip_at = :last_skip_at,
    last_sent_at = :last_sent_at,
    last_inbound_at = :last_inbound_at,
    last_failure_at = :last_failure_at,
    replied_at = :replied_at,
    bounced_at = :bounced_at,
    lane = :lane,
    goal_met_at = :goal_met_at,
    variants = :variants::jsonb,
    mailbox_id = :mailbox_id,
    consecutive_failures = :consecutive_failures,
    soft_bounces = :soft_bounces,
    verification_attempts = :verification_attempts,
    lock_holder = :lock_holder,
    lock_expires_at = :lock_expires_at,
    revision = :revision,
    ended_at = :ended_at
WHERE workspace_id = :workspace_id AND id = :id AND revision = :read_revision

-- name: enrollments.append_history
-- Keep one transition for ever.
INSERT INTO enrollment_history (
    workspace_id, enrollment_id, at, from_status, to_status, event, cause, step, step_counter
) VALUES (
    :workspace_id, :enrollment_id, :at, :from_status, :to_status, :event, :cause, :step, :step_counter
)

-- name: enrollments.history
-- Every transition of one enrollment, oldest first.
SELECT workspace_id, enrollment_id, at, from_status, to_status, event, cause, step, step_counter
FROM enrollment_history
WHERE workspace_id = :workspace_id AND enrollment_id = :enrollment_id
ORDER BY id

-- name: enrollments.earliest_of_mailbox
-- The most due follow-up that waits for this mailbox in this sequence.
SELECT id, step_counter, ready_at FROM enrollments
WHERE workspace_id = :workspace_id AND sequence_id = :sequence_id AND mailbox_id = :mailbox_id
    AND open_lane = '' AND status = 'active' AND step_kind = 'email' AND ready_at <= :now AND lock_holder IS NULL
ORDER BY ready_at, id
LIMIT 1
--postgres FOR UPDATE SKIP LOCKED

-- name: enrollments.earliest_of_pool
-- The most due lead of this sequence and lane that no mailbox has written to yet.
SELECT id, step_counter, ready_at FROM enrollments
WHERE workspace_id = :workspace_id AND sequence_id = :sequence_id AND mailbox_id IS NULL AND open_lane = :lane
    AND status = 'active' AND step_kind = 'email' AND ready_at <= :now AND lock_holder IS NULL
ORDER BY ready_at, id
LIMIT 1
--postgres FOR UPDATE SKIP LOCKED

-- name: enrollments.many_due_to_send
-- Whether so many more are ready to be sent that nobody works on, over the installation.
SELECT 1 FROM enrollments
WHERE status IN ('active', 'waiting') AND status = 'active' AND step_kind = 'email' AND ready_at <= :now
    AND lock_holder IS NULL
ORDER BY ready_at, id
LIMIT 1 OFFSET :more

-- name: enrollments.due_to_send
-- The most due that are ready to be sent and that nobody works on, over the installation, with who is to send them.
SELECT workspace_id, sequence_id, mailbox_id, open_lane AS lane, id, step_counter, ready_at FROM enrollments
WHERE status IN ('active', 'waiting') AND status = 'active' AND step_kind = 'email' AND ready_at <= :now
    AND lock_holder IS NULL
ORDER BY ready_at, id
LIMIT :limit

-- name: enrollments.claim
-- Lock a ready row for one worker, without waiting for another. No row changed: it moved or somebody has it.
UPDATE enrollments SET lock_holder = :worker, lock_expires_at = :lock_expires_at, revision = revision + 1
WHERE workspace_id = :workspace_id AND id = (
    SELECT e.id FROM enrollments e WHERE e.workspace_id = :workspace_id AND e.id = :id
    --postgres FOR UPDATE SKIP LOCKED
) AND step_counter = :step_counter AND status = 'active' AND ready_at <= :now AND lock_holder IS NULL

-- name: enrollments.unlock
-- Let a row go that this worker holds, untouched otherwise.
UPDATE enrollments SET lock_holder = NULL, lock_expires_at = NULL, revision = revision + 1
WHERE workspace_id = :workspace_id AND id = :id AND lock_holder = :worker

-- name: enrollments.left_locked
-- Rows of these shards whose holder takes part no more: it died. And this worker's own whose time is over: the caller
-- knows on which of them it still works.
SELECT workspace_id, id, shard, lock_holder FROM enrollments
WHERE lock_holder IS NOT NULL AND {shards.these}
    AND CASE WHEN lock_holder = :worker THEN lock_expires_at < :now ELSE NOT EXISTS (
        SELECT 1 FROM workers w WHERE w.name = enrollments.lock_holder AND w.lease_until >= {clock.present}
    ) END
ORDER BY id
LIMIT :limit

-- name: enrollments.due_to_walk
-- Waits and branches of these shards that may be over, in live sequences, the most due first; not while a mailbox of
-- theirs recovers, since a branch asks for answers.
SELECT workspace_id, id, shard FROM enrollments
WHERE status IN ('active', 'waiting') AND step_kind <> 'email' AND ready_at <= :now
    AND {shards.these}
    AND NOT EXISTS (
        SELECT 1 FROM mailboxes r WHERE r.workspace_id = enrollments.workspace_id AND r.status = 'recovering'
    )
    AND EXISTS (
        SELECT 1 FROM sequences s
        WHERE s.workspace_id = enrollments.workspace_id AND s.id = enrollments.sequence_id AND s.status = 'live'
    )
ORDER BY ready_at, id
LIMIT :limit

-- name: enrollments.put_off
-- Look at the row again later; its due time stays. No row changed: someone else was first.
UPDATE enrollments SET skip_until = :until, last_skip_reason = :reason, last_skip_at = :now, revision = revision + 1
WHERE workspace_id = :workspace_id AND id = :id AND revision = :read_revision

-- name: enrollments.let_go_of_mailbox
-- Whoever a removed mailbox has not written to may go to another one. Not while it is not known whether it has.
-- Locked in the order of their ids, as everybody locks them.
WITH free AS MATERIALIZED (
    SELECT e.id FROM enrollments e
    WHERE e.workspace_id = :workspace_id AND e.mailbox_id = :mailbox_id AND e.last_sent_at IS NULL AND e.lock_holder IS NULL
        AND e.status IN ('active', 'waiting', 'paused', 'held')
        AND NOT EXISTS (
            SELECT 1 FROM attempts a
            WHERE a.workspace_id = e.workspace_id AND a.enrollment_id = e.id AND a.status IN ('in_flight', 'unknown')
        )
    ORDER BY e.id
    --postgres FOR UPDATE OF e
)
UPDATE enrollments SET mailbox_id = NULL, revision = revision + 1
WHERE workspace_id = :workspace_id AND id IN (SELECT id FROM free)

-- name: enrollments.hand_over
-- Whoever a removed mailbox has written to goes on with another one. Not while it is not known what it sent last.
-- Locked in the order of their ids, as everybody locks them.
WITH free AS MATERIALIZED (
    SELECT e.id FROM enrollments e
    WHERE e.workspace_id = :workspace_id AND e.mailbox_id = :mailbox_id AND e.lock_holder IS NULL
        AND e.status IN ('active', 'waiting', 'paused', 'held')
        AND NOT EXISTS (
            SELECT 1 FROM attempts a
            WHERE a.workspace_id = e.workspace_id AND a.enrollment_id = e.id AND a.status IN ('in_flight', 'unknown')
        )
    ORDER BY e.id
    --postgres FOR UPDATE OF e
)
UPDATE enrollments SET mailbox_id = NULL, revision = revision + 1
WHERE workspace_id = :workspace_id AND id IN (SELECT id FROM free)

-- name: enrollments.chosen
-- The enrollments of a sequence, of a lead, of both, or all; oldest first.
SELECT {enrollments.columns} FROM enrollments
WHERE workspace_id = :workspace_id
    AND (:sequence_id::bigint IS NULL OR sequence_id = :sequence_id)
    AND (:lead_id::bigint IS NULL OR lead_id = :lead_id)
ORDER BY id

-- name: enrollments.of_lead
-- Every enrollment of one person, oldest first.
SELECT {enrollments.columns} FROM enrollments WHERE workspace_id = :workspace_id AND lead_id = :lead_id ORDER BY id

-- name: enrollments.unfinished_of_sequence
-- Everyone who has not reached an end.
SELECT {enrollments.columns} FROM enrollments
WHERE workspace_id = :workspace_id AND sequence_id = :sequence_id
    AND status IN ('active', 'waiting', 'paused', 'held')
ORDER BY id

-- name: enrollments.unfinished_of_lead
-- Every run of one person that a person's answer can still end.
SELECT {enrollments.columns} FROM enrollments
WHERE workspace_id = :workspace_id AND lead_id = :lead_id AND status IN ('active', 'waiting', 'paused', 'held')
ORDER BY id

-- name: enrollments.unfinished_of_company
-- Every run of everyone at one company, its subdomains included.
SELECT {enrollments.columns} FROM enrollments
WHERE workspace_id = :workspace_id AND status IN ('active', 'waiting', 'paused', 'held')
    AND lead_id IN (
        SELECT id FROM leads
        WHERE workspace_id = :workspace_id AND (domain = :domain OR domain LIKE '%.' || :domain)
    )
ORDER BY id

-- name: enrollments.count_by_status
-- How many stand where, over one workspace.
SELECT sequence_id, status, count(*) AS count FROM enrollments
WHERE workspace_id = :workspace_id
GROUP BY sequence_id, status
ORDER BY sequence_id, status

-- name: enrollments.count_unfinished
-- How many can still move or be moved, over the installation.
SELECT count(*) FROM enrollments WHERE status IN ('active', 'waiting', 'paused', 'held')

-- name: enrollments.any_walking
-- A row if anybody is left who will move by themselves.
SELECT 1 FROM enrollments WHERE status IN ('active', 'waiting') LIMIT 1

-- name: enrollments.count_walking
-- How many will move by themselves, over the installation.
SELECT count(*) FROM enrollments WHERE status IN ('active', 'waiting')

-- name: enrollments.next_ready_at
-- The earliest time after now at which a row of a live sequence becomes ready.
SELECT ready_at FROM enrollments
WHERE status IN ('active', 'waiting') AND ready_at > :now
    AND EXISTS (
        SELECT 1 FROM sequences s
        WHERE s.workspace_id = enrollments.workspace_id AND s.id = enrollments.sequence_id AND s.status = 'live'
    )
ORDER BY ready_at
LIMIT 1

-- name: enrollments.count_ready
-- How many are due now in live sequences.
SELECT count(*) FROM enrollments
WHERE status IN ('active', 'waiting') AND ready_at <= :now
    AND EXISTS (
        SELECT 1 FROM sequences s
        WHERE s.workspace_id = enrollments.workspace_id AND s.id = enrollments.sequence_id AND s.status = 'live'
    )

-- name: enrollments.lock_expired
-- Rows whose lock ought to have been let go.
SELECT {enrollments.columns} FROM enrollments
WHERE workspace_id = :workspace_id AND lock_holder IS NOT NULL AND lock_expires_at < :now
ORDER BY lock_expires_at

-- name: enrollments.overdue
-- A page of the rows of live sequences that have been ready for long and that nobody holds, the most due first: without
-- messages that wait for one of these mailboxes, or for any mailbox in one of these sequences, for an outcome that is
-- unknown, or for their sequence's next new people.
SELECT {enrollments.columns} FROM enrollments
WHERE workspace_id = :workspace_id AND status IN ('active', 'waiting') AND ready_at < :before AND lock_holder IS NULL
    AND ready_at >= :after_at AND (ready_at > :after_at OR id > :after_id)
    AND (step_kind <> 'email'
        OR (mailbox_id IS NULL AND NOT sequence_id = ANY (:idle_list::bigint[]))
        OR NOT mailbox_id = ANY (:resting_list::bigint[]))
    AND (step_kind <> 'email' OR NOT EXISTS (
        SELECT 1 FROM attempts a
        WHERE a.workspace_id = enrollments.workspace_id AND a.enrollment_id = enrollments.id AND a.status = 'unknown'
    ))
    AND EXISTS (
        SELECT 1 FROM sequences s
        WHERE s.workspace_id = enrollments.workspace_id AND s.id = enrollments.sequence_id AND s.status = 'live'
            AND (s.skip_until IS NULL OR s.skip_until < :before)
            AND (s.new_leads_until IS NULL OR s.new_leads_until < :before OR enrollments.last_sent_at IS NOT NULL
                OR enrollments.step_kind <> 'email')
    )
ORDER BY ready_at, id
LIMIT :limit

-- name: enrollments.any_due_in
-- A row if somebody of this sequence is due to be written to, put off or not.
SELECT 1 FROM enrollments
WHERE workspace_id = :workspace_id AND sequence_id = :sequence_id AND status = 'active' AND step_kind = 'email'
    AND next_due_at <= :now
LIMIT 1

-- name: enrollments.any_new_due_in
-- A row if somebody of this sequence is due to be written to for the first time, put off or not.
SELECT 1 FROM enrollments
WHERE workspace_id = :workspace_id AND sequence_id = :sequence_id AND status = 'active' AND step_kind = 'email'
    AND next_due_at <= :now AND last_sent_at IS NULL
LIMIT 1

-- name: enrollments.put_off_for_ever
-- How many of this sequence are due and put off for each of these reasons, and since when.
SELECT last_skip_reason AS reason, count(*) AS number, min(next_due_at) AS since FROM enrollments
WHERE workspace_id = :workspace_id AND sequence_id = :sequence_id AND status = 'active' AND step_kind = 'email'
    AND next_due_at <= :now AND last_skip_reason = ANY (:reason_list::text[])
    AND last_skip_reason IN
        ('window_never_opens', 'quiet_hours_cover_window', 'workday_misses_window', 'mailbox_unread')
GROUP BY last_skip_reason
ORDER BY last_skip_reason

-- name: enrollments.waiting_for_mailbox
-- How many of this sequence have been due for long from this mailbox, and since when.
SELECT count(*) AS number, min(next_due_at) AS since FROM enrollments
WHERE workspace_id = :workspace_id AND sequence_id = :sequence_id AND mailbox_id = :mailbox_id AND status = 'active'
    AND step_kind = 'email' AND next_due_at < :before

-- name: enrollments.held
-- Who waits for a person's decision in one sequence.
SELECT {enrollments.columns} FROM enrollments
WHERE workspace_id = :workspace_id AND sequence_id = :sequence_id AND status = 'held'
ORDER BY id
LIMIT :limit

-- name: enrollments.put_off_for
-- Who was due long before and is put off again and again for one of the reasons that their own index knows, looked at
-- once more soon.
SELECT {enrollments.columns} FROM enrollments
WHERE workspace_id = :workspace_id AND status IN ('active', 'waiting') AND ready_at < :soon
    AND next_due_at < :before AND last_skip_reason = :reason
    AND last_skip_reason IN
        ('window_never_opens', 'quiet_hours_cover_window', 'workday_misses_window', 'mailbox_unread')
ORDER BY ready_at
LIMIT :limit

-- name: enrollments.count_endings
-- How many ended, or stand, in which way.
SELECT status, stop_reason, count(*) AS count FROM enrollments
WHERE workspace_id = :workspace_id
GROUP BY status, stop_reason
ORDER BY status, stop_reason

-- name: enrollments.first_stopped
-- The address of the first person whose run was stopped for this reason.
SELECT leads.email FROM enrollments
JOIN leads ON leads.workspace_id = enrollments.workspace_id AND leads.id = enrollments.lead_id
WHERE enrollments.workspace_id = :workspace_id AND enrollments.stop_reason = :stop_reason
ORDER BY enrollments.ended_at, enrollments.id
LIMIT 1

-- name: enrollments.overlapping
-- Every unfinished run of everyone who has two or more of them, person by person.
SELECT l.email, s.name AS sequence, e.status, e.last_sent_at, e.next_due_at
FROM enrollments e
JOIN leads l ON l.workspace_id = e.workspace_id AND l.id = e.lead_id
JOIN sequences s ON s.workspace_id = e.workspace_id AND s.id = e.sequence_id
WHERE e.workspace_id = :workspace_id AND e.status IN ('active', 'waiting', 'paused', 'held')
    AND EXISTS (
        SELECT 1 FROM enrollments o
        WHERE o.workspace_id = e.workspace_id AND o.lead_id = e.lead_id AND o.id <> e.id
            AND o.status IN ('active', 'waiting', 'paused', 'held')
    )
ORDER BY l.email, s.name

-- name: enrollments.standing_by_sequence
-- Of each sequence: who has not ended, who of them moves by themselves, when the newest came in, when the next is due.
SELECT sequence_id,
    sum(CASE WHEN status IN ('active', 'waiting', 'paused', 'held') THEN 1 ELSE 0 END) AS unfinished,
    sum(CASE WHEN status IN ('active', 'waiting') THEN 1 ELSE 0 END) AS walking,
    max(created_at) AS newest_at,
    min(CASE WHEN status IN ('active', 'waiting') THEN next_due_at END) AS next_due_at
FROM enrollments
WHERE workspace_id = :workspace_id
GROUP BY sequence_id

-- name: enrollments.ended_since
-- Whose enrollments ended since then for one of these reasons, who have answered since however they stand, and who were
-- doubted after a restore before, over the installation.
SELECT w.uid AS workspace, e.uid AS run, e.workspace_id, e.id AS enrollment_id,
    CASE WHEN e.stop_reason = ANY (:reason_list::text[]) THEN e.stop_reason
        WHEN e.replied_at IS NOT NULL THEN 'answered' ELSE 'doubted' END AS reason,
    coalesce(e.ended_at, e.last_inbound_at, e.replied_at, e.created_at) AS at
FROM enrollments e
JOIN workspaces w ON w.id = e.workspace_id
WHERE (e.stop_reason = ANY (:reason_list::text[]) AND (:since::timestamptz IS NULL OR e.ended_at >= :since))
    OR (e.replied_at IS NOT NULL
        AND (:since::timestamptz IS NULL OR coalesce(e.last_inbound_at, e.replied_at) >= :since))
    OR e.hold_reason = :doubted
    OR EXISTS (
        SELECT 1 FROM enrollment_history h
        WHERE h.workspace_id = e.workspace_id AND h.enrollment_id = e.id AND h.event = :doubting
            AND (:since::timestamptz IS NULL OR h.at >= :since)
    )
ORDER BY e.workspace_id, e.id

-- part: enrollments.line_columns
    e.id, e.lead_id, e.sequence_id, l.email AS lead, s.name AS sequence, b.address AS mailbox, e.version, e.status,
    e.stop_reason, e.hold_reason, e.step, e.step_counter, e.next_due_at, e.skip_until, e.last_skip_reason,
    e.last_sent_at, e.last_inbound_at, e.replied_at, e.source_list, e.created_at, e.ended_at
FROM enrollments e
JOIN leads l ON l.workspace_id = e.workspace_id AND l.id = e.lead_id
JOIN sequences s ON s.workspace_id = e.workspace_id AND s.id = e.sequence_id
LEFT JOIN mailboxes b ON b.workspace_id = e.workspace_id AND b.id = e.mailbox_id

-- name: enrollments.line
-- One enrollment, with the names of what it is about.
SELECT {enrollments.line_columns} WHERE e.workspace_id = :workspace_id AND e.id = :id

-- name: enrollments.lines
-- Some enrollments from an id on, oldest first.
SELECT {enrollments.line_columns} WHERE e.workspace_id = :workspace_id AND e.id > :after ORDER BY e.id LIMIT :limit

-- name: enrollments.lines_of_lead
-- The enrollments of one lead, oldest first.
SELECT {enrollments.line_columns} WHERE e.workspace_id = :workspace_id AND e.lead_id = :lead_id ORDER BY e.id

-- name: enrollments.lines_of_sequence
-- Some enrollments of a sequence, from a lead's id on.
SELECT {enrollments.line_columns}
WHERE e.workspace_id = :workspace_id AND e.sequence_id = :sequence_id AND e.lead_id > :after
ORDER BY e.lead_id
LIMIT :limit

-- name: enrollments.lines_with_status
-- Some enrollments of a sequence that have one status, from an id on, oldest first.
SELECT {enrollments.line_columns}
WHERE e.workspace_id = :workspace_id AND e.sequence_id = :sequence_id AND e.status = :status AND e.id > :after
ORDER BY e.id
LIMIT :limit

-- name: enrollments.why_waiting
-- Why people of one status wait, by step: of so many of them as a page may look at.
SELECT e.step, e.hold_reason, e.own, m.status AS mailbox_status,
    CASE WHEN m.skip_until > :now THEN m.last_skip_reason END AS mailbox_reason, e.due, count(*) AS people
FROM (
    SELECT workspace_id, step, hold_reason, mailbox_id,
        CASE WHEN skip_until > :now THEN last_skip_reason END AS own, next_due_at <= :now AS due
    FROM enrollments
    WHERE workspace_id = :workspace_id AND sequence_id = :sequence_id AND status = :status
    LIMIT :limit
) e
LEFT JOIN mailboxes m ON m.workspace_id = e.workspace_id AND m.id = e.mailbox_id
GROUP BY e.step, e.hold_reason, e.own, m.status, CASE WHEN m.skip_until > :now THEN m.last_skip_reason END, e.due
ORDER BY people DESC, e.step
