-- Who works which shard. Leases run on the database's real clock; every change of owner lets the epoch grow.
--
-- Whoever writes for a shard holds its row FOR KEY SHARE, which renewing a lease does not disturb; whoever takes a shard
-- or gives it away locks the row FOR UPDATE, or passes it by while somebody holds it.

-- part: shards.these
-- NULL says all of them, as where one engine owns everything, and costs no comparison.
(:shard_list::int[] IS NULL OR shard = ANY (:shard_list::int[]))

-- name: shards.hold
-- The epochs of those of these shards that this worker owns; none of them changes hands before this transaction ends.
SELECT id, epoch FROM shards WHERE owner = :owner AND id = ANY (:shard_list::int[]) ORDER BY id
--postgres FOR KEY SHARE

-- name: shards.hold_one
-- The epoch of this shard if this worker owns it; it does not change hands before this transaction ends.
SELECT epoch FROM shards WHERE owner = :owner AND id = :shard
--postgres FOR KEY SHARE

-- name: shards.renew
-- What this worker owns, its lease prolonged. What is missing was taken by another since.
UPDATE shards SET lease_until = {clock.lease_end} WHERE owner = :owner RETURNING id, epoch

-- name: shards.take
-- The shards taken, with their new epochs: at most `size` of those that nobody owns or whose lease has ended. One whose
-- row is held is passed by until the next time.
WITH free AS MATERIALIZED (
    SELECT id FROM shards WHERE owner IS NULL OR lease_until < {clock.present} ORDER BY id LIMIT :size
    --postgres FOR UPDATE SKIP LOCKED
)
UPDATE shards SET owner = :owner, epoch = epoch + 1, lease_until = {clock.lease_end}
WHERE id IN (SELECT id FROM free)
RETURNING id, epoch

-- name: shards.take_all
-- Every shard, whoever had it: for SQLite's one engine, which holds the file lock.
UPDATE shards SET owner = :owner, epoch = epoch + 1, lease_until = {clock.lease_end} RETURNING id, epoch

-- name: shards.hand_back
-- The shards let go. One whose row is held is kept until the next time.
WITH drained AS MATERIALIZED (
    SELECT id FROM shards WHERE owner = :owner AND id = ANY (:shard_list::int[]) ORDER BY id
    --postgres FOR UPDATE SKIP LOCKED
)
UPDATE shards SET owner = NULL, lease_until = NULL
WHERE id IN (SELECT id FROM drained)
RETURNING id

-- name: shards.free_of
-- Let go of everything that this worker owned, which is known to have ended.
UPDATE shards SET owner = NULL, lease_until = NULL WHERE owner = :owner

-- name: shards.count_free
-- How many nobody owns, or only somebody whose lease has ended.
SELECT count(*) FROM shards WHERE owner IS NULL OR lease_until < {clock.present}
