-- Keyed hashes of addresses that opted out. Append-only; the same lines stand in a file outside the database.

-- name: opt_outs.add
-- One more opt-out; the same address may opt out again.
INSERT INTO opt_outs (workspace_id, digest, reason, at) VALUES (:workspace_id, :digest, :reason, :at)

-- name: opt_outs.known
-- Which of these digests have opted out in this workspace.
SELECT DISTINCT digest FROM opt_outs
WHERE workspace_id = :workspace_id AND digest = ANY (:digests_list::text[])

-- name: opt_outs.list
-- A page of a workspace's opt-outs after an id, oldest first.
SELECT id, digest, reason, at FROM opt_outs
WHERE workspace_id = :workspace_id AND id > :after ORDER BY id LIMIT :size

-- name: opt_outs.since
-- Who opted out since then, over the installation: for the older state that takes this one's place, and for the log.
SELECT w.uid AS workspace, o.workspace_id, o.digest, o.reason, o.at
FROM opt_outs o
JOIN workspaces w ON w.id = o.workspace_id
WHERE :since::timestamptz IS NULL OR o.at >= :since
ORDER BY o.workspace_id, o.id
