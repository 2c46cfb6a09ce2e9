-- part: suppressions.columns
workspace_id, id, kind, value, scope, reason, source, created_at

-- name: suppressions.add
-- Never write to it again. No row changed: it was suppressed before.
INSERT INTO suppressions (workspace_id, kind, value, scope, reason, source, created_at)
VALUES (:workspace_id, :kind, :value, :scope, :reason, :source, :created_at)
ON CONFLICT (scope, workspace_id, value, kind) DO NOTHING

-- name: suppressions.remove
-- Take it back, by a person's decision.
DELETE FROM suppressions
WHERE workspace_id = :workspace_id AND kind = :kind AND value = :value AND scope = :scope

-- name: suppressions.binding
-- What binds any of these addresses, domains, numbers and tombstones (no two kinds look alike): here, or globally.
SELECT {suppressions.columns} FROM suppressions
WHERE kind IN ('address', 'domain', 'phone', 'tombstone') AND value = ANY (:value_list::text[])
    AND ((scope = 'workspace' AND workspace_id = :workspace_id) OR scope = 'global')
ORDER BY id

-- name: suppressions.of_workspace
-- Everything suppressed in this workspace or globally, oldest first.
SELECT {suppressions.columns} FROM suppressions
WHERE workspace_id = :workspace_id OR scope = 'global'
ORDER BY id

-- name: suppressions.page
-- Some of what is suppressed in this workspace or globally, from an id on, oldest first.
SELECT {suppressions.columns} FROM (
    SELECT * FROM (
        SELECT {suppressions.columns} FROM suppressions
        WHERE workspace_id = :workspace_id AND id > :after ORDER BY id LIMIT :limit
    ) AS here
    UNION
    SELECT * FROM (
        SELECT {suppressions.columns} FROM suppressions
        WHERE scope = 'global' AND id > :after ORDER BY id LIMIT :limit
    ) AS everywhere
) AS both_of_them
ORDER BY id
LIMIT :limit

-- name: suppressions.forget_address
-- Remove an address in the clear; its tombstone has taken its place.
DELETE FROM suppressions WHERE workspace_id = :workspace_id AND kind = 'address' AND value = :value

-- name: suppressions.added_since
-- What was suppressed since then, over the installation: for the older state that takes this one's place.
SELECT w.uid AS workspace, s.workspace_id, s.kind, s.value, s.scope, s.reason, s.source
FROM suppressions s
JOIN workspaces w ON w.id = s.workspace_id
WHERE :since::timestamptz IS NULL OR s.created_at >= :since
ORDER BY s.id
