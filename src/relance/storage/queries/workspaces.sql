-- Tenants. Everything else belongs to one.

-- part: workspaces.columns
id, uid, name, timezone, settings, wrapped_key, skip_until, last_skip_reason, revision, created_at

-- name: workspaces.add
-- The new workspace's id. A name or uid that is taken is a conflict.
INSERT INTO workspaces (uid, name, timezone, settings, wrapped_key, created_at)
VALUES (:uid, :name, :timezone, :settings, :wrapped_key, :created_at)
RETURNING id

-- name: workspaces.find
-- The workspace of this name, or no row.
SELECT {workspaces.columns} FROM workspaces WHERE name = :name

-- name: workspaces.get
-- The workspace with this id, or no row.
SELECT {workspaces.columns} FROM workspaces WHERE id = :id

-- name: workspaces.lock
-- Lock a workspace against others that do the same, until the transaction ends; who only refers to it goes on.
SELECT id FROM workspaces WHERE id = :id
--postgres FOR NO KEY UPDATE

-- name: workspaces.list
-- Every workspace, by name.
SELECT {workspaces.columns} FROM workspaces ORDER BY name

-- name: workspaces.names
-- The names of all workspaces, in order.
SELECT name FROM workspaces ORDER BY name

-- name: workspaces.change_settings
-- Sets zone and settings if nobody changed them since `revision`; the gates say anew what it may send. No row changed: read again and decide again.
UPDATE workspaces
SET timezone = :timezone, settings = :settings, skip_until = NULL, last_skip_reason = NULL, revision = revision + 1
WHERE id = :id AND revision = :revision

-- name: workspaces.put_off
-- A limit of the whole workspace is used up until then. Never shortens a longer rest.
UPDATE workspaces SET skip_until = :until, last_skip_reason = :reason
WHERE id = :id AND (skip_until IS NULL OR skip_until < :until)
