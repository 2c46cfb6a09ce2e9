-- part: attempts.columns
workspace_id, id, enrollment_id, lead_id, sequence_id, mailbox_id, step, version, step_counter, variant,
status, message_id, wire_message_id, provider_message_id, provider_thread_id, trace, recipient, subject,
opens_thread, planned_at, holds_slot, slot_day, slot_hour, release_by, began_at, sent_at, settled_by,
next_look_at, looks, tries, error, sent_copy_at, revision, created_at

-- name: attempts.get
-- One attempt as it is now.
SELECT {attempts.columns} FROM attempts WHERE workspace_id = :workspace_id AND id = :id

-- name: attempts.of_step
-- The only attempt that this step of this enrollment can have.
SELECT {attempts.columns} FROM attempts
WHERE workspace_id = :workspace_id AND enrollment_id = :enrollment_id AND step_counter = :step_counter

-- name: attempts.insert
-- The right to send this step once. A second row for the same step is refused by its UNIQUE constraint.
INSERT INTO attempts (
    workspace_id, enrollment_id, lead_id, sequence_id, mailbox_id, step, version, step_counter, variant,
    status, message_id, wire_message_id, provider_message_id, provider_thread_id, trace, recipient, subject,
    opens_thread, planned_at, holds_slot, slot_day, slot_hour, release_by, began_at, sent_at, settled_by,
    next_look_at, looks, tries, error, sent_copy_at, revision, created_at
) VALUES (
    :workspace_id, :enrollment_id, :lead_id, :sequence_id, :mailbox_id, :step, :version, :step_counter,
    :variant, :status, :message_id, :wire_message_id, :provider_message_id, :provider_thread_id, :trace,
    :recipient, :subject, :opens_thread, :planned_at, :holds_slot, :slot_day, :slot_hour, :release_by,
    :began_at, :sent_at, :settled_by, :next_look_at, :looks, :tries, :error, :sent_copy_at, :revision,
    :created_at
)
RETURNING id

-- part: attempts.what_becomes
status = :status,
wire_message_id = :wire_message_id,
provider_message_id = :provider_message_id,
provider_thread_id = :provider_thread_id,
subject = :subject,
holds_slot = :holds_slot,
release_by = :release_by,
began_at = :began_at,
sent_at = :sent_at,
settled_by = :settled_by,
next_look_at = :next_look_at,
looks = :looks,
tries = :tries,
error = :error,
sent_copy_at = :sent_copy_at,
revision = :revision

-- name: attempts.save
-- Write what becomes of it, if it is still as it was read; its plan stays, and so do the indexes over that. No row
-- changed: someone else was first.
UPDATE attempts SET {attempts.what_becomes}
WHERE workspace_id = :workspace_id AND id = :id AND revision = :read_revision

-- name: attempts.plan_anew
-- Write what may change of the row, its plan too, if it is still as it was read. No row changed: someone else was first.
UPDATE attempts SET
    mailbox_id = :mailbox_id,
    step = :step,
    version = :version,
    variant = :variant,
    message_id = :message_id,
    recipient = :recipient,
    opens_thread = :opens_thread,
    planned_at = :planned_at,
    slot_day = :slot_day,
    slot_hour = :slot_hour,
    {attempts.what_becomes}
WHERE workspace_id = :workspace_id AND id = :id AND revision = :read_revision

-- name: attempts.void_reserved
-- Withdraw what was reserved for an enrollment that has ended; nothing of it has left.
UPDATE attempts SET status = 'voided', revision = revision + 1
WHERE workspace_id = :workspace_id AND enrollment_id = :enrollment_id AND status = 'reserved'

-- name: attempts.of_enrollment
-- Every attempt of one enrollment, in the order of its steps.
SELECT {attempts.columns} FROM attempts
WHERE workspace_id = :workspace_id AND enrollment_id = :enrollment_id
ORDER BY step_counter

-- name: attempts.sent_of_enrollment
-- What this enrollment's person has received, oldest first; an outcome that is unknown counts as received.
SELECT {attempts.columns} FROM attempts
WHERE workspace_id = :workspace_id AND enrollment_id = :enrollment_id AND status IN ('sent', 'unknown')
ORDER BY step_counter

-- name: attempts.recent_sends
-- When this person was last written to, newest first, over all sequences, without the step in hand.
SELECT planned_at FROM attempts
WHERE workspace_id = :workspace_id AND lead_id = :lead_id
    AND (status IN ('sent', 'unknown', 'in_flight') OR (status = 'reserved' AND holds_slot))
    AND NOT (enrollment_id = :except_enrollment_id AND step_counter = :except_counter)
ORDER BY planned_at DESC
LIMIT :limit

-- name: attempts.unknown_until
-- When an outcome of this enrollment that is unknown is looked at again; far where only an answer can settle it.
SELECT coalesce(next_look_at, :far::timestamptz) AS next_look_at FROM attempts
WHERE workspace_id = :workspace_id AND enrollment_id = :enrollment_id AND status = 'unknown'

-- name: attempts.to_look_for
-- Outcomes of these shards' mailboxes that are unknown and due to be looked for, the oldest first; not while their mailbox
-- is read back anyway.
SELECT {attempts.columns} FROM attempts
WHERE status = 'unknown' AND next_look_at <= :now
    AND EXISTS (
        SELECT 1 FROM mailboxes m
        WHERE m.workspace_id = attempts.workspace_id AND m.id = attempts.mailbox_id AND m.status <> 'recovering'
            AND {shards.these}
    )
ORDER BY next_look_at
LIMIT :limit

-- name: attempts.abandoned
-- In flight from these shards' mailboxes past the last moment at which the dot could have left: their sender is gone.
SELECT a.workspace_id, a.id, a.enrollment_id, m.shard FROM attempts a
JOIN mailboxes m ON m.workspace_id = a.workspace_id AND m.id = a.mailbox_id
WHERE a.status = 'in_flight' AND a.release_by < :now AND {shards.these}
ORDER BY a.id
LIMIT :limit

-- name: attempts.slots_left_behind
-- Of these shards' mailboxes, and ended without giving their slot back. They are few, in an index of their own.
WITH behind AS MATERIALIZED (
    SELECT workspace_id, id, enrollment_id, mailbox_id FROM attempts
    WHERE status IN ('voided', 'failed') AND holds_slot
)
SELECT b.workspace_id, b.id, b.enrollment_id, m.shard FROM behind b
JOIN mailboxes m ON m.workspace_id = b.workspace_id AND m.id = b.mailbox_id
WHERE {shards.these}
ORDER BY b.id
LIMIT :limit

-- name: attempts.uncopied
-- Sent, but their copy was not seen in the mailbox's Sent folder yet.
SELECT {attempts.columns} FROM attempts
WHERE workspace_id = :workspace_id AND mailbox_id = :mailbox_id AND status = 'sent' AND sent_copy_at IS NULL
    AND sent_at <= :before
ORDER BY sent_at
LIMIT :limit

-- name: attempts.latest_sent
-- What a mailbox sent last, the newest first.
SELECT {attempts.columns} FROM attempts
WHERE workspace_id = :workspace_id AND mailbox_id = :mailbox_id AND status = 'sent'
ORDER BY planned_at DESC
LIMIT :limit

-- name: attempts.mark_copied
-- Its copy was seen in, or put into, the Sent folder.
UPDATE attempts SET sent_copy_at = :at, wire_message_id = coalesce(:wire_message_id::text, wire_message_id),
    revision = revision + 1
WHERE workspace_id = :workspace_id AND id = :id AND sent_copy_at IS NULL

-- name: attempts.look_again
-- Look for it again later, or never by ourselves (NULL). No row changed: that try is settled.
UPDATE attempts SET next_look_at = :next_look_at, looks = looks + 1, error = :error, revision = revision + 1
WHERE workspace_id = :workspace_id AND id = :id AND status = 'unknown' AND tries = :tries

-- name: attempts.look_after_all
-- Its mailbox's server does keep copies: what was left to others is looked for again.
UPDATE attempts SET next_look_at = :now, revision = revision + 1
WHERE workspace_id = :workspace_id AND mailbox_id = :mailbox_id AND status = 'unknown' AND next_look_at IS NULL

-- name: attempts.by_message_ids
-- The attempts that any of these ids names, as generated by us or as seen on the wire.
SELECT {attempts.columns} FROM attempts
WHERE workspace_id = :workspace_id
    AND (message_id = ANY (:id_list::text[]) OR wire_message_id = ANY (:id_list::text[]))
ORDER BY id

-- name: attempts.by_traces
-- The attempts that carried one of these opaque marks.
SELECT {attempts.columns} FROM attempts
WHERE workspace_id = :workspace_id AND trace = ANY (:trace_list::text[])
ORDER BY id

-- name: attempts.by_recipients
-- What was last sent to these addresses, or to whoever is known by them, newest first.
SELECT {attempts.columns} FROM attempts
WHERE workspace_id = :workspace_id
    AND (recipient = ANY (:address_list::text[]) OR lead_id IN (
        SELECT lead_id FROM lead_addresses
        WHERE workspace_id = :workspace_id AND address = ANY (:address_list::text[])
    ))
    AND status IN ('sent', 'unknown', 'in_flight')
ORDER BY planned_at DESC
LIMIT 20

-- name: attempts.by_domain
-- What was last sent to this company from this mailbox, newest first.
SELECT {attempts.columns} FROM attempts
WHERE workspace_id = :workspace_id AND mailbox_id = :mailbox_id
    AND lead_id IN (
        SELECT id FROM leads
        WHERE workspace_id = :workspace_id AND (domain = :domain OR domain LIKE '%.' || :domain)
    )
    AND status IN ('sent', 'unknown', 'in_flight')
ORDER BY planned_at DESC
LIMIT 20

-- name: attempts.of_sequence
-- Every attempt of one sequence, for its audit.
SELECT {attempts.columns} FROM attempts
WHERE workspace_id = :workspace_id AND sequence_id = :sequence_id
ORDER BY enrollment_id, step_counter

-- name: attempts.unsettled
-- Outcomes of this workspace that are unknown, the oldest first. The plus keeps SQLite from reading a whole workspace
-- instead of the few that are unknown.
SELECT {attempts.columns} FROM attempts
WHERE +workspace_id = :workspace_id AND status = 'unknown'
ORDER BY +id

-- name: attempts.count_uncopied
-- How many messages have no copy in Sent, where the server is not known to save them, over the installation.
SELECT count(*) FROM attempts a
JOIN mailboxes m ON m.workspace_id = a.workspace_id AND m.id = a.mailbox_id
WHERE a.status = 'sent' AND a.sent_copy_at IS NULL AND (m.saves_sent IS NULL OR NOT m.saves_sent)

-- name: attempts.count_unknown
-- How many outcomes are unknown, over the installation.
SELECT count(*) FROM attempts WHERE status = 'unknown'

-- name: attempts.count_sent
-- How many messages a mailbox has sent since then.
SELECT count(*) FROM attempts
WHERE workspace_id = :workspace_id AND mailbox_id = :mailbox_id AND status = 'sent' AND planned_at >= :since

-- name: attempts.nth_newest
-- When a mailbox took the message that is so many before its next one, but for the one that is to be sent; not looked
-- for further back. No row: it took fewer since then.
SELECT planned_at FROM attempts
WHERE workspace_id = :workspace_id AND mailbox_id = :mailbox_id
    AND status IN ('reserved', 'in_flight', 'sent', 'unknown') AND planned_at > :since AND holds_slot
    AND NOT (enrollment_id = :except_enrollment_id AND step_counter = :except_counter)
ORDER BY planned_at DESC
LIMIT 1 OFFSET :skip

-- name: attempts.overdue_in_flight
-- In flight past the last moment at which the dot could have left.
SELECT {attempts.columns} FROM attempts
WHERE workspace_id = :workspace_id AND status = 'in_flight' AND release_by < :now
ORDER BY release_by

-- name: attempts.count_settled
-- How many outcomes that were lost have been settled.
SELECT count(*) FROM attempts WHERE workspace_id = :workspace_id AND settled_by IS NOT NULL

-- name: attempts.departed_since
-- What left since then, or may have, over the installation: for the older state that takes this one's place.
SELECT w.uid AS workspace, m.address AS mailbox, a.workspace_id, a.status, a.trace, a.step, a.recipient, a.subject,
    a.wire_message_id, a.opens_thread, coalesce(a.sent_at, a.began_at, a.planned_at) AS at
FROM attempts a
JOIN workspaces w ON w.id = a.workspace_id
JOIN mailboxes m ON m.workspace_id = a.workspace_id AND m.id = a.mailbox_id
WHERE a.status IN ('in_flight', 'unknown', 'sent')
    AND (:since::timestamptz IS NULL OR a.sent_at >= :since OR a.began_at >= :since OR a.planned_at >= :since
        OR a.settled_by IS NOT NULL)
ORDER BY a.workspace_id, a.id
