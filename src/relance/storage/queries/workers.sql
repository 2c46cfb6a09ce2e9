-- Who takes part in the work. Leases run on the database's real clock.

-- name: workers.renew
-- This worker lives; the first time, it joins.
INSERT INTO workers (name, started_at, lease_until) VALUES (:name, {clock.present}, {clock.lease_end})
ON CONFLICT (name) DO UPDATE SET lease_until = excluded.lease_until

-- name: workers.count_live
-- How many share the work.
SELECT count(*) FROM workers WHERE lease_until >= {clock.present}

-- name: workers.live
-- Everybody who takes part, the eldest first, and how many shards each one owns.
SELECT w.name, w.started_at, (SELECT count(*) FROM shards s WHERE s.owner = w.name) AS shards
FROM workers w
WHERE w.lease_until >= {clock.present}
ORDER BY w.started_at, w.name

-- name: workers.leave
-- This worker takes part no more.
DELETE FROM workers WHERE name = :name

-- name: workers.forget_dead
-- Forget those whose lease has ended.
DELETE FROM workers WHERE lease_until < {clock.present}

-- name: workers.forget_others
-- Forget everybody else: for SQLite's one engine, which holds the file lock.
DELETE FROM workers WHERE name <> :name
