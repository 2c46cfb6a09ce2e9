-- People, and in which workspaces they may do what.

-- part: users.columns
u.id, u.email, u.name, u.password_hash, u.revision, u.created_at

-- name: users.add
-- The new person's id. An address that is known is a conflict.
INSERT INTO users (email, name, password_hash, created_at)
VALUES (:email, :name, :password_hash, :created_at)
RETURNING id

-- name: users.find
-- The person with this address, or no row.
SELECT {users.columns} FROM users u WHERE u.email = :email

-- name: users.get
-- The person with this id, or no row.
SELECT {users.columns} FROM users u WHERE u.id = :id

-- name: users.any_with_password
-- Whether somebody could log in.
SELECT 1 FROM users WHERE password_hash IS NOT NULL LIMIT 1

-- name: users.change
-- Sets name and password if nobody changed them since `revision`. No row changed: read again and decide again.
UPDATE users SET name = :name, password_hash = :password_hash, revision = revision + 1
WHERE id = :id AND revision = :revision

-- name: users.join
-- Lets a person into a workspace. No row changed: they were in it.
INSERT INTO memberships (workspace_id, user_id, role, created_at)
VALUES (:workspace_id, :user_id, :role, :created_at)
ON CONFLICT (workspace_id, user_id) DO NOTHING

-- name: users.set_role
-- Changes what a person may do, if it is still `read_role`.
UPDATE memberships SET role = :role
WHERE workspace_id = :workspace_id AND user_id = :user_id AND role = :read_role

-- name: users.leave
-- Takes a person out of a workspace, if their role is still `read_role`.
DELETE FROM memberships WHERE workspace_id = :workspace_id AND user_id = :user_id AND role = :read_role

-- name: users.role_in
-- What a person may do in a workspace, or no row.
SELECT role FROM memberships WHERE workspace_id = :workspace_id AND user_id = :user_id

-- name: users.owners
-- How many owners of a workspace have come.
SELECT count(*) FROM memberships m JOIN users u ON u.id = m.user_id
WHERE m.workspace_id = :workspace_id AND m.role = 'owner' AND u.password_hash IS NOT NULL

-- name: users.members
-- Everybody in a workspace, by address.
SELECT u.id AS user_id, u.email, u.name, m.role, u.password_hash IS NULL AS invited, m.created_at
FROM memberships m JOIN users u ON u.id = m.user_id
WHERE m.workspace_id = :workspace_id
ORDER BY u.email

-- name: users.workspaces
-- The names of the workspaces that a person is in, in order.
SELECT w.name FROM memberships m JOIN workspaces w ON w.id = m.workspace_id
WHERE m.user_id = :user_id
ORDER BY w.name
