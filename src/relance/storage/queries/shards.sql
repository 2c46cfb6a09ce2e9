-- Who works which shard. Leases run on the database's real clock; every change names the epoch it read.

-- part: shards.columns
id, owner, epoch, lease_until

-- name: shards.list
-- Every shard, in order.
SELECT {shards.columns} FROM shards ORDER BY id

-- name: shards.free
-- Up to `size` shards whose lease has ended or that nobody owns.
SELECT {shards.columns} FROM shards
WHERE owner IS NULL OR lease_until < {clock.present} ORDER BY id LIMIT :size

-- name: shards.live_owners
-- Workers whose lease runs.
SELECT DISTINCT owner FROM shards WHERE owner IS NOT NULL AND lease_until >= {clock.present} ORDER BY owner

-- name: shards.take
-- The new epoch, if the shard is still free and at the epoch that was read. No row: someone else was faster.
UPDATE shards
SET owner = :owner, epoch = epoch + 1, lease_until = {clock.lease_end}
WHERE id = :id AND epoch = :epoch AND (owner IS NULL OR lease_until < {clock.present})
RETURNING epoch

-- name: shards.renew
-- The shards whose lease this worker has prolonged; one that is missing was lost.
UPDATE shards
SET lease_until = {clock.lease_end}
WHERE owner = :owner AND lease_until >= {clock.present}
RETURNING id

-- name: shards.hand_back
-- Frees a drained shard, if it is still owned at this epoch.
UPDATE shards SET owner = NULL, lease_until = NULL
WHERE id = :id AND owner = :owner AND epoch = :epoch

-- name: shards.take_all
-- Every shard, whoever had it: for SQLite's one engine, which holds the file lock.
UPDATE shards SET owner = :owner, epoch = epoch + 1, lease_until = {clock.lease_end}
