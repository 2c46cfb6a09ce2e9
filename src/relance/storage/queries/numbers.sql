-- What came of it, counted: changes that nobody waits for, and the sums that they are folded into.

-- part: numbers.counts
contacted, sent, replied, positive, auto, bounced, opted_out

-- part: numbers.sums
sum(contacted)::bigint AS contacted, sum(sent)::bigint AS sent, sum(replied)::bigint AS replied,
sum(positive)::bigint AS positive, sum(auto)::bigint AS auto, sum(bounced)::bigint AS bounced,
sum(opted_out)::bigint AS opted_out

-- part: numbers.not_folded
-- The newest changes of a workspace; how many is bounded, so that a page never waits for a pile.
(SELECT * FROM number_changes WHERE workspace_id = :workspace_id ORDER BY id DESC LIMIT 20000) AS pending

-- name: numbers.change
-- Count something that happened.
INSERT INTO number_changes (workspace_id, sequence_id, step, variant, mailbox_id, day, {numbers.counts})
VALUES (
    :workspace_id, :sequence_id, :step, :variant, :mailbox_id, :day, :contacted, :sent, :replied, :positive, :auto,
    :bounced, :opted_out
)

-- name: numbers.is_first_contact
-- A row if nothing else of an enrollment was sent.
SELECT 1 WHERE NOT EXISTS (
    SELECT 1 FROM attempts
    WHERE workspace_id = :workspace_id AND enrollment_id = :enrollment_id AND status = 'sent' AND id <> :attempt_id
)

-- name: numbers.add_outcome
-- Ascribe an outcome to a message of ours. No row changed: this person has it already.
INSERT INTO outcomes (workspace_id, enrollment_id, kind, sequence_id, step, variant, mailbox_id, day)
VALUES (:workspace_id, :enrollment_id, :kind, :sequence_id, :step, :variant, :mailbox_id, :day)
ON CONFLICT (workspace_id, enrollment_id, kind) DO NOTHING

-- name: numbers.take_outcome_back
-- It was misread: return to what it was ascribed.
DELETE FROM outcomes WHERE workspace_id = :workspace_id AND enrollment_id = :enrollment_id AND kind = :kind
RETURNING workspace_id, enrollment_id, kind, sequence_id, step, variant, mailbox_id, day

-- name: numbers.move
-- Somebody stands elsewhere from now on.
INSERT INTO moves (workspace_id, sequence_id, from_version, from_step, from_status, version, step, status)
VALUES (:workspace_id, :sequence_id, :from_version, :from_step, :from_status, :version, :step, :status)

-- name: numbers.oldest_changes
-- What is to be folded next.
SELECT workspace_id, id, sequence_id, step, variant, mailbox_id, day, {numbers.counts} FROM number_changes
ORDER BY id LIMIT :limit

-- name: numbers.remove_change
-- It is folded. No row changed: somebody else has.
DELETE FROM number_changes WHERE workspace_id = :workspace_id AND id = :id

-- name: numbers.add
-- Add to a sum.
INSERT INTO numbers (workspace_id, scope, scope_id, day, part, variant, {numbers.counts})
VALUES (
    :workspace_id, :scope, :scope_id, :day, :part, :variant, :contacted, :sent, :replied, :positive, :auto, :bounced,
    :opted_out
)
ON CONFLICT (workspace_id, scope, scope_id, day, part, variant) DO UPDATE SET
    contacted = numbers.contacted + excluded.contacted,
    sent = numbers.sent + excluded.sent,
    replied = numbers.replied + excluded.replied,
    positive = numbers.positive + excluded.positive,
    auto = numbers.auto + excluded.auto,
    bounced = numbers.bounced + excluded.bounced,
    opted_out = numbers.opted_out + excluded.opted_out

-- name: numbers.oldest_moves
-- What is to be folded next.
SELECT workspace_id, id, sequence_id, from_version, from_step, from_status, version, step, status FROM moves
ORDER BY id LIMIT :limit

-- name: numbers.remove_move
-- It is folded. No row changed: somebody else has.
DELETE FROM moves WHERE workspace_id = :workspace_id AND id = :id

-- name: numbers.stand
-- Add to how many stand there.
INSERT INTO standing (workspace_id, sequence_id, version, step, status, people)
VALUES (:workspace_id, :sequence_id, :version, :step, :status, :people)
ON CONFLICT (workspace_id, sequence_id, version, step, status) DO UPDATE SET people = standing.people + excluded.people

-- name: numbers.on_the_way
-- How many of each sequence of a workspace have a status that is no end, the newest moves included.
SELECT sequence_id, status, sum(people)::bigint AS people FROM (
    SELECT sequence_id, status, people FROM standing WHERE workspace_id = :workspace_id
    UNION ALL
    SELECT sequence_id, status, 1 FROM
        (SELECT * FROM moves WHERE workspace_id = :workspace_id ORDER BY id DESC LIMIT 20000) AS came
    UNION ALL
    SELECT sequence_id, from_status, -1 FROM
        (SELECT * FROM moves WHERE workspace_id = :workspace_id ORDER BY id DESC LIMIT 20000) AS went
    WHERE from_step IS NOT NULL
) AS everyone
WHERE status IN ('active', 'waiting', 'paused', 'held')
GROUP BY sequence_id, status
HAVING sum(people) <> 0
ORDER BY sequence_id, status

-- name: numbers.standing
-- How many stand where in one sequence, the newest moves included.
SELECT version, step, status, sum(people)::bigint AS people FROM (
    SELECT version, step, status, people FROM standing
    WHERE workspace_id = :workspace_id AND sequence_id = :sequence_id
    UNION ALL
    SELECT version, step, status, 1 FROM
        (SELECT * FROM moves WHERE workspace_id = :workspace_id ORDER BY id DESC LIMIT 20000) AS came
    WHERE sequence_id = :sequence_id
    UNION ALL
    SELECT from_version, from_step, from_status, -1 FROM
        (SELECT * FROM moves WHERE workspace_id = :workspace_id ORDER BY id DESC LIMIT 20000) AS went
    WHERE sequence_id = :sequence_id AND from_step IS NOT NULL
) AS everyone
GROUP BY version, step, status
HAVING sum(people) <> 0
ORDER BY version, step, status

-- name: numbers.by_step
-- One sequence by step and variant, from a day on.
SELECT step, variant, {numbers.sums} FROM (
    SELECT part AS step, variant, {numbers.counts} FROM numbers
    WHERE workspace_id = :workspace_id AND scope = 'step' AND scope_id = :sequence_id AND day >= :since
    UNION ALL
    SELECT step, variant, {numbers.counts} FROM {numbers.not_folded}
    WHERE sequence_id = :sequence_id AND day >= :since
) AS everything
GROUP BY step, variant
ORDER BY step, variant

-- name: numbers.by_sequence
-- Every sequence, from a day on.
SELECT sequence_id, {numbers.sums} FROM (
    SELECT scope_id AS sequence_id, {numbers.counts} FROM numbers
    WHERE workspace_id = :workspace_id AND scope = 'sequence' AND day >= :since
    UNION ALL
    SELECT sequence_id, {numbers.counts} FROM {numbers.not_folded} WHERE day >= :since
) AS everything
GROUP BY sequence_id
ORDER BY sequence_id

-- name: numbers.by_mailbox
-- Every mailbox, from a day on.
SELECT mailbox_id, {numbers.sums} FROM (
    SELECT scope_id AS mailbox_id, {numbers.counts} FROM numbers
    WHERE workspace_id = :workspace_id AND scope = 'mailbox' AND day >= :since
    UNION ALL
    SELECT mailbox_id, {numbers.counts} FROM {numbers.not_folded} WHERE day >= :since
) AS everything
GROUP BY mailbox_id
ORDER BY mailbox_id

-- name: numbers.by_mailbox_of_sequence
-- Every mailbox that wrote for one sequence, from a day on.
SELECT mailbox_id, {numbers.sums} FROM (
    SELECT CAST(part AS BIGINT) AS mailbox_id, {numbers.counts} FROM numbers
    WHERE workspace_id = :workspace_id AND scope = 'pair' AND scope_id = :sequence_id AND day >= :since
    UNION ALL
    SELECT mailbox_id, {numbers.counts} FROM {numbers.not_folded}
    WHERE sequence_id = :sequence_id AND day >= :since
) AS everything
GROUP BY mailbox_id
ORDER BY mailbox_id

-- name: numbers.by_day
-- Day by day: all sequences, from a day on.
SELECT day, {numbers.sums} FROM (
    SELECT day, {numbers.counts} FROM numbers
    WHERE workspace_id = :workspace_id AND scope = 'sequence' AND day >= :since
    UNION ALL
    SELECT day, {numbers.counts} FROM {numbers.not_folded} WHERE day >= :since
) AS everything
GROUP BY day
ORDER BY day

-- name: numbers.by_day_of_sequence
-- Day by day: one sequence, from a day on.
SELECT day, {numbers.sums} FROM (
    SELECT day, {numbers.counts} FROM numbers
    WHERE workspace_id = :workspace_id AND scope = 'sequence' AND scope_id = :sequence_id AND day >= :since
    UNION ALL
    SELECT day, {numbers.counts} FROM {numbers.not_folded} WHERE sequence_id = :sequence_id AND day >= :since
) AS everything
GROUP BY day
ORDER BY day

-- name: numbers.by_day_of_mailbox
-- Day by day: one mailbox, from a day on.
SELECT day, {numbers.sums} FROM (
    SELECT day, {numbers.counts} FROM numbers
    WHERE workspace_id = :workspace_id AND scope = 'mailbox' AND scope_id = :mailbox_id AND day >= :since
    UNION ALL
    SELECT day, {numbers.counts} FROM {numbers.not_folded} WHERE mailbox_id = :mailbox_id AND day >= :since
) AS everything
GROUP BY day
ORDER BY day

-- name: numbers.by_day_of_pair
-- Day by day: what one mailbox wrote for one sequence, from a day on.
SELECT day, {numbers.sums} FROM (
    SELECT day, {numbers.counts} FROM numbers
    WHERE workspace_id = :workspace_id AND scope = 'pair' AND scope_id = :sequence_id
        AND part = :part AND day >= :since
    UNION ALL
    SELECT day, {numbers.counts} FROM {numbers.not_folded}
    WHERE sequence_id = :sequence_id AND CAST(mailbox_id AS TEXT) = :part AND day >= :since
) AS everything
GROUP BY day
ORDER BY day
