-- part: mailboxes.columns
workspace_id, id, provider, login, address, display_name, signature_text, signature_html, aliases, pool, timezone, settings, daily_cap,
hourly_cap, min_gap, max_gap, ramp, ramp_start, ramp_step, ramp_days, ramp_day, workday, weight, ceiling, status, status_reason,
consecutive_failures, skip_until, last_skip_reason, next_allowed_at, last_served_at, saves_sent, ids_survive,
fresh_at, last_read_at, recover_since, recover_noticed_at, recovers_to, sent_read_back_at, handed_over, shard, revision, created_at

-- name: mailboxes.get
-- One mailbox as it is now.
SELECT {mailboxes.columns} FROM mailboxes WHERE workspace_id = :workspace_id AND id = :id

-- name: mailboxes.record
-- What a mailbox has sent since then, and what came back of it.
SELECT
    (SELECT count(*) FROM attempts
        WHERE workspace_id = :workspace_id AND mailbox_id = :mailbox_id AND status = 'sent' AND planned_at >= :since
    ) AS sends,
    (SELECT count(*) FROM events
        WHERE workspace_id = :workspace_id AND mailbox_id = :mailbox_id AND name = 'bounce.received' AND at >= :since
    ) AS bounces,
    (SELECT count(*) FROM events
        WHERE workspace_id = :workspace_id AND mailbox_id = :mailbox_id AND name = 'block.received' AND at >= :since
    ) AS blocks,
    (SELECT count(*) FROM events
        WHERE workspace_id = :workspace_id AND mailbox_id = :mailbox_id AND name = 'complaint.received' AND at >= :since
    ) AS complaints

-- name: mailboxes.records
-- The same of several mailboxes at once.
SELECT m.id AS mailbox_id,
    (SELECT count(*) FROM attempts a
        WHERE a.workspace_id = m.workspace_id AND a.mailbox_id = m.id AND a.status = 'sent' AND a.planned_at >= :since
    ) AS sends,
    (SELECT count(*) FROM events e WHERE e.workspace_id = m.workspace_id AND e.mailbox_id = m.id
        AND e.name = 'bounce.received' AND e.at >= :since) AS bounces,
    (SELECT count(*) FROM events e WHERE e.workspace_id = m.workspace_id AND e.mailbox_id = m.id
        AND e.name = 'block.received' AND e.at >= :since) AS blocks,
    (SELECT count(*) FROM events e WHERE e.workspace_id = m.workspace_id AND e.mailbox_id = m.id
        AND e.name = 'complaint.received' AND e.at >= :since) AS complaints
FROM mailboxes m
WHERE m.workspace_id = :workspace_id AND m.id = ANY (:mailbox_list::bigint[])

-- name: mailboxes.by_address
-- The connected mailbox of that address.
SELECT {mailboxes.columns} FROM mailboxes
WHERE workspace_id = :workspace_id AND address = :address AND status <> 'removed'

-- name: mailboxes.by_login
-- The latest mailbox of that login, over the installation.
SELECT {mailboxes.columns} FROM mailboxes
WHERE provider = :provider AND login = :login
ORDER BY (status = 'removed'), id DESC
LIMIT 1

-- name: mailboxes.of_workspace
-- Every mailbox that is connected, by its address.
SELECT {mailboxes.columns} FROM mailboxes
WHERE workspace_id = :workspace_id AND status <> 'removed'
ORDER BY address

-- name: mailboxes.page
-- The next mailboxes that are connected, by their address.
SELECT {mailboxes.columns} FROM mailboxes
WHERE workspace_id = :workspace_id AND status <> 'removed' AND address > :after
ORDER BY address
LIMIT :limit

-- name: mailboxes.connected
-- Every mailbox that is connected, over the installation.
SELECT {mailboxes.columns} FROM mailboxes WHERE status <> 'removed' ORDER BY id

-- name: mailboxes.to_read
-- Every mailbox of these shards that is connected, with what decides whether it is read and whether it rests from it.
-- One that recovers is read back by other rules.
SELECT workspace_id, id, shard, consecutive_failures,
    coalesce(read_asked_at > fresh_at, read_asked_at IS NOT NULL) AS asked_for
FROM mailboxes
WHERE status NOT IN ('removed', 'recovering') AND {shards.these}
ORDER BY id

-- name: mailboxes.addresses
-- Every address that a connected mailbox of the workspace goes by.
SELECT address, aliases FROM mailboxes WHERE workspace_id = :workspace_id AND status <> 'removed'

-- part: mailboxes.may_send
-- No gap, no cap and no trouble in the way. While one mailbox of a workspace recovers, none may: what it wrote, and what
-- was answered to it, is not known yet.
status IN ('active', 'auth_error', 'unreachable') AND free_at <= :now
    AND NOT EXISTS (
        SELECT 1 FROM mailboxes r WHERE r.workspace_id = mailboxes.workspace_id AND r.status = 'recovering'
    )
    AND NOT EXISTS (SELECT 1 FROM workspaces w WHERE w.id = mailboxes.workspace_id AND w.skip_until > :now)
    AND {shards.these}

-- name: mailboxes.free
-- What of these shards could send now, the least recently served first.
SELECT workspace_id, id, shard, address, pool FROM mailboxes WHERE {mailboxes.may_send}
ORDER BY (last_served_at IS NOT NULL), last_served_at, id

-- name: mailboxes.free_among
-- Which of these mailboxes could send now, the least recently served first.
SELECT workspace_id, id, shard, address, pool FROM mailboxes
WHERE id = ANY (:mailbox_list::bigint[]) AND {mailboxes.may_send}
ORDER BY (last_served_at IS NOT NULL), last_served_at, id

-- name: mailboxes.some
-- These mailboxes, each in full.
SELECT {mailboxes.columns} FROM mailboxes WHERE id = ANY (:mailbox_list::bigint[]) ORDER BY id

-- name: mailboxes.turns_of_workspaces
-- When each workspace last had a turn; those that never had one are missing.
SELECT workspace_id, max(last_served_at) AS at FROM mailboxes WHERE last_served_at IS NOT NULL GROUP BY workspace_id

-- name: mailboxes.insert
-- Connect a mailbox. A second one of the same login is refused by its UNIQUE index.
INSERT INTO mailboxes (
    workspace_id, provider, login, address, display_name, signature_text, signature_html, aliases, pool, timezone, settings, daily_cap,
    hourly_cap, min_gap, max_gap, ramp, ramp_start, ramp_step, ramp_days, ramp_day, workday, weight, ceiling, status, status_reason,
    consecutive_failures, skip_until, last_skip_reason, next_allowed_at, last_served_at, saves_sent,
    ids_survive, fresh_at, last_read_at, recover_since, recover_noticed_at, recovers_to, sent_read_back_at, handed_over,
    shard, revision, created_at, sealed_credentials
) VALUES (
    :workspace_id, :provider, :login, :address, :display_name, :signature_text, :signature_html, :aliases::jsonb, :pool, :timezone,
    :settings::jsonb, :daily_cap, :hourly_cap, :min_gap, :max_gap, :ramp, :ramp_start, :ramp_step,
    :ramp_days, :ramp_day, :workday, :weight, :ceiling, :status, :status_reason, :consecutive_failures, :skip_until, :last_skip_reason,
    :next_allowed_at, :last_served_at, :saves_sent, :ids_survive, :fresh_at, :last_read_at, :recover_since,
    :recover_noticed_at, :recovers_to, :sent_read_back_at, :handed_over, :shard, :revision, :created_at, :sealed_credentials
)

-- name: mailboxes.reconnect
-- Connect a removed mailbox again; its history and cursors stay.
UPDATE mailboxes SET shard = :shard, handed_over = false, display_name = :display_name,
    signature_text = :signature_text, signature_html = :signature_html, aliases = :aliases::jsonb, pool = :pool, timezone = :timezone,
    settings = :settings::jsonb, daily_cap = :daily_cap, hourly_cap = :hourly_cap, min_gap = :min_gap,
    max_gap = :max_gap, ramp = :ramp, ramp_start = :ramp_start, ramp_step = :ramp_step, workday = :workday,
    weight = :weight, ceiling = :ceiling, status = 'active',
    saves_sent = CASE WHEN settings = :settings::jsonb THEN saves_sent END,
    ids_survive = CASE WHEN settings = :settings::jsonb THEN ids_survive END,
    status_reason = NULL, consecutive_failures = 0, skip_until = NULL, last_skip_reason = NULL,
    sealed_credentials = :sealed_credentials, revision = revision + 1
WHERE workspace_id = :workspace_id AND id = :id AND status = 'removed'

-- name: mailboxes.change
-- Change what a person may change; trouble that the old settings caused is forgotten, and what was learned about a
-- server is true of that server only.
UPDATE mailboxes SET display_name = :display_name,
    signature_text = :signature_text, signature_html = :signature_html, aliases = :aliases::jsonb, pool = :pool, timezone = :timezone,
    settings = :settings::jsonb, daily_cap = :daily_cap, hourly_cap = :hourly_cap, min_gap = :min_gap,
    max_gap = :max_gap, ramp = :ramp, ramp_start = :ramp_start, ramp_step = :ramp_step,
    workday = :workday, weight = :weight, ceiling = :ceiling,
    status = CASE WHEN status IN ('auth_error', 'unreachable') THEN 'active' ELSE status END,
    status_reason = CASE WHEN status IN ('auth_error', 'unreachable') THEN NULL ELSE status_reason END,
    saves_sent = CASE WHEN settings = :settings::jsonb THEN saves_sent END,
    ids_survive = CASE WHEN settings = :settings::jsonb THEN ids_survive END,
    consecutive_failures = 0, skip_until = NULL, last_skip_reason = NULL,
    sealed_credentials = coalesce(:sealed_credentials::bytea, sealed_credentials), revision = revision + 1
WHERE workspace_id = :workspace_id AND id = :id AND status <> 'removed'

-- name: mailboxes.set_status
-- Change whether a connected mailbox sends. No row changed: it is removed, or recovers.
UPDATE mailboxes SET status = :status, status_reason = :reason, consecutive_failures = 0, skip_until = NULL,
    last_skip_reason = NULL, revision = revision + 1
WHERE workspace_id = :workspace_id AND id = :id AND status NOT IN ('removed', 'recovering')

-- name: mailboxes.remove
-- Disconnect it. No row changed: it is removed already.
UPDATE mailboxes SET status = 'removed', status_reason = :reason, consecutive_failures = 0, skip_until = NULL,
    last_skip_reason = NULL, recover_since = NULL, recover_noticed_at = NULL, recovers_to = NULL,
    sent_read_back_at = NULL, revision = revision + 1
WHERE workspace_id = :workspace_id AND id = :id AND status <> 'removed'

-- name: mailboxes.removed_by_address
-- The removed mailbox of that address, the latest where there were several.
SELECT {mailboxes.columns} FROM mailboxes
WHERE workspace_id = :workspace_id AND address = :address AND status = 'removed'
ORDER BY id DESC
LIMIT 1

-- name: mailboxes.hand_over
-- Others go on with the people of a removed mailbox.
UPDATE mailboxes SET handed_over = true, revision = revision + 1
WHERE workspace_id = :workspace_id AND id = :id AND status = 'removed'

-- name: mailboxes.handed_over
-- Every removed mailbox whose people others go on with.
SELECT {mailboxes.columns} FROM mailboxes WHERE handed_over ORDER BY id

-- name: mailboxes.forget_credentials
-- Forget how to log in to removed mailboxes. While it is still looked for what one of them may have sent, its are kept.
UPDATE mailboxes SET sealed_credentials = NULL, revision = revision + 1
WHERE status = 'removed' AND sealed_credentials IS NOT NULL
    AND NOT EXISTS (
        SELECT 1 FROM attempts a
        WHERE a.workspace_id = mailboxes.workspace_id AND a.mailbox_id = mailboxes.id
            AND (a.status = 'in_flight' OR (a.status = 'unknown' AND a.next_look_at IS NOT NULL))
    )

-- name: mailboxes.enter_recovery
-- Nothing is sent before it has been read back from then on; what an earlier recovery still had to read stays.
UPDATE mailboxes SET
    recover_since = CASE WHEN recover_since < :since THEN recover_since ELSE :since::timestamptz END,
    recover_noticed_at = :now,
    recovers_to = coalesce(recovers_to, CASE WHEN status = 'paused' THEN 'paused' ELSE 'active' END),
    status = 'recovering', status_reason = :reason, sent_read_back_at = NULL, consecutive_failures = 0,
    skip_until = NULL, last_skip_reason = NULL, revision = revision + 1
WHERE workspace_id = :workspace_id AND id = :id AND status <> 'removed'

-- name: mailboxes.recover_to
-- What becomes of it once it is read back. No row changed: it does not recover.
UPDATE mailboxes SET recovers_to = :status, revision = revision + 1
WHERE workspace_id = :workspace_id AND id = :id AND status = 'recovering'

-- name: mailboxes.recovering
-- Every mailbox that recovers, over the installation.
SELECT {mailboxes.columns} FROM mailboxes WHERE status = 'recovering' ORDER BY id

-- name: mailboxes.recover_since
-- To when the mailboxes of a workspace are read back. No row: none recovers.
SELECT recover_since FROM mailboxes
WHERE workspace_id = :workspace_id AND status = 'recovering' ORDER BY recover_since LIMIT 1

-- name: mailboxes.any_recovering
-- Whether one of a workspace's mailboxes recovers.
SELECT 1 FROM mailboxes WHERE workspace_id = :workspace_id AND status = 'recovering' LIMIT 1

-- name: mailboxes.read_back_later
-- It is read again then, which is no failure. No row changed: it does not recover, or has to begin anew.
UPDATE mailboxes SET skip_until = :until, consecutive_failures = 0, last_skip_reason = NULL, revision = revision + 1
WHERE workspace_id = :workspace_id AND id = :id AND status = 'recovering' AND recover_noticed_at = :recover_noticed_at

-- name: mailboxes.mark_sent_read_back
-- Everything in its Sent folders is understood; `skip_reason` is why it has to wait for a person all the same.
UPDATE mailboxes SET sent_read_back_at = :now, status_reason = :reason, consecutive_failures = 0, skip_until = NULL,
    last_skip_reason = :skip_reason, revision = revision + 1
WHERE workspace_id = :workspace_id AND id = :id AND status = 'recovering' AND recover_since = :recover_since
    AND recover_noticed_at = :recover_noticed_at

-- name: mailboxes.leave_recovery
-- It may send again, unless somebody had paused it. No row changed: it does not recover, or has to begin anew.
UPDATE mailboxes SET status = recovers_to, status_reason = CASE WHEN recovers_to = 'paused' THEN :paused END,
    recover_since = NULL, recover_noticed_at = NULL, recovers_to = NULL, sent_read_back_at = NULL,
    consecutive_failures = 0, skip_until = NULL, last_skip_reason = NULL, revision = revision + 1
WHERE workspace_id = :workspace_id AND id = :id AND status = 'recovering' AND recover_since = :recover_since
    AND recover_noticed_at = :recover_noticed_at

-- name: mailboxes.sealed_credentials
-- How to log in, sealed.
SELECT sealed_credentials FROM mailboxes WHERE workspace_id = :workspace_id AND id = :id

-- name: mailboxes.take_gap
-- Take the mailbox's turn and start the gap after it. No row changed: its gap is not over or it may not send.
UPDATE mailboxes SET next_allowed_at = :next_allowed_at, last_served_at = :now,
    ramp_days = :ramp_days, ramp_day = :ramp_day
WHERE workspace_id = :workspace_id AND id = :id AND (next_allowed_at IS NULL OR next_allowed_at <= :now)
    AND status IN ('active', 'auth_error', 'unreachable')

-- name: mailboxes.give_back_gap
-- Undo a gap that nobody has used since.
UPDATE mailboxes SET next_allowed_at = :planned_at
WHERE workspace_id = :workspace_id AND id = :id AND next_allowed_at = :taken

-- name: mailboxes.put_off
-- Not before then, for this reason; stands here once for all its leads. Never shortens a longer rest.
UPDATE mailboxes SET skip_until = :until, last_skip_reason = :reason
WHERE workspace_id = :workspace_id AND id = :id AND (skip_until IS NULL OR skip_until < :until)

-- name: mailboxes.put_off_for_trouble
-- Its server or login is in trouble: not before then, and one failure more in a row. Never shortens a longer rest, and
-- a mailbox that somebody paused stays paused.
UPDATE mailboxes SET
    status = CASE WHEN status IN ('active', 'auth_error', 'unreachable') THEN :status ELSE status END,
    status_reason = :detail,
    last_skip_reason = CASE WHEN skip_until > :until THEN last_skip_reason ELSE :reason END,
    skip_until = CASE WHEN skip_until > :until THEN skip_until ELSE :until::timestamptz END,
    consecutive_failures = consecutive_failures + 1, revision = revision + 1
WHERE workspace_id = :workspace_id AND id = :id AND status <> 'removed'

-- name: mailboxes.mark_works
-- A message was taken: trouble of the kinds named here is over. No row changed: there was none, or it came later.
UPDATE mailboxes SET status = 'active', status_reason = NULL, consecutive_failures = 0, skip_until = NULL,
    last_skip_reason = NULL, revision = revision + 1
WHERE workspace_id = :workspace_id AND id = :id AND status IN ('active', 'auth_error', 'unreachable')
    AND consecutive_failures > 0 AND skip_until <= :now AND last_skip_reason = ANY (:reason_list::text[])

-- name: mailboxes.mark_readable
-- Reading worked: trouble with reading is over. Rests for other reasons stay. No row changed: there was no such trouble.
UPDATE mailboxes SET status = 'active', status_reason = NULL, consecutive_failures = 0,
    skip_until = CASE WHEN last_skip_reason IN ('auth_error', 'unreachable') THEN NULL ELSE skip_until END,
    last_skip_reason = CASE WHEN last_skip_reason IN ('auth_error', 'unreachable') THEN NULL ELSE last_skip_reason END,
    revision = revision + 1
WHERE workspace_id = :workspace_id AND id = :id AND status IN ('auth_error', 'unreachable')
    AND (last_skip_reason IS NULL OR last_skip_reason NOT IN ('smtp_login_refused', 'smtp_unreachable'))

-- name: mailboxes.mark_read
-- Every folder was read from then on, all of it ingested. Never goes back, but from a time that has yet to come.
UPDATE mailboxes SET last_read_at = :now,
    fresh_at = CASE WHEN fresh_at IS NULL OR fresh_at < :started_at OR fresh_at > :now
        THEN :started_at::timestamptz ELSE fresh_at END
WHERE workspace_id = :workspace_id AND id = :id

-- name: mailboxes.ask_for_reading
-- Whoever owns it is to read it. Asking again before it was read since changes nothing.
UPDATE mailboxes SET read_asked_at = :now
WHERE workspace_id = :workspace_id AND id = :id AND (read_asked_at IS NULL OR read_asked_at <= last_read_at)

-- name: mailboxes.to_watch
-- Every mailbox of these shards that can be watched: not those whose reading side refuses the login, and one that
-- recovers is read by other rules, whatever has come in.
SELECT workspace_id, id, shard FROM mailboxes
WHERE status NOT IN ('removed', 'recovering') AND {shards.these}
    AND (status <> 'auth_error' OR last_skip_reason = 'smtp_login_refused')
ORDER BY id

-- name: mailboxes.learn
-- Keep what was learned about its SMTP side; NULL leaves it as it was.
UPDATE mailboxes SET saves_sent = coalesce(:saves_sent::boolean, saves_sent),
    ids_survive = coalesce(:ids_survive::boolean, ids_survive)
WHERE workspace_id = :workspace_id AND id = :id

-- name: mailboxes.written_to_lead
-- The mailboxes that have written to this person (or may have), and how freshly they were read; not those whose people
-- were handed over, since nobody can read them any more.
SELECT m.id AS mailbox_id, m.address, m.fresh_at,
    (m.status IN ('active', 'paused') OR (m.status IN ('auth_error', 'unreachable') AND m.skip_until <= :now::timestamptz)
    ) AS readable
FROM (
    -- By the person first, whatever a planner believes: walked from the mailboxes it would read all they ever sent.
    SELECT DISTINCT a.mailbox_id FROM attempts a
    WHERE a.workspace_id = :workspace_id AND a.lead_id = :lead_id AND a.status IN ('sent', 'unknown', 'in_flight')
) w
JOIN mailboxes m ON m.workspace_id = :workspace_id AND m.id = w.mailbox_id
WHERE NOT m.handed_over
ORDER BY m.id

-- name: mailboxes.copying
-- Working mailboxes of these shards that sent something whose copy was not seen, and whose server is not known to save
-- copies.
SELECT {mailboxes.columns} FROM mailboxes
WHERE status IN ('active', 'paused') AND (saves_sent IS NULL OR NOT saves_sent) AND {shards.these}
    AND EXISTS (
        SELECT 1 FROM attempts a
        WHERE a.workspace_id = mailboxes.workspace_id AND a.mailbox_id = mailboxes.id
            AND a.status = 'sent' AND a.sent_copy_at IS NULL
    )
ORDER BY id

-- name: mailboxes.suppose_cap
-- Only in a copy in memory: another cap, and nothing that the old one has put off.
UPDATE mailboxes SET daily_cap = :daily_cap,
    skip_until = CASE WHEN last_skip_reason = 'daily_cap' THEN NULL ELSE skip_until END,
    last_skip_reason = CASE WHEN last_skip_reason = 'daily_cap' THEN NULL ELSE last_skip_reason END
WHERE workspace_id = :workspace_id AND id = :id
