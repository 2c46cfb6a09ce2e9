-- Keys of programs. The key itself is not kept.

-- part: api_keys.columns
id, workspace_id, name, shown, role, created_by, created_at, used_at

-- name: api_keys.add
-- The new key's id. A name that is taken in the workspace is a conflict.
INSERT INTO api_keys (workspace_id, name, shown, digest, role, created_by, created_at)
VALUES (:workspace_id, :name, :shown, :digest, :role, :created_by, :created_at)
RETURNING id

-- name: api_keys.find
-- The key with this digest, or no row.
SELECT {api_keys.columns} FROM api_keys WHERE digest = :digest

-- name: api_keys.of_workspace
-- Every key of a workspace, by name.
SELECT {api_keys.columns} FROM api_keys WHERE workspace_id = :workspace_id ORDER BY name

-- name: api_keys.named
-- The key of this name, or no row.
SELECT {api_keys.columns} FROM api_keys WHERE workspace_id = :workspace_id AND name = :name

-- name: api_keys.used
-- It was used, if that was not known for this hour yet.
UPDATE api_keys SET used_at = :now WHERE id = :id AND (used_at IS NULL OR used_at < :before)

-- name: api_keys.remove
-- It lets nobody in any more.
DELETE FROM api_keys WHERE workspace_id = :workspace_id AND id = :id
