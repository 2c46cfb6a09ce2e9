-- name: usage.used
-- What was taken of one counter.
SELECT used FROM usage
WHERE workspace_id = :workspace_id AND scope = :scope AND scope_id = :scope_id AND bucket = :bucket

-- name: usage.used_by_mailbox
-- What was taken of a mailbox's day and hour.
SELECT
    coalesce((SELECT used FROM usage WHERE workspace_id = :workspace_id AND scope = 'mailbox_day'
        AND scope_id = :mailbox_id AND bucket = :day), 0) AS today,
    coalesce((SELECT used FROM usage WHERE workspace_id = :workspace_id AND scope = 'mailbox_hour'
        AND scope_id = :mailbox_id AND bucket = :hour), 0) AS this_hour

-- name: usage.used_by_mailboxes
-- What was taken of the day and hour of several mailboxes, whose days and hours are the same.
SELECT m.id AS mailbox_id,
    coalesce((SELECT u.used FROM usage u WHERE u.workspace_id = m.workspace_id AND u.scope = 'mailbox_day'
        AND u.scope_id = m.id AND u.bucket = :day), 0) AS today,
    coalesce((SELECT u.used FROM usage u WHERE u.workspace_id = m.workspace_id AND u.scope = 'mailbox_hour'
        AND u.scope_id = m.id AND u.bucket = :hour), 0) AS this_hour
FROM mailboxes m
WHERE m.workspace_id = :workspace_id AND m.id = ANY (:mailbox_list::bigint[])

-- name: usage.take
-- Take one, if fewer than the cap are taken. No row changed: it is used up.
INSERT INTO usage (workspace_id, scope, scope_id, bucket, used)
SELECT :workspace_id::bigint, :scope::text, :scope_id::bigint, :bucket::text, 1 WHERE :cap::bigint > 0
ON CONFLICT (workspace_id, scope, scope_id, bucket) DO UPDATE SET used = usage.used + 1 WHERE usage.used < :cap

-- name: usage.give_back
-- Give one back.
UPDATE usage SET used = used - 1
WHERE workspace_id = :workspace_id AND scope = :scope AND scope_id = :scope_id AND bucket = :bucket AND used > 0

-- name: usage.forget
-- Forget counters of days and hours before then; buckets begin with their date.
DELETE FROM usage WHERE bucket < :before
